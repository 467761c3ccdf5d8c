//! Derivations of `u ↓ Λ`: they say what evaluation says, and each premise of each rule is checked.

mod mutations;

use babycuda_core::expr::ArithOp;
use babycuda_core::history::Access;
use babycuda_core::parse::parse_map;
use babycuda_core::syntax::{BarrierScope, ForSort};
use babycuda_core::{AccessMode, Bool, Cell, Configuration, Natural, Num, Protocol, Site};
use babycuda_protocols::map::{
    Derivation, Ending, Judgment, Lambda, MapError, MapEvidence, MapLimits, Premise, Reached,
    Rejected, Rule, check_derivation, check_map, derive, evaluate,
};
use mutations::mutants;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Together, they use every rule but map/any, which the concrete syntax does not have.
const PROTOCOLS: [(&str, u32); 13] = [
    ("rd[tid]", 2),
    ("skip", 1),
    ("rd[0]; wr[tid + 1]", 2),
    ("if tid == 0 { rd[0] } else { wr[1] }", 2),
    ("forU x in tid..2 { wr[x] }", 2),
    ("forU x in 2..1 + 1 { wr[x] }; rd[3]", 1),
    ("wr[tid]; sync; rd[1 - tid]", 2),
    ("forS x in 0..2 { if tid == x { wr[x] } else { rd[tid] }; sync }", 2),
    ("if tid == 0 { sync } else { skip }; wr[0]", 3),
    ("let x = input I[tid] in wr[x]", 2),
    ("wr[tid]; sync.tile2; rd[1 - tid]; sync; wr[tid]; sync.warp; wr[0]", 4),
    ("if tid / 2 == 0 { wr[tid]; sync.tile2; rd[0] }; wr[tid]; sync", 4),
    ("wr[tid]; sync.tile2; if tid == 1 { sync.tile2 }; wr[7]", 4),
];

/// The host stored 3 and 4 in the input `I`.
fn at(threads: u32) -> Configuration {
    let mut at = Configuration::threads(threads);
    for (index, value) in [(0u32, 3u32), (1, 4)] {
        at.host.set(Cell::new("I", index), value.into());
    }
    at
}

fn protocol(text: &str) -> Protocol {
    parse_map(text).unwrap_or_else(|e| panic!("{text}: {e}")).protocol
}

fn any() -> Protocol {
    let body = Protocol::access(AccessMode::Rd, "A", Num::var("x"));
    let domain = Some(babycuda_core::IntType::U8);
    Protocol::Any { site: Site(0), var: "x".into(), domain, body: Arc::new(body) }
}

fn protocols() -> Vec<(Protocol, u32)> {
    let written = PROTOCOLS.iter().map(|(text, threads)| (protocol(text), *threads));
    written.chain([(any(), 2)]).collect()
}

fn derived(protocol: &Protocol, threads: u32) -> Derivation {
    derive(protocol, &at(threads), &|_, _| Natural::from(3u32), &MapLimits::default())
        .unwrap_or_else(|e| panic!("{protocol}: {e}"))
}

#[test]
fn a_derivation_says_what_evaluation_says() {
    for (text, threads) in PROTOCOLS {
        let protocol = protocol(text);
        let lambda: Lambda = evaluate(&protocol, &at(threads), &MapLimits::default())
            .unwrap_or_else(|e| panic!("{text}: {e}"));
        let derivation = derived(&protocol, threads);
        assert_eq!(check_derivation(&derivation), Ok(()), "{text}");
        let Judgment::Block { phases, ending, .. } = &derivation.conclusion else {
            panic!("{text}")
        };
        assert_eq!((phases, ending), (&lambda.accesses(), &lambda.ending), "{text}");
    }
    assert_eq!(check_derivation(&derived(&any(), 2)), Ok(()));
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
fn what_differs_in_one_place_is_rejected_there() {
    let (mut named, mut mutated) = (BTreeSet::new(), 0);
    for (protocol, threads) in protocols() {
        let original = derived(&protocol, threads);
        for (what, mutant) in mutants(&original) {
            mutated += 1;
            match check_derivation(&mutant) {
                Err(Rejected { rule, premise, .. }) => drop(named.insert((rule, premise))),
                // What is accepted is what is derived for its conclusion.
                Ok(()) => {
                    let Judgment::Block { configuration, protocol, .. } = &mutant.conclusion else {
                        panic!("{protocol}: {what}")
                    };
                    let again =
                        derive(protocol, configuration, &|_, _| 3u64.into(), &MapLimits::default());
                    assert_eq!(again.ok(), Some(mutant.clone()), "{protocol}: {what}");
                }
            }
        }
    }
    assert!(mutated > 1_500, "{mutated}");
    let missed: Vec<_> = places().difference(&named).copied().collect();
    assert!(missed.is_empty(), "{missed:?}");
}

/// A premise is about what the rule says, and not about something else that is true.
#[test]
fn a_right_derivation_in_the_wrong_place_is_rejected() {
    let (mut named, mut tried) = (BTreeSet::new(), 0);
    for (protocol, threads) in protocols() {
        let original = derived(&protocol, threads);
        let mut parts = Vec::new();
        collect(&original, &mut parts);
        for other in exchanged(&original, &parts) {
            tried += 1;
            match check_derivation(&other) {
                Err(Rejected { rule, premise, .. }) => drop(named.insert((rule, premise))),
                Ok(()) => {
                    let at = at(threads);
                    let again = derive(&protocol, &at, &|_, _| 3u64.into(), &MapLimits::default());
                    assert_eq!(again.ok(), Some(other), "{protocol}");
                }
            }
        }
    }
    assert!(tried > 100, "{tried}");
    let parts = [(Rule::Seq, 1), (Rule::Seq, 2), (Rule::IfTrue, 2), (Rule::IfFalse, 2)];
    let more = [(Rule::For2, 4), (Rule::For2, 5), (Rule::Par, 1)];
    for (rule, premise) in parts.into_iter().chain(more) {
        assert!(named.contains(&(rule, Some(premise))), "{rule}, {premise}");
    }
}

/// The derivation of what one thread does, and of what the protocol is there.
fn alone(text: &str) -> Derivation {
    match derived(&protocol(text), 1).premises.remove(0) {
        Premise::Derived(thread) => thread,
        other => panic!("{other:?}"),
    }
}

fn conclusion(node: &mut Derivation) -> (&mut Arc<Protocol>, &mut Arc<Reached>) {
    match &mut node.conclusion {
        Judgment::Thread { protocol, reached } => (protocol, reached),
        Judgment::Block { .. } => panic!("a judgment about a thread"),
    }
}

#[track_caller]
fn assert_rejected(node: &Derivation, rule: Rule, premise: Option<usize>) {
    let rejected = check_derivation(node).expect_err("it is wrong");
    assert_eq!((rejected.path.len(), rejected.rule, rejected.premise), (0, rule, premise));
}

#[test]
fn a_condition_that_does_not_hold_is_no_premise() {
    // What is said of the condition fits the rule, and the side is derived rightly.
    for (text, rule, side) in [
        ("if 0 == 1 { rd[0] } else { skip }", Rule::IfTrue, "rd[0]"),
        ("if 0 == 0 { rd[0] } else { skip }", Rule::IfFalse, "skip"),
    ] {
        let mut node = alone(text);
        let side = alone(side);
        let Premise::Truth { value, .. } = &mut node.premises[0] else { panic!() };
        *value = rule == Rule::IfTrue;
        let Judgment::Thread { reached, .. } = &side.conclusion else { panic!() };
        *conclusion(&mut node).1 = reached.clone();
        node.rule = rule;
        node.premises[1] = Premise::Derived(side);
        assert_rejected(&node, rule, Some(1));
    }
}

#[test]
fn the_rest_of_a_loop_is_the_same_loop() {
    let rest = |change: &dyn Fn(&mut Protocol)| {
        let mut loop_ = protocol("forU x in 1..2 { skip }");
        change(&mut loop_);
        match derived(&loop_, 1).premises.remove(0) {
            Premise::Derived(thread) => thread,
            other => panic!("{other:?}"),
        }
    };
    let mut node = alone("forU x in 0..2 { skip }");
    node.premises[4] = Premise::Derived(rest(&|_| {}));
    assert_eq!(check_derivation(&node), Ok(()));
    let changes: [&dyn Fn(&mut Protocol); 5] = [
        &|u| {
            if let Protocol::For { site, .. } = u {
                site.0 += 1
            }
        },
        &|u| {
            if let Protocol::For { sort, .. } = u {
                *sort = ForSort::S
            }
        },
        &|u| {
            if let Protocol::For { var, .. } = u {
                *var = "y".into()
            }
        },
        &|u| {
            if let Protocol::For { lower, .. } = u {
                *lower = Num::lit(2u32)
            }
        },
        &|u| {
            if let Protocol::For { upper, .. } = u {
                *upper = Num::lit(3u32)
            }
        },
    ];
    for change in changes {
        node.premises[4] = Premise::Derived(rest(change));
        assert_rejected(&node, Rule::For2, Some(5));
    }
}

#[test]
fn any_is_a_value_of_its_type() {
    let mut wide = any();
    if let Protocol::Any { domain, .. } = &mut wide {
        *domain = None;
    }
    let at = Configuration::threads(1);
    let chosen = derive(&wide, &at, &|_, _| 300u32.into(), &MapLimits::default());
    let Premise::Derived(mut node) = chosen.unwrap_or_else(|e| panic!("{e}")).premises.remove(0)
    else {
        panic!()
    };
    assert_eq!(check_derivation(&node), Ok(()));
    *conclusion(&mut node).0 = Arc::new(any());
    assert_rejected(&node, Rule::Any, Some(1));
}

/// A value of another cell, or that the host did not store, is none of the input.
#[test]
fn an_input_is_what_the_host_stored() {
    let right = derived(&protocol("let x = input I[tid] in wr[x]"), 2);
    assert_eq!(check_derivation(&right), Ok(()));
    let rejected = |change: &dyn Fn(&mut Configuration)| {
        let mut wrong = right.clone();
        let Judgment::Block { configuration, .. } = &mut wrong.conclusion else { panic!() };
        change(configuration);
        let rejected = check_derivation(&wrong).expect_err("it is wrong");
        assert_eq!((rejected.rule, rejected.premise), (Rule::Input, Some(2)));
    };
    rejected(&|at| at.host = Default::default());
    rejected(&|at| at.host.set(Cell::new("I", 1u32), 3u32.into()));
    // Of one thread alone, nobody says what the host stored.
    let Premise::Derived(thread) = &right.premises[0] else { panic!() };
    assert_rejected(thread, Rule::Input, Some(2));
    // Nothing stored: no derivation.
    let mut empty = at(3);
    let error = derive(
        &protocol("let x = input I[tid] in wr[x]"),
        &empty,
        &|_, _| 0u32.into(),
        &MapLimits::default(),
    );
    assert!(matches!(error, Err(MapError::Input { .. })), "{error:?}");
    empty.host.set(Cell::new("I", 2u32), 9u32.into());
    assert!(
        evaluate(&protocol("let x = input I[tid] in wr[x]"), &empty, &MapLimits::default()).is_ok()
    );
}

/// The threads' derivations are right, and what the block makes of them is not.
#[test]
fn threads_wait_at_one_barrier() {
    let of = |threads: u32, text: &str, ended: Ending, number: usize| {
        let mut node = derived(&protocol(text), threads);
        let Judgment::Block { phases, ending, .. } = &mut node.conclusion else { panic!() };
        *ending = ended;
        phases.resize(number, BTreeSet::new());
        node
    };
    let block = |text: &str, ended, number| of(2, text, ended, number);
    let apart = "if tid == 0 { sync } else { sync }";
    assert_rejected(&block(apart, Ending::Done, 2), Rule::Par, None);
    let some = "if tid == 0 { sync } else { skip }";
    assert_rejected(&block(some, Ending::Done, 2), Rule::Par, None);
    assert_rejected(&block(some, Ending::Done, 1), Rule::Par, None);
    let site = Some(Site(0));
    let together = Ending::Divergence { first: (0, site), second: (1, site) };
    assert_rejected(&block("sync", together, 1), Rule::Par, None);
    // Both at their end, while thread 0 waits.
    let ended = Ending::Divergence { first: (1, None), second: (2, None) };
    assert_rejected(&of(3, some, ended, 1), Rule::Par, None);
    let nowhere = Ending::Divergence { first: (0, site), second: (7, None) };
    assert_rejected(&block("sync", nowhere, 1), Rule::Par, None);
    // Thread 1 and thread 3 stop at different places, but thread 3 is not waited for.
    let tile = "if tid == 1 { sync.tile2 } else { skip }";
    let right = derived(&protocol(tile), 4);
    assert!(check_derivation(&right).is_ok());
    let Judgment::Block { ending: Ending::Divergence { first: (0, None), second }, .. } =
        right.conclusion
    else {
        panic!("{right:#?}")
    };
    let apart = |first| Ending::Divergence { first, second };
    assert_rejected(&of(4, tile, apart((3, None)), 1), Rule::Par, None);
    // Barriers of tiles end no phase.
    assert_rejected(&of(4, "sync.tile2", Ending::Done, 2), Rule::Par, None);
}

#[test]
fn the_root_is_about_the_protocol_of_the_evidence() {
    let evidence = |text: &str, n: u32| {
        let map = parse_map(text).unwrap_or_else(|e| panic!("{text}: {e}"));
        let at = Configuration::threads(2).with("n", n);
        let derivation = derive(&map.protocol, &at, &|_, _| 3u64.into(), &MapLimits::default());
        let derivation = derivation.unwrap_or_else(|e| panic!("{text}: {e}"));
        let mut map = map;
        map.declarations = map.declarations.without_sources();
        MapEvidence { map, configuration: at, derivation }
    };
    let right = || evidence("threads 2; param n; rd[n]", 1);
    assert_eq!(check_map(&right()), Ok(()));
    let refused = |wrong: &MapEvidence| {
        let rejected = check_map(wrong).expect_err("it is wrong");
        assert_eq!((rejected.path.len(), rejected.premise), (0, None));
    };
    refused(&MapEvidence { map: evidence("threads 2; param n; wr[n]", 1).map, ..right() });
    refused(&MapEvidence { configuration: evidence("rd[0]", 2).configuration, ..right() });
    // The derivation is right, and the declarations do not admit the configuration.
    let declared = |text: &str| parse_map(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    for text in ["threads 3; param n; rd[n]", "threads 2; param n = 5; rd[n]"] {
        refused(&MapEvidence { map: declared(text), ..right() });
    }
    // A value of what is no parameter; and a variable that nothing binds.
    let mut more = right();
    more.map.declarations.params.clear();
    refused(&more);
    let mut more = evidence("threads 2; rd[0]", 1);
    refused(&more);
    more.configuration = Configuration::threads(2);
    refused(&more);
    // `n` is bound where it does not occur, and free in what is never reached.
    let mut free = evidence("threads 2; param n; if 0 == 0 { rd[0] } else { rd[m] }", 1);
    free.map.declarations.params.retain(|p| p.name.as_str() == "n");
    refused(&free);
}

/// All judgments about threads, each once.
fn collect<'a>(node: &'a Derivation, parts: &mut Vec<&'a Derivation>) {
    for premise in &node.premises {
        let Premise::Derived(child) = premise else { continue };
        if !parts.iter().any(|part| part.conclusion == child.conclusion) {
            parts.push(child);
        }
        collect(child, parts);
    }
}

/// Every derivation in which one part is another one: each node is right by itself.
fn exchanged(original: &Derivation, parts: &[&Derivation]) -> Vec<Derivation> {
    let mut all = Vec::new();
    for (position, premise) in original.premises.iter().enumerate() {
        let Premise::Derived(child) = premise else { continue };
        let others = parts.iter().filter(|part| part.conclusion != child.conclusion);
        let others = others.map(|part| (*part).clone()).chain(exchanged(child, parts));
        all.extend(others.map(|other| {
            let mut changed = original.clone();
            changed.premises[position] = Premise::Derived(other);
            changed
        }));
    }
    all
}

#[test]
fn a_rejection_names_node_and_premise() {
    let mut derivation = derived(&protocol("rd[0]; wr[tid + 1]"), 2);
    let Premise::Derived(seq) = &mut derivation.premises[1] else { panic!() };
    let Premise::Derived(write) = &mut seq.premises[1] else { panic!() };
    let Premise::Value { value, .. } = &mut write.premises[0] else { panic!() };
    *value = value.successor();
    let rejected = check_derivation(&derivation).expect_err("it is wrong");
    assert_eq!(rejected.to_string(), "node /1/1, rule map/access, premise 1: the value of 1 + 1");
}
