//! Clang as a process.

use crate::diagnostics::MAIN;
use crate::{ClangError, Found, kernels};
use babycuda_kernel::{Includer, Kernel, Language};
use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A document longer than this is a flood.
const MAX_OUTPUT: u64 = 256 << 20;

/// The folders of the texts around a file that another includes.
pub(crate) const BEFORE: &str = "before-the-include";
pub(crate) const AFTER: &str = "behind-the-include";

/// The folder of the declarations of what is assumed.
pub(crate) const ASSUMED: &str = "assumed";

/// So many `..` a name of a header may begin with.
const UP: usize = 4;

/// Headers that are known, by name.
const HEADERS: [(&str, &str); 27] = [
    ("babycuda.h", include_str!("../include/babycuda.h")),
    ("cooperative_groups.h", include_str!("../include/cooperative_groups.h")),
    ("cooperative_groups/memcpy_async.h", "#include <cooperative_groups.h>\n"),
    ("cooperative_groups/reduce.h", "#include <cooperative_groups.h>\n"),
    ("cooperative_groups/scan.h", "#include <cooperative_groups.h>\n"),
    ("assert.h", include_str!("../include/assert.h")),
    ("cassert", "#include <assert.h>\n"),
    ("math.h", include_str!("../include/math.h")),
    ("cmath", "#include <math.h>\n"),
    ("math_constants.h", include_str!("../include/math_constants.h")),
    ("cuda/barrier", "#include <cuda_async.h>\n"),
    ("cuda/pipeline", "#include <cuda_async.h>\n"),
    ("cuda_async.h", include_str!("../include/cuda_async.h")),
    ("cuda_fp16.h", include_str!("../include/cuda_fp16.h")),
    ("cuda_pipeline.h", "#include <babycuda.h>\n"),
    ("cuda_pipeline_primitives.h", "#include <babycuda.h>\n"),
    ("cuComplex.h", include_str!("../include/cuComplex.h")),
    ("cufft.h", include_str!("../include/cufft.h")),
    ("curand_kernel.h", include_str!("../include/curand_kernel.h")),
    ("helper_cuda.h", include_str!("../include/helper_cuda.h")),
    ("helper_functions.h", "#include <helper_cuda.h>\n"),
    ("helper_math.h", include_str!("../include/helper_math.h")),
    ("helper_string.h", "#include <helper_cuda.h>\n"),
    ("helper_timer.h", "#include <helper_cuda.h>\n"),
    ("ranges.h", include_str!("../include/ranges.h")),
    ("cfloat", "#include <float.h>\n"),
    ("climits", "#include <limits.h>\n"),
];

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

/// How the names of the folders begin that clang reads from, and which part of one has the headers that are known.
const PREFIX: &str = "babycuda-clang-";
const KNOWN: &str = "known";

/// Does a file of this path stand among the headers that are known?
pub(crate) fn is_known(path: &str) -> bool {
    let behind = path.split_once(&format!("/{PREFIX}")).map(|(_, behind)| behind);
    behind.is_some_and(|behind| behind.split('/').nth(1) == Some(KNOWN))
}

/// A folder with the headers that are known, and with empty ones for those that are missing. It is removed
/// in the end. Its name is no other's, also not that of a folder that an ended process left behind.
struct Folder {
    root: TempDir,
    known: PathBuf,
    empty: PathBuf,
    /// What stands before the file, and behind it, where another includes it.
    before: Option<PathBuf>,
    after: Option<PathBuf>,
    /// Declarations of the constants that nobody declares.
    assumed: Option<PathBuf>,
}

impl Folder {
    fn new(source: &Source<'_>) -> io::Result<Folder> {
        let root = tempfile::Builder::new().prefix(PREFIX).tempdir()?;
        let mut empty = root.path().join("empty");
        empty.extend(["up"; UP]);
        let known = root.path().join(KNOWN);
        let mut folder = Folder { known, empty, root, before: None, after: None, assumed: None };
        fs::create_dir_all(&folder.empty)?;
        if let Some(Includer { path, before, after }) = source.includer {
            // Messages say the last part of a name.
            let name = Path::new(path).file_name().unwrap_or("includer".as_ref());
            let [first, last] =
                [BEFORE, AFTER].map(|part| folder.root.path().join(part).join(name));
            write(&first, before)?;
            write(&last, after)?;
            (folder.before, folder.after) = (Some(first), Some(last));
        }
        if source.language == Language::Cuda {
            for (name, text) in HEADERS {
                write(&folder.known.join(name), text)?;
            }
        }
        Ok(folder)
    }

    /// The file, with an `#include` of what stands behind it.
    fn input(&self, source: &Source<'_>) -> String {
        let after = self.after.iter().map(|path| format!("\n#include \"{}\"\n", path.display()));
        std::iter::once(source.text.to_owned()).chain(after).collect()
    }

    /// Declares constants of these names.
    fn assume(&mut self, names: &BTreeSet<&str>, language: Language) -> io::Result<()> {
        let space = match language {
            Language::Cuda => "__constant__",
            Language::OpenCl => "__constant",
        };
        let path = self.root.path().join(ASSUMED).join("constants.h");
        let text: String =
            names.iter().map(|name| format!("extern {space} int {name};\n")).collect();
        write(&path, &text)?;
        self.assumed = Some(path);
        Ok(())
    }

    /// Writes an empty file for each header that a rule of `make` names and that is not there.
    fn fill(&self, rule: &str) -> io::Result<Vec<String>> {
        let mut missing = Vec::new();
        for name in words(rule) {
            let path = self.empty.join(&name);
            let ups = Path::new(&name).components().filter(|c| c.as_os_str() == "..").count();
            if Path::new(&name).is_absolute() || ups > UP || path.exists() || name.ends_with(':') {
                continue;
            }
            write(&path, "")?;
            missing.push(name);
        }
        missing.retain(|name| name != "-" && name != "<stdin>");
        Ok(missing)
    }
}

/// The names that clang does not know, and that may be those of constants.
fn undeclared(messages: &str) -> BTreeSet<&str> {
    let undeclared = messages.split("use of undeclared identifier '").skip(1);
    let names = undeclared.filter_map(|rest| rest.split('\'').next());
    names.filter(|name| Kernel::may_be_constant(name)).collect()
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, text)
}

/// The words of a rule of `make`; a backslash keeps a space.
fn words(rule: &str) -> Vec<String> {
    let (mut all, mut word) = (Vec::new(), String::new());
    let mut characters = rule.chars().peekable();
    while let Some(c) = characters.next() {
        match (c, characters.peek()) {
            ('\\', Some(' ' | '#')) => word.extend(characters.next()),
            ('\\', Some('\n')) => {}
            (c, _) if c.is_whitespace() => all.push(std::mem::take(&mut word)),
            (c, _) => word.push(c),
        }
    }
    all.push(word);
    all.retain(|word| !word.is_empty());
    all
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_of_make_are_words() {
        let rule = "-.o: \\\n  /a/b.h \\\n  my\\ file.h ../x.h\n";
        assert_eq!(words(rule), ["-.o:", "/a/b.h", "my file.h", "../x.h"]);
    }
}
