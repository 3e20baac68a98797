//! Ctrl-C and a request to end: what is in hand is finished first; asked again, the program ends at once.

/// Has `stop` called at Ctrl-C or SIGTERM; it says whether it had been before, and then the program ends as by the signal.
/// `what` is what is finished first, in words.
///
/// # Errors
/// Where the system does not let signals be heard.
#[cfg(unix)]
pub fn on_signals(what: &'static str, stop: impl Fn() -> bool + Send + 'static) -> anyhow::Result<()> {
    use anyhow::Context;
    use signal_hook::consts::{SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;

    let mut signals = Signals::new([SIGINT, SIGTERM]).context("cannot listen to signals")?;
    // It ends with the program.
    std::thread::spawn(move || {
        for signal in signals.forever() {
            if stop() {
                // What is whole is on the disk; the rest is for the next run to clean away.
                let _ = emulate_default_handler(signal);
            } else {
                super::tell(format_args!("stopping after {what}; to stop at once, ask again (Ctrl-C)"));
            }
        }
    });
    Ok(())
}

/// Elsewhere the system ends the program, and the next run goes on from what is whole.
///
/// # Errors
/// None.
#[cfg(not(unix))]
pub fn on_signals(_what: &'static str, _stop: impl Fn() -> bool + Send + 'static) -> anyhow::Result<()> {
    Ok(())
}

/// The command line that the program was called with, for a shell, `program` in the place of its name; `flag` is added
/// where it was not given.
#[must_use]
pub fn command_line(program: &str, flag: Option<&str>) -> String {
    let mut words: Vec<String> =
        std::env::args_os().skip(1).map(|word| quoted(&word.to_string_lossy())).collect();
    words.extend(flag.filter(|flag| !words.iter().any(|word| word == flag)).map(str::to_owned));
    format!("{program} {}", words.join(" "))
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
