//! The hypotheses that statements share.

use crate::situation::Situation;
use crate::statement::Vacuous;
use babycuda_core::history::Race;
use babycuda_core::{Access, Cell, Configuration, History, Name, Program, Protocol, Stmt};
use babycuda_protocols::MapError;
use babycuda_protocols::map::{Lambda, MapLimits, evaluate};
use babycuda_semantics::{Outcome, Stuck, parallel};
use babycuda_typing::{Context, infer, type_program};
use std::collections::BTreeSet;

/// `{tid} ⊢ b ▶ u`
pub(crate) fn typed(program: &Stmt) -> Result<Protocol, Vacuous> {
    match infer(&Context::from_iter(["tid"]), program) {
        Ok(typed) => Ok(typed.protocol),
        Err(rejection) => Err(Vacuous::IllTyped(Box::new(rejection))),
    }
}

/// `V ⊢ b ▶ u`, from the declarations of the program.
pub(crate) fn program_typed(program: &Program) -> Result<Protocol, Vacuous> {
    match type_program(program) {
        Ok(typed) => Ok(typed.protocol),
        Err(rejection) => Err(Vacuous::IllTyped(Box::new(rejection))),
    }
}

/// `b` has no barrier.
pub(crate) fn unsynchronized(program: &Stmt) -> Result<(), Vacuous> {
    if program.has_sync() { Err(Vacuous::Synchronized) } else { Ok(()) }
}

/// `b` has no atomic update.
pub(crate) fn without_atomics(program: &Stmt) -> Result<(), Vacuous> {
    if program.has_atomics() { Err(Vacuous::Atomic) } else { Ok(()) }
}

/// `fv(b) ⊆ {tid}`
pub(crate) fn closed(program: &Stmt) -> Result<(), Vacuous> {
    let tid = Name::new("tid");
    match program.free_vars().into_iter().find(|x| *x != tid) {
        Some(free) => Err(Vacuous::Open(free)),
        None => Ok(()),
    }
}

/// `H` is DRF.
pub(crate) fn drf(history: &History) -> Result<(), Vacuous> {
    if history.is_drf() { Ok(()) } else { Err(Vacuous::RacyHistory) }
}

/// Every phase has at most one writer of each cell.
pub(crate) fn single_writers(history: &History) -> Result<(), Vacuous> {
    for phase in history.newest_first() {
        let mut written: Vec<&Cell> = Vec::new();
        for (_, accesses) in phase.threads() {
            for cell in accesses.writes.keys() {
                if written.contains(&cell) {
                    return Err(Vacuous::SeveralWriters(cell.clone()));
                }
                written.push(cell);
            }
        }
    }
    Ok(())
}

/// The history of a block that ends, and whether its threads diverged.
pub(crate) fn ended(outcome: Outcome) -> Result<(History, bool), Vacuous> {
    match outcome {
        Outcome::Done { history } => Ok((history, false)),
        Outcome::Diverged { history, .. } => Ok((history, true)),
        Outcome::Stuck { stuck: reason, .. } => Err(stuck(reason)),
    }
}

/// The accesses, phase by phase, oldest first.
pub(crate) fn phases(history: &History) -> Vec<BTreeSet<Access>> {
    history.chronological().map(|(_, phase)| phase.accesses().collect()).collect()
}

pub(crate) fn stuck(stuck: Stuck) -> Vacuous {
    Vacuous::Stuck(Box::new(stuck))
}

/// `H, b ↓ H'`
pub(crate) fn evaluated(s: &Situation) -> Result<History, Vacuous> {
    let run = parallel::run(&s.history, s.subject.program(), s.subject.block(), &s.options());
    run.map(|(history, _)| history).map_err(stuck)
}

/// `p ⇓ Λ1 … Λn`
pub(crate) fn lambda(protocol: &Protocol, at: &Configuration) -> Result<Lambda, Vacuous> {
    let limits = MapLimits { steps: 200_000, ..MapLimits::default() };
    evaluate(protocol, at, &limits).map_err(no_lambda)
}

pub(crate) fn no_lambda(error: MapError) -> Vacuous {
    Vacuous::NoLambda(Box::new(error))
}

/// The races, in words.
pub(crate) fn listed(races: &[Race]) -> String {
    if races.is_empty() {
        return "none".to_owned();
    }
    races.iter().map(Race::to_string).collect::<Vec<_>>().join("; ")
}
