//! What libtorch says of itself, and that `giuthi train doctor` hears it.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

fn object(program: &Path, arguments: &[&str]) -> Value {
    let output = Command::new(program).args(arguments).env_remove("LD_LIBRARY_PATH").output().unwrap();
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)))
}

#[test]
fn the_trainer_tells_what_only_libtorch_knows() {
    let facts = object(Path::new(env!("CARGO_BIN_EXE_giuthi-train")), &["doctor", "--json"]);
    let library = facts["library"].as_str().unwrap();
    assert!(library.ends_with("lib/libtorch_cpu.so") && Path::new(library).is_file(), "{facts}");
    let devices = facts["devices"].as_u64().unwrap();
    assert_eq!(facts["cuda"], devices > 0, "{facts}");
    for key in ["threads", "interop_threads", "processors"] {
        assert!(facts[key].as_u64().unwrap() >= 1, "{facts}");
    }
    let text = Command::new(env!("CARGO_BIN_EXE_giuthi-train")).arg("doctor").output().unwrap();
    assert!(text.status.success() && String::from_utf8(text.stdout).unwrap().contains(library));
}

/// The front program reads what the trainer writes: the two are built apart.
#[test]
fn the_doctor_hears_the_trainer() {
    let trainer = Path::new(env!("CARGO_BIN_EXE_giuthi-train"));
    let giuthi = trainer.with_file_name("giuthi");
    assert!(giuthi.exists(), "giuthi is not built: run this test with --workspace");
    let facts = object(trainer, &["doctor", "--json"]);
    let report = object(&giuthi, &["train", "doctor", "--json"]);
    let check = |name: &str| report["checks"].as_array().unwrap().iter().find(|check| check["check"] == name);
    assert_eq!(check("giuthi-train").unwrap()["state"], "well", "{report}");
    assert_eq!(check("libtorch").unwrap()["state"], "well", "{report}");
    assert!(
        facts["library"].as_str().unwrap().starts_with(report["libtorch"]["path"].as_str().unwrap()),
        "{report}"
    );
    for key in ["cuda", "devices", "threads"] {
        assert_eq!(report[key], facts[key], "{report}");
    }
}
