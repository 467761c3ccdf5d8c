//! Statements and protocols as trees: comparing, searching and dropping them whatever their height.

use super::view::{Head, Tree};
use super::{BarrierScope, Protocol, Stmt};
use crate::deep::{compare_in_preorder, release};
use crate::expr::Expr;
use crate::name::Name;
use crate::site::Site;
use std::collections::BTreeSet;

/// A node without its children, to be compared.
type Parts<'a> = (Head<'a>, Option<Site>, [Option<Expr<'a>>; 3], Option<&'a Name>);

/// The tree and every tree in it, in pre-order.
pub(crate) fn subterms<T: Tree>(tree: &T) -> impl Iterator<Item = &T> {
    let mut pending = vec![tree];
    std::iter::from_fn(move || {
        let next = pending.pop()?;
        pending.extend(next.view().children.into_iter().rev().flatten().map(|child| &**child));
        Some(next)
    })
}

/// What is found by walking through a tree, as methods of its type.
macro_rules! walks {
    ($tree:ident, $what:literal) => {
        impl $tree {
            fn node(&self) -> &$tree {
                self
            }

            fn is_same(&self, other: &$tree) -> bool {
                std::ptr::eq(self, other)
            }

            fn parts(&self) -> (Parts<'_>, [Option<&$tree>; 2]) {
                let node = self.view();
                let children = node.children.map(|child| child.map(|child| &**child));
                ((self.head(), node.site, node.exprs, node.binder), children)
            }

            #[doc = concat!("The ", $what, "s directly in the ", $what, ": none, one or two.")]
            pub fn children(&self) -> impl DoubleEndedIterator<Item = &$tree> {
                self.parts().1.into_iter().flatten()
            }

            #[doc = concat!("The ", $what, " and every ", $what, " in it, in pre-order.")]
            pub fn subterms(&self) -> impl Iterator<Item = &$tree> {
                subterms(self)
            }

            #[doc = concat!("The array that the root of the ", $what, " accesses.")]
            pub fn accessed(&self) -> Option<&Name> {
                self.head().accessed()
            }

            #[doc = concat!("The arrays that the ", $what, " accesses.")]
            pub fn arrays(&self) -> BTreeSet<Name> {
                self.subterms().filter_map(|node| node.accessed()).cloned().collect()
            }

            #[doc = concat!("The arrays that the ", $what, " writes or updates.")]
            pub fn written(&self) -> BTreeSet<Name> {
                self.subterms().filter_map(|node| node.head().written()).cloned().collect()
            }

            #[doc = concat!("Is there an atomic update in the ", $what, "?")]
            pub fn has_atomics(&self) -> bool {
                self.subterms().any(|node| node.head().is_atomic())
            }

            #[doc = concat!("Is there a barrier in the ", $what, "?")]
            pub fn has_sync(&self) -> bool {
                self.subterms().any(|node| matches!(node.head(), Head::Sync(_)))
            }

            #[doc = concat!("Is there a barrier of a tile or warp in the ", $what, "?")]
            pub fn waits_in_warps(&self) -> bool {
                let narrow = |head| matches!(head, Head::Sync(scope) if scope < BarrierScope::Block);
                self.subterms().any(|node| narrow(node.head()))
            }

            #[doc = concat!("The first barrier in the ", $what, " that is of another scope than a block.")]
            pub fn scoped_barrier(&self) -> Option<(Site, BarrierScope)> {
                self.subterms().find_map(|node| match node.head() {
                    Head::Sync(scope) if !scope.is_block() => Some((node.view().site?, scope)),
                    _ => None,
                })
            }
        }

        compare_in_preorder!($tree);

        impl Drop for $tree {
            fn drop(&mut self) {
                for child in self.view_mut().children.into_iter().flatten() {
                    let is_leaf = |child: &$tree| child.view().children[0].is_none();
                    release(child, is_leaf, $tree::SKIP);
                }
            }
        }
    };
}

walks!(Stmt, "statement");
walks!(Protocol, "protocol");
