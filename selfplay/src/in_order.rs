//! Work done by many threads and taken in the order it was given out, a bounded amount of it ahead.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};

use rayon::{ScopeFifo, ThreadPool};

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
    let over = AtomicBool::new(false);
    pool.in_place_scope_fifo(|scope| {
        let mut results = Results { scope, ahead, items, work: &work, over: &over, begun: VecDeque::new() };
        let taken = take(&mut results);
        over.store(true, Ordering::Relaxed);
        taken
    })
}

struct Results<'a, 'scope, I, T, W> {
    scope: &'a ScopeFifo<'scope>,
    ahead: usize,
    items: I,
    work: &'scope W,
    /// Set when no more results are wanted.
    over: &'scope AtomicBool,
    /// What was given out and not yet taken, in order.
    begun: VecDeque<Receiver<T>>,
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
            let (work, over) = (self.work, self.over);
            self.scope.spawn_fifo(move |_| {
                if !over.load(Ordering::Relaxed) {
                    // Nobody takes it where the work is over in the meantime.
                    let _ = sender.send(work(item));
                }
            });
            self.begun.push_back(receiver);
        }
        // A sender is lost only to a panic of the work, and that panic ends the scope.
        Some(self.begun.pop_front()?.recv().expect("work that was begun is done"))
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
