//! Protocols without idle parts.

use babycuda_core::Protocol;
use babycuda_core::deep::grow;
use std::sync::Arc;

/// The protocol without neutral `skip`s: `skip; u` and `u; skip` become `u`, and an `if`, `for` or
/// `any` that accesses nothing and has no barrier becomes `skip`. Λ stays the same, phase by phase.
pub fn normalize(protocol: &Protocol) -> Protocol {
    grow(|| node(protocol))
}

fn node(protocol: &Protocol) -> Protocol {
    match protocol {
        Protocol::Skip | Protocol::Access { .. } | Protocol::Sync { .. } => protocol.clone(),
        Protocol::Seq(p, q) => Protocol::seq(normalize(p), normalize(q)),
        Protocol::If { site, condition, then, otherwise } => {
            match (normalize(then), normalize(otherwise)) {
                (Protocol::Skip, Protocol::Skip) => Protocol::Skip,
                (then, otherwise) => Protocol::If {
                    site: *site,
                    condition: condition.clone(),
                    then: Arc::new(then),
                    otherwise: Arc::new(otherwise),
                },
            }
        }
        Protocol::For { site, sort, var, lower, upper, body } => match normalize(body) {
            Protocol::Skip => Protocol::Skip,
            body => Protocol::For {
                site: *site,
                sort: *sort,
                var: var.clone(),
                lower: lower.clone(),
                upper: upper.clone(),
                body: Arc::new(body),
            },
        },
        Protocol::Any { site, var, domain, body } => match normalize(body) {
            Protocol::Skip => Protocol::Skip,
            body => Protocol::Any {
                site: *site,
                var: var.clone(),
                domain: *domain,
                body: Arc::new(body),
            },
        },
    }
}
