//! Capture-respecting substitution in statements and protocols.
//!
//! Substitution stops at a binder of the same name (THEORY §2). A binder whose variable occurs in
//! a substituted expression is renamed first; values contain no variables, so the substitutions
//! that the semantics performs never rename.

use super::{AtomicUpdate, Protocol, Stmt};
use crate::deep::grow;
use crate::expr::{Num, Renaming};
use crate::name::Name;
use crate::natural::Natural;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What a substitution becomes below a binder of `var`, and the binder's name from there on.
fn below<'a>(
    map: &'a Renaming,
    var: &Name,
    body_vars: impl FnOnce() -> BTreeSet<Name>,
) -> (Cow<'a, Renaming>, Name) {
    let captures = map.iter().any(|(x, n)| x != var && n.free_vars().contains(var));
    if !captures && !map.contains_key(var) {
        return (Cow::Borrowed(map), var.clone());
    }
    let mut inner = map.clone();
    inner.remove(var);
    if !captures {
        return (Cow::Owned(inner), var.clone());
    }
    let mut taken = body_vars();
    for (x, n) in &inner {
        taken.insert(x.clone());
        n.collect_vars(&mut taken);
    }
    let fresh = var.fresh(|x| taken.contains(x));
    if fresh != *var {
        inner.insert(var.clone(), Num::Var(fresh.clone()));
    }
    (Cow::Owned(inner), fresh)
}

impl AtomicUpdate<Num> {
    /// The update with its operands substituted.
    pub fn subst(&self, map: &Renaming) -> AtomicUpdate<Num> {
        AtomicUpdate {
            op: self.op,
            operand: self.operand.subst(map),
            expected: self.expected.as_ref().map(|n| n.subst(map)),
        }
    }
}

impl Stmt {
    /// `b[x := k]`
    pub fn subst_value(&self, var: &Name, value: &Natural) -> Stmt {
        self.subst(&Renaming::from([(var.clone(), Num::Lit(value.clone()))]))
    }

    /// `b[x1 := n1, …]`, simultaneously and without capture.
    pub fn subst(&self, map: &Renaming) -> Stmt {
        if map.is_empty() {
            return self.clone();
        }
        grow(|| match self {
            Stmt::Skip | Stmt::Sync { .. } => self.clone(),
            Stmt::Write { site, array, index, payload } => Stmt::Write {
                site: *site,
                array: array.clone(),
                index: index.subst(map),
                payload: payload.subst(map),
            },
            Stmt::Read { site, var, array, index, body } => {
                let (inner, var) = below(map, var, || body.free_vars());
                Stmt::Read {
                    site: *site,
                    var,
                    array: array.clone(),
                    index: index.subst(map),
                    body: Arc::new(body.subst(&inner)),
                }
            }
            Stmt::Atomic { site, var, array, index, update, scope, body } => {
                let (inner, var) = below(map, var, || body.free_vars());
                Stmt::Atomic {
                    site: *site,
                    var,
                    array: array.clone(),
                    index: index.subst(map),
                    update: update.subst(map),
                    scope: *scope,
                    body: Arc::new(body.subst(&inner)),
                }
            }
            Stmt::Seq(b, c) => Stmt::seq(b.subst(map), c.subst(map)),
            Stmt::If { site, condition, then, otherwise } => Stmt::If {
                site: *site,
                condition: condition.subst(map),
                then: Arc::new(then.subst(map)),
                otherwise: Arc::new(otherwise.subst(map)),
            },
            Stmt::For { site, sort, var, lower, upper, body } => {
                let (inner, var) = below(map, var, || body.free_vars());
                Stmt::For {
                    site: *site,
                    sort: *sort,
                    var,
                    lower: lower.subst(map),
                    upper: upper.subst(map),
                    body: Arc::new(body.subst(&inner)),
                }
            }
        })
    }
}

impl Protocol {
    /// `p[x := k]`
    pub fn subst_value(&self, var: &Name, value: &Natural) -> Protocol {
        self.subst(&Renaming::from([(var.clone(), Num::Lit(value.clone()))]))
    }

    /// `p[x1 := n1, …]`, simultaneously and without capture.
    pub fn subst(&self, map: &Renaming) -> Protocol {
        if map.is_empty() {
            return self.clone();
        }
        grow(|| match self {
            Protocol::Skip | Protocol::Sync { .. } => self.clone(),
            Protocol::Access { site, mode, array, index } => Protocol::Access {
                site: *site,
                mode: *mode,
                array: array.clone(),
                index: index.subst(map),
            },
            Protocol::Seq(p, q) => Protocol::Seq(Arc::new(p.subst(map)), Arc::new(q.subst(map))),
            Protocol::If { site, condition, then, otherwise } => Protocol::If {
                site: *site,
                condition: condition.subst(map),
                then: Arc::new(then.subst(map)),
                otherwise: Arc::new(otherwise.subst(map)),
            },
            Protocol::For { site, sort, var, lower, upper, body } => {
                let (inner, var) = below(map, var, || body.free_vars());
                Protocol::For {
                    site: *site,
                    sort: *sort,
                    var,
                    lower: lower.subst(map),
                    upper: upper.subst(map),
                    body: Arc::new(body.subst(&inner)),
                }
            }
            Protocol::Any { site, var, domain, body } => {
                let (inner, var) = below(map, var, || body.free_vars());
                Protocol::Any {
                    site: *site,
                    var,
                    domain: *domain,
                    body: Arc::new(body.subst(&inner)),
                }
            }
        })
    }
}
