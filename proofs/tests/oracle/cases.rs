//! What is compared: a program of one array in a history.

use crate::histories;
use babycuda_core::deep::grow;
use babycuda_core::expr::{ArithOp, Renaming};
use babycuda_core::history::HostArray;
use babycuda_core::name::reserved::{THREAD_IDX, TID};
use babycuda_core::syntax::{ForSort, Tree};
use babycuda_core::{Cell, History, HostMemory, Launch, Name, Num, Phase, Program, Stmt};
use babycuda_semantics::{Block, RunLimits, RunOptions, blocks};
use babycuda_testkit::Choices;
use babycuda_testkit::generators::{Profile, almost_well_typed, host_memory, program};
use std::sync::Arc;

/// The array.
pub const ARRAY: &str = "A";

/// `H`, `k` and `T`, with host contents that are finite.
#[derive(Clone, Debug)]
pub struct Case {
    pub history: History,
    /// Its free variables are `tid` and `parameters`.
    pub program: Stmt,
    pub threads: u32,
    /// Parameters without a value: none in most cases.
    pub parameters: Vec<Name>,
    /// Decides which thread, cell and judgment is asked about.
    pub pick: usize,
}

/// What the runs of a case may use. Longer ones are not compared.
pub fn options() -> RunOptions {
    let limits = RunLimits { steps: 4_000, number_bits: 256, ..RunLimits::default() };
    RunOptions { limits, ..RunOptions::default() }
}

impl Case {
    pub fn block(&self) -> Block {
        Block::threads(self.threads)
    }

    /// Does the program start from `[∅]`?
    pub fn is_fresh(&self) -> bool {
        self.history == History::start(self.history.host().clone())
    }
}

/// Of one array and without atomic updates.
const fn single(profile: Profile) -> Profile {
    Profile { arrays: 1, atomics: false, ..profile }
}

pub fn case(choices: &mut Choices<'_>) -> Case {
    let program = match choices.weighted(&[3, 3, 2, 2, 4, 3, 4, 4, 3]) {
        0 => program(choices, Profile::PAPER_WELL_TYPED),
        1 => program(choices, Profile::PAPER),
        2 => program(choices, Profile { machine: true, ..Profile::PAPER_WELL_TYPED }),
        3 => program(choices, Profile { machine: true, ..Profile::PAPER }),
        4 => program(choices, single(Profile::WELL_TYPED)),
        5 => program(choices, single(Profile::SYNCHRONIZED)),
        6 => program(choices, single(Profile { divergent: true, ..Profile::WELL_TYPED })),
        7 => program(choices, single(Profile::ANY)),
        _ => almost_well_typed(choices).0,
    };
    let host = host_memory(choices, &program);
    let open = choices.chance(1, 24);
    // Proof: the generators fix every extent.
    let launch = program.geometry.launch().expect("a concrete launch");
    let threads = launch.block.count() as u32;
    let stored = host.arrays().find(|(name, _)| name.as_str() == ARRAY);
    let stored = stored.map(|(_, array)| array.clone()).unwrap_or_default();
    let history = history(choices, threads, stored);
    let parameters: Vec<Name> = match open {
        true => program.params.iter().map(|p| p.name.clone()).collect(),
        false => Vec::new(),
    };
    let mut program = projected(&program, launch, open);
    if choices.chance(1, 4) {
        program = bounded_by_thread(&program);
    }
    let pick = choices.below(60);
    finite(Case { history, program, threads, parameters, pick })
}

/// The program with the variables of the launch as expressions of `tid`, with its parameters'
/// values unless it is to stay open, and with the accesses to one array only, which are no updates.
fn projected(program: &Program, launch: Launch, open: bool) -> Stmt {
    let mut values: Renaming =
        launch.uniform_values().into_iter().map(|(x, k)| (x, Num::Lit(k))).collect();
    let [x, y, _] = launch.block.components().map(Num::lit);
    let row = Num::arith(ArithOp::Div, Num::var("tid"), x.clone());
    let position = [
        Num::arith(ArithOp::Mod, Num::var("tid"), x),
        Num::arith(ArithOp::Mod, row.clone(), y.clone()),
        Num::arith(ArithOp::Div, row, y),
    ];
    values.extend(THREAD_IDX.map(Name::new).into_iter().zip(position));
    for param in program.params.iter().filter(|_| !open) {
        values.extend(param.value.clone().map(|value| (param.name.clone(), Num::Lit(value))));
    }
    plain(&program.body.subst(&values).project(&Name::new(ARRAY))).numbered()
}

/// Every atomic update as a read.
fn plain(b: &Stmt) -> Stmt {
    grow(|| match b {
        Stmt::Atomic { var, array, index, body, .. } => {
            Stmt::read(var.clone(), array.clone(), index.clone(), plain(body))
        }
        other => other.map_children(|child| Arc::new(plain(child))),
    })
}

/// Every `forS` loop with the thread as its upper bound: no stratified program any more.
fn bounded_by_thread(b: &Stmt) -> Stmt {
    grow(|| {
        let mut copy = b.map_children(|child| Arc::new(bounded_by_thread(child)));
        if let Stmt::For { sort: ForSort::S, upper, .. } = &mut copy {
            *upper = Num::var(TID);
        }
        copy
    })
}

/// Does no bound of a loop of threads mention the thread? Such a program is stratified, where its
/// barriers stand under `;` and `forS` only (THEORY §2). A `forS` elsewhere is a thread's own loop.
pub fn has_uniform_bounds(b: &Stmt) -> bool {
    grow(|| match b {
        Stmt::Seq(first, second) if b.has_sync() => {
            has_uniform_bounds(first) && has_uniform_bounds(second)
        }
        Stmt::For { sort: ForSort::S, lower, upper, body, .. } => {
            let of_thread = |bound: &Num| bound.free_vars().contains(&Name::new(TID));
            !of_thread(lower) && !of_thread(upper) && has_uniform_bounds(body)
        }
        _ => true,
    })
}

/// `[∅]` in half of the cases, otherwise up to three phases of a few accesses.
fn history(choices: &mut Choices<'_>, threads: u32, stored: HostArray) -> History {
    let mut host = HostMemory::default();
    host.insert(Name::new(ARRAY), stored);
    match choices.chance(1, 2) {
        true => History::start(host),
        false => histories::history(choices, &[Name::new(ARRAY)], threads, &host),
    }
}

/// The case with host contents in the first cells and in those that its run reads: it runs as
/// before as far as it ran.
fn finite(case: Case) -> Case {
    let run = blocks::run(&case.history, &case.program, case.block(), &options()).outcome;
    let first = (0..4u32).map(|index| Cell::new(ARRAY, index));
    let read = run
        .history()
        .newest_first()
        .flat_map(|phase| phase.threads().flat_map(|(_, accesses)| accesses.reads.iter().cloned()));
    let mut host = HostMemory::default();
    for cell in first.chain(read) {
        if let Some(value) = case.history.host().get(&cell).cloned() {
            host.set(cell, value);
        }
    }
    let history = with_host(&case.history, host);
    Case { history, ..case }
}

/// The same phases over other host contents.
pub fn with_host(history: &History, host: HostMemory) -> History {
    let phases: Vec<&Phase> = history.newest_first().collect();
    phases.into_iter().rev().fold(History::empty(host), |h, phase| h.push(phase.clone()))
}
