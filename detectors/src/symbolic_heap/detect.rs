//! The technique as a [`Detector`].

use super::{Alarm, Analysis, Conflict, Program, Rules, Update, analyze, language, translate};
use crate::detector::{Claims, Detector, Fragment, Races, Refusal, site};
use crate::happens_before::scope_of;
use babycuda_core::evidence::{Certainty, Confirmation, Report, Side, Witness};
use babycuda_core::verdict::{Method, Outcome, ScopeOfVerdict, Verdict};
use babycuda_core::{Cell, Configuration, Thread};
use babycuda_kernel::Kernel;

/// Symbolic execution with symbolic heaps, with one of the two sets of rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SymbolicHeap {
    /// The rules.
    pub rules: Rules,
    /// The reading of `φ` in the rule of writes; the product of two threads does not look at it.
    pub update: Update,
}

impl Detector for SymbolicHeap {
    fn name(&self) -> &'static str {
        match self.rules {
            Rules::Published => "symbolic-heap",
            Rules::TwoThreads => "symbolic-heap-two-threads",
        }
    }

    fn paper(&self) -> &'static str {
        "Distefano, Dubreil: Detecting Data Races on OpenCL Kernels with Symbolic Execution"
    }

    /// Of the published rules the paper claims nothing: §6.1 says that they miss races, and §6 that an
    /// alarm is a potential race. Of two threads it says "it seems that this issue can be fixed".
    fn claims(&self) -> Claims {
        let conjecture = Fragment {
            text: "Every kernel of its language, for harmful races: those that leave the shared state at a \
                   barrier open (§6.1, as a conjecture)",
            holds: |_| true,
        };
        let misses_no_race = (self.rules == Rules::TwoThreads).then_some(conjecture);
        Claims { misses_no_race, raises_no_false_alarm: None, races: Races::Harmful }
    }

    fn detect(&self, kernel: &Kernel, configuration: &Configuration) -> Result<Verdict, Refusal> {
        let program = translate(kernel, configuration)?;
        let analysis = analyze(&program, self.rules, self.update)?;
        Ok(verdict(&program, configuration, &analysis))
    }
}

/// The verdict of an analysis. An alarm without two accesses that conflict is no race that anybody could
/// look at: it is unknown.
fn verdict(program: &Program, configuration: &Configuration, analysis: &Analysis) -> Verdict {
    let name = |array: usize| &program.arrays[array].name;
    let unknown = Outcome::Unknown;
    let mut races = Vec::new();
    let outcome = match &analysis.alarm {
        None => Outcome::Drf,
        Some(Alarm::Race { conflict: Some(conflict), phase, .. }) => {
            races.push(report(program, configuration, conflict, *phase));
            Outcome::Racy
        }
        Some(Alarm::Race { array, index, threads: [i, j], phase, conflict: None }) => {
            unknown(format!(
                "the heaps of threads {i} and {j} differ on {}[{index}] at barrier {phase}, and the two have no \
             accesses that conflict",
                name(*array)
            ))
        }
        Some(Alarm::OutOfBounds { array, thread, .. }) => {
            unknown(format!("thread {thread} leaves the bounds of `{}`", name(*array)))
        }
        Some(Alarm::Assertion { thread, .. }) => {
            unknown(format!("an assertion fails in thread {thread}"))
        }
        Some(Alarm::Diverges { phase }) => {
            unknown(format!("threads may wait at different barriers in phase {phase}"))
        }
    };
    let mut assumptions = vec![
        "a race is a shared state at a barrier that is not determined".to_owned(),
        "signed arithmetic wraps around".to_owned(),
    ];
    assumptions.extend(analysis.passed.iter().map(|passed| {
        let Conflict { threads: [i, j], array, index, .. } = &passed.conflict;
        let why = match passed.notion {
            super::Notion::SameValue => "they write the same value",
            super::Notion::Deterministic => "the state at the barrier is found to be determined",
        };
        format!("threads {i} and {j} may conflict on {}[{index}]: {why}", name(*array))
    }));
    let scope = ScopeOfVerdict { assumptions, ..scope_of(configuration) };
    let method = Method::Solver { solvers: vec!["builtin".into()] };
    Verdict { outcome, scope: Some(scope), method, races, divergences: Vec::new() }
}

/// A race as evidence. The rules over-approximate, so it is a potential one.
fn report(
    program: &Program,
    configuration: &Configuration,
    conflict: &Conflict,
    phase: usize,
) -> Report<Witness> {
    let side = |n: usize| Side {
        thread: Thread { block: 0, index: conflict.threads[n] as u64 },
        phase: Some(phase),
        site: site(conflict.at[n]),
        mode: conflict.modes[n],
        iteration: Vec::new(),
        data: Vec::new(),
    };
    let witness = Witness {
        configuration: configuration.clone(),
        cell: Cell {
            array: program.arrays[conflict.array].name.clone(),
            index: language::natural(conflict.index),
        },
        first: side(0),
        second: side(1),
        confirmation: Confirmation::Path,
    };
    Report { witness, certainty: Certainty::Potential, replay: None }
}
