//! What the suites try a mutant on: a program with memories and histories to run it from.

use crate::small::{Flavour, statement};
use babycuda_core::syntax::{AtomicOp, AtomicUpdate};
use babycuda_core::{History, HostMemory, IntType, Launch, Natural, Program, Stmt};
use babycuda_proofs::atomic_counters::Updates;
use babycuda_proofs::small_scope::histories::{
    memories, phases_of_one_access, two_memories, with_phases,
};
use babycuda_proofs::small_scope::programs::size;
use babycuda_proofs::small_scope::symmetry::is_representative;
use babycuda_proofs::small_scope::{Programs, Vocabulary};
use babycuda_semantics::Instance;
use babycuda_testkit::Choices;
use babycuda_testkit::generators::{Profile, almost_well_typed, host_memory, program};
use std::sync::Arc;

/// Everything that small programs may have: barriers, atomic updates, loops, branches.
const VOCABULARY: Vocabulary = Vocabulary::ALL;

/// A program, and where to start it.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    /// The program.
    pub program: Arc<Program>,
    /// The block that runs it.
    pub launch: Launch,
    /// What the host may have stored.
    pub memories: Arc<[HostMemory]>,
    /// What may have happened before; for the statements about one phase.
    pub histories: Arc<[History]>,
}

impl Case {
    /// The instance with one of the memories.
    pub(crate) fn instance(&self, memory: &HostMemory) -> Instance {
        Instance::new(self.program.clone(), self.launch).with_host(memory.clone())
    }

    /// The case of another program.
    #[must_use]
    pub(crate) fn with_program(&self, program: Program) -> Case {
        Case { program: Arc::new(program), ..self.clone() }
    }

    /// The case with the declarations that its program uses.
    #[must_use]
    pub(crate) fn without_unused_declarations(&self) -> Case {
        let mut program = Program::clone(&self.program);
        let (arrays, free) = (program.body.arrays(), program.body.free_vars());
        program.arrays.retain(|array| arrays.contains(&array.name));
        program.params.retain(|param| free.contains(&param.name));
        self.with_program(program)
    }

    /// How many statements the program has.
    pub(crate) fn size(&self) -> usize {
        size(&self.program.body)
    }
}

/// Every program of a size over two cells and the values 0 to 2, in two threads, each on some
/// memories, and without barriers on every history of at most one access before it.
pub(crate) struct SmallScope {
    programs: Programs,
    memories: Arc<[HostMemory]>,
    histories: Arc<[History]>,
}

impl SmallScope {
    /// Nothing is listed yet.
    pub(crate) fn new() -> SmallScope {
        SmallScope {
            programs: Programs::new(VOCABULARY),
            // [0, 0], [1, ⊥] and [⊥, 2], of sixteen.
            memories: memories().into_iter().step_by(7).collect(),
            histories: with_phases(&phases_of_one_access(2)).into(),
        }
    }

    /// The programs of exactly this size, up to symmetry.
    pub(crate) fn of_size(&mut self, size: usize) -> Vec<Case> {
        let (memories, histories) = (self.memories.clone(), self.histories.clone());
        let launch = Launch::threads(2);
        let mut cases = Vec::new();
        self.programs.visit(size, &mut |body: Stmt| {
            if is_representative(&body) {
                let program = Arc::new(Program::of_body(body).with_launch(launch));
                let (memories, histories) = (memories.clone(), histories.clone());
                cases.push(Case { program, launch, memories, histories });
            }
        });
        cases
    }
}

impl Default for SmallScope {
    fn default() -> SmallScope {
        SmallScope::new()
    }
}

/// A random case of the same vocabulary as [`SmallScope`], a little larger.
pub(crate) fn small(choices: &mut Choices<'_>) -> Case {
    let launch = Launch::threads(2);
    let flavour = *choices.pick(&[Flavour::Memory, Flavour::Control]);
    let fuel = 3 + choices.below(4);
    let body = statement(choices, (flavour, VOCABULARY), fuel, 0).numbered();
    let program = Program::of_body(body).with_launch(launch);
    let memories = two_memories();
    Case {
        program: Arc::new(program),
        launch,
        histories: memories.clone().map(History::start).into(),
        memories: memories.into(),
    }
}

/// A random case: a program of the whole language or of a part of it, well-typed, ill-typed by one
/// rule, or any, with the memory that it declares and another.
pub(crate) fn random(choices: &mut Choices<'_>) -> Case {
    let small = |profile| Profile { huge: false, size: 10, ..profile };
    let program = match choices.weighted(&[3, 3, 2, 2, 2]) {
        0 => program(choices, small(Profile::WELL_TYPED)),
        1 => program(choices, small(Profile::ANY)),
        2 => program(choices, small(Profile::PAPER_WELL_TYPED)),
        3 => program(choices, small(Profile::RELATIVE)),
        _ => almost_well_typed(choices).0,
    };
    let declared = HostMemory::declared(&program);
    let other = host_memory(choices, &program);
    // Proof: the generators fix every extent.
    let launch = program.geometry.launch().expect("a concrete launch");
    Case {
        histories: Arc::new([History::start(declared.clone())]),
        memories: Arc::new([declared, other]),
        launch,
        program: Arc::new(program),
    }
}

/// Up to four updates of a cell of 8 bits by two threads: additions, most of all, and what disturbs
/// them.
pub(crate) fn few_updates(choices: &mut Choices<'_>) -> Updates {
    let before = Natural::from(*choices.pick(&[0u32, 1, 254, 255]));
    let alike = choices.chance(1, 2);
    let first = update(choices);
    let mut threads = vec![Vec::new(), Vec::new()];
    for n in 0..2 + choices.below(3) {
        let update = if alike { first.clone() } else { update(choices) };
        threads[if n == 0 { 0 } else { choices.below(2) }].push(update);
    }
    Updates { element: IntType::U8, before, threads }
}

fn update(choices: &mut Choices<'_>) -> AtomicUpdate<Natural> {
    let byte = Some(IntType::U8);
    let of = |op, operand: u32| AtomicUpdate { op, operand: operand.into(), expected: None };
    match choices.weighted(&[5, 1, 1, 1, 3]) {
        0 => of(AtomicOp::Add(byte), *choices.pick(&[0, 1, 2, 64, 85, 128, 255])),
        1 => of(AtomicOp::Sub(byte), 1),
        2 => of(AtomicOp::Max(byte), 1),
        3 => of(AtomicOp::Exch, choices.below(2) as u32),
        _ => {
            let expected = Some(Natural::from(choices.below(2) as u32));
            AtomicUpdate { expected, ..of(AtomicOp::Cas, choices.below(3) as u32) }
        }
    }
}
