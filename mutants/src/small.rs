//! Random programs over a tiny vocabulary: beyond the size that can be listed, and dense with
//! collisions.

use babycuda_core::expr::{ArithOp, Relation};
use babycuda_core::syntax::{AtomicOp, AtomicUpdate, ForSort, Scope};
use babycuda_core::{Bool, Num, Stmt};
use babycuda_proofs::small_scope::Vocabulary;
use babycuda_proofs::small_scope::programs::ARRAY;
use babycuda_testkit::Choices;

/// What statements of a program are likely to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Flavour {
    /// Accesses, most of all.
    Memory,
    /// Branches, loops and barriers.
    Control,
}

impl Flavour {
    /// Weights of writes, sequences, reads, branches, loops, barriers and updates.
    fn weights(self, sequences: bool) -> [usize; 7] {
        match self {
            Flavour::Memory => [4, if sequences { 6 } else { 0 }, 3, 2, 2, 3, 2],
            Flavour::Control => [2, if sequences { 8 } else { 0 }, 1, 5, 4, 6, 0],
        }
    }
}

/// A program of at most `fuel` statements below `depth` binders, over the vocabulary of
/// `babycuda_proofs::small_scope`, with exchanges, sums, loops from 1 or to 3, and a guard that
/// all threads decide alike added.
pub(crate) fn statement(
    choices: &mut Choices<'_>,
    (flavour, words): (Flavour, Vocabulary),
    fuel: usize,
    depth: usize,
) -> Stmt {
    let Some(less) = fuel.checked_sub(1) else { return Stmt::Skip };
    let inside =
        |choices: &mut Choices<'_>, fuel, depth| statement(choices, (flavour, words), fuel, depth);
    let index = index(choices, words, depth);
    let binders: Vec<_> = words.binders(depth).collect();
    let (var, below) =
        binders[if choices.chance(1, 4) { choices.below(binders.len()) } else { 0 }].clone();
    match choices.weighted(&flavour.weights(less > 0)) {
        0 => Stmt::write(ARRAY, index, payload(choices, words, depth)),
        1 => {
            let first = 1 + choices.below(less);
            let head = inside(choices, first, depth);
            Stmt::seq(head, inside(choices, fuel - first, depth))
        }
        2 => Stmt::read(var, ARRAY, index, inside(choices, less, below)),
        3 => {
            let guard = guard(choices, words, depth);
            let split = choices.below(less + 1);
            let then = inside(choices, split, depth);
            Stmt::branch(guard, then, inside(choices, less - split, depth))
        }
        4 => {
            let lower = choices.below(2);
            let upper = match choices.chance(1, 3) {
                true => Num::lit(3u32),
                false => choices.pick(&words.bounds(depth)).clone(),
            };
            let body = inside(choices, less, below);
            let sort = if body.has_sync() { ForSort::S } else { ForSort::U };
            Stmt::repeat(sort, var, Num::lit(lower as u64), upper, body)
        }
        5 => Stmt::sync(),
        _ => {
            let op = *choices.pick(&[AtomicOp::Add(None), AtomicOp::Exch]);
            let operand = payload(choices, words, depth);
            let update = AtomicUpdate { op, operand, expected: None };
            Stmt::atomic(var, ARRAY, index, update, Scope::Device, inside(choices, less, below))
        }
    }
}

/// Half of the indices are `tid`, so that many programs are race-free; some are sums.
fn index(choices: &mut Choices<'_>, words: Vocabulary, depth: usize) -> Num {
    let any = choices.pick(&words.indices(depth)).clone();
    match choices.weighted(&[4, 3, 1]) {
        0 => any,
        1 => Num::var("tid"),
        _ => Num::arith(ArithOp::Add, any, Num::lit(1u32)),
    }
}

/// Half of the payloads are the innermost variable, so that what was read is seen.
fn payload(choices: &mut Choices<'_>, words: Vocabulary, depth: usize) -> Num {
    match depth.checked_sub(1) {
        Some(innermost) if choices.chance(1, 2) => Num::Var(Vocabulary::variable(innermost)),
        _ => choices.pick(&words.payloads(depth)).clone(),
    }
}

fn guard(choices: &mut Choices<'_>, words: Vocabulary, depth: usize) -> Bool {
    match choices.chance(1, 2) {
        true => Bool::compare(Relation::Eq, Num::var("blockDim.x"), Num::lit(2u32)),
        false => choices.pick(&words.guards(depth)).clone(),
    }
}
