//! Files of results with anything in them: read or refused in one line, never more.

use giuthi_eval::input::read;
use giuthi_eval::results::Results;
use proptest::prelude::*;

const CSV: &str =
    "round,player0,player1,result\n0,a,b,1-0\n0,b,a,1/2-1/2\n1,\"a, the first\",b,0-1\n1,b,a,*\n";
const PGN: &str = "[Event \"x\"]\n[White \"a\"]\n[Black \"b \\\"c\\\"\"]\n[Result \"1-0\"]\n\n1. x {[White \"y\"]\nz} 1-0\n\n\
                   [White \"b\"]\n[Black \"a\"]\n[Result \"1/2-1/2\"]\n\n1/2-1/2\n";

fn check(bytes: &[u8]) -> Result<(), TestCaseError> {
    let mut results = Results::default();
    match read("a file", bytes, &mut results) {
        Ok(()) => prop_assert!(results.games().len() as u64 + results.unfinished > 0),
        Err(error) => {
            let text = error.to_string();
            prop_assert!(text.starts_with("a file: ") && !text.contains('\n'), "{}", text);
            prop_assert!(text.contains(" possible") || text.contains(" needed"), "{}", text);
        }
    }
    prop_assert!(results.games().iter().all(|game| game.players[0] != game.players[1]));
    Ok(())
}

#[test]
fn the_seeds_are_good() {
    for text in [CSV, PGN] {
        let mut results = Results::default();
        read("a file", text.as_bytes(), &mut results).unwrap();
        assert!(results.games().len() >= 2 && results.names().contains(&"a".to_owned()));
    }
}

proptest! {
    #[test]
    fn anything_is_read_or_refused_in_one_line(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        check(&bytes)?;
    }

    #[test]
    fn texts_of_these_signs_too(text in "[\\[\\]\"\\\\,0-1/2*{};%a-c \n\r]{0,120}") {
        check(text.as_bytes())?;
        check(format!("player0,player1,result\n{text}").as_bytes())?;
        check(format!("[White \"a\"]\n{text}").as_bytes())?;
    }

    #[test]
    fn good_files_with_something_changed_too(
        pgn: bool,
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0..3_u8, any::<u8>()), 1..4),
    ) {
        let mut bytes = if pgn { PGN } else { CSV }.as_bytes().to_vec();
        for (place, kind, byte) in changes {
            let at = place.index(bytes.len());
            match kind {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                _ => drop(bytes.remove(at)),
            }
        }
        check(&bytes)?;
    }
}
