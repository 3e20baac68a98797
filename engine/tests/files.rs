//! Files appear under their name only when they are whole.

use std::io::{self, Write};
use std::path::Path;

use giuthi_engine::files::{check_writable, write_whole};

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("a name")).collect()
}

#[test]
fn a_file_is_whole_or_not_there() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("file.txt");
    let fail = |text: &str| {
        let result = write_whole(&path, |writer| {
            writer.write_all(text.as_bytes())?;
            writer.flush()?;
            assert_ne!(names(folder.path()), ["file.txt"], "what is written goes elsewhere first");
            Err(io::Error::other("no more paper"))
        });
        assert_eq!(result.expect_err("as the writer said").to_string(), "no more paper");
    };
    fail("half");
    assert!(names(folder.path()).is_empty(), "{:?}", names(folder.path()));
    write_whole(&path, |writer| writer.write_all(b"whole")).expect("written");
    assert_eq!(names(folder.path()), ["file.txt"]);
    fail("half again");
    assert_eq!(names(folder.path()), ["file.txt"]);
    assert_eq!(
        std::fs::read(&path).expect("it is there"),
        b"whole",
        "the old file stays until a new one is whole"
    );
    write_whole(&path, |writer| writer.write_all(b"new")).expect("written");
    assert_eq!(std::fs::read(&path).expect("it is there"), b"new");
}

#[test]
fn a_path_that_names_no_file_is_an_error() {
    for path in ["/", "..", ""] {
        let result = write_whole(Path::new(path), |_| Ok::<(), io::Error>(()));
        assert!(result.is_err(), "`{path}`");
        assert!(check_writable(Path::new(path)).is_err(), "`{path}`");
    }
}

#[test]
fn whether_a_file_could_be_written_is_known_before() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("file.txt");
    check_writable(&path).expect("a new file");
    assert!(names(folder.path()).is_empty(), "nothing is left: {:?}", names(folder.path()));
    write_whole(&path, |writer| writer.write_all(b"old")).expect("written");
    check_writable(&path).expect("one in place of another");
    assert_eq!(std::fs::read(&path).expect("it is there"), b"old");
    assert_eq!(names(folder.path()), ["file.txt"]);
    for wrong in [folder.path().to_owned(), folder.path().join("no/file"), path.join("file")] {
        assert!(check_writable(&wrong).is_err(), "{}", wrong.display());
    }
}
