//! The renaming under which programs are not told apart.
//!
//! σ swaps the two threads, the two cells and the values 0 and 1, all at once. It maps `tid` to
//! itself, because the thread and the value are both swapped, and the guard `tid == 0` to its
//! negation, so the branches are swapped instead. Every judgment commutes with it. Loops, and guards
//! on what was read, have no image in the vocabulary: there σ is not applied.

use super::histories::on_threads;
use babycuda_core::{Accesses, Cell, History, HostMemory, Natural, Num, Phase, Stmt};

/// `σ(b)` for two threads; `None` where it leaves the vocabulary.
pub fn image(program: &Stmt) -> Option<Stmt> {
    rename(program).map(|b| b.numbered())
}

/// Is the program the one of its orbit that is looked at: not larger than its image?
pub fn is_representative(program: &Stmt) -> bool {
    image(program).is_none_or(|other| *program <= other)
}

fn rename(b: &Stmt) -> Option<Stmt> {
    Some(match b {
        Stmt::Skip => Stmt::Skip,
        Stmt::Sync { scope, .. } => Stmt::barrier(*scope),
        Stmt::Write { array, index, payload, .. } => {
            Stmt::write(array.clone(), value(index), value(payload))
        }
        Stmt::Read { var, array, index, body, .. } => {
            Stmt::read(var.clone(), array.clone(), value(index), rename(body)?)
        }
        Stmt::Seq(first, second) => Stmt::seq(rename(first)?, rename(second)?),
        Stmt::If { condition, then, otherwise, .. } => {
            let thread = condition.free_vars().iter().all(|x| x.as_str() == "tid");
            thread.then_some(())?;
            Stmt::branch(condition.clone(), rename(otherwise)?, rename(then)?)
        }
        Stmt::For { .. } | Stmt::Atomic { .. } => return None,
    })
}

fn value(n: &Num) -> Num {
    match n {
        Num::Lit(k) => Num::Lit(swap(k)),
        other => other.clone(),
    }
}

fn swap(k: &Natural) -> Natural {
    match k.to_u64() {
        Some(0) => Natural::from(1u32),
        Some(1) => Natural::zero(),
        _ => k.clone(),
    }
}

fn cell(j: &Cell) -> Cell {
    Cell { array: j.array.clone(), index: swap(&j.index) }
}

/// `σ(H)`, for two threads and host memory without fill.
pub fn image_of_history(history: &History) -> History {
    let mut host = HostMemory::default();
    for (name, array) in history.host().arrays() {
        for (j, k) in &array.cells {
            host.set(Cell { array: name.clone(), index: swap(j) }, swap(k));
        }
    }
    let image = |a: &Accesses| Accesses {
        reads: a.reads.iter().map(cell).collect(),
        writes: a.writes.iter().map(|(j, k)| (cell(j), swap(k))).collect(),
        atomics: a.atomics.clone(),
    };
    let phase = |p: &Phase| on_threads([image(&p.get(1)), image(&p.get(0))]);
    history.chronological().fold(History::empty(host), |h, (_, p)| h.push(phase(p)))
}
