//! Parts dealt to threads, each with a memory of its own; what comes of them is taken in order.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::thread;

/// Does `work` on every item, on several threads, each of which begins with a memory made by `begin`; hands the results
/// to `take` in the order of the items, and returns the memories. Where `take` has had enough (`false`), what is not
/// begun is not done.
pub(crate) fn each_part<I: Sync, M: Send, T: Send>(
    items: &[I],
    threads: NonZeroUsize,
    begin: impl Fn() -> M + Sync,
    work: impl Fn(&mut M, &I) -> T + Sync,
    mut take: impl FnMut(&I, T) -> bool,
) -> Vec<M> {
    let next = AtomicUsize::new(0);
    let (sender, receiver) = channel();
    thread::scope(|scope| {
        let start = |_| {
            let (sender, next, begin, work) = (sender.clone(), &next, &begin, &work);
            scope.spawn(move || {
                let mut memory = begin();
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(at) else { return memory };
                    let result = work(&mut memory, item);
                    if sender.send((at, result)).is_err() {
                        return memory;
                    }
                }
            })
        };
        let workers: Vec<_> = (0..threads.get().min(items.len())).map(start).collect();
        drop(sender);
        let (mut early, mut due) = (BTreeMap::new(), 0);
        'parts: for (at, result) in receiver {
            early.insert(at, result);
            while let Some(result) = early.remove(&due) {
                if !take(&items[due], result) {
                    next.store(items.len(), Ordering::Relaxed);
                    break 'parts;
                }
                due += 1;
            }
        }
        let join = |worker: thread::ScopedJoinHandle<'_, M>| {
            worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        workers.into_iter().map(join).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_and_memories_hold_everything() {
        let items: Vec<u64> = (0..500).collect();
        let threads = NonZeroUsize::new(3).expect("not 0");
        let add = |sum: &mut u64, &item: &u64| {
            *sum += item;
            item
        };
        let mut taken = Vec::new();
        let sums = each_part(
            &items,
            threads,
            || 0,
            add,
            |_, item| {
                taken.push(item);
                true
            },
        );
        assert_eq!((taken, sums.iter().sum::<u64>()), (items.clone(), 500 * 499 / 2));
        let mut taken = Vec::new();
        each_part(
            &items,
            threads,
            || 0,
            add,
            |_, item| {
                taken.push(item);
                item < 3
            },
        );
        assert_eq!(taken, [0, 1, 2, 3]);
    }
}
