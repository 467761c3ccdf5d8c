//! Interval analysis of expressions: what a machine integer may be, from the limits of launches
//! and the assumptions on parameters. It decides where a conversion changes nothing, where a loop
//! counter cannot overflow, and how many levels a geometric loop may have.

use babycuda_core::expr::{ArithOp, NumOp};
use babycuda_core::{IntType, MachineOp, Name, Num};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// An interval of integers, both ends included.
pub(crate) type Range = (i128, i128);

/// Intervals look at no more nodes of an expression than this.
const MAX_NODES: usize = 256;

/// Facts about larger expressions than this are not kept.
const MAX_FACT: usize = 48;
/// Facts, the latest ones, at which is looked.
const MAX_FACTS: usize = 256;

/// What is known of variables: the type at which to read the pattern, and the interval.
#[derive(Clone, Default, Debug)]
pub(crate) struct Ranges {
    known: HashMap<Name, (IntType, Range)>,
    /// What is known of whole expressions where the translation stands: by the guards around it,
    /// and by the conditions of the loops around it.
    facts: Vec<(Keyed, IntType, Range)>,
    /// Results that are known to be no overflow there.
    exact: Vec<Keyed>,
}

/// A small expression, after its hash: most others differ in that.
#[derive(Clone, PartialEq, Debug)]
struct Keyed(u64, Num);

impl Keyed {
    /// `None` for an expression of which no facts are kept.
    fn new(num: &Num) -> Option<Keyed> {
        let mut hasher = DefaultHasher::new();
        (!matches!(num, Num::Lit(_)) && num.is_within(MAX_FACT)).then(|| {
            num.hash(&mut hasher);
            Keyed(hasher.finish(), num.clone())
        })
    }
}

/// How many facts are known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    facts: usize,
    exact: usize,
}

/// All values of a type.
pub(crate) fn full(t: IntType) -> Range {
    let bits = t.width.bits();
    if t.signed {
        (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
    } else {
        (0, (1i128 << bits) - 1)
    }
}

/// Is `inner` a part of `outer`?
fn within(inner: Range, outer: Range) -> bool {
    outer.0 <= inner.0 && inner.1 <= outer.1
}

/// The interval `range` if the type holds it, otherwise all values of the type.
fn fit(range: Range, t: IntType) -> Range {
    if within(range, full(t)) { range } else { full(t) }
}

/// What an interval becomes when its members are converted to type `t`.
fn convert(range: Range, t: IntType) -> Range {
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
fn reread(range: Range, from: IntType, t: IntType) -> Range {
    if t.width > from.width {
        convert(convert(range, IntType { signed: false, ..from }), t)
    } else {
        convert(range, t)
    }
}

/// The interval spanned by the values of `f` at the corners.
fn corners(l: Range, r: Range, f: impl Fn(i128, i128) -> i128) -> Range {
    let all = [f(l.0, r.0), f(l.0, r.1), f(l.1, r.0), f(l.1, r.1)];
    let fold = |pick: fn(i128, i128) -> i128| all[1..].iter().fold(all[0], |a, b| pick(a, *b));
    (fold(i128::min), fold(i128::max))
}

impl Ranges {
    /// Records that the pattern of `name`, read at type `t`, lies in `range`.
    pub(crate) fn set(&mut self, name: Name, t: IntType, range: Range) {
        self.known.insert(name, (t, range));
    }

    /// Forgets what is recorded of `name`.
    pub(crate) fn unset(&mut self, name: &Name) {
        self.known.remove(name);
    }

    /// What is recorded of `name`.
    pub(crate) fn get(&self, name: &Name) -> Option<(IntType, Range)> {
        self.known.get(name).copied()
    }

    /// Adds the fact that `num`, read at type `t`, lies in `range`, until [`Ranges::forget`].
    pub(crate) fn assume(&mut self, num: &Num, t: IntType, range: Range) {
        if range.0 <= range.1 {
            self.facts.extend(Keyed::new(num).map(|num| (num, t, range)));
        }
    }

    /// How much is known, to go back to with [`Ranges::forget`].
    pub(crate) fn facts(&self) -> Known {
        Known { facts: self.facts.len(), exact: self.exact.len() }
    }

    /// Forgets what was learned since.
    pub(crate) fn forget(&mut self, known: Known) {
        self.facts.truncate(known.facts);
        self.exact.truncate(known.exact);
    }

    /// Adds the fact that the operation `num` does not overflow, until [`Ranges::forget`].
    pub(crate) fn assume_exact(&mut self, num: &Num) {
        self.exact.extend(Keyed::new(num));
    }

    /// Is the operation `num` known not to overflow?
    pub(crate) fn is_exact(&self, num: &Num) -> bool {
        let num = Keyed::new(num);
        num.is_some_and(|num| self.exact.iter().rev().take(MAX_FACTS).any(|known| *known == num))
    }

    /// The values that `num` may have, read at type `t`.
    pub(crate) fn of(&self, num: &Num, t: IntType) -> Range {
        self.bounded(num, t, &mut MAX_NODES.clone())
    }

    /// `of`, with a look at no more nodes than `fuel`: of what lies below, nothing is known.
    fn bounded(&self, num: &Num, t: IntType, fuel: &mut usize) -> Range {
        if *fuel == 0 {
            return full(t);
        }
        *fuel -= 1;
        let mut range = self.structural(num, t, fuel);
        let key = if self.facts.is_empty() { None } else { Keyed::new(num) };
        for (fact, at, known) in self.facts.iter().rev().take(MAX_FACTS) {
            if at.width <= t.width && key.as_ref() == Some(fact) {
                let known = reread(*known, *at, t);
                let both = (range.0.max(known.0), range.1.min(known.1));
                // Contradictory facts belong to code that never runs: any answer will do.
                if both.0 <= both.1 {
                    range = both;
                }
            }
        }
        range
    }

    /// The values that `num` may have by its structure alone.
    fn structural(&self, num: &Num, t: IntType, fuel: &mut usize) -> Range {
        match num {
            Num::Lit(k) => {
                let value = t.read(t.pattern(k));
                (value, value)
            }
            Num::Var(x) => match self.known.get(x) {
                Some((at, range)) => reread(*range, *at, t),
                None => full(t),
            },
            Num::Cast(from, to, n) => reread(convert(self.bounded(n, *from, fuel), *to), *to, t),
            Num::Select(_, n, m) => {
                let (n, m) = (self.bounded(n, t, fuel), self.bounded(m, t, fuel));
                (n.0.min(m.0), n.1.max(m.1))
            }
            Num::Binary(NumOp::Machine(op, at), l, r) => {
                let (l, r) = (self.bounded(l, *at, fuel), self.bounded(r, *at, fuel));
                reread(machine(*op, *at, l, r), *at, t)
            }
            Num::Binary(NumOp::Natural(_), ..) => match self.natural_bounded(num, fuel) {
                Some(range) => convert(range, t),
                None => full(t),
            },
        }
    }

    /// The naturals that `num` may be; `None` when there is no bound worth having.
    pub(crate) fn natural(&self, num: &Num) -> Option<Range> {
        self.natural_bounded(num, &mut MAX_NODES.clone())
    }

    fn natural_bounded(&self, num: &Num, fuel: &mut usize) -> Option<Range> {
        const WORD: Range = (0, u64::MAX as i128);
        match num {
            Num::Lit(k) => {
                let value = i128::from(k.to_u64()?);
                Some((value, value))
            }
            Num::Binary(NumOp::Natural(op), l, r) => {
                *fuel = fuel.checked_sub(1)?;
                let (l, r) = (self.natural_bounded(l, fuel)?, self.natural_bounded(r, fuel)?);
                let range = match op {
                    ArithOp::Add => (l.0 + r.0, l.1 + r.1),
                    ArithOp::Sub => ((l.0 - r.1).max(0), (l.1 - r.0).max(0)),
                    ArithOp::Mul => (l.0.saturating_mul(r.0), l.1.saturating_mul(r.1)),
                    ArithOp::Div if r.0 >= 1 => (l.0 / r.1, l.1 / r.0),
                    ArithOp::Div => (0, l.1),
                    ArithOp::Mod => (0, l.1),
                    ArithOp::Min => (l.0.min(r.0), l.1.min(r.1)),
                    ArithOp::Max => (l.0.max(r.0), l.1.max(r.1)),
                };
                within(range, WORD).then_some(range)
            }
            Num::Select(_, n, m) => {
                *fuel = fuel.checked_sub(1)?;
                let (n, m) = (self.natural_bounded(n, fuel)?, self.natural_bounded(m, fuel)?);
                Some((n.0.min(m.0), n.1.max(m.1)))
            }
            // Machine operators and recorded variables are patterns of at most 64 bits.
            Num::Binary(NumOp::Machine(_, t), ..) | Num::Cast(_, t, _) => {
                let unsigned = IntType { signed: false, ..*t };
                Some(self.bounded(num, unsigned, fuel))
            }
            Num::Var(x) => {
                let (t, range) = self.known.get(x)?;
                let unsigned = IntType { signed: false, ..*t };
                Some(convert(*range, unsigned))
            }
        }
    }
}

/// The integers that C's `l op r` at the signed type `t` may be before they are made to fit; `None`
/// for an operator that cannot overflow.
pub(crate) fn exact(op: MachineOp, t: IntType, l: Range, r: Range) -> Option<Range> {
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
fn machine(op: MachineOp, t: IntType, l: Range, r: Range) -> Range {
    let nonnegative = l.0 >= 0 && r.0 >= 0;
    match op {
        MachineOp::Add => fit((l.0 + r.0, l.1 + r.1), t),
        MachineOp::Sub => fit((l.0 - r.1, l.1 - r.0), t),
        MachineOp::Mul => fit(corners(l, r, i128::saturating_mul), t),
        MachineOp::Div if r.0 >= 1 => corners(l, r, |x, y| x / y),
        MachineOp::Rem if r.0 >= 1 && l.0 >= 0 => (0, l.1.min(r.1 - 1)),
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
mod tests;
