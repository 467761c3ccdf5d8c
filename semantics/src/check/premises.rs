//! The premises of a node, taken one by one and held to what the rule demands.

use super::Fault;
use super::code::Code;
use super::lastwrite::lastwrite;
use crate::derivation::{Derivation, Premise, ThreadJudgment, ToBarrierJudgment};
use crate::derivation::{Judgment, Stop};
use babycuda_core::expr::Relation;
use babycuda_core::syntax::AtomicUpdate;
use babycuda_core::{Accesses, Bool, Cell, History, Natural, Num};
use std::sync::Arc;

/// The premises not looked at yet.
pub(super) struct Premises<'a> {
    rest: std::slice::Iter<'a, Premise>,
}

/// The parameters of the judgments of one thread.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) history: &'a Arc<History>,
    pub(super) thread: u64,
}

/// The same accesses? Shared parts are not compared.
pub(super) fn same(a: &Accesses, b: &Accesses) -> bool {
    std::ptr::eq(a, b)
        || a.reads.diff(&b.reads).next().is_none()
            && a.writes.diff(&b.writes).next().is_none()
            && a.atomics.diff(&b.atomics).next().is_none()
}

pub(super) fn same_history(a: &Arc<History>, b: &Arc<History>) -> bool {
    Arc::ptr_eq(a, b) || a == b
}

impl<'a> Premises<'a> {
    pub(super) fn of(node: &'a Derivation) -> Premises<'a> {
        Premises { rest: node.premises.iter() }
    }

    /// There must be no more.
    pub(super) fn end(&mut self) -> Result<(), Fault> {
        match self.rest.next() {
            None => Ok(()),
            Some(_) => Err(Fault::conclusion("the rule has fewer premises")),
        }
    }

    /// `n ↓ k`
    pub(super) fn value(&mut self, number: usize, n: &Num) -> Result<&'a Natural, Fault> {
        let right = n.value().ok();
        match (self.rest.next(), &right) {
            (Some(Premise::Value { expression, value }), Some(k))
                if expression == n && value == k =>
            {
                Ok(value)
            }
            (_, Some(k)) => Err(Fault::premise(number, format!("{n} ↓ {k}"))),
            (_, None) => Err(Fault::premise(number, format!("{n} has no value"))),
        }
    }

    /// `c ↓ value`
    pub(super) fn truth(&mut self, number: usize, c: &Bool, value: bool) -> Result<(), Fault> {
        let holds = c.value() == Ok(value);
        match self.rest.next() {
            Some(Premise::Truth { condition, value: said })
                if holds && condition == c && *said == value =>
            {
                Ok(())
            }
            _ if holds => Err(Fault::premise(number, format!("{c} ↓ {value}"))),
            _ => Err(Fault::premise(number, format!("{c} ↓ {value} does not hold"))),
        }
    }

    /// `n ↓ j`, `m ↓ k`, and `(j < k) ↓ true` or `(j ≥ k) ↓ true`: premises 1 to 3.
    pub(super) fn bounds(
        &mut self,
        lower: &Num,
        upper: &Num,
        relation: Relation,
    ) -> Result<(&'a Natural, &'a Natural), Fault> {
        let (j, k) = (self.value(1, lower)?, self.value(2, upper)?);
        let test = Bool::compare(relation, Num::Lit(j.clone()), Num::Lit(k.clone()));
        self.truth(3, &test, true)?;
        Ok((j, k))
    }

    /// `lastwrite(j, {i:A} :: H) = k`, for any `k` that `lastwrite` relates to the cell.
    pub(super) fn lastwrite(
        &mut self,
        number: usize,
        cell: &Cell,
        place: Place<'_>,
        before: &Accesses,
    ) -> Result<&'a Natural, Fault> {
        let held = lastwrite(cell, place.history, before).values;
        match self.rest.next() {
            Some(Premise::LastWrite { cell: said, value })
                if said == cell && held.contains(value) =>
            {
                Ok(value)
            }
            _ => Err(Fault::premise(
                number,
                match (held.first(), held.len()) {
                    (None, _) => format!("{cell} is ⊥"),
                    (Some(value), 1) => format!("{cell} holds {value}"),
                    _ => format!("a possible value of {cell}"),
                },
            )),
        }
    }

    /// `v ∈ ℕ`
    pub(super) fn chosen(&mut self, number: usize, cell: &Cell) -> Result<&'a Natural, Fault> {
        match self.rest.next() {
            Some(Premise::Chosen { cell: Some(said), value }) if said == cell => Ok(value),
            _ => Err(Fault::premise(number, format!("a value for the update of {cell}"))),
        }
    }

    /// `m ↓ k` for the operands of an atomic update: premise 2.
    pub(super) fn operands(
        &mut self,
        update: &AtomicUpdate<Num>,
    ) -> Result<AtomicUpdate<Natural>, Fault> {
        let operand = self.value(2, &update.operand)?.clone();
        let expected = match &update.expected {
            None => None,
            Some(n) => Some(self.value(2, n)?.clone()),
        };
        Ok(AtomicUpdate { op: update.op, operand, expected })
    }

    /// A derived judgment.
    pub(super) fn derived(&mut self, number: usize) -> Result<&'a Judgment, Fault> {
        match self.rest.next() {
            Some(Premise::Derived(child)) => Ok(&child.conclusion),
            _ => Err(Fault::premise(number, "a derived judgment")),
        }
    }

    /// `A, b ↓_{H,i} B`; gives `B`.
    pub(super) fn thread(
        &mut self,
        number: usize,
        place: Place<'_>,
        before: &Accesses,
        program: &Code<'_>,
    ) -> Result<&'a Arc<Accesses>, Fault> {
        match self.derived(number)? {
            Judgment::Thread(ThreadJudgment { history, thread, before: a, program: b, after })
                if same_history(history, place.history)
                    && *thread == place.thread
                    && same(a, before)
                    && program.is(b) =>
            {
                Ok(after)
            }
            _ => Err(Fault::premise(number, format!("{before}, {program} ↓"))),
        }
    }

    /// `A, k ⇓_{H,i} (B, s)`; gives `B` and `s`.
    pub(super) fn barrier(
        &mut self,
        number: usize,
        place: Place<'_>,
        before: &Accesses,
        program: &Code<'_>,
    ) -> Result<(&'a Arc<Accesses>, &'a Stop), Fault> {
        match self.derived(number)? {
            Judgment::ToBarrier(ToBarrierJudgment {
                history,
                thread,
                before: a,
                program: k,
                after,
                stop,
            }) if same_history(history, place.history)
                && *thread == place.thread
                && same(a, before)
                && program.is(k) =>
            {
                Ok((after, stop))
            }
            _ => Err(Fault::premise(number, format!("{before}, {program} ⇓"))),
        }
    }
}
