//! `lastwrite`, changed, in a small evaluator of one block: by what each thread has left to run, and one memory of
//! phases. It has no derivations, and no atomic updates. With [`Memory::Right`] it is the reference: tests hold that.

use crate::limits;
use babycuda::semantics::Instance;
use babycuda_core::budget::pause;
use babycuda_core::{Accesses, Bool, Cell, History, Natural, Num, Phase, Site, Stmt};
use std::collections::BTreeSet;
use std::sync::Arc;

/// What a read yields.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Memory {
    /// What the newest phase with a writer left, the thread's own current one included; else what the host stored.
    Right,
    /// What the oldest one left.
    OldestPhase,
    /// Also what threads before this one wrote in the current phase.
    CurrentPhase,
    /// Not what the thread itself wrote in the current phase.
    WithoutOwn,
}

impl Memory {
    /// The change of this name.
    pub fn named(name: &str) -> Option<Memory> {
        Some(match name {
            "oldest-phase" => Memory::OldestPhase,
            "current-phase" => Memory::CurrentPhase,
            "without-own" => Memory::WithoutOwn,
            _ => return None,
        })
    }
}

/// Runs a block from `[∅]`.
///
/// # Errors
/// In words, why there is no history: a thread is stuck, threads diverge, or a limit was reached.
pub fn run(instance: &Instance, memory: Memory) -> Result<History, String> {
    let (block, body) = (instance.block(), instance.body());
    let mut machine =
        Machine { memory, history: History::empty(instance.host().clone()), steps: 0 };
    let start = |i: u64| vec![Arc::new(body.subst(&block.substitution(i)))];
    let mut threads: Vec<Vec<Arc<Stmt>>> = (0..block.len()).map(start).collect();
    loop {
        let mut current = Phase::default();
        let mut stops = BTreeSet::new();
        for (i, rest) in (0u64..).zip(&mut threads) {
            let mut accesses = Accesses::default();
            stops.insert(
                machine
                    .thread(rest, &mut accesses, &current)
                    .map_err(|why| format!("thread {i}: {why}"))?,
            );
            current.insert(i, accesses);
        }
        machine.history = machine.history.push(current);
        match (stops.first(), stops.len()) {
            (Some(Some(_)), 1) => {}
            (None | Some(None), 0 | 1) => return Ok(machine.history),
            _ => return Err("threads diverge".to_owned()),
        }
    }
}

struct Machine {
    memory: Memory,
    /// The phases before the current one.
    history: History,
    steps: u64,
}

impl Machine {
    /// Runs a thread to a barrier, which is returned, or to its end.
    fn thread(
        &mut self,
        rest: &mut Vec<Arc<Stmt>>,
        own: &mut Accesses,
        before: &Phase,
    ) -> Result<Option<Site>, String> {
        while let Some(next) = rest.pop() {
            pause();
            self.steps += 1;
            if self.steps > limits::STEPS {
                return Err(format!("more than {} steps", limits::STEPS));
            }
            match &*next {
                Stmt::Skip => {}
                Stmt::Write { array, index, payload, .. } => {
                    *own = own.write(Cell::new(array.clone(), value(index)?), value(payload)?);
                }
                Stmt::Read { var, array, index, body, .. } => {
                    let cell = Cell::new(array.clone(), value(index)?);
                    let k = self.lastwrite(&cell, own, before)?;
                    *own = own.read(cell);
                    rest.push(Arc::new(body.subst_value(var, &k)));
                }
                Stmt::Seq(first, second) => rest.extend([second.clone(), first.clone()]),
                Stmt::If { condition, then, otherwise, .. } => {
                    rest.push(if holds(condition)? { then.clone() } else { otherwise.clone() });
                }
                Stmt::For { site, sort, var, lower, upper, body } => {
                    let (j, k) = (value(lower)?, value(upper)?);
                    if j < k {
                        let (site, sort, var) = (*site, *sort, var.clone());
                        let iteration = Arc::new(body.subst_value(&var, &j));
                        let (lower, upper, body) =
                            (Num::Lit(j.successor()), Num::Lit(k), body.clone());
                        rest.extend([
                            Arc::new(Stmt::For { site, sort, var, lower, upper, body }),
                            iteration,
                        ]);
                    }
                }
                Stmt::Sync { site, .. } => return Ok(Some(*site)),
                Stmt::Atomic { .. } => return Err("atomic updates are not supported".to_owned()),
            }
        }
        Ok(None)
    }

    /// The value of a read.
    fn lastwrite(&self, cell: &Cell, own: &Accesses, before: &Phase) -> Result<Natural, String> {
        let written = |phase: &Phase| -> Option<BTreeSet<Natural>> {
            let values: BTreeSet<_> =
                phase.threads().filter_map(|(_, a)| a.writes.get(cell).cloned()).collect();
            (!values.is_empty()).then_some(values)
        };
        let mine = own.writes.get(cell).cloned().map(|k| BTreeSet::from([k]));
        let mut newest_first = self.history.newest_first();
        let found = match self.memory {
            Memory::Right => mine.or_else(|| newest_first.find_map(written)),
            Memory::OldestPhase => newest_first.rev().find_map(written).or(mine),
            Memory::CurrentPhase => {
                let others =
                    before.threads().filter_map(|(_, a)| a.writes.get(cell).cloned()).last();
                let others = others.map(|k| BTreeSet::from([k]));
                mine.or(others).or_else(|| newest_first.find_map(written))
            }
            Memory::WithoutOwn => newest_first.find_map(written),
        };
        match found {
            Some(values) if values.len() > 1 => {
                Err(format!("reads {cell}, which may hold several values"))
            }
            Some(values) => values.into_iter().next().ok_or_else(|| format!("reads {cell}")),
            None => {
                let stored = self.history.host().get(cell).cloned();
                stored.ok_or_else(|| format!("reads {cell}, which nobody wrote"))
            }
        }
    }
}

fn value(n: &Num) -> Result<Natural, String> {
    let k = n.value().map_err(|error| error.to_string())?;
    // Values below 2^64 are always allowed.
    match k.bits() <= limits::NUMBER_BITS.max(64) {
        true => Ok(k),
        false => Err(format!("more than {} bits of a number", limits::NUMBER_BITS)),
    }
}

fn holds(c: &Bool) -> Result<bool, String> {
    c.value().map_err(|error| error.to_string())
}
