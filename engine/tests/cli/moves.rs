//! `giuthi moves`.

use giuthi_engine::{Position, Variant};

use super::{ENDLESS, OVER, PASS, objects, printed, refused};

fn arguments(position: &str) -> [&str; 3] {
    ["moves", "--position", position]
}

/// The five columns of the table, without its head.
fn table(position: &str) -> Vec<[String; 5]> {
    let text = printed(arguments(position));
    let rows = text.lines().skip(1).map(|line| {
        let (front, position) = line.split_at(32);
        let [mv, laps, captured, kind] = front.split_whitespace().collect::<Vec<_>>()[..] else {
            panic!("four columns before the position: {line}")
        };
        [mv, laps, captured, kind, position].map(str::to_owned)
    });
    rows.collect()
}

#[test]
fn both_forms_tell_what_the_library_says() {
    let starts = Variant::RECORDED.map(|variant| Position::start(variant).to_string());
    for text in starts.iter().map(String::as_str).chain([PASS, ENDLESS]) {
        let position: Position = text.parse().unwrap();
        let json = objects(arguments(text).iter().chain([&"--json"]));
        let rows = table(text);
        assert_eq!(json.len(), position.moves().len());
        assert_eq!(rows.len(), position.moves().len());
        for ((mv, object), row) in position.moves().into_iter().zip(json).zip(rows) {
            let step = position.step(mv);
            let wanted = serde_json::json!({
                "move": mv.to_string(),
                "laps": step.sowing.laps,
                "captured": step.sowing.captured,
                "kind": step.sowing.kind.name(),
                "position": step.position.to_string(),
            });
            assert_eq!(object, wanted);
            let columns = [
                mv.to_string(),
                step.sowing.laps.to_string(),
                step.sowing.captured.to_string(),
                step.sowing.kind.name().to_owned(),
                step.position.to_string(),
            ];
            assert_eq!(row, columns);
        }
    }
}

#[test]
fn passes_and_endless_relays_have_their_kinds() {
    let pass = objects(["moves", "--json", "--position", PASS]);
    assert_eq!(pass.len(), 1);
    assert_eq!((&pass[0]["move"], &pass[0]["kind"]), (&"pass".into(), &"pass".into()));
    let endless = objects(["moves", "--json", "--position", ENDLESS]);
    let relay = endless.iter().find(|object| object["move"] == "5cw").unwrap();
    assert_eq!((&relay["kind"], &relay["position"]), (&"endless".into(), &ENDLESS.into()));
}

#[test]
fn a_finished_game_has_no_moves() {
    assert_eq!(printed(["moves", "--json", "--position", OVER]), "");
    let told = printed(arguments(OVER));
    assert!(told.lines().count() == 1 && told.contains("is over"), "{told}");
}

#[test]
fn bad_usage_is_refused() {
    refused(["moves", "--position", "x"], 2, "five fields");
    refused(["moves", "--variant", "8x8"], 2, "`8x8` is not a variant");
    refused(["moves", "12ccw"], 2, "unexpected argument '12ccw'");
    refused(["moves", "--jsn"], 2, "'--json'");
}
