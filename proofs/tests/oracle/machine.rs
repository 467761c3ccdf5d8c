//! What the virtual machine says to a case.

use crate::cases::{Case, options, with_host};
use babycuda_core::{Cell, HostMemory, Launch, Program, Stmt};
use babycuda_proofs::{Situation, Subject};
use babycuda_semantics::vm::{self, Code, Machine};
use babycuda_semantics::{Instance, Outcome};
use std::collections::BTreeSet;

fn instance(case: &Case, program: Program) -> Instance {
    Instance::new(program, Launch::threads(case.threads)).with_host(case.history.host().clone())
}

/// What the run comes to. The machine starts from `[∅]`: a program with the accesses of the
/// history comes first. `None`: that program itself is stuck.
pub fn outcome(case: &Case) -> Option<Outcome> {
    if case.is_fresh() {
        return Some(vm::run(&instance(case, Program::of_body(case.program.clone())), &options()));
    }
    let before = built_up(case, Stmt::Skip);
    let added = sites(&before.body);
    if !vm::run(&instance(case, before), &options()).is_done() {
        return None;
    }
    let mut outcome = vm::run(&instance(case, built_up(case, case.program.clone())), &options());
    if let Outcome::Diverged { divergence, .. } = &mut outcome {
        for site in [&mut divergence.first.1, &mut divergence.second.1].into_iter().flatten() {
            // Barriers of the history do not diverge.
            site.0 = site.0.saturating_sub(added);
        }
    }
    Some(outcome)
}

/// The phases and the racy cells of a case that starts from `[∅]`.
pub fn racy_cells(case: &Case) -> Option<BTreeSet<(usize, Cell)>> {
    if !case.is_fresh() {
        return None;
    }
    let instance = instance(case, Program::of_body(case.program.clone()));
    let code = Code::compile(&instance.program.body);
    let mut machine = Machine::default();
    let run = machine.run(&code, &instance, &options());
    Some(run.racy_cells().collect())
}

/// A program that has the accesses of the history, and then is `program`.
fn built_up(case: &Case, program: Stmt) -> Program {
    let history = with_host(&case.history, HostMemory::default());
    Situation::new(history, Subject::new(program, case.threads)).to_program()
}

/// How many statements have a site.
fn sites(b: &Stmt) -> u32 {
    b.subterms().filter(|b| b.site().is_some()).count() as u32
}
