//! What the operators of the bytecode compute on longs.
//!
//! Machine operators and casts are `babycuda_core`'s on patterns; here are the others. Where a
//! result is that of a natural operation that needs more than 64 bits, the value is the result
//! modulo 2^64, and the mark says so.

use babycuda_core::expr::{ArithOp, BoolOp};
use babycuda_core::syntax::AtomicOp;
use babycuda_core::{CompareOp, IntType, MachineOp};

/// A result, and whether it needed more than 64 bits.
type Marked = (u64, bool);

/// `left op right` on naturals.
pub fn natural(op: ArithOp, left: u64, right: u64) -> Marked {
    let fits = |value| (value, false);
    match op {
        ArithOp::Add => left.overflowing_add(right),
        ArithOp::Sub => fits(left.saturating_sub(right)),
        ArithOp::Mul => left.overflowing_mul(right),
        ArithOp::Div => fits(left.checked_div(right).unwrap_or(0)),
        ArithOp::Mod => fits(left.checked_rem(right).unwrap_or(left)),
        ArithOp::Min => fits(left.min(right)),
        ArithOp::Max => fits(left.max(right)),
    }
}

/// `left op right`: on naturals, or on the patterns of machine integers.
pub fn compare(op: CompareOp, left: u64, right: u64) -> bool {
    op.relation.holds(match op.machine {
        None => left.cmp(&right),
        Some(t) => t.read(left).cmp(&t.read(right)),
    })
}

/// `left op right` on conditions, 0 or not.
pub fn connective(op: BoolOp, left: u64, right: u64) -> bool {
    op.apply(left != 0, right != 0)
}

/// What an atomic update leaves in a cell that held `old`.
pub fn atomic(op: AtomicOp, old: u64, operand: u64, expected: u64) -> Marked {
    let either = |on_naturals: ArithOp, on_machine: MachineOp, t: Option<IntType>| match t {
        None => natural(on_naturals, old, operand),
        Some(t) => (on_machine.apply(t, old, operand), false),
    };
    let fits = |value| (value, false);
    match op {
        AtomicOp::Add(t) => either(ArithOp::Add, MachineOp::Add, t),
        AtomicOp::Sub(t) => either(ArithOp::Sub, MachineOp::Sub, t),
        AtomicOp::Min(t) => either(ArithOp::Min, MachineOp::Min, t),
        AtomicOp::Max(t) => either(ArithOp::Max, MachineOp::Max, t),
        AtomicOp::And(t) => fits(MachineOp::And.apply(t, old, operand)),
        AtomicOp::Or(t) => fits(MachineOp::Or.apply(t, old, operand)),
        AtomicOp::Xor(t) => fits(MachineOp::Xor.apply(t, old, operand)),
        AtomicOp::Exch => fits(operand),
        AtomicOp::Inc => fits(if old >= operand { 0 } else { old + 1 }),
        AtomicOp::Dec => fits(if old == 0 || old > operand { operand } else { old - 1 }),
        AtomicOp::Cas => fits(if old == expected { operand } else { old }),
        AtomicOp::Opaque => fits(old),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use babycuda_core::Natural;
    use babycuda_core::expr::Relation;
    use babycuda_core::syntax::AtomicUpdate;

    const EDGES: [u64; 14] = [
        0,
        1,
        2,
        5,
        0x7f,
        0x80,
        0xff,
        0x7fff_ffff,
        0x8000_0000,
        0xffff_ffff,
        0x1_0000_0000,
        1 << 63,
        u64::MAX - 1,
        u64::MAX,
    ];

    fn pairs() -> impl Iterator<Item = (u64, u64)> {
        EDGES.into_iter().flat_map(|l| EDGES.into_iter().map(move |r| (l, r)))
    }

    fn agrees((value, overflow): Marked, exact: &Natural) {
        assert_eq!(value, exact.low_u64());
        assert_eq!(overflow, exact.to_u64().is_none());
    }

    #[test]
    fn operators_on_naturals_are_those_of_the_calculus() {
        for (l, r) in pairs() {
            for op in ArithOp::ALL {
                agrees(natural(op, l, r), &op.apply(&Natural::from(l), &Natural::from(r)));
            }
        }
    }

    #[test]
    fn comparisons_are_those_of_the_calculus() {
        let types = IntType::ALL.map(Some).into_iter().chain([None]);
        for machine in types {
            for relation in Relation::ALL {
                let op = CompareOp { relation, machine };
                for (l, r) in pairs() {
                    let exact = op.apply(&Natural::from(l), &Natural::from(r));
                    assert_eq!(compare(op, l, r), exact, "{l} {op} {r}");
                }
            }
        }
    }

    #[test]
    fn atomic_updates_are_those_of_the_calculus() {
        let typed = IntType::ALL.into_iter().flat_map(|t| {
            let some = Some(t);
            [
                AtomicOp::Add(some),
                AtomicOp::Sub(some),
                AtomicOp::Min(some),
                AtomicOp::Max(some),
                AtomicOp::And(t),
                AtomicOp::Or(t),
                AtomicOp::Xor(t),
            ]
        });
        let untyped = [
            AtomicOp::Add(None),
            AtomicOp::Sub(None),
            AtomicOp::Min(None),
            AtomicOp::Max(None),
            AtomicOp::Exch,
            AtomicOp::Inc,
            AtomicOp::Dec,
            AtomicOp::Cas,
            AtomicOp::Opaque,
        ];
        for op in typed.chain(untyped) {
            for (old, operand) in pairs() {
                for expected in EDGES {
                    let update = AtomicUpdate {
                        op,
                        operand: Natural::from(operand),
                        expected: (op == AtomicOp::Cas).then(|| Natural::from(expected)),
                    };
                    let exact = update.apply(&Natural::from(old));
                    agrees(atomic(op, old, operand, expected), &exact);
                }
            }
        }
    }
}
