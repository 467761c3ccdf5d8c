//! The expressions that small programs may use: two cells, values 0 to 2.

use babycuda_core::expr::Relation;
use babycuda_core::{Bool, Name, Num};

/// What programs are made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Vocabulary {
    /// How many threads will run them: guards can tell any two apart.
    pub threads: u32,
    /// Barriers and synchronized loops?
    pub barriers: bool,
    /// Atomic updates: `let x = atomic A[n] add 1 in b`?
    pub atomics: bool,
    /// May a binder have the name of one around it?
    pub shadows: bool,
}

impl Vocabulary {
    /// The paper's fragment, for two threads.
    pub const PAPER: Vocabulary =
        Vocabulary { threads: 2, barriers: false, atomics: false, shadows: true };

    /// With barriers.
    pub const SYNCHRONIZED: Vocabulary = Vocabulary { barriers: true, ..Vocabulary::PAPER };

    /// With barriers and atomic updates.
    pub const ALL: Vocabulary = Vocabulary { atomics: true, ..Vocabulary::SYNCHRONIZED };

    /// The name of the binder below `depth` others.
    pub fn variable(depth: usize) -> Name {
        Name::from(format!("x{depth}"))
    }

    /// The names that a binder may have below `depth` others, each with how many names there are in
    /// its body: a new one, and those of the binders around it, which it then hides.
    pub fn binders(&self, depth: usize) -> impl Iterator<Item = (Name, usize)> + use<> {
        let hidden = if self.shadows { depth } else { 0 };
        let names = [(depth, depth + 1)].into_iter().chain((0..hidden).map(move |d| (d, depth)));
        names.map(|(d, below)| (Vocabulary::variable(d), below))
    }

    /// Indices below `depth` binders: `0`, `1`, `tid`, and each variable.
    pub fn indices(&self, depth: usize) -> Vec<Num> {
        let constants = [Num::lit(0u32), Num::lit(1u32), Num::var("tid")];
        constants.into_iter().chain(variables(depth)).collect()
    }

    /// What is written below `depth` binders: `0`, `1`, `2`, `tid`, and each variable.
    pub fn payloads(&self, depth: usize) -> Vec<Num> {
        let constants = [Num::lit(0u32), Num::lit(1u32), Num::lit(2u32), Num::var("tid")];
        constants.into_iter().chain(variables(depth)).collect()
    }

    /// Guards below `depth` binders: `tid == i` for all threads but the last, and `x == 0`.
    /// Those of the last thread, and negations, are these with the branches swapped.
    pub fn guards(&self, depth: usize) -> Vec<Bool> {
        let is = |n: Num, k: u32| Bool::compare(Relation::Eq, n, Num::lit(k));
        let threads = (0..self.threads.saturating_sub(1)).map(|i| is(Num::var("tid"), i));
        threads.chain(variables(depth).map(|x| is(x, 0))).collect()
    }

    /// Upper bounds of loops from 0, below `depth` binders: `2`, `tid`, and each variable.
    pub fn bounds(&self, depth: usize) -> Vec<Num> {
        [Num::lit(2u32), Num::var("tid")].into_iter().chain(variables(depth)).collect()
    }
}

fn variables(depth: usize) -> impl Iterator<Item = Num> {
    (0..depth).map(|d| Num::Var(Vocabulary::variable(d)))
}
