//! Projection to one array: from our several arrays to LCL22's one (THEORY §4).

use super::{Protocol, Stmt};
use crate::deep::grow;
use crate::name::Name;
use crate::natural::Natural;
use std::sync::Arc;

impl Protocol {
    /// The protocol without its accesses to other arrays. Its Λ is that of the whole, restricted
    /// to `array`.
    #[must_use]
    pub fn project(&self, array: &Name) -> Protocol {
        grow(|| {
            let mut projected = self.clone();
            match &mut projected {
                Protocol::Access { array: accessed, .. } if accessed != array => {
                    return Protocol::Skip;
                }
                Protocol::Skip | Protocol::Sync { .. } | Protocol::Access { .. } => {}
                Protocol::Seq(p, q) => return Protocol::seq(p.project(array), q.project(array)),
                Protocol::If { then, otherwise, .. } => {
                    *then = Arc::new(then.project(array));
                    *otherwise = Arc::new(otherwise.project(array));
                }
                Protocol::For { body, .. } | Protocol::Any { body, .. } => {
                    *body = Arc::new(body.project(array));
                }
            }
            projected
        })
    }
}

impl Stmt {
    /// The statement without its accesses to other arrays; what it read from them becomes 0.
    ///
    /// Where the statement is well-typed, its accesses to `array` are those of the whole: they do
    /// not depend on data (THEORY, T2). The values that it stores may differ, and where it is not
    /// well-typed, so may the accesses.
    #[must_use]
    pub fn project(&self, array: &Name) -> Stmt {
        grow(|| {
            let mut projected = self.clone();
            match &mut projected {
                Stmt::Skip | Stmt::Sync { .. } => {}
                Stmt::Write { array: accessed, .. } => {
                    if accessed != array {
                        return Stmt::Skip;
                    }
                }
                Stmt::Read { var, array: accessed, body, .. }
                | Stmt::Atomic { var, array: accessed, body, .. } => {
                    if accessed != array {
                        return body.subst_value(var, &Natural::zero()).project(array);
                    }
                    *body = Arc::new(body.project(array));
                }
                Stmt::Seq(b, c) => match (b.project(array), c.project(array)) {
                    (Stmt::Skip, rest) | (rest, Stmt::Skip) => return rest,
                    (b, c) => return Stmt::seq(b, c),
                },
                Stmt::If { then, otherwise, .. } => {
                    *then = Arc::new(then.project(array));
                    *otherwise = Arc::new(otherwise.project(array));
                }
                Stmt::For { body, .. } => *body = Arc::new(body.project(array)),
            }
            projected
        })
    }
}
