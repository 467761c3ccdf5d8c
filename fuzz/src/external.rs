//! Tools that are programs: what they are called with, and what their words mean.
//!
//! Nothing that is not understood counts against a tool: an answer is one of its signs, or else it is unsupported.

mod known;

use crate::found::without_numbers;
use crate::macros::with_macros;
use crate::names;
use crate::process::{Ran, run, wait_if_ending};
use crate::tool::{Answer, Said, Tool};
use babycuda_core::Launch;
use babycuda_kernel::Language;
use babycuda_validation::scorecard::truth::cells;
use babycuda_validation::scorecard::{About, Case};
use known::{KNOWN, Sees, Signs};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// Why a tool is not asked about a kernel with barriers of warps.
const WARPS: &str = "barriers of warps of 4 threads: the command has no {warp}";

/// So much of what a tool says is kept.
const MAX_WORDS: usize = 4_000;

/// The names of the tools whose words are known.
pub(crate) fn known() -> impl Iterator<Item = &'static str> {
    KNOWN.iter().map(|known| known.name)
}

/// How the words of a command are read where its tool is not known.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Reading {
    /// What a command says where there is a race; without it, that it ends with status 1.
    #[serde(rename = "racy_when", skip_serializing_if = "Option::is_none")]
    pub racy: Option<String>,
    /// What it says where there is none; without it, that it ends with status 0.
    #[serde(rename = "free_when", skip_serializing_if = "Option::is_none")]
    pub free: Option<String>,
    /// Have the kernels macros?
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub macros: bool,
    /// The language of a command's kernels.
    #[serde(with = "KernelLanguage")]
    #[cfg_attr(feature = "schema", schemars(with = "KernelLanguage"))]
    pub language: Language,
}

/// `cuda` or `opencl`.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(remote = "Language", rename_all = "lowercase")]
enum KernelLanguage {
    Cuda,
    OpenCl,
}

#[derive(Debug)]
enum Judge {
    Signs(Signs),
    Reading(Reading),
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
            judge: Judge::Signs(known.signs),
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

    /// Can the system start it?
    ///
    /// # Errors
    /// Why not.
    pub(crate) fn is_there(&self) -> Result<(), String> {
        for program in [&self.build, &self.words].into_iter().filter_map(|words| words.first()) {
            let path = std::env::var_os("PATH").unwrap_or_default();
            let mut folders = std::env::split_paths(&path);
            match program.contains('/') {
                true if Path::new(program).is_file() => {}
                true => return Err(format!("there is no program {program}")),
                false if folders.any(|folder| folder.join(program).is_file()) => {}
                false => return Err(format!("{program} is not installed, or not on the PATH")),
            }
        }
        Ok(())
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
        let written = self.write(&text, case.fragment.launch(), contents, folder);
        let holes = written.map_err(|error| format!("the kernel cannot be written: {error}"))?;
        let filled = |word: &String| {
            holes.iter().fold(word.clone(), |word, (hole, value)| word.replace(hole, value))
        };
        Ok([&self.build, &self.words].map(|words| words.iter().map(filled).collect()))
    }

    fn answer(&self, ran: &Ran) -> Answer {
        let Some(status) = ran.status else { return Answer::TimeOut };
        let line = || first_line(&ran.output);
        match status.code() {
            None => return Answer::Crash(format!("{status}: {}", line())),
            // What a shell says of a program that a signal ended, and what a panic ends with.
            Some(code @ (101 | 128..)) => {
                return Answer::Crash(format!("exit status {code}: {}", line()));
            }
            Some(_) => {}
        }
        if ran.cut {
            return Answer::Unsupported("more words than are read".into());
        }
        let says = |signs: &[&str]| signs.iter().any(|sign| ran.output.contains(sign));
        match &self.judge {
            Judge::Signs(signs) => {
                if says(signs.unsupported) {
                    Answer::Unsupported(line())
                } else if says(signs.racy) || says(signs.divergent) {
                    Answer::Racy
                } else if says(signs.free) || signs.free.is_empty() && status.success() {
                    Answer::RaceFree
                } else {
                    Answer::Unsupported(line())
                }
            }
            Judge::Reading(reading) => {
                let is = |text: &Option<String>, code| match text {
                    Some(text) => ran.output.contains(text.as_str()),
                    None => status.code() == Some(code),
                };
                match (is(&reading.racy, 1), is(&reading.free, 0)) {
                    (true, false) => Answer::Racy,
                    // Where its words say that there is a race, a status of 0 says only that it ended well.
                    (true, true) if reading.free.is_none() => Answer::Racy,
                    (false, true) => Answer::RaceFree,
                    (true, true) => Answer::Unsupported(
                        "both that there is a race and that there is none".into(),
                    ),
                    (false, false) => Answer::Unsupported(format!("{status}: {}", line())),
                }
            }
        }
    }
}

/// What stands for what in a command.
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

/// The first line of some words, without its numbers: names of files, times and addresses are no reasons of their own.
fn first_line(words: &str) -> String {
    let first = words.lines().map(str::trim).find(|line| !line.is_empty());
    without_numbers(first.unwrap_or("no words")).chars().take(120).collect()
}

impl Tool for External {
    fn name(&self) -> &str {
        &self.name
    }

    fn identity(&self) -> String {
        format!("{} {:?} {:?} {}", self.words.join(" "), self.judge, self.language, self.macros)
    }

    fn about(&self) -> About {
        self.about
    }

    fn tells_divergence(&self) -> bool {
        matches!(&self.judge, Judge::Signs(signs) if !signs.divergent.is_empty())
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
                let answer = self.answer(&ran);
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

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;

    fn answer(tool: &External, status: i32, output: &str) -> Answer {
        let status = Some(ExitStatus::from_raw(status));
        tool.answer(&Ran { status, output: output.into(), cut: false })
    }

    #[test]
    fn words_of_known_tools_mean_what_they_say() {
        let at = Path::new("/nowhere");
        let oclgrind = External::known("oclgrind", false, at).unwrap();
        let race =
            "\nRead-write data race at local memory address 0x1000000000000\n\tKernel: kernel_\n";
        assert_eq!(answer(&oclgrind, 0, race), Answer::Racy);
        assert_eq!(
            answer(&oclgrind, 0, "\nWork-group divergence detected (barrier)\n"),
            Answer::Racy
        );
        assert_eq!(answer(&oclgrind, 0, ""), Answer::RaceFree);
        assert!(matches!(answer(&oclgrind, 1 << 8, "x"), Answer::Unsupported(_)));
        assert!(matches!(answer(&oclgrind, 11, race), Answer::Crash(_)));
        let faial = External::known("faial", false, at).unwrap();
        assert_eq!(answer(&faial, 0, "Kernel 'kernel' is DRF!\n"), Answer::RaceFree);
        assert_eq!(answer(&faial, 1 << 8, "Kernel 'kernel' has 1 data-race.\n"), Answer::Racy);
        assert_eq!(answer(&faial, 1 << 8, "Kernel 'kernel' has 2 data-races.\n"), Answer::Racy);
        assert!(matches!(answer(&faial, 0, "Hello\n"), Answer::Unsupported(_)));
        let gpuverify = External::known("gpuverify", false, at).unwrap();
        let verified = "GPUVerify kernel analyser finished with 1 verified, 0 errors\n";
        assert_eq!(answer(&gpuverify, 0, verified), Answer::RaceFree);
        let error = "kernel.cu: error: possible write-write race on s[0]:\n\
                     GPUVerify kernel analyser finished with 0 verified, 1 error\n";
        assert_eq!(answer(&gpuverify, 6 << 8, error), Answer::Racy);
        // What is wrong may be another thing.
        let other = "GPUVerify kernel analyser finished with 0 verified, 10 errors\n";
        assert!(matches!(answer(&gpuverify, 6 << 8, other), Answer::Unsupported(_)));
        // Recorded words of this tool are those of its documentation.
        let racecheck = External::known("racecheck", false, at).unwrap();
        let race = "========= COMPUTE-SANITIZER\n\
                    ========= Error: Race reported between Write access at kernel(unsigned int *)+0x70 in host.cu:3\n\
                    =========     and Read access at kernel(unsigned int *)+0xd0 in host.cu:4 [12 hazards]\n\
                    =========\n========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)\n";
        assert_eq!(answer(&racecheck, 0, race), Answer::Racy);
        let free = "========= COMPUTE-SANITIZER\n\
                    ========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)\n";
        assert_eq!(answer(&racecheck, 0, free), Answer::RaceFree);
        let none = format!("CUDA error: no CUDA-capable device is detected\n{free}");
        assert!(matches!(answer(&racecheck, 1 << 8, &none), Answer::Unsupported(_)));
        let open =
            "Kernel 'kernel' has 0 data-races.\nA portion of the kernel was not analyzable.\n";
        assert!(matches!(answer(&faial, 1 << 8, open), Answer::Unsupported(_)));
        let status = Some(ExitStatus::from_raw(0));
        let flood = Ran { status, output: String::new(), cut: true };
        assert!(matches!(oclgrind.answer(&flood), Answer::Unsupported(_)));
    }

    #[test]
    fn words_of_commands_are_read_as_asked() {
        let reading = |racy: Option<&str>, free: Option<&str>| {
            let (racy, free) = (racy.map(str::to_owned), free.map(str::to_owned));
            External::command(
                "t {file}",
                &Reading { racy, free, ..Reading::default() },
                Path::new("/nowhere"),
            )
            .unwrap()
        };
        let status = reading(None, None);
        assert_eq!(answer(&status, 0, ""), Answer::RaceFree);
        assert_eq!(answer(&status, 1 << 8, ""), Answer::Racy);
        assert!(matches!(answer(&status, 2 << 8, ""), Answer::Unsupported(_)));
        assert!(matches!(answer(&status, 139 << 8, ""), Answer::Crash(_)));
        let words = reading(Some("RACE"), None);
        assert_eq!(answer(&words, 0, "a RACE"), Answer::Racy);
        assert_eq!(answer(&words, 0, "fine"), Answer::RaceFree);
        let both = reading(Some("RACE"), Some("fine"));
        assert!(matches!(answer(&both, 0, "no RACE, fine"), Answer::Unsupported(_)));
        assert!(matches!(answer(&both, 1 << 8, "nothing"), Answer::Unsupported(_)));
        for wrong in ["t", "t 'x {file}", ""] {
            assert!(
                External::command(wrong, &Reading::default(), Path::new("/")).is_err(),
                "{wrong}"
            );
        }
    }
}
