//! Projection to one array: from our several arrays to LCL22's one (THEORY §4).

use super::view::{Head, Tree};
use super::{Protocol, Stmt};
use crate::deep::grow;
use crate::name::Name;
use crate::natural::Natural;
use std::sync::Arc;

/// The tree without its accesses to other arrays; `zero` puts 0 for what such an access reads.
fn project<T: Tree>(tree: &T, array: &Name, zero: &impl Fn(&T, &Name) -> T) -> T {
    let node = tree.view();
    if tree.head().accessed().is_some_and(|accessed| accessed != array) {
        return match (node.binder, node.children) {
            (Some(var), [Some(body), _]) => grow(|| project(&zero(body, var), array, zero)),
            _ => T::SKIP,
        };
    }
    let projected = grow(|| tree.map_children(|child| Arc::new(project(&**child, array, zero))));
    match (tree.head(), projected.view().children) {
        (Head::Seq, [Some(skip), Some(rest)] | [Some(rest), Some(skip)]) if **skip == T::SKIP => {
            (**rest).clone()
        }
        _ => projected,
    }
}

impl Protocol {
    /// The protocol without its accesses to other arrays. Its Λ is that of the whole, restricted
    /// to `array`.
    #[must_use]
    pub fn project(&self, array: &Name) -> Protocol {
        project(self, array, &|body, _| body.clone())
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
        project(self, array, &|body, var| body.subst_value(var, &Natural::zero()))
    }
}
