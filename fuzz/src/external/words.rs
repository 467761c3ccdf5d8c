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
            // What a shell says of a program that a signal ended, and what a panic ends with; -1 is that it gave up.
            Some(code @ (101 | 128..=254)) => {
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
                let is_sign = |line: &&str| signs.unsupported.iter().any(|s| line.contains(s));
                if let Some(line) = ran.output.lines().find(is_sign) {
                    Answer::Unsupported(first_line(line))
                } else if says(signs.racy) || says(signs.divergent) {
                    Answer::Racy
                } else if says(signs.free)
                    || signs.free.is_empty() && status.success() && ran.output.trim().is_empty()
                {
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

/// The first line of some words that is no banner, without its numbers: names of files, times and addresses are no reasons of
/// their own.
pub(super) fn first_line(words: &str) -> String {
    let lines = || words.lines().map(str::trim).filter(|line| !line.is_empty());
    let says = |line: &&str| line.contains(char::is_lowercase);
    let first = lines().find(says).or_else(|| lines().next());
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
        assert!(matches!(answer(&status, 255 << 8, ""), Answer::Unsupported(_)));
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
