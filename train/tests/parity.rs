//! The engine's plain-Rust network against libtorch, on positions of every variant.

use giuthi_engine::net::FeatureSet;
use giuthi_engine::rng::{game_rng, random_move};
use giuthi_engine::{Game, Position, Variant};
use giuthi_train::model::{Inputs, Model, Shape};
use tch::{Device, Kind, Tensor};

/// Every position of a few random games.
fn positions(variant: Variant) -> Vec<Position> {
    (0..3)
        .flat_map(|number| {
            let mut rng = game_rng(11, number);
            let mut game = Game::new(variant);
            while game.ending().is_none() {
                let mv = random_move(game.position(), &mut rng).unwrap();
                game.play(mv).unwrap();
            }
            game.plies().iter().map(|ply| ply.before).collect::<Vec<_>>()
        })
        .collect()
}

#[test]
fn plain_rust_equals_libtorch() {
    tch::set_num_threads(1);
    let features = FeatureSet::Pits24Lead;
    // With one seed a pit the game is over before it begins.
    for variant in Variant::all().filter(|variant| variant.seeds() >= 2) {
        let width = variant.width();
        let shape = Shape { width, features, layers: [128, 32] };
        let model = Model::new(shape, variant.seeds() as u64, Device::Cpu).unwrap();
        // The fresh spreads leave few sums clipped; wider ones make both ends of the clipping count.
        let _ = model.flat().shallow_clone().g_mul_(&Tensor::from(3.0f32));
        let weights = shape.weights(&model.numbers().unwrap());
        let network = shape.network(weights, "nothing".to_owned()).unwrap();

        let positions = positions(variant);
        let mut categories = Vec::new();
        let leads: Vec<f32> = positions
            .iter()
            .map(|position| features.encode(position, |category| categories.push(category as i32)))
            .collect();
        let inputs = Inputs {
            categories: Tensor::from_slice(&categories).view([positions.len() as i64, -1]),
            lead: Tensor::from_slice(&leads),
        };
        let probabilities = tch::no_grad(|| model.logits(&inputs).unwrap().softmax(1, Kind::Float));
        let wanted = Vec::<f32>::try_from(probabilities.view([-1])).unwrap();
        assert!(positions.len() >= 3, "{variant}");
        for (position, wanted) in positions.iter().zip(wanted.chunks_exact(3)) {
            let found = network.probabilities(position);
            for (found, wanted) in found.iter().zip(wanted) {
                assert!((found - wanted).abs() < 1e-5, "{variant}, {position}: {found} for {wanted}");
            }
            let value = network.value(position);
            assert!((value - (wanted[0] - wanted[2])).abs() < 1e-5, "{variant}, {position}: {value}");
        }
    }
}
