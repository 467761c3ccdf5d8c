//! The checker accepts what the evaluators derive, and nothing else.

use crate::instances::{for_instances, options};
use crate::mutants::{exchanged, mutants};
use crate::replay::replayed;
use babycuda_core::parse::parse_program;
use babycuda_core::{Accesses, History, HostMemory, Launch, Phase};
use babycuda_semantics::{
    BlockJudgment, Derivation, Ending, Instance, Judgment, Premise, Rule, RunOptions, blocks,
    check_derivation, parallel, thread,
};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Together, they use every rule.
const PROGRAMS: [(&str, u32); 13] = [
    ("A[tid] := 1", 2),
    ("shared A = [5, 6]; let y = A[tid] in A[tid] := y + 1", 2),
    ("if tid == 0 { A[0] := tid } else { skip }", 2),
    ("forU x in 0..2 { A[x] := x }", 1),
    ("forU x in 2..2 { A[x] := x }; skip", 1),
    ("A[tid] := 1; sync; A[tid] := 2", 2),
    (
        "warp 2; shared A = fill 0; A[tid] := 1; if tid / 2 == 0 { sync.warp }; \
         if tid < 2 { let x = A[1 - tid] in A[tid] := x }; sync",
        3,
    ),
    ("shared A = fill 1; let x = A[0] in { if x == 1 { sync } else { skip }; A[x] := tid }", 2),
    ("shared A = fill 1; let x = A[0] in { if x == 0 { sync } else { sync }; skip }", 1),
    ("if tid == 0 { sync } else { skip }", 3),
    ("if tid == 0 { sync } else { sync }; A[0] := 1", 2),
    ("forS x in 0..2 { A[tid] := x; sync }; forS y in 3..1 { sync }", 1),
    (
        "shared A = fill 0; let x = atomic A[0] add 1 in \
         { sync; let y = atomic A[1] cas 1 if 0 in { A[2 + tid] := x + y } }",
        2,
    ),
];

fn instance((text, threads): (&str, u32)) -> Instance {
    let program = parse_program(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    let launch = Launch { warp: program.geometry.warp, ..Launch::threads(threads) };
    Instance::new(program, launch)
}

/// The derivations of the three evaluators, where they have one.
fn derivations(instance: &Instance) -> Vec<Derivation> {
    let options = RunOptions::default();
    let (start, body, block) = (instance.start(), instance.body(), instance.block());
    let run = blocks::run(&start, &body, block, &options).derivation;
    let parallel = parallel::run(&start, &body, block, &options).ok();
    let alone = body.subst(&block.substitution(0));
    let thread = thread::evaluate(&Accesses::default(), &alone, &start, 0, &options).ok();
    let run = run.map(|derivation| (*derivation).clone());
    [run, parallel.map(|(_, d)| d), thread.map(|(_, d)| d)].into_iter().flatten().collect()
}

/// Is it what the evaluator derives for the conclusion, when atomic updates yield what they do in
/// it? A judgment and these values determine the derivation, so nothing else is one.
fn is_derived(derivation: &Derivation, options: &RunOptions) -> bool {
    let options = &RunOptions { atomics: replayed(derivation), ..options.clone() };
    let found = match &derivation.conclusion {
        Judgment::Thread(j) => {
            let run = thread::evaluate(&j.before, &j.program, &j.history, j.thread, options);
            run.ok().map(|(_, found)| found)
        }
        Judgment::Parallel(j) => {
            parallel::run(&j.before, &j.program, j.block, options).ok().map(|(_, found)| found)
        }
        Judgment::Program(j) => {
            let run = blocks::run(&j.before, &j.program, j.block, options).derivation;
            run.map(|found| (*found).clone())
        }
        Judgment::ToBarrier(_) | Judgment::Block(_) => None,
    };
    found.as_ref() == Some(derivation)
}

/// Every rule with each of its premises, and with its conclusion.
fn places() -> BTreeSet<(Rule, Option<usize>)> {
    let places = Rule::ALL.into_iter().flat_map(|rule| {
        let premises = rule.entry().premises.len();
        (0..=premises).map(move |n| (rule, (n > 0).then_some(n)))
    });
    places.collect()
}

#[test]
fn every_mutant_is_rejected_or_derives_something_true() {
    let (mut rules, mut mutated, mut accepted) = (BTreeSet::new(), 0, 0);
    let mut named = BTreeSet::new();
    for text in PROGRAMS {
        for derivation in derivations(&instance(text)) {
            assert_eq!(check_derivation(&derivation), Ok(()), "{text:?}");
            assert!(is_derived(&derivation, &RunOptions::default()), "{text:?}");
            rules.extend(derivation.nodes().map(|(_, node)| node.rule));
            for (what, mutant) in mutants(&derivation) {
                mutated += 1;
                match check_derivation(&mutant) {
                    Err(rejected) => drop(named.insert((rejected.rule, rejected.premise))),
                    // The place was immaterial, such as a number that is never used.
                    Ok(()) => {
                        accepted += 1;
                        assert!(is_derived(&mutant, &RunOptions::default()), "{text:?}: {what}");
                    }
                }
            }
        }
    }
    println!("{mutated} mutants, {accepted} of them derive something true");
    assert_eq!(rules.len(), Rule::ALL.len(), "rules used: {rules:?}");
    assert!(mutated > 5_000, "{mutated}");
    assert!(accepted * 50 < mutated, "{accepted} of {mutated}");
    // Each premise of each rule, and each conclusion, was what failed.
    let missed: Vec<_> = places().difference(&named).copied().collect();
    assert!(missed.is_empty(), "{missed:?}");
}

/// A premise is about what the rule says, and not about something else that is true.
#[test]
fn a_right_derivation_in_the_wrong_place_is_rejected() {
    let (mut named, mut tried) = (BTreeSet::new(), 0);
    for text in PROGRAMS {
        for derivation in derivations(&instance(text)) {
            for other in exchanged(&derivation) {
                tried += 1;
                match check_derivation(&other) {
                    Err(rejected) => drop(named.insert((rejected.rule, rejected.premise))),
                    Ok(()) => assert!(is_derived(&other, &RunOptions::default()), "{text:?}"),
                }
            }
        }
    }
    assert!(tried > 1_000, "{tried}");
    assert!(named.len() >= 20, "{named:?}");
}

/// Without threads nothing is derived: a block that has none would go on for ever.
#[test]
fn a_block_without_threads_does_not_wait() {
    let block = |before: &History, ending: &Ending, premises| Derivation {
        rule: if premises { Rule::BlockSyncs } else { Rule::BlockEnds },
        conclusion: Judgment::Block(BlockJudgment {
            before: Arc::new(before.clone()),
            warp: 32,
            remaining: Arc::new(Vec::new()),
            ending: ending.clone(),
        }),
        premises: Vec::new(),
    };
    let first = History::start(HostMemory::default());
    let second = first.push(Phase::default());
    let ending = Ending { history: Arc::new(second.clone()), divergence: None };
    let rest = block(&second, &ending, false);
    let mut waits = block(&first, &ending, true);
    waits.premises.push(Premise::Derived(Arc::new(rest)));
    let rejected = check_derivation(&waits).expect_err("nobody waits");
    assert_eq!((rejected.rule, rejected.premise), (Rule::BlockSyncs, Some(1)));
}

#[test]
fn a_rejection_names_node_and_premise() {
    let derivation = derivations(&instance(PROGRAMS[1])).remove(0);
    // Change the value read by thread 1.
    fn change(node: &Derivation, path: &mut Vec<usize>, found: &mut usize) -> Option<Derivation> {
        use babycuda_semantics::Premise;
        for (position, premise) in node.premises.iter().enumerate() {
            let changed = match premise {
                Premise::LastWrite { cell, value } => {
                    *found += 1;
                    (*found == 2).then(|| Premise::LastWrite {
                        cell: cell.clone(),
                        value: value.successor(),
                    })
                }
                Premise::Derived(child) => {
                    path.push(position);
                    let changed = change(child, path, found);
                    if changed.is_none() {
                        path.pop();
                    }
                    changed.map(|child| Premise::Derived(child.into()))
                }
                _ => None,
            };
            if let Some(changed) = changed {
                let mut node = node.clone();
                node.premises[position] = changed;
                return Some(node);
            }
        }
        None
    }
    let (mut path, mut found) = (Vec::new(), 0);
    let mutant = change(&derivation, &mut path, &mut found).expect("two threads read");
    let rejected = check_derivation(&mutant).expect_err("it is wrong");
    assert_eq!((rejected.rule, rejected.premise), (Rule::ThreadRead, Some(2)));
    assert_eq!(rejected.path, path);
    assert_eq!(rejected.to_string(), "node /0/1/0, rule thread/read, premise 2: A[1] holds 6");
}

#[test]
fn the_checker_accepts_the_derivations_of_random_programs() {
    let seen = for_instances(5_000, |instance, choice| {
        let evaluation = instance.evaluate(&options(choice));
        prop_assert_eq!(evaluation.derivation.is_none(), evaluation.outcome.stuck().is_some());
        let Some(derivation) = evaluation.derivation else {
            return Ok(["stuck"]);
        };
        prop_assert_eq!(check_derivation(&derivation), Ok(()));
        let size = derivation.size();
        // One change somewhere.
        if size < 25 {
            let mutants = mutants(&derivation);
            let (what, mutant) = &mutants[usize::from(choice) * 7919 % mutants.len()];
            if check_derivation(mutant).is_ok() {
                prop_assert!(is_derived(mutant, &options(choice)), "{}", what);
            }
        }
        Ok([if size < 20 { "small" } else { "large" }])
    });
    seen.assert_share("stuck", 0.02..=0.5);
    seen.assert_share("large", 0.2..=0.9);
}
