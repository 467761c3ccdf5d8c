//! What babycuda found, as text for people and as documents for programs. Nothing here prints: each
//! function makes a text or a value, so that every front end (a program, a Python package, an
//! editor) shows the same.
//!
//! | module | contents |
//! |---|---|
//! | [`human`] | verdicts with excerpts of the source |
//! | [`document`] | verdicts as JSON: `schemas/verdict.json` |
//! | [`sarif`] | verdicts for code scanning services |
//! | [`run`], [`choices`] | runs, and what was chosen for them |
//! | [`history`], [`across`] | histories, and races between blocks |
//! | [`typing`], [`verify`] | types, and what a checker says of a derivation |

pub mod across;
pub mod choices;
pub mod document;
pub mod history;
pub mod human;
pub mod run;
pub mod sarif;
pub mod typing;
pub mod verify;

use babycuda::Checked;
use babycuda_core::verdict::Outcome;

/// What became of one file.
#[derive(Clone, Debug)]
pub struct FileReport {
    /// Its path, as it is reported.
    pub path: String,
    /// Its text.
    pub text: String,
    /// Its kernels, in source order.
    pub kernels: Vec<Checked>,
}

impl FileReport {
    /// The exit status: that of the worst kernel.
    pub fn status(&self) -> u8 {
        worst(self.kernels.iter().map(|kernel| exit_status(&kernel.verdict.outcome)))
    }
}

/// The exit status of one outcome: 0 race-free, 1 race or divergence, 3 unknown.
pub fn exit_status(outcome: &Outcome) -> u8 {
    match outcome {
        Outcome::Drf => 0,
        Outcome::Racy | Outcome::Divergent => 1,
        Outcome::Unknown(_) => 3,
    }
}

/// The worst of several exit statuses: 2, then 1, then 3, then 0.
pub fn worst(statuses: impl IntoIterator<Item = u8>) -> u8 {
    let rank = |s: &u8| [0, 3, 1, 2].iter().position(|x| x == s);
    statuses.into_iter().max_by_key(rank).unwrap_or(0)
}
