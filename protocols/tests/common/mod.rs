//! Random protocols: small expressions over two parameters, the thread and the counters around.

#![allow(dead_code)] // each test binary uses its own part

use babycuda_core::expr::{ArithOp, Relation};
use babycuda_core::parse::parse_protocol;
use babycuda_core::syntax::{ForSort, Scope, Tree};
use babycuda_core::{AccessMode, Bool, Num, Protocol};
use proptest::prelude::*;
use std::sync::Arc;

/// Which variables may be mentioned where barriers depend on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Control {
    /// Those that all threads share.
    Uniform,
    /// Also the thread's.
    Free,
}

fn num(vars: Vec<String>) -> impl Strategy<Value = Num> {
    let leaf = prop_oneof![
        (0u32..4).prop_map(Num::lit),
        proptest::sample::select(vars).prop_map(Num::var),
    ];
    leaf.prop_recursive(2, 6, 2, |inner| {
        (proptest::sample::select(&ArithOp::ALL[..]), inner.clone(), inner)
            .prop_map(|(op, l, r)| Num::arith(op, l, r))
    })
}

fn small(vars: Vec<String>) -> impl Strategy<Value = Num> {
    prop_oneof![
        3 => (0u32..4).prop_map(Num::lit),
        3 => proptest::sample::select(vars.clone()).prop_map(Num::var),
        1 => (proptest::sample::select(vars), 1u32..3)
            .prop_map(|(x, k)| Num::arith(ArithOp::Sub, Num::var(x), Num::lit(k))),
    ]
}

fn condition(vars: Vec<String>) -> impl Strategy<Value = Bool> {
    (proptest::sample::select(&Relation::ALL[..]), small(vars.clone()), small(vars))
        .prop_map(|(r, a, b)| Bool::compare(r, a, b))
}

fn mode() -> impl Strategy<Value = AccessMode> {
    prop_oneof![
        3 => Just(AccessMode::Rd),
        3 => Just(AccessMode::Wr),
        1 => Just(AccessMode::At(Scope::Block)),
        1 => Just(AccessMode::At(Scope::Device)),
    ]
}

/// Protocols with barriers anywhere; loop counters are `i0`, `i1`, … by depth.
pub fn protocol(control: Control, depth: u32) -> BoxedStrategy<Protocol> {
    let shared = vec!["n".to_owned(), "m".to_owned()];
    let private = vec!["tid".to_owned()];
    part(control, depth, shared, private).prop_map(|p| p.numbered()).boxed()
}

fn part(
    control: Control,
    depth: u32,
    shared: Vec<String>,
    private: Vec<String>,
) -> BoxedStrategy<Protocol> {
    let all: Vec<String> = shared.iter().chain(&private).cloned().collect();
    let steering = match control {
        Control::Uniform => shared.clone(),
        Control::Free => all.clone(),
    };
    let access = (mode(), proptest::sample::select(vec!["A", "B"]), num(all.clone()))
        .prop_map(|(mode, array, index)| Protocol::access(mode, array, index));
    let sync = Just(Protocol::sync());
    if depth == 0 {
        return prop_oneof![4 => access, 4 => sync, 1 => Just(Protocol::Skip)].boxed();
    }
    let inner = || part(control, depth - 1, shared.clone(), private.clone());
    let counter = format!("i{depth}");
    let mut shared_inside = shared.clone();
    shared_inside.push(counter.clone());
    let mut private_inside = private.clone();
    private_inside.push(counter.clone());
    let body_s = part(control, depth - 1, shared_inside, private.clone());
    let body_u = part(Control::Uniform, depth - 1, vec!["n".to_owned()], private_inside.clone())
        .prop_map(without_barriers);
    let repeat = |sort, var: String| {
        move |(lower, upper, body): (Num, Num, Protocol)| {
            Protocol::repeat(sort, var.as_str(), lower, upper, body)
        }
    };
    prop_oneof![
        2 => access,
        2 => sync,
        7 => (inner(), inner()).prop_map(|(p, q)| Protocol::seq(p, q)),
        2 => (condition(steering.clone()), inner(), inner())
            .prop_map(|(c, p, q)| Protocol::branch(c, p, q)),
        1 => (condition(all.clone()), inner(), inner()).prop_map(move |(c, p, q)| {
            Protocol::branch(c, without_barriers(p), without_barriers(q))
        }),
        3 => (small(steering.clone()), small(steering), body_s)
            .prop_map(repeat(ForSort::S, counter.clone())),
        1 => (small(all.clone()), small(all), body_u).prop_map(repeat(ForSort::U, counter)),
    ]
    .boxed()
}

/// The protocol with each barrier replaced by `skip`.
pub fn without_barriers(p: Protocol) -> Protocol {
    strip(&p)
}

fn strip(p: &Protocol) -> Protocol {
    let mut stripped = p.map_children(|child| Arc::new(strip(child)));
    match &mut stripped {
        Protocol::Sync { .. } => return Protocol::Skip,
        Protocol::For { sort, .. } => *sort = ForSort::U,
        _ => {}
    }
    stripped
}

/// The array of [`with_stops`].
pub const STOPS: &str = "S";

/// The protocol with about every other read made one of the array [`STOPS`].
pub fn with_stops(p: &Protocol) -> Protocol {
    let mut stopping = p.map_children(|child| Arc::new(with_stops(child)));
    if let Protocol::Access { site, mode: AccessMode::Rd, array, .. } = &mut stopping
        && site.0 % 2 == 0
    {
        *array = STOPS.into();
    }
    stopping
}

/// Below `let n = input P[…] in`, at the top, under a guard, or in a loop, what speaks of the
/// parameter n.
pub fn reading(p: &Protocol, place: usize, index: &str) -> Protocol {
    let text = match place {
        0 => format!("let n = input P[{index}] in {{ {p} }}"),
        1 => format!("if m == 1 {{ let n = input P[{index}] in {{ {p} }} }}; wr B[tid]"),
        2 => format!("forS k in 0..2 {{ let n = input P[{index} + k] in {{ {p} }} }}"),
        3 => format!("wr B[m]; let n = input P[P_] in let n = input P[{index} + n] in {{ {p} }}"),
        _ => format!("let n = input P[{index}] in {{ {p} }}; let n = input P[0] in rd B[n]"),
    };
    parse_protocol(&text.replace("P_", "m")).unwrap_or_else(|e| panic!("{e}"))
}
