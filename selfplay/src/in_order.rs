//! Work done by many threads and taken in the order it was given out, a bounded amount of it ahead.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};
use std::thread::{self, Thread};
use std::time::Duration;

use rayon::{ScopeFifo, ThreadPool};

/// Longest time that a result waits to be taken while others are being worked on: long beside what it costs to wake a
/// thread, which short pieces of work should not have to pay each.
const PATIENCE: Duration = Duration::from_millis(20);

/// Has the pool's threads do `work` on every item, and hands `take` the results in the order of the items.
///
/// At most `ahead` items are begun and not yet taken, so results wait in bounded memory however many items there
/// are; and as `take` runs beside the pool, its threads go on while it does something else. What is not yet begun
/// when `take` returns is not done.
pub(crate) fn in_order<I, T, R>(
    pool: &ThreadPool,
    ahead: usize,
    items: impl Iterator<Item = I>,
    work: impl Fn(I) -> T + Sync,
    take: impl FnOnce(&mut dyn Iterator<Item = T>) -> R,
) -> R
where
    I: Send,
    T: Send,
{
    let shared = Shared {
        over: AtomicBool::new(false),
        open: AtomicUsize::new(0),
        done: AtomicUsize::new(0),
        batch: (ahead / 4).max(1),
        taker: thread::current(),
    };
    pool.in_place_scope_fifo(|scope| {
        let mut results =
            Results { scope, ahead, items, work: &work, shared: &shared, begun: VecDeque::new() };
        let taken = take(&mut results);
        shared.over.store(true, Ordering::Relaxed);
        taken
    })
}

/// What the pool's threads and the taker know in common.
struct Shared {
    /// Set when no more results are wanted.
    over: AtomicBool,
    /// Items begun and not yet done.
    open: AtomicUsize,
    /// Items done, since the taker was woken last.
    done: AtomicUsize,
    /// So many of them wake it.
    batch: usize,
    taker: Thread,
}

impl Shared {
    /// An item is done, or will not be.
    fn item_done(&self) {
        let done = self.done.fetch_add(1, Ordering::AcqRel) + 1;
        let none_open = self.open.fetch_sub(1, Ordering::AcqRel) == 1;
        if none_open || done >= self.batch {
            self.done.store(0, Ordering::Release);
            self.taker.unpark();
        }
    }
}

struct Results<'a, 'scope, I, T, W> {
    scope: &'a ScopeFifo<'scope>,
    ahead: usize,
    items: I,
    work: &'scope W,
    shared: &'scope Shared,
    /// What was given out and not yet taken, in order.
    begun: VecDeque<Receiver<thread::Result<T>>>,
}

impl<'scope, I, T, W> Iterator for Results<'_, 'scope, I, T, W>
where
    I: Iterator<Item: Send>,
    I::Item: 'scope,
    T: Send + 'scope,
    W: Fn(I::Item) -> T + Sync,
{
    type Item = T;

    fn next(&mut self) -> Option<T> {
        while self.begun.len() < self.ahead {
            let Some(item) = self.items.next() else { break };
            let (sender, receiver) = sync_channel(1);
            let (work, shared) = (self.work, self.shared);
            shared.open.fetch_add(1, Ordering::AcqRel);
            self.scope.spawn_fifo(move |_| {
                if !shared.over.load(Ordering::Relaxed) {
                    // A panic is the taker's to go on with. Nobody takes it where the work is over in the meantime.
                    let _ = sender.send(catch_unwind(AssertUnwindSafe(|| work(item))));
                }
                shared.item_done();
            });
            self.begun.push_back(receiver);
        }
        let first = self.begun.pop_front()?;
        loop {
            match first.try_recv() {
                Ok(result) => return Some(result.unwrap_or_else(|panic| resume_unwind(panic))),
                Err(TryRecvError::Empty) => thread::park_timeout(PATIENCE),
                Err(TryRecvError::Disconnected) => unreachable!("work that was given out is done"),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use rayon::ThreadPoolBuilder;

    use super::*;

    #[test]
    fn results_come_in_order_and_never_too_many_are_ahead() {
        let pool = ThreadPoolBuilder::new().num_threads(3).build().expect("three threads");
        let (begun, taken) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let work = |item: u64| {
            let begun = begun.fetch_add(1, Ordering::SeqCst) + 1;
            let ahead = begun.saturating_sub(taken.load(Ordering::SeqCst));
            // The earlier ones take longest, so that they are overtaken.
            for _ in 0..(50 - item) * 1000 {
                std::hint::spin_loop();
            }
            (item, ahead)
        };
        let results = in_order(&pool, 7, 0..50, work, |results| {
            results.inspect(|_| _ = taken.fetch_add(1, Ordering::SeqCst)).collect::<Vec<_>>()
        });
        assert!(results.iter().map(|&(item, _)| item).eq(0..50));
        assert!(results.iter().all(|&(_, ahead)| ahead <= 7), "{results:?}");
    }

    #[test]
    fn single_results_come_though_few_are_ahead_and_some_take_long() {
        let pool = ThreadPoolBuilder::new().num_threads(2).build().expect("two threads");
        for (items, ahead) in [(1, 1), (5, 1), (9, 100), (30, 8)] {
            let work = |item: u64| {
                std::thread::sleep(Duration::from_millis(if item % 7 == 3 { 30 } else { 0 }));
                item
            };
            let results = in_order(&pool, ahead, 0..items, work, |results| results.collect::<Vec<_>>());
            assert!(results.into_iter().eq(0..items));
        }
    }

    #[test]
    #[should_panic(expected = "the third is one too many")]
    fn a_panic_of_the_work_is_handed_on() {
        let pool = ThreadPoolBuilder::new().num_threads(2).build().expect("two threads");
        let work = |item: u64| {
            assert_ne!(item, 3, "the third is one too many");
            item
        };
        in_order(&pool, 4, 0..10, work, |results| results.count());
    }

    #[test]
    fn what_is_not_begun_when_enough_is_taken_is_not_done() {
        const ITEMS: usize = 50_000;
        let pool = ThreadPoolBuilder::new().num_threads(2).build().expect("two threads");
        let done = AtomicUsize::new(0);
        let work = |item: usize| {
            for _ in 0..1000 {
                std::hint::spin_loop();
            }
            done.fetch_add(1, Ordering::Relaxed);
            item
        };
        let first = in_order(&pool, ITEMS, 0..ITEMS, work, |results| results.take(3).collect::<Vec<_>>());
        assert_eq!(first, [0, 1, 2]);
        assert!((3..ITEMS).contains(&done.into_inner()));
    }
}
