//! `giuthi selfplay`, `giuthi train`, `giuthi eval`: they run the programs `giuthi-selfplay` and so on, which stand
//! beside this one or on the path.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, anyhow};
use clap::Args;

use super::doctor;

/// Names of the programs, without the `giuthi-` before them.
const NAMES: [&str; 3] = ["selfplay", "train", "eval"];

/// Arguments of a sibling, none of our business.
#[derive(Args)]
pub(super) struct Arguments {
    /// Handed to the program as they are; --help lists its own
    #[arg(value_name = "ARGUMENTS")]
    arguments: Vec<OsString>,
}

/// The process's arguments with a `--` behind a sibling's name, so that the parser touches nothing that follows, not
/// even `--help` or another `--`. `help NAME` becomes `NAME --help`: the program knows its own help.
pub(super) fn shielded(arguments: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = arguments.into_iter().collect();
    let names_sibling =
        |at: usize| arguments.get(at).is_some_and(|argument| NAMES.iter().any(|n| argument == n));
    if names_sibling(1) {
        arguments.insert(2, "--".into());
    } else if arguments.len() == 3 && arguments[1] == "help" && names_sibling(2) {
        arguments.splice(1..2, []);
        arguments.extend(["--".into(), "--help".into()]);
    }
    arguments
}

/// Runs the sibling `giuthi-NAME` in this program's place and returns its exit code.
///
/// # Errors
/// When there is no such program, with how to build it; when it cannot be started; when the trainer lacks libtorch.
pub(super) fn run(name: &str, arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let path = find(name).ok_or_else(|| missing(name))?;
    if name == "train"
        && let Some(line) = doctor::refusal(&path)
    {
        return Err(anyhow!("giuthi-train cannot start: {line}; `giuthi train doctor` says how to mend it"));
    }
    become_program(Command::new(&path).args(&arguments.arguments))
        .with_context(|| format!("cannot run {}", path.display()))
}

#[cfg(unix)]
fn become_program(command: &mut Command) -> std::io::Result<ExitCode> {
    use std::os::unix::process::CommandExt;
    Err(command.exec())
}

#[cfg(not(unix))]
fn become_program(command: &mut Command) -> std::io::Result<ExitCode> {
    let code = command.status()?.code().and_then(|code| u8::try_from(code).ok());
    Ok(ExitCode::from(code.unwrap_or(1)))
}

/// The arguments of `giuthi train doctor`, which this program answers itself; `None` for any other command.
pub(super) fn doctor(name: &str, arguments: &Arguments) -> Option<Vec<OsString>> {
    let (first, rest) = arguments.arguments.split_first()?;
    let asked = name == "train" && first == "doctor";
    asked.then(|| std::iter::once("giuthi train doctor".into()).chain(rest.iter().cloned()).collect())
}

/// The sibling's path: beside this program, beside what a link to it leads to, or on the path.
pub(super) fn find(name: &str) -> Option<PathBuf> {
    let file = format!("giuthi-{name}{}", env::consts::EXE_SUFFIX);
    let own = env::current_exe().ok();
    let real = own.as_ref().and_then(|own| own.canonicalize().ok());
    let beside = [own, real].into_iter().flatten().filter_map(|own| own.parent().map(Path::to_owned));
    let path = env::var_os("PATH").unwrap_or_default();
    // An empty entry of the path means the working directory: nobody expects a program to be run from there.
    let on_path = env::split_paths(&path).filter(|folder| !folder.as_os_str().is_empty());
    beside.chain(on_path).map(|folder| folder.join(&file)).find(|path| is_program(path))
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

fn missing(name: &str) -> anyhow::Error {
    let build = match name {
        "train" => "`make build` builds it (it needs libtorch, and fetches it when it is missing)".to_owned(),
        name => format!("`cargo build --release -p giuthi-{name}` builds it"),
    };
    anyhow!("giuthi-{name} is neither beside this program nor on the PATH: {build}")
}
