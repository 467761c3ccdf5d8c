//! Limits that a loop's condition reads in read-only inputs: reading such a cell again yields the
//! same value, so what the first evaluation reads there is what every other one reads.

use super::Syntax;
use super::trial::Trial;
use crate::error::Lowered;
use crate::lower::Lower;
use crate::lower::emit::Item;
use babycuda_core::expr::Renaming;
use babycuda_core::{Name, Num};

impl<'t> Lower<'t> {
    /// What the innermost block reads of read-only inputs, from its item `first` on. `None`: it has
    /// other accesses, or reads that a branch decides.
    pub(super) fn reads_of_inputs(&mut self, first: usize) -> Option<Vec<Item>> {
        let mut reads = Vec::new();
        for item in &self.out.items()[first..] {
            match item {
                _ if self.is_idle(item) => {}
                Item::Read { array, .. } if self.arrays.take_as_input(array) => {
                    reads.push(item.clone());
                }
                _ => return None,
            }
        }
        Some(reads)
    }

    /// What no iteration changes: the symbols of variables, and what the condition reads in inputs.
    /// For that it is evaluated here once, as it is in any case.
    pub(super) fn read_ahead(&mut self, syntax: Syntax<'t>, trial: &Trial) -> Lowered<Renaming> {
        let mut fixed = trial.variables.unchanged();
        let (Some(condition), false) = (syntax.condition, trial.reads.is_empty()) else {
            return Ok(fixed);
        };
        let first = self.out.items().len();
        self.condition(condition)?;
        self.env.restore(trial.variables.entry.clone());
        // Every evaluation makes the reads of the trial, in their order.
        let here = self.reads_of_inputs(first).filter(|here| here.len() == trial.reads.len());
        for pair in trial.reads.iter().zip(here.unwrap_or_default()) {
            let (Item::Read { var, array, index, .. }, Item::Read { var: here, array: same, .. }) =
                (pair.0, pair.1)
            else {
                continue;
            };
            if *array == same && self.stands_before(&index.subst(&fixed), trial) {
                fixed.insert(var.clone(), Num::Var(here));
            }
        }
        Ok(fixed)
    }

    /// Does the number speak of nothing but what stands before the loop?
    fn stands_before(&self, num: &Num, trial: &Trial) -> bool {
        let symbol = |x: &Name| trial.variables.names.contains(x);
        self.usable(num) && !num.free_vars().iter().any(symbol)
    }
}
