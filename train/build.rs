//! Makes every program of this crate find libtorch by itself, wherever it is started.
//!
//! torch-sys links with libtorch but leaves no trace in the program of where it lies, and a build
//! script can add linker arguments only to its own package. Without this the trainer builds, and
//! then ends at start with "cannot open shared object file" unless `LD_LIBRARY_PATH` is set.

use std::{env, fs, path::PathBuf};

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // torch-sys hands this on through its `links = "tch"`; on Windows, which knows no such search
    // path, it does not.
    let Some(named) = env::var_os("DEP_TCH_LIBTORCH_LIB").map(PathBuf::from) else {
        return;
    };
    let real = fs::canonicalize(&named).unwrap_or_else(|error| {
        panic!(
            "cannot find libtorch in {}: {error}. Run scripts/libtorch.sh, or correct LIBTORCH.",
            named.display()
        )
    });

    // Both paths: by the one through the `.libtorch` link the program follows when the link is
    // pointed elsewhere, by the other it still starts when the checkout has been moved.
    // And no kind in the key (`-bins`, `-tests`), so that tests and examples have them as well.
    if named.is_absolute() && named != real {
        println!("cargo:rustc-link-arg=-Wl,-rpath,{}", named.display());
    }
    println!("cargo:rustc-link-arg=-Wl,-rpath,{}", real.display());

    // Nothing calls libtorch_cuda by name: it registers itself when it is loaded. The linker
    // would drop it as unneeded, and PyTorch would then say that there is no CUDA device.
    if real.join("libtorch_cuda.so").exists() {
        println!("cargo:rustc-link-arg=-Wl,--push-state,--no-as-needed,-ltorch_cuda,--pop-state");
    }
}
