//! Inputs that decide barriers are read first.
//!
//! A read of a read-only input gives the same value wherever it stands, so that its binder can be moved
//! outwards, over sequences, branches, and binders that its index does not mention. Conditions about
//! barriers may then speak of it. A thread may so read an input that it never reads, of which the
//! value does not matter; but where the host stored nothing there, the phases say too much.

use super::Binder;
use babycuda_core::deep::grow;
use babycuda_core::syntax::Tree;
use babycuda_core::{Name, Protocol};
use std::sync::Arc;

/// The inputs that decide barriers and that can be read before all else, and the rest. Binders are
/// unique.
pub(super) fn outermost(protocol: &Protocol) -> (Vec<Binder>, Protocol) {
    let mut moved = Vec::new();
    let rest = without(protocol, &mut moved);
    (moved, rest)
}

/// Does a guard or bound of something with a barrier inside mention `x`, or the index of an input that
/// does?
fn decides(p: &Protocol, x: &Name) -> bool {
    p.subterms().any(|p| {
        p.view().variables().contains(x)
            && match p {
                Protocol::Input { var, body, .. } => decides(body, var),
                p => p.has_sync(),
            }
    })
}

/// The protocol without the binders that move out of it, which are added to `moved` in order.
fn without(p: &Protocol, moved: &mut Vec<Binder>) -> Protocol {
    if !p.has_sync() || !p.is_relative() {
        return p.clone();
    }
    grow(|| {
        if let Protocol::Input { site, var, array, index, body } = p
            && decides(body, var)
        {
            moved.push(Binder::Input {
                site: *site,
                var: var.clone(),
                array: array.clone(),
                index: index.clone(),
            });
            return without(body, moved);
        }
        let Some(bound) = p.view().binder else {
            return p.map_children(|child| Arc::new(without(child, moved)));
        };
        // What depends on the variable stays below its binder, and so does what depends on that.
        let mut inside = Vec::new();
        let mut rest = p.map_children(|child| Arc::new(without(child, &mut inside)));
        let mut stays: Vec<Name> = vec![bound.clone()];
        let mut kept = Vec::new();
        for binder in inside {
            match binder {
                Binder::Input { site, var, array, index }
                    if index.free_vars().iter().any(|x| stays.contains(x)) =>
                {
                    stays.push(var.clone());
                    kept.push((site, var, array, index));
                }
                binder => moved.push(binder),
            }
        }
        for (site, var, array, index) in kept.into_iter().rev() {
            rest = rest.map_children(|body| {
                let (var, array, index) = (var.clone(), array.clone(), index.clone());
                Arc::new(Protocol::Input { site, var, array, index, body: body.clone() })
            });
        }
        rest
    })
}
