//! Trying every program on every history.

use super::programs::{Programs, size};
use super::symmetry::is_representative;
use super::vocabulary::Vocabulary;
use crate::statement::{Counterexample, Failure};
use babycuda_core::Stmt;
use std::collections::BTreeMap;
use std::fmt;
use std::thread;

/// What was tried, under English names.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Counts(BTreeMap<&'static str, u64>);

impl Counts {
    /// Counts one more.
    pub fn add(&mut self, what: &'static str) {
        self.add_many(what, 1);
    }

    /// Counts `number` more.
    pub fn add_many(&mut self, what: &'static str, number: u64) {
        *self.0.entry(what).or_default() += number;
    }

    /// How many there were.
    pub fn get(&self, what: &str) -> u64 {
        self.0.get(what).copied().unwrap_or(0)
    }

    fn merge(&mut self, other: Counts) {
        for (what, number) in other.0 {
            self.add_many(what, number);
        }
    }
}

/// One line a name.
impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|(what, number)| writeln!(f, "{number:10}  {what}"))
    }
}

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
    /// What was counted.
    pub counts: Counts,
    /// Of all counterexamples one whose program is smallest: by size, then by the order of the
    /// enumeration. Smaller means the program under the quantifier, not the one printed.
    pub smallest: Option<(usize, usize, Box<Counterexample>)>,
}

impl Found {
    /// Counts the result of checking an instance of a statement: as `held`, `vacuous` or
    /// `undecided`, under the names that are given.
    pub fn note<E>(
        &mut self,
        program: (usize, &Stmt),
        [held, vacuous, undecided]: [&'static str; 3],
        result: Result<E, Failure>,
    ) -> Option<E> {
        match result {
            Ok(evidence) => {
                self.counts.add(held);
                Some(evidence)
            }
            Err(Failure::Vacuous(_)) => {
                self.counts.add(vacuous);
                None
            }
            Err(Failure::Undecided(_)) => {
                self.counts.add(undecided);
                None
            }
            Err(Failure::Refuted(counterexample)) => {
                self.counts.add("refuted");
                let (number, program) = program;
                let key = (size(program), number);
                if self.smallest.as_ref().is_none_or(|(size, number, _)| key < (*size, *number)) {
                    self.smallest = Some((key.0, key.1, counterexample));
                }
                None
            }
        }
    }

    fn merge(&mut self, other: Found) {
        self.counts.merge(other.counts);
        let key =
            |f: &Option<(usize, usize, _)>| f.as_ref().map(|(size, number, _)| (*size, *number));
        let better = match (key(&self.smallest), key(&other.smallest)) {
            (Some(mine), Some(theirs)) => theirs < mine,
            (None, theirs) => theirs.is_some(),
            (Some(_), None) => false,
        };
        if better {
            self.smallest = other.smallest;
        }
    }

    /// # Panics
    /// With the smallest counterexample, if there is one.
    #[track_caller]
    pub fn expect_no_counterexample(&self) {
        if let Some((.., counterexample)) = &self.smallest {
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
        let workers = thread::available_parallelism().map_or(1, |n| n.get());
        let work = |worker: usize| {
            let (mut found, mut state) = (Found::default(), State::default());
            let mut number = 0;
            let mut programs = Programs::new(self.vocabulary);
            for size in 0..=self.size {
                programs.visit(size, &mut |program| {
                    number += 1;
                    if number % workers != worker {
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
        };
        thread::scope(|scope| {
            let running: Vec<_> =
                (0..workers).map(|worker| scope.spawn(move || work(worker))).collect();
            let mut found = Found::default();
            for worker in running {
                match worker.join() {
                    Ok(part) => found.merge(part),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            found
        })
    }
}
