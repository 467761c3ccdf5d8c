//! Free variables and arrays of statements and protocols.

use super::{Protocol, Stmt};
use crate::name::Name;
use std::collections::BTreeSet;

impl Stmt {
    /// `fv(b)`: the variables that occur and are not bound by `let` or `for`.
    pub fn free_vars(&self) -> BTreeSet<Name> {
        let mut vars = BTreeSet::new();
        self.collect_vars(&mut Vec::new(), &mut vars);
        vars
    }

    fn collect_vars(&self, bound: &mut Vec<Name>, vars: &mut BTreeSet<Name>) {
        let mut used = BTreeSet::new();
        match self {
            Stmt::Skip | Stmt::Sync { .. } => {}
            Stmt::Write { index, payload, .. } => {
                index.collect_vars(&mut used);
                payload.collect_vars(&mut used);
            }
            Stmt::Read { var, index, body, .. } => {
                index.collect_vars(&mut used);
                under(bound, var, |bound| body.collect_vars(bound, vars));
            }
            Stmt::Atomic { var, index, update, body, .. } => {
                index.collect_vars(&mut used);
                update.operand.collect_vars(&mut used);
                if let Some(expected) = &update.expected {
                    expected.collect_vars(&mut used);
                }
                under(bound, var, |bound| body.collect_vars(bound, vars));
            }
            Stmt::Seq(b, c) => {
                b.collect_vars(bound, vars);
                c.collect_vars(bound, vars);
            }
            Stmt::If { condition, then, otherwise, .. } => {
                condition.collect_vars(&mut used);
                then.collect_vars(bound, vars);
                otherwise.collect_vars(bound, vars);
            }
            Stmt::For { var, lower, upper, body, .. } => {
                lower.collect_vars(&mut used);
                upper.collect_vars(&mut used);
                under(bound, var, |bound| body.collect_vars(bound, vars));
            }
        }
        vars.extend(used.into_iter().filter(|x| !bound.contains(x)));
    }

    /// The arrays that the statement accesses.
    pub fn arrays(&self) -> BTreeSet<Name> {
        let mut arrays = BTreeSet::new();
        self.collect_arrays(&mut arrays);
        arrays
    }

    fn collect_arrays(&self, arrays: &mut BTreeSet<Name>) {
        match self {
            Stmt::Skip | Stmt::Sync { .. } => {}
            Stmt::Write { array, .. } => {
                arrays.insert(array.clone());
            }
            Stmt::Read { array, body, .. } | Stmt::Atomic { array, body, .. } => {
                arrays.insert(array.clone());
                body.collect_arrays(arrays);
            }
            Stmt::Seq(b, c) => {
                b.collect_arrays(arrays);
                c.collect_arrays(arrays);
            }
            Stmt::If { then, otherwise, .. } => {
                then.collect_arrays(arrays);
                otherwise.collect_arrays(arrays);
            }
            Stmt::For { body, .. } => body.collect_arrays(arrays),
        }
    }
}

impl Protocol {
    /// `fv(p)`: the variables that occur and are not bound by `for` or `any`.
    pub fn free_vars(&self) -> BTreeSet<Name> {
        let mut vars = BTreeSet::new();
        self.collect_vars(&mut Vec::new(), &mut vars);
        vars
    }

    fn collect_vars(&self, bound: &mut Vec<Name>, vars: &mut BTreeSet<Name>) {
        let mut used = BTreeSet::new();
        match self {
            Protocol::Skip | Protocol::Sync { .. } => {}
            Protocol::Access { index, .. } => index.collect_vars(&mut used),
            Protocol::Seq(p, q) => {
                p.collect_vars(bound, vars);
                q.collect_vars(bound, vars);
            }
            Protocol::If { condition, then, otherwise, .. } => {
                condition.collect_vars(&mut used);
                then.collect_vars(bound, vars);
                otherwise.collect_vars(bound, vars);
            }
            Protocol::For { var, lower, upper, body, .. } => {
                lower.collect_vars(&mut used);
                upper.collect_vars(&mut used);
                under(bound, var, |bound| body.collect_vars(bound, vars));
            }
            Protocol::Any { var, body, .. } => {
                under(bound, var, |bound| body.collect_vars(bound, vars));
            }
        }
        vars.extend(used.into_iter().filter(|x| !bound.contains(x)));
    }

    /// The arrays that the protocol accesses.
    pub fn arrays(&self) -> BTreeSet<Name> {
        let mut arrays = BTreeSet::new();
        self.collect_arrays(&mut arrays);
        arrays
    }

    fn collect_arrays(&self, arrays: &mut BTreeSet<Name>) {
        match self {
            Protocol::Skip | Protocol::Sync { .. } => {}
            Protocol::Access { array, .. } => {
                arrays.insert(array.clone());
            }
            Protocol::Seq(p, q) => {
                p.collect_arrays(arrays);
                q.collect_arrays(arrays);
            }
            Protocol::If { then, otherwise, .. } => {
                then.collect_arrays(arrays);
                otherwise.collect_arrays(arrays);
            }
            Protocol::For { body, .. } | Protocol::Any { body, .. } => body.collect_arrays(arrays),
        }
    }
}

/// Runs `f` with `var` among the bound variables.
fn under(bound: &mut Vec<Name>, var: &Name, f: impl FnOnce(&mut Vec<Name>)) {
    bound.push(var.clone());
    f(bound);
    bound.pop();
}
