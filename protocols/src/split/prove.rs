//! Facts about the conditions that splitting meets.

use super::Binder;
use babycuda_core::Budget;
use babycuda_core::budget::Exhausted;
use babycuda_core::interval::{Interval, Ranges};
use babycuda_core::syntax::Domain;
use babycuda_core::{Bool, Declarations, Name};
use std::collections::BTreeMap;

/// Something that proves conditions.
pub trait Prove {
    /// Is `condition` true wherever its context is, for every launch, parameter and thread in
    /// scope? `false` means only that it was not proved.
    fn holds(&mut self, context: &[Binder], condition: &Bool) -> bool;

    /// Is there time left to split?
    ///
    /// # Errors
    /// [`Exhausted`] when there is none; the split ends then.
    fn check(&self) -> Result<(), Exhausted>;
}

/// Proves by intervals alone.
#[derive(Clone, Debug, Default)]
pub struct ByRanges {
    ranges: Ranges,
    /// Of each array.
    elements: BTreeMap<Name, Domain>,
    budget: Budget,
}

impl ByRanges {
    /// With what the declarations say of parameters and launches.
    pub fn of(declarations: &Declarations) -> ByRanges {
        let elements = declarations.arrays.iter().map(|a| (a.name.clone(), a.element)).collect();
        ByRanges { ranges: Ranges::of(declarations), elements, budget: Budget::UNLIMITED }
    }

    /// The same, for as long as the budget lasts.
    pub fn within(self, budget: Budget) -> ByRanges {
        ByRanges { budget, ..self }
    }
}

impl Prove for ByRanges {
    fn holds(&mut self, context: &[Binder], condition: &Bool) -> bool {
        let mut ranges = self.ranges.clone();
        for binder in context {
            match binder {
                Binder::For { var, lower, upper, .. } => {
                    let range = ranges.counter(lower, upper);
                    ranges.insert(var.clone(), range);
                }
                Binder::Any { var, domain, .. } => {
                    let domain = domain.map_or(Domain::Natural, Domain::Machine);
                    ranges.insert(var.clone(), Interval::of_domain(domain));
                }
                Binder::Input { var, array, .. } => {
                    let element = self.elements.get(array).copied();
                    let range = Interval::of_domain(element.unwrap_or(Domain::Natural));
                    ranges.insert(var.clone(), range);
                }
                Binder::At(_) | Binder::If(_) => {}
            }
        }
        ranges.bool(condition) == Some(true)
    }

    fn check(&self) -> Result<(), Exhausted> {
        self.budget.check()
    }
}
