//! C++ that is compiled for the host.

use babycuda_testkit::tools::has_cxx;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// Compiles a file beside this one, with all warnings as errors.
pub fn compile(source: &str) -> Option<PathBuf> {
    if !has_cxx() {
        return None;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/monitor");
    let tmp = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (program, new) = (
        tmp.join(format!("monitor-{source}")),
        tmp.join(format!("{source}-{}", std::process::id())),
    );
    let mut command = Command::new("g++");
    command.args(["-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", "-pthread", "-o"]).arg(&new);
    let output = command.arg(folder.join(source)).output().expect("g++");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // Another process may run the one that is there.
    std::fs::rename(new, &program).expect("the program");
    Some(program)
}

/// Runs a program with an input; it must succeed.
pub fn run(program: &Path, input: &str) -> String {
    let mut command = Command::new(program);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the program");
    let mut stdin = child.stdin.take().expect("an input");
    let output = std::thread::scope(|scope| {
        // The program ends early only if it fails, which is told below.
        scope.spawn(move || drop(stdin.write_all(input.as_bytes())));
        child.wait_with_output().expect("an output")
    });
    assert!(output.status.success(), "{}", output.status);
    String::from_utf8(output.stdout).expect("a text")
}

/// A race that the header found.
pub struct Line {
    pub event: usize,
    pub block: usize,
    pub thread: usize,
    pub last_block: usize,
    pub last_thread: usize,
    pub level: usize,
    pub line: usize,
}

/// `traces.cpp`.
pub struct Program(PathBuf);

impl Program {
    /// `None`, and says so: there is no compiler.
    pub fn compiled() -> Option<&'static Program> {
        static PROGRAM: OnceLock<Option<Program>> = OnceLock::new();
        PROGRAM.get_or_init(|| compile("traces.cpp").map(Program)).as_ref()
    }

    /// The races of each trace, and its flags.
    pub fn run(&self, input: &str) -> Vec<(Vec<Line>, u32)> {
        let mut all = Vec::new();
        let mut lines = Vec::new();
        for text in run(&self.0, input).lines() {
            if let Some(flags) = text.strip_prefix("flags ") {
                all.push((std::mem::take(&mut lines), flags.parse().expect("flags")));
                continue;
            }
            let fields: Vec<usize> =
                text.split(' ').map(|n| n.parse().expect("a number")).collect();
            let [event, block, thread, last_block, last_thread, level, line] = fields[..] else {
                panic!("seven numbers: {text}")
            };
            lines.push(Line { event, block, thread, last_block, last_thread, level, line });
        }
        all
    }
}
