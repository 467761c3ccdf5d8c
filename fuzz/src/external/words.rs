//! What the words of tools mean.

use super::known::Signs;
use crate::found::without_numbers;
use crate::process::Ran;
use crate::tool::{Answer, Divergence};
use babycuda_kernel::Language;
use serde::{Deserialize, Serialize};

/// How the words of a command are read where its tool is not known.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Reading {
    /// What a command says where there is a race; without it, that it ends with status 1.
    #[serde(rename = "racy_when", skip_serializing_if = "Option::is_none")]
    pub racy: Option<String>,
    /// What it says where threads diverge at a barrier and there is no race; without it, it looks for races only.
    #[serde(rename = "divergent_when", skip_serializing_if = "Option::is_none")]
    pub divergent: Option<String>,
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

/// What tells the answer of a tool.
#[derive(Debug)]
pub(super) enum Judge {
    Signs(Signs),
    Reading(Reading),
}

impl Judge {
    /// What it has to say of divergence.
    pub(super) fn divergence(&self) -> Divergence {
        match self {
            Judge::Signs(signs) if signs.divergent.is_empty() => Divergence::Ignored,
            Judge::Signs(_) => Divergence::Alarm,
            Judge::Reading(reading) if reading.divergent.is_none() => Divergence::Ignored,
            Judge::Reading(_) => Divergence::Apart,
        }
    }

    /// What a run of the tool comes to.
    pub(super) fn answer(&self, ran: &Ran) -> Answer {
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
        match self {
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
                let has = |text: &str| ran.output.contains(text);
                let is = |text: &Option<String>, code| match text {
                    Some(text) => has(text),
                    None => status.code() == Some(code),
                };
                if reading.divergent.as_deref().is_some_and(has) {
                    // Its status says only that something is wrong.
                    let racy = reading.racy.as_deref().is_some_and(has);
                    return if racy { Answer::Racy } else { Answer::Divergent };
                }
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

/// The first line of some words, without its numbers: names of files, times and addresses are no reasons of their own.
pub(super) fn first_line(words: &str) -> String {
    let first = words.lines().map(str::trim).find(|line| !line.is_empty());
    without_numbers(first.unwrap_or("no words")).chars().take(120).collect()
}

#[cfg(all(test, unix))]
mod tests {
    use super::super::External;
    use super::*;
    use std::os::unix::process::ExitStatusExt;
    use std::path::Path;
    use std::process::ExitStatus;

    fn answer(tool: &External, status: i32, output: &str) -> Answer {
        let status = Some(ExitStatus::from_raw(status));
        tool.judge.answer(&Ran { status, output: output.into(), cut: false })
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
        assert!(matches!(oclgrind.judge.answer(&flood), Answer::Unsupported(_)));
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
