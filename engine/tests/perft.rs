//! Perft against the counts of an independent program.

use giuthi_engine::{Game, Variant, perft};

#[test]
fn counts_equal_the_golden_ones() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/perft.csv");
    let mut reader = csv::Reader::from_path(path).unwrap();
    let mut rows = Vec::new();
    for record in reader.deserialize() {
        let (width, seeds, depth, nodes): (usize, usize, u32, u64) = record.unwrap();
        rows.push((width, seeds, depth, nodes));
    }
    for variant in Variant::RECORDED {
        let mut wanted = rows.iter().filter(|row| (row.0, row.1) == (variant.width(), variant.seeds()));
        let deepest =
            wanted.clone().map(|row| row.2).max().expect("every recorded variant has golden counts");
        let game = Game::new(variant);
        perft(&game, deepest, |depth, nodes| {
            let row = wanted.next().expect("one row a depth");
            assert_eq!((depth, nodes), (row.2, row.3), "{path}: {variant} depth {}", row.2);
        });
        assert!(wanted.next().is_none());
    }
}
