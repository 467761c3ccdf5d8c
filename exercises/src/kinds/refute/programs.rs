//! Wrong theorems about programs.

use super::{holds, vacuous};
use crate::grade::{Fault, Judged};
use crate::limits;
use crate::reading::{launch, verdict};
use babycuda::semantics::{Instance, Outcome, Policy, RunOptions};
use babycuda::typing::type_program;
use babycuda_core::syntax::{Head, Tree};
use babycuda_core::verdict::Outcome as Answer;
use babycuda_core::{Access, History, Program, Stmt};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A wrong theorem about a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Programs {
    /// A program that has a type is race-free.
    TypedIsRaceFree,
    /// T5 without its hypothesis: any two contents give the same accesses.
    AccessInvariance,
    /// What is race-free without barriers is so with them.
    BarriersOnlyHelp,
    /// T0 without its hypothesis: a program has at most one history.
    Determinism,
}

impl Programs {
    /// The theorem of this name.
    pub fn named(name: &str) -> Option<Programs> {
        Some(match name {
            "typed-is-race-free" => Programs::TypedIsRaceFree,
            "access-invariance" => Programs::AccessInvariance,
            "barriers-only-help" => Programs::BarriersOnlyHelp,
            "determinism" => Programs::Determinism,
            _ => return None,
        })
    }

    /// Does the program refute it?
    pub(crate) fn judge(self, program: &Program) -> Judged {
        launch(program)?;
        match self {
            Programs::TypedIsRaceFree => typed_is_race_free(program),
            Programs::AccessInvariance => access_invariance(program),
            Programs::BarriersOnlyHelp => barriers_only_help(program),
            Programs::Determinism => determinism(program),
        }
    }
}

fn typed_is_race_free(program: &Program) -> Judged {
    let typed = type_program(program);
    let typed = typed.map_err(|rejection| {
        vacuous(format!("it has no type: {}", rejection.describe(&program.sources)))
            .by(rejection.rule.id())
    })?;
    match verdict(program) {
        Err((Answer::Racy, why)) => {
            Ok(format!("it has the type `{}`, and a race: {why}", typed.protocol))
        }
        Ok(()) => Err(holds("the program is race-free")),
        Err((other, why)) => {
            Err(holds(format!("no race of it is known; it is {}: {why}", other.word())))
        }
    }
}

/// The contents that are tried where an array is `any`.
const CONTENTS: [Policy; 8] = [
    Policy::Smallest,
    Policy::Largest,
    Policy::Seed(1),
    Policy::Seed(2),
    Policy::Seed(3),
    Policy::Seed(4),
    Policy::Seed(5),
    Policy::Seed(6),
];

fn access_invariance(program: &Program) -> Judged {
    if program.open_arrays().next().is_none() {
        return Err(vacuous(
            "the contents of all of its arrays are fixed: `shared A[4]: u32 = any;` leaves them open",
        ));
    }
    let mut seen: Option<Vec<BTreeSet<Access>>> = None;
    for policy in CONTENTS {
        let instance = instance(program)?.with_contents_chosen(policy);
        let history = match instance.run(&limits::running()) {
            Outcome::Done { history } => history,
            Outcome::Diverged { history, .. } => history,
            Outcome::Stuck { stuck, .. } => return Err(vacuous(stuck.explain(&program.sources))),
        };
        let accesses = phases(&history);
        match &seen {
            Some(before) if *before != accesses => {
                return Ok("two contents of the arrays give different accesses".to_owned());
            }
            Some(_) => {}
            None => seen = Some(accesses),
        }
    }
    let why = match type_program(program) {
        Ok(_) => "the program has a type, so no contents change what it accesses (T5)".to_owned(),
        Err(_) => format!("it accesses the same with {} contents that were tried", CONTENTS.len()),
    };
    Err(holds(why))
}

fn barriers_only_help(program: &Program) -> Judged {
    if !program.body.has_sync() {
        return Err(vacuous("it has no barrier"));
    }
    let without = program.declarations.clone().around(without_barriers(&program.body));
    verdict(&without).map_err(|(answer, why)| {
        vacuous(format!("without its barriers it is {}: {why}", answer.word()))
    })?;
    match verdict(program) {
        Ok(()) => Err(holds("it is race-free with its barriers, too")),
        Err((Answer::Unknown(why), _)) => {
            Err(holds(format!("what it is with its barriers is not known: {why}")))
        }
        Err((answer, why)) => {
            Ok(format!("race-free without barriers, and {} with them: {why}", answer.word()))
        }
    }
}

fn without_barriers(body: &Stmt) -> Stmt {
    match body.head() {
        Head::Sync(_) => Stmt::Skip,
        _ => body
            .map_children(|child| Arc::new(babycuda_core::deep::grow(|| without_barriers(child)))),
    }
}

fn determinism(program: &Program) -> Judged {
    if program.open_arrays().next().is_some() {
        return Err(vacuous("the contents of an array are left open"));
    }
    if program.body.has_atomics() {
        return Err(vacuous("it has an atomic update"));
    }
    let run = |ambiguous| {
        let options = RunOptions { ambiguous, ..limits::running() };
        match instance(program)?.run(&options) {
            Outcome::Done { history } => Ok(history),
            Outcome::Diverged { .. } => Err(vacuous("threads diverge")),
            Outcome::Stuck { stuck, .. } => Err(vacuous(stuck.explain(&program.sources))),
        }
    };
    let (one, other) = (run(Policy::Smallest)?, run(Policy::Largest)?);
    match one == other {
        true => Err(holds(format!("it has one history: {one}"))),
        false => Ok(format!("it has the histories {one} and {other}")),
    }
}

fn instance(program: &Program) -> Result<Instance, Box<Fault>> {
    let at = program.configuration(&program.body.free_vars());
    at.map(|at| Instance::of(program.clone(), at)).map_err(|open| vacuous(open.to_string()))
}

fn phases(history: &History) -> Vec<BTreeSet<Access>> {
    history.chronological().map(|(_, phase)| phase.accesses().collect()).collect()
}
