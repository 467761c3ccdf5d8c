//! Every rule of the semantics concludes somewhere, and does not where one of its premises fails.

use babycuda_core::parse::parse_program;
use babycuda_core::rules::{Judgment, Rule as Entry, chooses};
use babycuda_core::{Accesses, History, Program};
use babycuda_semantics::{
    Block, Derivation, Instance, Outcome, Rule, RunOptions, parallel, thread,
};
use std::collections::BTreeSet;

const HEADER: &str = "shared A = fill 0; shared B; ";

fn program(text: &str) -> Program {
    parse_program(&format!("{HEADER}{text}")).unwrap_or_else(|e| panic!("{e}"))
}

fn instance(text: &str, threads: u32) -> Instance {
    Instance::new(program(text), babycuda_core::Launch::threads(threads))
}

fn start(program: &Program) -> History {
    History::start(babycuda_core::HostMemory::declared(program))
}

/// What became of a program.
#[derive(Debug)]
enum Result {
    /// Derived, with this rule at the root.
    Rule(Rule),
    /// No derivation.
    Stuck,
}

/// The derivation of a statement by one thread.
fn thread_derivation(text: &str) -> Option<Derivation> {
    let program = program(text);
    let history = start(&program);
    let options = RunOptions::default();
    thread::evaluate(&Accesses::default(), &program.body, &history, 0, &options)
        .ok()
        .map(|(_, derivation)| derivation)
}

fn thread_result(text: &str) -> Result {
    thread_derivation(text).map_or(Result::Stuck, |d| Result::Rule(d.rule))
}

/// What a thread of a block of `threads` did first: the node of the barrier judgment.
fn barrier_result(text: &str, threads: u32) -> Result {
    let derivation = instance(text, threads).evaluate(&RunOptions::default()).derivation;
    let Some(root) = derivation else { return Result::Stuck };
    let first = root.children().next().and_then(|block| block.children().next());
    first.map_or(Result::Stuck, |node| Result::Rule(node.rule))
}

/// The first rule of the block judgment.
fn block_result(text: &str, threads: u32) -> Result {
    let derivation = instance(text, threads).evaluate(&RunOptions::default()).derivation;
    let Some(root) = derivation else { return Result::Stuck };
    root.children().next().map_or(Result::Stuck, |node| Result::Rule(node.rule))
}

/// The ids of the rules that conclude somewhere in a derivation.
fn used(derivation: &Derivation) -> BTreeSet<&'static str> {
    derivation.nodes().map(|(_, node)| node.rule.id()).collect()
}

/// Asserts that each rule of the judgment is used in some run of `texts` by two threads.
fn assert_fire(judgment: Judgment, texts: &[&str]) {
    let mut fired = BTreeSet::new();
    for text in texts {
        let evaluation = instance(text, 2).evaluate(&RunOptions::default());
        let derivation = evaluation.derivation.unwrap_or_else(|| panic!("{text} is stuck"));
        fired.extend(used(&derivation));
    }
    for rule in judgment.rules() {
        assert!(fired.contains(rule.id), "{} does not fire", rule.id);
    }
}

/// Cases: a rule, a premise of it, and a program of whose shape the rule is and that fails just
/// this premise. The rule must not be at the root.
fn assert_needed(
    judgments: &[Judgment],
    cases: &[(&str, usize, &str)],
    run: impl Fn(&str) -> Result,
) {
    let mut covered = BTreeSet::new();
    for (id, premise, text) in cases {
        let result = run(text);
        assert!(
            !matches!(result, Result::Rule(rule) if rule.id() == *id),
            "{id} concludes without premise {premise} in {text}"
        );
        covered.insert((*id, *premise));
    }
    // Every premise but those that choose a value has a case.
    let premises = |rule: &'static Entry| {
        let numbered = (1..).zip(rule.premises);
        numbered.filter(|(_, p)| !chooses(p)).map(move |(number, _)| (rule.id, number))
    };
    let wanted: BTreeSet<_> = judgments.iter().flat_map(|j| j.rules()).flat_map(premises).collect();
    assert_eq!(covered, wanted);
}

#[test]
fn thread_rules_fire() {
    assert_fire(
        Judgment::Thread,
        &[
            "let x = A[0] in A[1] := x; skip",
            "if tid == 0 { A[0] := 1 } else { skip }",
            "forU x in 0..2 { A[x] := tid }",
            "let x = atomic A[0] add 1 in skip",
        ],
    );
}

#[test]
fn thread_premises_are_needed() {
    // `y` is unbound, and `B` undefined.
    let cases = [
        ("thread/read", 1, "let x = A[y] in skip"),
        ("thread/read", 2, "let x = B[0] in skip"),
        ("thread/read", 3, "let x = A[0] in A[0] := y"),
        ("thread/write", 1, "A[y] := 0"),
        ("thread/write", 2, "A[0] := y"),
        ("thread/seq", 1, "A[0] := y; skip"),
        ("thread/seq", 2, "skip; A[0] := y"),
        ("thread/if-t", 1, "if 0 == 1 { skip } else { skip }"),
        ("thread/if-t", 2, "if 0 == 0 { A[0] := y } else { skip }"),
        ("thread/if-f", 1, "if 0 == 0 { skip } else { skip }"),
        ("thread/if-f", 2, "if 0 == 1 { skip } else { A[0] := y }"),
        ("thread/for-1", 1, "forU x in y..0 { skip }"),
        ("thread/for-1", 2, "forU x in 0..y { skip }"),
        ("thread/for-1", 3, "forU x in 0..1 { skip }"),
        ("thread/for-2", 1, "forU x in y..1 { skip }"),
        ("thread/for-2", 2, "forU x in 0..y { skip }"),
        ("thread/for-2", 3, "forU x in 1..1 { skip }"),
        ("thread/for-2", 4, "forU x in 0..1 { A[0] := y }"),
        ("thread/for-2", 5, "forU x in 0..2 { if x == 1 { A[0] := y } else { skip } }"),
        ("thread/atomic", 1, "let x = atomic A[y] add 1 in skip"),
        ("thread/atomic", 2, "let x = atomic A[0] add y in skip"),
        ("thread/atomic", 4, "let x = atomic A[0] add 1 in A[0] := y"),
    ];
    assert_needed(&[Judgment::Thread], &cases, thread_result);
}

#[test]
fn the_parallel_rule_fires() {
    let program = program("A[0] := 1");
    let run =
        parallel::run(&start(&program), &program.body, Block::threads(2), &RunOptions::default());
    let (history, derivation) = run.unwrap_or_else(|stuck| panic!("{stuck}"));
    assert_eq!(derivation.rule.id(), "parallel/par");
    assert_eq!(history.to_string(), "[{0: (∅, {0: 1}), 1: (∅, {0: 1})}]");
}

#[test]
fn the_parallel_premise_is_needed() {
    // Thread 1 alone is stuck.
    let program = program("if tid == 1 { let x = B[0] in skip } else { skip }");
    let run =
        parallel::run(&start(&program), &program.body, Block::threads(2), &RunOptions::default());
    assert_eq!(run.map(|_| ()).map_err(|stuck| stuck.thread), Err(1));
}

#[test]
fn barrier_rules_fire() {
    assert_fire(
        Judgment::Barrier,
        &[
            "A[tid] := 1; sync; let x = A[0] in sync",
            "if 0 == 0 { sync } else { skip }",
            "if 0 == 1 { sync } else { skip }",
            "forS x in 0..2 { sync }",
            "let x = atomic A[0] add 1 in sync",
        ],
    );
}

#[test]
fn barrier_premises_are_needed() {
    let cases = [
        ("barrier/block", 1, "A[0] := y"),
        ("barrier/read", 1, "let x = A[y] in sync"),
        ("barrier/read", 2, "let x = B[0] in sync"),
        ("barrier/read", 3, "let x = A[0] in { A[0] := y; sync }"),
        ("barrier/atomic", 1, "let x = atomic A[y] add 1 in sync"),
        ("barrier/atomic", 2, "let x = atomic A[0] add y in sync"),
        ("barrier/atomic", 4, "let x = atomic A[0] add 1 in { A[0] := y; sync }"),
        ("barrier/seq-1", 1, "sync; skip"),
        ("barrier/seq-1", 2, "skip; { A[0] := y; sync }"),
        ("barrier/seq-2", 1, "skip; sync"),
        ("barrier/if-t", 1, "if 0 == 1 { sync } else { skip }"),
        ("barrier/if-t", 2, "if 0 == 0 { A[0] := y; sync } else { skip }"),
        ("barrier/if-f", 1, "if 0 == 0 { skip } else { sync }"),
        ("barrier/if-f", 2, "if 0 == 1 { sync } else { A[0] := y }"),
        ("barrier/for-1", 1, "forS x in y..0 { sync }"),
        ("barrier/for-1", 2, "forS x in 0..y { sync }"),
        ("barrier/for-1", 3, "forS x in 0..1 { sync }"),
        ("barrier/for-2", 1, "forS x in y..1 { sync }"),
        ("barrier/for-2", 2, "forS x in 0..y { sync }"),
        ("barrier/for-2", 3, "forS x in 1..1 { sync }"),
        ("barrier/for-2", 4, "forS x in 0..1 { A[0] := y; sync }"),
    ];
    assert_needed(&[Judgment::Barrier], &cases, |text| barrier_result(text, 1));
}

#[test]
fn block_rules_fire() {
    let texts = ["sync", "sync.warp", "if tid == 0 { sync } else { skip }"];
    assert_fire(Judgment::Block, &texts);
    let outcome = instance("if tid == 0 { sync } else { skip }", 2).run(&RunOptions::default());
    assert!(matches!(outcome, Outcome::Diverged { .. }));
}

#[test]
fn block_premises_are_needed() {
    let cases = [
        ("block/start", 1, "A[0] := y"),
        ("block/ends", 1, "sync"),
        ("block/syncs", 1, "if tid == 0 { sync } else { skip }"),
        ("block/syncs", 2, "sync; A[0] := y"),
        ("block/group-syncs", 1, "if tid == 0 { sync.warp } else { A[0] := y }"),
        ("block/group-syncs", 2, "if tid == 0 { sync.warp } else { skip }"),
        ("block/group-syncs", 3, "sync.warp; A[0] := y"),
        ("block/diverges", 1, "if tid == 0 { sync } else { A[0] := y }"),
        ("block/diverges", 2, "sync"),
    ];
    assert_needed(&[Judgment::Block], &cases, |text| block_result(text, 2));
}
