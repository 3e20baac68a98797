//! Opens datasets: every part is read and checked once, several at a time.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use giuthi_selfplay::{Manifest, PartEntry, Run};

use super::blocks::Part;
use super::{Stream, Streaming, Window};
use crate::data::{DataError, FEWEST_GAMES, Reading, describe, enough, fraction, manifests};
use crate::part::{self, Checked, LeftOut, LineError, PartError};

/// A part to be checked.
struct Task<'a> {
    window: &'a Window,
    run: &'a Run,
    entry: &'a PartEntry,
    /// Whether it is the first of its dataset.
    first: bool,
}

/// What came of a part: what was checked; games and rows, each to train and to validate on.
type Found = (Checked, [u64; 2], [u64; 2]);

pub(super) fn open(
    windows: &[Window],
    reading: &Reading,
    streaming: Streaming,
    mut progress: impl FnMut(u64, u64),
) -> Result<Stream, DataError> {
    let folders: Vec<_> = windows.iter().map(|window| window.folder.clone()).collect();
    let (manifests, width) = manifests(&folders)?;
    let tasks: Vec<Task<'_>> = (windows.iter().zip(&manifests))
        .flat_map(|(window, Manifest { run, parts, .. })| {
            let firsts = std::iter::once(true).chain(std::iter::repeat(false));
            parts.iter().zip(firsts).map(move |(entry, first)| Task { window, run, entry, first })
        })
        .collect();
    let total = manifests.iter().fold(0, |sum: u64, manifest| sum.saturating_add(manifest.rows));
    let mut done = 0;
    progress(done, total);
    let found = check_all(&tasks, reading, streaming, |task| {
        done += task.entry.rows;
        progress(done, total);
    });

    let mut last = None;
    let (mut games, mut rows) = ([0; 2], [0; 2]);
    // What an epoch trains on, on average.
    let (mut epoch_games, mut epoch_rows) = (0.0, 0.0);
    let mut left_out = LeftOut::default();
    let mut parts = Vec::new();
    // In order, so that of several faults the first is told.
    for (task, found) in tasks.iter().zip(found) {
        // Those behind a fault were not looked at any more.
        let (checked, part_games, part_rows) = found.expect("there was no fault before")?;
        let path = task.window.folder.join(&task.entry.file);
        if task.first {
            last = None;
        }
        if let (Some((game, line)), Some(last)) = (checked.first, last)
            && game <= last
        {
            return Err(PartError::Line { path, line, error: LineError::Order { game, ply: 0 } }.into());
        }
        last = checked.last.or(last);
        for side in 0..2 {
            games[side] += part_games[side];
            rows[side] += part_rows[side];
        }
        epoch_games += task.window.weight * part_games[0] as f64;
        epoch_rows += task.window.weight * part_rows[0] as f64;
        left_out.rows += checked.left_out.rows;
        left_out.games += checked.left_out.games;
        left_out.first = left_out.first.or(checked.left_out.first);
        let Checked { sha256, quick, bad_lines, .. } = checked;
        let (variant, seed, weight) = (task.run.variant, task.run.seed, task.window.weight);
        parts.push(Arc::new(Part { path, variant, seed, weight, sha256, quick, bad_lines }));
    }
    enough(games, rows, reading)?;
    // An epoch without a row would have no loss.
    if windows.iter().any(|window| window.weight < 1.0) && epoch_games < FEWEST_GAMES as f64 {
        return Err(DataError::Thin { games: epoch_games });
    }
    rows[0] = epoch_rows.round() as u64;
    let sources: Vec<_> = windows
        .iter()
        .zip(&manifests)
        .map(|(window, manifest)| match window.weight {
            1.0 => describe(manifest),
            weight => format!("{weight} of {}", describe(manifest)),
        })
        .collect();
    let description = sources.join("; ");
    Ok(Stream { parts, reading: *reading, streaming, width, games, rows, left_out, description })
}

/// Checks parts on several threads. Where one is refused, those before it have been checked, and those behind it may
/// be `None`.
fn check_all(
    tasks: &[Task<'_>],
    reading: &Reading,
    streaming: Streaming,
    mut checked: impl FnMut(&Task<'_>),
) -> Vec<Option<Result<Found, PartError>>> {
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    let mut all: Vec<_> = tasks.iter().map(|_| None).collect();
    thread::scope(|scope| {
        for _ in 0..streaming.threads.get().min(tasks.len()) {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || {
                // Parts are taken in order, so all before this one have been taken.
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(task) = tasks.get(at) else { return };
                    let found = check(task, reading, streaming);
                    if found.is_err() {
                        next.store(tasks.len(), Ordering::Relaxed);
                    }
                    if sender.send((at, found)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        for (at, found) in receiver {
            if found.is_ok() {
                checked(&tasks[at]);
            }
            all[at] = Some(found);
        }
    });
    all
}

fn check(task: &Task<'_>, reading: &Reading, streaming: Streaming) -> Result<Found, PartError> {
    let Task { window, run, entry, .. } = task;
    let (mut games, mut rows) = ([0; 2], [0; 2]);
    let path = window.folder.join(&entry.file);
    let checked = part::check(&path, entry, run.variant, None, streaming.on_bad, |game| {
        let side = usize::from(fraction(run.seed, game[0].game) < reading.validation);
        games[side] += 1;
        rows[side] += game.iter().filter(|sample| reading.takes(sample)).count() as u64;
    })?;
    Ok((checked, games, rows))
}
