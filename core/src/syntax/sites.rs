//! Sites of statements and protocols.

use super::view::Tree;
use super::{Protocol, Stmt};
use crate::deep::grow;
use crate::site::Site;
use std::sync::Arc;

/// Numbers sites from 0, in the order in which it is called.
fn count() -> impl FnMut(Site) -> Site {
    let mut next = 0u32;
    move |_| {
        let site = Site(next);
        next = next.saturating_add(1);
        site
    }
}

/// The tree with every site replaced, visited in pre-order.
fn map<T: Tree>(tree: &T, f: &mut impl FnMut(Site) -> Site) -> T {
    let mut mapped = tree.clone();
    let node = mapped.view_mut();
    if let Some(site) = node.site {
        *site = f(*site);
    }
    grow(|| {
        for child in node.children.into_iter().flatten() {
            *child = Arc::new(map(&**child, f));
        }
    });
    mapped
}

macro_rules! sites {
    ($tree:ident, $what:literal) => {
        impl $tree {
            #[doc = concat!("The ", $what, " with its sites numbered from 0 in pre-order.")]
            #[must_use]
            pub fn numbered(&self) -> $tree {
                self.map_sites(&mut count())
            }

            #[doc = concat!("The site of the ", $what, " itself; `skip` and `;` have none.")]
            pub fn site(&self) -> Option<Site> {
                self.view().site
            }

            #[doc = concat!("The ", $what, " with every site replaced, visited in pre-order.")]
            #[must_use]
            pub fn map_sites(&self, f: &mut impl FnMut(Site) -> Site) -> $tree {
                map(self, f)
            }
        }
    };
}

sites!(Stmt, "statement");
sites!(Protocol, "protocol");
