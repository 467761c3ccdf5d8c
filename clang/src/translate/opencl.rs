//! What OpenCL C calls otherwise than CUDA.

use super::calls::Called;
use super::{Lowered, Translator};
use crate::document::Node;
use babycuda_core::syntax::Space;
use babycuda_core::{IntType, MachineOp, Name};
use babycuda_kernel::{Expr, ExprKind, Launch, Type, constant};

/// The flags of `barrier`: for the memory of the block, for that of the device, and for images.
const LOCAL_FENCE: u64 = 1;
const GLOBAL_FENCE: u64 = 2;
const IMAGE_FENCE: u64 = 4;

/// `memory_scope_sub_group`; those of work-groups and wider ones are before it.
const SUB_GROUP_SCOPE: u64 = 4;

/// What a sub-group says of itself.
const SUB_GROUPS: [&str; 6] = [
    "get_sub_group_id",
    "get_sub_group_local_id",
    "get_sub_group_size",
    "get_max_sub_group_size",
    "get_num_sub_groups",
    "get_enqueued_num_sub_groups",
];

/// How the names begin of what its work-items exchange, behind `sub_group_`.
const EXCHANGES: [&str; 9] =
    ["any", "all", "broadcast", "reduce", "scan", "shuffle", "ballot", "non_uniform", "elect"];

impl<'a> Translator<'a> {
    /// A function of OpenCL C that is one of CUDA's.
    pub(super) fn opencl_call(
        &mut self,
        called: &Called<'a>,
        node: &'a Node,
    ) -> Lowered<Option<Expr>> {
        if !self.opencl || !self.is_device(called.declaration) {
            return Ok(None);
        }
        let name = &*called.declaration.name;
        let launch = match name {
            "get_local_id" => Launch::ThreadIdx,
            "get_group_id" => Launch::BlockIdx,
            "get_local_size" | "get_enqueued_local_size" => Launch::BlockDim,
            "get_num_groups" => Launch::GridDim,
            "get_global_id" | "get_global_size" => {
                let dimension = self.dimension(called, node)?;
                let (l, r, more) = match name {
                    "get_global_id" => {
                        (Launch::BlockIdx, Launch::BlockDim, Some(Launch::ThreadIdx))
                    }
                    _ => (Launch::GridDim, Launch::BlockDim, None),
                };
                let [l, r] = [l, r].map(|launch| self.size_t(launch, dimension, node));
                let product = self.whole(MachineOp::Mul, l, r, node);
                return Ok(Some(match more {
                    Some(more) => {
                        let more = self.size_t(more, dimension, node);
                        self.whole(MachineOp::Add, product, more, node)
                    }
                    None => product,
                }));
            }
            // Launches have no offset.
            "get_global_offset" => {
                self.dimension(called, node)?;
                let size = Type::Int(IntType::U64);
                return Ok(Some(self.expression(node, ExprKind::Int(0), size)));
            }
            "get_global_linear_id" | "get_local_linear_id" | "get_work_dim" => {
                return self.opencl_opaque(name, Vec::new(), node).map(Some);
            }
            "barrier" | "work_group_barrier" | "sub_group_barrier" => {
                return self.opencl_barrier(name, called, node).map(Some);
            }
            _ if name.starts_with("sub_group_") || name.ends_with("_sub_groups") => {
                return self.of_sub_groups(name, called, node).map(Some);
            }
            "async_work_group_copy" | "async_work_group_strided_copy" | "wait_group_events" => {
                return self.of_events(name, called, node).map(Some);
            }
            _ if name.starts_with("work_group_") => {
                return self.of_work_groups(name, called, node).map(Some);
            }
            _ if SUB_GROUPS.contains(&name) => {
                return self.of_sub_groups(name, called, node).map(Some);
            }
            _ => return self.opencl_value(name, called, node),
        };
        let dimension = self.dimension(called, node)?;
        Ok(Some(self.size_t(launch, dimension, node)))
    }

    /// A barrier of a work-group, or of a sub-group: that of a warp.
    fn opencl_barrier(&mut self, name: &str, called: &Called<'a>, node: &'a Node) -> Lowered<Expr> {
        let of_sub_groups = name == "sub_group_barrier";
        if of_sub_groups {
            self.any_sub_groups(node)?;
        }
        let (flags, scope) = match called.arguments[..] {
            [flags] => (flags, None),
            [flags, scope] => (flags, Some(scope)),
            _ => return self.refuse(node, "barrier without flags"),
        };
        let flags = constant(&self.expr(flags)?, &|_| None);
        if let Some(scope) = scope {
            let scope = constant(&self.expr(scope)?, &|_| None);
            let last = if of_sub_groups { SUB_GROUP_SCOPE } else { SUB_GROUP_SCOPE - 1 };
            if !scope.is_some_and(|scope| (1..=last).contains(&scope)) {
                return self.refuse(node, "barrier that orders memory in a narrower scope");
            }
        }
        match flags {
            Some(flags)
                if self.writes_images
                    && (flags & GLOBAL_FENCE == 0) != (flags & IMAGE_FENCE == 0) =>
            {
                self.refuse(node, "barrier that orders either images or global memory")
            }
            Some(flags) => {
                let name = if of_sub_groups { "__syncwarp" } else { "__syncthreads" };
                let kind = ExprKind::Device(Name::new(name), Vec::new());
                let barrier = self.expression(node, kind, Type::Void);
                if flags & GLOBAL_FENCE == 0 {
                    self.kernel.narrow_barriers.push((barrier.at, Space::Shared));
                }
                if flags & LOCAL_FENCE == 0 {
                    self.kernel.narrow_barriers.push((barrier.at, Space::Global));
                }
                Ok(barrier)
            }
            None => self.refuse(node, "barrier whose flags are not known"),
        }
    }

    /// What a sub-group says of itself, or a value that its work-items exchange: that orders nothing.
    fn of_sub_groups(&mut self, name: &str, called: &Called<'a>, node: &'a Node) -> Lowered<Expr> {
        self.any_sub_groups(node)?;
        let exchange = |operation: &&str| {
            name.strip_prefix("sub_group_").is_some_and(|n| n.starts_with(*operation))
        };
        if !(SUB_GROUPS.contains(&name) || EXCHANGES.iter().any(exchange)) {
            return self.refuse(node, format!("call of `{name}`"));
        }
        let mut values = Vec::new();
        for argument in &called.arguments {
            let value = self.value_of(argument)?;
            if matches!(value.ty, Type::Pointer(_)) {
                return self.refuse(argument, format!("pointer as an argument of `{name}`"));
            }
            values.push(value);
        }
        self.opencl_opaque(name, values, node)
    }

    /// A value that a work-group exchanges. All its work-items meet; of memory OpenCL C says nothing.
    fn of_work_groups(&mut self, name: &str, called: &Called<'a>, node: &'a Node) -> Lowered<Expr> {
        let operation = name.strip_prefix("work_group_").unwrap_or(name);
        if !EXCHANGES[..5].iter().any(|exchange| operation.starts_with(exchange)) {
            return self.refuse(node, format!("call of `{name}`"));
        }
        let values = called.arguments.iter().map(|argument| self.value_of(argument));
        let values = values.collect::<Lowered<Vec<Expr>>>()?;
        let value = self.opencl_opaque(name, values, node)?;
        self.kernel.open_barriers.push(value.at);
        Ok(value)
    }

    /// A copy that a work-group makes together, or a wait for the events of such.
    fn of_events(&mut self, name: &str, called: &Called<'a>, node: &'a Node) -> Lowered<Expr> {
        let mut values = Vec::new();
        for argument in &called.arguments {
            let points = argument.ty.text().contains('*');
            values.push(if points { self.pointer_of(argument)? } else { self.value_of(argument)? });
        }
        let waits = name == "wait_group_events";
        let ty = if waits { Type::Void } else { Type::Int(IntType::U64) };
        let call = self.opencl_device(&format!("opencl::{name}"), values, ty, node);
        match waits {
            true => self.kernel.open_barriers.push(call.at),
            false => self.kernel.group_copies.push(call.at),
        }
        Ok(call)
    }

    /// Refuses sub-groups of a size that a kernel says: they are taken for warps.
    fn any_sub_groups(&mut self, node: &'a Node) -> Lowered<()> {
        let said = |f: &&Node| f.inner.iter().any(|n| n.kind.contains("SubGroupSizeAttr"));
        match self.index.functions.iter().copied().any(|f| said(&f)) {
            true => self.refuse(node, "sub-groups of a size that is said"),
            false => Ok(()),
        }
    }

    fn dimension(&mut self, called: &Called<'a>, node: &'a Node) -> Lowered<usize> {
        let value = match called.arguments.first() {
            Some(value) => constant(&self.expr(value)?, &|_| None),
            None => None,
        };
        match value {
            Some(dimension) if dimension < 3 => Ok(dimension as usize),
            _ => self.refuse(node, "dimension that is not known"),
        }
    }

    /// What the launch says, as a `size_t`.
    fn size_t(&mut self, launch: Launch, dimension: usize, node: &Node) -> Expr {
        let at = self.at(node);
        self.launch(launch, dimension, node).converted(&Type::Int(IntType::U64), at)
    }

    fn whole(&mut self, op: MachineOp, l: Expr, r: Expr, node: &Node) -> Expr {
        let kind = ExprKind::Arithmetic(op, Box::new([l, r]));
        self.expression(node, kind, Type::Int(IntType::U64))
    }
}
