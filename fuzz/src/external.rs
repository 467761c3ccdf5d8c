//! Tools that are programs: what they are called with, and what their words mean.
//!
//! Nothing that is not understood counts against a tool: an answer is one of its signs, or else it is unsupported.

mod condition;
mod known;
#[cfg(all(test, unix))]
mod recorded;
mod words;

use crate::macros::with_macros;
use crate::names;
use crate::process::{Ran, run, wait_if_ending};
use crate::tool::{Answer, Divergence, Said, Tool};
use babycuda_core::Launch;
use babycuda_kernel::Language;
use babycuda_validation::scorecard::truth::cells;
use babycuda_validation::scorecard::{About, Case};
use condition::Condition;
use known::{KNOWN, Sees};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;
pub use words::Reading;
use words::{Judge, first_line};

/// Why a tool is not asked about a kernel with barriers of warps.
const WARPS: &str = "barriers of warps of 4 threads: the command has no {warp}";

/// What is looked for in the output of a command, as it is: a text, or `json:/place=value`, with `!=` for what is not to stand
/// there.
///
/// # Errors
/// It begins as a condition on JSON, and is none; or it is empty.
pub fn condition(text: &str) -> Result<String, String> {
    if text.is_empty() {
        return Err("every tool prints an empty text".to_owned());
    }
    text.parse::<Condition>().map(|_| text.to_owned())
}

/// So much of what a tool says is kept.
const MAX_WORDS: usize = 4_000;

/// The names of the tools whose words are known.
pub(crate) fn known() -> impl Iterator<Item = &'static str> {
    KNOWN.iter().map(|known| known.name)
}

/// The tools whose words are known, and how to get them.
pub(crate) fn remedies() -> impl Iterator<Item = (&'static str, &'static str)> {
    KNOWN.iter().map(|known| (known.name, known.remedy))
}

pub(crate) struct External {
    name: String,
    /// What makes the program that it runs; empty: it reads the kernel.
    build: Vec<String>,
    words: Vec<String>,
    language: Language,
    /// Have its kernels macros?
    macros: bool,
    about: About,
    judge: Judge,
    sees: Sees,
    /// Where its kernels are written to.
    scratch: PathBuf,
    next: AtomicU64,
}

impl External {
    /// The tool that a name stands for.
    pub(crate) fn known(name: &str, macros: bool, scratch: &Path) -> Option<External> {
        let known = KNOWN.iter().find(|known| known.name == name)?;
        let words = |command: &str| command.split_whitespace().map(str::to_owned).collect();
        Some(External {
            name: name.to_owned(),
            build: words(known.build),
            words: words(known.command),
            language: known.language,
            macros,
            about: known.about,
            judge: known.says.into(),
            sees: known.sees,
            scratch: scratch.to_owned(),
            next: AtomicU64::new(0),
        })
    }

    /// The tool that a command is.
    ///
    /// # Errors
    /// Why it is none.
    pub(crate) fn command(
        text: &str,
        reading: &Reading,
        scratch: &Path,
    ) -> Result<External, String> {
        let words = shlex::split(text).ok_or("a quote is not closed")?;
        let has = |hole: &str| words.iter().any(|word| word.contains(hole));
        if !has("{file}") && !has("{sim}") {
            return Err(match words.as_slice() {
                [_] => format!(
                    "it is none of {}; a command has {{file}} in it, as 'mytool --race {{file}}'",
                    names().join(", ")
                ),
                _ => "a command has {file} or {sim} in it, where the kernel is to stand".to_owned(),
            });
        }
        if let Some(unknown) = words.iter().find_map(|word| unknown_hole(word)) {
            return Err(format!(
                "{unknown} stands for nothing: there are {}; where the tool is to get it as it is, a script can call it",
                HOLES.join(", ")
            ));
        }
        for condition in [&reading.racy, &reading.divergent, &reading.free].into_iter().flatten() {
            condition.parse::<Condition>()?;
        }
        let about = if has("{d}") || has("{sim}") { About::Run } else { About::Inputs };
        Ok(External {
            name: text.to_owned(),
            build: Vec::new(),
            about,
            words,
            language: reading.language,
            macros: reading.macros,
            judge: Judge::Reading(reading.clone()),
            sees: Sees::Everything,
            scratch: scratch.to_owned(),
            next: AtomicU64::new(0),
        })
    }

    /// The program that is asked, where the system can start all that it takes.
    ///
    /// # Errors
    /// Why not.
    pub(crate) fn is_there(&self) -> Result<PathBuf, String> {
        let mut found = PathBuf::new();
        for program in [&self.build, &self.words].into_iter().filter_map(|words| words.first()) {
            let path = std::env::var_os("PATH").unwrap_or_default();
            let mut files = std::env::split_paths(&path).map(|folder| folder.join(program));
            found = match program.contains('/') {
                true if Path::new(program).is_file() => program.into(),
                true => return Err(format!("there is no program {program}")),
                false => files
                    .find(|file| file.is_file())
                    .ok_or_else(|| format!("{program} is not installed, or not on the PATH"))?,
            };
        }
        Ok(found)
    }

    /// Writes the files of a kernel; what fills the holes of commands.
    fn write(&self, text: &str, launch: Launch, contents: u32, folder: &Path) -> io::Result<Holes> {
        let extension = if self.language == Language::Cuda { "cu" } else { "cl" };
        fs::create_dir_all(folder)?;
        let file = folder.join(format!("kernel.{extension}"));
        fs::write(&file, text)?;
        let (block, grid) = (launch.block.components()[0], launch.grid.components()[0]);
        let d = cells(contents).map(|cell| cell.to_string());
        let (host, program) = (folder.join("host.cu"), folder.join("host"));
        if !self.build.is_empty() {
            fs::write(&host, text.to_owned() + &launching(grid, block, &d.join(", ")))?;
        }
        let sim = folder.join("kernel.sim");
        if self.words.iter().any(|word| word.contains("{sim}")) {
            // The program, the kernel, its two extents, and its arguments: `a` of 64 cells, and `d` of 16.
            let (all, rest) = (block * grid, " 0".repeat(12));
            let d = d.join(" ");
            let file = file.display();
            fs::write(
                &sim,
                format!(
                    "{file}\nkernel_\n{all} 1 1\n{block} 1 1\n<size=256 fill=0>\n<size=64>\n{d}{rest}\n"
                ),
            )?;
        }
        Ok([
            ("{file}", file.display().to_string()),
            ("{sim}", sim.display().to_string()),
            ("{host}", host.display().to_string()),
            ("{program}", program.display().to_string()),
            ("{block}", block.to_string()),
            ("{grid}", grid.to_string()),
            ("{warp}", launch.warp.to_string()),
            ("{d}", d.join(",")),
        ])
    }

    /// Writes a kernel; the command that makes its program, if one is made, and the one that asks the tool.
    fn commands(
        &self,
        case: &Case,
        contents: u32,
        folder: &Path,
    ) -> Result<[Vec<String>; 2], String> {
        if let Some(why) = self.sees.refusal(case) {
            return Err(why.into());
        }
        let Some(text) = case.small.fixed(self.language) else {
            return Err("OpenCL C has no barriers of warps".into());
        };
        let tells = |words: &[String]| words.iter().any(|word| word.contains("{warp}"));
        if text.contains("__syncwarp") && !tells(&self.words) {
            return Err(WARPS.into());
        }
        let text = if self.macros { with_macros(&text, case.small.array) } else { text };
        let written = self.write(&text, case.launch(), contents, folder);
        let holes = written.map_err(|error| format!("the kernel cannot be written: {error}"))?;
        let filled = |word: &String| {
            holes.iter().fold(word.clone(), |word, (hole, value)| word.replace(hole, value))
        };
        Ok([&self.build, &self.words].map(|words| words.iter().map(filled).collect()))
    }
}

/// What stands for something in a command.
const HOLES: [&str; 6] = ["{file}", "{sim}", "{block}", "{grid}", "{warp}", "{d}"];

/// A word in braces that is none of them: misspelt, as `{blok}`.
fn unknown_hole(word: &str) -> Option<&str> {
    let mut parts = word.match_indices('{').filter_map(|(start, _)| {
        let end = start + word[start..].find('}')?;
        let name = &word[start + 1..end];
        let is_name = !name.is_empty() && name.bytes().all(|c| c.is_ascii_alphabetic());
        is_name.then_some(&word[start..=end])
    });
    parts.find(|part| !HOLES.contains(part))
}

/// What stands for what in a command, also in those of known tools.
type Holes = [(&'static str, String); 8];

/// What launches the kernel before it once; what `d` holds are its first cells.
fn launching(grid: u32, block: u32, d: &str) -> String {
    format!(
        "
#include <cstdio>
int main() {{
    unsigned *a, *d, contents[16] = {{{d}}};
    cudaMalloc(&a, 256);
    cudaMalloc(&d, 64);
    cudaMemset(a, 0, 256);
    cudaMemcpy(d, contents, 64, cudaMemcpyHostToDevice);
    kernel<<<{grid}, {block}>>>(a, d);
    cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess) std::printf(\"CUDA error: %s\\n\", cudaGetErrorString(error));
    return error != cudaSuccess;
}}
"
    )
}

fn started(command: &[String], within: Duration) -> Result<Ran, String> {
    let ran = run(Command::new(&command[0]).args(&command[1..]), within);
    ran.map_err(|error| format!("{} does not start: {error}", command[0]))
}

impl Tool for External {
    fn name(&self) -> &str {
        &self.name
    }

    fn identity(&self) -> String {
        format!("{} {:?} {:?} {}", self.words.join(" "), self.judge, self.language, self.macros)
    }

    fn has_name(&self) -> bool {
        true
    }

    fn about(&self) -> About {
        self.about
    }

    fn divergence(&self) -> Divergence {
        self.judge.divergence()
    }

    fn prepare(&self, case: &Case, contents: u32, folder: &Path) -> Result<Vec<String>, String> {
        let [build, ask] = self.commands(case, contents, folder)?;
        Ok(if build.is_empty() { ask } else { [build, vec!["&&".to_owned()], ask].concat() })
    }

    fn ask(&self, case: &Case, contents: u32, within: Duration) -> Said {
        wait_if_ending();
        let folder = self.scratch.join(self.next.fetch_add(1, Relaxed).to_string());
        let ran = self.commands(case, contents, &folder).and_then(|[build, ask]| {
            if !build.is_empty() {
                let made = started(&build, within)?;
                if !made.status.is_some_and(|status| status.success()) {
                    return Err(format!(
                        "{} makes no program: {}",
                        build[0],
                        first_line(&made.output)
                    ));
                }
            }
            started(&ask, within)
        });
        // What cannot be removed lies below the system's folder of such files.
        let _ = fs::remove_dir_all(&folder);
        match ran {
            Ok(ran) => {
                let answer = self.judge.answer(&ran);
                let mut words = ran.output;
                let end =
                    (0..=MAX_WORDS.min(words.len())).rev().find(|end| words.is_char_boundary(*end));
                words.truncate(end.unwrap_or(0));
                if let (Answer::Crash(how), true) = (&answer, words.is_empty()) {
                    words.clone_from(how);
                }
                Said { answer, words }
            }
            Err(why) => Said { answer: Answer::Unsupported(why), words: String::new() },
        }
    }
}
