//! Compiling cases as C++ and running them.

use crate::case::Case;
use crate::layout::included;
use crate::log::{Run, parse};
use babycuda_frontend::Overflow;
use std::fmt::Write;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What one case did: per setting, per block.
pub type Outcome = Vec<Vec<Run>>;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("compiled-{}", std::process::id()))
}

/// The folder of what is written in C++.
pub fn cpp() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/compiled/cpp")
}

/// How a unit of cases is compiled. Loops are counted by their basic blocks.
const UNIT: [&str; 4] = ["-c", "-O0", "-fno-omit-frame-pointer", "-fsanitize-coverage=trace-pc"];
/// Overflow wraps.
const WRAP: [&str; 1] = ["-fwrapv"];
/// Overflow is told to the run-time system. What the compiler would compute beforehand, it would
/// not tell; `-ftrapv` makes it leave comparisons as they are.
const TELL: [&str; 3] =
    ["-ftrapv", "-fsanitize=signed-integer-overflow,integer-divide-by-zero", "-DRT_OVERFLOW"];

pub fn gpp(arguments: &[&str], output: &Path) -> Result<(), String> {
    let mut command = Command::new("g++");
    command.args(["-std=c++20", "-w"]).args(arguments);
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
        gpp(&["-O1", "-fno-omit-frame-pointer", "-c", &source.to_string_lossy()], &object)
            .expect("the run-time system");
        object
    })
}

/// One translation unit of all cases. Each has a namespace; its macros end with it. The headers of
/// the case `i` are in `headers/i`.
fn unit(cases: &[Case], headers: &Path) -> String {
    let header = cpp().join("kernel.h");
    let mut out = format!("#include \"{}\"\n", header.display());
    for (i, case) in cases.iter().enumerate() {
        let own = case.headers();
        // Lines are those of the CUDA text: barriers are told by them.
        let _ = writeln!(out, "namespace case_{i} {{\n#line 1 \"{}\"", case.seed);
        for (number, line) in (1..).zip(case.text().lines()) {
            match line.strip_prefix("#include ") {
                // What stands in a header is where its `#include` is.
                Some(name) => {
                    let angled = name.starts_with('<');
                    let name = name.trim_matches(['<', '>', '"']);
                    let names = own.iter().map(|(name, _)| name.as_str());
                    let path = included(names, "", name, angled).expect("a header of the case");
                    let path = headers.join(i.to_string()).join(path);
                    let _ = writeln!(out, "#undef RT_LINE\n#define RT_LINE {number}");
                    let _ = writeln!(out, "#include \"{}\"\n#undef RT_LINE", path.display());
                    let _ = writeln!(out, "#define RT_LINE __LINE__");
                    let _ = writeln!(out, "#line {} \"{}\"", number + 1, case.seed);
                }
                None => {
                    let _ = writeln!(out, "{line}");
                }
            }
        }
        let _ = writeln!(out, "static void run() {{ {}; }}\n}}", case.call);
        let texts = own.into_iter().map(|(_, text)| text).chain([case.text()]);
        for line in texts.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()) {
            let Some(definition) = line.trim_start().strip_prefix("#define ") else { continue };
            let end = definition.find(|c: char| c != '_' && !c.is_alphanumeric());
            let _ = writeln!(out, "#undef {}", &definition[..end.unwrap_or(definition.len())]);
        }
    }
    out + &entries(cases.len())
}

/// The table of what the run-time systems run: the cases of a unit.
pub fn entries(cases: usize) -> String {
    let mut out =
        "struct Entry { void (*run)(); };\nextern Entry rt_entries[];\nEntry rt_entries[] = {\n"
            .to_owned();
    for i in 0..cases {
        let _ = writeln!(out, "{{case_{i}::run}},");
    }
    out + "};\n"
}

/// Writes the headers of each case `i` to `folder/i`.
fn write_headers(cases: &[Case], folder: &Path) -> std::io::Result<()> {
    for (i, case) in cases.iter().enumerate() {
        for (name, text) in case.headers() {
            let path = folder.join(i.to_string()).join(name);
            std::fs::create_dir_all(path.parent().unwrap_or(folder))?;
            // By `#pragma once`, g++ reads no second file of the same text and time.
            std::fs::write(path, format!("{text}// {i}\n"))?;
        }
    }
    Ok(())
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

/// What a program prints that reads `input`.
///
/// # Errors
/// It cannot be run, or fails.
pub fn answer(program: &Path, input: String) -> Result<String, String> {
    let mut child = Command::new(program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|e| e.to_string())?;
    let mut stdin = child.stdin.take().ok_or("no standard input")?;
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().map_err(|e| e.to_string())?;
    writer.join().map_err(|_| "the writer")?.map_err(|e| e.to_string())?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(format!("{}: {}", program.display(), output.status)),
    }
}

/// Compiles and runs the cases, in one program; overflow does the same in all of them. Reads of constant tables are left out.
///
/// # Errors
/// What the compiler or the program complained of.
pub fn run(cases: &[Case]) -> Result<Vec<Outcome>, String> {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let object = runtime().to_string_lossy().into_owned();
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let source = folder().join(format!("unit{number}.cpp"));
    let program = folder().join(format!("unit{number}"));
    let headers = folder().join(format!("headers{number}"));
    write_headers(cases, &headers).map_err(|e| e.to_string())?;
    std::fs::write(&source, unit(cases, &headers)).map_err(|e| e.to_string())?;
    let compiled = folder().join(format!("unit{number}.o"));
    let mut arguments = UNIT.to_vec();
    match cases.first().map(|case| case.overflow) {
        Some(Overflow::AssumeNone) => arguments.extend(TELL),
        _ => arguments.extend(WRAP),
    }
    let text = source.to_string_lossy().into_owned();
    arguments.push(&text);
    gpp(&arguments, &compiled)?;
    gpp(&[&compiled.to_string_lossy(), &object], &program)?;
    let text = answer(&program, input(cases))?;
    for file in [program, compiled, source] {
        let _ = std::fs::remove_file(file);
    }
    let _ = std::fs::remove_dir_all(headers);
    let mut runs = parse(&text).ok_or("a log that cannot be read")?.into_iter();
    let outcomes = cases.iter().map(|case| {
        let mut outcome: Outcome = runs.by_ref().take(case.settings.len()).collect();
        for run in outcome.iter_mut().flatten() {
            let complete = run.phases.iter_mut().flat_map(|phase| phase.values_mut());
            for deeds in complete.chain(run.overflows.iter_mut().map(|o| &mut o.deeds)) {
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
