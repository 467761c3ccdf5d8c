//! Clang as a process.

use crate::diagnostics::MAIN;
use crate::folder::{AFTER, BEFORE, Folder};
use crate::{ClangError, Found, kernels};
use babycuda_kernel::{Includer, Kernel, Language};
use std::collections::BTreeSet;
use std::env;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// A document longer than this is a flood.
const MAX_OUTPUT: u64 = 256 << 20;

/// What the compiler of CUDA defines, unless the command line says otherwise.
const COMPILER: [(&str, &str); 6] = [
    ("__CUDACC__", "1"),
    ("__NVCC__", "1"),
    ("CUDA_VERSION", "12000"),
    ("CUDART_VERSION", "12000"),
    ("__CUDACC_VER_MAJOR__", "12"),
    ("__CUDACC_VER_MINOR__", "0"),
];

/// A file to be read.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// Its text.
    pub text: &'a str,
    /// Where it lies; the files that it includes are looked for beside it, too, and at last in the folder above.
    pub path: Option<&'a Path>,
    /// The file as whose part it is read. Kernels of the text around are left out.
    pub includer: Option<&'a Includer>,
    /// Further directories to look in.
    pub includes: &'a [PathBuf],
    /// Macros: a head (`NAME` or `NAME(a, b)`) and a body.
    pub defines: &'a [(String, String)],
    /// Names that are no macros at first.
    pub undefines: &'a [String],
    /// Its language.
    pub language: Language,
    /// Which version of it, as `-std=` says it; `None`: C++17, OpenCL C 2.0.
    pub standard: Option<&'a str>,
}

impl<'a> Source<'a> {
    /// A text that lies nowhere, without further directories or macros.
    pub fn new(text: &'a str, language: Language) -> Source<'a> {
        Source {
            text,
            path: None,
            includer: None,
            includes: &[],
            defines: &[],
            undefines: &[],
            language,
            standard: None,
        }
    }

    /// The text of a file by the name that clang gives it: of this one, or of the one that includes it.
    pub(crate) fn text_of(&self, file: &str) -> Option<&str> {
        let folder = Path::new(file).parent()?.file_name();
        match (folder.and_then(|name| name.to_str()), self.includer) {
            _ if file == MAIN => Some(self.text),
            (Some(BEFORE), Some(includer)) => Some(&includer.before),
            (Some(AFTER), Some(includer)) => Some(&includer.after),
            _ => None,
        }
    }
}

/// An installed clang.
#[derive(Clone, Debug)]
pub struct Clang {
    program: PathBuf,
    version: String,
}

impl Clang {
    /// The program that the environment variable `BABYCUDA_CLANG` names, or else `clang` on the path.
    ///
    /// # Errors
    /// [`ClangError::Unavailable`] when it does not run.
    pub fn find() -> Result<Clang, ClangError> {
        Clang::at(env::var_os("BABYCUDA_CLANG").unwrap_or_else(|| "clang".into()))
    }

    /// The program at a path, or of a name on the path.
    ///
    /// # Errors
    /// [`ClangError::Unavailable`] when it does not run.
    pub fn at(program: impl Into<PathBuf>) -> Result<Clang, ClangError> {
        let program = program.into();
        let mut command = Command::new(&program);
        command.arg("--version");
        let shown = program.display();
        let said = finish(command, "", Duration::from_secs(20))
            .map_err(|e| ClangError::Unavailable(format!("cannot run `{shown}`: {e}")))?;
        match said.output.lines().next() {
            Some(version) if version.contains("clang") => {
                Ok(Clang { version: version.to_owned(), program })
            }
            _ => Err(ClangError::Unavailable(format!("`{shown}` does not say that it is clang"))),
        }
    }

    /// The first line that it prints about its version.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The kernels of a file, and the headers that it includes and nobody has: they count as empty.
    ///
    /// # Errors
    /// [`ClangError`] when the file as a whole cannot be read, or not within `time`.
    pub fn read(
        &self,
        source: &Source<'_>,
        time: Duration,
    ) -> Result<(Vec<Found>, Vec<String>), ClangError> {
        let (document, messages, missing) = self.document(source, time)?;
        Ok((kernels(&document, &messages, source)?, missing))
    }

    /// What clang writes for a file: its document and its messages, for [`kernels`], and the headers that
    /// nobody has.
    ///
    /// # Errors
    /// [`ClangError::Limit`] and [`ClangError::Unavailable`].
    pub fn document(
        &self,
        source: &Source<'_>,
        time: Duration,
    ) -> Result<(String, String, Vec<String>), ClangError> {
        let deadline = Instant::now() + time;
        let failed = |e: io::Error| match e.kind() {
            io::ErrorKind::TimedOut => ClangError::Limit("took too long".into()),
            io::ErrorKind::InvalidData => ClangError::Limit("wrote too much".into()),
            _ => ClangError::Unavailable(format!("cannot run clang: {e}")),
        };
        let mut folder = Folder::new(source).map_err(failed)?;
        let input = folder.input(source);
        let left = || deadline.saturating_duration_since(Instant::now());
        let mut command = self.command(source, &folder);
        command.args(["-E", "-M", "-MG", "-"]);
        let listed = finish(command, &input, left()).map_err(failed)?;
        let missing = folder.fill(&listed.output).map_err(failed)?;
        let read = |folder: &Folder| {
            let mut command = self.command(source, folder);
            command.args(["-fsyntax-only", "-Xclang", "-ast-dump=json", "-"]);
            finish(command, &input, left()).map_err(failed)
        };
        let mut said = read(&folder)?;
        let names = undeclared(&said.messages);
        // A header that is missing may declare anything.
        if missing.is_empty() && !names.is_empty() {
            folder.assume(&names, source.language).map_err(failed)?;
            said = read(&folder)?;
        }
        Ok((said.output, said.messages, missing))
    }

    fn command(&self, source: &Source<'_>, folder: &Folder) -> Command {
        let mut command = Command::new(&self.program);
        command.current_dir(&folder.empty);
        match source.language {
            Language::Cuda => {
                command.args(["-x", "cuda", "--cuda-device-only", "-nocudainc", "-nocudalib"]);
                // The architecture that the built-in parser assumes, too.
                command.args(["--cuda-gpu-arch=sm_80", "-nostdlibinc"]);
                command.arg(format!("-std={}", source.standard.unwrap_or("c++17")));
                command.args(["-ffreestanding", "-include", "babycuda.h"]);
                let said = |name: &str| {
                    source.defines.iter().any(|(head, _)| head == name)
                        || source.undefines.iter().any(|other| other == name)
                };
                for (name, value) in COMPILER.iter().filter(|(name, _)| !said(name)) {
                    command.arg(format!("-D{name}={value}"));
                }
            }
            Language::OpenCl => {
                command.args(["-x", "cl", "-Xclang", "-finclude-default-header"]);
                command.arg(format!("-cl-std={}", source.standard.unwrap_or("CL2.0")));
                command.args(["-target", "spir64-unknown-unknown", "-D__OPENCL_VERSION__=200"]);
            }
        }
        command.args(["-w", "-ferror-limit=0", "-fno-caret-diagnostics", "-fno-color-diagnostics"]);
        for (head, body) in source.defines {
            command.arg(format!("-D{head}={body}"));
        }
        command.args(source.undefines.iter().map(|name| format!("-U{name}")));
        for before in [&folder.assumed, &folder.before].into_iter().flatten() {
            command.arg("-include").arg(before);
        }
        let includer = source.includer.map(|includer| Path::new(&includer.path));
        for beside in [source.path, includer].into_iter().flatten().filter_map(Path::parent) {
            command.arg("-iquote").arg(absolute(beside));
        }
        for folder in source.includes {
            command.arg("-I").arg(absolute(folder));
        }
        command.arg("-I").arg(&folder.known);
        if let Some(here) = source.path.and_then(Path::parent) {
            command.arg("-idirafter").arg(absolute(here).join(".."));
        }
        command.arg("-idirafter").arg(&folder.empty);
        command
    }
}

fn absolute(path: &Path) -> PathBuf {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// The names that clang does not know, and that may be those of constants.
fn undeclared(messages: &str) -> BTreeSet<&str> {
    let undeclared = messages.split("use of undeclared identifier '").skip(1);
    let names = undeclared.filter_map(|rest| rest.split('\'').next());
    names.filter(|name| Kernel::may_be_constant(name)).collect()
}

struct Said {
    output: String,
    messages: String,
}

/// Runs a program to its end, or to that of its time.
fn finish(mut command: Command, input: &str, time: Duration) -> io::Result<Said> {
    let mut child = command
        .env("LC_ALL", "C")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let deadline = Instant::now() + time;
    thread::scope(|scope| {
        scope.spawn(move || {
            // A program may not want all of its input.
            let _ = stdin.map(|mut stdin| stdin.write_all(input.as_bytes()));
        });
        let output = scope.spawn(move || read(stdout));
        let messages = scope.spawn(move || read(stderr));
        let late = loop {
            match child.try_wait()? {
                Some(_) => break false,
                None if output.is_finished() && messages.is_finished() => break false,
                None if Instant::now() > deadline => break true,
                None => thread::sleep(Duration::from_millis(2)),
            }
        };
        if late {
            let _ = child.kill();
        }
        let all = [output.join(), messages.join()];
        let _ = child.kill();
        child.wait()?;
        if late {
            return Err(io::ErrorKind::TimedOut.into());
        }
        let [output, messages] = all.map(|text| {
            text.unwrap_or_else(|_| Err(io::Error::other("reading its output failed")))
        });
        Ok(Said { output: output?, messages: messages? })
    })
}

fn read(stream: Option<impl Read>) -> io::Result<String> {
    let mut bytes = Vec::new();
    if let Some(stream) = stream {
        stream.take(MAX_OUTPUT + 1).read_to_end(&mut bytes)?;
    }
    if bytes.len() as u64 > MAX_OUTPUT {
        return Err(io::ErrorKind::InvalidData.into());
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
