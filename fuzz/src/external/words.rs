//! What the words of tools mean.

use super::condition::Condition;
use super::known::{Says, Signs};
use crate::found::without_numbers;
use crate::process::Ran;
use crate::tool::{Answer, Divergence};
use babycuda_kernel::Language;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// How the words of a command are read where its tool is not known.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Reading {
    /// What a command says where there is a race: a text, or `json:/place=value`; without it, that it ends with status 1.
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
    Warnings(&'static [&'static str]),
    Reading(Reading),
}

impl From<Says> for Judge {
    fn from(says: Says) -> Judge {
        match says {
            Says::Signs(signs) => Judge::Signs(signs),
            Says::Warnings(racy) => Judge::Warnings(racy),
        }
    }
}

impl Judge {
    /// What it has to say of divergence.
    pub(super) fn divergence(&self) -> Divergence {
        match self {
            Judge::Warnings(_) => Divergence::Ignored,
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
            Judge::Warnings(_) if !status.success() => Answer::Unsupported(line()),
            Judge::Warnings(racy) => {
                let all = warnings(&ran.output);
                match all.iter().any(|name| racy.iter().any(|racy| name.starts_with(racy))) {
                    true => Answer::Racy,
                    false => Answer::Unsupported(silent(&all)),
                }
            }
            Judge::Reading(reading) => {
                // `None`: nothing is named; what is named and not understood is nowhere.
                let named = |text: &Option<String>| -> Option<Option<bool>> {
                    let condition: Result<Condition, _> = text.as_ref()?.parse();
                    Some(condition.ok().and_then(|condition| condition.holds(&ran.output)))
                };
                let (racy, free) = (named(&reading.racy), named(&reading.free));
                if named(&reading.divergent) == Some(Some(true)) {
                    // Its status says only that something is wrong.
                    let racy = racy == Some(Some(true));
                    return if racy { Answer::Racy } else { Answer::Divergent };
                }
                // Who does not say at the place where it does has not said anything.
                if racy == Some(None) && free != Some(Some(true)) {
                    return Answer::Unsupported(format!("nothing at the place: {}", line()));
                }
                let is = |named: Option<Option<bool>>, code| match named {
                    Some(says) => says == Some(true),
                    None => status.code() == Some(code),
                };
                match (is(racy, 1), is(free, 0)) {
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

/// The names of the warnings in the output of a compiler: `-Wunused`, or those of checkers.
fn warnings(output: &str) -> BTreeSet<&str> {
    let warned = output.lines().filter(|line| line.contains(": warning: "));
    let name = warned.filter_map(|line| line.strip_suffix(']')?.rsplit_once(" ["));
    name.map(|(_, name)| name).collect()
}

/// Why a compiler that has only these warnings says nothing of races.
fn silent(warnings: &BTreeSet<&str>) -> String {
    let names: Vec<&str> = warnings.iter().copied().collect();
    match names.is_empty() {
        true => "no warning".to_owned(),
        false => format!("no warning of races, but {}", names.join(", ")),
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

    /// What clang 14 printed; its thread safety analysis speaks of C++ with attributes alone, and would count.
    #[test]
    fn a_compiler_without_a_warning_of_races_says_nothing() {
        let clang = External::known("clang", false, Path::new("/nowhere")).unwrap();
        let words = "k.cl:9:12: warning: implicit conversion changes signedness: '__private int' to 'uint' (aka 'unsigned int') [-Wsign-conversion]
k.cl:5:5: warning: Value stored to 'x' is never read [deadcode.DeadStores]
k.cl:5:5: note: Value stored to 'x' is never read
k.cl:2:5: warning: no name of its own
";
        let why = "no warning of races, but -Wsign-conversion, deadcode.DeadStores";
        assert_eq!(answer(&clang, 0, words), Answer::Unsupported(why.into()));
        assert_eq!(answer(&clang, 0, ""), Answer::Unsupported("no warning".into()));
        let race = "k.cpp:3:5: warning: writing variable 'x' requires holding mutex 'm' exclusively [-Wthread-safety-analysis]\n";
        assert_eq!(answer(&clang, 0, race), Answer::Racy);
        let error = "k.cl:1:1: error: unknown type name 'foo'\n";
        let why = "k.cl:#:#: error: unknown type name 'foo'";
        assert_eq!(answer(&clang, 1 << 8, error), Answer::Unsupported(why.into()));
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
        let json = reading(Some("json:/verdict=racy"), None);
        assert_eq!(answer(&json, 3 << 8, "{\"verdict\": \"racy\"}"), Answer::Racy);
        assert_eq!(answer(&json, 0, "{\"verdict\": \"drf\"}"), Answer::RaceFree);
        assert!(matches!(answer(&json, 2 << 8, "{\"verdict\": \"?\"}"), Answer::Unsupported(_)));
        // It ends well, and says nothing.
        assert!(matches!(answer(&json, 0, "racy"), Answer::Unsupported(_)));
        let both = reading(Some("json:/races!=0"), Some("json:/races=0"));
        assert_eq!(answer(&both, 0, "{\"races\": 2}"), Answer::Racy);
        assert_eq!(answer(&both, 1 << 8, "{\"races\": 0}"), Answer::RaceFree);
        assert!(matches!(answer(&both, 0, "{}"), Answer::Unsupported(_)));
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
