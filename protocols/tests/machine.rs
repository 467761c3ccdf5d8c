//! Machine arithmetic at its edges: intervals contain what they claim to, and solvers decide what
//! brute force does.
#![cfg(feature = "smt")]

use babycuda_core::expr::{ArithOp, Relation};
use babycuda_core::interval::{Interval, Ranges};
use babycuda_core::machine::MachineOp;
use babycuda_core::parse::parse_protocol;
use babycuda_core::syntax::{Domain, Geometry};
use babycuda_core::{
    AccessMode, Bool, Configuration, Declarations, IntType, Launch, Name, Natural, Num, Protocol,
    Site,
};
use babycuda_protocols::enumerate::{self, Refusal, enumerate};
use babycuda_protocols::solve::{Cause, SolveOptions, check};
use babycuda_smt::Builtin;
use proptest::prelude::*;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// Patterns of a type where something changes.
fn edges(t: IntType) -> Vec<u64> {
    let (mask, half) = (t.width.mask(), t.width.mask() / 2);
    vec![0, 1, 2, 7, half - 1, half, half + 1, half + 2, mask - 6, mask - 1, mask]
}

fn types() -> impl Strategy<Value = IntType> {
    proptest::sample::select(&IntType::ALL[..])
}

/// Expressions over the variables, of every machine operator, cast and type.
fn num(vars: &'static [&'static str]) -> BoxedStrategy<Num> {
    let literal = (types(), 0usize..11).prop_map(|(t, k)| Num::lit(edges(t)[k]));
    let leaf = prop_oneof![1 => literal, 4 => proptest::sample::select(vars).prop_map(Num::var)];
    leaf.prop_recursive(3, 8, 2, move |inner| {
        let ops = proptest::sample::select(&MachineOp::ALL[..]);
        let naturals = proptest::sample::select(&ArithOp::ALL[..]);
        let machine = (ops, types(), inner.clone(), inner.clone());
        let select = (condition(inner.clone()), inner.clone(), inner.clone());
        prop_oneof![
            6 => machine.prop_map(|(op, t, l, r)| Num::machine(op, t, l, r)),
            4 => (types(), types(), inner.clone()).prop_map(|(a, b, n)| Num::cast(a, b, n)),
            1 => (naturals, inner.clone(), inner).prop_map(|(op, l, r)| Num::arith(op, l, r)),
            1 => select.prop_map(|(c, l, r)| Num::select(c, l, r)),
        ]
    })
    .boxed()
}

fn condition(side: impl Strategy<Value = Num> + Clone) -> impl Strategy<Value = Bool> {
    let relation = proptest::sample::select(&Relation::ALL[..]);
    (relation, proptest::option::weighted(0.8, types()), side.clone(), side).prop_map(
        |(r, t, l, m)| match t {
            Some(t) => Bool::compare_machine(r, t, l, m),
            None => Bool::compare(r, l, m),
        },
    )
}

/// Some of the values of a range: its ends, and where types change.
fn samples(low: u64, high: u64) -> BTreeSet<u64> {
    let near = IntType::ALL.into_iter().flat_map(edges);
    let ends = [low, low.saturating_add(1), high.saturating_sub(1), high];
    near.chain(ends).filter(|k| (low..=high).contains(k)).collect()
}

/// The first valuation at which an expression or condition leaves what the intervals say of it.
fn outside(n: &Num, c: &Bool, x: (u64, u64), y: (u64, u64)) -> Option<(u64, u64)> {
    let mut ranges = Ranges::default();
    ranges.insert("x", Interval::new(x.0, x.1));
    ranges.insert("y", Interval::new(y.0, y.1));
    let (range, truth) = (ranges.num(n), ranges.bool(c));
    let (left, right) = (samples(x.0, x.1), samples(y.0, y.1));
    let pairs = left.iter().flat_map(|a| right.iter().map(move |b| (*a, *b)));
    pairs.into_iter().find(|(a, b)| {
        let env = |v: &Name| Some(Natural::from(if v.as_str() == "x" { *a } else { *b }));
        let value = n.eval(&env).unwrap();
        !range.contains(&(&value).into()) || truth.is_some_and(|t| c.eval(&env) != Ok(t))
    })
}

#[test]
fn intervals_of_eight_bits_contain_every_value() {
    // Every operator, on every pair of ranges between edges, beyond the type too.
    let ends = [0u64, 1, 2, 100, 126, 127, 128, 129, 200, 254, 255, 256, 300];
    let ranges: Vec<(u64, u64)> = ends
        .iter()
        .flat_map(|a| ends.iter().filter(move |b| a <= *b).map(move |b| (*a, *b)))
        .collect();
    let (x, y) = (|| Num::var("x"), || Num::var("y"));
    for t in [IntType::U8, IntType::I8] {
        let compare = |r: &Relation| Bool::compare_machine(*r, t, x(), y());
        let mut cases: Vec<(Num, Bool)> = Relation::ALL
            .iter()
            .zip(IntType::ALL)
            .map(|(r, to)| (Num::cast(t, to, x()), compare(r)))
            .collect();
        let ops = MachineOp::ALL.iter().zip(Relation::ALL.iter().cycle());
        cases.extend(ops.map(|(op, r)| (Num::machine(*op, t, x(), y()), compare(r))));
        for (n, c) in cases {
            for &a in &ranges {
                // The right one varies only where there is one.
                for &b in ranges.iter().step_by(7) {
                    assert_eq!(outside(&n, &c, a, b), None, "{n}, {c}, {a:?}, {b:?}");
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 3000, failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn intervals_of_nested_expressions_contain_every_value(
        n in num(&["x", "y"]),
        c in condition(num(&["x", "y"])),
        ends in proptest::array::uniform4((types(), 0usize..11)),
    ) {
        let [a, b, p, q] = ends.map(|(t, k)| edges(t)[k]);
        let (x, y) = ((a.min(b), a.max(b)), (p.min(q), p.max(q)));
        prop_assert_eq!(outside(&n, &c, x, y), None, "{}, {}, {:?}, {:?}", n, c, x, y);
    }
}

/// Two threads, and parameters `x` and `y` of these types, at edges of them.
fn at_edges(types: [IntType; 2]) -> (Declarations, Vec<Configuration>) {
    let mut declarations = Declarations::of_geometry(Geometry::exactly(Launch::threads(2)));
    for (name, t) in ["x", "y"].into_iter().zip(types) {
        declarations = declarations.with_param(name, Domain::Machine(t));
        let one = |k| Bool::compare(Relation::Eq, Num::var(name), Num::lit(k));
        let any = edges(t).into_iter().map(one).reduce(Bool::or);
        declarations.assumptions.extend(any);
    }
    let [left, right] = types.map(edges);
    let all = left.iter().flat_map(|a| right.iter().map(move |b| (*a, *b)));
    let configuration = |(a, b)| Configuration::threads(2).with("x", a).with("y", b);
    let configurations = all.map(configuration).collect();
    (declarations, configurations)
}

/// Does the protocol race in one of the configurations? `None` where that is beyond 64 bits.
fn races(p: &Protocol, d: &Declarations, all: &[Configuration]) -> Option<bool> {
    for at in all {
        match enumerate(p, d, at, &enumerate::EnumerationLimits::default()) {
            Ok(found) if found.races.is_empty() => {}
            Ok(_) => return Some(true),
            Err(Refusal::Overflow(_)) => return None,
            Err(error) => panic!("{p}: {error}"),
        }
    }
    Some(false)
}

/// What the solver says of it; `None` where it leaves something open.
fn solved(p: &Protocol, d: &Declarations) -> Option<bool> {
    let mut options = SolveOptions::default();
    options.limits.time = Duration::from_secs(1);
    let found = check(p, d, &Builtin, &options);
    if found.undecided.iter().any(|u| u.cause == Cause::Vacuous) {
        return Some(false);
    }
    let defect = found.undecided.iter().find(|u| !matches!(u.cause, Cause::Solver(_)));
    assert!(defect.is_none(), "{p}: {defect:?}");
    if found.races.is_empty() && !found.undecided.is_empty() {
        return None;
    }
    Some(!found.races.is_empty())
}

fn guarded(c: Bool, then: Protocol) -> Protocol {
    let site = Site::default();
    let otherwise = Arc::new(Protocol::Skip);
    Protocol::If { site, condition: c, then: Arc::new(then), otherwise }.numbered()
}

#[test]
fn solvers_decide_machine_arithmetic_as_brute_force_does() {
    let cases = std::env::var("BABYCUDA_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(300);
    let (racy, free, open) = (Cell::new(0u32), Cell::new(0u32), Cell::new(0u32));
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    let sides = ["x", "y", "tid"];
    let sides: &'static [&'static str] = Box::leak(Box::new(sides));
    let write = num(sides).prop_map(|n| Protocol::access(AccessMode::Wr, "A", n));
    let assumed = proptest::option::of(condition(num(&["x", "y"])));
    proptest!(config, |(
        c in condition(num(sides)), w in write, t in [types(), types()], assumed in assumed
    )| {
        let (mut declarations, mut configurations) = at_edges(t);
        declarations.assumptions.extend(assumed);
        configurations.retain(|at| declarations.admits(at));
        let p = guarded(c, w);
        let Some(expected) = races(&p, &declarations, &configurations) else { return Ok(()) };
        let counter = match solved(&p, &declarations) {
            None => &open,
            Some(found) => {
                let assumptions = &declarations.assumptions[2..];
                prop_assert_eq!(found, expected, "{:?}, {:?}: {}", t, assumptions, p);
                if expected { &racy } else { &free }
            }
        };
        counter.set(counter.get() + 1);
    });
    println!("{} racy, {} free of races, {} open", racy.get(), free.get(), open.get());
    assert!(racy.get() > cases / 10 && free.get() > cases / 10 && open.get() < cases / 4);
}

/// Racy for exactly the values for which the condition holds of both threads.
#[track_caller]
fn decides(types: [IntType; 2], condition: &str, expected: bool) {
    let p = parse_protocol(&format!("if {condition} {{ wr A[0] }}")).unwrap();
    let (declarations, configurations) = at_edges(types);
    assert_eq!(races(&p, &declarations, &configurations), Some(expected), "{condition}");
    assert_eq!(solved(&p, &declarations), Some(expected), "{condition}");
}

#[test]
fn a_wider_type_has_the_value_and_not_the_pattern() {
    let (i8, i32) = ([IntType::I8, IntType::I8], [IntType::I32, IntType::I32]);
    decides(i8, "cast.i8.i32(x) == 0xffffffff", true);
    decides(i8, "cast.i8.i32(x) == 255", false);
    decides(i8, "cast.u8.i32(x) == 255", true);
    decides(i32, "cast.i32.i64(x) == 0xffffffffffffffff", true);
    decides(i32, "cast.i32.u64(x) == 0xffffffff", false);
    decides(i32, "cast.u32.i64(x) == 0xffffffff", true);
    // The difference is negative as an int, and large as an unsigned.
    decides(i32, "x == 0 && (y == 7 && 9 <= cast.u32.i64(sub.i32(x, y)))", true);
    decides(i32, "x == 0 && (y == 7 && le.i64(9, cast.i32.i64(sub.i32(x, y))))", false);
}

#[test]
fn a_remainder_has_the_sign_of_the_dividend() {
    let t = [IntType::I32, IntType::I32];
    // -7 rem 2 = -1, 7 rem -2 = 1, -7 rem -2 = -1.
    decides(t, "(x == 0xfffffff9 && y == 2) && rem.i32(x, y) == 0xffffffff", true);
    decides(t, "(x == 0xfffffff9 && y == 2) && rem.i32(x, y) == 1", false);
    decides(t, "(x == 7 && y == 0xfffffffe) && rem.i32(x, y) == 1", true);
    decides(t, "(x == 7 && y == 0xfffffffe) && rem.i32(x, y) == 0xffffffff", false);
    let both = "x == 0xfffffff9 && y == 0xfffffffe";
    decides(t, &format!("({both}) && rem.i32(x, y) == 0xffffffff"), true);
    decides(t, &format!("({both}) && div.i32(x, y) == 3"), true);
    decides(t, "y == 0xffffffff && rem.i32(x, y) != 0", false);
}

#[test]
fn the_least_product_is_not_that_of_the_least() {
    let t = [IntType::I32, IntType::I32];
    // The factors are -1 and 0, and so are all that differ between the threads.
    let square = "mul.i32(sub.i32(tid, 1), sub.i32(tid, 1))";
    decides(t, &format!("tid == 0 || {square} == 0"), true);
    decides(t, &format!("tid == 0 || {square} == 1"), false);
}

#[test]
fn a_divisor_may_be_zero() {
    let t = [IntType::U32, IntType::U32];
    decides(t, "(x == 7 && y < 2) && rem.u32(x, y) == 7", true);
    decides(t, "(x == 7 && y < 2) && div.u32(x, y) == 0", true);
}
