//! Atomic updates: the language's own, and compare-and-swap loops for the others.

use crate::emit::language::{Swap, Update};
use babycuda_core::syntax::{AtomicOp, Domain};
use babycuda_core::{IntType, Width};

/// An update by the language's own function, if it has one on these elements.
pub(super) fn native(update: &Update<'_>) -> Option<String> {
    let t = match update.array.element {
        Domain::Natural => IntType::U64,
        Domain::Machine(t) => t,
    };
    // Naturals are patterns of 64 bits; but their subtraction is truncated.
    let natural = update.array.element == Domain::Natural;
    let fits = |domain: Option<IntType>| domain.map_or(natural, |own| own == t);
    if t.width < Width::W32 {
        return None;
    }
    let function = match update.op {
        AtomicOp::Add(own) if fits(own) => "atomicAdd",
        AtomicOp::Sub(Some(own)) if own == t => "atomicSub",
        AtomicOp::Min(own) if fits(own) => "atomicMin",
        AtomicOp::Max(own) if fits(own) => "atomicMax",
        AtomicOp::And(own) if own == t => "atomicAnd",
        AtomicOp::Or(own) if own == t => "atomicOr",
        AtomicOp::Xor(own) if own == t => "atomicXor",
        AtomicOp::Exch => "atomicExchange",
        _ => return None,
    };
    let (array, index) = (&update.array.text, update.index);
    Some(format!("{function}(&{array}[{index}], {})", update.operand))
}

/// A compare-and-swap loop. Its first turn expects what `old` holds by chance. WGSL's comparison may
/// fail for no reason, so its verdict decides.
pub(super) fn swap(swap: &Swap<'_>) -> Vec<String> {
    let Swap { array, index, old, seen, new, .. } = *swap;
    let cell = format!("&{}[{index}]", array.text);
    vec![
        "loop {".to_owned(),
        format!("    let {seen} = atomicCompareExchangeWeak({cell}, {old}, {new});"),
        format!("    if {seen}.exchanged {{"),
        "        break;".to_owned(),
        "    }".to_owned(),
        format!("    {old} = {seen}.old_value;"),
        "}".to_owned(),
    ]
}
