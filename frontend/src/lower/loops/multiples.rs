//! Conditions on multiples and quotients of a counter: `(i * 8 / n) * 8 < m` holds while `i` is below a limit of its own.

use crate::arith::{as_lit, compare, lit};
use crate::range::Known;
use babycuda_core::expr::{NumOp, Relation};
use babycuda_core::{Bool, MachineOp, Num};

/// A comparison of what is multiplied or divided.
pub(super) struct Unscaled {
    /// What it says of that.
    pub(super) part: Bool,
    /// May a multiple wrap around? Below the limit of `part` none does.
    pub(super) wraps: bool,
}

/// The comparison `part` of an unsigned multiple or quotient with a constant, as one of what is multiplied or divided,
/// all the way down.
pub(super) fn unscaled(part: &Bool, ranges: &Known) -> Unscaled {
    let mut found = Unscaled { part: part.clone(), wraps: false };
    while let Some(Unscaled { part, wraps }) = once(&found.part, ranges) {
        found = Unscaled { part, wraps: wraps || found.wraps };
    }
    found
}

fn once(part: &Bool, ranges: &Known) -> Option<Unscaled> {
    let Bool::Compare(op, l, r) = part else { return None };
    let t = op.machine.filter(|t| !t.signed)?;
    let (side, limit, relation) = match (as_lit(l), as_lit(r)) {
        (None, Some(limit)) => (l, limit, op.relation),
        (Some(limit), None) => (r, limit, op.relation.mirrored()),
        _ => return None,
    };
    let limit = match relation {
        Relation::Lt => u128::from(limit),
        Relation::Le => u128::from(limit) + 1,
        _ => return None,
    };
    let Num::Binary(NumOp::Machine(op, at), a, b) = side.as_ref() else {
        return None;
    };
    let (inner, factor) = match (op, as_lit(a), as_lit(b)) {
        (MachineOp::Mul | MachineOp::Div, None, Some(factor)) => (a, factor),
        (MachineOp::Mul, Some(factor), None) => (b, factor),
        _ => return None,
    };
    let largest = u128::from(t.width.mask());
    if factor == 0 || *at != t {
        return None;
    }
    let bound = match op {
        MachineOp::Div => limit * u128::from(factor),
        _ => limit.div_ceil(factor.into()),
    };
    let bound = u64::try_from(bound).ok().filter(|bound| u128::from(*bound) <= largest)?;
    let most = ranges.of(inner, t).1.unsigned_abs();
    let wraps = *op == MachineOp::Mul && most.saturating_mul(factor.into()) > largest;
    let part = compare(Relation::Lt, t, inner.as_ref().clone(), lit(bound), ranges);
    Some(Unscaled { part, wraps })
}

#[cfg(test)]
mod tests {
    use super::*;
    use babycuda_core::IntType;

    /// For numbers of 8 bits, all of which are tried.
    #[test]
    fn what_is_multiplied_is_below_its_own_limit() {
        let t = IntType::U8;
        let value = |part: &Bool, x: u64| {
            let map = [("x".into(), lit(x))].into();
            part.subst(&map).value().expect("closed")
        };
        let machine = |op, l, r| Num::machine(op, t, l, r);
        let mut exact = 0;
        for (factor, divisor, limit) in
            (1..20).flat_map(|f| (1..9).flat_map(move |d| [0, 1, 7, 40, 255].map(|l| (f, d, l))))
        {
            let product = machine(MachineOp::Mul, Num::var("x"), lit(factor));
            let quotient = machine(MachineOp::Div, product, lit(divisor));
            for relation in [Relation::Lt, Relation::Le] {
                let ranges = Known::default();
                let part = compare(relation, t, quotient.clone(), lit(limit), &ranges);
                let found = unscaled(&part, &ranges);
                exact += u32::from(!found.wraps);
                for x in 0..256 {
                    let meant = (relation, x * factor / divisor);
                    let holds = match meant {
                        (Relation::Lt, meant) => meant < limit,
                        (_, meant) => meant <= limit,
                    };
                    assert!(found.part == part || value(&found.part, x) == holds, "{part} {x}");
                    if !found.wraps {
                        assert_eq!(value(&found.part, x), value(&part, x), "{part} {x}");
                    }
                }
            }
        }
        assert!(exact > 40);
    }
}
