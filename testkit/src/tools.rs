//! Programs that tests use where they are installed.

use std::process::Command;

/// Is there a C++ compiler?
///
/// # Panics
/// Where there is none, and `BABYCUDA_REQUIRE_SOLVERS=1` says that nothing may be missing.
pub fn has_cxx() -> bool {
    let found = Command::new("g++").arg("--version").output().is_ok_and(|o| o.status.success());
    if !found {
        let required = std::env::var_os("BABYCUDA_REQUIRE_SOLVERS").is_some_and(|v| v == "1");
        assert!(!required, "g++ is missing");
        eprintln!("skipped: g++ is missing");
    }
    found
}
