//! Files that a killed process left half written.

/// The name of the file that a name of [`write_whole`](giuthi_engine::files::write_whole)'s stands for while that file is
/// not yet whole; `None` for every other name.
#[must_use]
pub fn stands_for(name: &str) -> Option<&str> {
    let (name, process) = name.strip_prefix('.')?.strip_suffix(".tmp")?.rsplit_once('.')?;
    (!name.is_empty() && process.parse::<u32>().is_ok()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_a_process_behind_it_stands_for_a_file() {
        assert_eq!(stands_for(".net.safetensors.4711.tmp"), Some("net.safetensors"));
        for other in
            ["net.safetensors", ".net.safetensors.tmp", ".4711.tmp", "net.json.4711.tmp", ".net.json.4711"]
        {
            assert_eq!(stands_for(other), None, "{other}");
        }
    }
}
