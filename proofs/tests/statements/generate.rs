//! Random instances.

use babycuda_core::{Accesses, Cell, History, HostMemory, Name, Natural, Phase, Program};
use babycuda_proofs::situation::{Choice, unrealizable_read};
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
    let history = history(choices, &arrays, threads, &instance.host);
    let subject = Subject::new(body, threads);
    let policy = *choices.pick(&[Choice::Smallest, Choice::Largest]);
    Situation { policy, ..Situation::new(history, subject) }
}

/// One to three phases. In half of the histories each cell is one thread's only, so they are
/// race-free; in most the head is empty.
fn history(choices: &mut Choices<'_>, arrays: &[Name], threads: u32, host: &HostMemory) -> History {
    let tidy = choices.chance(1, 2);
    let cells = if tidy { 4 } else { 2 };
    let older = choices.below(3);
    let mut history = History::empty(host.clone());
    for number in 0..=older {
        let mut phase = Phase::default();
        let accesses = if number == older && choices.chance(1, 2) { 0 } else { choices.below(7) };
        for _ in 0..accesses {
            let Some(array) = arrays.get(choices.below(arrays.len())) else { continue };
            let cell = Cell::new(array.clone(), choices.below(cells) as u64);
            let thread = match tidy {
                true => cell.index.low_u64() % u64::from(threads),
                false => choices.below(threads as usize) as u64,
            };
            let value = Natural::from(choices.below(3) as u64);
            let before: Accesses = phase.get(thread);
            let after = match choices.chance(2, 3) {
                true => before.write(cell, value),
                false => before.read(cell),
            };
            // What no program can have read is left out.
            let mut next = phase.clone();
            next.insert(thread, after);
            if unrealizable_read(&history.push(next.clone())).is_none() {
                phase = next;
            }
        }
        history = history.push(phase);
    }
    history
}
