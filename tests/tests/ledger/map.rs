//! Every rule of the semantics of protocols concludes somewhere, and does not where one of its
//! premises fails.

use babycuda_core::evidence::Counter;
use babycuda_core::parse::parse_protocol;
use babycuda_core::rules::{Judgment, chooses};
use babycuda_core::{Cell, Configuration, IntType, Name, Natural, Site};
use babycuda_protocols::map::{
    Configured, MapError, MapLimits, NoOracle, Oracle, evaluate, evaluate_threads,
};
use std::collections::BTreeSet;

/// Chooses 7 for every `any`.
struct Seven;

impl Oracle for Seven {
    fn choose(
        &mut self,
        _: u64,
        _: Site,
        _: &Name,
        _: Option<IntType>,
        _: &im::Vector<Counter>,
    ) -> Option<Natural> {
        Some(Natural::from(7u32))
    }
}

/// The access values of two threads, phase by phase, where the host stored 3 and 4 in the input `I`.
fn lambda(text: &str, oracle: &mut dyn Oracle) -> Result<String, MapError> {
    let protocol = parse_protocol(text).unwrap_or_else(|e| panic!("{e}"));
    let mut configuration = Configuration::threads(2);
    for (index, value) in [(0u32, 3u32), (1, 4)] {
        configuration.host.set(Cell::new("I", index), value.into());
    }
    let configured = Configured { protocol: &protocol, configuration: &configuration };
    let lambda = evaluate_threads(configured, 0..2, oracle, &MapLimits::default())?;
    let phases = lambda
        .accesses()
        .into_iter()
        .map(|phase| phase.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "));
    Ok(phases.collect::<Vec<_>>().join(" | "))
}

#[test]
fn map_rules_fire() {
    let cases = [
        ("map/par", "wr[tid]", "0:wr A[0], 1:wr A[1]"),
        ("map/skip", "skip", ""),
        ("map/access", "rd B[1 + 2]", "0:rd B[3], 1:rd B[3]"),
        ("map/seq", "rd[tid]; wr[5]", "0:rd A[0], 0:wr A[5], 1:rd A[1], 1:wr A[5]"),
        ("map/if-t", "if tid == 0 { wr[3] } else { skip }", "0:wr A[3]"),
        ("map/if-f", "if tid == 0 { skip } else { wr[3] }", "1:wr A[3]"),
        ("map/for-1", "forU x in 1..tid { rd[x] }", ""),
        ("map/for-2", "forU x in 0..tid + 1 { rd[x] }", "0:rd A[0], 1:rd A[0], 1:rd A[1]"),
        ("map/sync", "wr[0]; sync; rd[tid]", "0:wr A[0], 1:wr A[0] | 0:rd A[0], 1:rd A[1]"),
        ("map/input", "let x = input I[tid] in wr[x]", "0:wr A[3], 1:wr A[4]"),
        ("map/any", "any x { wr[x] }", "0:wr A[7], 1:wr A[7]"),
    ];
    for (id, text, expected) in cases {
        assert_eq!(lambda(text, &mut Seven).as_deref(), Ok(expected), "{id}: {text}");
    }
    let covered: BTreeSet<&str> = cases.iter().map(|(id, ..)| *id).collect();
    assert_eq!(covered, Judgment::Map.rules().map(|rule| rule.id).collect());
}

#[test]
fn map_premises_are_needed() {
    // What the rule would conclude if it ignored the premise, and what is concluded: nothing,
    // because `y` is unbound, or something else, because another rule applies.
    let cases = [
        ("map/par", 1, "if tid == 1 { wr[y] } else { skip }", None),
        ("map/access", 1, "wr[y]", None),
        ("map/seq", 1, "wr[y]; skip", None),
        ("map/seq", 2, "skip; wr[y]", None),
        ("map/if-t", 1, "if 0 == 1 { wr[3] } else { skip }", Some("")),
        ("map/if-t", 2, "if 0 == 0 { wr[y] } else { skip }", None),
        ("map/if-f", 1, "if 0 == 0 { skip } else { wr[3] }", Some("")),
        ("map/if-f", 2, "if 0 == 1 { skip } else { wr[y] }", None),
        ("map/for-1", 1, "forU x in y..0 { skip }", None),
        ("map/for-1", 2, "forU x in 0..y { skip }", None),
        ("map/for-1", 3, "forU x in 0..1 { wr[tid] }", Some("0:wr A[0], 1:wr A[1]")),
        ("map/for-2", 1, "forU x in y..1 { skip }", None),
        ("map/for-2", 2, "forU x in 0..y { skip }", None),
        ("map/for-2", 3, "forU x in 1..1 { wr[0] }", Some("")),
        ("map/for-2", 4, "forU x in 0..1 { wr[y] }", None),
        ("map/for-2", 5, "forU x in 0..2 { if x == 1 { wr[y] } else { skip } }", None),
        ("map/input", 1, "let x = input I[y] in skip", None),
        // The host stored nothing there: both threads are stuck.
        ("map/input", 2, "let x = input I[tid + 2] in wr[tid]", Some("")),
        ("map/input", 3, "let x = input I[tid] in wr[y]", None),
        ("map/any", 2, "any x { wr[y] }", None),
    ];
    for (id, premise, text, expected) in cases {
        let result = lambda(text, &mut Seven);
        assert_eq!(result.as_deref().ok(), expected, "{id}, premise {premise}: {text}");
    }
    let covered: BTreeSet<_> = cases.iter().map(|(id, premise, ..)| (*id, *premise)).collect();
    let wanted = Judgment::Map.rules().flat_map(|rule| {
        let numbered = (1..).zip(rule.premises);
        numbered.filter(|(_, p)| !chooses(p)).map(move |(number, _)| (rule.id, number))
    });
    assert_eq!(covered, wanted.collect());
}

/// Of an input of which nothing is said, no value is made up.
#[test]
fn inputs_need_contents() {
    let unknown = lambda("let x = input J[0] in wr[x]", &mut Seven);
    assert!(matches!(unknown, Err(MapError::Input { .. })), "{unknown:?}");
}

/// Without an oracle there is no value for `any`.
#[test]
fn any_needs_a_choice() {
    assert!(matches!(lambda("any x { wr[x] }", &mut NoOracle), Err(MapError::Any { .. })));
    let protocol = parse_protocol("wr[tid]").unwrap_or_else(|e| panic!("{e}"));
    let whole = evaluate(&protocol, &Configuration::threads(2), &MapLimits::default());
    assert!(whole.is_ok_and(|lambda| lambda.accesses().len() == 1));
}
