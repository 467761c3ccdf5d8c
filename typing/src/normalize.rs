//! Protocols without idle parts.

use babycuda_core::Protocol;
use babycuda_core::deep::grow;
use babycuda_core::syntax::{Head, Tree};
use std::sync::Arc;

/// The protocol without neutral `skip`s: `skip; u` and `u; skip` become `u`, and an `if`, `for` or
/// `any` that accesses nothing and has no barrier becomes `skip`. So does an input, and one whose
/// value is not used becomes its body. Λ stays the same, phase by phase, where the host stored
/// something in the inputs.
pub fn normalize(protocol: &Protocol) -> Protocol {
    let normal = grow(|| protocol.map_children(|child| Arc::new(normalize(child))));
    match (normal.head(), normal.view().children) {
        (Head::Seq, [Some(p), Some(q)]) => Protocol::seq((**p).clone(), (**q).clone()),
        (_, [None, _]) => normal,
        (Head::Input(_), [Some(body), _])
            if normal.view().binder.is_some_and(|x| !body.free_vars().contains(x)) =>
        {
            (**body).clone()
        }
        (_, children) if children.into_iter().flatten().all(|p| **p == Protocol::Skip) => {
            Protocol::Skip
        }
        _ => normal,
    }
}
