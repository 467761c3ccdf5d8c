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
            "barrier" | "work_group_barrier" => {
                let flags = match called.arguments.first() {
                    Some(flags) => self.expr(flags)?,
                    None => return self.refuse(node, "barrier without flags"),
                };
                return match constant(&flags, &|_| None) {
                    Some(flags)
                        if self.writes_images
                            && (flags & GLOBAL_FENCE == 0) != (flags & IMAGE_FENCE == 0) =>
                    {
                        self.refuse(node, "barrier that orders either images or global memory")
                    }
                    Some(flags) if flags & (LOCAL_FENCE | GLOBAL_FENCE) != 0 => {
                        let kind = ExprKind::Device(Name::new("__syncthreads"), Vec::new());
                        let barrier = self.expression(node, kind, Type::Void);
                        if flags & GLOBAL_FENCE == 0 {
                            self.kernel.narrow_barriers.push((barrier.at, Space::Shared));
                        }
                        if flags & LOCAL_FENCE == 0 {
                            self.kernel.narrow_barriers.push((barrier.at, Space::Global));
                        }
                        Ok(Some(barrier))
                    }
                    Some(_) => self.refuse(node, "barrier that orders no memory"),
                    None => self.refuse(node, "barrier whose flags are not known"),
                };
            }
            _ => return self.opencl_value(name, called, node),
        };
        let dimension = self.dimension(called, node)?;
        Ok(Some(self.size_t(launch, dimension, node)))
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
