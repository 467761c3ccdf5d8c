//! Places: what can be assigned to, or bound to a reference.

use super::expr::{only, spoken};
use super::{Bound, Lowered, Translator, bare};
use crate::document::Node;
use babycuda_kernel::{Expr, ExprKind, Initial, Member, Place, PlaceKind, Type};

impl<'a> Translator<'a> {
    /// The place that an expression denotes.
    pub(super) fn place(&mut self, node: &'a Node) -> Lowered<Place> {
        self.nested(node, |s| s.place_of(node))
    }

    /// The place that a node's only part denotes.
    fn place_in(&mut self, node: &'a Node) -> Lowered<Place> {
        let inner = only(self, node)?;
        self.place(inner)
    }

    fn place_of(&mut self, node: &'a Node) -> Lowered<Place> {
        let node = bare(node);
        let at = self.at(node);
        match &*node.kind {
            "DeclRefExpr" => self.named_place(node),
            "ArraySubscriptExpr" => {
                let parts: Vec<&Node> = node.parts().collect();
                let [base, index] = parts[..] else { return self.refuse(node, "subscript") };
                let (l, r) = (self.expr(base)?, self.expr(index)?);
                let (pointer, index) =
                    if matches!(l.ty, Type::Pointer(_)) { (l, r) } else { (r, l) };
                match pointer.ty.clone() {
                    Type::Pointer(ty) => {
                        let kind = PlaceKind::Index(Box::new([pointer, index]));
                        Ok(Place { kind, ty: *ty, at })
                    }
                    _ => self.refuse(node, "subscript of a value that is no array"),
                }
            }
            "UnaryOperator" if &*node.opcode == "*" => {
                let pointer = self.expr_in(node)?;
                self.deref(pointer, node)
            }
            "UnaryOperator" if &*node.opcode == "__extension__" => self.place_in(node),
            "MemberExpr" => self.member_place(node),
            "ExtVectorElementExpr" => {
                let (of, lanes) = self.components(node)?;
                match (&lanes[..], &of.ty) {
                    ([lane], Type::Vector(ty, _)) => {
                        let ty = (**ty).clone();
                        let kind = PlaceKind::Member(Box::new(of), Member::Lane(*lane));
                        Ok(Place { kind, ty, at })
                    }
                    _ => self.refuse(node, "place of several components"),
                }
            }
            "ImplicitCastExpr"
            | "CStyleCastExpr"
            | "CXXStaticCastExpr"
            | "CXXConstCastExpr"
            | "CXXReinterpretCastExpr"
            | "CXXFunctionalCastExpr" => self.cast_place(node),
            "ConditionalOperator" => {
                let parts: Vec<&Node> = node.parts().collect();
                let [c, x, y] = parts[..] else { return self.refuse(node, "conditional") };
                let c = self.condition(c)?;
                let (px, py) = (self.place(x)?, self.place(y)?);
                let (x, y) = (self.address(px, x), self.address(py, y));
                if x.ty != y.ty {
                    return self.refuse(node, "choice between places of two types");
                }
                let ty = x.ty.clone();
                let kind = ExprKind::Conditional(Box::new([c, x, y]));
                let pointer = self.expression(node, kind, ty);
                self.deref(pointer, node)
            }
            "CallExpr" | "CXXMemberCallExpr" | "CXXOperatorCallExpr" => {
                let call = self.call_place(node)?;
                match call {
                    Initial::Place(place) => Ok(place),
                    Initial::Value(_) => self.refuse(node, "value in the place of a variable"),
                }
            }
            "CXXThisExpr" | "MaterializeTemporaryExpr" => {
                self.refuse(node, "value in the place of a variable")
            }
            other => self.refuse(node, format!("access to the value of a {}", spoken(other))),
        }
    }

    /// `*pointer`
    pub(super) fn deref(&mut self, pointer: Expr, node: &Node) -> Lowered<Place> {
        let at = self.at(node);
        match (pointer.ty.clone(), pointer.kind) {
            (_, ExprKind::AddressOf(place)) => Ok(*place),
            (Type::Pointer(ty), kind) => {
                let pointer = Expr { kind, ..pointer };
                Ok(Place { kind: PlaceKind::Deref(Box::new(pointer)), ty: *ty, at })
            }
            _ => self.refuse(node, "`*` on a value that is no pointer"),
        }
    }

    fn named_place(&mut self, node: &'a Node) -> Lowered<Place> {
        let Some(declared) = &node.referenced_decl else {
            return self.refuse(node, "name of nothing");
        };
        let at = self.at(node);
        if let Some(component) = self.bindings.get(&*declared.id).copied() {
            return self.place(component);
        }
        if let Some(bound) = self.variables.get(&*declared.id).cloned() {
            return match (bound, self.this) {
                (Bound::Variable(v), _) => Ok(Place::variable(v, self.kernel[v].ty.clone(), at)),
                (Bound::Captured(field, reference), Some(this)) => self.captured(
                    Place::variable(this, self.kernel[this].ty.clone(), at),
                    field,
                    reference,
                    node,
                ),
                (Bound::Captured(..), None) => self.refuse(node, "captured variable"),
            };
        }
        let Some(declaration) = self.index.get(&declared.id) else {
            return self.refuse(node, format!("name `{}`", declared.name));
        };
        let v = self.global(declaration, node)?;
        Ok(Place::variable(v, self.kernel[v].ty.clone(), at))
    }

    /// What a closure has captured in a field.
    pub(super) fn captured(
        &mut self,
        closure: Place,
        field: usize,
        reference: bool,
        node: &Node,
    ) -> Lowered<Place> {
        let at = self.at(node);
        let ty = match &closure.ty {
            Type::Record(id) => self.kernel[*id].fields.get(field).map(|f| f.ty.clone()),
            _ => None,
        };
        let Some(ty) = ty else { return self.refuse(node, "captured variable") };
        let kind = PlaceKind::Member(Box::new(closure), Member::Field(field));
        let place = Place { kind, ty, at };
        match reference {
            true => self.deref(place.value(), node),
            false => Ok(place),
        }
    }

    fn member_place(&mut self, node: &'a Node) -> Lowered<Place> {
        let at = self.at(node);
        let member = self.index.get(&node.referenced_member_decl);
        if let Some(variable) = member.filter(|d| &*d.kind == "VarDecl") {
            let v = self.global(variable, node)?;
            return Ok(Place::variable(v, self.kernel[v].ty.clone(), at));
        }
        let object = only(self, node)?;
        if self.launch_of(object).is_some() {
            return self.refuse(node, "place of what the launch says");
        }
        let of = match node.is_arrow {
            true => {
                let pointer = self.expr(object)?;
                self.deref(pointer, object)?
            }
            false => self.place(object)?,
        };
        let (member_of, ty) = self.component(&of.ty, node)?;
        let place = Place { kind: PlaceKind::Member(Box::new(of), member_of), ty, at };
        // A field of a reference type holds a pointer.
        match member.map(|d| self.written(&d.ty, node)).transpose()? {
            Some(written) if written.reference => self.deref(place.value(), node),
            _ => Ok(place),
        }
    }

    fn cast_place(&mut self, node: &'a Node) -> Lowered<Place> {
        let inner = only(self, node)?;
        match &*node.cast_kind {
            // The place of a derived object has the fields of its base at the same bytes.
            "NoOp" | "DerivedToBase" | "UncheckedDerivedToBase" => self.place(inner),
            "LValueBitCast" => {
                let ty = self.ty(&node.ty, node)?.pointer();
                let place = self.place(inner)?;
                let at = self.at(node);
                let pointer = self.address(place, inner).converted(&ty, at);
                self.deref(pointer, node)
            }
            _ => self.refuse(node, "value in the place of a variable"),
        }
    }

    /// The components that a name like `xyz` or `s03` means.
    pub(super) fn lanes(&mut self, of: &Type, node: &Node) -> Lowered<Vec<u32>> {
        let count = match of {
            Type::Vector(_, lanes) => *lanes,
            _ => 0,
        };
        // Clang's document does not say it: its last token does.
        let [_, end] = &node.place;
        let token = end.spelled.as_ref().or(end.token.as_ref());
        let token = token.filter(|token| &*token.file == crate::diagnostics::MAIN);
        let name = token.and_then(|token| self.source.text.get(token.start..token.end));
        let name = name.unwrap_or_default();
        let numbered = name.strip_prefix(['s', 'S']);
        // Of three, the half that a fourth one would be in is none: nothing is known of that one.
        let whole = count.next_power_of_two();
        let half = |take: &dyn Fn(u32) -> bool| Some((0..whole).filter(|n| take(*n)).collect());
        let found: Option<Vec<u32>> = match name {
            "lo" => half(&|n| n < whole / 2),
            "hi" => half(&|n| n >= whole / 2),
            "even" => half(&|n| n % 2 == 0),
            "odd" => half(&|n| n % 2 == 1),
            _ => match numbered {
                Some(digits) => digits.chars().map(|c| c.to_digit(16)).collect(),
                None => name.chars().map(|c| "xyzw".find(c).map(|n| n as u32)).collect(),
            },
        };
        match found.filter(|lanes| !lanes.is_empty() && lanes.iter().all(|n| *n < count)) {
            Some(lanes) => Ok(lanes),
            None => self.refuse(node, format!("component `{name}` of a vector")),
        }
    }
}
