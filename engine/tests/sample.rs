//! Rows of the dataset: written and read again, labelled for the player who moves, refused when damaged.

#[path = "fuzz/mutation.rs"]
mod mutation;

use csv::StringRecord;
use giuthi_engine::rng::{game_rng, random_move};
use giuthi_engine::sample::{Note, SampleError, columns, label, width_of};
use giuthi_engine::{Ending, Game, Move, MoveKind, Outcome, Sample, Source, Variant};
use rand::RngExt;

/// A random game to its end, with notes as a self-play program would take them.
fn noted_game(variant: Variant, number: u64) -> (Game, Vec<Note>) {
    let mut rng = game_rng(40, number);
    let mut game = Game::new(variant);
    let mut notes = Vec::new();
    while game.ending().is_none() {
        let mv = random_move(game.position(), &mut rng).expect("the game goes on");
        notes.push(match (mv, rng.random_range(0..3)) {
            (Move::Pass, _) => Note { source: Source::Forced, value: None },
            (_, 0) => Note { source: Source::Random, value: None },
            (_, 1) => Note { source: Source::Random, value: Some(rng.random_range(-1.0..=1.0)) },
            _ => Note { source: Source::Search, value: Some(rng.random_range(-1.0..=1.0)) },
        });
        game.play(mv).expect("a listed move is legal");
    }
    (game, notes)
}

fn record_of(sample: &Sample) -> StringRecord {
    let mut record = StringRecord::new();
    sample.write(&mut record);
    record
}

#[test]
fn whole_games_are_read_as_they_were_written() {
    let mut endings = [0; 3];
    for (number, variant) in Variant::RECORDED.into_iter().cycle().take(200).enumerate() {
        let (game, notes) = noted_game(variant, number as u64);
        let samples = label(number as u64, &game, &notes).expect("the game is over");
        assert_eq!(samples.len(), game.plies().len());
        endings[game.ending().expect("it is over") as usize] += 1;
        for (sample, ply) in samples.iter().zip(0..) {
            assert_eq!((sample.game, sample.ply), (number as u64, ply));
            let record = record_of(sample);
            assert_eq!(record.len(), columns(variant.width()).len());
            let read =
                Sample::read(&record, variant.width()).unwrap_or_else(|error| panic!("{record:?}: {error}"));
            // The value is rounded when it is written; everything else is what it was.
            assert_eq!(Sample { value: sample.value, ..read.clone() }, *sample);
            match (read.value, sample.value) {
                (Some(read), Some(value)) => assert!((read - value).abs() <= 0.5001e-4, "{read} {value}"),
                (read, value) => assert_eq!(read, value),
            }
            assert_eq!(record_of(&read), record, "written again");
        }
    }
    assert!(
        endings[Ending::NoMoves as usize] > 50 && endings[Ending::Repetition as usize] > 10,
        "{endings:?}"
    );
}

#[test]
fn labels_are_of_the_player_who_moves() {
    let (mut wins, mut after_extra) = (0, 0);
    for number in 0..100 {
        let (game, notes) = noted_game(Variant::RECORDED[number as usize % 8], number);
        let samples = label(number, &game, &notes).expect("the game is over");
        let (outcome, [score0, score1]) = (game.outcome().expect("it is over"), game.position().score());
        for (sample, ply) in samples.iter().zip(game.plies()) {
            assert_eq!(
                (sample.position, sample.mv, sample.player()),
                (ply.before, ply.mv, ply.before.to_move())
            );
            let ahead = score0 as i16 - score1 as i16;
            let margin = if ply.before.to_move().index() == 0 { ahead } else { -ahead };
            assert_eq!(sample.margin, margin);
            let result = match outcome {
                Outcome::Draw => 0,
                Outcome::Win(winner) if winner == ply.before.to_move() => 1,
                Outcome::Win(_) => -1,
            };
            assert_eq!(sample.result, result);
            assert_eq!(Some(sample.ending), game.ending());
            wins += u32::from(result != 0);
        }
        for (pair, ply) in samples.windows(2).zip(game.plies()) {
            let sign = if ply.sowing.kind == MoveKind::Extra { 1 } else { -1 };
            assert_eq!(pair[1].result, sign * pair[0].result, "game {number} after ply {}", pair[0].ply);
            assert_eq!(pair[1].margin, i16::from(sign) * pair[0].margin);
            after_extra += u32::from(sign == 1 && pair[0].result != 0);
        }
    }
    assert!(wins > 1000 && after_extra > 300, "{wins} {after_extra}");
}

/// The same game with the seats swapped: every row tells the other player's story.
#[test]
fn the_other_seat_has_the_same_labels() {
    for number in 0..40 {
        let (game, notes) = noted_game(Variant::RECORDED[number as usize % 8], number);
        let width = game.position().width();
        let mut other = Game::from_position(game.plies()[0].before.swapped());
        for ply in game.plies() {
            other.play(ply.mv.swapped(width)).expect("the same move from the other seat");
        }
        let rows = label(number, &game, &notes).expect("the game is over");
        let others = label(number, &other, &notes).expect("the game is over");
        for (row, other) in rows.iter().zip(&others) {
            assert_eq!(other.player(), row.player().opponent());
            assert_eq!((other.result, other.margin, other.ending), (row.result, row.margin, row.ending));
        }
        // Whoever moves at the same ply, the player 0 of one game is the player 1 of the other.
        let swapped = game.outcome().expect("over").result_for(giuthi_engine::Player::South);
        assert_eq!(other.outcome().expect("over").result_for(giuthi_engine::Player::North), swapped);
        assert_eq!(other.outcome().expect("over").result_for(giuthi_engine::Player::South), -swapped);
    }
}

#[test]
fn a_game_that_goes_on_has_no_labels() {
    assert_eq!(label(0, &Game::new(Variant::default()), &[]), None);
}

#[test]
fn the_header_tells_the_width() {
    for width in 5..=10 {
        let header = StringRecord::from(columns(width));
        assert_eq!(width_of(&header), Some(width));
        let mut less = columns(width);
        less.pop();
        assert_eq!(width_of(&StringRecord::from(less)), None);
        let mut other = columns(width);
        other.swap(0, 1);
        assert_eq!(width_of(&StringRecord::from(other)), None);
    }
    assert_eq!(
        columns(5).join(","),
        "game,ply,player,p0,p1,p2,p3,p4,p5,p6,p7,p8,p9,pile0,pile1,move,source,value,result,margin,end"
    );
    assert_eq!(width_of(&StringRecord::new()), None);
}

/// A good row of 2x5, player 1 to move: 40 seeds, of which 6 in the piles.
const GOOD: &str = "7,12,1,1,0,2,0,11,7,1,9,3,0,4,2,4cw,search,-0.25,1,10,no-moves";

fn row(text: &str) -> StringRecord {
    StringRecord::from(text.split(',').collect::<Vec<_>>())
}

#[test]
fn damaged_rows_are_refused() {
    let names = columns(5);
    let good = row(GOOD);
    assert_eq!(record_of(&Sample::read(&good, 5).expect("a good row")), {
        let mut record = StringRecord::new();
        good.iter().for_each(|field| record.push_field(if field == "-0.25" { "-0.2500" } else { field }));
        record
    });
    let table: &[(&str, &str, &str)] = &[
        ("game", "", "a game's number"),
        ("game", "-1", "a game's number"),
        ("game", "seven", "a game's number"),
        ("game", "+7", "a game's number"),
        ("game", "007", "a game's number"),
        ("game", "-0", "a game's number"),
        ("ply", "1.5", "a ply's number"),
        ("ply", "+12", "a ply's number"),
        ("ply", "012", "a ply's number"),
        ("ply", "4294967296", "a ply's number"),
        ("player", "2", "0 or 1"),
        ("player", "", "0 or 1"),
        ("p0", "", "a number of seeds"),
        ("p3", "x", "a number of seeds"),
        ("p9", "-1", "a number of seeds"),
        ("p9", "0.0", "a number of seeds"),
        ("p0", "01", "a number of seeds"),
        ("p1", "00", "a number of seeds"),
        ("p5", "007", "a number of seeds"),
        ("p8", "+3", "a number of seeds"),
        ("pile0", "04", "a number of seeds"),
        ("pile0", "?", "a number of seeds"),
        ("pile1", " 2", "a number of seeds"),
        ("move", "4", "a move"),
        ("move", "", "a move"),
        ("move", "04cw", "a move"),
        ("move", "+4cw", "a move"),
        ("move", "4CW", "a move"),
        ("source", "Search", "`search`, `random` or `forced`"),
        ("source", "forced", "passes, and only they, are `forced`"),
        ("value", "1.01", "from -1 to 1"),
        ("value", "-2", "from -1 to 1"),
        ("value", "NaN", "from -1 to 1"),
        ("value", "inf", "from -1 to 1"),
        ("value", "none", "from -1 to 1"),
        ("value", "+0.25", "from -1 to 1"),
        ("value", "-0.0000", "from -1 to 1"),
        ("value", "-0", "from -1 to 1"),
        ("value", "00.2500", "from -1 to 1"),
        ("value", "01", "from -1 to 1"),
        ("value", " 1", "from -1 to 1"),
        ("value", "1 ", "from -1 to 1"),
        ("value", "1.", "from -1 to 1"),
        ("value", ".2500", "from -1 to 1"),
        ("value", "-.2500", "from -1 to 1"),
        ("value", "-", "from -1 to 1"),
        ("value", "--1", "from -1 to 1"),
        ("value", "0.-2", "from -1 to 1"),
        ("value", "0.2.5", "from -1 to 1"),
        ("value", "1e-3", "from -1 to 1"),
        ("value", "2.5E-1", "from -1 to 1"),
        ("value", "-1e-60", "from -1 to 1"),
        ("value", "0x1", "from -1 to 1"),
        ("result", "2", "1, 0 or -1"),
        ("result", "", "1, 0 or -1"),
        ("result", "+1", "1, 0 or -1"),
        ("result", "01", "1, 0 or -1"),
        ("result", "-0", "1, 0 or -1"),
        ("result", "-1", "what `margin` and `end` say"),
        ("result", "0", "what `margin` and `end` say"),
        ("margin", "256", "from -255 to 255"),
        ("margin", "", "from -255 to 255"),
        ("margin", "+10", "from -255 to 255"),
        ("margin", "010", "from -255 to 255"),
        ("margin", "-0", "from -255 to 255"),
        ("margin", "11", "so many seeds"),
        ("margin", "42", "so many seeds"),
        ("end", "", "`no-moves`, `repetition` or `endless`"),
        ("end", "NoMoves", "`no-moves`, `repetition` or `endless`"),
    ];
    for &(column, text, wanted) in table {
        let at = names.iter().position(|name| name == column).expect("a column");
        let fields = good.iter().enumerate().map(|(i, field)| if i == at { text } else { field });
        let fields: StringRecord = fields.collect();
        let error = Sample::read(&fields, 5).expect_err(column);
        let joined = fields.iter().collect::<Vec<_>>().join(",");
        assert_eq!(Sample::scan(joined.as_bytes(), 5), Err(error.clone()), "{column} `{text}`");
        let line = error.to_string();
        let start = format!("column `{column}`: `{text}` is not ");
        assert!(line.starts_with(&start) && line.contains(wanted), "{column} `{text}`: {line}");
        assert_eq!(line.lines().count(), 1);
    }
    // Other programs may write more decimals of a value, or fewer.
    let others =
        [("0", 0.0), ("0.0", 0.0), ("-1", -1.0), ("1.000", 1.0), ("-0.2", -0.2), ("0.123456", 0.123456)];
    for (text, value) in others {
        let line = GOOD.replace("-0.25", text);
        let read = Sample::read(&row(&line), 5).expect(text);
        assert_eq!((read.value, Sample::scan(line.as_bytes(), 5)), (Some(value), Ok(read.clone())), "{text}");
    }
    let moves = [("9cw", "pit 9 is not player 1's"), ("1cw", "pit 1 holds 0"), ("pass", "may not pass")];
    for (mv, wanted) in moves {
        let line = Sample::read(&row(&GOOD.replace("4cw", mv)), 5).expect_err(mv).to_string();
        assert!(line.starts_with("column `move`: ") && line.contains(wanted), "{line}");
    }
    // A draw by repetition or an endless relay is nobody's, however the score stood.
    for end in ["repetition", "endless"] {
        let won = GOOD.replace("no-moves", end);
        let line = Sample::read(&row(&won), 5).expect_err(end).to_string();
        assert!(line.starts_with("column `result`: `1` is not what"), "{line}");
        assert!(Sample::read(&row(&won.replace(",1,10,", ",0,10,")), 5).is_ok());
    }
}

#[test]
fn rows_that_are_cut_or_overfull_are_refused() {
    let fields: Vec<&str> = GOOD.split(',').collect();
    for count in 0..fields.len() {
        let cut = StringRecord::from(fields[..count].to_vec());
        assert_eq!(Sample::read(&cut, 5), Err(SampleError::Fields { found: count, wanted: 21 }));
    }
    let line = Sample::read(&row(&format!("{GOOD},0")), 5).expect_err("a field more").to_string();
    assert_eq!(line, "22 fields, not 21");
    let line = Sample::read(&row(GOOD), 8).expect_err("another width").to_string();
    assert_eq!(line, "21 fields, not 27");
    let full = GOOD.replace("11,7,1,9", "211,7,1,90");
    let line = Sample::read(&row(&full), 5).expect_err("too many seeds").to_string();
    assert!(line.contains("321 seeds in all") && line.contains("255"), "{line}");
}

/// What the two ways of reading a row make of a line, told so that nothing is lost: a float's sign of zero, an error's
/// words.
fn both_ways(line: &[u8], width: usize) -> [String; 2] {
    let slow = match str::from_utf8(line) {
        Ok(text) => Sample::read(&row(text), width),
        Err(_) => Err(SampleError::NotText),
    };
    [Sample::scan(line, width), slow].map(|read| match read {
        Ok(sample) => format!("{sample:?}"),
        Err(error) => format!("{error:?}: {error}"),
    })
}

#[test]
fn a_scanned_line_is_what_its_fields_are_or_refused_with_the_same_words() {
    let (mut good, mut bad) = (0, 0);
    let mut rng = game_rng(41, 0);
    for (number, variant) in Variant::RECORDED.into_iter().cycle().take(100).enumerate() {
        let (game, notes) = noted_game(variant, number as u64);
        for sample in label(rng.random(), &game, &notes).expect("the game is over") {
            let line = record_of(&sample).iter().collect::<Vec<_>>().join(",");
            let [fast, slow] = both_ways(line.as_bytes(), variant.width());
            assert!(fast.starts_with("Sample {"), "{line}: {fast}");
            assert_eq!(fast, slow, "{line}");
            for _ in 0..20 {
                let mut changed = line.clone().into_bytes();
                mutation::mutate(&mut changed, &mut rng);
                let [fast, slow] = both_ways(&changed, variant.width());
                assert_eq!(fast, slow, "{}", changed.escape_ascii());
                *(if fast.starts_with("Sample {") { &mut good } else { &mut bad }) += 1;
            }
        }
    }
    assert!(good > 1000 && bad > 10_000, "{good} good, {bad} bad");
}

#[test]
fn every_byte_in_every_place_is_read_alike_both_ways() {
    for line in [GOOD, "0,3,0,2,2,0,0,0,1,1,1,1,0,20,12,pass,forced,,0,-10,repetition"] {
        for at in 0..line.len() {
            for byte in 0..=u8::MAX {
                let mut changed = line.as_bytes().to_vec();
                changed[at] = byte;
                let [fast, slow] = both_ways(&changed, 5);
                assert_eq!(fast, slow, "{}", changed.escape_ascii());
            }
            let (head, tail) = line.split_at(at);
            for piece in ["", "0", "00", "+", "-", ",", "1000000000000000000", "."] {
                for changed in
                    [format!("{head}{piece}{tail}"), format!("{head}{piece}"), format!("{piece}{tail}")]
                {
                    let [fast, slow] = both_ways(changed.as_bytes(), 5);
                    assert_eq!(fast, slow, "{changed}");
                }
            }
        }
    }
    for width in [0, 4, 8, 11, usize::MAX / 8] {
        let [fast, slow] = both_ways(GOOD.as_bytes(), width);
        assert_eq!(fast, slow, "{width}");
    }
}
