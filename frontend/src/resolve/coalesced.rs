//! Groups of threads that values choose: those that are active together, and parts of groups by a label. Who is in one
//! is not followed: ranks, sizes and what its threads exchange are values of which only the type is known, and so is
//! whom its barrier holds.

use super::calls::is_exchangeable;
use super::types::operand;
use super::{Resolved, Resolver};
use crate::error::refuse;
use crate::unit::listed;
use babycuda_core::IntType;
use babycuda_kernel::device::COALESCED;
use babycuda_kernel::{Expr, ExprKind, Type};
use tree_sitter::Node;

/// Methods that are numbers, and those that exchange values.
const NUMBERS: &str = "thread_rank size num_threads meta_group_rank meta_group_size";
const EXCHANGES: &str = "shfl shfl_up shfl_down";
const VOTES: &str = "any all ballot match_any";

/// The type of such groups.
pub(super) fn coalesced() -> Type {
    Type::Opaque(COALESCED.into())
}

impl<'t> Resolver<'t> {
    /// Is it such a group?
    pub(super) fn is_coalesced(&mut self, node: Node<'t>) -> bool {
        node.kind() == "identifier" && self.place(node).is_ok_and(|place| place.ty == coalesced())
    }

    /// The group of the threads that are active together, or that have a label in common.
    pub(super) fn chosen(&mut self, labels: &[Node<'t>], node: Node<'t>) -> Resolved<Expr> {
        let labels = labels.iter().map(|label| self.expr(*label)).collect::<Resolved<Vec<_>>>()?;
        Ok(self.expression(node, ExprKind::List(labels), coalesced()))
    }

    /// A call of a method of such a group; `None`: it is another call.
    pub(super) fn coalesced_method(
        &mut self,
        function: Node<'t>,
        args: &[Node<'t>],
        node: Node<'t>,
    ) -> Resolved<Option<Expr>> {
        let (group, field) = (operand(function, "argument")?, operand(function, "field")?);
        if self.operator(function) != "." || !self.is_coalesced(group) {
            return Ok(None);
        }
        self.of_coalesced(self.text(field), args, node).map(Some)
    }

    /// What is asked of such a group.
    pub(super) fn of_coalesced(
        &mut self,
        name: &str,
        args: &[Node<'t>],
        node: Node<'t>,
    ) -> Resolved<Expr> {
        let number = Type::Int(IntType::U32);
        let mut values = args.iter().map(|arg| self.expr(*arg)).collect::<Resolved<Vec<_>>>()?;
        let first = values.first().map(|value| value.ty.clone());
        let ty = match first {
            None if name == "sync" => Type::Void,
            None if listed(NUMBERS, name) => number,
            Some(ty) if listed(EXCHANGES, name) && is_exchangeable(&ty) => ty,
            Some(ty) if name == "reduce" && is_exchangeable(&ty) => {
                values.truncate(1);
                ty
            }
            Some(_) if listed(VOTES, name) && values.len() == 1 => number,
            _ => {
                let of = "a group of threads that values choose";
                return refuse(node, format!("`{name}` of {of}"));
            }
        };
        Ok(self.device(&format!("coalesced::{name}"), values, ty, node))
    }
}
