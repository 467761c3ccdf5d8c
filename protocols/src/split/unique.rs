//! Every binder gets a name of its own, so that moving code across binders captures nothing.

use babycuda_core::deep::grow;
use babycuda_core::expr::Renaming;
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
    grow(|| match p {
        Protocol::Skip | Protocol::Sync { .. } => p.clone(),
        Protocol::Access { site, mode, array, index } => Protocol::Access {
            site: *site,
            mode: *mode,
            array: array.clone(),
            index: index.subst(map),
        },
        Protocol::Seq(p, q) => {
            let p = rename(p, map, used);
            Protocol::Seq(Arc::new(p), Arc::new(rename(q, map, used)))
        }
        Protocol::If { site, condition, then, otherwise } => {
            let then = Arc::new(rename(then, map, used));
            Protocol::If {
                site: *site,
                condition: condition.subst(map),
                then,
                otherwise: Arc::new(rename(otherwise, map, used)),
            }
        }
        Protocol::For { site, sort, var, lower, upper, body } => {
            let (lower, upper) = (lower.subst(map), upper.subst(map));
            let (var, inner) = bind(var, map, used);
            Protocol::For {
                site: *site,
                sort: *sort,
                var,
                lower,
                upper,
                body: Arc::new(rename(body, &inner, used)),
            }
        }
        Protocol::Any { site, var, domain, body } => {
            let (var, inner) = bind(var, map, used);
            Protocol::Any {
                site: *site,
                var,
                domain: *domain,
                body: Arc::new(rename(body, &inner, used)),
            }
        }
    })
}
