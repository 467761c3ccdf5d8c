//! Compiling cases as C++ and running them.

use crate::case::Case;
use crate::log::{Run, parse};
use std::fmt::Write;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What one case did: per setting, per block.
pub type Outcome = Vec<Vec<Run>>;

/// Is there a C++ compiler? If not, `BABYCUDA_REQUIRE_SOLVERS=1` makes that a failure.
pub fn available() -> bool {
    let found = Command::new("g++").arg("--version").output().is_ok_and(|o| o.status.success());
    if !found {
        let required = std::env::var_os("BABYCUDA_REQUIRE_SOLVERS").is_some_and(|v| v == "1");
        assert!(!required, "g++ is missing");
        eprintln!("skipped: g++ is missing");
    }
    found
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("compiled-{}", std::process::id()))
}

fn cpp() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/compiled/cpp")
}

fn gpp(arguments: &[&str], output: &Path) -> Result<(), String> {
    let mut command = Command::new("g++");
    command.args(["-std=c++20", "-w", "-fno-omit-frame-pointer"]).args(arguments);
    let result = command.arg("-o").arg(output).output().map_err(|e| e.to_string())?;
    if result.status.success() {
        return Ok(());
    }
    Err(String::from_utf8_lossy(&result.stderr).into_owned())
}

/// The run-time system, compiled once.
fn runtime() -> &'static Path {
    static OBJECT: OnceLock<PathBuf> = OnceLock::new();
    OBJECT.get_or_init(|| {
        std::fs::create_dir_all(folder()).expect("a folder");
        let object = folder().join("runtime.o");
        let source = cpp().join("runtime.cpp");
        gpp(&["-O1", "-c", &source.to_string_lossy()], &object).expect("the run-time system");
        object
    })
}

/// One translation unit of all cases. Each has a namespace; its macros end with it.
fn unit(cases: &[Case]) -> String {
    let header = cpp().join("kernel.h");
    let mut out = format!("#include \"{}\"\n", header.display());
    for (i, case) in cases.iter().enumerate() {
        let text = case.text();
        // Lines are those of the CUDA text: barriers are told by them.
        let _ = write!(out, "namespace case_{i} {{\n#line 1 \"{}\"\n{text}", case.seed);
        let _ = writeln!(out, "static void run() {{ {}; }}\n}}", case.call);
        for line in text.lines() {
            let Some(definition) = line.trim_start().strip_prefix("#define ") else { continue };
            let end = definition.find(|c: char| c != '_' && !c.is_alphanumeric());
            let _ = writeln!(out, "#undef {}", &definition[..end.unwrap_or(definition.len())]);
        }
    }
    out += "struct Entry { void (*run)(); };\nextern Entry rt_entries[];\nEntry rt_entries[] = {\n";
    for i in 0..cases.len() {
        let _ = writeln!(out, "{{case_{i}::run}},");
    }
    out + "};\n"
}

/// What the run-time system reads.
fn input(cases: &[Case]) -> String {
    let mut out = format!("{}\n", cases.iter().map(|c| c.settings.len()).sum::<usize>());
    for (i, case) in cases.iter().enumerate() {
        for setting in &case.settings {
            let _ = write!(out, "{i}");
            for extent in setting.grid.iter().chain(&setting.block) {
                let _ = write!(out, " {extent}");
            }
            let _ = write!(out, " {}", setting.params.len());
            for value in &setting.params {
                let _ = write!(out, " {value}");
            }
            let _ = write!(out, " {}", case.arrays.len());
            for array in &case.arrays {
                let count = array.values.len();
                let _ = write!(out, " {} {} {} {count}", array.name, array.bits, array.fill);
                for value in &array.values {
                    let _ = write!(out, " {value}");
                }
            }
            out.push('\n');
        }
    }
    out
}

/// Compiles and runs the cases, in one program. Reads of constant tables are left out.
///
/// # Errors
/// What the compiler or the program complained of.
pub fn run(cases: &[Case]) -> Result<Vec<Outcome>, String> {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let object = runtime().to_string_lossy().into_owned();
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let source = folder().join(format!("unit{number}.cpp"));
    let program = folder().join(format!("unit{number}"));
    std::fs::write(&source, unit(cases)).map_err(|e| e.to_string())?;
    // Loops are counted by their basic blocks.
    let text = source.to_string_lossy().into_owned();
    gpp(&["-O0", "-fwrapv", "-fsanitize-coverage=trace-pc", &text, &object], &program)?;
    let mut child = Command::new(&program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|e| e.to_string())?;
    let mut stdin = child.stdin.take().ok_or("no standard input")?;
    let text = input(cases);
    let writer = std::thread::spawn(move || stdin.write_all(text.as_bytes()));
    let output = child.wait_with_output().map_err(|e| e.to_string())?;
    writer.join().map_err(|_| "the writer")?.map_err(|e| e.to_string())?;
    if !output.status.success() {
        return Err(format!("{}: {}", source.display(), output.status));
    }
    let _ = std::fs::remove_file(&program);
    let _ = std::fs::remove_file(&source);
    let text = String::from_utf8_lossy(&output.stdout);
    let mut runs = parse(&text).ok_or("a log that cannot be read")?.into_iter();
    let outcomes = cases.iter().map(|case| {
        let mut outcome: Outcome = runs.by_ref().take(case.settings.len()).collect();
        for phase in outcome.iter_mut().flatten().flat_map(|run| &mut run.phases) {
            for deeds in phase.values_mut() {
                deeds.retain(|(array, _), _| !case.is_constant(array));
            }
        }
        outcome
    });
    Ok(outcomes.collect())
}

/// Removes what was built.
pub fn clean() {
    let _ = std::fs::remove_dir_all(folder());
}
