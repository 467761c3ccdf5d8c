//! Compiling wide cases as C++ and running them.

use super::case::Case;
use super::log::{Log, parse};
use crate::build::{answer, cpp, entries, gpp};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("wide-{}", std::process::id()))
}

/// Removes what was built.
pub fn clean() {
    let _ = std::fs::remove_dir_all(folder());
}

/// The run-time system, compiled once.
fn runtime() -> &'static Path {
    static OBJECT: OnceLock<PathBuf> = OnceLock::new();
    OBJECT.get_or_init(|| {
        std::fs::create_dir_all(folder()).expect("a folder");
        let object = folder().join("wide.o");
        gpp(&["-O1", "-c", &cpp().join("wide.cpp").to_string_lossy()], &object).expect("compiled");
        object
    })
}

/// One translation unit of all cases. Each has a namespace.
fn unit(cases: &[Case]) -> String {
    let mut out = format!("#include \"{}\"\n", cpp().join("wide.h").display());
    for (i, case) in cases.iter().enumerate() {
        let _ = writeln!(out, "namespace case_{i} {{\n#line 1 \"{}\"", case.seed);
        let text = case.text();
        for line in text.lines() {
            // The header has all that kernels include.
            out += if line.starts_with("#include") { "" } else { line };
            out.push('\n');
        }
        let _ = writeln!(out, "static void run() {{ {}; }}\n}}", case.call);
    }
    out + &entries(cases.len())
}

/// What the run-time system reads.
fn input(cases: &[Case]) -> String {
    let mut out = format!("{}\n", cases.len());
    for (i, case) in cases.iter().enumerate() {
        let [x, y] = case.block;
        let _ = write!(out, "{i} {} {x} {y} {}", case.grid, case.params.len());
        for (_, value) in &case.params {
            let _ = write!(out, " {value}");
        }
        out.push('\n');
    }
    out
}

/// Compiles and runs the cases, in one program.
///
/// # Errors
/// What the compiler or the program complained of.
pub fn run(cases: &[Case]) -> Result<Vec<Log>, String> {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let object = runtime().to_string_lossy().into_owned();
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let source = folder().join(format!("wide{number}.cpp"));
    let compiled = folder().join(format!("wide{number}.o"));
    let program = folder().join(format!("wide{number}"));
    std::fs::write(&source, unit(cases)).map_err(|e| e.to_string())?;
    let text = source.to_string_lossy().into_owned();
    // Only the calls before the accesses are wanted, not what they usually call.
    gpp(&["-c", "-O0", "-fwrapv", "-fno-strict-aliasing", "-fsanitize=thread", &text], &compiled)?;
    gpp(&[&compiled.to_string_lossy(), &object], &program)?;
    let text = answer(&program, input(cases))?;
    for file in [program, compiled, source] {
        let _ = std::fs::remove_file(file);
    }
    let logs = parse(&text).ok_or("a log that cannot be read")?;
    if logs.len() == cases.len() { Ok(logs) } else { Err("a log is missing".to_owned()) }
}
