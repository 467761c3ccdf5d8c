//! Every history of a kind. All are closed under [`symmetry`](super::symmetry), and those that no
//! program can have produced, because they read ⊥, are left out.

use super::programs::ARRAY;
use crate::situation::unrealizable_read;
use babycuda_core::{Accesses, Cell, History, HostMemory, Natural, Phase};

/// The phase in which thread `i` has the `i`-th accesses.
pub fn on_threads(accesses: impl IntoIterator<Item = Accesses>) -> Phase {
    (0..).zip(accesses).collect()
}

fn cell(j: u32) -> Cell {
    Cell::new(ARRAY, j)
}

/// Host memory that defines neither cell, and memory in which cell `j` holds `j`.
pub fn two_memories() -> [HostMemory; 2] {
    let mut identity = HostMemory::default();
    for j in 0..2u32 {
        identity.set(cell(j), Natural::from(j));
    }
    [HostMemory::default(), identity]
}

/// All sixteen memories in which each of two cells holds 0, 1, 2 or ⊥.
pub fn memories() -> Vec<HostMemory> {
    let contents = [Some(0u32), Some(1), Some(2), None];
    let memory = |(a, b): (Option<u32>, Option<u32>)| {
        let mut memory = HostMemory::default();
        for (j, value) in [a, b].into_iter().enumerate() {
            if let Some(k) = value {
                memory.set(cell(j as u32), Natural::from(k));
            }
        }
        memory
    };
    contents.into_iter().flat_map(|a| contents.map(|b| (a, b))).map(memory).collect()
}

/// Every `(R, W)` over two cells in which thread `i` writes only `i`: 16.
fn all_accesses(thread: u32) -> Vec<Accesses> {
    let accesses = |bits: u32| {
        let mut a = Accesses::default();
        for j in 0..2 {
            if bits >> j & 1 == 1 {
                a = a.write(cell(j), Natural::from(thread));
            }
            if bits >> (2 + j) & 1 == 1 {
                a = a.read(cell(j));
            }
        }
        a
    };
    (0..16).map(accesses).collect()
}

/// Every phase of two threads over two cells in which thread `i` writes only `i`: 256.
pub fn all_phases() -> Vec<Phase> {
    let (first, second) = (all_accesses(0), all_accesses(1));
    let pairs = first.iter().flat_map(|a| second.iter().map(move |b| [a.clone(), b.clone()]));
    pairs.map(on_threads).collect()
}

/// Every phase of `threads` threads with at most one access.
pub fn phases_of_one_access(threads: u32) -> Vec<Phase> {
    let mut phases = vec![Phase::default()];
    for i in 0..threads {
        for j in 0..2 {
            let none = Accesses::default();
            for a in [none.read(cell(j)), none.write(cell(j), Natural::from(i))] {
                phases.push(Phase::singleton(u64::from(i), a));
            }
        }
    }
    phases
}

/// For each phase and each of [`two_memories`], the histories `[P]` and `[∅, P]`, if realizable.
pub fn with_phases(phases: &[Phase]) -> Vec<History> {
    let mut histories = Vec::new();
    for host in two_memories() {
        for phase in phases {
            let as_head = History::empty(host.clone()).push(phase.clone());
            if unrealizable_read(&as_head).is_some() {
                continue;
            }
            if phase.threads().next().is_some() {
                histories.push(as_head.push(Phase::default()));
            }
            histories.push(as_head);
        }
    }
    histories
}
