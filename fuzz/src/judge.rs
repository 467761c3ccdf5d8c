//! What a tool says of a kernel, beside what is true of it.

use crate::external::Reading;
use crate::kernels::Worst;
use crate::tool::{Answer, Divergence, Said, Tool};
use babycuda_validation::scorecard::truth::Truth;
use babycuda_validation::scorecard::{About, Case};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;

/// What an answer comes to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// The tool says what is true.
    Agreed,
    /// There is a race, and the tool says that there is none.
    MissedRace,
    /// Threads diverge at a barrier, which the tool looks for, and it says nothing of it.
    MissedDivergence,
    /// There is nothing wrong, and the tool says that there is.
    FalseAlarm,
    /// The tool ended as no program should.
    Crash,
    /// The tool did not end in time.
    TimeOut,
    /// The tool did not say.
    Unsupported,
    /// It is not known what is true, or it is not what the tool speaks of.
    Unjudged,
}

impl Class {
    /// All of them.
    pub const ALL: [Class; 8] = [
        Class::Agreed,
        Class::MissedRace,
        Class::MissedDivergence,
        Class::FalseAlarm,
        Class::Crash,
        Class::TimeOut,
        Class::Unsupported,
        Class::Unjudged,
    ];

    /// Is it worth a look?
    pub fn is_finding(self) -> bool {
        !matches!(self, Class::Agreed | Class::Unsupported | Class::Unjudged)
    }

    /// What is true where the answer of a tool comes to this finding. `None`: anything may be.
    pub(crate) fn truths(self, divergence: Divergence) -> Option<&'static [Truth]> {
        match self {
            Class::MissedRace => Some(&[Truth::Racy]),
            Class::MissedDivergence => Some(&[Truth::Divergent]),
            Class::FalseAlarm if divergence == Divergence::Apart => {
                Some(&[Truth::Clean, Truth::Divergent])
            }
            Class::FalseAlarm => Some(&[Truth::Clean]),
            _ => None,
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Class::Agreed => "agreed",
            Class::MissedRace => "missed race",
            Class::MissedDivergence => "missed divergence",
            Class::FalseAlarm => "false alarm",
            Class::Crash => "crash",
            Class::TimeOut => "time-out",
            Class::Unsupported => "unsupported",
            Class::Unjudged => "not judged",
        })
    }
}

/// A judgment, with what it rests on.
#[derive(Clone, Debug)]
pub struct Judged {
    /// What the answer comes to.
    pub class: Class,
    /// What is true; `None`: it is not known.
    pub truth: Option<Truth>,
    /// The contents of `d` with which that happens.
    pub contents: u32,
    /// What the tool said.
    pub said: Said,
}

/// How tools are asked.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Asking {
    /// How many seconds a program may take for a kernel. What is inside has a time of its own.
    #[serde(rename = "timeout", with = "seconds")]
    #[cfg_attr(feature = "schema", schemars(with = "f64"))]
    pub within: Duration,
    /// Is nothing held against who does not report races that leave one memory whatever the schedule?
    pub ignore_benign: bool,
    /// How the words of a command are read.
    #[serde(flatten)]
    pub reading: Reading,
}

impl Default for Asking {
    /// 10 seconds.
    fn default() -> Asking {
        let (ignore_benign, reading) = Default::default();
        Asking { within: Duration::from_secs(10), ignore_benign, reading }
    }
}

/// Times as seconds.
mod seconds {
    use super::Duration;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(time: &Duration, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_f64(time.as_secs_f64())
    }

    pub(super) fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<Duration, D::Error> {
        let seconds = f64::deserialize(from)?;
        match seconds > 0.0 && seconds <= 86_400.0 {
            true => Duration::try_from_secs_f64(seconds).map_err(D::Error::custom),
            false => Err(D::Error::custom("a time-out of more than 0 and at most 86400 seconds")),
        }
    }
}

/// Asks a tool about a kernel. A tool that runs it is given the contents of this number; any other is held to them, too, where
/// they show a race.
pub fn judge(tool: &dyn Tool, case: &Case, contents: u32, asking: &Asking) -> Judged {
    let worst = match tool.about() {
        About::Inputs => Worst::from(worst_near(case, contents)),
        About::Run => Worst::new(),
    };
    judge_beside(tool, case, &worst, contents, asking)
}

/// The worst that happens with any contents: with these, if that is a race.
pub(crate) fn worst_near(case: &Case, contents: u32) -> Option<(Truth, u32)> {
    let contents = if case.depends_on_contents() { contents } else { 0 };
    match case.truth(contents) {
        Some(Truth::Racy) => Some((Truth::Racy, contents)),
        _ => case.worst(),
    }
}

/// Likewise, where the worst that happens in the kernel may be known.
pub(crate) fn judge_beside(
    tool: &dyn Tool,
    case: &Case,
    worst: &Worst,
    contents: u32,
    asking: &Asking,
) -> Judged {
    let known = match tool.about() {
        About::Inputs => *worst.get_or_init(|| case.worst()),
        About::Run => {
            let contents = if case.depends_on_contents() { contents } else { 0 };
            case.truth(contents).map(|truth| (truth, contents))
        }
    };
    let contents = known.map_or(0, |(_, contents)| contents);
    let said = tool.ask(case, contents, asking.within);
    let truth = known.map(|(truth, _)| truth);
    let divergence = tool.divergence();
    let class = match (&said.answer, truth) {
        (Answer::Crash(_), _) => Class::Crash,
        // A run in which threads wait at different barriers may never end.
        (Answer::TimeOut, Some(Truth::Divergent))
            if tool.about() == About::Run && divergence == Divergence::Ignored =>
        {
            Class::Unjudged
        }
        (Answer::TimeOut, _) => Class::TimeOut,
        (Answer::Unsupported(_), _) => Class::Unsupported,
        (_, None) => Class::Unjudged,
        (_, Some(Truth::Divergent)) if divergence == Divergence::Ignored => Class::Unjudged,
        (Answer::Racy, Some(Truth::Racy)) => Class::Agreed,
        (Answer::Racy, Some(Truth::Divergent)) if divergence == Divergence::Alarm => Class::Agreed,
        (Answer::Racy, Some(Truth::Divergent)) => Class::FalseAlarm,
        (Answer::RaceFree, Some(Truth::Clean)) => Class::Agreed,
        (Answer::Divergent, Some(Truth::Divergent)) => Class::Agreed,
        (Answer::Divergent, Some(Truth::Racy)) => Class::MissedRace,
        (Answer::Racy | Answer::Divergent, Some(Truth::Clean)) => Class::FalseAlarm,
        (Answer::RaceFree, Some(Truth::Divergent)) => Class::MissedDivergence,
        (Answer::RaceFree, Some(Truth::Racy))
            if asking.ignore_benign && !case.is_harmful(contents) =>
        {
            Class::Unjudged
        }
        (Answer::RaceFree, Some(Truth::Racy)) => Class::MissedRace,
    };
    Judged { class, truth, contents, said }
}
