//! The language of LGAGJL12: what its implementation can analyze (§4.2, limitations).

use babycuda_kernel::device::Device;
use babycuda_kernel::{At, ExprKind, Kernel, Node, Type};

/// The first construct of a kernel that is not in the language, in words: atomics, votes and exchanges, barriers
/// of less than a block, groups, and all that was not understood.
pub(super) fn outside(kernel: &Kernel) -> Option<(String, At)> {
    let bodies = kernel.functions.iter().map(|function| &function.body);
    let mut nodes = bodies.flat_map(|body| Node::from(body).subterms());
    let construct = nodes.find_map(|node| {
        let found = match node {
            Node::Expr(expr) => match &expr.kind {
                ExprKind::Device(name, _) => refused(name.as_str()),
                _ => None,
            },
            _ => None,
        };
        let found = found.or_else(|| node.unsupported().map(str::to_owned));
        found.map(|construct| (construct, node.at()))
    });
    let group = || {
        let variable = kernel.variables.iter().find(|v| matches!(v.ty, Type::Group(_)));
        variable.map(|variable| ("a cooperative group".to_owned(), variable.at))
    };
    let local = || {
        let first = kernel.narrow_barriers.first();
        first.map(|(at, _)| ("a barrier that orders a part of memory alone".to_owned(), *at))
    };
    construct.or_else(group).or_else(local)
}

fn refused(name: &str) -> Option<String> {
    let vote = name.starts_with("__any") || name.starts_with("__all") || name.contains("__match");
    let vote = vote || name.starts_with("__ballot") || name.starts_with("__activemask");
    match Device::of(name) {
        Some(Device::Atomic | Device::Exchange(_) | Device::Group) | None => Some(name.to_owned()),
        Some(Device::Barrier) if name != "__syncthreads" => Some(name.to_owned()),
        _ => vote.then(|| name.to_owned()),
    }
}
