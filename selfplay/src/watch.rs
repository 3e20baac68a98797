//! What can be seen of a run while it goes on, and asked of it, from another thread.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

/// Lengths of games that are told apart, in plies; all longer ones count as the last.
const LENGTHS: usize = 1024;

/// A run as others see it while it goes on: whether it should stop, and how far its games are. Shared by its threads;
/// what it costs them is a store for each ply.
#[derive(Debug)]
pub struct Watch {
    stop: AtomicBool,
    /// For each thread one more than the plies of the game that it is playing; 0 while it plays none.
    playing: Box<[AtomicU32]>,
    /// Games finished, by their plies.
    lengths: Box<[AtomicU64]>,
}

impl Watch {
    /// For a run of so many threads, which has not begun.
    #[must_use]
    pub fn new(threads: NonZeroUsize) -> Watch {
        Watch {
            stop: AtomicBool::new(false),
            playing: (0..threads.get()).map(|_| AtomicU32::new(0)).collect(),
            lengths: (0..LENGTHS).map(|_| AtomicU64::new(0)).collect(),
        }
    }

    /// Asks the run to stop after the part in hand.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::SeqCst);
    }

    /// Whether the run was asked to stop.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    /// That a thread's game has come to so many plies.
    pub(crate) fn ply(&self, thread: usize, plies: usize) {
        self.playing[thread].store(plies as u32 + 1, Ordering::Relaxed);
    }

    /// That a thread's game is over after so many plies.
    pub(crate) fn game_over(&self, thread: usize, plies: usize) {
        self.playing[thread].store(0, Ordering::Relaxed);
        self.lengths[plies.min(LENGTHS - 1)].fetch_add(1, Ordering::Relaxed);
    }

    /// How far the run has come.
    #[must_use]
    pub fn look(&self) -> Look {
        let playing = self.playing.iter().filter_map(|plies| plies.load(Ordering::Relaxed).checked_sub(1));
        let lengths = self.lengths.iter().map(|games| games.load(Ordering::Relaxed));
        Look { playing: playing.collect(), lengths: lengths.collect(), threads: self.playing.len() }
    }
}

/// How far a run had come at a moment.
#[derive(Clone, Debug)]
pub struct Look {
    /// Plies so far of each game being played.
    playing: Vec<u32>,
    /// Games finished, by their plies.
    lengths: Vec<u64>,
    threads: usize,
}

impl Look {
    /// Games finished.
    #[must_use]
    pub fn games(&self) -> u64 {
        self.lengths.iter().sum()
    }

    /// Plies played, those of games still being played among them.
    #[must_use]
    pub fn plies(&self) -> u64 {
        let finished: u64 = self.lengths.iter().zip(0..).map(|(&games, plies)| games * plies).sum();
        finished + self.playing.iter().map(|&plies| u64::from(plies)).sum::<u64>()
    }

    /// How much longer a run of `games` games will take that came to this in so much time; `None` before a game is
    /// finished. Games being played count by the plies that games as long as they are still had before them; and at the
    /// end, when fewer games are left than threads, the longest of them counts.
    #[must_use]
    pub fn left(&self, games: u64, elapsed: Duration) -> Option<Duration> {
        let mean = self.rest(0)?;
        let rate = self.plies() as f64 / elapsed.as_secs_f64().max(1e-9);
        let playing: Vec<f64> = self.playing.iter().map(|&plies| self.rest(plies).unwrap_or(mean)).collect();
        let begun = self.games() + playing.len() as u64;
        let plies = games.saturating_sub(begun) as f64 * mean + playing.iter().sum::<f64>();
        let longest = playing.into_iter().fold(0.0, f64::max) * self.threads as f64;
        Duration::try_from_secs_f64(plies.max(longest) / rate).ok()
    }

    /// Plies that games of so many plies still had before them, on average. Of one longer than all finished, as much
    /// again as a tenth of it; `None` where none is finished.
    fn rest(&self, plies: u32) -> Option<f64> {
        let longer = || self.lengths.iter().zip(0_u32..).filter(|&(_, length)| length > plies);
        let games: u64 = longer().map(|(&games, _)| games).sum();
        if games > 0 {
            let rest: u64 = longer().map(|(&games, length)| games * u64::from(length - plies)).sum();
            return Some(rest as f64 / games as f64);
        }
        (self.games() > 0).then(|| f64::from(plies) / 10.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watch(threads: usize) -> Watch {
        Watch::new(NonZeroUsize::new(threads).unwrap())
    }

    #[test]
    fn before_a_game_is_finished_nothing_is_foretold() {
        let watch = watch(2);
        watch.ply(0, 30);
        let look = watch.look();
        assert_eq!((look.games(), look.plies()), (0, 30));
        assert_eq!(look.left(10, Duration::from_secs(1)), None);
    }

    #[test]
    fn games_of_one_length_take_what_they_took() {
        let watch = watch(2);
        for _ in 0..10 {
            watch.game_over(0, 50);
        }
        // 500 plies in 10 seconds; 30 games of 50 are left.
        let left = watch.look().left(40, Duration::from_secs(10)).unwrap();
        assert_eq!(left, Duration::from_secs(30));
        // Half of two of them is played already.
        watch.ply(0, 25);
        watch.ply(1, 25);
        let look = watch.look();
        assert_eq!((look.games(), look.plies()), (10, 550));
        let left = look.left(40, Duration::from_secs(11)).unwrap();
        assert_eq!(left, Duration::from_secs(29));
    }

    #[test]
    fn a_long_game_at_the_end_counts_by_itself() {
        let watch = watch(4);
        for _ in 0..97 {
            watch.game_over(1, 40);
        }
        watch.game_over(1, 100);
        watch.game_over(1, 120);
        // The last game has come to 60 plies: of those as long, the mean rest is 50 plies. One thread plays a quarter of
        // what four do.
        watch.ply(3, 60);
        let look = watch.look();
        let rate = look.plies() as f64 / 10.0;
        let left = look.left(100, Duration::from_secs(10)).unwrap().as_secs_f64();
        assert!((left - 4.0 * 50.0 / rate).abs() < 1e-6, "{left}");
        // Longer than any before it.
        watch.ply(3, 200);
        let look = watch.look();
        let rate = look.plies() as f64 / 10.0;
        let left = look.left(100, Duration::from_secs(10)).unwrap().as_secs_f64();
        assert!((left - 4.0 * 20.0 / rate).abs() < 1e-6, "{left}");
    }

    #[test]
    fn games_longer_than_can_be_told_apart_count_as_long() {
        let watch = watch(1);
        watch.game_over(0, 100_000);
        assert_eq!(watch.look().plies(), LENGTHS as u64 - 1);
    }
}
