//! Building the oracle, once for all tests.

use std::fs::{File, create_dir_all};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// The oracle, built. `None`: Coq, OCaml or make is missing, which is reported, and a failure
/// where `BABYCUDA_REQUIRE_COQ` is set.
pub fn oracle() -> Option<&'static Path> {
    static BUILT: OnceLock<Option<PathBuf>> = OnceLock::new();
    BUILT.get_or_init(build).as_deref()
}

fn build() -> Option<PathBuf> {
    let missing: Vec<&str> =
        ["make", "coqc", "ocamlopt"].into_iter().filter(|tool| !is_installed(tool)).collect();
    if !missing.is_empty() {
        let message = format!("not installed: {}", missing.join(", "));
        assert!(std::env::var_os("BABYCUDA_REQUIRE_COQ").is_none(), "{message}");
        println!("skipped: {message}");
        return None;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("oracle");
    let built = folder.join("_build");
    create_dir_all(&built).expect("proofs/oracle is writable");
    // Another test binary may build at the same time.
    let lock = File::create(built.join("lock")).expect("proofs/oracle is writable");
    lock.lock().expect("a lock");
    let make = Command::new("make").arg("-C").arg(&folder).output().expect("make runs");
    let printed = [make.stdout, make.stderr].concat();
    assert!(make.status.success(), "{}", String::from_utf8_lossy(&printed));
    Some(built.join("oracle"))
}

fn is_installed(tool: &str) -> bool {
    let mut ask = Command::new(tool);
    ask.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    ask.status().is_ok()
}
