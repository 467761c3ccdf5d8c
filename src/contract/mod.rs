//! A kernel's contract: what must hold of its launches for it to be race-free, and who says so.
//!
//! [`from_source`] takes it from the launches that the file of the kernel makes itself; [`infer`] looks for a
//! condition under which the kernel is race-free. Both are checked as any other assumption is.

mod candidates;
mod choose;
mod contents;
mod infer;
mod parts;
mod samples;
mod search;
#[cfg(feature = "frontend")]
mod source;
mod under;
mod watch;

pub use infer::{Inferred, Stated, infer};
#[cfg(feature = "runs")]
pub(crate) use samples::realistic;
#[cfg(feature = "frontend")]
pub use source::from_source;

use crate::Checked;
use babycuda_core::Span;
use babycuda_core::evidence::Certainty;
use babycuda_core::verdict::{Outcome, Verdict};

/// A kernel's contract.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Contract {
    /// The launches that the kernel's own file makes, and what is true of each: those under which the kernel races
    /// first.
    pub launches: Vec<Launched>,
    /// A condition under which the kernel is race-free, which nobody states: all of these hold. It is checked, and
    /// there are launches that satisfy it. Where a launch of the file is racy, it is about that launch.
    pub inferred: Vec<String>,
    /// What the kernel itself requires of launches, and the verdict assumes.
    pub required: Vec<Required>,
    /// The verdict without the contract, where the contract grants another one.
    pub without: Option<Box<Verdict>>,
}

/// A condition that a kernel requires of its launches.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Required {
    /// Where it stands.
    pub span: Span,
    /// In C.
    pub text: String,
}

/// A launch that the file of the kernel makes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Launched {
    /// Where it stands.
    pub span: Span,
    /// What it says of extents and parameters, in C; where it says nothing, any are meant.
    pub conditions: Vec<String>,
    /// Does it say all: are extents and integer parameters constants?
    pub exact: bool,
    /// What is true under it.
    pub outcome: Outcome,
}

impl Contract {
    /// Is the verdict that of the launches of the kernel's file?
    pub fn is_granted(&self) -> bool {
        self.without.is_some()
    }

    /// In one line, what is said last of a racy kernel with an inferred condition.
    pub fn unless(&self) -> Option<String> {
        let all = self.inferred.join(" && ");
        (!all.is_empty()).then(|| format!("racy unless {all}; race-free then (checked)"))
    }
}

/// In one line, what holds without a contract: the verdict, and the launch of its first race.
pub fn shortly(checked: &Checked, verdict: &Verdict) -> String {
    let sure = |certainty: Certainty| certainty != Certainty::Potential;
    let race = verdict.races.iter().find(|race| sure(race.certainty));
    match (&verdict.outcome, race) {
        (Outcome::Racy, Some(race)) => {
            let (kind, at) = (race.kind().description(), &race.configuration);
            let parameters = at.parameters.iter().map(|(name, value)| {
                format!(", {name} = {}", checked.declarations.read_parameter(name, value))
            });
            let parameters: String = parameters.collect();
            let grid = match at.launch.grid.count() {
                0 | 1 => String::new(),
                _ => format!(", grid {}", at.launch.grid),
            };
            format!(
                "racy: {kind} race on {} with block {}{grid}{parameters}",
                race.cell, at.launch.block
            )
        }
        (Outcome::Unknown(why), _) => format!("unknown: {why}"),
        (outcome, _) => outcome.word().to_owned(),
    }
}
