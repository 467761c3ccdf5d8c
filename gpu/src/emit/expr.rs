//! Expressions.

use super::error::{EmitError, EmitErrorKind, MAX_NODES};
use super::helper::Helper;
use super::language::{Language, Launched};
use super::value::{Condition, Level, Value, operand, patterns, width};
use crate::Located;
use babycuda_core::deep::grow;
use babycuda_core::expr::CompareOp;
use babycuda_core::name::reserved;
use babycuda_core::syntax::{Domain, Program};
use babycuda_core::{Bool, IntType, Name, Natural, Num, NumOp, Site};
use std::collections::{BTreeMap, BTreeSet};

/// A printer of expressions: what is in scope, and what was used.
pub(super) struct Exprs<'a> {
    pub(super) language: &'a dyn Language,
    pub(super) program: &'a Program,
    /// What variables are in the text; the innermost binder last.
    pub(super) scope: BTreeMap<Name, Vec<Value>>,
    /// Do additions and multiplications of naturals mark overflow?
    pub(super) marks: bool,
    /// The helpers that were used.
    pub(super) helpers: BTreeSet<Helper>,
    /// The values of the launch that were used.
    pub(super) launched: BTreeSet<Launched>,
    /// How many nodes were printed.
    pub(super) nodes: usize,
}

impl Exprs<'_> {
    pub(super) fn error(&self, kind: EmitErrorKind, site: Option<Site>) -> EmitError {
        Located::new(kind, site, self.program)
    }

    /// Prints `n`, of the statement at `site`.
    pub(super) fn num(&mut self, n: &Num, site: Option<Site>) -> Result<Value, EmitError> {
        self.count(site)?;
        grow(|| match n {
            Num::Var(x) => self.variable(x, site),
            Num::Lit(k) => match k.to_u64() {
                Some(pattern) => Ok(self.language.literal(Domain::Natural, pattern)),
                None => Err(self.error(EmitErrorKind::Number { bits: k.bits() }, site)),
            },
            Num::Binary(op, l, r) => {
                let (l, r) = (self.num(l, site)?, self.num(r, site)?);
                let helper = match op {
                    NumOp::Natural(op) => Helper::Natural(*op),
                    NumOp::Machine(op, t) => Helper::Machine(*op, *t),
                };
                Ok(self.apply(helper, &l, &r, site))
            }
            Num::Cast(from, to, n) => {
                let value = self.num(n, site)?;
                let value = self.pattern_as(&value, Domain::Machine(*from));
                Ok(match value.literal {
                    Some(bits) => {
                        self.language.literal(Domain::Machine(*to), from.convert(bits, *to))
                    }
                    None => self.language.convert(&value, Domain::Machine(*to)),
                })
            }
            Num::Select(c, n, m) => {
                let condition = self.condition(c, site)?;
                let (n, m) = (self.num(n, site)?, self.num(m, site)?);
                Ok(self.choose(&condition, &n, &m))
            }
        })
    }

    /// Prints `c`, of the statement at `site`.
    pub(super) fn condition(
        &mut self,
        c: &Bool,
        site: Option<Site>,
    ) -> Result<Condition, EmitError> {
        self.count(site)?;
        grow(|| match c {
            Bool::Lit(b) => Ok(Condition::of(*b)),
            Bool::Compare(op, l, r) => {
                let (l, r) = (self.num(l, site)?, self.num(r, site)?);
                Ok(self.compare(*op, &l, &r))
            }
            Bool::Connective(op, l, r) => {
                let (l, r) = (self.condition(l, site)?, self.condition(r, site)?);
                Ok(l.connect(*op, &r))
            }
            Bool::Not(c) => Ok(self.condition(c, site)?.negated()),
        })
    }

    /// One more node.
    fn count(&mut self, site: Option<Site>) -> Result<(), EmitError> {
        self.nodes += 1;
        match self.nodes > MAX_NODES {
            true => Err(self.error(EmitErrorKind::TooLarge, site)),
            false => Ok(()),
        }
    }

    fn variable(&mut self, x: &Name, site: Option<Site>) -> Result<Value, EmitError> {
        if let Some(value) = self.scope.get(x).and_then(|binders| binders.last()) {
            return Ok(value.clone());
        }
        match launched(x) {
            Some(which) => {
                self.launched.insert(which);
                Ok(self.language.launched(which))
            }
            None => Err(self.error(EmitErrorKind::Unbound(x.clone()), site)),
        }
    }

    /// An operator applied to two expressions.
    pub(super) fn apply(
        &mut self,
        helper: Helper,
        left: &Value,
        right: &Value,
        site: Option<Site>,
    ) -> Value {
        let domain = helper.domain();
        let (l, r) = (self.pattern_as(left, domain), self.pattern_as(right, domain));
        if let (Some(left), Some(right)) = (l.literal, r.literal)
            && let Some(result) = helper.apply(left, right)
        {
            // Languages reject or refuse to compute some expressions of literals.
            return self.language.literal(domain, result);
        }
        let marks = self.marks && helper.overflows();
        if !marks && let Some(operator) = self.language.infix(helper, &l, &r) {
            // The right operand of a shift has no type of its own.
            let r = match (operator, r.literal) {
                ("<<" | ">>", Some(count)) => Value { text: self.language.shift_count(count), ..r },
                _ => r,
            };
            return Value::infix(&l, operator, &r, domain);
        }
        self.helpers.insert(helper);
        let call = match (marks, site) {
            (true, Some(site)) => self.language.marking_call(helper, site, &l.text, &r.text),
            _ => {
                let (l, r) = (self.passed(left, domain), self.passed(right, domain));
                format!("{}({l}, {r})", helper.name())
            }
        };
        Value::primary(call, domain)
    }

    /// The pattern of `then` if the condition holds, else that of `otherwise`.
    pub(super) fn choose(&self, condition: &Condition, then: &Value, otherwise: &Value) -> Value {
        if let Some(holds) = condition.literal {
            return if holds { then.clone() } else { otherwise.clone() };
        }
        let domain = common(then, otherwise);
        let (n, m) = (self.pattern_as(then, domain), self.pattern_as(otherwise, domain));
        self.language.select(condition, &n, &m)
    }

    /// A comparison of two expressions.
    pub(super) fn compare(&mut self, op: CompareOp, left: &Value, right: &Value) -> Condition {
        let (l, r) = match op.machine {
            Some(t) => {
                let domain = Domain::Machine(t);
                (self.pattern_as(left, domain), self.pattern_as(right, domain))
            }
            None => {
                // Patterns compare as naturals do, in any unsigned type that has both.
                let domain = common(
                    &self.pattern_as(left, patterns(left.domain)),
                    &self.pattern_as(right, patterns(right.domain)),
                );
                let domain = match domain {
                    Domain::Machine(t) if t.width < babycuda_core::Width::W32 => {
                        Domain::Machine(IntType::U32)
                    }
                    domain => domain,
                };
                (self.pattern_as(left, domain), self.pattern_as(right, domain))
            }
        };
        if let (Some(l), Some(r)) = (l.literal, r.literal) {
            return Condition::of(op.apply(&Natural::from(l), &Natural::from(r)));
        }
        let symbol = op.relation.symbol();
        let left = operand(&l.text, l.level, symbol, true);
        let right = operand(&r.text, r.level, symbol, false);
        Condition::new(format!("{left} {symbol} {right}"), Level::Infix(symbol))
    }

    /// The pattern that `value` denotes, modulo the range of `domain`, as a value of `domain`.
    pub(super) fn pattern_as(&self, value: &Value, domain: Domain) -> Value {
        if value.domain == domain {
            return value.clone();
        }
        if let Some(pattern) = value.literal {
            let pattern = match domain {
                Domain::Natural => pattern,
                Domain::Machine(t) => pattern & t.width.mask(),
            };
            return self.language.literal(domain, pattern);
        }
        // Widening must not extend the sign: what is below the zero is a large pattern.
        let value = match width(domain) > width(value.domain) || domain == Domain::Natural {
            true => self.language.convert(value, patterns(value.domain)),
            false => value.clone(),
        };
        self.language.convert(&value, domain)
    }

    /// As [`Exprs::pattern_as`], where the language may convert by itself.
    pub(super) fn passed(&self, value: &Value, domain: Domain) -> String {
        if value.literal.is_some() || width(domain) < width(value.domain) {
            return self.pattern_as(value, domain).text;
        }
        let pattern = match width(domain) > width(value.domain) || domain == Domain::Natural {
            true => self.language.convert(value, patterns(value.domain)),
            false => value.clone(),
        };
        self.language.pass(&pattern, domain)
    }

    /// The pattern that `value` denotes, as an index of an array of this length, where the text
    /// states it.
    pub(super) fn index(&self, value: &Value, length: Option<u64>) -> String {
        self.language.index(&self.pattern_as(value, patterns(value.domain)), length)
    }
}

/// A domain that has the patterns of both: that of one of them where the other one is a literal
/// that fits, else that of naturals.
fn common(left: &Value, right: &Value) -> Domain {
    let fits = |value: &Value, domain: Domain| match (value.literal, domain) {
        (Some(k), Domain::Machine(t)) => k <= t.width.mask(),
        _ => false,
    };
    if left.domain == right.domain || fits(right, left.domain) {
        left.domain
    } else if fits(left, right.domain) {
        right.domain
    } else {
        match (left.domain, right.domain) {
            (Domain::Machine(l), Domain::Machine(r)) if !l.signed && !r.signed => {
                Domain::Machine(if l.width > r.width { l } else { r })
            }
            _ => Domain::Natural,
        }
    }
}

/// Which value of the launch a reserved variable is.
fn launched(x: &Name) -> Option<Launched> {
    let at = |names: [&str; 3]| names.iter().position(|name| *name == x.as_str());
    if x.as_str() == reserved::TID {
        return Some(Launched::Tid);
    }
    at(reserved::THREAD_IDX)
        .map(Launched::ThreadIdx)
        .or_else(|| at(reserved::BLOCK_IDX).map(Launched::BlockIdx))
        .or_else(|| at(reserved::BLOCK_DIM).map(Launched::BlockDim))
        .or_else(|| at(reserved::GRID_DIM).map(Launched::GridDim))
}
