//! Shards put together are the dataset of one machine alone, or are refused with the reason.

mod support;

use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use giuthi_selfplay::merge::{MergeEvent, Merging, merge};
use giuthi_selfplay::verify::{Event, Thoroughly, verify};
use giuthi_selfplay::{Format, Level, Manifest, Settings, Shard};
use support::{files, make, settings};
use tempfile::{TempDir, tempdir};

/// The finished shards of a dataset.
fn shards(settings: &Settings, count: u32) -> Vec<TempDir> {
    let shard = |index| {
        let dir = tempdir().unwrap();
        make(&Settings { shard: Shard::new(index, count).unwrap(), ..settings.clone() }, dir.path(), 1);
        dir
    };
    (0..count).map(shard).collect()
}

fn paths(dirs: &[TempDir]) -> Vec<PathBuf> {
    dirs.iter().map(|dir| dir.path().to_owned()).collect()
}

fn put_together(dirs: &[PathBuf], out: &Path, merging: Merging) -> Result<u64, String> {
    let mut merged = 0;
    let threads = NonZeroUsize::new(2).unwrap();
    let report = merge(dirs, out, merging, threads, |event| merged += u64::from(event == MergeEvent::Merged));
    report.map_err(|error| error.to_string()).map(|report| {
        assert_eq!(report.manifest.games, report.summary.games());
        merged
    })
}

const PLAIN: Merging = Merging { link: false, verify: false };

#[test]
fn shards_together_are_the_bytes_of_one_machine() {
    for format in [Format::Plain, Format::Zstd(Level::default())] {
        let settings = Settings { format, ..settings("2x5x4", "greedy", 75, 10) };
        let whole = tempdir().unwrap();
        make(&settings, whole.path(), 2);
        for count in [1, 2, 3, 9] {
            let shards = shards(&settings, count);
            let before: Vec<_> = shards.iter().map(|dir| files(dir.path())).collect();
            let mut dirs = paths(&shards);
            dirs.reverse();
            for merging in [PLAIN, Merging { verify: true, ..PLAIN }, Merging { link: true, verify: false }] {
                let out = tempdir().unwrap();
                assert_eq!(put_together(&dirs, out.path(), merging), Ok(8), "{count} {merging:?}");
                assert!(files(out.path()) == files(whole.path()), "{count} {merging:?}");
                // Once more there is nothing to do.
                assert_eq!(put_together(&dirs, out.path(), merging), Ok(8));
                // The undivided run takes it for its own.
                assert_eq!(make(&settings, out.path(), 1).played, 0);
            }
            assert!(shards.iter().zip(&before).all(|(dir, before)| files(dir.path()) == *before));
        }
    }
}

#[test]
fn a_merge_that_was_broken_off_goes_on() {
    let settings = settings("2x5x4", "greedy", 40, 10);
    let shards = shards(&settings, 2);
    let out = tempdir().unwrap();
    put_together(&paths(&shards), out.path(), PLAIN).unwrap();
    let whole = files(out.path());
    fs::remove_file(out.path().join("manifest.json")).unwrap();
    fs::remove_file(out.path().join("part-00002.csv")).unwrap();
    fs::write(out.path().join(".part-00002.csv.17.tmp"), "half").unwrap();
    put_together(&paths(&shards), out.path(), PLAIN).unwrap();
    assert!(files(out.path()) == whole);
    // What stands in the way and is not the shard's is not overwritten.
    fs::write(out.path().join("part-00002.csv"), "mine").unwrap();
    let said = put_together(&paths(&shards), out.path(), PLAIN).unwrap_err();
    assert!(said.contains("part-00002.csv: its SHA-256"), "{said}");
    assert_eq!(fs::read(out.path().join("part-00002.csv")).unwrap(), b"mine");
}

#[test]
fn shards_that_do_not_fit_are_refused() {
    let first = settings("2x5x4", "greedy", 70, 10);
    let three = shards(&first, 3);
    let dirs = paths(&three);
    let refused = |dirs: &[PathBuf], words: &[&str]| {
        let out = tempdir().unwrap();
        let said = put_together(dirs, &out.path().join("new"), PLAIN).unwrap_err();
        assert_eq!(said.lines().count(), 1, "{said}");
        assert!(words.iter().all(|word| said.contains(word)), "{said}");
        assert!(!out.path().join("new").exists(), "a refused merge makes nothing");
    };
    refused(&[], &["no folders"]);
    refused(&dirs[..1], &["4 of 7 parts are missing: shard 1/3, shard 2/3"]);
    refused(&[dirs[0].clone(), dirs[2].clone()], &["2 of 7 parts are missing: shard 1/3"]);
    let twice = [dirs.clone(), vec![dirs[1].clone()]].concat();
    refused(&twice, &["part-00001.csv", dirs[1].to_str().unwrap(), "each shard once"]);
    // Two divisions of one dataset can overlap, or together be all of it.
    let two = shards(&first, 2);
    refused(&[dirs[0].clone(), two[1].path().to_owned()], &["part-00003.csv"]);
    let sixth = |index| {
        let dir = tempdir().unwrap();
        make(&Settings { shard: Shard::new(index, 6).unwrap(), ..first.clone() }, dir.path(), 1);
        dir
    };
    let sixths = [sixth(1), sixth(4)];
    let mixed = [dirs[0].clone(), dirs[2].clone(), sixths[0].path().to_owned(), sixths[1].path().to_owned()];
    refused(&mixed[..3], &["1 of 7 parts are missing: part-00004.csv"]);
    let out = tempdir().unwrap();
    assert_eq!(put_together(&mixed, out.path(), PLAIN), Ok(7));
    // Another dataset.
    let other = shards(&Settings { seed: 8, ..first.clone() }, 3);
    let words = ["a shard of another dataset than", "--seed 8, not 7"];
    refused(&[dirs[0].clone(), dirs[1].clone(), other[2].path().to_owned()], &words);
    // Not finished, changed, gone.
    let manifest = dirs[1].join("manifest.json");
    let kept = fs::read(&manifest).unwrap();
    fs::remove_file(&manifest).unwrap();
    refused(&dirs, &[manifest.to_str().unwrap(), "its run is not finished"]);
    fs::write(&manifest, kept).unwrap();
    let path = dirs[1].join("part-00001.csv");
    let text = fs::read_to_string(&path).unwrap();
    let part = |change: &dyn Fn(), words: &[&str]| {
        change();
        for merging in [PLAIN, Merging { link: true, verify: false }, Merging { verify: true, link: false }] {
            let out = tempdir().unwrap();
            let said = put_together(&dirs, out.path(), merging).unwrap_err();
            assert!(words.iter().all(|word| said.contains(word)), "{said}");
            assert!(said.contains(path.to_str().unwrap()), "{said}");
            assert!(
                !out.path().join("manifest.json").exists() && !out.path().join("part-00001.csv").exists()
            );
        }
    };
    part(&|| fs::write(&path, text.replacen(",random,", ",search,", 1)).unwrap(), &["SHA-256"]);
    part(&|| fs::remove_file(&path).unwrap(), &["cannot be read"]);
}

/// Counts that are not those of a part are the manifest's fault: nobody is told to remove the part.
#[test]
fn wrong_counts_are_told_of_the_manifest() {
    let settings = settings("2x5x4", "greedy", 40, 10);
    let shards = shards(&settings, 2);
    let dirs = paths(&shards);
    let mut manifest = Manifest::load(&dirs[1]).unwrap();
    let rows = manifest.parts[0].rows;
    manifest.parts[0].rows += 5;
    manifest.rows += 5;
    manifest.save(&dirs[1]).unwrap();
    for verify in [false, true] {
        let out = tempdir().unwrap();
        let said = put_together(&dirs, out.path(), Merging { verify, ..PLAIN }).unwrap_err();
        let wanted = format!(
            "{}: not a manifest: part `part-00001.csv` has 10 games and {rows} rows, but it says 10 and {}",
            dirs[1].join("manifest.json").display(),
            rows + 5
        );
        assert_eq!(said, wanted);
        assert!(!out.path().join("part-00001.csv").exists());
    }
}

/// Manifests that all tell the same wrong variant: the parts know better, whether games are replayed or not.
#[test]
fn the_variant_is_that_of_the_parts() {
    for format in [Format::Plain, Format::Zstd(Level::default())] {
        let settings = Settings { format, ..settings("2x5x4", "greedy", 40, 10) };
        let shards = shards(&settings, 2);
        let dirs = paths(&shards);
        for (variant, words) in [
            ("2x6x4", "line 1: not the header of a dataset of 2x6x4"),
            ("2x5x6", "line 2: column `p0`: by its moves the game is here at 6,6,6,6,6 6,6,6,6,6 0 0 0"),
        ] {
            for dir in &dirs {
                let mut manifest = Manifest::load(dir).unwrap();
                manifest.run.variant = variant.parse().unwrap();
                manifest.save(dir).unwrap();
            }
            for merging in [PLAIN, Merging { link: true, verify: false }] {
                let out = tempdir().unwrap();
                let said = put_together(&dirs, &out.path().join("new"), merging).unwrap_err();
                let start = format!(
                    "{}: not a manifest: by it the variant is {variant}",
                    dirs[0].join("manifest.json").display()
                );
                assert!(said.starts_with(&start) && said.contains(words), "{said}");
                assert!(!out.path().join("new").exists(), "a refused merge makes nothing");
            }
            let out = tempdir().unwrap();
            assert!(put_together(&dirs, out.path(), Merging { verify: true, ..PLAIN }).is_err());
        }
    }
}

/// A part whose games are no games, with a manifest that fits: only --verify can know.
#[test]
fn verify_replays_every_game() {
    use sha2::{Digest, Sha256};
    let settings = settings("2x5x4", "greedy", 20, 10);
    let shards = shards(&settings, 2);
    let dirs = paths(&shards);
    let path = dirs[0].join("part-00000.csv");
    let text = fs::read_to_string(&path).unwrap();
    let changed = text.replacen(",6,4,", ",7,3,", 1);
    let changed = if changed == text { text.replacen("4,4,4,4,4,4,4", "4,4,5,3,4,4,4", 1) } else { changed };
    assert_ne!(changed, text);
    fs::write(&path, &changed).unwrap();
    let hex = |text: &str| Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let manifest = dirs[0].join("manifest.json");
    let told = fs::read_to_string(&manifest).unwrap();
    assert!(told.contains(&hex(&text)));
    fs::write(&manifest, told.replace(&hex(&text), &hex(&changed))).unwrap();
    let out = tempdir().unwrap();
    assert!(put_together(&dirs, &out.path().join("plain"), PLAIN).is_ok());
    let said =
        put_together(&dirs, &out.path().join("verified"), Merging { verify: true, ..PLAIN }).unwrap_err();
    assert!(said.contains("part-00000.csv, line "), "{said}");
    // The same place and the same words as `verify`.
    let mut told = Vec::new();
    verify(&dirs[0], NonZeroUsize::MIN, 9, &Thoroughly::default(), |event| {
        if let Event::Fault(fault) = event {
            told.push(fault.to_string());
        }
    })
    .unwrap();
    assert!(said.starts_with(&told[0]), "{said}: {told:?}");
}
