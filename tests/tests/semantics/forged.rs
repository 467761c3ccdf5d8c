//! Derivations in which every node but one is right, and that one fits its premises: only the check
//! that the rule demands can tell.

use crate::mutants::mutants;
use babycuda_core::parse::{parse_program, parse_stmt};
use babycuda_core::syntax::ForSort;
use babycuda_core::{Accesses, History, HostMemory, Launch, Name, Natural, Num, Stmt};
use babycuda_report::derivation::{compact, run_in_full};
use babycuda_semantics::{
    Derivation, Instance, Judgment, Premise, Rule, RunOptions, Stop, blocks, check_derivation,
    thread,
};
use std::sync::Arc;

fn stmt(text: &str) -> Stmt {
    parse_stmt(text).unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// The derivation of what a thread does, from nothing.
fn of_thread(program: &Stmt) -> Derivation {
    let start = History::start(HostMemory::default());
    let run = thread::evaluate(&Accesses::default(), program, &start, 0, &RunOptions::default());
    run.unwrap_or_else(|e| panic!("{program}: {e:?}")).1
}

/// The derivation of what is left of a block at its start.
fn of_block(text: &str, threads: u32) -> Derivation {
    let program = parse_program(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    let instance = Instance::new(program, Launch::threads(threads));
    let (start, body) = (instance.start(), instance.body());
    let run = blocks::run(&start, &body, instance.block(), &RunOptions::default());
    match run.derivation.as_deref().and_then(|root| root.premises.first()) {
        Some(Premise::Derived(block)) => (**block).clone(),
        other => panic!("{text}: {other:?}"),
    }
}

#[track_caller]
fn assert_rejected(node: &Derivation, rule: Rule, premise: Option<usize>) {
    let rejected = check_derivation(node).expect_err("it is forged");
    assert_eq!((&rejected.path[..], rejected.rule), (&[][..], rule), "{rejected}");
    assert_eq!(rejected.premise, premise, "{rejected}");
}

fn derived(child: Derivation) -> Premise {
    Premise::Derived(Arc::new(child))
}

#[test]
fn an_expression_has_its_own_value() {
    let mut write = of_thread(&stmt("A[1] := 2"));
    let other = of_thread(&stmt("A[1] := 3"));
    let (Judgment::Thread(j), Judgment::Thread(k)) = (&mut write.conclusion, &other.conclusion)
    else {
        panic!()
    };
    j.after = k.after.clone();
    if let Premise::Value { value, .. } = &mut write.premises[1] {
        *value = Natural::from(3u32);
    }
    assert_rejected(&write, Rule::ThreadWrite, Some(2));
}

#[test]
fn a_condition_has_its_own_truth() {
    for (text, rule, side, value) in [
        ("if 0 == 1 { A[0] := 1 } else { skip }", Rule::ThreadIfTrue, "A[0] := 1", true),
        ("if 0 == 0 { A[0] := 1 } else { skip }", Rule::ThreadIfFalse, "skip", false),
    ] {
        let (mut node, side) = (of_thread(&stmt(text)), of_thread(&stmt(side)));
        if let (Judgment::Thread(j), Judgment::Thread(k)) = (&mut node.conclusion, &side.conclusion)
        {
            j.after = k.after.clone();
        }
        if let Premise::Truth { value: said, .. } = &mut node.premises[0] {
            *said = value;
        }
        node.rule = rule;
        // The side stands in the branch, with its site.
        let Judgment::Thread(j) = &node.conclusion else { panic!() };
        let Stmt::If { then, otherwise, .. } = &*j.program else { panic!() };
        let side = of_thread(if value { then } else { otherwise });
        node.premises[1] = derived(side);
        assert_rejected(&node, rule, Some(1));
    }
}

#[test]
fn the_rest_of_a_loop_is_the_same_loop() {
    let node = of_thread(&stmt("forU x in 0..2 { skip }"));
    let Some(Premise::Derived(rest)) = node.premises.last() else { panic!() };
    let Judgment::Thread(j) = &rest.conclusion else { panic!() };
    let changes: [&dyn Fn(&mut Stmt); 6] = [
        &|b| {
            if let Stmt::For { site, .. } = b {
                site.0 += 1
            }
        },
        &|b| {
            if let Stmt::For { sort, .. } = b {
                *sort = ForSort::S
            }
        },
        &|b| {
            if let Stmt::For { var, .. } = b {
                *var = Name::new("y")
            }
        },
        &|b| {
            if let Stmt::For { lower, .. } = b {
                *lower = Num::lit(2u32)
            }
        },
        &|b| {
            if let Stmt::For { upper, .. } = b {
                *upper = Num::lit(3u32)
            }
        },
        &|b| {
            if let Stmt::For { body, .. } = b {
                *body = Arc::new(stmt("skip; skip"))
            }
        },
    ];
    for change in changes {
        let mut other = (*j.program).clone();
        change(&mut other);
        let mut forged = node.clone();
        *forged.premises.last_mut().expect("for-2 has premises") = derived(of_thread(&other));
        assert_rejected(&forged, Rule::ThreadFor2, Some(5));
    }
}

/// Of a loop with barriers the first iteration and the rest are run as one sequence.
#[test]
fn a_loop_with_barriers_is_unrolled_once() {
    let block = of_block("forS x in 0..2 { sync }", 1);
    let node = block.nodes().map(|(_, node)| node).find(|n| n.rule == Rule::BarrierFor2);
    let node = node.expect("the loop runs").clone();
    let Some(Premise::Derived(child)) = node.premises.last() else { panic!() };
    let Judgment::ToBarrier(j) = &child.conclusion else { panic!() };
    let Stmt::Seq(first, rest) = &*j.program else { panic!() };
    let mut shorter = (**rest).clone();
    if let Stmt::For { lower, .. } = &mut shorter {
        *lower = Num::lit(2u32);
    }
    let longer = Stmt::seq(Stmt::Skip, (**first).clone());
    for other in [Stmt::seq(longer, (**rest).clone()), Stmt::seq((**first).clone(), shorter)] {
        let start = History::start(HostMemory::default());
        let block = babycuda_semantics::Block::threads(1);
        let run = blocks::run(&start, &other, block, &RunOptions::default()).derivation;
        let nodes = run.iter().flat_map(|root| root.nodes());
        let is_it = |n: &&Derivation| match &n.conclusion {
            Judgment::ToBarrier(k) => *k.program == other,
            _ => false,
        };
        let found = nodes.map(|(_, n)| n).find(is_it).expect("it is run").clone();
        let mut forged = node.clone();
        let (Judgment::ToBarrier(j), Judgment::ToBarrier(k)) =
            (&mut forged.conclusion, &found.conclusion)
        else {
            panic!()
        };
        (j.after, j.stop) = (k.after.clone(), k.stop.clone());
        *forged.premises.last_mut().expect("for-2 has premises") = derived(found);
        assert_rejected(&forged, Rule::BarrierFor2, Some(4));
    }
}

/// A thread that meets no barrier is run by the rules of threads only where its code has none.
#[test]
fn code_without_barriers_has_none() {
    let mut node = of_block("A[0] := 1", 1).premises.remove(0);
    let other = of_thread(&stmt("if 0 == 0 { A[0] := 1 } else { sync }"));
    let Premise::Derived(block) = &mut node else { panic!() };
    let block = Arc::make_mut(block);
    assert_eq!((block.rule, check_derivation(block)), (Rule::BarrierBlock, Ok(())));
    let (Judgment::ToBarrier(j), Judgment::Thread(k)) = (&mut block.conclusion, &other.conclusion)
    else {
        panic!()
    };
    (j.history, j.program) = (k.history.clone(), k.program.clone());
    (j.before, j.after) = (k.before.clone(), k.after.clone());
    block.premises = vec![derived(other)];
    assert_rejected(block, Rule::BarrierBlock, None);
}

/// The phase that the threads of the block reach together.
fn reached(node: &Derivation) -> Arc<History> {
    let Judgment::Block(j) = &node.conclusion else { panic!() };
    let (_, older) = j.before.split().expect("a block runs in a phase");
    let mut phase = babycuda_core::Phase::default();
    for premise in &node.premises {
        if let Premise::Derived(child) = premise
            && let Judgment::ToBarrier(k) = &child.conclusion
        {
            phase.insert(k.thread, (*k.after).clone());
        }
    }
    Arc::new(older.push(phase))
}

#[test]
fn a_block_ends_when_all_threads_do() {
    for text in ["A[tid] := 1; sync", "if tid == 0 { sync } else { skip }"] {
        let mut node = of_block(text, 2);
        node.rule = Rule::BlockEnds;
        node.premises.truncate(2);
        let history = reached(&node);
        let Judgment::Block(j) = &mut node.conclusion else { panic!() };
        (j.ending.history, j.ending.divergence) = (history, None);
        assert_rejected(&node, Rule::BlockEnds, Some(1));
    }
}

#[test]
fn a_thread_is_in_a_block_once() {
    let mut node = of_block("A[tid] := 1", 1);
    let again = node.premises[0].clone();
    node.premises.push(again);
    let Judgment::Block(j) = &mut node.conclusion else { panic!() };
    let remaining = Arc::make_mut(&mut j.remaining);
    remaining.push(remaining[0].clone());
    assert_rejected(&node, Rule::BlockEnds, None);
}

/// After a barrier the threads go on in the next phase, with what they have left, from one barrier.
#[test]
fn a_block_goes_on_where_it_stopped() {
    let node = of_block("sync; A[tid] := 1", 2);
    let Some(Premise::Derived(rest)) = node.premises.last() else { panic!() };
    assert_eq!((node.rule, check_derivation(&node)), (Rule::BlockSyncs, Ok(())));
    // Other code is left, and ends alike.
    let other = of_block("sync; if 0 == 0 { A[tid] := 1 } else { skip }", 2);
    let Some(Premise::Derived(other_rest)) = other.premises.last() else { panic!() };
    let endings = [rest, other_rest].map(|node| match &node.conclusion {
        Judgment::Block(j) => j.ending.clone(),
        _ => panic!(),
    });
    assert_eq!(endings[0], endings[1]);
    let mut forged = node.clone();
    *forged.premises.last_mut().expect("two phases") = Premise::Derived(other_rest.clone());
    assert_rejected(&forged, Rule::BlockSyncs, Some(2));
    // Another history before, in which the threads have done something that they do again.
    let mut later = (**rest).clone();
    let Judgment::Block(j) = &mut later.conclusion else { panic!() };
    let (_, older) = j.before.split().expect("a phase");
    let written = reached(rest);
    let (phase, _) = written.split().expect("a phase");
    j.before = Arc::new(older.push(phase.clone()));
    for premise in &mut later.premises {
        let Premise::Derived(child) = premise else { continue };
        let child = Arc::make_mut(child);
        let Judgment::ToBarrier(k) = &child.conclusion else { panic!() };
        let accesses = k.after.clone();
        repeat(child, &accesses);
    }
    assert_eq!(check_derivation(&later), Ok(()));
    *forged.premises.last_mut().expect("two phases") = derived(later);
    assert_rejected(&forged, Rule::BlockSyncs, Some(2));
}

/// The same code from the accesses to which it leads: it does the same again, and adds nothing.
fn repeat(node: &mut Derivation, accesses: &Arc<Accesses>) {
    let (before, after) = match &mut node.conclusion {
        Judgment::ToBarrier(k) => (&mut k.before, &mut k.after),
        Judgment::Thread(k) => (&mut k.before, &mut k.after),
        _ => panic!("a judgment about a thread"),
    };
    (*before, *after) = (accesses.clone(), accesses.clone());
    for premise in &mut node.premises {
        if let Premise::Derived(child) = premise {
            repeat(Arc::make_mut(child), accesses);
        }
    }
}

#[test]
fn threads_go_on_from_one_barrier() {
    let text = "if tid == 0 { sync } else { sync }";
    let mut node = of_block(text, 2);
    assert_eq!(node.rule, Rule::BlockDiverges);
    let rest = node.premises.iter().enumerate().map(|(i, premise)| match premise {
        Premise::Derived(child) => match &child.conclusion {
            Judgment::ToBarrier(k) => match &k.stop {
                Stop::Barrier { rest, .. } => (i as u64, rest.clone()),
                Stop::Done => panic!("it waits"),
            },
            _ => panic!("a judgment about a thread"),
        },
        _ => panic!("a derivation"),
    });
    let rest: Vec<_> = rest.collect();
    // What would follow, if the barriers were one.
    let follows = of_block("sync", 2);
    let Some(Premise::Derived(after)) = follows.premises.last() else { panic!() };
    let mut after = (**after).clone();
    let Judgment::Block(j) = &mut after.conclusion else { panic!() };
    j.remaining = Arc::new(rest);
    let ending = j.ending.clone();
    node.rule = Rule::BlockSyncs;
    node.premises.push(derived(after));
    let Judgment::Block(j) = &mut node.conclusion else { panic!() };
    j.ending = ending;
    assert_rejected(&node, Rule::BlockSyncs, Some(1));
}

/// What is concluded about a block is checked there, not only by the judgment
/// that it is a premise of.
#[test]
fn every_judgment_is_checked_by_itself() {
    let texts = [
        "A[tid] := 1; sync; let x = A[tid] in A[tid] := x",
        "if tid == 0 { sync } else { skip }; A[0] := 1",
        "if tid == 0 { sync } else { sync }",
        "forS x in 0..2 { if x == tid { A[x] := 1 } else { skip }; sync }",
    ];
    let mut tried = 0;
    for text in texts {
        let root = of_block(text, 2);
        for (_, node) in root.nodes() {
            if !matches!(node.conclusion, Judgment::Block(_)) {
                continue;
            }
            // Its premises are right; those that change inside are tried at their own nodes.
            for (what, mutant) in mutants(node) {
                // What is left of a block may be right for warps of any size.
                if what.starts_with("conclusion") && what != "conclusion: warp" {
                    tried += 1;
                    let refused = check_derivation(&mutant).is_err();
                    assert!(refused, "{text}: {what}\n{}", compact(&run_in_full(&mutant)));
                }
            }
        }
    }
    assert!(tried > 40, "{tried}");
}
