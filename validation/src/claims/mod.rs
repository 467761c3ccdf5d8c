//! What must hold of every report: one claim a file.

mod accesses;
mod divergence;
mod ends;
mod explanation;
mod interleaving;
mod memory;
mod overflow;
mod races;
mod threads;

pub use explanation::Explanation;

use crate::observation::Observation;
use crate::reference::{Class, Reference};
use babycuda_gpu::{BackendName, Report};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A claim.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Claim {
    /// A number of more than 64 bits is reported, exactly where the semantics has one.
    OverflowIsReported,
    /// A well-typed program accesses what its protocol says (T2, T4, T5).
    WellTypedProgramsAccessTheirProtocol,
    /// The first racy phase of the semantics is the first one of the log (T6).
    RacesAreInTheLog,
    /// A program without a race ends in the memory that `lastwrite` gives (T6).
    RaceFreeProgramsEndInLastwrite,
    /// Divergence is reported, as the semantics has it.
    DivergenceIsReported,
    /// Each thread does what its program does.
    ThreadsFollowTheirProgram,
    /// The values that were read, and those that are left, are those of some interleaving.
    ValuesAreOfAnInterleaving,
    /// A racy program ends as one of all its interleavings does, where they are few.
    EndsAreThoseOfInterleavings,
    /// Where an ill-typed program differs from its big-step history, there is a reason for it.
    DifferencesAreExplained,
}

impl Claim {
    /// All of them, in the order in which they are checked.
    pub const ALL: [Claim; 9] = [
        Claim::OverflowIsReported,
        Claim::WellTypedProgramsAccessTheirProtocol,
        Claim::RacesAreInTheLog,
        Claim::RaceFreeProgramsEndInLastwrite,
        Claim::DivergenceIsReported,
        Claim::ThreadsFollowTheirProgram,
        Claim::ValuesAreOfAnInterleaving,
        Claim::EndsAreThoseOfInterleavings,
        Claim::DifferencesAreExplained,
    ];

    fn check(self, observed: &Observation<'_>) -> Judgment {
        match self {
            Claim::OverflowIsReported => overflow::check(observed),
            Claim::WellTypedProgramsAccessTheirProtocol => accesses::check(observed),
            Claim::RacesAreInTheLog => races::check(observed),
            Claim::RaceFreeProgramsEndInLastwrite => memory::check(observed),
            Claim::DivergenceIsReported => divergence::check(observed),
            Claim::ThreadsFollowTheirProgram => threads::check(observed),
            Claim::ValuesAreOfAnInterleaving => interleaving::check(observed),
            Claim::EndsAreThoseOfInterleavings => ends::check(observed),
            Claim::DifferencesAreExplained => explanation::check(observed),
        }
    }
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Claim::OverflowIsReported => "overflow is reported",
            Claim::WellTypedProgramsAccessTheirProtocol => {
                "well-typed programs access their protocol"
            }
            Claim::RacesAreInTheLog => "races are in the log",
            Claim::RaceFreeProgramsEndInLastwrite => "race-free programs end in lastwrite",
            Claim::DivergenceIsReported => "divergence is reported",
            Claim::ThreadsFollowTheirProgram => "threads follow their program",
            Claim::ValuesAreOfAnInterleaving => "values are of an interleaving",
            Claim::EndsAreThoseOfInterleavings => "ends are those of interleavings",
            Claim::DifferencesAreExplained => "differences are explained",
        })
    }
}

/// What a claim comes to for one report.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Judgment {
    /// It holds.
    Holds,
    /// It says nothing of this program or this run.
    NotApplicable,
    /// Deciding it takes more than was allowed.
    Undecided,
    /// It holds of every order of the accesses to each cell alone, and of no interleaving: the
    /// device's memory is weaker than the one of the calculus. A finding on a device, whose plain
    /// accesses that race, and whose atomics, are of a relaxed order; a bug of the simulator.
    BeyondInterleavings(String),
    /// It does not hold: why.
    Violated(String),
}

impl Judgment {
    fn violated(why: impl fmt::Display) -> Judgment {
        Judgment::Violated(why.to_string())
    }
}

/// What a report comes to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Verdict {
    /// What the theory says of the program.
    pub class: Class,
    /// The numbers did not fit: only [`Claim::OverflowIsReported`] was checked.
    pub overflowed: bool,
    /// What each claim comes to; claims after one that does not hold are checked all the same.
    pub judgments: Vec<(Claim, Judgment)>,
    /// Of an ill-typed program: what it did beside its big-step history, and why it may.
    pub explanation: Option<Explanation>,
}

impl Verdict {
    /// The first claim that does not hold, with the reason.
    ///
    /// On a device, what is beyond interleavings counts as a finding and not as a failure; on the
    /// simulator it is one.
    pub fn failure(&self, backend: BackendName) -> Option<(Claim, &str)> {
        self.judgments.iter().find_map(|(claim, judgment)| match judgment {
            Judgment::Violated(why) => Some((*claim, &**why)),
            Judgment::BeyondInterleavings(why) if backend == BackendName::Sim => {
                Some((*claim, &**why))
            }
            Judgment::BeyondInterleavings(_)
            | Judgment::Holds
            | Judgment::NotApplicable
            | Judgment::Undecided => None,
        })
    }

    /// The first claim that was not decided.
    pub fn undecided(&self) -> Option<Claim> {
        let undecided = |(_, judgment): &&(Claim, Judgment)| *judgment == Judgment::Undecided;
        self.judgments.iter().find(undecided).map(|(claim, _)| *claim)
    }

    /// Why no interleaving explains what was seen, if none does.
    pub fn beyond_interleavings(&self) -> Option<&str> {
        self.judgments.iter().find_map(|(_, judgment)| match judgment {
            Judgment::BeyondInterleavings(why) => Some(&**why),
            Judgment::Holds
            | Judgment::NotApplicable
            | Judgment::Undecided
            | Judgment::Violated(_) => None,
        })
    }
}

/// Holds a report to every claim. The report must be of a job made of the reference's instance.
pub fn validate(reference: &Reference, report: &Report) -> Verdict {
    let observed = Observation::new(reference, report);
    let overflowed = report.overflow.is_some();
    // What follows from a number that did not fit is not the calculus'.
    let applicable = Claim::ALL.iter().take(if overflowed { 1 } else { Claim::ALL.len() });
    let judgments = applicable.map(|claim| (*claim, claim.check(&observed))).collect();
    let ill_typed = reference.lambda.is_none() && !overflowed;
    Verdict {
        class: reference.class(),
        overflowed,
        judgments,
        explanation: ill_typed.then(|| explanation::explain(&observed)).flatten(),
    }
}
