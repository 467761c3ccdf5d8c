//! Derivations of `u ↓ Λ`: they say what evaluation says, and each premise of each rule is checked.

use babycuda_core::expr::ArithOp;
use babycuda_core::parse::parse_map;
use babycuda_core::rules;
use babycuda_core::{AccessMode, Bool, Cell, Natural, Num, Protocol, Site};
use babycuda_protocols::Configuration;
use babycuda_protocols::map::{
    Derivation, Ending, Judgment, Lambda, Limits, Premise, Reached, Rejected, Rule,
    check_derivation, derive, evaluate,
};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Together, they use every rule but map/any, which the concrete syntax does not have.
const PROTOCOLS: [(&str, u32); 9] = [
    ("rd[tid]", 2),
    ("skip", 1),
    ("rd[0]; wr[tid + 1]", 2),
    ("if tid == 0 { rd[0] } else { wr[1] }", 2),
    ("forU x in tid..2 { wr[x] }", 2),
    ("forU x in 2..1 + 1 { wr[x] }; rd[3]", 1),
    ("wr[tid]; sync; rd[1 - tid]", 2),
    ("forS x in 0..2 { if tid == x { wr[x] } else { rd[tid] }; sync }", 2),
    ("if tid == 0 { sync } else { skip }; wr[0]", 3),
];

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
    let at = Configuration::threads(threads);
    derive(protocol, &at, &|_, _| Natural::from(3u32), &Limits::default())
        .unwrap_or_else(|e| panic!("{protocol}: {e}"))
}

#[test]
fn a_derivation_says_what_evaluation_says() {
    for (text, threads) in PROTOCOLS {
        let protocol = protocol(text);
        let lambda: Lambda =
            evaluate(&protocol, &Configuration::threads(threads), &Limits::default())
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

#[test]
fn rules_have_the_ids_of_the_ledger() {
    let ids: Vec<&str> = rules::Judgment::Map.rules().map(|rule| rule.id).collect();
    assert_eq!(Rule::ALL.map(Rule::id).to_vec(), ids);
    for rule in Rule::ALL {
        assert_eq!(serde_json::to_value(rule).ok(), Some(rule.id().into()));
    }
}

/// Every rule with each of its premises, and with its conclusion.
fn places() -> BTreeSet<(Rule, Option<usize>)> {
    let places = Rule::ALL.into_iter().flat_map(|rule| {
        let premises = rules::find(rule.id()).map_or(0, |entry| entry.premises.len());
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
                        derive(protocol, configuration, &|_, _| 3u64.into(), &Limits::default());
                    assert_eq!(again.ok(), Some(mutant.clone()), "{protocol}: {what}");
                }
            }
        }
    }
    assert!(mutated > 1_500, "{mutated}");
    let missed: Vec<_> = places().difference(&named).copied().collect();
    assert!(missed.is_empty(), "{missed:?}");
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

/// Every derivation that differs from `original` in one place, with what was changed.
fn mutants(original: &Derivation) -> Vec<(String, Derivation)> {
    let mut all = Vec::new();
    let mut change = |what: String, edit: &dyn Fn(&mut Derivation)| {
        let mut mutant = original.clone();
        edit(&mut mutant);
        if mutant != *original {
            all.push((what, mutant));
        }
    };
    for rule in Rule::ALL {
        change(format!("rule {rule}"), &|d| d.rule = rule);
    }
    for (what, conclusion) in conclusions(&original.conclusion) {
        change(format!("conclusion: {what}"), &|d| d.conclusion = conclusion.clone());
    }
    for position in 0..original.premises.len() {
        change(format!("without premise {position}"), &|d| drop(d.premises.remove(position)));
        change(format!("premise {position} twice"), &|d| {
            let premise = d.premises[position].clone();
            d.premises.insert(position, premise);
        });
        if position + 1 < original.premises.len() {
            change(format!("premise {position} exchanged"), &|d| {
                d.premises.swap(position, position + 1);
            });
        }
        for (what, premise) in premises(&original.premises[position]) {
            change(format!("premise {position}: {what}"), &|d| {
                d.premises[position] = premise.clone();
            });
        }
    }
    all
}

fn premises(original: &Premise) -> Vec<(String, Premise)> {
    match original {
        Premise::Derived(child) => {
            mutants(child).into_iter().map(|(what, d)| (what, Premise::Derived(d))).collect()
        }
        Premise::Value { expression, value } => {
            let longer = Num::arith(ArithOp::Add, expression.clone(), Num::lit(0u32));
            let (expression, next) = (expression.clone(), value.successor());
            vec![
                ("value".into(), Premise::Value { expression, value: next }),
                ("expression".into(), Premise::Value { expression: longer, value: value.clone() }),
            ]
        }
        Premise::Truth { condition, value } => {
            let double = Bool::not(Bool::not(condition.clone()));
            vec![
                ("truth".into(), Premise::Truth { condition: condition.clone(), value: !value }),
                ("condition".into(), Premise::Truth { condition: double, value: *value }),
            ]
        }
        Premise::Chosen { value } => vec![
            ("choice".into(), Premise::Chosen { value: value.successor() }),
            ("domain".into(), Premise::Chosen { value: Natural::from(300u32) }),
        ],
    }
}

fn conclusions(original: &Judgment) -> Vec<(&'static str, Judgment)> {
    match original {
        Judgment::Thread { protocol, reached } => {
            let with = |u: &Arc<Protocol>, r: Reached| Judgment::Thread {
                protocol: u.clone(),
                reached: Arc::new(r),
            };
            let extra = Reached::one(AccessMode::Rd, Cell::new("Z", 77u32));
            let mut fewer = (**reached).clone();
            let first = fewer.phases[0].iter().next().cloned();
            first.map(|access| fewer.phases[0].remove(&access));
            let mut other_site = (**reached).clone();
            other_site.barriers.iter_mut().for_each(|site| site.0 += 1);
            let same = (**reached).clone();
            vec![
                ("one access more", with(protocol, reached.then(&extra))),
                ("one access less", with(protocol, fewer)),
                ("one barrier more", with(protocol, reached.then(&Reached::barrier(Site(9))))),
                ("other barriers", with(protocol, other_site)),
                ("nothing", with(protocol, Reached::nothing())),
                ("sites", with(&shifted(protocol), same.clone())),
                ("protocol", with(&Arc::new(Protocol::Skip), same)),
            ]
        }
        Judgment::Block { configuration, protocol, phases, ending } => {
            let block = |c: &Configuration, u: &Arc<Protocol>, p: Vec<_>, e: &Ending| {
                let (configuration, protocol, ending) = (c.clone(), u.clone(), e.clone());
                Judgment::Block { configuration, protocol, phases: p, ending }
            };
            let mut larger = configuration.clone();
            larger.launch.block.x += 1;
            let mut smaller = configuration.clone();
            smaller.launch.block.x -= 1;
            let mut fewer = phases.clone();
            fewer[0].pop_first();
            let mut more = phases.clone();
            more.push(BTreeSet::new());
            let other = match ending {
                Ending::Done => Ending::Divergence { first: (0, None), second: (1, Some(Site(0))) },
                Ending::Divergence { .. } | Ending::Stuck { .. } => Ending::Done,
            };
            vec![
                ("a thread more", block(&larger, protocol, phases.clone(), ending)),
                ("a thread less", block(&smaller, protocol, phases.clone(), ending)),
                ("an access less", block(configuration, protocol, fewer, ending)),
                ("a phase more", block(configuration, protocol, more, ending)),
                ("no phase", block(configuration, protocol, Vec::new(), ending)),
                ("ending", block(configuration, protocol, phases.clone(), &other)),
                ("sites", block(configuration, &shifted(protocol), phases.clone(), ending)),
            ]
        }
    }
}

fn shifted(protocol: &Protocol) -> Arc<Protocol> {
    Arc::new(Protocol::seq(Protocol::Sync { site: Site(99) }, protocol.clone()))
}
