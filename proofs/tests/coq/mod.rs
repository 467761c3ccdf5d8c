//! Building from the mechanization, once for all tests.

use std::fs::{File, create_dir_all};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What `build` makes in the folder `proofs`. `None`: one of the programs that it needs is missing,
/// which is reported, and a failure where `BABYCUDA_REQUIRE_COQ` is set.
pub fn built(programs: &[&str], build: impl FnOnce(&Path) -> PathBuf) -> Option<PathBuf> {
    let is_installed = |program: &str| {
        let mut ask = Command::new(program);
        ask.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        ask.status().is_ok()
    };
    let missing: Vec<&str> = programs.iter().copied().filter(|p| !is_installed(p)).collect();
    if !missing.is_empty() {
        let message = format!("not installed: {}", missing.join(", "));
        assert!(std::env::var_os("BABYCUDA_REQUIRE_COQ").is_none(), "{message}");
        println!("skipped: {message}");
        return None;
    }
    let proofs = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../proofs"));
    let locks = proofs.join("oracle/_build");
    create_dir_all(&locks).expect("proofs/oracle is writable");
    // Another program of tests may build the same files at the same time.
    let lock = File::create(locks.join("lock")).expect("proofs/oracle is writable");
    lock.lock().expect("a lock");
    Some(build(proofs))
}

/// Runs `make` in a folder.
pub fn make(folder: &Path, arguments: &[&str]) {
    let make = Command::new("make").current_dir(folder).args(arguments).output();
    let make = make.expect("make runs");
    let printed = [make.stdout, make.stderr].concat();
    assert!(make.status.success(), "{}", String::from_utf8_lossy(&printed));
}
