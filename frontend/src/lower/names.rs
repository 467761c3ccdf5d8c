//! Names of the program.

use babycuda_core::Name;
use babycuda_core::name::reserved::is_reserved;
use std::collections::{BTreeSet, HashMap};

/// The names that are taken, and where their variables are bound.
#[derive(Default, Debug)]
pub(super) struct Names {
    used: BTreeSet<Name>,
    /// Those of arrays and parameters, which are bound everywhere.
    global: BTreeSet<Name>,
    /// In how many nested blocks each variable is bound.
    bound_at: HashMap<Name, usize>,
}

impl Names {
    /// A variable that is named like `hint` and bound in the innermost of `depth` blocks.
    pub(super) fn fresh(&mut self, hint: &str, depth: usize) -> Name {
        let name = Name::new(hint).fresh(|n| self.used.contains(n) || is_reserved(n));
        self.used.insert(name.clone());
        self.bind(name.clone(), depth);
        name
    }

    /// An array or a parameter that is named like `hint`.
    pub(super) fn global(&mut self, hint: &str) -> Name {
        let name = self.fresh(hint, 0);
        self.bound_at.remove(&name);
        self.global.insert(name.clone());
        name
    }

    /// Binds a variable in the innermost of `depth` blocks.
    pub(super) fn bind(&mut self, name: Name, depth: usize) {
        self.bound_at.insert(name, depth);
    }

    /// Keeps the names of variables that are bound no more.
    pub(super) fn keep(&mut self, names: impl Iterator<Item = Name>) {
        self.used.extend(names);
    }

    /// Is it a variable, bound somewhere?
    pub(super) fn is_local(&self, name: &Name) -> bool {
        self.bound_at.contains_key(name)
    }

    /// Is the name bound in the innermost of `depth` blocks?
    pub(super) fn is_bound(&self, name: &Name, depth: usize) -> bool {
        self.bound_at.get(name).is_none_or(|at| *at <= depth)
    }

    /// The names that are taken.
    pub(super) fn used(&self) -> BTreeSet<Name> {
        self.used.clone()
    }

    /// Frees the names that were taken since, but for those that are bound everywhere.
    pub(super) fn restore(&mut self, used: BTreeSet<Name>) {
        self.used = used;
        self.used.extend(self.global.iter().cloned());
    }
}
