//! Long random trials: texts and files, sessions of the engine protocol, games. Not run unless asked for:
//!
//! ```sh
//! GIUTHI_FUZZ_SECONDS=600 GIUTHI_FUZZ_SEED=2 cargo test --release -p giuthi-engine --test fuzz -- --ignored
//! ```
//!
//! Each case depends on the seed and on its own number alone; one that fails says how to try it again by itself.

mod mutation;
#[path = "../networks/mod.rs"]
mod networks;
mod play;
#[path = "../positions/mod.rs"]
mod positions;
#[path = "../reference/mod.rs"]
mod reference;
mod rows;
mod session;
mod text;
#[path = "../twin/mod.rs"]
mod twin;

use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use giuthi_engine::rng::game_rng;
use rand_chacha::ChaCha8Rng;

/// Longest wait for an engine, and for a case before it is told of.
const PATIENCE: Duration = Duration::from_secs(60);

/// A number from the environment.
fn asked(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name}: `{text}` is no whole number")))
}

/// Tells on stderr at once, whether the test passes or not.
fn tell(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// Tries cases of one kind: so many, or for so long.
fn fuzz(kind: &str, case: impl Fn(&mut ChaCha8Rng)) {
    let seed = asked("GIUTHI_FUZZ_SEED").unwrap_or(1);
    let first = asked("GIUTHI_FUZZ_FIRST").unwrap_or(0);
    let cases = asked("GIUTHI_FUZZ_CASES");
    let seconds = asked("GIUTHI_FUZZ_SECONDS").or(if cases.is_some() { None } else { Some(10) });
    let end = seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let at = AtomicU64::new(first);
    let again = |number: u64| {
        format!(
            "try it again with GIUTHI_FUZZ_SEED={seed} GIUTHI_FUZZ_FIRST={number} GIUTHI_FUZZ_CASES=1 \
             cargo test -p giuthi-engine --test fuzz -- --ignored {kind}"
        )
    };
    std::thread::scope(|scope| {
        let (over, watched) = mpsc::channel::<()>();
        let (at, again) = (&at, &again);
        scope.spawn(move || {
            let mut before = None;
            while watched.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                let now = at.load(Ordering::Relaxed);
                if before.replace(now) == Some(now) {
                    tell(&format!("{kind}: case {now} goes on and on; {}", again(now)));
                }
            }
        });
        let mut number = first;
        while cases.is_none_or(|cases| number - first < cases) && end.is_none_or(|end| Instant::now() < end) {
            at.store(number, Ordering::Relaxed);
            if catch_unwind(AssertUnwindSafe(|| case(&mut game_rng(seed, number)))).is_err() {
                panic!("{kind}: case {number} of seed {seed} failed; {}", again(number));
            }
            number += 1;
        }
        drop(over);
        tell(&format!("{kind}: {} cases of seed {seed}", number - first));
    });
}

/// A folder with the weights of a small network for each of some widths.
struct Weights {
    folder: tempfile::TempDir,
}

impl Weights {
    /// Boards with rows of other widths have none.
    const WIDTHS: [usize; 3] = [5, 8, 10];

    fn new() -> Weights {
        let weights = Weights { folder: tempfile::tempdir().expect("a temporary folder") };
        for width in Weights::WIDTHS {
            let network = networks::network(width, [4, 3], &mut game_rng(1, width as u64));
            network.save(&weights.path(width)).expect("written");
        }
        weights
    }

    fn path(&self, width: usize) -> PathBuf {
        self.folder.path().join(format!("{width}.safetensors"))
    }
}

#[test]
#[ignore = "runs for as long as it is asked to"]
fn texts_and_files() {
    let weights = Weights::new();
    fuzz("texts_and_files", |rng| text::case(&weights, rng));
}

#[test]
#[ignore = "runs for as long as it is asked to"]
fn sessions() {
    let weights = Weights::new();
    session::notice_panics();
    fuzz("sessions", |rng| session::case(&weights, rng));
}

#[test]
#[ignore = "runs for as long as it is asked to"]
fn games() {
    let weights = Weights::new();
    fuzz("games", |rng| play::case(&weights, rng));
}

#[test]
#[ignore = "runs for as long as it is asked to"]
fn rows_of_perpetuals() {
    fuzz("rows_of_perpetuals", rows::case);
}
