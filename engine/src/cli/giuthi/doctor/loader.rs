//! Whether the system's loader can start a program that needs shared libraries: it fails before `main`, with a line of
//! its own and no word of what to do.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The exit code of a program that the loader could not start.
pub(super) const NOT_STARTED: i32 = 127;

/// What the loader said of a program that it cannot start, on one line; `None` where it can, or where nobody knows.
///
/// Costs some hundredths of a second where all is well: the loader lists what it would load, and the program is not run.
pub(in super::super) fn refusal(program: &Path) -> Option<String> {
    let listed = Command::new(program)
        .env(LIST, "1")
        // With every symbol looked up, as at the start: a libtorch of another version has all files and other symbols.
        .envs([("LD_WARN", "yes"), ("LD_BIND_NOW", "yes")])
        .stdin(Stdio::null())
        .output();
    let listed = if cfg!(all(target_os = "linux", target_env = "gnu")) { listed.ok()? } else { return None };
    let text = [listed.stdout, listed.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    let suspicious = ["not found", "undefined symbol", "error while loading", "lookup error"];
    if listed.status.success() && !suspicious.iter().any(|words| text.contains(words)) {
        return None;
    }
    // The list complains of what may never matter: the program itself has the last word.
    let tried = Command::new(program).arg("--version").stdin(Stdio::null()).output().ok()?;
    complaint(tried.status.code(), &String::from_utf8_lossy(&tried.stderr))
}

/// Makes the GNU loader list the libraries of a program instead of running it, as `ldd` does.
const LIST: &str = "LD_TRACE_LOADED_OBJECTS";

/// The loader's own line among what a program wrote to stderr before it ended with an exit code, if it is one.
pub(super) fn complaint(code: Option<i32>, stderr: &str) -> Option<String> {
    let loaders = ["error while loading shared libraries", "symbol lookup error", "Library not loaded"];
    let line = stderr.lines().find(|line| loaders.iter().any(|words| line.contains(words)));
    match line {
        Some(line) => Some(line.trim().to_owned()),
        None if code == Some(NOT_STARTED) => {
            Some(stderr.lines().next().unwrap_or("exit code 127").trim().to_owned())
        }
        None => None,
    }
}

/// A library that a program asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Library {
    /// Its file name.
    pub(super) name: String,
    /// Where the loader finds it.
    pub(super) path: Option<PathBuf>,
}

/// The libraries that the loader would load for a program, by its own list.
pub(super) fn libraries(program: &Path) -> Vec<Library> {
    if !cfg!(all(target_os = "linux", target_env = "gnu")) {
        return Vec::new();
    }
    let listed = Command::new(program).env(LIST, "1").stdin(Stdio::null()).output();
    let text = listed.map(|listed| listed.stdout).unwrap_or_default();
    parse(&String::from_utf8_lossy(&text))
}

/// Lines such as `libc10.so => /a/lib/libc10.so (0x00007f…)` and `libc10.so => not found`.
fn parse(text: &str) -> Vec<Library> {
    let line = |line: &str| {
        let (name, found) = line.trim().split_once(" => ")?;
        let path = found.rsplit_once(" (0x").map(|(path, _)| path.into());
        Some(Library { name: name.to_owned(), path })
    };
    text.lines().filter_map(line).collect()
}

/// Whether a library is libtorch's own, or comes with it.
pub(super) fn is_torchs(name: &str) -> bool {
    let heads = ["libtorch", "libc10", "libgomp", "libcu", "libnv", "libshm"];
    heads.iter().any(|head| name.starts_with(head))
}

/// Folders of a path variable.
pub(super) fn folders(variable: &OsStr) -> Vec<PathBuf> {
    std::env::split_paths(variable).filter(|folder| !folder.as_os_str().is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loader_s_list_is_read() {
        let text = "\tlinux-vdso.so.1 (0x00007fca211ff000)\n\tlibc10.so => /a (b)/lib/libc10.so (0x00007fca210a8000)\n\
                    \tlibtorch_cpu.so => not found\n\t/lib64/ld-linux-x86-64.so.2 (0x00007fca21201000)\n";
        let library =
            |name: &str, path: Option<&str>| Library { name: name.to_owned(), path: path.map(Into::into) };
        let wanted = [library("libc10.so", Some("/a (b)/lib/libc10.so")), library("libtorch_cpu.so", None)];
        assert_eq!(parse(text), wanted);
        assert!(wanted.iter().all(|library| is_torchs(&library.name)) && !is_torchs("libm.so.6"));
    }

    #[test]
    fn only_the_loader_s_words_are_its_complaint() {
        let line =
            "giuthi-train: error while loading shared libraries: libc10.so: cannot open shared object file";
        assert_eq!(complaint(Some(127), &format!("{line}\n")).as_deref(), Some(line));
        assert_eq!(complaint(Some(1), "giuthi-train: no such folder"), None);
        assert_eq!(complaint(Some(127), ""), Some("exit code 127".to_owned()));
    }
}
