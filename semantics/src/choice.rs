//! What a run settled that the calculus leaves open.

use babycuda_core::history::{LastWrite, Possible};
use babycuda_core::{Cell, Natural, Site};
use std::fmt;

/// One value chosen among several.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Choice {
    /// The number of the phase, from 0.
    pub phase: usize,
    /// The thread.
    pub thread: u64,
    /// The statement.
    pub site: Site,
    /// The cell.
    pub cell: Cell,
    /// The value chosen.
    pub value: Natural,
    /// What was open.
    pub open: Open,
}

/// What the calculus leaves open.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Open {
    /// A read of a cell that may hold several values (LCL22 Fig. 5, lastwrite-curr).
    Read(Possible),
    /// The value that an atomic update yields: any natural (THEORY §4); with what the thread would
    /// see if it ran alone.
    Atomic(LastWrite),
}

impl Open {
    /// The values from which one was chosen, the smallest first.
    pub fn candidates(&self) -> Vec<Natural> {
        match self {
            Open::Read(possible) | Open::Atomic(LastWrite::Several(possible)) => {
                possible.values.iter().cloned().collect()
            }
            Open::Atomic(LastWrite::One(value)) => vec![value.clone()],
            Open::Atomic(LastWrite::Undefined) => vec![Natural::zero()],
        }
    }

    /// Does the calculus allow no other value?
    pub fn is_exhaustive(&self) -> bool {
        matches!(self, Open::Read(possible) if possible.exhaustive)
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Choice { phase, thread, site, cell, value, open } = self;
        write!(f, "phase {phase}, thread {thread}, statement {site}: ")?;
        let candidates: Vec<String> = open.candidates().iter().map(ToString::to_string).collect();
        let candidates = candidates.join(" or ");
        match open {
            Open::Read(possible) => {
                let more = if possible.exhaustive { "" } else { " or another value" };
                write!(f, "the read of {cell} yields {value}, of {candidates}{more}")
            }
            Open::Atomic(_) => write!(
                f,
                "the update of {cell} yields {value}, of any number (alone, the thread would see \
                 {candidates})"
            ),
        }
    }
}

/// The choices of a run, in order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Choices {
    noted: Vec<Choice>,
    made: u64,
}

impl Choices {
    /// How many are kept; the others are only counted.
    pub const KEPT: usize = 1000;

    /// The first [`Choices::KEPT`].
    pub fn noted(&self) -> &[Choice] {
        &self.noted
    }

    /// How many were made.
    pub fn made(&self) -> u64 {
        self.made
    }

    pub(crate) fn note(&mut self, choice: impl FnOnce() -> Choice) {
        self.made += 1;
        if self.noted.len() < Choices::KEPT {
            self.noted.push(choice());
        }
    }
}
