//! Asking Coq.

use std::fs::{File, create_dir_all};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// What Coq said of a file.
pub struct Answer {
    pub accepted: bool,
    /// What the file's commands printed.
    pub output: String,
    /// The error, with the line it is on, from 1.
    pub error: String,
    pub line: usize,
}

/// The folder of the mechanization, with what certificates import built. `None`: Coq or make is
/// missing, which is reported, and a failure where `BABYCUDA_REQUIRE_COQ` is set.
pub fn theory() -> Option<&'static Path> {
    static BUILT: OnceLock<Option<PathBuf>> = OnceLock::new();
    BUILT.get_or_init(build).as_deref()
}

fn build() -> Option<PathBuf> {
    let missing: Vec<&str> =
        ["make", "coqc"].into_iter().filter(|tool| !is_installed(tool)).collect();
    if !missing.is_empty() {
        let message = format!("not installed: {}", missing.join(", "));
        assert!(std::env::var_os("BABYCUDA_REQUIRE_COQ").is_none(), "{message}");
        println!("skipped: {message}");
        return None;
    }
    let proofs = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../proofs"));
    let (folder, locks) = (proofs.join("coq"), proofs.join("oracle/_build"));
    // The build of the oracle builds the same files, under this lock.
    create_dir_all(&locks).expect("proofs/oracle is writable");
    let lock = File::create(locks.join("lock")).expect("proofs/oracle is writable");
    lock.lock().expect("a lock");
    for arguments in [&["Makefile.coq"][..], &["-f", "Makefile.coq", "Certificate.vo"]] {
        let make = Command::new("make").current_dir(&folder).args(arguments).output();
        let make = make.expect("make runs");
        let printed = [make.stdout, make.stderr].concat();
        assert!(make.status.success(), "{}", String::from_utf8_lossy(&printed));
    }
    Some(folder)
}

fn is_installed(tool: &str) -> bool {
    let mut ask = Command::new(tool);
    ask.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    ask.status().is_ok()
}

/// Has Coq check a file of this name and text.
pub fn check(theory: &Path, name: &str, text: &str) -> Answer {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("certificates");
    create_dir_all(&folder).expect("the target folder is writable");
    let file = folder.join(format!("{name}.v"));
    std::fs::write(&file, text).expect("the target folder is writable");
    let mut coqc = Command::new("coqc");
    coqc.args(["-q", "-noglob", "-Q"]).arg(theory).arg("BabyCUDA").arg(&file);
    let answer = coqc.output().expect("coqc runs");
    let error = String::from_utf8_lossy(&answer.stderr).into_owned();
    let line = error.split_once(", line ").and_then(|(_, rest)| {
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().ok()
    });
    Answer {
        accepted: answer.status.success(),
        output: String::from_utf8_lossy(&answer.stdout).into_owned(),
        line: line.unwrap_or(0),
        error,
    }
}
