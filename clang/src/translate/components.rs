//! Several components of a vector at once: `v.xz = w`, and the parts of a vector's value.

use super::calls::{is_repeatable, is_temporary};
use super::expr::only;
use super::opencl_values::is_local;
use super::{Lowered, Translator, bare};
use crate::document::Node;
use babycuda_kernel::device::Device;
use babycuda_kernel::{
    Expr, ExprKind, Initial, Member, Node as Tree, Place, PlaceKind, Stmt, StmtKind, Storage, Type,
    arithmetic,
};

impl<'a> Translator<'a> {
    /// The components of a vector's value. Where it is not made of them, it is evaluated for each.
    pub(super) fn parts_of(&mut self, value: Expr, node: &'a Node) -> Lowered<Vec<Expr>> {
        let Type::Vector(lane, lanes) = value.ty.clone() else {
            return self.refuse(node, "component of a value that is no vector");
        };
        let at = value.at;
        let part = |kind| Expr { kind, ty: (*lane).clone(), at };
        match value.kind {
            ExprKind::List(parts) if parts.len() == lanes as usize => Ok(parts),
            ExprKind::Load(place) if is_repeatable_place(&place) => {
                let of = |n| PlaceKind::Member(place.clone(), Member::Lane(n));
                let load =
                    |n| ExprKind::Load(Box::new(Place { kind: of(n), ty: (*lane).clone(), at }));
                Ok((0..lanes).map(|n| part(load(n))).collect())
            }
            _ if !is_pure(&value) => self.refuse(node, "components of a value that has an effect"),
            _ => {
                let of = |n| ExprKind::Component(Box::new(value.clone()), Member::Lane(n));
                Ok((0..lanes).map(|n| part(of(n))).collect())
            }
        }
    }

    fn is_pointer(&mut self, node: &'a Node) -> bool {
        matches!(self.ty(&bare(node).ty, node), Ok(Type::Pointer(_)))
    }

    pub(super) fn is_vector(&mut self, node: &'a Node) -> bool {
        self.opencl && matches!(self.ty(&node.ty, node), Ok(Type::Vector(..)))
    }

    /// A vector, and which components of it the name behind a dot means.
    pub(super) fn components(&mut self, node: &'a Node) -> Lowered<(Place, Vec<u32>)> {
        let inner = only(self, node)?;
        if &*bare(inner).kind == "ExtVectorElementExpr" {
            // Components of components.
            let (of, outer) = self.components(bare(inner))?;
            let Type::Vector(lane, _) = of.ty.clone() else {
                return self.refuse(node, "component of a value that is no vector");
            };
            let part = Type::Vector(lane, outer.len() as u32);
            let lanes = self.lanes(&part, node)?.into_iter().map(|n| outer[n as usize]);
            return Ok((of, lanes.collect()));
        }
        // Clang's document does not tell `->` from `.` here.
        let of = match self.is_pointer(inner) {
            true => {
                let pointer = self.expr(inner)?;
                self.deref(pointer, node)?
            }
            false => self.place(inner)?,
        };
        let lanes = self.lanes(&of.ty, node)?;
        Ok((of, lanes))
    }

    /// `v.xz = w;` and `v.xz += w;`: the value comes first, and each component is stored once. `false`: it is another
    /// statement.
    pub(super) fn stores_components(
        &mut self,
        node: &'a Node,
        out: &mut Vec<Stmt>,
    ) -> Lowered<bool> {
        let node = bare(node);
        let parts: Vec<&'a Node> = node.parts().collect();
        let [l, r] = parts[..] else { return Ok(false) };
        let op = match (&*node.kind, &*node.opcode) {
            ("BinaryOperator", "=") => None,
            ("CompoundAssignOperator", op) => op.strip_suffix('=').and_then(arithmetic),
            _ => return Ok(false),
        };
        let l = bare(l);
        if &*l.kind != "ExtVectorElementExpr" || !l.ty.text().contains("ext_vector_type") {
            return Ok(false);
        }
        if op.is_none() && &*node.opcode != "=" {
            return self.refuse(node, format!("operator `{}`", node.opcode));
        }
        let value = self.expr(r)?;
        // A number is one of every component.
        let values = match value.ty {
            Type::Vector(..) => self.parts_of(value, r)?,
            _ => vec![value],
        };
        let (of, lanes) = self.components(l)?;
        let Type::Vector(lane, _) = of.ty.clone() else {
            return self.refuse(node, "component of a value that is no vector");
        };
        if !is_repeatable_place(&of) || ![1, lanes.len()].contains(&values.len()) {
            return self.refuse(node, "place of several components");
        }
        let at = self.at(node);
        let mut stmts = Vec::new();
        let mut held = Vec::new();
        for value in values {
            let v = self.variable(r, (*lane).clone(), Storage::Local);
            self.kernel.variables[v.0 as usize].name = "component".to_owned();
            let value = value.converted(&lane, at);
            let value = match op {
                Some(_) => self.amount(&node.opcode, &lane, value),
                None => value,
            };
            let kind = StmtKind::Declare(v, Some(Initial::Value(value)));
            stmts.push(Stmt { kind, at });
            held.push(Place::variable(v, (*lane).clone(), at).value());
        }
        for (n, value) in lanes.into_iter().zip(held.into_iter().cycle()) {
            let kind = PlaceKind::Member(Box::new(of.clone()), Member::Lane(n));
            let place = Box::new(Place { kind, ty: (*lane).clone(), at });
            let (value, computed) = (Box::new(value), (*lane).clone());
            let kind = match op {
                None => ExprKind::Assign(place, value),
                Some(op) => ExprKind::Update { op, place, value, computed },
            };
            let kind = StmtKind::Expr(Expr { kind, ty: (*lane).clone(), at });
            stmts.push(Stmt { kind, at });
        }
        out.push(Stmt { kind: StmtKind::Block(stmts), at });
        Ok(true)
    }

    /// `v.x`, `v.xyz`, as a value.
    pub(super) fn swizzle(&mut self, node: &'a Node) -> Lowered<Expr> {
        let object = only(self, node)?;
        let of_place = self.is_pointer(object) || !is_of_temporary(object);
        let (value, lanes) = match of_place {
            true => {
                let (of, lanes) = self.components(node)?;
                if lanes.len() == 1 {
                    return Ok(self.place(node)?.value());
                }
                (of.value(), lanes)
            }
            false => {
                let value = self.expr(object)?;
                let lanes = self.lanes(&value.ty, node)?;
                (value, lanes)
            }
        };
        let Type::Vector(lane, _) = value.ty.clone() else {
            return self.refuse(node, "component of a value that is no vector");
        };
        let at = self.at(node);
        // What is not chosen is evaluated all the same.
        let parts: Vec<Expr> = match &value.kind {
            ExprKind::List(all) if all.iter().all(is_local) => {
                let all = self.parts_of(value, node)?;
                let none = || Expr::unsupported("component of a vector", at);
                let of = |n: u32| all.get(n as usize).cloned().unwrap_or_else(none);
                lanes.into_iter().map(of).collect()
            }
            ExprKind::Load(place) if is_repeatable_place(place) => {
                let of = |n| PlaceKind::Member(place.clone(), Member::Lane(n));
                let place = |n| Place { kind: of(n), ty: (*lane).clone(), at };
                lanes.into_iter().map(|n| place(n).value()).collect()
            }
            _ if lanes.len() > 1 && !is_pure(&value) => {
                return self.refuse(node, "components of a value that has an effect");
            }
            _ => {
                let of = |n| ExprKind::Component(Box::new(value.clone()), Member::Lane(n));
                let part = |n| Expr { kind: of(n), ty: (*lane).clone(), at };
                lanes.into_iter().map(part).collect()
            }
        };
        if let [part] = &parts[..] {
            return Ok(part.clone());
        }
        let ty = Type::Vector(lane, parts.len() as u32);
        Ok(self.expression(node, ExprKind::List(parts), ty))
    }
}

/// Does a node denote a value that is nowhere, or components of one?
fn is_of_temporary(node: &Node) -> bool {
    let node = bare(node);
    match (&*node.kind, node.parts().next()) {
        ("ExtVectorElementExpr", Some(of)) => is_of_temporary(of),
        _ => is_temporary(node),
    }
}

/// Does computing it do nothing, so that it may be computed again?
fn is_pure(value: &Expr) -> bool {
    let mut nodes = Tree::from(value).subterms();
    nodes.all(|node| match node {
        Tree::Expr(Expr { kind: ExprKind::Device(name, _), .. }) => {
            Device::of(name.as_str()).is_some_and(Device::is_pure)
        }
        Tree::Expr(e) => !matches!(
            e.kind,
            ExprKind::Assign(..)
                | ExprKind::Update { .. }
                | ExprKind::Step { .. }
                | ExprKind::Call { .. }
        ),
        _ => true,
    })
}

/// Is the place the same where it is named again?
fn is_repeatable_place(place: &Place) -> bool {
    is_repeatable(&place.clone().value())
}
