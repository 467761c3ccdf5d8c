//! How runs end: what interleavings are held to reports by.

use crate::reference::{Accesses, in_order, numbered};
use babycuda_core::Name;
use babycuda_core::history::Access;
use babycuda_semantics::interleavings::{End, EndKind};
use babycuda_semantics::vm::Code;
use std::collections::BTreeSet;

/// The end of an interleaving. Arrays are numbers of those of the code, and an index or a value beyond
/// 64 bits, which no device has, is none.
#[derive(Debug)]
pub(crate) struct Finish {
    pub(crate) kind: EndKind,
    /// The accesses between barriers.
    pub(crate) intervals: Vec<Accesses>,
    /// The cells that were written or updated.
    pub(crate) memory: Vec<(usize, Option<u64>, Option<u64>)>,
}

impl Finish {
    pub(crate) fn of(end: &End, code: &Code) -> Finish {
        // Proof: the interleavings are of the code's program.
        let number = |array: &Name| {
            code.arrays().iter().position(|own| own == array).expect("an array of the program")
        };
        let interval = |accesses: &BTreeSet<Access>| {
            let accesses = accesses.iter().map(|own| {
                let index = own.cell.index.to_u64().unwrap_or(u64::MAX);
                numbered(own.thread, own.mode, number(&own.cell.array), index)
            });
            in_order(accesses.collect())
        };
        let memory = end.memory.iter();
        Finish {
            kind: end.kind.clone(),
            intervals: end.intervals.iter().map(interval).collect(),
            memory: memory
                .map(|(cell, value)| (number(&cell.array), cell.index.to_u64(), value.to_u64()))
                .collect(),
        }
    }
}
