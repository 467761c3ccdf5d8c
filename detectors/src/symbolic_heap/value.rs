//! Expressions as terms of the solver, with the ranges of their values.

use super::language::Exp;
use babycuda_core::expr::Relation;
use babycuda_core::{BigInt, IntType, MachineOp};
use babycuda_smt::{SortError, Term};

/// A term, and between what its values lie.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Value {
    /// The term.
    pub term: Term,
    /// The least.
    pub least: i128,
    /// The greatest.
    pub greatest: i128,
}

pub(super) fn int(n: i128) -> Term {
    Term::int(BigInt::from(n))
}

impl Value {
    /// A number.
    pub fn int(n: i128) -> Value {
        Value { term: int(n), least: n, greatest: n }
    }

    /// The value with constants of its term replaced.
    ///
    /// # Errors
    /// [`SortError`]: by terms of another sort.
    pub fn with(&self, replace: impl Fn(&Term) -> Option<Term>) -> Result<Value, SortError> {
        Ok(Value { term: self.term.substitute(replace)?, ..self.clone() })
    }

    /// The value that a machine type has for it.
    ///
    /// # Errors
    /// None occurs: all are integers.
    pub fn wrapped(self, t: IntType) -> Result<Value, SortError> {
        let span = 1i128 << t.width.bits();
        let least = if t.signed { -(span / 2) } else { 0 };
        let greatest = least + (span - 1);
        if least <= self.least && self.greatest <= greatest {
            return Ok(self);
        }
        let term = self.term.sub(&int(least))?.int_mod(&int(span))?.add(&int(least))?;
        Ok(Value { term, least, greatest })
    }

    /// An expression in a thread.
    ///
    /// # Errors
    /// None occurs: all are integers.
    pub fn of(e: &Exp, tid: &Value, locals: &[Value]) -> Result<Value, SortError> {
        let of = |e: &Exp| Value::of(e, tid, locals);
        match e {
            Exp::Int(n) => Ok(Value::int(*n)),
            Exp::Var(v) => Ok(locals[*v].clone()),
            Exp::Tid => Ok(tid.clone()),
            Exp::Convert(t, e) => of(e)?.wrapped(*t),
            Exp::Op(op, t, both) => {
                operation(*op, &of(&both[0])?.wrapped(*t)?, &of(&both[1])?.wrapped(*t)?)?
                    .wrapped(*t)
            }
            b => {
                let term = condition(b, tid, locals)?.ite(&int(1), &int(0))?;
                Ok(Value { term, least: 0, greatest: 1 })
            }
        }
    }
}

/// The truth of a condition in a thread.
///
/// # Errors
/// None occurs: all are integers.
pub fn condition(b: &Exp, tid: &Value, locals: &[Value]) -> Result<Term, SortError> {
    let of = |e: &Exp| Value::of(e, tid, locals);
    let truth = |e: &Exp| condition(e, tid, locals);
    match b {
        Exp::And(both) => Term::and([truth(&both[0])?, truth(&both[1])?]),
        Exp::Or(both) => Term::or([truth(&both[0])?, truth(&both[1])?]),
        Exp::Not(b) => truth(b)?.not(),
        Exp::Compare(relation, both) => {
            let (l, r) = (of(&both[0])?.term, of(&both[1])?.term);
            match relation {
                Relation::Eq => l.equals(&r),
                Relation::Ne => l.differs(&r),
                Relation::Lt => l.less_than(&r),
                Relation::Le => l.at_most(&r),
                Relation::Gt => r.less_than(&l),
                Relation::Ge => r.at_most(&l),
            }
        }
        e => of(e)?.term.differs(&int(0)),
    }
}

/// The operator on integers: of division, the divisor is a positive number.
fn operation(op: MachineOp, l: &Value, r: &Value) -> Result<Value, SortError> {
    let range = |term, ends: &[i128]| Value {
        term,
        least: ends.iter().copied().min().unwrap_or(i128::MIN),
        greatest: ends.iter().copied().max().unwrap_or(i128::MAX),
    };
    let (a, b, c, d) = (l.least, l.greatest, r.least, r.greatest);
    Ok(match op {
        MachineOp::Add => range(l.term.add(&r.term)?, &[a.saturating_add(c), b.saturating_add(d)]),
        MachineOp::Sub => range(l.term.sub(&r.term)?, &[a.saturating_sub(d), b.saturating_sub(c)]),
        MachineOp::Mul => {
            let ends = [(a, c), (a, d), (b, c), (b, d)].map(|(x, y)| x.saturating_mul(y));
            range(l.term.mul(&r.term)?, &ends)
        }
        _ => {
            // C rounds towards 0, the solver's division downwards.
            let down = l.term.int_div(&r.term)?;
            let up = int(0).sub(&int(0).sub(&l.term)?.int_div(&r.term)?)?;
            let quotient = if a >= 0 { down } else { int(0).at_most(&l.term)?.ite(&down, &up)? };
            let most = a.unsigned_abs().max(b.unsigned_abs()).min(i128::MAX as u128) as i128;
            let least = if a >= 0 { 0 } else { -most };
            match op {
                MachineOp::Div => range(quotient, &[least, most]),
                _ => range(l.term.sub(&quotient.mul(&r.term)?)?, &[least.max(-d), most.min(d - 1)]),
            }
        }
    })
}
