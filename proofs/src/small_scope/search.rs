//! Trying every program on every history.

use super::programs::{Programs, size};
use super::symmetry::is_representative;
use super::vocabulary::Vocabulary;
use crate::statement::{Counterexample, Failure};
use babycuda_campaign::{Counts, Least, merge_fields, shards};
use babycuda_core::Stmt;

/// Every program of the vocabulary up to a size.
#[derive(Clone, Copy, Debug)]
pub struct Search {
    /// The vocabulary.
    pub vocabulary: Vocabulary,
    /// The largest size.
    pub size: usize,
}

/// What a search gives.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// What was tried, under English names.
    pub counts: Counts<&'static str>,
    /// Of all counterexamples one whose program is smallest: by size, then by the order of the
    /// enumeration. Smaller means the program under the quantifier, not the one printed.
    pub smallest: Least<(usize, usize), Box<Counterexample>, 1>,
}

merge_fields!(Found { counts, smallest });

impl Found {
    /// Counts the result of checking an instance of a statement: as `held`, `vacuous` or
    /// `undecided`, under the names that are given.
    pub fn note<E>(
        &mut self,
        program: (usize, &Stmt),
        [held, vacuous, undecided]: [&'static str; 3],
        result: Result<E, Failure>,
    ) -> Option<E> {
        let what = match &result {
            Ok(_) => held,
            Err(Failure::Vacuous(_)) => vacuous,
            Err(Failure::Undecided(_)) => undecided,
            Err(Failure::Refuted(_)) => "refuted",
        };
        self.counts.add(what);
        match result {
            Err(Failure::Refuted(counterexample)) => {
                self.smallest.add((size(program.1), program.0), counterexample);
                None
            }
            other => other.ok(),
        }
    }

    /// # Panics
    /// With the smallest counterexample, if there is one.
    #[track_caller]
    pub fn expect_no_counterexample(&self) {
        if let Some((_, counterexample)) = self.smallest.iter().next() {
            panic!("{counterexample}");
        }
    }
}

impl Search {
    /// Calls `check` for each program that represents its orbit, with its number in the
    /// enumeration, on all cores. Programs are counted as `programs`.
    pub fn run<State: Default>(
        self,
        check: impl Fn(&mut State, &mut Found, usize, &Stmt) + Sync,
    ) -> Found {
        shards(|shard| {
            let (mut found, mut state, mut number) = (Found::default(), State::default(), 0);
            let mut programs = Programs::new(self.vocabulary);
            for size in 0..=self.size {
                programs.visit(size, &mut |program| {
                    number += 1;
                    if !shard.takes(number as u64) {
                        return;
                    }
                    if self.vocabulary.threads == 2 && !is_representative(&program) {
                        return found.counts.add("programs that are images of others");
                    }
                    found.counts.add("programs");
                    check(&mut state, &mut found, number, &program);
                });
            }
            found
        })
    }
}
