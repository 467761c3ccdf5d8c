//! Atomic updates: the languages' own, and compare-and-swap loops for the others.

use super::C;
use crate::emit::language::{Array, Language, Swap, Update};
use crate::emit::value::{patterns, width};
use babycuda_core::syntax::{AtomicOp, Domain, Scope, Space};
use babycuda_core::{IntType, Width};

/// An update by the language's own function, if it has one on these elements.
pub(super) fn native(c: C, update: &Update<'_>) -> Option<String> {
    let element = update.array.element;
    if update.op == AtomicOp::Cas {
        // What elements do not have is never met, but might be after a conversion.
        update.expected?;
    }
    let function = function(c, update.op, element)?;
    let carrier = carrier(c, element, update.op);
    let name = c.type_name(carrier);
    let mut arguments = vec![address(c, update.array, update.index, carrier)];
    for operand in update.expected.into_iter().chain([update.operand]) {
        arguments.push(match c.type_name(carrier) == c.type_name(element) {
            true => operand.to_owned(),
            false => format!("({name})({operand})"),
        });
    }
    let scope = if c == C::Cuda { suffix(update.scope) } else { "" };
    let call = format!("{function}{scope}({})", arguments.join(", "));
    let call = match c.type_name(carrier) == c.type_name(element) {
        true => call,
        false => format!("({}){call}", c.type_name(element)),
    };
    Some(call)
}

/// The function for an operator on elements of a domain.
fn function(c: C, op: AtomicOp, element: Domain) -> Option<&'static str> {
    let t = match element {
        Domain::Natural => IntType::U64,
        Domain::Machine(t) => t,
    };
    let long = t.width == Width::W64;
    // Naturals are patterns of 64 bits; but their subtraction is truncated.
    let fits = |domain: Option<IntType>| domain.map_or(element == Domain::Natural, |own| own == t);
    if t.width < Width::W32 {
        return None;
    }
    match (op, c, long) {
        (AtomicOp::Add(own), C::Cuda, _) if fits(own) => Some("atomicAdd"),
        (AtomicOp::Add(own), C::OpenCl, false) if fits(own) => Some("atomic_add"),
        (AtomicOp::Add(own), C::OpenCl, true) if fits(own) => Some("atom_add"),
        (AtomicOp::Sub(Some(own)), C::Cuda, false) if own == t => Some("atomicSub"),
        (AtomicOp::Sub(Some(own)), C::OpenCl, false) if own == t => Some("atomic_sub"),
        (AtomicOp::Sub(Some(own)), C::OpenCl, true) if own == t => Some("atom_sub"),
        (AtomicOp::Min(own), C::Cuda, _) if fits(own) => Some("atomicMin"),
        (AtomicOp::Min(own), C::OpenCl, false) if fits(own) => Some("atomic_min"),
        (AtomicOp::Max(own), C::Cuda, _) if fits(own) => Some("atomicMax"),
        (AtomicOp::Max(own), C::OpenCl, false) if fits(own) => Some("atomic_max"),
        (AtomicOp::And(own), C::Cuda, _) if own == t => Some("atomicAnd"),
        (AtomicOp::And(own), C::OpenCl, false) if own == t => Some("atomic_and"),
        (AtomicOp::Or(own), C::Cuda, _) if own == t => Some("atomicOr"),
        (AtomicOp::Or(own), C::OpenCl, false) if own == t => Some("atomic_or"),
        (AtomicOp::Xor(own), C::Cuda, _) if own == t => Some("atomicXor"),
        (AtomicOp::Xor(own), C::OpenCl, false) if own == t => Some("atomic_xor"),
        (AtomicOp::Exch, C::Cuda, _) => Some("atomicExch"),
        (AtomicOp::Exch, C::OpenCl, false) => Some("atomic_xchg"),
        (AtomicOp::Exch, C::OpenCl, true) => Some("atom_xchg"),
        (AtomicOp::Cas, C::Cuda, _) => Some("atomicCAS"),
        (AtomicOp::Cas, C::OpenCl, false) => Some("atomic_cmpxchg"),
        (AtomicOp::Cas, C::OpenCl, true) => Some("atom_cmpxchg"),
        (AtomicOp::Inc, C::Cuda, _) if t == IntType::U32 => Some("atomicInc"),
        (AtomicOp::Dec, C::Cuda, _) if t == IntType::U32 => Some("atomicDec"),
        _ => None,
    }
}

/// The type on which the language has the operator: CUDA has most of its functions of 64 bits on
/// unsigned words only.
fn carrier(c: C, element: Domain, op: AtomicOp) -> Domain {
    let ordered = matches!(op, AtomicOp::Min(_) | AtomicOp::Max(_));
    match c {
        C::Cuda if width(element) == Width::W64 && !ordered => patterns(element),
        _ => element,
    }
}

/// CUDA's spelling of a scope.
fn suffix(scope: Scope) -> &'static str {
    match scope {
        Scope::Block => "_block",
        Scope::Device => "",
        Scope::System => "_system",
    }
}

/// A pointer to a cell, for an atomic function.
fn address(c: C, array: &Array, index: &str, carrier: Domain) -> String {
    let name = c.type_name(carrier);
    let cell = format!("&{}[{index}]", array.text);
    match c {
        // CUDA's functions take no pointers to volatile.
        C::Cuda => format!("({name} *){cell}"),
        C::OpenCl if c.type_name(array.element) == name => cell,
        C::OpenCl => {
            let space = match array.space {
                Space::Shared => "__local",
                Space::Global => "__global",
            };
            format!("(volatile {space} {name} *){cell}")
        }
    }
}

/// A compare-and-swap loop. Its first turn expects what `old` holds by chance: a plain read of the
/// cell would race with the others' updates.
pub(super) fn swap(c: C, swap: &Swap<'_>) -> Vec<String> {
    let Swap { array, index, scope, old, seen, new } = *swap;
    let element = c.type_name(array.element);
    let carrier = carrier(c, array.element, AtomicOp::Cas);
    let name = c.type_name(carrier);
    let address = address(c, array, index, carrier);
    let call = |function: String| match name == element {
        true => format!("{function}({address}, {old}, {new})"),
        false => format!("({element}){function}({address}, ({name}){old}, ({name})({new}))"),
    };
    let call = match (c, width(array.element)) {
        (C::Cuda, _) => call(format!("atomicCAS{}", suffix(scope))),
        (C::OpenCl, Width::W64) => call("atom_cmpxchg".to_owned()),
        (C::OpenCl, _) => call("atomic_cmpxchg".to_owned()),
    };
    vec![
        "for (;;) {".to_owned(),
        format!("    const {element} {seen} = {call};"),
        format!("    if ({seen} == {old}) {{"),
        "        break;".to_owned(),
        "    }".to_owned(),
        format!("    {old} = {seen};"),
        "}".to_owned(),
    ]
}
