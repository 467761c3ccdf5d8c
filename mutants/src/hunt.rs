//! The search for a case that refutes something.

use crate::case::{Case, SmallScope, few_updates, random, small};
use crate::findings::{Findings, Refuted};
use crate::suites::check;
use babycuda_campaign::Counts;
use babycuda_core::{Configuration, Program};
use babycuda_proofs::small_scope::programs::size;
use babycuda_proofs::{STATEMENTS, atomic_counters, scoped_phases};
use babycuda_semantics::vm::Machine;
use babycuda_testkit::Choices;
use babycuda_testkit::generators::{Profile, scoped_map_file, strategy};
use babycuda_testkit::shrink::minimise;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use serde::{Deserialize, Serialize};

/// Every program up to this size is tried.
const SIZE: usize = 2;
/// And so many random ones of the same vocabulary after them, the same in each run.
const SMALL: usize = 4_000;
/// And so many of the whole language.
const LARGE: usize = 700;
/// And so many protocols with barriers of all scopes, and few updates of one cell.
const PARTS: usize = 700;
/// How many smaller programs are tried when a random one is shrunk.
const SHRINKING: usize = 2_000;

/// What a hunt came to.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Report {
    /// How many cases were tried.
    pub cases: u64,
    /// The first that refutes something.
    pub killer: Option<Killer>,
    /// How often each statement held, by its id.
    pub held: Counts<String>,
    /// How often each said nothing.
    pub vacuous: Counts<String>,
}

/// A case that refutes a statement.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Killer {
    /// The ids of the statements that it refutes.
    pub statements: Vec<String>,
    /// How many statements its program has.
    pub size: usize,
    /// A counterexample, as a program: of those of the statements, the shortest.
    pub program: String,
    /// What happens there.
    pub explanation: String,
}

/// Tries cases in increasing size, then random ones, until one refutes a statement of the theory. A
/// case that refutes an agreement only is kept while there are cases to list, and ends the search
/// then.
pub fn hunt() -> Report {
    let mut hunter = Hunter::default();
    let killer = hunter.listed().or_else(|| hunter.drawn(small, SMALL));
    let killer = killer.or_else(|| hunter.drawn(random, LARGE)).or_else(|| hunter.parts());
    let Findings { held, vacuous, .. } = hunter.found;
    Report { cases: hunter.cases, killer, held: held.owned(), vacuous: vacuous.owned() }
}

#[derive(Default)]
struct Hunter {
    machine: Machine,
    cases: u64,
    found: Findings,
}

impl Hunter {
    /// Every small case, by size.
    fn listed(&mut self) -> Option<Killer> {
        let (mut scope, mut agreement) = (SmallScope::default(), None);
        for size in 0..=SIZE {
            for case in scope.of_size(size) {
                match self.check(&case) {
                    refuted if refuted.is_empty() => {}
                    refuted if is_of_the_theory(&refuted) => return killer(case.size(), refuted),
                    refuted => agreement = agreement.or_else(|| killer(case.size(), refuted)),
                }
            }
        }
        agreement
    }

    /// Random cases, the same each time.
    fn drawn(
        &mut self,
        generate: impl Fn(&mut Choices<'_>) -> Case,
        number: usize,
    ) -> Option<Killer> {
        let (mut runner, cases) = (TestRunner::deterministic(), strategy(generate));
        for _ in 0..number {
            // A strategy without filters rejects nothing.
            let Ok(tree) = cases.new_tree(&mut runner) else { continue };
            let case = tree.current();
            let refuted = self.check(&case);
            if !refuted.is_empty() {
                let least = self.least(&case, is_of_the_theory(&refuted));
                let refuted = self.check(&least);
                return killer(least.size(), refuted);
            }
        }
        None
    }

    /// What is not about whole programs: T12 of random protocols, and T13 of random updates.
    fn parts(&mut self) -> Option<Killer> {
        let mut runner = TestRunner::deterministic();
        let profile = Profile { divergent: true, ..Profile::SYNCHRONIZED };
        let both = strategy(move |c| (scoped_map_file(c, profile), few_updates(c)));
        for _ in 0..PARTS {
            let Ok(tree) = both.new_tree(&mut runner) else { continue };
            let (map, updates) = tree.current();
            self.cases += 1;
            // Proof: the generator fixes the launch.
            let launch = map.declarations.geometry.launch().expect("a concrete launch");
            let phases = scoped_phases::check(&map.protocol, &Configuration::of_launch(launch));
            self.found.note(&scoped_phases::STATEMENT, phases);
            self.found.note(&atomic_counters::STATEMENT, atomic_counters::check(&updates));
            let refuted = std::mem::take(&mut self.found.refuted);
            if let Some(counterexample) = refuted.values().next() {
                return killer(size(&counterexample.program.body), refuted);
            }
        }
        None
    }

    fn check(&mut self, case: &Case) -> Refuted {
        self.cases += 1;
        check(case, &mut self.machine, &mut self.found);
        std::mem::take(&mut self.found.refuted)
    }

    /// The smallest case like this one that refutes something, or a statement of the theory.
    fn least(&mut self, case: &Case, of_the_theory: bool) -> Case {
        let mut fails = |program: &Program| {
            let refuted = self.check(&case.with_program(program.clone()));
            if of_the_theory { is_of_the_theory(&refuted) } else { !refuted.is_empty() }
        };
        let least = case.with_program(minimise(&case.program, &mut fails, SHRINKING));
        let tidy = least.without_unused_declarations();
        if fails(&tidy.program) { tidy } else { least }
    }
}

fn is_of_the_theory(refuted: &Refuted) -> bool {
    STATEMENTS.iter().any(|statement| refuted.contains_key(statement.id))
}

fn killer(size: usize, refuted: Refuted) -> Option<Killer> {
    let statements = refuted.keys().map(|id| (*id).to_owned()).collect();
    let printed = refuted.values().map(|c| (c.program.to_string(), &c.explanation));
    let (program, explanation) = printed.min_by_key(|(program, _)| program.len())?;
    Some(Killer { statements, size, program, explanation: explanation.clone() })
}
