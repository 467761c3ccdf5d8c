//! How verdicts are reported. Each format is a function from checked files to text.

pub mod human;
pub mod json;
pub mod sarif;

use crate::input::File;
use babycuda::Checked;
use babycuda_core::verdict::Outcome;

/// What became of one file.
pub struct FileReport {
    /// The file.
    pub file: File,
    /// Its kernels, in source order.
    pub kernels: Vec<KernelReport>,
}

/// What became of one kernel.
pub struct KernelReport {
    /// Its name.
    pub name: String,
    /// The verdict, with what it rests on.
    pub checked: Checked,
}

impl FileReport {
    /// The exit status: that of the worst kernel.
    pub fn status(&self) -> u8 {
        worst(self.kernels.iter().map(|k| exit_status(&k.checked.verdict.outcome)))
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

/// The word for an outcome in every format.
pub fn word(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Drf => "drf",
        Outcome::Racy => "racy",
        Outcome::Divergent => "divergent",
        Outcome::Unknown(_) => "unknown",
    }
}
