//! Perft against the counts of an independent program: how many lines of play there are, and of what sort their last
//! plies.

use giuthi_engine::perft::tally_by;
use giuthi_engine::{Ending, Game, MoveKind, Sower, Variant, perft};

const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/perft.csv");

/// What the file counts at one depth: in its columns' order, from `nodes` on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tally {
    nodes: u64,
    extra: u64,
    captures: u64,
    chains: u64,
    passes: u64,
    repetition: u64,
    endless: u64,
    over: u64,
    seeds_captured: u64,
    laps: u64,
}

impl Tally {
    fn of(counts: [u64; 10]) -> Tally {
        let [nodes, extra, captures, chains, passes, repetition, endless, over, seeds_captured, laps] =
            counts;
        Tally { nodes, extra, captures, chains, passes, repetition, endless, over, seeds_captured, laps }
    }

    /// Counts the last ply of a game.
    fn count(&mut self, game: &Game) {
        let sowing = game.plies().last().expect("a ply was played").sowing;
        self.nodes += 1;
        self.laps += u64::from(sowing.laps);
        self.seeds_captured += u64::from(sowing.captured);
        self.chains += u64::from(sowing.chain > 0);
        self.extra += u64::from(sowing.kind == MoveKind::Extra);
        self.captures += u64::from(sowing.kind == MoveKind::Capture);
        self.passes += u64::from(sowing.kind == MoveKind::Pass);
        self.repetition += u64::from(game.ending() == Some(Ending::Repetition));
        self.endless += u64::from(game.ending() == Some(Ending::Endless));
        self.over += u64::from(game.ending() == Some(Ending::NoMoves));
    }
}

/// Tallies every line of play below a game: `tallies[0]` one ply on, and so forth.
fn tally(game: &mut Game, tallies: &mut [Tally]) {
    let Some((here, below)) = tallies.split_first_mut() else { return };
    if game.ending().is_some() {
        return;
    }
    for mv in game.position().moves() {
        game.play(mv).expect("a listed move is legal");
        here.count(game);
        tally(game, below);
        game.undo();
    }
}

/// The golden tallies of a variant, depth 1 first.
fn golden(variant: Variant) -> Vec<Tally> {
    let mut reader = csv::Reader::from_path(PATH).expect("the golden file is there");
    let header = "W,S,depth,nodes,extra,captures,chains,passes,repetition,endless,over,seeds_captured,laps";
    assert!(reader.headers().expect("a header").iter().eq(header.split(',')), "{PATH}: other columns");
    let mut tallies = Vec::new();
    for row in reader.deserialize() {
        let (width, seeds, depth, counts): (usize, usize, usize, [u64; 10]) = row.expect("a whole row");
        if (width, seeds) == (variant.width(), variant.seeds()) {
            tallies.push(Tally::of(counts));
            assert_eq!(depth, tallies.len(), "{PATH}: {variant}: depths in order");
        }
    }
    tallies
}

/// Runs a check for every recorded variant, all at once.
fn each_variant(check: fn(Variant, &[Tally])) {
    std::thread::scope(|scope| {
        for variant in Variant::RECORDED {
            scope.spawn(move || {
                let golden = golden(variant);
                assert!(golden.len() >= 5, "{PATH}: {variant}: only {} depths", golden.len());
                check(variant, &golden);
            });
        }
    });
}

#[test]
fn perft_counts_equal_the_golden_ones() {
    each_variant(|variant, golden| {
        let mut counts = Vec::new();
        perft(&Game::new(variant), golden.len() as u32, |depth, nodes| counts.push((depth, nodes)));
        let wanted: Vec<_> = golden.iter().zip(1..).map(|(tally, depth)| (depth, tally.nodes)).collect();
        assert_eq!(counts, wanted, "{PATH}: {variant}");
    });
}

#[test]
fn the_last_plies_are_of_the_golden_sorts() {
    each_variant(|variant, golden| {
        let mut tallies = vec![Tally::default(); golden.len()];
        tally(&mut Game::new(variant), &mut tallies);
        for (depth, (tally, golden)) in tallies.iter().zip(golden).enumerate() {
            assert_eq!(tally, golden, "{PATH}: {variant} depth {} (engine left, file right)", depth + 1);
        }
    });
}

#[test]
fn every_sower_tallies_the_golden_lines() {
    each_variant(|variant, golden| {
        for (golden, depth) in golden.iter().zip(1..) {
            for sower in Sower::ALL {
                let found = tally_by(sower, &Game::new(variant), depth);
                let tally = Tally {
                    nodes: found.nodes,
                    extra: found.extra,
                    captures: found.captures,
                    chains: found.chains,
                    passes: found.passes,
                    repetition: found.repetitions,
                    endless: found.endless,
                    over: found.over,
                    seeds_captured: found.captured,
                    laps: found.laps,
                };
                assert_eq!(
                    tally, *golden,
                    "{PATH}: {variant} depth {depth} {sower:?} (engine left, file right)"
                );
            }
        }
    });
}
