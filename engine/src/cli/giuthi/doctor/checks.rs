//! What is looked at, in order: the program, the libtorch it runs with, the variables that choose another, the copy
//! that the build fetches, and what libtorch can do here.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::folder::{self, LIBRARY};
use super::loader::{self, Library};
use super::{Check, Facts, LIBTORCH, Report, State, TCH, elf};

/// Looks at everything.
pub(super) fn examine(program: Option<&Path>) -> Report {
    let place = Place::find(program);
    let mut report = Report {
        program: program.map(|path| path.display().to_string()),
        libtorch: None,
        facts: None,
        checks: Vec::new(),
    };
    match program {
        None => report.checks.push(Check::fault(
            "giuthi-train",
            "is neither beside this program nor on the PATH",
            place.build(),
        )),
        Some(program) => trainer(program, &place, &mut report),
    }
    let using_python = env::var_os("LIBTORCH_USE_PYTORCH").is_some();
    report.checks.extend(python(using_python));
    report.checks.extend(libtorch_variable(&place, using_python));
    report.checks.extend(library_path());
    if env::var_os("LIBTORCH_BYPASS_VERSION_CHECK").is_some() {
        let says = format!(
            "is set: the build takes any version of libtorch, though only {LIBTORCH} is known to work"
        );
        report.checks.push(Check::new("LIBTORCH_BYPASS_VERSION_CHECK", State::Note, says));
    }
    report.checks.push(place.copy(using_python));
    if let Some(facts) = &report.facts {
        report.checks.extend(devices(facts));
    }
    report
}

/// Where things are.
struct Place {
    /// The checkout that the trainer was built in, or else the one that the user stands in.
    checkout: Option<PathBuf>,
    /// Where `scripts/libtorch.sh` keeps its copy.
    copy: Option<PathBuf>,
    /// The folder of the trainer, or where it should be: beside this program.
    programs: PathBuf,
}

impl Place {
    fn find(program: Option<&Path>) -> Place {
        let is_checkout = |folder: &&Path| {
            folder.join("scripts/libtorch.sh").is_file() && folder.join("train/build.rs").is_file()
        };
        let here = env::current_dir().ok();
        let own = env::current_exe().ok();
        let built = program.map(Path::to_owned).or(own).and_then(|program| program.canonicalize().ok());
        let folders = [&built, &here].into_iter().flatten();
        let checkout = folders.flat_map(|start| start.ancestors()).find(is_checkout).map(Path::to_owned);
        let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let cache = set("GIUTHI_CACHE")
            .or_else(|| Some(set("XDG_CACHE_HOME")?.join("giuthi")))
            .or_else(|| Some(set("HOME")?.join(".cache/giuthi")));
        let programs = built.as_deref().and_then(Path::parent).unwrap_or(Path::new(".")).to_owned();
        Place { checkout, programs, copy: cache.map(|cache| cache.join(format!("libtorch-{LIBTORCH}-cpu"))) }
    }

    /// `LIBTORCH`, unless it names the link to the fetched copy, as cargo has it (`.cargo/config.toml`).
    fn chosen(&self) -> Option<OsString> {
        let link = self.checkout.as_ref().map(|checkout| checkout.join(".libtorch"));
        env::var_os("LIBTORCH").filter(|value| link.is_none_or(|link| link != Path::new(value)))
    }

    /// What leaves another libtorch out of a build, if one is chosen.
    fn without_choices(&self) -> String {
        let python = env::var_os("LIBTORCH_USE_PYTORCH").map(|_| "-u LIBTORCH_USE_PYTORCH ");
        let folder = self.chosen().map(|_| "-u LIBTORCH ");
        let unset: String = python.into_iter().chain(folder).collect();
        if unset.is_empty() { unset } else { format!("env {unset}") }
    }

    /// The line that builds the trainer anew, with the copy of libtorch that is fetched, and puts it where it is.
    fn build(&self) -> String {
        let without = self.without_choices();
        let Some(checkout) = &self.checkout else {
            let programs = quoted(&self.programs);
            return format!("{without}make install BINDIR={programs}   # in a checkout of Giuthi");
        };
        let shown = quoted(checkout);
        match checkout.canonicalize().is_ok_and(|checkout| self.programs.starts_with(checkout)) {
            true if self.programs.ends_with("debug") => {
                format!("cd {shown} && {without}make libtorch && {without}cargo build -p giuthi-train")
            }
            true => format!("{without}make -C {shown} build"),
            false => format!("{without}make -C {shown} install BINDIR={}", quoted(&self.programs)),
        }
    }

    /// The line that fetches the copy of libtorch, or mends the link to it.
    fn fetch(&self) -> String {
        match &self.checkout {
            Some(checkout) => format!("{}make -C {} libtorch", self.without_choices(), quoted(checkout)),
            None => self.build(),
        }
    }

    /// The copy that the build fetches.
    fn copy(&self, using_python: bool) -> Check {
        let name = "fetched copy";
        let chosen = using_python || self.chosen().is_some();
        let link = self.checkout.as_ref().map(|checkout| checkout.join(".libtorch"));
        let Some(copy) = link.filter(|link| link.exists()).or_else(|| self.copy.clone()) else {
            return Check::new(
                name,
                State::Note,
                "none of GIUTHI_CACHE, XDG_CACHE_HOME and HOME says where it would be",
            );
        };
        let shown = copy.canonicalize().unwrap_or_else(|_| copy.clone());
        let shown = shown.display();
        match folder::fault(&copy, LIBTORCH) {
            None => Check::new(name, State::Well, format!("{shown}: {}", version_of(&copy))),
            Some(_) if !copy.exists() => {
                let when =
                    if chosen { "and not needed while another is chosen" } else { "`make build` fetches it" };
                Check::new(name, State::Note, format!("{shown} is not there, {when}"))
            }
            Some(fault) if chosen => {
                Check::new(name, State::Note, format!("{shown} {fault}; another is chosen"))
            }
            Some(fault) => Check::fault(name, format!("{shown} {fault}"), self.fetch()),
        }
    }
}

/// The program: whether it starts, and with which libtorch.
fn trainer(program: &Path, place: &Place, report: &mut Report) {
    let name = "giuthi-train";
    let shown = program.display();
    let told = Command::new(program).args(["doctor", "--json"]).stdin(Stdio::null()).output();
    let told = match told {
        Ok(told) => told,
        Err(error) => {
            report.checks.push(Check::fault(name, format!("{shown} cannot be run: {error}"), place.build()));
            return;
        }
    };
    let stderr = String::from_utf8_lossy(&told.stderr);
    if let Some(line) = loader::complaint(told.status.code(), &stderr) {
        not_started(program, &line, place, report);
        return;
    }
    let stdout = String::from_utf8_lossy(&told.stdout);
    let facts = stdout.lines().next().and_then(|line| serde_json::from_str::<Facts>(line).ok());
    let Some(facts) = facts.filter(|_| told.status.success()) else {
        let line =
            stderr.lines().next().map_or_else(|| told.status.to_string(), |line| line.trim().to_owned());
        let says = format!("{shown} starts, but cannot tell of its libtorch: {line}");
        report.checks.push(Check::fault(name, says, place.build()));
        return;
    };
    report.checks.push(Check::new(name, State::Well, format!("{shown} starts")));
    let file = facts.file.clone().map(PathBuf::from).or_else(|| found(&loader::libraries(program)));
    report.facts = Some(facts);
    let Some(root) = file.as_deref().and_then(root_of) else {
        report.checks.push(Check::new("libtorch", State::Note, "where it lies cannot be told here"));
        return;
    };
    let version = folder::version(&root);
    report.checks.push(match &version {
        Some(version) if folder::matches(version, LIBTORCH) => Check::new(
            "libtorch",
            State::Well,
            format!("{version} in {}, the version wanted", root.display()),
        ),
        Some(version) => Check::fault(
            "libtorch",
            format!(
                "{} is PyTorch {version}, but the trainer (tch {TCH}) needs exactly {LIBTORCH}",
                root.display()
            ),
            place.other_library(&root),
        ),
        None => {
            let says = format!("{}: no file says its version; {LIBTORCH} is wanted", root.display());
            Check::new("libtorch", State::Note, says)
        }
    });
    report.libtorch = Some((root.display().to_string(), version));
}

impl Place {
    /// The line that makes the trainer take another libtorch than the one in `root`.
    fn other_library(&self, root: &Path) -> String {
        let real = |path: &Path| path.canonicalize().ok();
        let lib = real(&root.join("lib"));
        let by_variable = env::var_os("LD_LIBRARY_PATH").is_some_and(|variable| {
            loader::folders(&variable)
                .iter()
                .any(|folder| real(folder).is_some_and(|folder| Some(folder) == lib))
        });
        if by_variable { "unset LD_LIBRARY_PATH".to_owned() } else { self.build() }
    }
}

/// The loader could not start the trainer: which libraries it lacks, and where it looks.
fn not_started(program: &Path, line: &str, place: &Place, report: &mut Report) {
    let name = "giuthi-train";
    let libraries = loader::libraries(program);
    let missing: Vec<&str> = libraries
        .iter()
        .filter(|library| library.path.is_none())
        .map(|library| library.name.as_str())
        .collect();
    let own = format!("{}: ", program.display());
    let says = format!("{} cannot start: {}", program.display(), line.replace(&own, ""));
    let foreign = missing.iter().find(|name| !loader::is_torchs(name));
    if let Some(foreign) = foreign {
        let mend = format!("the package of your system that holds {foreign}");
        report.checks.push(Check::fault(name, says, mend));
        return;
    }
    let looks = elf::run_path(program);
    let mend = match found(&libraries).as_deref().and_then(root_of) {
        // It is there, and does not fit.
        Some(root) => place.other_library(&root),
        // One that the loader cannot even open is not among them.
        None if folder_by_variable().is_some() => "unset LD_LIBRARY_PATH".to_owned(),
        None => place.mend_run_path(&looks),
    };
    report.checks.push(Check::fault(name, says, mend));
    if !missing.is_empty() {
        report.checks.push(Check::new("missing", State::Note, missing.join(", ")));
    }
    let folder = |folder: &PathBuf| {
        let what = match (folder.is_dir(), folder.join(LIBRARY).is_file()) {
            (false, _) => "is not there",
            (true, false) => "does not hold it",
            (true, true) => "holds it",
        };
        format!("{} ({what})", folder.display())
    };
    if !looks.is_empty() {
        let says = looks.iter().map(folder).collect::<Vec<_>>().join(", ");
        report.checks.push(Check::new("looks for libtorch in", State::Note, says));
    }
}

impl Place {
    /// The line that puts libtorch where the trainer looks for it, or makes it look where one is.
    fn mend_run_path(&self, looks: &[PathBuf]) -> String {
        // Where the checkout's link is among them, the link mended is enough.
        let link = self.checkout.as_ref().map(|checkout| checkout.join(".libtorch/lib"));
        let fetched = self.copy.as_ref().map(|copy| copy.join("lib"));
        if self.checkout.is_some()
            && looks.iter().any(|folder| Some(folder) == link.as_ref() || Some(folder) == fetched.as_ref())
        {
            return self.fetch();
        }
        match &self.copy {
            Some(copy) if self.checkout.is_none() && folder::fault(copy, LIBTORCH).is_none() => {
                format!("export LD_LIBRARY_PATH={}", quoted(&copy.join("lib")))
            }
            _ => self.build(),
        }
    }
}

/// The file of libtorch among the libraries.
fn found(libraries: &[Library]) -> Option<PathBuf> {
    libraries.iter().find(|library| library.name == LIBRARY).and_then(|library| library.path.clone())
}

/// The folder above `lib`.
fn root_of(library: &Path) -> Option<PathBuf> {
    library.parent().and_then(Path::parent).map(Path::to_owned)
}

fn version_of(root: &Path) -> String {
    folder::version(root).unwrap_or_else(|| "no file says its version".to_owned())
}

/// `LIBTORCH_USE_PYTORCH`, which chooses the torch of a Python to build with.
fn python(using_python: bool) -> Option<Check> {
    let name = "LIBTORCH_USE_PYTORCH";
    if !using_python {
        return None;
    }
    let python = folder::python();
    let mend = format!("{python} -m pip install torch=={LIBTORCH}   # or: unset {name}");
    Some(match folder::python_torch() {
        Err(fault) => Check::fault(name, format!("is set (0 counts as well), but '{python}' {fault}"), mend),
        Ok(torch) if !folder::matches(&torch.version, LIBTORCH) => {
            let found = torch.version;
            let says = format!(
                "the torch of '{python}' is PyTorch {found}, but the trainer (tch {TCH}) needs exactly {LIBTORCH}"
            );
            Check::fault(name, says, mend)
        }
        Ok(torch) if !folder::has_library(&torch.root) => {
            Check::fault(name, format!("{} has no `lib/{LIBRARY}`", torch.root.display()), mend)
        }
        Ok(torch) => Check::new(name, State::Well, format!("{}: {}", torch.root.display(), torch.version)),
    })
}

/// `LIBTORCH`, which names a folder to build with.
fn libtorch_variable(place: &Place, using_python: bool) -> Option<Check> {
    let name = "LIBTORCH";
    let value: OsString = place.chosen()?;
    if using_python {
        return Some(Check::new(name, State::Note, "is passed over, since LIBTORCH_USE_PYTORCH is set"));
    }
    let root = Path::new(&value);
    let shown = root.display();
    if value.is_empty() {
        return Some(Check::fault(name, "is set, and empty", format!("unset {name}")));
    }
    let part = |name: &str| env::var_os(name).map_or_else(|| root.to_owned(), PathBuf::from);
    let fault = folder::fault_in(root, &part("LIBTORCH_LIB"), &part("LIBTORCH_INCLUDE"), LIBTORCH);
    Some(match (fault, folder::near(root)) {
        (Some(fault), Some(near)) if folder::fault(&near, LIBTORCH).is_none() => {
            Check::fault(name, format!("{shown} {fault}"), format!("export {name}={}", quoted(&near)))
        }
        (Some(fault), _) => Check::fault(name, format!("{shown} {fault}"), format!("unset {name}")),
        (None, _) if root.is_relative() => {
            let real = root.canonicalize().unwrap_or_else(|_| root.to_owned());
            let says = format!("{shown} is seen from this folder, and the build runs in others");
            Check::fault(name, says, format!("export {name}={}", quoted(&real)))
        }
        (None, _) => Check::new(name, State::Well, format!("{shown}: {}", version_of(root))),
    })
}

/// The folder of `LD_LIBRARY_PATH` from which libtorch is taken, if one holds it.
fn folder_by_variable() -> Option<PathBuf> {
    let folders = loader::folders(&env::var_os("LD_LIBRARY_PATH")?);
    folders.into_iter().find(|folder| folder.join(LIBRARY).is_file())
}

/// `LD_LIBRARY_PATH`, which comes before what the trainer was built with.
fn library_path() -> Option<Check> {
    let name = "LD_LIBRARY_PATH";
    let folder = folder_by_variable()?;
    let root = folder.parent().unwrap_or(Path::new("/"));
    Some(match folder::version(root) {
        Some(version) if !folder::matches(&version, LIBTORCH) => Check::fault(
            name,
            format!(
                "{} holds PyTorch {version} and comes before all others; {LIBTORCH} is needed",
                folder.display()
            ),
            format!("unset {name}"),
        ),
        version => {
            let version = version.unwrap_or_else(|| "of a version that no file says".to_owned());
            Check::new(name, State::Note, format!("libtorch {version} is taken from {}", folder.display()))
        }
    })
}

/// What libtorch can do here.
fn devices(facts: &Facts) -> [Check; 2] {
    let card = Path::new("/proc/driver/nvidia/version").exists();
    let cuda = match facts.devices {
        0 if card => format!(
            "none, though there is an NVIDIA driver: for CUDA build with a CUDA libtorch {LIBTORCH} (LIBTORCH or LIBTORCH_USE_PYTORCH)"
        ),
        0 => "none: the trainer works on the CPU".to_owned(),
        1 => "one device".to_owned(),
        devices => format!("{devices} devices"),
    };
    let state = if facts.devices == 0 && card { State::Note } else { State::Well };
    let omp =
        env::var("OMP_NUM_THREADS").map_or_else(|_| String::new(), |set| format!(", OMP_NUM_THREADS={set}"));
    let threads = format!(
        "libtorch would take {} of {} processors{omp}; `--threads` says how many, 1 where nothing is said",
        facts.threads, facts.processors
    );
    [Check::new("CUDA", state, cuda), Check::new("threads", State::Well, threads)]
}

/// A path as a shell takes it.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-+".contains(letter);
    if text.chars().all(plain) { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
}
