//! Signed overflow, and divisions by 0. In C they are undefined, so a thread that computes one goes no further (THEORY §4):
//! where it may happen, the statement `if overflows {let x = overflow[0] in skip}` comes first, of
//! an array that no one can have written.
//!
//! Nothing is said where intervals, the guards around or an earlier stop exclude it. Conversions
//! and shifts never overflow: C++20 defines them. Neither does arithmetic on data that no index,
//! guard or bound uses: it decides no access.

use super::emit::{Item, Stop};
use super::sites::Event;
use super::{At, Lower};
use crate::arith::{and, cast, compare, lit, machine, not, or, pattern};
use crate::ctype::CType;
use crate::options::Overflow;
use crate::range::{Range, exact, full};
use babycuda_core::expr::Relation;
use babycuda_core::syntax::{Contents, Domain, Space};
use babycuda_core::{Bool, IntType, MachineOp, Name, Num, Stmt};
use std::collections::BTreeSet;
use std::sync::Arc;

/// An operation that may overflow and has a larger result has an unknown one, and no stop: its place
/// is listed.
const MAX_STOP: usize = 200;
/// The values of the other operand for which `op` with the literal `k` stays within `t`; `left`:
/// the literal is the left operand.
fn room(op: MachineOp, t: IntType, k: i128, left: bool) -> Option<Range> {
    let (min, max) = full(t);
    let (low, high) = match op {
        MachineOp::Add => (min - k, max - k),
        MachineOp::Sub if left => (k - max, k - min),
        MachineOp::Sub => (min + k, max + k),
        // Quotients are rounded towards zero, and so towards the values that are possible.
        MachineOp::Mul if k > 0 => (min / k, max / k),
        MachineOp::Mul if k < 0 => (max / k, min / k),
        _ => return None,
    };
    Some((low.max(min), high.min(max)))
}

impl<'t> Lower<'t> {
    /// `l op r` at type `t`, as C computes it: where it may overflow, a stop comes first.
    pub(super) fn arithmetic(&mut self, op: MachineOp, t: IntType, l: Num, r: Num, at: At) -> Num {
        let result = machine(op, t, l.clone(), r.clone());
        if op == MachineOp::Mul {
            self.counts_threads(t, &l, &r);
        }
        if self.mode.pure || self.options.overflow == Overflow::Wrap {
            return result;
        }
        if matches!(op, MachineOp::Div | MachineOp::Rem) {
            self.divides(t, &r, at);
        }
        if !t.signed {
            return result;
        }
        let (a, b) = (self.ranges.of(&l, t), self.ranges.of(&r, t));
        let Some(values) = exact(op, t, a, b) else {
            return result;
        };
        let whole = full(t);
        if (whole.0 <= values.0 && values.1 <= whole.1) || self.ranges.is_exact(&result) {
            return result;
        }
        let too_large = |num: &Num, most| !num.is_within(most);
        if too_large(&result, MAX_STOP) {
            self.push_unsaid_stop(at);
            return self.unknown_int(t, at);
        }
        let overflows = self.overflows(op, t, &l, &r);
        if overflows == Bool::Lit(false) {
            return result;
        }
        if too_large(&Num::select(overflows.clone(), lit(1), lit(0)), super::MAX_SIZE) {
            self.push_unsaid_stop(at);
            return self.unknown_int(t, at);
        }
        self.push_stop(overflows, at);
        for (literal, other, left) in [(a, &r, true), (b, &l, false)] {
            if literal.0 == literal.1
                && let Some(room) = room(op, t, literal.0, left)
            {
                let known = self.ranges.of(other, t);
                self.ranges.assume(other, t, (known.0.max(room.0), known.1.min(room.1)));
            }
        }
        self.ranges.assume(&result, t, (values.0.max(whole.0), values.1.min(whole.1)));
        self.ranges.assume_exact(&result);
        result
    }

    /// A number is divided by `r`: where that may be 0, a stop comes first.
    fn divides(&mut self, t: IntType, r: &Num, at: At) {
        // What says that it was divided by before.
        let quotient = machine(MachineOp::Div, t, lit(1), r.clone());
        let (low, high) = self.ranges.of(r, t);
        if low > 0 || high < 0 || self.ranges.is_exact(&quotient) {
            return;
        }
        let zero = compare(Relation::Eq, t, r.clone(), lit(0), &self.ranges);
        if zero == Bool::Lit(false) {
            return;
        }
        if !Num::select(zero.clone(), lit(1), lit(0)).is_within(MAX_STOP) {
            return self.push_unsaid_stop(at);
        }
        self.push_stop(zero, at);
        self.ranges.assume_exact(&quotient);
        if low == 0 {
            self.ranges.assume(r, t, (1, high));
        }
    }

    /// The condition under which `l op r` has no value at type `t`, and r is not 0.
    fn overflows(&self, op: MachineOp, t: IntType, l: &Num, r: &Num) -> Bool {
        let (min, max) = full(t);
        let is = |relation, t, a: &Num, b: Num| compare(relation, t, a.clone(), b, &self.ranges);
        let beyond = |t: IntType, n: &Num, (low, high): Range| {
            or(is(Relation::Lt, t, n, pattern(t, low)), is(Relation::Gt, t, n, pattern(t, high)))
        };
        if matches!(op, MachineOp::Div | MachineOp::Rem) {
            let least = is(Relation::Eq, t, l, pattern(t, min));
            return and(least, is(Relation::Eq, t, r, pattern(t, -1)));
        }
        for (literal, other, left) in [(l, r, true), (r, l, false)] {
            if let Num::Lit(k) = literal
                && let Some(room) = room(op, t, t.read(t.pattern(k)), left)
            {
                return beyond(t, other, room);
            }
        }
        if t.width < IntType::I64.width {
            let wide = |n: &Num| cast(t, IntType::I64, n.clone(), &self.ranges);
            return beyond(IntType::I64, &machine(op, IntType::I64, wide(l), wide(r)), (min, max));
        }
        let result = machine(op, t, l.clone(), r.clone());
        let negative = |n: &Num| is(Relation::Lt, t, n, lit(0));
        match op {
            MachineOp::Add | MachineOp::Sub => {
                let (up, down) = match op {
                    MachineOp::Add => (Relation::Lt, Relation::Gt),
                    _ => (Relation::Gt, Relation::Lt),
                };
                or(
                    and(not(negative(r)), is(up, t, &result, l.clone())),
                    and(negative(r), is(down, t, &result, l.clone())),
                )
            }
            // A product that did not wrap gives its factor back. The one that does so all the
            // same is -1 times the least value.
            _ => {
                let quotient = machine(MachineOp::Div, t, result, l.clone());
                let least = is(Relation::Eq, t, r, pattern(t, min));
                let flipped = and(is(Relation::Eq, t, l, pattern(t, -1)), least);
                let lost = is(Relation::Ne, t, &quotient, r.clone());
                and(is(Relation::Ne, t, l, lit(0)), or(flipped, lost))
            }
        }
    }

    /// Nothing further where `condition` holds: the operation at `at` overflows then.
    pub(super) fn push_stop(&mut self, condition: Bool, at: At) {
        let array =
            self.arrays.overflow.clone().unwrap_or_else(|| self.undefined_array("overflow"));
        self.arrays.overflow = Some(array.clone());
        let sites = [Event::MayOverflow, Event::Overflow].map(|event| self.site(event, at));
        self.out.sites.overflow(sites[1], at);
        let var = self.fresh("o");
        self.push(Item::Stop(Stop { sites, condition, var, array }));
    }

    /// The operation at `at` may overflow, on a condition that is not said. Such a stop depends on
    /// nothing but itself: it is left out and the place listed, so that verdicts name it.
    pub(super) fn push_unsaid_stop(&mut self, at: At) {
        let condition = self.unknown_bool(at);
        self.push_stop(condition, at);
    }

    /// Nothing further where `condition` holds, for a reason other than overflow. It is a part of
    /// what the kernel does, so it stays whatever the condition speaks of.
    pub(super) fn halt(&mut self, condition: Bool, why: &'static str, at: At) {
        if condition == Bool::Lit(false) {
            return;
        }
        let array = self.arrays.stop.clone().unwrap_or_else(|| self.undefined_array("stop"));
        self.arrays.stop = Some(array.clone());
        let sites = [Event::MayStop, Event::Stop].map(|event| self.site(event, at));
        self.out.sites.stop(sites[1], why);
        let var = self.fresh("o");
        self.push(Item::Stop(Stop { sites, condition, var, array }));
    }

    /// Nothing further where `condition` holds, since it is undefined what happens then: what is said of the kernel rests
    /// on that it does not.
    pub(super) fn undefined(&mut self, condition: Bool, why: &'static str, at: At) {
        if condition != Bool::Lit(false) {
            self.note(format!("assumed not to happen: {why}"), Some(at));
        }
        self.halt(condition, why, at);
    }

    /// An array that no one can have written.
    fn undefined_array(&mut self, label: &str) -> Name {
        let (domain, contents) = (Domain::Natural, Contents::Undefined);
        let array = self.add_array(label, Space::Global, domain, contents, CType::Void);
        self.arrays[array].decl.name.clone()
    }

    /// What `f` evaluates, without statements but stops, where C evaluates it only if `guard` holds.
    pub(super) fn only_if<T>(&mut self, guard: &Bool, at: At, f: impl FnOnce(&mut Self) -> T) -> T {
        let first = self.out.items().len();
        let perhaps = std::mem::replace(&mut self.mode.perhaps, true);
        let result = self.knowing(guard, f);
        self.mode.perhaps = perhaps;
        let site = self.site(Event::MayOverflow, at);
        for item in self.out.items_mut().iter_mut().skip(first) {
            match item {
                Item::Stop(stop) => stop.condition = and(guard.clone(), stop.condition.clone()),
                Item::Stmt(stops) => {
                    *stops = Stmt::If {
                        site,
                        condition: guard.clone(),
                        then: Arc::new(stops.clone()),
                        otherwise: Arc::new(Stmt::Skip),
                    };
                }
                // Unknown values may be used beyond.
                Item::Read { .. } | Item::Atomic { .. } => {}
            }
        }
        result
    }

    /// Is it a stop, or branches with nothing but stops?
    pub(super) fn only_stops(&self, item: &Item) -> bool {
        let stop =
            |name: &Name| [&self.arrays.overflow, &self.arrays.stop].contains(&&Some(name.clone()));
        match item {
            Item::Stop(_) => true,
            Item::Stmt(b) => b.subterms().all(|b| match b {
                Stmt::Skip | Stmt::Seq(..) | Stmt::If { .. } => true,
                Stmt::Read { array, .. } => stop(array),
                _ => false,
            }),
            Item::Read { .. } | Item::Atomic { .. } => false,
        }
    }
}

/// The variables that hold what was read from one of these arrays.
pub(super) fn read_from(body: &Stmt, arrays: &BTreeSet<Name>) -> BTreeSet<Name> {
    let bound = body.subterms().filter_map(|b| match b {
        Stmt::Read { var, array, .. } if arrays.contains(array) => Some(var.clone()),
        _ => None,
    });
    bound.collect()
}

/// The variables that hold what was read from memory.
pub(super) fn data(body: &Stmt) -> BTreeSet<Name> {
    let bound = body.subterms().filter_map(|b| match b {
        Stmt::Read { var, .. } | Stmt::Atomic { var, .. } => Some(var.clone()),
        _ => None,
    });
    bound.collect()
}

/// The variables that indices, guards and bounds use, but for those of stops.
pub(super) fn deciding(body: &Stmt, overflow: &Name) -> BTreeSet<Name> {
    let mut vars = BTreeSet::new();
    for b in body.subterms() {
        match b {
            Stmt::Write { index, .. } | Stmt::Read { index, .. } | Stmt::Atomic { index, .. } => {
                index.collect_vars(&mut vars);
            }
            Stmt::If { condition, .. } if !is_stop(b, overflow) => {
                condition.collect_vars(&mut vars)
            }
            Stmt::For { lower, upper, .. } => {
                lower.collect_vars(&mut vars);
                upper.collect_vars(&mut vars);
            }
            _ => {}
        }
    }
    vars
}

/// Is the branch a stop, and nothing else? A certain overflow in one branch of the source looks
/// the same but for the other branch.
pub(super) fn is_stop(b: &Stmt, overflow: &Name) -> bool {
    matches!(b, Stmt::If { then, otherwise, .. }
        if **otherwise == Stmt::Skip
            && matches!(then.as_ref(), Stmt::Read { array, .. } if array == overflow))
}
