//! A folder that may be a libtorch: `include/`, `lib/` with the libraries, and somewhere its version.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The library that makes a folder a libtorch.
pub(super) const LIBRARY: &str = "libtorch_cpu.so";

/// The version of the libtorch in `root`, such as `2.13.0+cpu`, where a file says it. torch-sys looks at the first of
/// these places only.
pub(super) fn version(root: &Path) -> Option<String> {
    let told = |version: &str| {
        let version = version.trim();
        (version.starts_with(|first: char| first.is_ascii_digit()) && version.len() < 64)
            .then(|| version.to_owned())
    };
    if let Some(version) = text(&root.join("build-version")).and_then(|text| told(text.lines().next()?)) {
        return Some(version);
    }
    // Python's package.
    let line =
        |text: String| text.lines().find_map(|line| line.strip_prefix("__version__ = ").map(str::to_owned));
    if let Some(line) = text(&root.join("version.py")).and_then(line) {
        return told(line.trim_matches(['\'', '"', ' ']));
    }
    // The numbers have moved between headers over the releases.
    let headers = ["torch/headeronly/version.h", "torch/version.h", "torch/csrc/api/include/torch/version.h"];
    headers.iter().find_map(|header| {
        let text = text(&root.join("include").join(header))?;
        let number = |part: &str| {
            let define = format!("#define TORCH_VERSION_{part} ");
            text.lines().find_map(|line| line.strip_prefix(&define)?.trim().parse::<u32>().ok())
        };
        Some(format!("{}.{}.{}", number("MAJOR")?, number("MINOR")?, number("PATCH")?))
    })
}

/// The beginning of a small file.
fn text(path: &Path) -> Option<String> {
    if !fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let mut text = String::new();
    File::open(path).ok()?.take(1 << 16).read_to_string(&mut text).ok()?;
    Some(text)
}

/// Whether the libraries lie in `root`.
pub(super) fn has_library(root: &Path) -> bool {
    root.join("lib").join(LIBRARY).is_file()
}

/// A libtorch near a folder that is none: above it, where `lib` itself was named, or in it.
pub(super) fn near(root: &Path) -> Option<PathBuf> {
    let above = root.parent().filter(|_| root.ends_with("lib")).map(Path::to_owned);
    above.into_iter().chain([root.join("libtorch"), root.join("torch")]).find(|near| has_library(near))
}

/// What is the matter with a folder as a libtorch to build with, in words that follow its name.
pub(super) fn fault(root: &Path, wanted: &str) -> Option<String> {
    fault_in(root, root, root, wanted)
}

/// [`fault`] of a folder whose `lib` and `include` are looked for in others (`LIBTORCH_LIB`, `LIBTORCH_INCLUDE`).
pub(super) fn fault_in(root: &Path, lib: &Path, include: &Path, wanted: &str) -> Option<String> {
    if !root.is_dir() {
        return Some("is no folder".to_owned());
    }
    if !lib.join("lib").is_dir() {
        return Some(
            "has no folder `lib`: libtorch's folder is the one that holds `include` and `lib`".to_owned(),
        );
    }
    if !has_library(lib) {
        return Some(format!("has no `lib/{LIBRARY}`"));
    }
    match version(root) {
        Some(found) if !matches(&found, wanted) => {
            Some(format!("is PyTorch {found}, but the trainer needs exactly {wanted}"))
        }
        _ if !include.join("include").is_dir() => Some("has no folder `include`".to_owned()),
        _ => None,
    }
}

/// Whether a version is the one wanted, built for whatever device.
pub(super) fn matches(found: &str, wanted: &str) -> bool {
    found.split('+').next() == Some(wanted)
}

/// The torch of a Python.
pub(super) struct PythonTorch {
    pub(super) version: String,
    /// Its folder, which holds `lib` and `include`.
    pub(super) root: PathBuf,
}

/// The Python that torch-sys asks.
pub(super) fn python() -> &'static str {
    if std::env::var_os("VIRTUAL_ENV").is_some() { "python" } else { "python3" }
}

/// Finds the torch of that Python without importing it.
///
/// # Errors
/// In words that follow the Python's name.
pub(super) fn python_torch() -> Result<PythonTorch, String> {
    const ASK: &str = "import importlib.metadata, importlib.util\n\
                       print(importlib.metadata.version('torch'))\n\
                       print(next(iter(importlib.util.find_spec('torch').submodule_search_locations)))";
    let told = Command::new(python())
        .args(["-c", ASK])
        .output()
        .map_err(|error| format!("cannot be run: {error}"))?;
    let text = String::from_utf8_lossy(&told.stdout).into_owned();
    match text.lines().collect::<Vec<_>>()[..] {
        [version, root] if told.status.success() => {
            Ok(PythonTorch { version: version.to_owned(), root: root.into() })
        }
        _ => Err("has no package torch".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_wherever_a_release_keeps_them() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        assert_eq!(version(root), None);
        let header = "// x\n#define TORCH_VERSION_MAJOR 2\n#define TORCH_VERSION_MINOR 4\n#define TORCH_VERSION_PATCH 1\n";
        fs::create_dir_all(root.join("include/torch/csrc/api/include/torch")).unwrap();
        fs::write(root.join("include/torch/csrc/api/include/torch/version.h"), header).unwrap();
        assert_eq!(version(root).as_deref(), Some("2.4.1"));
        fs::write(root.join("version.py"), "from typing import Optional\n__version__ = '2.13.0+cu130'\n")
            .unwrap();
        assert_eq!(version(root).as_deref(), Some("2.13.0+cu130"));
        fs::write(root.join("build-version"), "2.13.0+cpu\n").unwrap();
        assert_eq!(version(root).as_deref(), Some("2.13.0+cpu"));
        assert!(
            matches("2.13.0+cpu", "2.13.0") && matches("2.13.0", "2.13.0") && !matches("2.13.01", "2.13.0")
        );
    }

    #[test]
    fn a_folder_is_judged_and_a_better_one_near_it_found() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("libtorch");
        let judged = |words: &str| assert!(fault(&root, "2.13.0").unwrap().contains(words), "{words}");
        judged("no folder");
        fs::create_dir(&root).unwrap();
        judged("no folder `lib`");
        fs::create_dir(root.join("lib")).unwrap();
        judged("no `lib/libtorch_cpu.so`");
        assert_eq!(near(&root.join("lib")), None);
        fs::write(root.join("lib").join(LIBRARY), "").unwrap();
        judged("no folder `include`");
        fs::create_dir(root.join("include")).unwrap();
        assert_eq!(fault(&root, "2.13.0"), None);
        assert_eq!(near(&root.join("lib")).as_deref(), Some(&*root));
        assert_eq!(near(folder.path()).as_deref(), Some(&*root));
        fs::write(root.join("build-version"), "2.4.0+cpu").unwrap();
        judged("2.4.0+cpu, but the trainer needs exactly 2.13.0");
    }
}
