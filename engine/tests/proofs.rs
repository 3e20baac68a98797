//! The proofs that come with the project: each holds, and `docs/solved.md` says what they prove.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};

use giuthi_engine::endgame::Value;
use giuthi_engine::endgame::solve::{Goal, Proof, Step};
use giuthi_engine::{Move, Player, Position, Variant};

fn project(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

/// The rows of the document's table, by variant: the value for player 0 and a first move, where they are known.
fn told() -> BTreeMap<String, (Option<Value>, Option<Move>)> {
    let text = fs::read_to_string(project("docs/solved.md")).unwrap();
    let rows = text.lines().filter(|line| line.starts_with("| `2x"));
    rows.map(|line| {
        let cells: Vec<&str> = line.split('|').map(|cell| cell.trim().trim_matches('`')).collect();
        let value = Value::ALL.into_iter().find(|value| value.name() == cells[2]);
        let mv = cells[3].split('`').next().unwrap().parse().ok();
        (cells[1].to_owned(), (value, mv))
    })
    .collect()
}

fn proofs() -> Vec<(Variant, Vec<Proof>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(project("data/proofs")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        let variant = name.split('.').next().unwrap().parse().unwrap();
        let file = File::open(&path).unwrap();
        let proofs = if name.ends_with(".zst") {
            Proof::read_all(BufReader::new(zstd::Decoder::new(file).unwrap()))
        } else {
            Proof::read_all(BufReader::new(file))
        };
        found.push((variant, proofs.unwrap_or_else(|error| panic!("{}: {error}", path.display()))));
    }
    assert!(found.len() >= 20);
    found
}

#[test]
fn every_proof_holds() {
    for (variant, proofs) in proofs() {
        for proof in proofs {
            assert_eq!(proof.position, Position::start(variant), "{variant}");
            assert_eq!(proof.tables, None, "{variant}");
            proof.verify(None).unwrap_or_else(|flaw| panic!("{variant}: {}: {flaw}", proof.claim));
        }
    }
}

#[test]
fn the_document_says_what_they_prove() {
    let told = told();
    for (variant, proofs) in proofs() {
        let (value, mv) = told[&variant.to_string()];
        let claims: Vec<_> = proofs.iter().map(|proof| (proof.claim.player, proof.claim.goal)).collect();
        let wanted = match value.unwrap() {
            Value::Win => vec![(Player::South, Goal::Win)],
            Value::Draw => vec![(Player::South, Goal::Draw), (Player::North, Goal::Draw)],
            Value::Loss => vec![(Player::North, Goal::Win)],
        };
        assert_eq!(claims, wanted, "{variant}");
        let first = proofs[0].steps.first().copied();
        assert_eq!(first.filter(|_| mv.is_some()), mv.map(Step::Play), "{variant}");
    }
    for variant in Variant::RECORDED {
        assert!(told.contains_key(&variant.to_string()), "{variant} is not told of");
    }
}
