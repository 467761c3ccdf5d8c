//! Random instances.

use crate::histories::history;
use babycuda_core::{Name, Program};
use babycuda_proofs::situation::Choice;
use babycuda_proofs::{Situation, Subject};
use babycuda_semantics::Instance;
use babycuda_testkit::Choices;
use babycuda_testkit::generators::{Profile, almost_well_typed, host_memory, program};

/// A program: of the paper's fragment, well-typed or any, or well-typed but for one rule.
pub fn any_program(choices: &mut Choices<'_>, any: Profile, well_typed: Profile) -> Program {
    match choices.weighted(&[5, 3, 1]) {
        0 => program(choices, well_typed),
        1 => program(choices, any),
        _ => almost_well_typed(choices).0,
    }
}

/// An instance: a program with host memory.
pub fn instance(choices: &mut Choices<'_>, program: Program) -> Instance {
    let memory = host_memory(choices, &program);
    // Proof: the generators fix every extent.
    let launch = program.geometry.launch().expect("a concrete launch");
    Instance::new(program, launch).with_host(memory)
}

/// A program of the paper's fragment, about to run on a random history.
pub fn situation(choices: &mut Choices<'_>) -> Situation {
    let program = any_program(choices, Profile::PAPER, Profile::PAPER_WELL_TYPED);
    let instance = instance(choices, program);
    let threads = instance.block().len() as u32;
    let body = instance.body();
    let arrays: Vec<Name> = body.arrays().into_iter().collect();
    let history = history(choices, &arrays, threads, instance.host());
    let subject = Subject::new(body, threads);
    let policy = *choices.pick(&[Choice::Smallest, Choice::Largest]);
    Situation { policy, ..Situation::new(history, subject) }
}
