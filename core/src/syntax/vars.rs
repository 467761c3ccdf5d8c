//! Free variables and arrays of statements and protocols.

use super::{Protocol, Stmt};
use crate::deep::grow;
use crate::name::Name;
use std::collections::{BTreeMap, BTreeSet};

/// The free variables met so far, below the binders that are open.
#[derive(Default)]
struct Free {
    /// How many open binders each name has.
    bound: BTreeMap<Name, usize>,
    found: BTreeSet<Name>,
}

impl Free {
    /// Notes the variables that `collect` adds to a set.
    fn add(&mut self, collect: impl FnOnce(&mut BTreeSet<Name>)) {
        let mut used = BTreeSet::new();
        collect(&mut used);
        let bound = &self.bound;
        self.found.extend(used.into_iter().filter(|x| bound.get(x).is_none_or(|n| *n == 0)));
    }

    /// Runs `f` below a binder of `var`.
    fn below(&mut self, var: &Name, f: impl FnOnce(&mut Free)) {
        *self.bound.entry(var.clone()).or_default() += 1;
        grow(|| f(self));
        if let Some(binders) = self.bound.get_mut(var) {
            *binders -= 1;
        }
    }
}

impl Stmt {
    /// `fv(b)`: the variables that occur and are not bound by `let` or `for`.
    pub fn free_vars(&self) -> BTreeSet<Name> {
        let mut free = Free::default();
        self.collect_vars(&mut free);
        free.found
    }

    fn collect_vars(&self, free: &mut Free) {
        match self {
            Stmt::Skip | Stmt::Sync { .. } => {}
            Stmt::Write { index, payload, .. } => free.add(|vars| {
                index.collect_vars(vars);
                payload.collect_vars(vars);
            }),
            Stmt::Read { var, index, body, .. } => {
                free.add(|vars| index.collect_vars(vars));
                free.below(var, |free| body.collect_vars(free));
            }
            Stmt::Atomic { var, index, update, body, .. } => {
                free.add(|vars| {
                    index.collect_vars(vars);
                    update.collect_vars(vars);
                });
                free.below(var, |free| body.collect_vars(free));
            }
            Stmt::Seq(b, c) => grow(|| {
                b.collect_vars(free);
                c.collect_vars(free);
            }),
            Stmt::If { condition, then, otherwise, .. } => grow(|| {
                free.add(|vars| condition.collect_vars(vars));
                then.collect_vars(free);
                otherwise.collect_vars(free);
            }),
            Stmt::For { var, lower, upper, body, .. } => {
                free.add(|vars| {
                    lower.collect_vars(vars);
                    upper.collect_vars(vars);
                });
                free.below(var, |free| body.collect_vars(free));
            }
        }
    }

    /// The arrays that the statement accesses.
    pub fn arrays(&self) -> BTreeSet<Name> {
        self.subterms().filter_map(Stmt::accessed).cloned().collect()
    }

    /// The array that the root of the statement accesses.
    pub fn accessed(&self) -> Option<&Name> {
        match self {
            Stmt::Write { array, .. } | Stmt::Read { array, .. } | Stmt::Atomic { array, .. } => {
                Some(array)
            }
            Stmt::Skip | Stmt::Seq(..) | Stmt::If { .. } | Stmt::For { .. } | Stmt::Sync { .. } => {
                None
            }
        }
    }
}

impl Protocol {
    /// `fv(p)`: the variables that occur and are not bound by `for` or `any`.
    pub fn free_vars(&self) -> BTreeSet<Name> {
        let mut free = Free::default();
        self.collect_vars(&mut free);
        free.found
    }

    fn collect_vars(&self, free: &mut Free) {
        match self {
            Protocol::Skip | Protocol::Sync { .. } => {}
            Protocol::Access { index, .. } => free.add(|vars| index.collect_vars(vars)),
            Protocol::Seq(p, q) => grow(|| {
                p.collect_vars(free);
                q.collect_vars(free);
            }),
            Protocol::If { condition, then, otherwise, .. } => grow(|| {
                free.add(|vars| condition.collect_vars(vars));
                then.collect_vars(free);
                otherwise.collect_vars(free);
            }),
            Protocol::For { var, lower, upper, body, .. } => {
                free.add(|vars| {
                    lower.collect_vars(vars);
                    upper.collect_vars(vars);
                });
                free.below(var, |free| body.collect_vars(free));
            }
            Protocol::Any { var, body, .. } => {
                free.below(var, |free| body.collect_vars(free));
            }
        }
    }

    /// The arrays that the protocol accesses.
    pub fn arrays(&self) -> BTreeSet<Name> {
        let accessed = self.subterms().filter_map(|p| match p {
            Protocol::Access { array, .. } => Some(array.clone()),
            _ => None,
        });
        accessed.collect()
    }
}
