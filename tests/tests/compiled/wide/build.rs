//! Compiling wide cases as C++ and running them.

use super::case::Case;
use super::log::{Log, parse};
use crate::build::{answer, cpp, entries, gpp};
use babycuda_frontend::Language;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A folder in which cases are compiled, with the run-time system. It is removed in the end.
pub struct Workshop {
    folder: PathBuf,
    /// How many programs there were.
    programs: AtomicUsize,
}

impl Workshop {
    /// `name` is that of no other one of this process.
    pub fn new(name: &str) -> Workshop {
        let folder = format!("{name}-{}", std::process::id());
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder);
        std::fs::create_dir_all(&folder).expect("a folder");
        let runtime = cpp().join("wide.cpp");
        let object = folder.join("wide.o");
        gpp(&["-O1", "-c", &runtime.to_string_lossy()], &object).expect("compiled");
        Workshop { folder, programs: AtomicUsize::new(0) }
    }

    /// Compiles and runs the cases, in one program.
    ///
    /// # Errors
    /// What the compiler or the program complained of.
    pub fn run(&self, cases: &[Case]) -> Result<Vec<Log>, String> {
        let number = self.programs.fetch_add(1, Ordering::Relaxed);
        let [source, compiled, program] =
            ["cpp", "o", "exe"].map(|ending| self.folder.join(format!("{number}.{ending}")));
        std::fs::write(&source, unit(cases)).map_err(|e| e.to_string())?;
        let text = source.to_string_lossy();
        // Only the calls before the accesses are wanted, not what they usually call.
        let sanitized = ["-fwrapv", "-fno-strict-aliasing", "-fsanitize=thread"];
        gpp(&[&["-c", "-O0"], &sanitized[..], &[&*text]].concat(), &compiled)?;
        let object = self.folder.join("wide.o");
        gpp(&[&*compiled.to_string_lossy(), &*object.to_string_lossy()], &program)?;
        let text = answer(&program, input(cases))?;
        for file in [program, compiled, source] {
            let _ = std::fs::remove_file(file);
        }
        let logs = parse(&text).ok_or("a log that cannot be read")?;
        if logs.len() == cases.len() { Ok(logs) } else { Err("a log is missing".to_owned()) }
    }
}

impl Drop for Workshop {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// One translation unit of all cases. Each has a namespace.
fn unit(cases: &[Case]) -> String {
    let opencl = cases.first().is_some_and(|case| case.language == Language::OpenCl);
    let header = if opencl { "opencl.h" } else { "wide.h" };
    let mut out = format!("#include \"{}\"\n", cpp().join(header).display());
    for (i, case) in cases.iter().enumerate() {
        // In there, vectors are those of OpenCL C.
        out += if opencl { "namespace rt_cl {\n" } else { "" };
        let _ = writeln!(out, "namespace case_{i} {{\n#line 1 \"{}\"", case.seed);
        let text = case.text();
        for line in text.lines() {
            // The header has all that kernels include.
            out += if line.starts_with("#include") { "" } else { line };
            out.push('\n');
        }
        let _ = writeln!(out, "static void run() {{ {}; }}\n}}", case.call);
        if opencl {
            let _ = writeln!(out, "}}\nnamespace case_{i} = rt_cl::case_{i};");
        }
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
