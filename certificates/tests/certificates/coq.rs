//! Asking Coq.

use crate::mechanization::{built, make};
use std::fs::create_dir_all;
use std::path::{Path, PathBuf};
use std::process::Command;
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

/// The folder of the mechanization, with what certificates import built, if Coq and make are there.
pub fn theory() -> Option<&'static Path> {
    static BUILT: OnceLock<Option<PathBuf>> = OnceLock::new();
    let build = |proofs: &Path| {
        let folder = proofs.join("coq");
        make(&folder, &["Makefile.coq"]);
        make(&folder, &["-f", "Makefile.coq", "Certificate.vo"]);
        folder
    };
    BUILT.get_or_init(|| built(&["make", "coqc"], build)).as_deref()
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
