//! Is one term another one with values put in for variables?
//!
//! The checkers of derivations ask this where the evaluators substitute. Nothing of
//! [`Stmt::subst`](crate::Stmt::subst) is used: the two terms are walked side by side, and no term
//! is built.

use crate::expr::{Bool, Num};
use crate::name::Name;
use crate::natural::Natural;
use crate::syntax::{AtomicUpdate, Protocol, Stmt};
use im::OrdMap;

/// What is put in for variables. Numbers have no variables, so no binder is ever renamed.
pub type Values = OrdMap<Name, Natural>;

/// Is `code` the statement `pattern[values]`?
pub fn is_instance(code: &Stmt, pattern: &Stmt, values: &Values) -> bool {
    Walk::from(Pair::Stmt(pattern, code), values).agree()
}

/// Is `code` the protocol `pattern[values]`?
pub fn is_protocol_instance(code: &Protocol, pattern: &Protocol, values: &Values) -> bool {
    Walk::from(Pair::Protocol(pattern, code), values).agree()
}

/// Two terms to be compared, the pattern first.
enum Pair<'a> {
    Stmt(&'a Stmt, &'a Stmt),
    Protocol(&'a Protocol, &'a Protocol),
    Num(&'a Num, &'a Num),
    Bool(&'a Bool, &'a Bool),
}

/// What is still to be compared, each pair with the values that reach it.
struct Walk<'a> {
    pending: Vec<(Pair<'a>, Values)>,
}

impl<'a> Walk<'a> {
    fn from(pair: Pair<'a>, values: &Values) -> Walk<'a> {
        Walk { pending: vec![(pair, values.clone())] }
    }

    fn agree(mut self) -> bool {
        while let Some((pair, values)) = self.pending.pop() {
            let same = match pair {
                Pair::Num(pattern, code) => self.num(pattern, code, &values),
                Pair::Bool(pattern, code) => self.bool(pattern, code, &values),
                Pair::Stmt(pattern, code) if values.is_empty() => pattern == code,
                Pair::Stmt(pattern, code) => self.stmt(pattern, code, &values),
                Pair::Protocol(pattern, code) if values.is_empty() => pattern == code,
                Pair::Protocol(pattern, code) => self.protocol(pattern, code, &values),
            };
            if !same {
                return false;
            }
        }
        true
    }

    fn nums<const N: usize>(&mut self, pairs: [(&'a Num, &'a Num); N], values: &Values) {
        let pairs = pairs.into_iter().map(|(n, m)| (Pair::Num(n, m), values.clone()));
        self.pending.extend(pairs);
    }

    fn bools<const N: usize>(&mut self, pairs: [(&'a Bool, &'a Bool); N], values: &Values) {
        let pairs = pairs.into_iter().map(|(c, d)| (Pair::Bool(c, d), values.clone()));
        self.pending.extend(pairs);
    }

    fn num(&mut self, pattern: &'a Num, code: &'a Num, values: &Values) -> bool {
        match (pattern, code) {
            (Num::Var(x), code) => match (values.get(x), code) {
                (Some(k), Num::Lit(found)) => k == found,
                (None, Num::Var(y)) => x == y,
                _ => false,
            },
            (Num::Lit(k), Num::Lit(found)) => k == found,
            (Num::Binary(o, n, m), Num::Binary(p, n2, m2)) => {
                self.nums([(n, n2), (m, m2)], values);
                o == p
            }
            (Num::Cast(from, to, n), Num::Cast(from2, to2, n2)) => {
                self.nums([(n, n2)], values);
                (from, to) == (from2, to2)
            }
            (Num::Select(c, n, m), Num::Select(c2, n2, m2)) => {
                self.bools([(c, c2)], values);
                self.nums([(n, n2), (m, m2)], values);
                true
            }
            _ => false,
        }
    }

    fn bool(&mut self, pattern: &'a Bool, code: &'a Bool, values: &Values) -> bool {
        match (pattern, code) {
            (Bool::Lit(b), Bool::Lit(found)) => b == found,
            (Bool::Compare(o, n, m), Bool::Compare(p, n2, m2)) => {
                self.nums([(n, n2), (m, m2)], values);
                o == p
            }
            (Bool::Connective(o, c, d), Bool::Connective(p, c2, d2)) => {
                self.bools([(c, c2), (d, d2)], values);
                o == p
            }
            (Bool::Not(c), Bool::Not(c2)) => {
                self.bools([(c, c2)], values);
                true
            }
            _ => false,
        }
    }

    fn update(
        &mut self,
        pattern: &'a AtomicUpdate<Num>,
        code: &'a AtomicUpdate<Num>,
        values: &Values,
    ) -> bool {
        self.nums([(&pattern.operand, &code.operand)], values);
        let expected = match (&pattern.expected, &code.expected) {
            (None, None) => true,
            (Some(n), Some(m)) => {
                self.nums([(n, m)], values);
                true
            }
            _ => false,
        };
        expected && pattern.op == code.op
    }

    fn stmt(&mut self, pattern: &'a Stmt, code: &'a Stmt, values: &Values) -> bool {
        match (pattern, code) {
            (Stmt::Skip, Stmt::Skip) => true,
            (Stmt::Sync { site }, Stmt::Sync { site: site2 }) => site == site2,
            (
                Stmt::Write { site, array, index, payload },
                Stmt::Write { site: site2, array: array2, index: index2, payload: payload2 },
            ) => {
                self.nums([(index, index2), (payload, payload2)], values);
                (site, array) == (site2, array2)
            }
            (
                Stmt::Read { site, var, array, index, body },
                Stmt::Read { site: site2, var: var2, array: array2, index: index2, body: body2 },
            ) => {
                self.nums([(index, index2)], values);
                self.pending.push((Pair::Stmt(body, body2), values.without(var)));
                (site, var, array) == (site2, var2, array2)
            }
            (
                Stmt::Atomic { site, var, array, index, update, scope, body },
                Stmt::Atomic {
                    site: site2,
                    var: var2,
                    array: array2,
                    index: index2,
                    update: update2,
                    scope: scope2,
                    body: body2,
                },
            ) => {
                self.nums([(index, index2)], values);
                self.pending.push((Pair::Stmt(body, body2), values.without(var)));
                self.update(update, update2, values)
                    && (site, var, array, scope) == (site2, var2, array2, scope2)
            }
            (Stmt::Seq(b, c), Stmt::Seq(b2, c2)) => {
                self.pending.push((Pair::Stmt(c, c2), values.clone()));
                self.pending.push((Pair::Stmt(b, b2), values.clone()));
                true
            }
            (
                Stmt::If { site, condition, then, otherwise },
                Stmt::If { site: site2, condition: condition2, then: b2, otherwise: c2 },
            ) => {
                self.bools([(condition, condition2)], values);
                self.pending.push((Pair::Stmt(otherwise, c2), values.clone()));
                self.pending.push((Pair::Stmt(then, b2), values.clone()));
                site == site2
            }
            (
                Stmt::For { site, sort, var, lower, upper, body },
                Stmt::For { site: site2, sort: s2, var: var2, lower: n2, upper: m2, body: body2 },
            ) => {
                self.nums([(lower, n2), (upper, m2)], values);
                self.pending.push((Pair::Stmt(body, body2), values.without(var)));
                (site, sort, var) == (site2, s2, var2)
            }
            _ => false,
        }
    }

    fn protocol(&mut self, pattern: &'a Protocol, code: &'a Protocol, values: &Values) -> bool {
        match (pattern, code) {
            (Protocol::Skip, Protocol::Skip) => true,
            (Protocol::Sync { site }, Protocol::Sync { site: site2 }) => site == site2,
            (
                Protocol::Access { site, mode, array, index },
                Protocol::Access { site: site2, mode: mode2, array: array2, index: index2 },
            ) => {
                self.nums([(index, index2)], values);
                (site, mode, array) == (site2, mode2, array2)
            }
            (Protocol::Seq(p, q), Protocol::Seq(p2, q2)) => {
                self.pending.push((Pair::Protocol(q, q2), values.clone()));
                self.pending.push((Pair::Protocol(p, p2), values.clone()));
                true
            }
            (
                Protocol::If { site, condition, then, otherwise },
                Protocol::If { site: site2, condition: condition2, then: p2, otherwise: q2 },
            ) => {
                self.bools([(condition, condition2)], values);
                self.pending.push((Pair::Protocol(otherwise, q2), values.clone()));
                self.pending.push((Pair::Protocol(then, p2), values.clone()));
                site == site2
            }
            (
                Protocol::For { site, sort, var, lower, upper, body },
                Protocol::For { site: site2, sort: s2, var: v2, lower: n2, upper: m2, body: p2 },
            ) => {
                self.nums([(lower, n2), (upper, m2)], values);
                self.pending.push((Pair::Protocol(body, p2), values.without(var)));
                (site, sort, var) == (site2, s2, v2)
            }
            (
                Protocol::Any { site, var, domain, body },
                Protocol::Any { site: site2, var: var2, domain: domain2, body: body2 },
            ) => {
                self.pending.push((Pair::Protocol(body, body2), values.without(var)));
                (site, var, domain) == (site2, var2, domain2)
            }
            _ => false,
        }
    }
}
