//! Races as LCL22 Def. 1 says them, word for word.
//!
//! [`Phase::races`](babycuda_core::Phase::races) sorts accesses by cell; the statements that
//! conclude something about races hold it to this.

use babycuda_core::{Accesses, Cell, Phase};

/// “A phase is racy when, for some i1 ≠ i2, some j is written by i1, and read or written by i2.”
/// Atomic updates (THEORY §4) race with reads and writes, and with each other unless the scopes of
/// both cover both threads, which are threads of one block.
pub(crate) fn is_racy(phase: &Phase) -> bool {
    let threads = || phase.threads();
    threads().any(|(i1, first)| {
        threads().any(|(i2, second)| i1 != i2 && cells(first).any(|j| clash(first, second, j)))
    })
}

/// Every cell that a thread writes or updates.
fn cells(accesses: &Accesses) -> impl Iterator<Item = &Cell> {
    accesses.writes.keys().chain(accesses.atomics.keys())
}

/// Is `j` written by the first thread and accessed by the second, or updated by the first and
/// accessed otherwise by the second?
fn clash(first: &Accesses, second: &Accesses, j: &Cell) -> bool {
    let (reads, writes) = (second.reads.contains(j), second.writes.contains_key(j));
    let updates = second.atomics.get(j);
    if first.writes.contains_key(j) && (reads || writes || updates.is_some()) {
        return true;
    }
    // All scopes cover the threads of one block, so two updates never clash here.
    first.atomics.contains_key(j) && (reads || writes)
}
