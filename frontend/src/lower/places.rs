//! Places: what can be assigned to.

use super::Lower;
use super::expr::{only, operand, operands, unknown};
use crate::ctype::{CType, Data};
use crate::error::{Lowered, refuse};
use crate::unit::{children, part};
use crate::value::{Base, Binding, Place, Pointer, Value};
use tree_sitter::Node;

impl<'t> Lower<'t> {
    /// The place that an expression denotes. Its operands are evaluated.
    pub(super) fn place(&mut self, node: Node<'t>) -> Lowered<Place> {
        self.nested(node, |s| s.place_of(node))
    }

    fn place_of(&mut self, node: Node<'t>) -> Lowered<Place> {
        match node.kind() {
            "parenthesized_expression" => self.place(only(node)?),
            "identifier" => {
                let name = self.text(node);
                match self.env.lookup(name).cloned() {
                    Some(Binding::Var(v)) => Ok(match self.env.ctype(v) {
                        array @ CType::Array(..) => Place::Private(array.clone()),
                        _ => Place::Var(v),
                    }),
                    Some(Binding::Array(array, ctype) | Binding::Cell(array, ctype)) => {
                        Ok(Place::Cell(Pointer {
                            base: Base::Array(array),
                            index: crate::arith::lit(0),
                            pointee: ctype,
                        }))
                    }
                    Some(Binding::Reference(place)) => Ok(place),
                    Some(Binding::Constant(_)) => refuse(node, format!("assignment to `{name}`")),
                    Some(Binding::Type(_)) => refuse(node, format!("type `{name}` as a value")),
                    None => unknown(node, name),
                }
            }
            "subscript_expression" => {
                let (argument, indices) = operands(node, "argument", "indices")?;
                let [index] = children(indices)[..] else {
                    return refuse(node, "subscript with several indices");
                };
                let base = self.eval(argument)?;
                let offset = self.eval(index)?;
                match (base, offset) {
                    (Value::Pointer(p), offset) | (offset, Value::Pointer(p)) => {
                        let p = self.offset(p, "+", offset, node)?;
                        self.deref(p, node)
                    }
                    (Value::Poison(what), _) => refuse(node, what),
                    _ => refuse(node, "subscript of a value that is no array"),
                }
            }
            "pointer_expression" => {
                let argument = operand(node, "argument")?;
                if self.operator(node) != "*" {
                    return refuse(node, "access to an address itself");
                }
                match self.eval(argument)? {
                    Value::Pointer(p) => self.deref(p, node),
                    Value::Poison(what) => refuse(node, what),
                    _ => refuse(node, "`*` on a value that is no pointer"),
                }
            }
            "field_expression" => {
                let (argument, field) = operands(node, "argument", "field")?;
                let place = if self.operator(node) == "->" {
                    match self.eval(argument)? {
                        Value::Pointer(p) => self.deref(p, node)?,
                        Value::Poison(what) => return refuse(node, what),
                        _ => return refuse(node, "`->` on a value that is no pointer"),
                    }
                } else {
                    self.place(argument)?
                };
                let lane = self.lane(&place, field, node)?;
                Ok(Place::Component(Box::new(place), lane))
            }
            other => refuse(node, format!("access to the value of a {}", other.replace('_', " "))),
        }
    }

    /// The type of a component. Of a structure nothing is known, so it is data.
    fn lane(&self, place: &Place, field: Node<'t>, node: Node<'t>) -> Lowered<CType> {
        match self.place_type(place) {
            CType::Data(Data { lane: Some(lane), .. })
                if matches!(self.text(field), "x" | "y" | "z" | "w") =>
            {
                Ok(*lane)
            }
            CType::Data(Data { lane: None, .. }) => Ok(CType::Data(Data::UNKNOWN)),
            _ => refuse(
                node,
                format!("member `{}` of a value that has no such one", self.text(field)),
            ),
        }
    }

    /// The type of what a place holds.
    pub(super) fn place_type(&self, place: &Place) -> CType {
        match place {
            Place::Var(v) => self.env.ctype(*v).clone(),
            Place::Cell(p) => p.pointee.clone(),
            Place::Private(ctype) | Place::Component(_, ctype) => ctype.clone(),
        }
    }

    /// The place that a pointer points to.
    pub(super) fn deref(&mut self, p: Pointer, node: Node<'t>) -> Lowered<Place> {
        match p.base {
            Base::Array(_) => Ok(Place::Cell(p)),
            Base::Private => Ok(Place::Private(p.pointee)),
            Base::Local(v) if crate::arith::as_lit(&p.index) == Some(0) => Ok(Place::Var(v)),
            Base::Local(_) => refuse(node, "arithmetic on the address of a local variable"),
        }
    }

    /// `&place`
    pub(super) fn address_of(&mut self, place: Place, node: Node<'t>) -> Lowered<Value> {
        let local = |base, pointee| {
            Ok(Value::Pointer(Pointer { base, index: crate::arith::lit(0), pointee }))
        };
        match place {
            Place::Cell(p) => Ok(Value::Pointer(p)),
            Place::Var(v) => local(Base::Local(v), self.env.ctype(v).clone()),
            Place::Private(ctype) => local(Base::Private, ctype),
            Place::Component(..) => refuse(node, "address of a component"),
        }
    }

    /// The text of a node's operator.
    pub(super) fn operator(&self, node: Node<'t>) -> &'t str {
        part(node, "operator").map_or("", |n| self.text(n))
    }
}
