//! How much memory and disk there is.

use std::fs;

/// Bytes of memory that a program can take now, as far as the system tells: what is free or can be freed, and what the
/// limits of its control group leave.
pub(super) fn available() -> Option<u64> {
    let group = || {
        let most = number(&fs::read_to_string("/sys/fs/cgroup/memory.max").ok()?)?;
        let used = number(&fs::read_to_string("/sys/fs/cgroup/memory.current").ok()?)?;
        Some(most.saturating_sub(used))
    };
    let free = fs::read_to_string("/proc/meminfo").ok().as_deref().and_then(free);
    free.into_iter().chain(group()).min()
}

/// What `/proc/meminfo` says is available.
fn free(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    Some(number(line.trim().strip_suffix("kB")?)? << 10)
}

fn number(text: &str) -> Option<u64> {
    text.trim().parse().ok()
}

/// A number of bytes in words: `512 kB`, `12 MB`, `1.7 GB`.
pub(super) fn bytes(bytes: u64) -> String {
    match bytes {
        0..1_000_000 => format!("{} kB", bytes.div_ceil(1000)),
        1_000_000..1_000_000_000 => format!("{} MB", bytes.div_ceil(1_000_000)),
        _ => format!("{:.1} GB", (bytes as f64 / 1e8).ceil() / 10.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_available_is_read_in_kibibytes() {
        let text = "MemTotal:       24631748 kB\nMemFree:          700000 kB\nMemAvailable:   23000000 kB\n";
        assert_eq!(free(text), Some(23_000_000 << 10));
        assert_eq!(free("MemFree: 1 kB\n"), None);
    }

    #[test]
    fn bytes_are_told_in_words() {
        assert_eq!(bytes(1), "1 kB");
        assert_eq!(bytes(34_000_001), "35 MB");
        assert_eq!(bytes(1_650_000_000), "1.7 GB");
    }
}
