//! Enumerations.

use super::types::operand;
use super::{Entity, Resolved, Resolver};
use crate::error::refuse;
use crate::range::full;
use crate::unit::{children, part};
use babycuda_core::IntType;
use babycuda_kernel::{At, Expr, Type};
use tree_sitter::Node;

impl<'t> Resolver<'t> {
    /// `enum { A, B = 3 }`: binds its names. Returns the type that its values have in arithmetic:
    /// the one that it states, or else the first that holds all of them ([conv.prom] of C++).
    pub(super) fn enumeration(&mut self, node: Node<'t>) -> Resolved<Type> {
        let stated = match part(node, "base") {
            Some(base) => match self.specifier(base)? {
                Some(Type::Int(t)) => Some(t),
                _ => return refuse(base, "enumeration of this type"),
            },
            None => None,
        };
        let mut cursor = node.walk();
        let scoped = node.children(&mut cursor).any(|c| matches!(c.kind(), "class" | "struct"));
        let stated = stated.or(scoped.then_some(IntType::I32));
        if stated.is_none() && part(node, "body").is_none() {
            return refuse(node, "enumeration without its values");
        }
        let values = self.scoped(|s| s.enumerators(node, stated))?;
        let least = values.iter().map(|(_, v)| *v).min().unwrap_or(0);
        let most = values.iter().map(|(_, v)| *v).max().unwrap_or(0);
        let Some(t) = stated.or_else(|| holding(IntType::I32, least, most)) else {
            return refuse(node, "enumeration whose values no type holds");
        };
        let of = part(node, "name").map(|name| self.text(name));
        for (name, value) in values {
            let value = Expr::int(Type::Int(t), t.write(value), At(0));
            if let Some(of) = of {
                let known =
                    self.enumerators.entry((of, name)).or_insert_with(|| Some(value.clone()));
                known.take_if(|known| *known != value);
            }
            if !scoped {
                self.bind(name, Entity::Constant(value));
            }
        }
        if let (Some(of), Some(scope)) = (of, self.scopes.last_mut()) {
            scope.insert(of, Entity::Type(Type::Int(t)));
        }
        Ok(Type::Int(t))
    }

    /// The constant that `E::A` names, where `E` means nothing but one enumeration in all of the file.
    pub(super) fn enumerator_of(&self, node: Node<'t>) -> Option<Expr> {
        let (of, name) = (part(node, "scope")?, part(node, "name")?);
        let (of, name) = (self.text(of), self.text(name));
        match self.lookup(of) {
            Some(Entity::Type(Type::Int(_))) if !self.renamed.contains(of) => {
                self.enumerators.get(&(of, name))?.clone()
            }
            _ => None,
        }
    }

    /// The enumerators with their values; each is bound for those that follow.
    fn enumerators(
        &mut self,
        node: Node<'t>,
        stated: Option<IntType>,
    ) -> Resolved<Vec<(&'t str, i128)>> {
        let mut out = Vec::new();
        let mut next = (stated.unwrap_or(IntType::I32), 0);
        for item in part(node, "body").map(children).unwrap_or_default() {
            let name = operand(item, "name")?;
            if let Some(value) = part(item, "value") {
                let value = self.expr(value)?;
                let value = self.integer(value, item)?;
                let (Some(t), Some(bits)) = (value.ty.integer(), self.constant(&value)) else {
                    return refuse(item, "enumerator whose value is not known");
                };
                next = (stated.unwrap_or(t), t.read(bits));
            }
            let (t, value) = next;
            let Some(t) = holding(t, value, value).filter(|wide| stated.is_none_or(|s| s == *wide))
            else {
                return refuse(item, "enumerator that its type does not hold");
            };
            let name = self.text(name);
            self.bind(name, Entity::Constant(Expr::int(Type::Int(t), t.write(value), At(0))));
            out.push((name, value));
            next = (t, value + 1);
        }
        Ok(out)
    }
}

/// The first type from `t` on that holds the values from `least` to `most`.
fn holding(t: IntType, least: i128, most: i128) -> Option<IntType> {
    let holds = |t: &IntType| {
        let range = full(*t);
        range.0 <= least && most <= range.1
    };
    [t, IntType::I32, IntType::U32, IntType::I64, IntType::U64].into_iter().find(holds)
}
