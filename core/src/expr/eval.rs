//! The evaluation judgments `n ↓ k` and `c ↓ true`, `c ↓ false`.

use super::{Bool, Num};
use crate::deep::grow;
use crate::machine::IntType;
use crate::name::Name;
use crate::natural::Natural;

/// A variable without a value: the only way in which evaluation fails.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("unbound variable `{0}`")]
pub struct Unbound(pub Name);

impl Num {
    /// `n ↓ k`: the value under the valuation `env`.
    ///
    /// # Errors
    /// [`Unbound`] for a variable that `env` does not give a value.
    pub fn eval(&self, env: &impl Fn(&Name) -> Option<Natural>) -> Result<Natural, Unbound> {
        match self {
            Num::Var(x) => env(x).ok_or_else(|| Unbound(x.clone())),
            Num::Lit(k) => Ok(k.clone()),
            Num::Binary(op, l, r) => grow(|| Ok(op.apply(&l.eval(env)?, &r.eval(env)?))),
            Num::Cast(from, to, n) => grow(|| Ok(cast(*from, *to, &n.eval(env)?))),
            Num::Select(c, n, m) => grow(|| {
                // Both sides are evaluated so that an unbound variable never hides.
                let (n, m) = (n.eval(env)?, m.eval(env)?);
                Ok(if c.eval(env)? { n } else { m })
            }),
        }
    }

    /// `n ↓ k` for a closed expression.
    ///
    /// # Errors
    /// [`Unbound`] when the expression is not closed.
    pub fn value(&self) -> Result<Natural, Unbound> {
        self.eval(&|_| None)
    }
}

impl Bool {
    /// `c ↓ true` or `c ↓ false` under the valuation `env`.
    ///
    /// # Errors
    /// [`Unbound`] for a variable that `env` does not give a value.
    pub fn eval(&self, env: &impl Fn(&Name) -> Option<Natural>) -> Result<bool, Unbound> {
        grow(|| {
            Ok(match self {
                Bool::Lit(b) => *b,
                Bool::Compare(op, l, r) => op.apply(&l.eval(env)?, &r.eval(env)?),
                Bool::Connective(op, l, r) => {
                    let (l, r) = (l.eval(env)?, r.eval(env)?);
                    op.apply(l, r)
                }
                Bool::Not(c) => !c.eval(env)?,
            })
        })
    }

    /// `c ↓ true` or `c ↓ false` for a closed expression.
    ///
    /// # Errors
    /// [`Unbound`] when the expression is not closed.
    pub fn value(&self) -> Result<bool, Unbound> {
        self.eval(&|_| None)
    }
}

/// The value of `cast.FROM.TO(k)`.
pub(crate) fn cast(from: IntType, to: IntType, value: &Natural) -> Natural {
    Natural::from(from.convert(from.pattern(value), to))
}
