//! What a thread does on its way to an access, asserted step by step.

use super::counters::Updates;
use super::encode::Encoded;
use super::facts::consequences;
use super::overflow::is_of_any_sign;
use super::path::{Path, Step};
use super::period::Period;
use super::quantity::{Int, Quantity};
use super::world::{View, World, common, private};
use babycuda_core::expr::{ArithOp, BoolOp, NumOp, Relation};
use babycuda_core::machine::MachineOp;
use babycuda_core::simplify;
use babycuda_core::syntax::{ArrayDecl, Contents, Domain};
use babycuda_core::{Bool, Name, Natural, Num};
use babycuda_smt::{Interval, Term};
use num_bigint::BigInt;
use num_traits::One;
use std::collections::BTreeMap;

/// A condition is not taken apart further while so many parts of it wait.
const MAX_PARTS: usize = 64;

/// Declared contents of more values are any values.
const MAX_VALUES: usize = 64;

/// The parts of `l && r`, or of `!(l || r)`.
fn conjuncts(c: &Bool) -> Option<(Bool, Bool)> {
    match c {
        Bool::Connective(BoolOp::And, l, r) => Some((l.as_ref().clone(), r.as_ref().clone())),
        Bool::Not(inner) => match inner.as_ref() {
            Bool::Connective(BoolOp::Or, l, r) => {
                Some((simplify::not(l.as_ref().clone()), simplify::not(r.as_ref().clone())))
            }
            _ => None,
        },
        _ => None,
    }
}

impl World {
    /// Asserts `c` of a thread, and notes what follows from it.
    pub(super) fn assume(
        &mut self,
        c: &Bool,
        thread: usize,
        locals: &BTreeMap<Name, Quantity>,
    ) -> Encoded<()> {
        let mut parts = vec![c.clone()];
        let mut wholes = Vec::new();
        while let Some(part) = parts.pop() {
            match conjuncts(&part).filter(|_| parts.len() < MAX_PARTS) {
                // What one says may make the other plain.
                Some((l, r)) => {
                    parts.extend([r, l]);
                    let denied = matches!(&part, Bool::Not(c) if is_of_any_sign(c));
                    wholes.extend(denied.then_some(part));
                }
                None => self.assume_whole(&part, thread, locals)?,
            }
        }
        wholes.iter().try_for_each(|whole| self.note(whole, thread, locals))
    }

    fn assume_whole(
        &mut self,
        c: &Bool,
        thread: usize,
        locals: &BTreeMap<Name, Quantity>,
    ) -> Encoded<()> {
        let term = self.bool(c, thread, locals)?;
        self.query.assert(&term)?;
        self.note(c, thread, locals)?;
        // In the light of what followed, the condition may be simpler: implied, but easier to use.
        let simpler = self.bool(c, thread, locals)?;
        if simpler != term {
            self.query.assert(&simpler)?;
            self.note(c, thread, locals)?;
        }
        Ok(())
    }

    /// Notes what follows from `c`, which is asserted, or will be.
    pub(super) fn note(
        &mut self,
        c: &Bool,
        thread: usize,
        locals: &BTreeMap<Name, Quantity>,
    ) -> Encoded<()> {
        let mut facts = self.facts.clone();
        consequences(c, true, &View { world: self, thread, locals }, &mut facts)?;
        for (term, range) in std::mem::take(&mut facts.patterns) {
            if let Some(low) = range.lower {
                self.query.assert(&Term::int(low).at_most(&term)?)?;
            }
            if let Some(high) = range.upper {
                self.query.assert(&term.at_most(&Term::int(high))?)?;
            }
        }
        self.facts = facts;
        Ok(())
    }

    /// Asserts that a thread takes `steps`; returns its local variables.
    pub(super) fn walk(
        &mut self,
        steps: &[Step],
        thread: usize,
    ) -> Encoded<BTreeMap<Name, Quantity>> {
        self.walk_on(steps, thread, BTreeMap::new())
    }

    /// Likewise from where it has these local variables.
    pub(super) fn walk_on(
        &mut self,
        steps: &[Step],
        thread: usize,
        mut locals: BTreeMap<Name, Quantity>,
    ) -> Encoded<BTreeMap<Name, Quantity>> {
        for step in steps {
            match step {
                Step::Guard(c) => self.assume(c, thread, &locals)?,
                Step::Counter { var, lower, upper, shared, .. } => {
                    let counter = self.loops(var, *shared, thread, (lower, upper), &locals)?;
                    locals.insert(var.clone(), Quantity::natural(counter));
                }
                Step::Data { var, domain, read, .. } => {
                    let stored = read
                        .as_ref()
                        .and_then(|(array, index)| Some((self.stable.get(array)?.clone(), index)));
                    let element =
                        stored.as_ref().map_or(Domain::Natural, |(array, _)| array.element);
                    let range = match stored.as_ref().map(|(array, _)| &array.contents) {
                        Some(Contents::Fill(k)) => Interval::point(&k.into()),
                        _ => self.domain(domain.map_or(element, Domain::Machine)),
                    };
                    let value = Quantity::natural(self.int(&private(var, thread), range)?);
                    if let Some((array, index)) = stored {
                        let index = self.num(index, thread, &locals)?;
                        // Where witnesses are looked for first, indices are those that the array has.
                        if let (Some(_), Some(length)) = (self.bounds.values, &array.length) {
                            let within = index.natural.less(&Int::literal(length))?;
                            self.query.assert(&within)?;
                        }
                        self.remember(&array, index, value.clone())?;
                    }
                    locals.insert(var.clone(), value);
                }
            }
        }
        Ok(locals)
    }

    /// Asserts that a thread is in an iteration of a loop; returns the counter.
    fn loops(
        &mut self,
        var: &Name,
        shared: bool,
        thread: usize,
        (lower, upper): (&Num, &Num),
        locals: &BTreeMap<Name, Quantity>,
    ) -> Encoded<Int> {
        let low = self.num(lower, thread, locals)?.natural;
        // `x < select(c, n, m)` with m <= lower <= x is c and x < n.
        let (lower, mut upper) = (lower, upper);
        // So is `x < max(n, m)`: n is more than m there.
        if let Num::Binary(NumOp::Machine(MachineOp::Max, t), n, m) = upper
            && m.as_ref() == lower
        {
            let more = Bool::compare_machine(Relation::Gt, *t, n.as_ref().clone(), lower.clone());
            self.assume(&more, thread, locals)?;
            upper = n.as_ref();
        }
        while let Num::Select(c, then, otherwise) = upper {
            let empty = self.num(otherwise, thread, locals)?.natural;
            let ends = empty.range.upper.as_ref().zip(low.range.lower.as_ref());
            if ends.is_none_or(|(m, n)| m > n) {
                break;
            }
            self.assume(c, thread, locals)?;
            upper = then.as_ref();
        }
        let high = self.num(upper, thread, locals)?.natural;
        let counter = self.counter(var, shared, thread, &low, &high)?;
        let from = counter.less(&low)?.not()?;
        self.query.assert(&from)?;
        let to = counter.less(&high)?;
        self.query.assert(&to)?;
        self.stride(&counter, upper, thread, locals)?;
        Ok(counter)
    }

    /// From `x < n/d + 1`: `x * d <= n`, the last step of a loop with stride `d`.
    fn stride(
        &mut self,
        counter: &Int,
        upper: &Num,
        thread: usize,
        locals: &BTreeMap<Name, Quantity>,
    ) -> Encoded<()> {
        let Num::Binary(NumOp::Natural(ArithOp::Add), quotient, one) = upper else {
            return Ok(());
        };
        let (Num::Binary(op, n, d), Ok(one)) = (quotient.as_ref(), one.value()) else {
            return Ok(());
        };
        let unsigned = match op {
            NumOp::Natural(ArithOp::Div) => None,
            NumOp::Machine(MachineOp::Div, t) if !t.signed => Some(t.width.bits()),
            _ => return Ok(()),
        };
        if one != Natural::from(1u32) {
            return Ok(());
        }
        let integer = |w: &World, n: &Num| -> Encoded<Int> {
            let n = w.num(n, thread, locals)?;
            Ok(match unsigned {
                None => n.natural,
                Some(width) => n.pattern(width)?,
            })
        };
        let (n, d) = (integer(self, n)?, integer(self, d)?);
        // A quotient by 0 is 0, and so is x then: the product is 0 as well.
        let range = Interval { lower: None, upper: n.range.upper.clone() };
        self.facts.learn(&counter.term.mul(&d.term)?, &range);
        self.facts.learn(&d.term.mul(&counter.term)?, &range);
        Ok(())
    }

    /// A loop counter: declared once when shared.
    fn counter(
        &mut self,
        var: &Name,
        shared: bool,
        thread: usize,
        lower: &Int,
        upper: &Int,
    ) -> Encoded<Int> {
        if shared && let Some(declared) = self.common.get(var) {
            return Ok(declared.clone());
        }
        let name = if shared { common(var) } else { private(var, thread) };
        let range = Interval {
            lower: lower.range.lower.clone(),
            upper: upper.range.upper.as_ref().map(|high| high - BigInt::one()),
        };
        if range.is_empty() {
            // An empty loop: nothing is reached, and `less` is asserted to say so.
            return Ok(lower.clone());
        }
        let counter = self.declare(&name, range)?;
        if shared {
            self.common.insert(var.clone(), counter.clone());
        }
        Ok(counter)
    }

    /// Equal indices of one array give equal values, and those that are declared the declared ones.
    pub(super) fn remember(
        &mut self,
        array: &ArrayDecl,
        index: Quantity,
        value: Quantity,
    ) -> Encoded<()> {
        if let Contents::Values(values) = &array.contents
            && values.len() <= MAX_VALUES
        {
            for (j, k) in (0u64..).zip(values) {
                let here = index.natural.equal(&Int::literal(j))?;
                let there = value.natural.equal(&Int::literal(k))?;
                self.query.assert(&here.implies(&there)?)?;
            }
        }
        for (other, at, found) in &self.reads {
            if *other == array.name {
                let same_index = at.equal(&index)?;
                let same_value = found.natural.equal(&value.natural)?;
                let consistent = same_index.implies(&same_value)?;
                self.query.assert(&consistent)?;
            }
        }
        self.reads.push((array.name.clone(), index, value));
        Ok(())
    }

    /// Asserts that the threads take these paths, and meet at one cell. `known` is what is known of the
    /// updates on the way, and in which periods the threads are; nothing is said of them without.
    pub(super) fn meet(
        &mut self,
        [first, second]: [&Path; 2],
        known: Option<(&Updates<'_>, &[Period])>,
    ) -> Encoded<()> {
        let a = self.walk(&first.steps, 0)?;
        let b = self.walk(&second.steps, 1)?;
        if let Some((updates, periods)) = known {
            self.order(updates, periods, [first, second], [&a, &b])?;
        }
        let left = self.num(&first.index, 0, &a)?;
        let term = left.equal(&self.num(&second.index, 1, &b)?)?;
        self.query.assert(&term)?;
        Ok(())
    }
}
