//! Casts. Where the type is a name, the grammar takes `(T)(e)` for a call, and `(T)-e` for a difference.

use super::names::named;
use super::types::{only, operand};
use super::{Entity, Resolved, Resolver};
use crate::unit::part;
use babycuda_kernel::{Expr, ExprKind, Place, PlaceKind, Type};
use tree_sitter::Node;

impl<'t> Resolver<'t> {
    /// `(type) value`, also as `static_cast<type>(value)` and `type(value)`.
    pub(super) fn cast(
        &mut self,
        descriptor: Node<'t>,
        value: Node<'t>,
        node: Node<'t>,
    ) -> Resolved<Expr> {
        let ty = self.descriptor(descriptor)?;
        let value = self.expr(value)?;
        match ty {
            Some(ty) => Ok(value.converted(&ty, self.at(node))),
            None => Ok(value),
        }
    }

    /// `(T)(e)`; `None`: it is a call. What follows must not belong to `e` first, as in `(T)(e)[i]`.
    pub(super) fn cast_of_call(
        &mut self,
        function: Node<'t>,
        args: &[Node<'t>],
        node: Node<'t>,
    ) -> Resolved<Option<Expr>> {
        let followed = node.parent().is_some_and(|outer| {
            let postfix = ["subscript_expression", "field_expression", "call_expression"];
            let steps = outer.kind() == "update_expression" && outer.child(0) == Some(node);
            steps || postfix.contains(&outer.kind()) && outer.named_child(0) == Some(node)
        });
        match (args, self.in_parentheses(function)) {
            ([value], Some(ty)) if !followed => {
                let value = self.expr(*value)?;
                Ok(Some(value.converted(&ty, self.at(node))))
            }
            _ => Ok(None),
        }
    }

    /// `(T)-e`, `(T)*e` and the like, also as the second operand of what stands on the left; `None`: the operator has two
    /// operands. A product on its right would be one with what is cast.
    pub(super) fn cast_of_operator(
        &mut self,
        op: &str,
        [left, right]: [Node<'t>; 2],
        node: Node<'t>,
    ) -> Resolved<Option<Expr>> {
        if let ("binary_expression", Some(ty)) = (left.kind(), part(left, "right"))
            && let Some(second) = self.cast_of_operator(op, [ty, right], node)?
        {
            let first = self.expr(operand(left, "left")?)?;
            return self.binary(self.operator(left), first, second, node).map(Some);
        }
        let Some(ty) = self.in_parentheses(left).filter(|_| right.kind() != "binary_expression")
        else {
            return Ok(None);
        };
        let at = self.at(node);
        let value = match op {
            "+" | "-" => {
                let value = self.expr(right)?;
                self.unary(op, value, node)?
            }
            "*" => {
                let pointer = self.expr(right)?;
                let Type::Pointer(pointee) = pointer.ty.clone() else { return Ok(None) };
                Place { kind: PlaceKind::Deref(Box::new(pointer)), ty: *pointee, at }.value()
            }
            "&" => {
                let place = self.place(right)?;
                let pointer = place.ty.clone().pointer();
                self.expression(node, ExprKind::AddressOf(Box::new(place)), pointer)
            }
            _ => return Ok(None),
        };
        Ok(Some(value.converted(&ty, at)))
    }

    /// The type of numbers or pointers whose name stands in parentheses.
    fn in_parentheses(&self, node: Node<'t>) -> Option<Type> {
        if node.kind() != "parenthesized_expression" {
            return None;
        }
        let (name, unit) = (self.text(only(node).ok()?), self.unit);
        let ty = match self.lookup(name) {
            Some(Entity::Type(ty)) => Some(ty.clone()),
            Some(_) => None,
            None if unit.functions.contains_key(name) || unit.knows_type(name) => None,
            None => named(name),
        };
        let plain = |ty: &Type| {
            use Type::{Bool, Float, Int, Opaque, Pointer};
            matches!(ty, Int(_) | Float(_) | Bool | Pointer(_) | Opaque(_))
        };
        ty.filter(plain).filter(|_| !unit.is_wild(name))
    }
}
