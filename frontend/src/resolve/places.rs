//! Places: what can be assigned to.

use super::types::{only, operand, operands};
use super::{Entity, Resolved, Resolver};
use crate::error::refuse;
use crate::unit::children;
use babycuda_kernel::{Place, PlaceKind, Type};
use tree_sitter::Node;

impl<'t> Resolver<'t> {
    /// The place that an expression denotes.
    pub(super) fn place(&mut self, node: Node<'t>) -> Resolved<Place> {
        self.nested(node, |s| s.place_in(node))
    }

    fn place_in(&mut self, node: Node<'t>) -> Resolved<Place> {
        let (kind, ty) = match node.kind() {
            "parenthesized_expression" => return self.place(only(node)?),
            "identifier" | "qualified_identifier" => {
                let name = self.text(node);
                return match self.lookup(name) {
                    Some(Entity::Variable(v)) => Ok(self.place_of(*v, node)),
                    Some(Entity::Constant(_)) => refuse(node, format!("assignment to `{name}`")),
                    Some(Entity::Type(_)) => refuse(node, format!("type `{name}` as a value")),
                    None => refuse(node, format!("unknown name `{name}`")),
                };
            }
            "subscript_expression" => {
                let (argument, indices) = operands(node, "argument", "indices")?;
                let [index] = children(indices)[..] else {
                    return refuse(node, "subscript with several indices");
                };
                let (base, offset) = (self.expr(argument)?, self.expr(index)?);
                let (pointer, index) = match (&base.ty, &offset.ty) {
                    (Type::Pointer(_), _) => (base, offset),
                    (_, Type::Pointer(_)) => (offset, base),
                    _ => return refuse(node, "subscript of a value that is no array"),
                };
                let index = match index.ty {
                    Type::Int(_) => index,
                    _ => self.integer(index, node)?,
                };
                let Type::Pointer(pointee) = pointer.ty.clone() else {
                    return refuse(node, "subscript of a value that is no array");
                };
                (PlaceKind::Index(Box::new([pointer, index])), *pointee)
            }
            "pointer_expression" => {
                let argument = operand(node, "argument")?;
                if self.operator(node) != "*" {
                    return refuse(node, "access to an address itself");
                }
                let pointer = self.expr(argument)?;
                match pointer.ty.clone() {
                    Type::Pointer(pointee) => (PlaceKind::Deref(Box::new(pointer)), *pointee),
                    _ => return refuse(node, "`*` on a value that is no pointer"),
                }
            }
            "field_expression" => {
                let (argument, field) = operands(node, "argument", "field")?;
                let of = if self.operator(node) == "->" {
                    let pointer = self.expr(argument)?;
                    let Type::Pointer(ty) = pointer.ty.clone() else {
                        return refuse(node, "`->` on a value that is no pointer");
                    };
                    let kind = PlaceKind::Deref(Box::new(pointer));
                    Place { kind, ty: *ty, at: self.at(node) }
                } else {
                    self.place(argument)?
                };
                let field = self.text(field);
                let Some((member, ty)) = self.component(&of.ty, field) else {
                    return refuse(
                        node,
                        format!("member `{field}` of a value that has no such one"),
                    );
                };
                (PlaceKind::Member(Box::new(of), member), ty)
            }
            other => {
                return refuse(
                    node,
                    format!("access to the value of a {}", other.replace('_', " ")),
                );
            }
        };
        Ok(Place { kind, ty, at: self.at(node) })
    }
}
