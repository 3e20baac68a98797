//! How fast rows are read, each way beside the others in one run: ratios compare machines, seconds do not. Not run
//! unless asked for, and it asserts nothing about time:
//!
//! ```sh
//! cargo test --release -p giuthi-engine --test reading -- --ignored --nocapture
//! ```

use std::io::Write as _;
use std::time::Instant;

use csv::{ByteRecord, ReaderBuilder, StringRecord};
use giuthi_engine::rng::{game_rng, random_move};
use giuthi_engine::sample::{Note, columns, label};
use giuthi_engine::{Game, Move, Sample, Source, Variant};
use rand::RngExt;

/// The header and so many rows of random games of `2x8x8`, nearly all with a value.
fn text(rows: usize) -> Vec<u8> {
    let variant = Variant::default();
    let mut lines = vec![columns(variant.width()).join(",")];
    let mut rng = game_rng(1, 0);
    for number in 0.. {
        let mut game = Game::new(variant);
        let mut notes = Vec::new();
        while game.ending().is_none() {
            let mv = random_move(game.position(), &mut rng).expect("the game goes on");
            let value = notes.get(4).map(|_| rng.random_range(-1.0..=1.0));
            let source = if value.is_some() { Source::Search } else { Source::Random };
            notes.push(match mv {
                Move::Pass => Note { source: Source::Forced, value: None },
                Move::Sow { .. } => Note { source, value },
            });
            game.play(mv).expect("a listed move is legal");
        }
        for sample in label(number, &game, &notes).expect("the game is over") {
            let mut record = StringRecord::new();
            sample.write(&mut record);
            lines.push(record.iter().collect::<Vec<_>>().join(","));
            if lines.len() > rows {
                return (lines.join("\n") + "\n").into_bytes();
            }
        }
    }
    unreachable!("there is always another game")
}

/// A row as serde has it: fields in their types, nothing checked.
type Fields<'a> = (u64, u32, u8, [u8; 16], [u8; 2], &'a str, &'a str, Option<f32>, i8, i16, &'a str);

#[test]
#[ignore = "a benchmark: it takes a while and tells no right from wrong"]
fn rows_a_second() {
    let rows = 50_000;
    let text = text(rows);
    let reader = || ReaderBuilder::new().quoting(false).flexible(true).from_reader(&text[..]);
    // Every way sums up the results, so that all have to read them.
    let serde = || {
        let mut reader = reader();
        let mut record = StringRecord::new();
        let mut sum = 0;
        while reader.read_record(&mut record).expect("text") {
            let fields: Fields<'_> = record.deserialize(None).expect("a row");
            sum += i64::from(fields.8);
        }
        sum
    };
    let bytes = || {
        let mut reader = reader();
        let mut record = ByteRecord::new();
        let mut sum = 0;
        while reader.read_byte_record(&mut record).expect("text") {
            sum += match &record[24] {
                b"1" => 1,
                b"-1" => -1,
                _ => 0,
            };
        }
        sum
    };
    let record = || {
        let mut reader = reader();
        let mut record = StringRecord::new();
        let mut sum = 0;
        while reader.read_record(&mut record).expect("text") {
            sum += i64::from(Sample::read(&record, 8).expect("a row").result);
        }
        sum
    };
    let scan = || {
        let mut ends = memchr::memchr_iter(b'\n', &text);
        let mut start = ends.next().expect("a header") + 1;
        let mut sum = 0;
        for end in ends {
            sum += i64::from(Sample::scan(&text[start..end], 8).expect("a row").result);
            start = end + 1;
        }
        sum
    };
    let ways: [(&str, &dyn Fn() -> i64); 4] = [
        ("csv and serde, nothing checked", &serde),
        ("csv's ByteRecord, nothing parsed", &bytes),
        ("csv and Sample::read", &record),
        ("Sample::scan", &scan),
    ];
    let sum = serde();
    let mut fastest = [f64::INFINITY; 4];
    for _ in 0..40 {
        for (&(name, way), fastest) in ways.iter().zip(&mut fastest) {
            let started = Instant::now();
            let found = way();
            *fastest = fastest.min(started.elapsed().as_secs_f64());
            assert_eq!(found, sum, "{name}");
        }
    }
    for ((name, _), seconds) in ways.iter().zip(fastest) {
        let line = format!(
            "{name}: {:.2} M rows/s, {:.2} times serde\n",
            rows as f64 / seconds / 1e6,
            fastest[0] / seconds
        );
        std::io::stderr().write_all(line.as_bytes()).expect("stderr takes it");
    }
}
