//! The quantised network: how far from float it is, that its kernels come to the same bits, that nothing overflows.

mod networks;
mod positions;

use giuthi_engine::net::{Kernel, MAX_LAYER, Network, Quantised, Weights};
use giuthi_engine::rng::{game_rng, random_move};
use giuthi_engine::{Game, Position, Variant};
use rand::RngExt;

/// The positions of random games of a variant, so many of them.
fn of_games(variant: Variant, count: usize, rng: &mut impl rand::Rng) -> Vec<Position> {
    let mut positions = Vec::new();
    let mut game = Game::new(variant);
    while positions.len() < count {
        match random_move(game.position(), rng) {
            Some(mv) if game.ending().is_none() => {
                positions.push(*game.position());
                game.play(mv).expect("a legal move");
            }
            _ => game = Game::new(variant),
        }
    }
    positions
}

/// Positions of every kind, and those at the ends: all seeds in one pit, in one pile, in none.
fn of_all_kinds(width: usize, rng: &mut impl rand::Rng) -> Vec<Position> {
    let mut positions: Vec<Position> = Vec::new();
    for spread in [1, 2, width, 2 * width, 4 * width] {
        positions.extend((0..12).map(|_| positions::scattered(width, 255, spread, rng)));
    }
    let pits = |full: Option<usize>, seeds: usize| {
        let row = |first: usize| {
            let pits: Vec<String> = (first..first + width)
                .map(|pit| if full == Some(pit) { seeds } else { 0 }.to_string())
                .collect();
            pits.join(",")
        };
        format!("{} {}", row(0), row(width))
    };
    for player in 0..2 {
        for pit in 0..2 * width {
            for seeds in [1, 22, 23, 24, 255] {
                positions
                    .push(format!("{} 0 0 {player}", pits(Some(pit), seeds)).parse().expect("a position"));
            }
        }
        for piles in ["255 0", "0 255", "128 127", "0 0"] {
            positions.push(format!("{} {piles} {player}", pits(None, 0)).parse().expect("a position"));
        }
    }
    positions
}

/// Mean and greatest distance of the quantised network's values from float's, and the standard deviation of those.
fn distance(network: &Network, positions: &[Position]) -> (f64, f64, f64) {
    let quantised = Quantised::new(network);
    let (mut sum, mut worst, mut values) = (0.0, 0.0f64, [0.0; 2]);
    for position in positions {
        let (value, wanted) = (f64::from(quantised.value(position)), f64::from(network.value(position)));
        sum += (value - wanted).abs();
        worst = worst.max((value - wanted).abs());
        values = [values[0] + wanted, values[1] + wanted * wanted];
    }
    let count = positions.len() as f64;
    let [mean, square] = values.map(|value| value / count);
    (sum / count, worst, (square - mean * mean).sqrt())
}

#[test]
fn values_are_close_to_those_of_float() {
    let mut rng = game_rng(40, 0);
    for (variant, layers) in [
        ("2x5x4", [128, 32]),
        ("2x6x4", [128, 32]),
        ("2x7x6", [64, 16]),
        ("2x8x8", [128, 32]),
        ("2x8x8", [256, 32]),
        ("2x9x5", [100, 20]),
        ("2x10x9", [512, 48]),
    ] {
        let variant: Variant = variant.parse().expect("a variant");
        let network = networks::trained_like(variant.width(), layers, &mut rng);
        let (mean, worst, spread) = distance(&network, &of_games(variant, 3000, &mut rng));
        assert!(mean <= 0.0005 && worst <= 0.005, "{variant} {layers:?}: mean {mean}, worst {worst}");
        assert!(spread > 0.1, "{variant} {layers:?}: values spread by {spread} alone");
    }
}

/// Sums at the ends of their reach: were one to overflow, its unit would come out at the other end of its range.
#[test]
fn values_at_the_ends_are_close_to_those_of_float() {
    let mut rng = game_rng(41, 0);
    for width in 5..=10 {
        let positions = of_all_kinds(width, &mut rng);
        for lead in [0.05, 0.5, 4.0] {
            // Each unit all up or all down, so that every pit and the lead can pull the same way.
            let header = networks::header(width, [48, 8]);
            let mut weights = networks::weights(&header, &mut rng);
            for (at, number) in weights.input.iter_mut().enumerate() {
                *number = if at % 2 == 0 { number.abs() } else { -number.abs() };
            }
            for (at, number) in weights.lead.iter_mut().enumerate() {
                *number = if at % 3 == 0 { lead } else { -lead };
            }
            // And a bias that brings the common ones back to where they count.
            for (at, number) in weights.input_bias.iter_mut().enumerate() {
                *number = if at % 2 == 0 { -0.5 } else { 0.5 } * width as f32;
            }
            for number in &mut weights.output {
                *number *= 4.0;
            }
            let network = Network::new(header, weights).expect("the weights fit");
            let (mean, worst, spread) = distance(&network, &positions);
            assert!(mean <= 0.003 && worst <= 0.02, "{width}, {lead}: mean {mean}, worst {worst}");
            assert!(spread > 0.02, "{width}, {lead}: values spread by {spread} alone");
        }
    }
}

/// Networks of weights of every size, the odd ones among them.
fn odd_networks(width: usize, layers: [usize; 2], rng: &mut impl rand::Rng) -> Vec<Network> {
    let mut networks =
        vec![networks::network(width, layers, rng), networks::trained_like(width, layers, rng)];
    for sizes in [&[0.0f32][..], &[1e-40], &[1e-3], &[30.0], &[1e30], &[0.0, 1e-30, 1.0, 3e4, 1e30]] {
        let header = networks::header(width, layers);
        let mut weights = networks::weights(&header, rng);
        let Weights { input, lead, input_bias, hidden, hidden_bias, output, output_bias } = &mut weights;
        for number in
            [input, lead, input_bias, hidden, hidden_bias, output, output_bias].into_iter().flatten()
        {
            *number *= sizes[rng.random_range(0..sizes.len())];
        }
        networks.push(Network::new(header, weights).expect("the weights fit"));
    }
    networks
}

#[test]
fn kernels_come_to_the_same_bits() {
    let mut rng = game_rng(42, 0);
    let mut values = std::collections::HashSet::new();
    for (width, layers) in [
        (5, [1, 1]),
        (6, [15, 9]),
        (6, [128, 32]),
        (7, [16, 8]),
        (8, [128, 32]),
        (8, [130, 5]),
        (9, [300, 70]),
        (10, [256, 32]),
        (10, [7, MAX_LAYER]),
        (10, [MAX_LAYER, 40]),
    ] {
        let positions = of_all_kinds(width, &mut rng);
        for network in odd_networks(width, layers, &mut rng) {
            let quantised = Quantised::new(&network);
            for position in &positions {
                let found = Kernel::ALL.map(|kernel| {
                    let logits = quantised.logits_by(kernel, position).map(f32::to_bits);
                    (logits, quantised.value_by(kernel, position).to_bits())
                });
                assert_eq!(found, [found[0]; 3], "{layers:?}, {position}");
                let value = quantised.value(position);
                assert!((-1.0..=1.0).contains(&value), "{layers:?}, {position}: {value}");
                assert_eq!(value.to_bits(), found[0].1, "{layers:?}, {position}");
                assert_eq!(quantised.value(&position.swapped()), value, "{layers:?}, {position}: other seat");
                values.insert(value.to_bits());
            }
        }
    }
    assert!(values.len() > 1500, "only {} values", values.len());
}

/// The bits of a few values, written down on one machine: they are the same on every other.
#[test]
fn bits_are_those_written_down() {
    let mut rng = game_rng(43, 0);
    let quantised = Quantised::new(&networks::trained_like(8, [128, 32], &mut rng));
    let found: Vec<u32> = of_games(Variant::default(), 8, &mut rng)
        .iter()
        .map(|position| quantised.value(position).to_bits())
        .collect();
    let wanted =
        [0x3f649d27, 0x3f71ec42, 0x3f5e03d6, 0x3f7c5b16, 0xbf35c626, 0x3f3ed4af, 0x3f343f19, 0x3f4e1e13];
    assert_eq!(found, wanted, "{found:#010x?}");
}

#[test]
#[should_panic(expected = "a network judges boards of its own width")]
fn a_board_of_another_width_is_not_judged() {
    let quantised = Quantised::new(&networks::network(8, [4, 4], &mut game_rng(44, 0)));
    let _ = quantised.value(&Position::start("2x7x4".parse().expect("a variant")));
}
