//! Intervals of machine integers, by what their patterns mean in a type; and what becomes of them
//! by operators, conversions and readings, with overflow.

use crate::expr::Relation;
use crate::machine::{IntType, MachineOp};

/// An interval of integers, both ends included.
pub type Range = (i128, i128);

/// All values of a type.
pub fn full(t: IntType) -> Range {
    let bits = t.width.bits();
    if t.signed {
        (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
    } else {
        (0, (1i128 << bits) - 1)
    }
}

/// Is `inner` a part of `outer`?
pub fn within(inner: Range, outer: Range) -> bool {
    outer.0 <= inner.0 && inner.1 <= outer.1
}

/// The interval `range` if the type holds it, otherwise all values of the type.
fn fit(range: Range, t: IntType) -> Range {
    if within(range, full(t)) { range } else { full(t) }
}

/// What an interval becomes when its members are converted to type `t`.
pub fn convert(range: Range, t: IntType) -> Range {
    if within(range, full(t)) {
        return range;
    }
    let modulus = 1i128 << t.width.bits();
    for shift in [modulus, -modulus] {
        let moved = (range.0 + shift, range.1 + shift);
        if within(moved, full(t)) {
            return moved;
        }
    }
    full(t)
}

/// What an interval becomes when the patterns of its members, which are of type `from`, are read at
/// type `t`: at a wider type they are naturals, whatever the sign of `from`.
pub fn reread(range: Range, from: IntType, t: IntType) -> Range {
    if t.width > from.width {
        convert(convert(range, IntType { signed: false, ..from }), t)
    } else {
        convert(range, t)
    }
}

/// Whether the relation holds between all elements, or between none; `None`: neither.
pub fn compare(relation: Relation, l: Range, r: Range) -> Option<bool> {
    super::decided(relation, [Some(&l.0), Some(&l.1)], [Some(&r.0), Some(&r.1)])
}

/// The interval spanned by the values of `f` at the corners.
fn corners(l: Range, r: Range, f: impl Fn(i128, i128) -> i128) -> Range {
    let all = [f(l.0, r.0), f(l.0, r.1), f(l.1, r.0), f(l.1, r.1)];
    let fold = |pick: fn(i128, i128) -> i128| all[1..].iter().fold(all[0], |a, b| pick(a, *b));
    (fold(i128::min), fold(i128::max))
}

/// The integers that C's `l op r` at the signed type `t` may be before they are made to fit; `None`
/// for an operator that cannot overflow.
pub fn exact(op: MachineOp, t: IntType, l: Range, r: Range) -> Option<Range> {
    Some(match op {
        MachineOp::Add => (l.0 + r.0, l.1 + r.1),
        MachineOp::Sub => (l.0 - r.1, l.1 - r.0),
        MachineOp::Mul => corners(l, r, i128::saturating_mul),
        MachineOp::Div | MachineOp::Rem => {
            let (min, max) = full(t);
            let flips = l.0 == min && r.0 <= -1 && -1 <= r.1;
            (min, if flips { max + 1 } else { max })
        }
        _ => return None,
    })
}

/// The values of `l op r` at type `t`.
pub fn machine(op: MachineOp, t: IntType, l: Range, r: Range) -> Range {
    let nonnegative = l.0 >= 0 && r.0 >= 0;
    match op {
        MachineOp::Add => fit((l.0 + r.0, l.1 + r.1), t),
        MachineOp::Sub => fit((l.0 - r.1, l.1 - r.0), t),
        MachineOp::Mul => fit(corners(l, r, i128::saturating_mul), t),
        MachineOp::Div if r.0 >= 1 => corners(l, r, |x, y| x / y),
        MachineOp::Div if nonnegative => (0, l.1),
        MachineOp::Rem if nonnegative && l.1 < r.0 => l,
        MachineOp::Rem if r.0 >= 1 && l.0 >= 0 => (0, l.1.min(r.1 - 1)),
        MachineOp::Rem if nonnegative => (0, l.1),
        MachineOp::Rem if r.0 >= 1 => ((1 - r.1).max(l.0.min(0)), (r.1 - 1).min(l.1.max(0))),
        MachineOp::Min => (l.0.min(r.0), l.1.min(r.1)),
        MachineOp::Max => (l.0.max(r.0), l.1.max(r.1)),
        MachineOp::And if nonnegative => (0, l.1.min(r.1)),
        MachineOp::And if l.0 >= 0 => (0, l.1),
        MachineOp::And if r.0 >= 0 => (0, r.1),
        MachineOp::Or | MachineOp::Xor if nonnegative => {
            let bits = 128 - l.1.max(r.1).leading_zeros();
            (0, (1i128 << bits) - 1)
        }
        MachineOp::Shl if l.0 >= 0 && 0 <= r.0 && r.1 < i128::from(t.width.bits()) => {
            fit((l.0.saturating_mul(1 << r.0), l.1.saturating_mul(1 << r.1)), t)
        }
        MachineOp::Shr if l.0 >= 0 && r.0 >= 0 => (l.0 >> r.1.min(127), l.1 >> r.0.min(127)),
        _ => full(t),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::Width;

    /// Every operator on pairs of intervals of `i8` and `u8`: the intervals between some ends, and all
    /// that are short beside them. Every member of a short one, and of a long one those ends that it
    /// has.
    #[test]
    fn intervals_contain_every_value() {
        let ends = [0u64, 1, 3, 7, 8, 126, 127, 128, 129, 250, 255];
        for t in [IntType::I8, IntType::U8] {
            let mut samples: Vec<i128> = ends.iter().map(|b| t.read(*b)).collect();
            samples.sort_unstable();
            let last = full(t).1;
            let long = samples.iter().flat_map(|a| samples.iter().map(move |b| (*a, *b)));
            let short = samples.iter().map(|a| (*a, last.min(a + 5)));
            let intervals: Vec<Range> = long.filter(|(a, b)| a <= b).chain(short).collect();
            let members = |(a, b): Range| -> Vec<i128> {
                let some = samples.iter().copied().filter(|x| a <= *x && *x <= b);
                if b - a <= 8 { (a..=b).collect() } else { some.collect() }
            };
            for op in MachineOp::ALL {
                for l in &intervals {
                    for r in &intervals {
                        let range = machine(op, t, *l, *r);
                        for x in members(*l) {
                            for y in members(*r) {
                                let v = t.read(op.apply(t, t.write(x), t.write(y)));
                                assert!(
                                    range.0 <= v && v <= range.1,
                                    "{op:?} {t} {l:?} {r:?}: {x} {y} {v}"
                                );
                            }
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn conversions_move_whole_intervals() {
        let w = |width, signed| IntType { width, signed };
        assert_eq!(convert((-3, -1), w(Width::W8, false)), (253, 255));
        assert_eq!(convert((200, 210), w(Width::W8, true)), (-56, -46));
        assert_eq!(convert((100, 210), w(Width::W8, true)), (-128, 127));
    }
}
