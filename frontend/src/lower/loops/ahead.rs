//! Limits that a loop's condition reads in arrays: where reading such a cell again yields the same
//! value, what the first evaluation reads is what every other one reads.

use super::Syntax;
use super::trial::Trial;
use crate::lower::emit::Item;
use crate::lower::{Lower, Lowered};
use babycuda_core::expr::Renaming;
use babycuda_core::{Name, Num};

impl<'t> Lower<'t> {
    /// What the innermost block reads, from its item `first` on. `None`: it has other accesses, or
    /// reads that a branch decides.
    pub(super) fn reads(&self, first: usize) -> Option<Vec<Item>> {
        let accesses = self.out.items()[first..].iter().filter(|item| !self.is_idle(item));
        let read = |item: &Item| matches!(item, Item::Read { .. }).then(|| item.clone());
        accesses.map(read).collect()
    }

    /// What no iteration changes: the symbols of variables, and what the condition reads. For that
    /// it is evaluated here once, as it is in any case.
    pub(super) fn read_ahead(&mut self, syntax: Syntax<'t>, trial: &Trial) -> Lowered<Renaming> {
        let mut fixed = trial.variables.unchanged();
        let (Some(condition), false) = (syntax.condition, trial.reads.is_empty()) else {
            return Ok(fixed);
        };
        let first = self.out.items().len();
        self.condition(condition)?;
        self.env.restore(trial.variables.entry.clone());
        // Every evaluation makes the reads of the trial, in their order.
        let here = self.reads(first).filter(|here| here.len() == trial.reads.len());
        for pair in trial.reads.iter().zip(here.unwrap_or_default()) {
            let (Item::Read { var, array, index, .. }, Item::Read { var: here, array: same, .. }) =
                (pair.0, pair.1)
            else {
                continue;
            };
            let is_same = *array == same && self.stands_before(&index.subst(&fixed), trial);
            if is_same && self.holds_the_same(array, trial) {
                fixed.insert(var.clone(), Num::Var(here));
            }
        }
        Ok(fixed)
    }

    /// Does a cell of the array hold the same whenever the condition is evaluated? Yes, if the kernel
    /// never writes it; and if no iteration does, nor meets a barrier: between barriers, a thread
    /// sees the writes of others only where they race.
    fn holds_the_same(&mut self, array: &Name, trial: &Trial) -> bool {
        if trial.body.written().contains(array) {
            return false;
        }
        let alone = !trial.body.has_sync() && !self.kernel.volatile;
        alone || self.arrays.take_as_input(array)
    }

    /// Does the number speak of nothing but what stands before the loop?
    fn stands_before(&self, num: &Num, trial: &Trial) -> bool {
        let symbol = |x: &Name| trial.variables.names.contains(x);
        self.usable(num) && !num.free_vars().iter().any(symbol)
    }
}
