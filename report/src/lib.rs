//! What babycuda found, as text for people and as documents for programs. Nothing here prints: each
//! function makes a text or a value, so that every front end (a program, a Python package, an
//! editor) shows the same.
//!
//! | module | contents |
//! |---|---|
//! | [`human`] | verdicts with excerpts of the source |
//! | [`document`] | verdicts as JSON, written and read: `schemas/verdict.json` |
//! | [`finding`] | races, divergences and what is not decided, each in one line |
//! | [`lines`] | these as lines that compilers and GitHub print |
//! | [`sarif`] | these for code scanning services |
//! | [`code`] | the table of codes |
//! | [`accesses`] | what each access rests on |
//! | [`run`], [`choices`] | runs, and what was chosen for them |
//! | [`history`], [`across`] | histories, and races between blocks |
//! | [`typing`], [`verify`] | types, and what a checker says of a derivation |
//! | [`matrix`] | histories as matrices of threads and cells: text, HTML and SVG |
//! | [`beside`] | runs beside their source, line by line: text, HTML and SVG |
//! | [`derivation`] | derivations, drawn: text, HTML, SVG and LaTeX |
//! | `compare` | all techniques side by side (feature `detectors`) |
//! | `device` | what a device did beside the semantics (feature `gpu`) |
//! | `trace` | the races of a log of accesses (feature `traces`) |
//!
//! A verdict as a line, and what a program exits with:
//!
//! ```
//! use babycuda::{CheckOptions, check, parse::parse_program};
//! use babycuda_report::{FileReport, lines};
//!
//! let text = "threads 2;\nA[0] := tid";
//! let checked = check(&parse_program(text)?, &CheckOptions::default())?;
//! let report = FileReport {
//!     path: "both.bcuda".to_owned(),
//!     text: text.to_owned(),
//!     kernels: vec![checked],
//!     accesses: Vec::new(),
//!     ignore_benign: false,
//! };
//! let line = lines::short(&report);
//! assert!(line.starts_with("both.bcuda:2:1: race [BC001]: write-write race on A[0]"), "{line}");
//! assert_eq!(report.status(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod accesses;
pub mod across;
pub mod beside;
mod causes;
pub mod choices;
pub mod code;
#[cfg(feature = "detectors")]
pub mod compare;
pub mod derivation;
#[cfg(feature = "gpu")]
pub mod device;
pub mod document;
pub mod finding;
pub mod history;
pub mod human;
pub mod lines;
mod markup;
pub mod matrix;
mod names;
mod picture;
pub mod run;
pub mod sarif;
mod suggestion;
#[cfg(feature = "traces")]
pub mod trace;
pub mod typing;
pub mod verify;

use accesses::Annotation;
use babycuda::Checked;
use babycuda_core::evidence::{Certainty, Report, Witness};
use babycuda_core::natural::Integer;
use babycuda_core::syntax::Contents;
use babycuda_core::verdict::Outcome;
use babycuda_core::{Cell, Configuration, Declarations, Natural};

/// What became of one file.
#[derive(Clone, Debug)]
pub struct FileReport {
    /// Its path, as it is reported.
    pub path: String,
    /// Its text.
    pub text: String,
    /// Its kernels, in source order.
    pub kernels: Vec<Checked>,
    /// What the accesses of each kernel rest on; of those behind the end it was not asked.
    pub accesses: Vec<Vec<Annotation>>,
    /// Do benign races not count for the exit status?
    pub ignore_benign: bool,
}

impl FileReport {
    /// The exit status: that of the worst kernel. Where benign races do not count, one that has no other is like a
    /// race-free one, and one of which it is not known whether it has others like one that is not decided.
    pub fn status(&self) -> u8 {
        worst(self.kernels.iter().map(|kernel| self.status_of(kernel)))
    }

    fn status_of(&self, kernel: &Checked) -> u8 {
        let sure = |race: &&Report<Witness>| race.certainty != Certainty::Potential;
        let mut races = kernel.verdict.races.iter().filter(sure);
        let ignored = self.ignore_benign
            && kernel.verdict.outcome == Outcome::Racy
            && races.all(|race| kernel.same_value_of(race).is_some());
        match (ignored, kernel.is_benign_only()) {
            (false, _) => exit_status(&kernel.verdict.outcome),
            (true, true) => 0,
            (true, false) => 3,
        }
    }
}

/// What the host stored in a witness that is sure, as the types of the arrays read it: in its run, or
/// where there is none, in its configuration `at`. Cells that are not named hold 0.
fn contents<W>(
    declarations: &Declarations,
    report: &Report<W>,
    at: &Configuration,
) -> Option<Vec<(Cell, Integer)>> {
    let cells = match &report.replay {
        Some(replay) => replay.contents.clone(),
        None if report.certainty == Certainty::Potential || at.host.is_empty() => return None,
        None => {
            let open = |cell: &Cell| *declarations.contents(&cell.array) == Contents::Any;
            let chosen = |(cell, k): &(Cell, Natural)| open(cell) && *k != Natural::zero();
            at.host.cells().filter(chosen).collect()
        }
    };
    let cells = cells.into_iter().filter(|(cell, _)| names::is_named(declarations, &cell.array));
    let read = |(cell, k): (Cell, Natural)| {
        let value = declarations.read_content(&cell.array, &k);
        (cell, value)
    };
    Some(cells.map(read).collect())
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
