//! Integers of C as terms of the solver: a term for what a value's type reads, and bounds of it, so that most
//! operations need no reduction modulo `2^w`.

use babycuda_core::expr::Relation;
use babycuda_core::{IntType, MachineOp};
use babycuda_smt::{SortError, Term};

/// An integer, with bounds.
#[derive(Clone, Debug)]
pub(super) struct Int {
    pub(super) term: Term,
    pub(super) low: i128,
    pub(super) high: i128,
}

pub(super) type Built<T> = Result<T, SortError>;

/// The least and the greatest value of a type.
pub(super) fn range(t: IntType) -> (i128, i128) {
    let bits = t.width.bits();
    if t.signed { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
}

impl Int {
    pub(super) fn literal(value: i128) -> Int {
        Int { term: Term::int(value), low: value, high: value }
    }

    /// `c ? l : r`
    pub(super) fn select(c: &Term, l: &Int, r: &Int) -> Built<Int> {
        let term = c.ite(&l.term, &r.term)?;
        Ok(Int { term, low: l.low.min(r.low), high: l.high.max(r.high) })
    }

    fn add(&self, other: &Int) -> Built<Int> {
        let term = self.term.add(&other.term)?;
        let low = self.low.saturating_add(other.low);
        Ok(Int { term, low, high: self.high.saturating_add(other.high) })
    }

    fn sub(&self, other: &Int) -> Built<Int> {
        let term = self.term.sub(&other.term)?;
        let low = self.low.saturating_sub(other.high);
        Ok(Int { term, low, high: self.high.saturating_sub(other.low) })
    }

    pub(super) fn mul(&self, other: &Int) -> Built<Int> {
        let term = self.term.mul(&other.term)?;
        let ends =
            [self.low, self.high].map(|l| [other.low, other.high].map(|r| l.saturating_mul(r)));
        let low = ends.iter().flatten().min().copied().unwrap_or(i128::MIN);
        let high = ends.iter().flatten().max().copied().unwrap_or(i128::MAX);
        Ok(Int { term, low, high })
    }

    /// Rounded down, by a positive number.
    fn div_literal(&self, by: i128) -> Built<Int> {
        let term = self.term.int_div(&Term::int(by))?;
        Ok(Int { term, low: self.low.div_euclid(by), high: self.high.div_euclid(by) })
    }

    fn mod_literal(&self, by: i128) -> Built<Int> {
        if self.low >= 0 && self.high < by {
            return Ok(self.clone());
        }
        Ok(Int { term: self.term.int_mod(&Term::int(by))?, low: 0, high: by - 1 })
    }

    pub(super) fn within(&self, t: IntType) -> bool {
        let (low, high) = range(t);
        low <= self.low && self.high <= high
    }

    /// That the type has this value.
    pub(super) fn fits(&self, t: IntType) -> Built<Term> {
        let (low, high) = range(t);
        Term::and([Term::int(low).at_most(&self.term)?, self.term.at_most(&Term::int(high))?])
    }

    /// The same, where it is known to be of the type.
    pub(super) fn clamped(self, t: IntType) -> Int {
        let (low, high) = range(t);
        Int { low: self.low.max(low), high: self.high.min(high), ..self }
    }

    /// What the type reads of the value modulo `2^w`.
    pub(super) fn wrapped(&self, t: IntType) -> Built<Int> {
        if self.within(t) {
            return Ok(self.clone());
        }
        let modulus = 1i128 << t.width.bits();
        if !t.signed {
            return self.mod_literal(modulus);
        }
        let half = Int::literal(modulus / 2);
        self.add(&half)?.mod_literal(modulus)?.sub(&half)
    }

    fn less(&self, other: &Int) -> Built<Term> {
        if self.high < other.low {
            return Ok(Term::bool(true));
        }
        if self.low >= other.high {
            return Ok(Term::bool(false));
        }
        self.term.less_than(&other.term)
    }

    fn magnitude(&self) -> Built<Int> {
        if self.low >= 0 {
            return Ok(self.clone());
        }
        let negated = Int::literal(0).sub(self)?;
        let negative = self.less(&Int::literal(0))?;
        let chosen = Int::select(&negative, &negated, self)?;
        Ok(Int { low: 0, ..chosen })
    }
}

/// `l relation r`
pub(super) fn compare(relation: Relation, l: &Int, r: &Int) -> Built<Term> {
    match relation {
        Relation::Eq => l.term.equals(&r.term),
        Relation::Ne => l.term.differs(&r.term),
        Relation::Lt => l.less(r),
        Relation::Le => r.less(l)?.not(),
        Relation::Gt => r.less(l),
        Relation::Ge => l.less(r)?.not(),
    }
}

/// `l op r` at a type, and what must hold for C to define it.
pub(super) fn arithmetic(
    op: MachineOp,
    t: IntType,
    l: &Int,
    r: &Int,
) -> Built<(Int, Option<Term>)> {
    let exact = match op {
        MachineOp::Add => l.add(r)?,
        MachineOp::Sub => l.sub(r)?,
        MachineOp::Mul => l.mul(r)?,
        MachineOp::Div | MachineOp::Rem => return quotient(op, t, l, r),
        MachineOp::Min | MachineOp::Max => {
            let first = if op == MachineOp::Min { l.less(r)? } else { r.less(l)? };
            return Ok((Int::select(&first, l, r)?, None));
        }
        MachineOp::And | MachineOp::Or | MachineOp::Xor => {
            return Ok((bitwise(op, t, l, r)?, None));
        }
        MachineOp::Shl | MachineOp::Shr => return shifted(op, t, l, r),
    };
    if exact.within(t) {
        return Ok((exact, None));
    }
    if t.signed {
        let fits = exact.fits(t)?;
        return Ok((exact.clamped(t), Some(fits)));
    }
    Ok((exact.wrapped(t)?, None))
}

/// Rounded towards zero, as C does it.
fn quotient(op: MachineOp, t: IntType, l: &Int, r: &Int) -> Built<(Int, Option<Term>)> {
    let zero = Int::literal(0);
    let (a, b) = (l.magnitude()?, r.magnitude()?);
    let defined = b.term.differs(&Term::int(0))?;
    // A solver may choose what a division by 0 yields; no model has one.
    let divisor = if b.low > 0 {
        b.clone()
    } else {
        Int::select(&b.term.equals(&Term::int(0))?, &Int::literal(1), &b)?
    };
    let high = a.high;
    let result = if op == MachineOp::Div {
        let q = Int { term: a.term.int_div(&divisor.term)?, low: 0, high };
        let differ = l.less(&zero)?.xor(&r.less(&zero)?)?;
        Int::select(&differ, &zero.sub(&q)?, &q)?
    } else {
        let high = high.min((divisor.high - 1).max(0));
        let q = Int { term: a.term.int_mod(&divisor.term)?, low: 0, high };
        Int::select(&l.less(&zero)?, &zero.sub(&q)?, &q)?
    };
    let fits = if result.within(t) { Term::bool(true) } else { result.fits(t)? };
    Ok((result.clamped(t), Some(Term::and([defined, fits])?)))
}

fn bitwise(op: MachineOp, t: IntType, l: &Int, r: &Int) -> Built<Int> {
    if op == MachineOp::And {
        for (value, mask) in [(l, r), (r, l)] {
            let next = mask.low.saturating_add(1);
            // A mask of the lowest bits is a remainder.
            if mask.low == mask.high && mask.low >= 0 && next & mask.low == 0 {
                return value.mod_literal(next);
            }
        }
    }
    let modulus = 1i128 << t.width.bits();
    let (l, r) = (l.mod_literal(modulus)?, r.mod_literal(modulus)?);
    let most = if op == MachineOp::And { l.high.min(r.high) } else { l.high.max(r.high) };
    let two = 2;
    let bit = |n: &Int, i: u32| n.div_literal(1 << i)?.mod_literal(two)?.term.equals(&Term::int(1));
    let mut result = Int::literal(0);
    for i in 0..(128 - most.leading_zeros()) {
        let (x, y) = (bit(&l, i)?, bit(&r, i)?);
        let set = match op {
            MachineOp::And => Term::and([x, y])?,
            MachineOp::Or => Term::or([x, y])?,
            _ => x.xor(&y)?,
        };
        result = result.add(&Int::select(&set, &Int::literal(1 << i), &Int::literal(0))?)?;
    }
    result.wrapped(t)
}

/// Shifts: to the left modulo `2^w`, to the right rounded down.
fn shifted(op: MachineOp, t: IntType, l: &Int, by: &Int) -> Built<(Int, Option<Term>)> {
    let width = i128::from(t.width.bits());
    let defined =
        Term::and([Term::int(0).at_most(&by.term)?, by.term.less_than(&Term::int(width))?])?;
    Ok((shift(op, t, l, by)?, Some(defined)))
}

/// The same, with 0 or the sign beyond the width.
pub(super) fn shift(op: MachineOp, t: IntType, l: &Int, by: &Int) -> Built<Int> {
    let width = i128::from(t.width.bits());
    let (low, high) = (by.low.clamp(0, width), by.high.clamp(0, width));
    let at = |k: i128| match op {
        MachineOp::Shl if k >= width => Ok(Int::literal(0)),
        MachineOp::Shl => l.mul(&Int::literal(1 << k))?.wrapped(t),
        _ => l.div_literal(1 << k.min(width)),
    };
    let mut result = at(high)?;
    for k in (low..high).rev() {
        result = Int::select(&by.term.equals(&Term::int(k))?, &at(k)?, &result)?;
    }
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::*;
    use babycuda_smt::Value;

    const SAMPLES: [i128; 9] = [-128, -127, -3, -1, 0, 1, 5, 7, 127];

    /// Every operator on bytes is the machine's, where C defines it.
    #[test]
    fn operators_are_the_machines() {
        for t in [IntType::I8, IntType::U8] {
            for (x, y) in SAMPLES.iter().flat_map(|x| SAMPLES.map(|y| (*x, y))) {
                let (x, y) = (t.read(t.write(x)), t.read(t.write(y)));
                let wide = |value: i128| {
                    // A range that says nothing, so that nothing is decided by bounds.
                    let (low, high) = range(t);
                    Int { term: Term::int(value), low, high }
                };
                for op in MachineOp::ALL {
                    let (result, defined) =
                        arithmetic(op, t, &wide(x), &wide(y)).expect("integers");
                    let holds = defined.is_none_or(|d| d == Term::bool(true));
                    let wanted = t.read(op.apply(t, t.write(x), t.write(y)));
                    if holds {
                        assert_eq!(
                            result.term,
                            Term::value(Value::Int(wanted.into())),
                            "{x} {op:?} {y}"
                        );
                        assert!(result.low <= wanted && wanted <= result.high, "{x} {op:?} {y}");
                    }
                    let exact = match op {
                        MachineOp::Add => Some(x + y),
                        MachineOp::Sub => Some(x - y),
                        MachineOp::Mul => Some(x * y),
                        MachineOp::Div | MachineOp::Rem if y == 0 => None,
                        MachineOp::Div => Some(x / y),
                        MachineOp::Rem => Some(x % y),
                        MachineOp::Shl | MachineOp::Shr => (0..8).contains(&y).then_some(0),
                        _ => Some(0),
                    };
                    let (low, high) = range(t);
                    let fits = exact.is_some_and(|e| !t.signed || (low <= e && e <= high));
                    assert_eq!(holds, fits, "{x} {op:?} {y} at {t}");
                }
            }
        }
    }
}
