//! `giuthi train doctor`, in surroundings made for it: a trainer that is a script, a libtorch of empty files.

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;

/// A place outside any checkout: the program with a trainer beside it, and two libtorchs.
struct Surroundings {
    folder: TempDir,
    variables: Vec<(&'static str, PathBuf)>,
}

impl Surroundings {
    /// Where everything is well.
    fn new() -> Surroundings {
        let folder = tempfile::tempdir().unwrap();
        let surroundings = Surroundings { folder, variables: Vec::new() };
        fs::create_dir(surroundings.path("bin")).unwrap();
        surroundings.install(Path::new(env!("CARGO_BIN_EXE_giuthi")), "giuthi");
        surroundings.libtorch("good", "2.13.0+cpu");
        surroundings.libtorch("old", "2.4.0+cu121");
        surroundings.trainer("good");
        surroundings
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    fn libtorch(&self, name: &str, version: &str) {
        let root = self.path(name);
        fs::create_dir_all(root.join("lib")).unwrap();
        fs::create_dir_all(root.join("include")).unwrap();
        fs::write(root.join("lib/libtorch_cpu.so"), "").unwrap();
        fs::write(root.join("build-version"), version).unwrap();
    }

    /// Copies a file to where it is run from. Not by this process: a program that is still open for writing somewhere
    /// cannot be run, and children of other tests may have inherited what this process has open.
    fn install(&self, from: &Path, name: &str) {
        let to = self.path(name);
        assert!(
            std::process::Command::new("install")
                .args(["-m", "755"])
                .args([from, &to])
                .status()
                .unwrap()
                .success()
        );
    }

    fn program(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let draft = self.path("draft");
        fs::write(&draft, bytes).unwrap();
        self.install(&draft, name);
    }

    fn script(&self, name: &str, text: &str) {
        self.program(name, format!("#!/bin/sh\n{text}\n"));
    }

    /// A trainer that runs with a libtorch.
    fn trainer(&self, libtorch: &str) {
        let library = self.path(libtorch).join("lib/libtorch_cpu.so");
        let facts = format!(
            r#"{{"library":"{}","cuda":false,"devices":0,"threads":2,"processors":3}}"#,
            library.display()
        );
        self.script("giuthi-train", &format!("[ \"$*\" = 'doctor --json' ] && echo '{facts}'"));
    }

    /// A Python whose torch is of a version, or that has none.
    fn python(&self, name: &str, torch: Option<(&str, &str)>) {
        let text = match torch {
            Some((version, root)) => format!("echo {version}; echo '{}'", self.path(root).display()),
            None => "echo ModuleNotFoundError >&2; exit 1".to_owned(),
        };
        self.script(&format!("bin/{name}"), &text);
    }

    /// What builds the trainer where there is no checkout.
    fn install_line(&self) -> String {
        let folder = self.folder.path().canonicalize().unwrap();
        format!("make install BINDIR={}   # in a checkout of Giuthi", folder.display())
    }

    fn set(mut self, name: &'static str, value: impl AsRef<Path>) -> Surroundings {
        self.variables.push((name, value.as_ref().to_owned()));
        self
    }

    fn giuthi(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(self.path("giuthi"));
        command.current_dir(self.folder.path()).args(arguments);
        command.env_clear().env("PATH", self.path("bin")).env("HOME", self.path("home"));
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    /// That all is well, as the object of `--json`.
    #[track_caller]
    fn well(&self) -> Value {
        self.giuthi(&["train", "doctor"]).assert().code(0).stderr("");
        let output =
            self.giuthi(&["train", "doctor", "--json"]).assert().code(0).stderr("").get_output().clone();
        let object: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(object["well"], true, "{object}");
        object
    }

    /// That one check is at fault, says certain words and names the line that mends it; the object of `--json`.
    #[track_caller]
    fn fault(&self, check: &str, says: &[&str], mend: &str) -> Value {
        let text = self.giuthi(&["train", "doctor"]).assert().code(1).get_output().clone();
        let (shown, line) =
            (String::from_utf8(text.stdout).unwrap(), String::from_utf8(text.stderr).unwrap());
        assert!(line.starts_with("giuthi train doctor: ") && line.lines().count() == 1, "{line}");
        assert!(shown.contains("WRONG") && shown.contains(mend), "{shown}");
        let output = self.giuthi(&["train", "doctor", "--json"]).assert().code(1).get_output().clone();
        let object: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(object["well"], false, "{object}");
        let checks = object["checks"].as_array().unwrap();
        let faults: Vec<&Value> = checks.iter().filter(|check| check["state"] == "fault").collect();
        let [fault] = faults[..] else { panic!("{faults:?}") };
        assert_eq!(fault["check"], check, "{fault}");
        assert_eq!(fault["mend"], mend, "{fault}");
        for words in says {
            assert!(fault["says"].as_str().unwrap().contains(words), "{fault} does not say `{words}`");
            assert!(line.contains(words), "{line}");
        }
        assert!(line.contains(mend), "{line}");
        object
    }
}

#[test]
fn where_all_is_well_it_says_with_what() {
    let at = Surroundings::new();
    let object = at.well();
    assert_eq!(object["libtorch"]["version"], "2.13.0+cpu");
    assert_eq!(object["libtorch"]["path"], at.path("good").to_str().unwrap());
    assert_eq!(object["threads"], 2);
    assert_eq!(object["cuda"], false);
    let good = at.path("good");
    at.set("LIBTORCH", good).well();
    Surroundings::new().giuthi(&["train", "doctor", "--jsn"]).assert().code(2).stdout("");
}

/// The versions that it wants are those that the build has.
#[test]
fn it_wants_what_the_workspace_builds_with() {
    let object = Surroundings::new().well();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let script = fs::read_to_string(root.join("scripts/libtorch.sh")).unwrap();
    let wanted = object["wanted"]["libtorch"].as_str().unwrap();
    assert!(script.contains(&format!("\nversion={wanted}\n")), "{wanted}");
    let manifest = fs::read_to_string(root.join("Cargo.toml")).unwrap();
    let tch = object["wanted"]["tch"].as_str().unwrap();
    assert!(manifest.contains(&format!("\ntch = \"={tch}\"\n")), "{tch}");
}

#[test]
fn a_trainer_that_is_not_there() {
    let at = Surroundings::new();
    fs::remove_file(at.path("giuthi-train")).unwrap();
    at.fault("giuthi-train", &["neither beside"], &at.install_line());
    // In a checkout the line names it, and leaves out of the build what chooses another libtorch.
    for file in ["scripts/libtorch.sh", "train/build.rs"] {
        fs::create_dir_all(at.path(file).parent().unwrap()).unwrap();
        fs::write(at.path(file), "").unwrap();
    }
    let checkout = at.folder.path().canonicalize().unwrap();
    let make = format!("make -C {} build", checkout.display());
    at.fault("giuthi-train", &["neither beside"], &make);
    let good = at.path("good");
    let at = at.set("LIBTORCH", good);
    at.fault("giuthi-train", &[], &format!("env -u LIBTORCH {make}"));
    // A program that was installed elsewhere is installed there again, from the checkout that the user stands in.
    let elsewhere = Surroundings::new().set("GIUTHI_CACHE", "/none");
    fs::remove_file(elsewhere.path("giuthi-train")).unwrap();
    let mut command = elsewhere.giuthi(&["train", "doctor"]);
    let folder = elsewhere.folder.path().canonicalize().unwrap();
    let install = format!("make -C {} install BINDIR={}\n", checkout.display(), folder.display());
    command.current_dir(&checkout).assert().code(1).stderr(predicates::str::ends_with(install));
}

#[test]
fn a_trainer_of_another_kind() {
    let at = Surroundings::new();
    at.script("giuthi-train", "echo \"giuthi-train: unrecognized subcommand 'doctor'\" >&2; exit 2");
    at.fault("giuthi-train", &["cannot tell of its libtorch", "unrecognized subcommand"], &at.install_line());
    at.script("giuthi-train", "echo '{}'");
    at.fault("giuthi-train", &["cannot tell of its libtorch"], &at.install_line());
}

#[test]
fn a_trainer_with_another_libtorch() {
    let at = Surroundings::new();
    at.trainer("old");
    let both = ["2.4.0+cu121", "exactly 2.13.0"];
    at.fault("libtorch", &both, &at.install_line());
    // What comes first on the library path is the variable's fault, and no build's.
    let lib = at.path("old/lib");
    let at = at.set("LD_LIBRARY_PATH", lib);
    let output = at.giuthi(&["train", "doctor", "--json"]).assert().code(1).get_output().clone();
    let object: Value = serde_json::from_slice(&output.stdout).unwrap();
    let faults = object["checks"].as_array().unwrap().iter().filter(|check| check["state"] == "fault");
    let mends: Vec<_> =
        faults.map(|check| (check["check"].as_str().unwrap(), check["mend"].as_str().unwrap())).collect();
    assert_eq!(mends, [("libtorch", "unset LD_LIBRARY_PATH"), ("LD_LIBRARY_PATH", "unset LD_LIBRARY_PATH")]);
}

#[test]
fn a_variable_that_names_a_wrong_folder() {
    let name = "LIBTORCH";
    let wrong = |folder: &str, prepare: &dyn Fn(&Surroundings), says: &[&str], mend: &str| {
        let at = Surroundings::new();
        prepare(&at);
        let mend = mend.replace("{}", at.folder.path().canonicalize().unwrap().to_str().unwrap());
        let folder = at.path(folder);
        at.set(name, folder).fault(name, says, &mend);
    };
    let make = |folder: &'static str| move |at: &Surroundings| fs::create_dir_all(at.path(folder)).unwrap();
    wrong("none", &|_| (), &["is no folder"], "unset LIBTORCH");
    wrong("empty", &make("empty"), &["has no folder `lib`"], "unset LIBTORCH");
    wrong("bare", &make("bare/lib"), &["has no `lib/libtorch_cpu.so`"], "unset LIBTORCH");
    wrong("old", &|_| (), &["PyTorch 2.4.0+cu121", "exactly 2.13.0"], "unset LIBTORCH");
    wrong("good/lib", &|_| (), &["has no folder `lib`"], "export LIBTORCH={}/good");
    let inside = |at: &Surroundings| at.libtorch("zip/libtorch", "2.13.0+cpu");
    wrong("zip", &inside, &["has no folder `lib`"], "export LIBTORCH={}/zip/libtorch");
    let headless = |at: &Surroundings| fs::remove_dir(at.path("good/include")).unwrap();
    wrong("good", &headless, &["has no folder `include`"], "unset LIBTORCH");
    // Where the library lies apart, that is where it is looked for.
    let at = Surroundings::new();
    fs::create_dir_all(at.path("split/include")).unwrap();
    let (split, good) = (at.path("split"), at.path("good"));
    let at = at.set(name, split).set("LIBTORCH_LIB", good);
    at.well();
    let at = Surroundings::new().set(name, "good");
    let mend = format!("export LIBTORCH={}", at.path("good").display());
    at.fault(name, &["the build runs in others"], &mend);
    Surroundings::new().set(name, "").fault(name, &["empty"], "unset LIBTORCH");
}

#[test]
fn a_python_without_the_torch_that_is_needed() {
    let name = "LIBTORCH_USE_PYTORCH";
    let mend = "python3 -m pip install torch==2.13.0   # or: unset LIBTORCH_USE_PYTORCH";
    let at = Surroundings::new().set(name, "0");
    at.fault(name, &["0 counts as well", "'python3' cannot be run"], mend);
    at.python("python3", None);
    at.fault(name, &["'python3' has no package torch"], mend);
    at.python("python3", Some(("2.12.1+cu130", "good")));
    at.fault(name, &["PyTorch 2.12.1+cu130", "exactly 2.13.0"], mend);
    at.python("python3", Some(("2.13.0+cu130", "bin")));
    at.fault(name, &["has no `lib/libtorch_cpu.so`"], mend);
    at.python("python3", Some(("2.13.0+cu130", "good")));
    at.well();
    // It comes before LIBTORCH, whatever that names.
    let at = at.set("LIBTORCH", "/none");
    at.well();
    // And in a virtual environment another program is asked.
    let at = at.set("VIRTUAL_ENV", "/none");
    at.fault(name, &["'python' cannot be run"], &mend.replace("python3", "python"));
}

/// A program that the loader cannot start: a shell with the name of one library changed.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[test]
fn a_trainer_that_cannot_start() {
    let at = Surroundings::new();
    let mut shell = fs::read("/bin/sh").unwrap();
    let places: Vec<usize> =
        shell.windows(10).enumerate().filter(|(_, part)| part == b"libc.so.6\0").map(|(at, _)| at).collect();
    assert!(!places.is_empty(), "the shell needs the C library");
    for place in places {
        shell[place..][..9].copy_from_slice(b"libc10.so");
    }
    at.program("giuthi-train", shell);
    for arguments in [&["train"][..], &["train", "fit", "x"], &["train", "--help"], &["help", "train"]] {
        let output = at.giuthi(arguments).assert().code(1).stdout("").get_output().clone();
        let line = String::from_utf8(output.stderr).unwrap();
        assert!(line.starts_with("giuthi: ") && line.lines().count() == 1, "{line}");
        for words in ["cannot start", "libc10.so", "`giuthi train doctor`"] {
            assert!(line.contains(words), "{line}");
        }
    }
    let object = at.fault("giuthi-train", &["cannot start", "libc10.so"], &at.install_line());
    let missing = object["checks"].as_array().unwrap().iter().find(|check| check["check"] == "missing");
    assert_eq!(missing.unwrap()["says"], "libc10.so");
    // A copy in the cache is nearer than a build.
    at.libtorch("home/.cache/giuthi/libtorch-2.13.0-cpu", "2.13.0+cpu");
    let lib = at.path("home/.cache/giuthi/libtorch-2.13.0-cpu/lib");
    at.fault("giuthi-train", &["cannot start"], &format!("export LD_LIBRARY_PATH={}", lib.display()));
    // What a variable puts before all others is taken away first.
    at.libtorch("broken", "2.13.0+cpu");
    let broken = at.path("broken/lib");
    at.set("LD_LIBRARY_PATH", broken).fault("giuthi-train", &["cannot start"], "unset LD_LIBRARY_PATH");
}

#[test]
fn a_fetched_copy_that_is_not_whole() {
    let at = Surroundings::new();
    at.libtorch("home/.cache/giuthi/libtorch-2.13.0-cpu", "2.13.0+cpu");
    at.well();
    fs::remove_file(at.path("home/.cache/giuthi/libtorch-2.13.0-cpu/lib/libtorch_cpu.so")).unwrap();
    at.fault("fetched copy", &["has no `lib/libtorch_cpu.so`"], &at.install_line());
    // cargo names the link of the checkout in LIBTORCH: that chooses nothing else.
    let checkout = Surroundings::new();
    for file in ["scripts/libtorch.sh", "train/build.rs"] {
        fs::create_dir_all(checkout.path(file).parent().unwrap()).unwrap();
        fs::write(checkout.path(file), "").unwrap();
    }
    let link = checkout.path(".libtorch");
    checkout.set("LIBTORCH", link).well();
    // Nobody needs it where another is chosen.
    let good = at.path("good");
    at.set("LIBTORCH", good).well();
}
