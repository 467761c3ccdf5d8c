//! What the generators of the testkit generate: measured, so that no generator collapses.

use babycuda_core::rules;
use babycuda_core::syntax::Stmt;
use babycuda_core::{Bool, Num, Program};
use babycuda_semantics::{Instance, Outcome, Policy, RunLimits, RunOptions};
use babycuda_testkit::generators::{Profile, almost_well_typed, host_memory, map_file, program};
use babycuda_testkit::{Choices, Distribution, shrink};
use babycuda_typing::type_program;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

/// Runs `case` on `count` random sequences of choices, the same in every run.
fn for_choices(count: usize, mut case: impl FnMut(&mut Choices<'_>)) {
    let mut runner = TestRunner::deterministic();
    let choices = prop::collection::vec(any::<u16>(), 0..400);
    for _ in 0..count {
        let numbers = choices.new_tree(&mut runner).expect("a vector can be generated").current();
        case(&mut Choices::new(&numbers));
    }
}

fn options() -> RunOptions {
    let limits = RunLimits { steps: 100_000, ..RunLimits::default() };
    RunOptions { limits, ambiguous: Policy::Smallest, ..RunOptions::default() }
}

/// What is to be known of a program: its parts, its type, its run.
fn labels(program: &Program, outcome: &Outcome) -> Vec<&'static str> {
    let mut labels = Vec::new();
    for b in program.body.subterms() {
        labels.push(match b {
            Stmt::Skip => "skip",
            Stmt::Write { .. } => "write",
            Stmt::Read { .. } => "read",
            Stmt::Atomic { .. } => "atomic",
            Stmt::Seq(..) => "seq",
            Stmt::If { .. } => "if",
            Stmt::For { .. } => "for",
            Stmt::Sync { .. } => "sync",
        });
        match b {
            Stmt::Write { payload, .. } if !payload.is_paper() => labels.push("machine operator"),
            Stmt::If { condition: Bool::Lit(_), .. } => labels.push("constant guard"),
            Stmt::Write { index: Num::Lit(_), .. } => labels.push("constant index"),
            _ => {}
        }
    }
    labels.sort_unstable();
    labels.dedup();
    labels.push(if type_program(program).is_ok() { "typed" } else { "ill-typed" });
    labels.push(match outcome {
        Outcome::Done { .. } => "done",
        Outcome::Diverged { .. } => "diverged",
        Outcome::Stuck { stuck, .. } => match stuck.reason {
            babycuda_semantics::Reason::Undefined { .. } => "stuck",
            babycuda_semantics::Reason::Limit { .. } => "limit",
            _ => "stuck otherwise",
        },
    });
    if outcome.is_done() {
        labels.push(if outcome.history().is_drf() { "done and drf" } else { "done and racy" });
    }
    let huge = outcome
        .history()
        .newest_first()
        .flat_map(|phase| phase.threads())
        .any(|(_, a)| a.writes.values().any(|k| k.to_u64().is_none()));
    if huge {
        labels.push("beyond 64 bits");
    }
    labels
}

fn measure(profile: Profile, count: usize) -> Distribution {
    let mut seen = Distribution::default();
    for_choices(count, |choices| {
        let program = program(choices, profile);
        let host = host_memory(choices, &program);
        let launch = program.geometry.launch().expect("generated launches are concrete");
        let outcome = Instance::new(program.clone(), launch).with_host(host).run(&options());
        seen.case(labels(&program, &outcome));
    });
    println!("{seen}");
    seen
}

/// What holds of every profile.
fn assert_balanced(seen: &Distribution) {
    seen.assert_share("done and racy", 0.15..=0.6);
    seen.assert_share("done and drf", 0.25..=0.8);
    seen.assert_share("limit", 0.0..=0.01);
    seen.assert_share("stuck otherwise", 0.0..=0.0);
    for part in ["write", "read", "seq", "if", "for"] {
        seen.assert_share(part, 0.1..=0.95);
    }
    seen.assert_share("beyond 64 bits", 0.01..=0.5);
}

#[test]
fn programs_of_the_paper_are_balanced() {
    let seen = measure(Profile::PAPER, 2000);
    assert_balanced(&seen);
    seen.assert_share("typed", 0.2..=0.8);
    seen.assert_share("stuck", 0.02..=0.3);
    seen.assert_share("machine operator", 0.0..=0.0);
    seen.assert_share("sync", 0.0..=0.0);
    seen.assert_share("atomic", 0.0..=0.0);
}

#[test]
fn any_programs_are_balanced() {
    let seen = measure(Profile::ANY, 2000);
    assert_balanced(&seen);
    seen.assert_share("typed", 0.2..=0.8);
    seen.assert_share("stuck", 0.02..=0.3);
    seen.assert_share("diverged", 0.01..=0.3);
    for part in ["atomic", "sync", "machine operator"] {
        seen.assert_share(part, 0.05..=0.95);
    }
}

#[test]
fn synchronized_programs_never_diverge() {
    let seen = measure(Profile::SYNCHRONIZED, 2000);
    assert_balanced(&seen);
    seen.assert_share("diverged", 0.0..=0.0);
    seen.assert_share("sync", 0.2..=0.95);
}

#[test]
fn well_typed_programs_are_well_typed() {
    for profile in [Profile::WELL_TYPED, Profile::PAPER_WELL_TYPED] {
        let seen = measure(profile, 2000);
        assert_balanced(&seen);
        seen.assert_share("typed", 1.0..=1.0);
    }
}

#[test]
fn almost_well_typed_programs_break_the_rule_they_say() {
    let mut seen = Distribution::default();
    for_choices(1000, |choices| {
        let (program, broken) = almost_well_typed(choices);
        let rejection = type_program(&program).expect_err("a rule is broken");
        let id = rejection.rule.id();
        // A loop may be of either sort, and an expression is rejected by its own rule.
        assert!(rules::find(id).is_some());
        assert_eq!(id, broken.rule(), "{broken:?} in {program}");
        seen.case([broken.rule()]);
    });
    for rule in ["type/t-write", "type/t-read", "type/t-if", "type/t-for"] {
        seen.assert_share(rule, 0.05..=0.6);
    }
}

#[test]
fn protocols_are_varied() {
    let mut seen = Distribution::default();
    for_choices(2000, |choices| {
        let map = map_file(choices, Profile::ANY);
        let exact = if map.protocol.is_exact() { "exact" } else { "any" };
        let sync = if map.protocol.has_sync() { "sync" } else { "no sync" };
        seen.case([exact, sync]);
    });
    seen.assert_share("any", 0.03..=0.6);
    seen.assert_share("sync", 0.2..=0.9);
}

/// Shrinking a racy program for its raciness ends at one of the smallest racy programs.
#[test]
fn shrinking_finds_a_smallest_program() {
    let racy = |program: &Program| {
        let launch = program.geometry.launch().expect("generated launches are concrete");
        let outcome = Instance::new(program.clone(), launch).run(&options());
        outcome.is_done() && !outcome.history().is_drf()
    };
    let mut shrunk = 0;
    for_choices(100, |choices| {
        let program = program(choices, Profile::PAPER);
        if racy(&program) {
            shrunk += 1;
            let least = shrink::minimise(&program, racy, 10_000);
            assert!(racy(&least));
            // One statement that all threads run, or two that some do.
            assert!(least.body.subterms().count() <= 7, "{least}");
        }
    });
    assert!(shrunk >= 10);
}
