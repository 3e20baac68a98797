//! `docs/ugi.md`: its session is held, its tables are compared with the code's.

use giuthi_engine::ugi::command::Query;

use super::Talk;

const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/ugi.md");

fn document() -> String {
    std::fs::read_to_string(PATH).expect("docs/ugi.md is there")
}

/// The words of an `info` line without its numbers and moves.
fn shape(line: &str) -> Vec<&str> {
    line.split(' ').filter(|word| word.bytes().all(|byte| byte.is_ascii_lowercase())).collect()
}

#[test]
fn the_session_goes_as_told() {
    let text = document();
    let session = text.split("```ugi\n").nth(1).expect("a session").split("```").next().unwrap();
    let mut talk = Talk::with(&["--variant", "2x6x4"]);
    let mut answers = 0;
    for line in session.lines() {
        if let Some(line) = line.strip_prefix("> ") {
            talk.send(line);
            continue;
        }
        let told = line.strip_prefix("< ").unwrap_or_else(|| panic!("{PATH}: {line}"));
        answers += 1;
        if told.starts_with("info depth ") {
            // Positions and milliseconds are the search's own affair.
            let said = talk.hear();
            assert_eq!(shape(&said), shape(told), "{said}");
            continue;
        }
        // A search may think longer than the page tells.
        let said = loop {
            let said = talk.hear();
            if !said.starts_with("info depth ") {
                break said;
            }
        };
        assert_eq!(said, told);
    }
    assert!(answers >= 15, "{PATH}: the session has only {answers} answers");
    talk.ends();
}

#[test]
fn every_point_and_question_stands_in_it() {
    let text = document();
    for point in giuthi_engine::compliance::POINTS {
        let required = if point.required { "yes" } else { "no" };
        let row = format!("| {} | {required} | {} |", point.name, point.what.replace('|', "\\|"));
        assert!(text.contains(&row), "{PATH}: {row}");
    }
    for (name, _) in Query::ALL {
        assert!(text.contains(&format!("| `{name}`")), "{PATH}: {name}");
    }
}
