//! Ctrl-C and a request to end: the part in hand is finished first; asked again, the program ends at once.

use std::sync::Arc;

use crate::Watch;

/// Has the run stopped after the part in hand by Ctrl-C or SIGTERM, and the program ended by a second one.
#[cfg(unix)]
pub(super) fn on_signals(watch: &Arc<Watch>) -> anyhow::Result<()> {
    use anyhow::Context;
    use giuthi_engine::cli::tell;
    use signal_hook::consts::{SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;

    let mut signals = Signals::new([SIGINT, SIGTERM]).context("cannot listen to signals")?;
    let watch = Arc::clone(watch);
    // It ends with the program.
    std::thread::spawn(move || {
        for signal in signals.forever() {
            if watch.is_stopped() {
                // What is whole is on the disk; the rest is cleaned away by the next run.
                let _ = emulate_default_handler(signal);
            } else {
                watch.stop();
                tell("stopping after the part in hand; to stop at once, ask again (Ctrl-C)");
            }
        }
    });
    Ok(())
}

/// Elsewhere the system ends the program, and the same run goes on from the last whole part.
#[cfg(not(unix))]
pub(super) fn on_signals(_watch: &Arc<Watch>) -> anyhow::Result<()> {
    Ok(())
}

/// The command line that the program was called with, for a shell.
pub(super) fn command_line() -> String {
    let words = std::env::args_os().skip(1).map(|word| quoted(&word.to_string_lossy()));
    std::iter::once("giuthi selfplay".to_owned()).chain(words).collect::<Vec<_>>().join(" ")
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
        assert_eq!(quoted("--agent"), "--agent");
        assert_eq!(quoted("ab:depth=3,net=a/b.safetensors"), "ab:depth=3,net=a/b.safetensors");
        assert_eq!(quoted("my games"), "'my games'");
        assert_eq!(quoted(""), "''");
        assert_eq!(quoted("it's"), "'it'\\''s'");
    }
}
