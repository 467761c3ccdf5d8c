//! What the rules of a thread share: its place, its side conditions and its budget.

use crate::attempt::Unfinished;
use crate::choice::{Choice, Choices, Open};
use crate::derivation::Premise;
use crate::options::{AtomicQuery, Limit, RunOptions};
use crate::outcome::{Reason, Stuck};
use babycuda_core::budget::pause;
use babycuda_core::expr::{Relation, Unbound};
use babycuda_core::history::{LastWrite, lastwrite};
use babycuda_core::syntax::AtomicUpdate;
use babycuda_core::{Accesses, Bool, Cell, History, Natural, Num, Phase, Site};
use std::sync::Arc;

/// How much of the limits is used, by all threads of a run.
pub(crate) struct Meter<'a> {
    pub(crate) options: &'a RunOptions,
    pub(crate) choices: Choices,
    /// Where a thread is stuck: the judgments that were begun, the innermost first.
    pub(crate) open: Vec<Unfinished>,
    /// Is the derivation asked for? If not, conclusions are enough.
    pub(crate) derives: bool,
    steps: u64,
}

impl<'a> Meter<'a> {
    pub(crate) fn new(options: &'a RunOptions) -> Meter<'a> {
        Meter { options, choices: Choices::default(), open: Vec::new(), derives: true, steps: 0 }
    }
}

/// The parameters `H` and `i` of the judgments of one thread.
pub(crate) struct Context<'a, 'b> {
    pub(crate) history: Arc<History>,
    pub(crate) thread: u64,
    pub(crate) meter: &'a mut Meter<'b>,
}

impl Context<'_, '_> {
    /// The thread has no derivation, because of the statement at `site`.
    pub(crate) fn stuck(&self, site: Site, reason: Reason) -> Stuck {
        Stuck { phase: self.history.len(), thread: self.thread, site: Some(site), reason }
    }

    fn beyond(&self, site: Site, limit: Limit, allowed: u64) -> Stuck {
        self.stuck(site, Reason::Limit { limit, allowed })
    }

    /// Pays for one instance of a rule.
    pub(crate) fn step(&mut self, site: Site) -> Result<(), Stuck> {
        let allowed = self.meter.options.limits.steps;
        if self.meter.steps >= allowed {
            return Err(self.beyond(site, Limit::Steps, allowed));
        }
        self.meter.steps += 1;
        pause();
        Ok(())
    }

    /// `n ↓ k`
    pub(crate) fn number(&self, site: Site, n: &Num) -> Result<(Natural, Premise), Stuck> {
        let unbound = |Unbound(name)| self.stuck(site, Reason::Unbound { name });
        let value = n.value().map_err(unbound)?;
        let allowed = self.meter.options.limits.number_bits;
        if value.bits() > allowed.max(64) {
            return Err(self.beyond(site, Limit::NumberBits, allowed));
        }
        let premise = Premise::Value { expression: n.clone(), value: value.clone() };
        Ok((value, premise))
    }

    /// `c ↓ true` or `c ↓ false`
    pub(crate) fn truth(&self, site: Site, c: &Bool) -> Result<(bool, Premise), Stuck> {
        let unbound = |Unbound(name)| self.stuck(site, Reason::Unbound { name });
        let value = c.value().map_err(unbound)?;
        Ok((value, Premise::Truth { condition: c.clone(), value }))
    }

    /// `(j < k) ↓ true`: another iteration; or `(j ≥ k) ↓ true`.
    pub(crate) fn loop_test(
        &self,
        site: Site,
        j: &Natural,
        k: &Natural,
    ) -> Result<(bool, Premise), Stuck> {
        let again = j < k;
        let relation = if again { Relation::Lt } else { Relation::Ge };
        let test = Bool::compare(relation, Num::Lit(j.clone()), Num::Lit(k.clone()));
        Ok((again, self.truth(site, &test)?.1))
    }

    /// `lastwrite(j, {i:A} :: H)`: the thread's own writes of the current phase are visible,
    /// those of other threads are not.
    fn view(&self, before: &Accesses, cell: &Cell) -> LastWrite {
        lastwrite(cell, &self.history.push(Phase::singleton(self.thread, before.clone())))
    }

    /// `lastwrite(j, {i:A} :: H) = k`
    pub(crate) fn lastwrite(
        &mut self,
        site: Site,
        before: &Accesses,
        cell: &Cell,
    ) -> Result<(Natural, Premise), Stuck> {
        let view = self.view(before, cell);
        let cell = cell.clone();
        let chosen = self.meter.options.ambiguous.choose(&cell, &view).cloned();
        if let (Some(value), LastWrite::Several(possible)) = (&chosen, &view) {
            self.settled(site, &cell, value, || Open::Read(possible.clone()));
        }
        match (chosen, view) {
            (Some(value), _) => Ok((value.clone(), Premise::LastWrite { cell, value })),
            (None, LastWrite::Several(possible)) => {
                Err(self.stuck(site, Reason::Ambiguous { cell, possible }))
            }
            (None, _) => Err(self.stuck(site, Reason::Undefined { cell })),
        }
    }

    /// `k ∈ ℕ`: the value that an atomic update yields.
    pub(crate) fn chosen(
        &mut self,
        site: Site,
        before: &Accesses,
        cell: &Cell,
        update: &AtomicUpdate<Natural>,
    ) -> (Natural, Premise) {
        let (phase, thread) = (self.history.len(), self.thread);
        let view = self.view(before, cell);
        let query = AtomicQuery { phase, thread, site, cell, update, view: &view };
        let value = self.meter.options.atomic_value(&query);
        self.settled(site, cell, &value, || Open::Atomic(view));
        (value.clone(), Premise::Chosen { cell: Some(cell.clone()), value })
    }

    /// Notes what was settled that the calculus leaves open.
    fn settled(&mut self, site: Site, cell: &Cell, value: &Natural, open: impl FnOnce() -> Open) {
        let (phase, thread) = (self.history.len(), self.thread);
        let (cell, value) = (cell.clone(), value.clone());
        let choice = || Choice { phase, thread, site, cell, value, open: open() };
        self.meter.choices.note(choice);
    }

    /// The operands of an atomic update, evaluated.
    pub(crate) fn operands(
        &self,
        site: Site,
        update: &AtomicUpdate<Num>,
        premises: &mut Vec<Premise>,
    ) -> Result<AtomicUpdate<Natural>, Stuck> {
        let mut number = |n: &Num| {
            let (value, premise) = self.number(site, n)?;
            premises.push(premise);
            Ok(value)
        };
        let operand = number(&update.operand)?;
        let expected = update.expected.as_ref().map(number).transpose()?;
        Ok(AtomicUpdate { op: update.op, operand, expected })
    }
}
