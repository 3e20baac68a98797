//! `giuthi selfplay`, `train`, `eval`: stand-ins for the programs they run are links to the shell.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use predicates::prelude::*;
use tempfile::TempDir;

use super::one_line;

const SIBLINGS: [&str; 3] = ["selfplay", "train", "eval"];
/// For a shell: its name, then each of the arguments in brackets; exit code 7.
const TELL: &str = r#"printf '%s' "$0"; printf '[%s]' "$@"; exit 7"#;

fn folder() -> TempDir {
    // On the disk of the build, so that the program can be linked into it.
    TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

/// The program under a name of its own in `folder`, with nothing on its path.
fn alone(folder: &Path) -> (PathBuf, Command) {
    let path = folder.join("giuthi");
    fs::hard_link(env!("CARGO_BIN_EXE_giuthi"), &path).unwrap();
    let mut command = Command::new(&path);
    command.env("PATH", "");
    (path, command)
}

#[test]
fn a_missing_sibling_is_one_line_that_says_how_to_build_it() {
    let folder = folder();
    // Neither a folder nor a file that may not be run is a program.
    fs::create_dir(folder.path().join("giuthi-train")).unwrap();
    fs::write(folder.path().join("giuthi-eval"), "").unwrap();
    let (path, _) = alone(folder.path());
    for (name, build) in [
        ("selfplay", "`cargo build --release -p giuthi-selfplay`"),
        ("train", "libtorch"),
        ("train", "`make build`"),
        ("eval", "`cargo build --release -p giuthi-eval`"),
    ] {
        for arguments in [vec![name], vec![name, "--help"], vec!["help", name]] {
            let mut command = Command::new(&path);
            command.env("PATH", "").args(arguments).assert().code(1).stdout("").stderr(one_line(build));
        }
    }
}

#[test]
fn a_sibling_beside_the_program_gets_everything_untouched() {
    for name in SIBLINGS {
        let folder = folder();
        let (_, mut command) = alone(folder.path());
        symlink("/bin/sh", folder.path().join(format!("giuthi-{name}"))).unwrap();
        let odd = OsStr::from_bytes(b"not \xff UTF-8");
        let arguments =
            ["-c", TELL, "zero", "--help", "--", "-V", "", "a b", "--", "--variant=x"].map(OsStr::new);
        let mut wanted = b"zero[--help][--][-V][][a b][--][--variant=x][".to_vec();
        wanted.extend_from_slice(odd.as_bytes());
        wanted.push(b']');
        command.arg(name).args(arguments).arg(odd);
        command.assert().code(7).stdout(predicate::eq(wanted)).stderr("");
    }
}

#[test]
fn its_input_and_output_are_the_program_s_own() {
    let folder = folder();
    let (_, mut command) = alone(folder.path());
    symlink("/bin/sh", folder.path().join("giuthi-eval")).unwrap();
    let script = "read line; echo \"out $line\"; echo err >&2";
    command.args(["eval", "-c", script]).write_stdin("in\n");
    command.assert().success().stdout("out in\n").stderr("err\n");
}

#[test]
fn beside_comes_before_the_path_and_the_path_before_nothing() {
    let (home, first, second) = (folder(), folder(), folder());
    let (path, _) = alone(home.path());
    let search = std::env::join_paths([Path::new(""), first.path(), second.path()]).unwrap();
    let says = |wanted: &str| {
        let mut command = Command::new(&path);
        command.env("PATH", &search).args(["selfplay", "-c", "echo $0"]);
        // `sh -c` without further arguments takes its own name for $0: the path it was started under.
        command.assert().success().stdout(format!("{wanted}\n"));
    };
    for folder in [&second, &first, &home] {
        let sibling = folder.path().join("giuthi-selfplay");
        symlink("/bin/sh", &sibling).unwrap();
        says(sibling.to_str().unwrap());
    }
}

#[test]
fn a_link_to_the_program_finds_what_stands_beside_the_program() {
    let (home, elsewhere) = (folder(), folder());
    let (path, _) = alone(home.path());
    symlink("/bin/sh", home.path().join("giuthi-eval")).unwrap();
    let link = elsewhere.path().join("giuthi");
    symlink(path, &link).unwrap();
    Command::new(link).env("PATH", "").args(["eval", "-c", "exit 5"]).assert().code(5);
}

#[test]
fn a_sibling_that_cannot_run_is_an_error_with_its_path() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder();
    let (_, mut command) = alone(folder.path());
    let sibling = folder.path().join("giuthi-eval");
    fs::write(&sibling, "#!/no/such/interpreter\n").unwrap();
    fs::set_permissions(&sibling, fs::Permissions::from_mode(0o755)).unwrap();
    let says = format!("cannot run {}", sibling.display());
    command.arg("eval").assert().code(1).stdout("").stderr(one_line(&says));
}

#[test]
fn help_of_a_sibling_is_its_own() {
    let folder = folder();
    let (_, mut command) = alone(folder.path());
    symlink("/bin/sh", folder.path().join("giuthi-train")).unwrap();
    // A shell knows no --help of ours: that it was asked at all is what counts.
    let direct = Command::new("/bin/sh").arg("--help").output().unwrap();
    command.args(["help", "train"]);
    command.assert().code(direct.status.code().unwrap()).stdout(direct.stdout);
}
