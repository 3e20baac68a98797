//! Perpetuals of rows against a plain walk: seed by seed, every row that extra moves lead to.

use std::collections::HashMap;

use giuthi_engine::search::holds_perpetual;
use giuthi_engine::{Position, Setup};
use rand::RngExt;
use rand::seq::IndexedRandom;

/// Rows that a plain walk looks at before it gives up.
const MOST: usize = 5_000;

/// A row, the pits in ring order.
type Row = Vec<u32>;

/// Where a move leads within its row.
enum Way {
    /// Out of it.
    Out,
    /// Round for ever.
    Endless,
    To(Row),
}

/// Sows a pit, seed by seed, for as long as the seeds stay in the row.
fn sow(row: &Row, pit: usize, up: bool) -> Way {
    let mut sown = row.clone();
    let (mut from, mut upwards) = (pit, up);
    loop {
        let hand = std::mem::take(&mut sown[from]);
        let mut at = from;
        for _ in 0..hand {
            let next = if upwards { Some(at + 1) } else { at.checked_sub(1) };
            match next.filter(|&next| next < row.len()) {
                Some(next) => at = next,
                None => return Way::Out,
            }
            sown[at] += 1;
        }
        if sown[at] == 1 {
            return Way::To(sown);
        }
        (from, upwards) = (at, !upwards);
        if (from, upwards) == (pit, up) && sown == *row {
            return Way::Endless;
        }
    }
}

/// Whether extra moves lead from a row to one on the way there, or into an endless relay. `None` where more than
/// [`MOST`] rows would have to be looked at.
pub(crate) fn circles(start: &Row) -> Option<bool> {
    /// On the way, or done with.
    #[derive(PartialEq)]
    enum Mark {
        Open,
        Done,
    }
    let onward = |row: &Row| -> Vec<Way> {
        let pits = (0..row.len()).filter(|&pit| row[pit] >= 2);
        pits.flat_map(|pit| [sow(row, pit, true), sow(row, pit, false)]).collect()
    };
    let mut marks = HashMap::from([(start.clone(), Mark::Open)]);
    let mut way = vec![(start.clone(), onward(start))];
    while let Some((row, ways)) = way.last_mut() {
        match ways.pop() {
            None => {
                marks.insert(row.clone(), Mark::Done);
                way.pop();
            }
            Some(Way::Out) => {}
            Some(Way::Endless) => return Some(true),
            Some(Way::To(next)) => match marks.get(&next) {
                Some(Mark::Open) => return Some(true),
                Some(Mark::Done) => {}
                None if marks.len() == MOST => return None,
                None => {
                    marks.insert(next.clone(), Mark::Open);
                    way.push((next.clone(), onward(&next)));
                }
            },
        }
    }
    Some(false)
}

/// Compares what is known of the row of the player to move.
pub(crate) fn compare(position: &Position) {
    let row: Row = position.board().row(position.to_move()).iter().map(|&seeds| seeds.into()).collect();
    let found = holds_perpetual(position);
    assert_eq!(found, holds_perpetual(position), "{position}: asked again");
    assert_eq!(found, holds_perpetual(&position.swapped()), "{position}: from the other seat");
    let Some(wanted) = circles(&row) else { return };
    let exact = match row.len() {
        0..=8 => row.iter().sum::<u32>() <= 127,
        9 => row.iter().sum::<u32>() <= 20,
        _ => row.iter().sum::<u32>() <= 18,
    };
    if exact {
        assert_eq!(found, wanted, "{position}");
        assert_eq!(holds_perpetual(&position.mirrored()), wanted, "{position}: mirrored");
    } else {
        assert!(wanted || !found, "{position}: there is none");
    }
}

/// Rows with seeds in few places or in many.
pub(crate) fn case(rng: &mut impl rand::Rng) {
    let width = rng.random_range(5..=10);
    let most = *[8, 14, 20, 30, 60, 140].choose(rng).expect("there are some");
    let places: Vec<usize> =
        (0..rng.random_range(1..=2 * width)).map(|_| rng.random_range(0..width)).collect();
    let mut row = vec![0; width];
    for _ in 0..rng.random_range(0..=most) {
        row[*places.choose(rng).expect("there are some")] += 1;
    }
    let other = (0..width).map(|_| rng.random_range(0..=4)).collect();
    let setup = Setup { north: row, south: other, piles: [0, rng.random_range(0..=9)], to_move: 1 };
    compare(&Position::try_from(&setup).expect("within the bounds"));
}
