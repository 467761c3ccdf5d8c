//! Every binder gets a name of its own, so that moving code across binders captures nothing.

use babycuda_core::deep::grow;
use babycuda_core::expr::Renaming;
use babycuda_core::syntax::Tree;
use babycuda_core::{Name, Num, Protocol};
use std::collections::BTreeSet;
use std::sync::Arc;

/// An alpha-equivalent protocol in which no two binders, and no binder and free variable, share a
/// name.
pub(crate) fn unique_binders(protocol: &Protocol) -> Protocol {
    apart(protocol, BTreeSet::new())
}

/// An alpha-equivalent protocol whose binders have names of their own, none of them `taken`.
pub(super) fn apart(protocol: &Protocol, mut taken: BTreeSet<Name>) -> Protocol {
    taken.extend(protocol.free_vars());
    rename(protocol, &Renaming::new(), &mut taken)
}

fn bind(var: &Name, map: &Renaming, used: &mut BTreeSet<Name>) -> (Name, Renaming) {
    let fresh = var.fresh(|x| used.contains(x) || babycuda_core::name::reserved::is_reserved(x));
    used.insert(fresh.clone());
    let mut inner = map.clone();
    if fresh == *var {
        inner.remove(var);
    } else {
        inner.insert(var.clone(), Num::Var(fresh.clone()));
    }
    (fresh, inner)
}

fn rename(p: &Protocol, map: &Renaming, used: &mut BTreeSet<Name>) -> Protocol {
    let mut renamed = p.clone();
    let node = renamed.view_mut();
    node.exprs.into_iter().flatten().for_each(|e| e.subst(map));
    let inner = node.binder.map(|var| {
        let (fresh, inner) = bind(var, map, used);
        *var = fresh;
        inner
    });
    let map = inner.as_ref().unwrap_or(map);
    grow(|| {
        for child in node.children.into_iter().flatten() {
            *child = Arc::new(rename(child, map, used));
        }
    });
    renamed
}
