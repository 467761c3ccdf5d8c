//! Accesses, phases and histories, as LCL22 Eq. (1) prints them.
//!
//! A cell of the array `A` is printed as its index, one of another array as `B[3]`.

use crate::history::{Accesses, AtomicLog, Cell, History, Phase};
use crate::syntax::DEFAULT_ARRAY;
use std::fmt;

/// A cell of a history.
struct Short<'a>(&'a Cell);

impl fmt::Display for Short<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.array.as_str() == DEFAULT_ARRAY {
            write!(f, "{}", self.0.index)
        } else {
            write!(f, "{}", self.0)
        }
    }
}

/// `{a, b, …}`, or `∅`.
fn braces<T>(
    f: &mut fmt::Formatter<'_>,
    items: impl ExactSizeIterator<Item = T>,
    mut print: impl FnMut(&mut fmt::Formatter<'_>, T) -> fmt::Result,
) -> fmt::Result {
    if items.len() == 0 {
        return f.write_str("∅");
    }
    for (i, item) in items.enumerate() {
        f.write_str(if i == 0 { "{" } else { ", " })?;
        print(f, item)?;
    }
    f.write_str("}")
}

/// `(R, W)`; with atomic updates, `(R, W, U)`.
impl fmt::Display for Accesses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(")?;
        braces(f, self.reads.iter(), |f, cell| write!(f, "{}", Short(cell)))?;
        f.write_str(", ")?;
        braces(f, self.writes.iter(), |f, (cell, value)| write!(f, "{}: {value}", Short(cell)))?;
        if !self.atomics.is_empty() {
            f.write_str(", ")?;
            braces(f, self.atomics.iter(), |f, (cell, log)| write!(f, "{}: {log}", Short(cell)))?;
        }
        f.write_str(")")
    }
}

/// `[add 1, add 2]`
impl fmt::Display for AtomicLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (i, update) in self.updates.iter().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            write!(f, "{comma}{update}")?;
        }
        f.write_str("]")
    }
}

/// `{i: A, …}`; behind its stages, each with its barrier: `{0: A} |0..2| {1: B}`.
impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for stage in self.stages() {
            let threads: Vec<_> = stage.threads().collect();
            braces(f, threads.into_iter(), |f, (i, accesses)| write!(f, "{i}: {accesses}"))?;
            write!(f, " |{}..{}| ", stage.first, stage.end)?;
        }
        let open = self.open();
        let threads: Vec<_> = open.threads().collect();
        braces(f, threads.into_iter(), |f, (thread, accesses)| write!(f, "{thread}: {accesses}"))
    }
}

/// `[P, …]`, newest first. What the host stored is not printed.
impl fmt::Display for History {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (i, phase) in self.newest_first().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            write!(f, "{comma}{phase}")?;
        }
        f.write_str("]")?;
        match self.begun().is_staged() {
            true => write!(f, " amid {}", self.begun()),
            false => Ok(()),
        }
    }
}
