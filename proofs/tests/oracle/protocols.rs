//! What is asked about a protocol.

use crate::campaign::{numbered, start};
use crate::differences::compare;
use crate::expected::{self, Expected};
use crate::questions::{Questions, is_covered};
use babycuda_core::{Access, AccessMode, Cell, Configuration, Protocol};
use babycuda_proofs::oracle::{Answer, Request};
use babycuda_protocols::map::{AccessEvent, Ending, Lambda, MapError, MapLimits, evaluate};
use babycuda_testkit::Distribution;
use babycuda_testkit::generators::{Profile, map_file};
use std::path::Path;

/// Compares random protocols; how many there were of which kind.
pub fn agree(program: &Path, cases: u64) -> Distribution {
    let mut seen = Distribution::default();
    let mut oracle = start(program);
    let mut lists = Vec::new();
    for number in 0..cases {
        let (protocol, threads, pick) = numbered(number, |choices| {
            let any = Profile { arrays: 1, atomics: false, data_dependent: false, ..Profile::ANY };
            let barriers = choices.chance(1, 2);
            let file = map_file(choices, Profile { barriers, divergent: false, ..any });
            // Proof: the generators fix every extent.
            let launch = file.declarations.geometry.launch().expect("a concrete launch");
            (file.protocol, launch.block.count() as u32, choices.below(60))
        });
        let mut questions = Questions::default();
        questions.accesses(&protocol, threads, pick);
        let racy = questions.all.iter().any(|question| {
            let some = |expected: &Expected| match expected {
                Expected::Same(Answer::Conflicts(pairs)) => !pairs.is_empty(),
                _ => false,
            };
            question.expected.iter().any(|(_, expected)| some(expected))
        });
        let mut labels = vec![if questions.all.is_empty() { "not covered" } else { "compared" }];
        labels.extend(racy.then_some("racy"));
        labels.extend(protocol.has_sync().then_some("barriers"));
        seen.case(labels);
        lists.push(questions);
    }
    let found = compare(&mut oracle, &lists).concat();
    assert!(found.is_empty(), "{}", found[0]);
    seen
}

/// How many accesses of a phase are paired with each other.
const PAIRED: usize = 40;

impl Questions {
    /// `evaluate_u_all`, `evaluate_u` for one thread, or `evaluate_p`; and `conflicts`.
    pub fn accesses(&mut self, protocol: &Protocol, threads: u32, pick: usize) {
        let at = Configuration::threads(threads);
        let limits = MapLimits { steps: 20_000, ..MapLimits::default() };
        let lambda = match evaluate(protocol, &at, &limits) {
            Ok(lambda) if lambda.ending == Ending::Done => Some(lambda),
            Err(MapError::Unbound(..)) => None,
            Ok(_) | Err(_) => return,
        };
        if protocol.has_sync() {
            let request =
                Request::EvaluateSynchronizedProtocol { threads, protocol: protocol.clone() };
            if !is_covered(&request) {
                return;
            }
            self.ask(
                request,
                match &lambda {
                    None => Expected::Same(Answer::Lambda(None)),
                    Some(lambda) => Expected::Phases(phases(lambda)),
                },
            );
        } else {
            let request = Request::EvaluateProtocolOfAll { threads, protocol: protocol.clone() };
            let answer = Answer::Lambda(lambda.as_ref().map(phases));
            self.ask(request, Expected::Same(answer));
            let i = pick as u64 % u64::from(threads);
            if let Some(lambda) = &lambda {
                let closed = protocol.subst(&at.substitution(i));
                let own = events(lambda, i);
                let request = Request::EvaluateProtocol { protocol: closed };
                self.ask(request, Expected::Same(Answer::ThreadAccesses(Some(own))));
            }
        }
        for phase in lambda.iter().flat_map(|lambda| &lambda.phases) {
            if (1..=PAIRED).contains(&phase.events.len()) {
                let accesses = phase.events.iter().map(access).collect();
                let expected = expected::conflicts(phase.races(0));
                self.ask(Request::Conflicts { accesses }, Expected::Same(expected));
            }
        }
    }
}

fn access(event: &AccessEvent) -> Access {
    Access { thread: event.thread, mode: event.mode, cell: event.cell.clone() }
}

fn phases(lambda: &Lambda) -> Vec<Vec<Access>> {
    lambda.phases.iter().map(|phase| phase.events.iter().map(access).collect()).collect()
}

/// The accesses of one thread, in program order.
fn events(lambda: &Lambda, thread: u64) -> Vec<(AccessMode, Cell)> {
    let all = lambda.phases.iter().flat_map(|phase| &phase.events);
    all.filter(|e| e.thread == thread).map(|e| (e.mode, e.cell.clone())).collect()
}
