//! Ctrl-C and a request to end: the games in hand are finished first; asked again, the program ends at once.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Has the tournament stopped after the games in hand by Ctrl-C or SIGTERM, and the program ended by a second one.
#[cfg(unix)]
pub(super) fn on_signals(stop: &Arc<AtomicBool>) -> anyhow::Result<()> {
    use std::sync::atomic::Ordering;

    use anyhow::Context;
    use giuthi_engine::cli::tell;
    use signal_hook::consts::{SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;

    let mut signals = Signals::new([SIGINT, SIGTERM]).context("cannot listen to signals")?;
    let stop = Arc::clone(stop);
    // It ends with the program.
    std::thread::spawn(move || {
        for signal in signals.forever() {
            if stop.swap(true, Ordering::Relaxed) {
                // Finished pairs are in the file; external programs end with us.
                let _ = emulate_default_handler(signal);
            } else {
                tell("stopping after the games in hand; to stop at once, ask again (Ctrl-C)");
            }
        }
    });
    Ok(())
}

/// Elsewhere the system ends the program, and `--resume` goes on from the last whole pair.
#[cfg(not(unix))]
pub(super) fn on_signals(_stop: &Arc<AtomicBool>) -> anyhow::Result<()> {
    Ok(())
}

/// The command line that goes on with what the program was called for, for a shell.
pub(super) fn command_line() -> String {
    let mut words: Vec<String> =
        std::env::args_os().skip(1).map(|word| quoted(&word.to_string_lossy())).collect();
    if !words.iter().any(|word| word == "--resume") {
        words.push("--resume".to_owned());
    }
    format!("giuthi eval {}", words.join(" "))
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@%+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_would_take_them_apart() {
        for (word, text) in [
            ("ab:depth=3,net=a/b.safetensors", "ab:depth=3,net=a/b.safetensors"),
            ("cmd:python3 a.py", "'cmd:python3 a.py'"),
            ("", "''"),
            ("it's", "'it'\\''s'"),
        ] {
            assert_eq!(quoted(word), text);
        }
    }
}
