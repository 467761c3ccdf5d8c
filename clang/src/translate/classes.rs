//! Objects: construction, closures.

use super::functions::Returns;
use super::{Bound, Lowered, Translator, bare};
use crate::document::Node;
use crate::index::Index;
use babycuda_core::IntType;
use babycuda_kernel::{
    Expr, ExprKind, Initial, Member, Place, PlaceKind, Stmt, StmtKind, Storage, Type,
};

impl<'a> Translator<'a> {
    /// An object that a constructor makes.
    pub(super) fn construct(&mut self, node: &'a Node) -> Lowered<Expr> {
        let ty = self.ty(&node.ty, node)?;
        let arguments: Vec<&'a Node> = node.parts().collect();
        let written: Vec<&'a Node> =
            arguments.iter().copied().filter(|n| &*n.kind != "CXXDefaultArgExpr").collect();
        match (&ty, &written[..]) {
            (Type::Vector(..) | Type::Group(_) | Type::Opaque(_) | Type::Float(_), [value])
                if self.of_type(value, &ty) =>
            {
                return self.value_of(value);
            }
            (Type::Vector(lane, 3), values) if **lane == Type::Int(IntType::U32) => {
                let mut parts = Vec::new();
                for value in values {
                    parts.push(self.value_of(value)?);
                }
                while parts.len() < 3 {
                    parts.push(self.number(node, (**lane).clone(), 1));
                }
                return Ok(self.expression(node, ExprKind::List(parts), ty));
            }
            (Type::Float(_), [value]) => {
                let at = self.at(node);
                return Ok(self.value_of(value)?.converted(&ty, at));
            }
            (Type::Vector(..) | Type::Group(_) | Type::Opaque(_) | Type::Float(_), []) => {
                return Ok(self.expression(node, ExprKind::List(Vec::new()), ty));
            }
            (Type::Record(_), _) => {}
            _ => return self.refuse(node, "object of a class that is not known"),
        }
        let Some(class) = self.class(&ty) else { return self.refuse(node, "object") };
        let constructor = class_functions(class).find(|f| {
            &*f.kind == "CXXConstructorDecl" && f.ty.written() == node.ctor_type.written()
        });
        let constructor = constructor.and_then(|f| self.index.definition(&f.id));
        match (constructor, &written[..]) {
            (Some(f), _) if f.body().is_some() && !f.is_implicit => {
                let arguments = self.arguments(f, &arguments, node)?;
                self.call_of(f, None, arguments, node)
            }
            (_, [value]) if self.of_type(value, &ty) && trivial(class, "copyCtor") => {
                self.value_of(value)
            }
            (_, [value]) if self.of_type(value, &ty) && trivial(class, "moveCtor") => {
                self.value_of(value)
            }
            (_, []) if trivial(class, "defaultCtor") => {
                Ok(self.expression(node, ExprKind::List(Vec::new()), ty))
            }
            _ => self.refuse(node, format!("construction of a `{}`", class.name)),
        }
    }

    /// Does the constructor only leave the object as it is?
    pub(super) fn constructs_nothing(&mut self, node: &'a Node) -> bool {
        let node = bare(node);
        if &*node.kind != "CXXConstructExpr" || node.parts().next().is_some() {
            return false;
        }
        let Ok(ty) = self.ty(&node.ty, node) else { return false };
        match ty.innermost() {
            Type::Vector(..) | Type::Group(_) | Type::Opaque(_) | Type::Float(_) => true,
            ty => self.class(ty).is_some_and(|class| trivial(class, "defaultCtor")),
        }
    }

    fn of_type(&mut self, node: &'a Node, ty: &Type) -> bool {
        self.ty(&node.ty, node).is_ok_and(|other| other == *ty)
    }

    /// The declaration of a record's class.
    fn class(&self, ty: &Type) -> Option<&'a Node> {
        let Type::Record(id) = ty else { return None };
        let (declared, _) = self.records.iter().find(|(_, known)| known == id)?;
        self.index.definition(declared)
    }

    /// What a constructor does before its body.
    pub(super) fn construction(&mut self, node: &'a Node) -> Lowered<Vec<Stmt>> {
        let Some(class) = self.index.class_of(node) else {
            return self.refuse(node, "constructor of no class");
        };
        let ty = self.record(class, node)?;
        let v = self.variable(node, ty.clone(), Storage::Local);
        self.kernel.variables[v.0 as usize].name = "self".into();
        self.this = Some(v);
        self.returns = Returns::Object(v, ty.clone());
        let at = self.at(node);
        let mut stmts = vec![Stmt { kind: StmtKind::Declare(v, None), at }];
        for initial in node.inner.iter().filter(|n| &*n.kind == "CXXCtorInitializer") {
            let Some(value) = initial.parts().next() else { continue };
            let Some(field) = &initial.any_init else {
                if self.constructs_nothing(value) {
                    continue;
                }
                let stmt = self.base(value, Place::variable(v, ty.clone(), at))?;
                stmts.push(stmt);
                continue;
            };
            if self.constructs_nothing(value) {
                continue;
            }
            let value = match &*value.kind {
                "CXXDefaultInitExpr" => self.default_of(&field.id, initial)?,
                _ => value,
            };
            let Type::Record(id) = ty else { return self.refuse(node, "constructor") };
            let number = self.fields[id.0 as usize].iter().position(|f| **f == *field.id);
            let Some(number) = number else { return self.refuse(initial, "constructor of a base") };
            let of_field = self.kernel[id].fields[number].ty.clone();
            let at = self.at(value);
            if matches!(of_field, Type::Array(..)) {
                return self.refuse(initial, "array in a constructor");
            }
            let declared = self.index.get(&field.id);
            let reference = declared
                .map(|d| self.written(&d.ty, initial))
                .transpose()?
                .is_some_and(|w| w.reference);
            let value = match reference {
                true => {
                    let place = self.place(value)?;
                    self.address(place, initial)
                }
                false => self.expr(value)?.converted(&of_field, at),
            };
            let object = Place::variable(v, ty.clone(), at);
            let kind = PlaceKind::Member(Box::new(object), Member::Field(number));
            let place = Box::new(Place { kind, ty: of_field.clone(), at });
            let kind = ExprKind::Assign(place, Box::new(value));
            let store = Expr { kind, ty: of_field, at };
            stmts.push(Stmt { kind: StmtKind::Expr(store), at });
        }
        Ok(stmts)
    }

    /// What a field holds where nothing else is said.
    pub(super) fn default_of(&mut self, field: &str, node: &Node) -> Lowered<&'a Node> {
        match self.index.get(field).and_then(|field| field.parts().next_back()) {
            Some(value) => Ok(value),
            None => self.refuse(node, "default of a field"),
        }
    }

    /// What a constructor does for a base of the object, or for all of it: its fields are the object's first.
    fn base(&mut self, value: &'a Node, object: Place) -> Lowered<Stmt> {
        let at = self.at(value);
        let value_of = self.expr(value)?;
        let ty = value_of.ty.clone();
        let Type::Record(_) = ty else { return self.refuse(value, "constructor of a base") };
        let pointer = self.address(object, value).converted(&ty.clone().pointer(), at);
        let place = Box::new(self.deref(pointer, value)?);
        let kind = ExprKind::Assign(place, Box::new(value_of));
        Ok(Stmt { kind: StmtKind::Expr(Expr { kind, ty, at }), at })
    }

    /// Does the destructor of a class do nothing to the object but what those of its bases and fields do?
    pub(super) fn is_left_alone(&self, class: &'a Node) -> bool {
        let own = class.inner.iter().find(|n| &*n.kind == "CXXDestructorDecl" && !n.is_implicit);
        let Some(own) = own else { return true };
        let body = self.index.definition(&own.id).unwrap_or(own).body();
        trivial(class, "dtor") || body.is_some_and(|body| body.parts().next().is_none())
    }

    /// The name by which the body of a lambda knows what it captures.
    pub(super) fn captured_name(&self, lambda: &'a Node, number: usize) -> Option<&'a str> {
        let value = Index::captures(lambda).nth(number)?;
        self.named_capture(lambda, value).or_else(|| {
            let mut value = value;
            while value.referenced_decl.is_none() {
                value = value.parts().next_back()?;
            }
            value.referenced_decl.as_ref().map(|declared| &*declared.name)
        })
    }

    /// The name that a capture gives its value, `p` of `[p = a + 1]`. Clang's document does not have it, but the text does.
    pub(super) fn named_capture(&self, lambda: &Node, value: &Node) -> Option<&'a str> {
        let (first, value) = (lambda.place[0].token.as_ref()?, value.place[0].token.as_ref()?);
        let text = self.source.text_of(&first.file).filter(|_| first.file == value.file)?;
        let before = text.get(first.start..value.start)?;
        let count = |c: char| before.matches(c).count();
        // What stands in the list, and nothing that may hide its end.
        let plain = !before.contains(['"', '\'', '#', '\\', ';', '{'])
            && !before.contains("//")
            && !before.contains("/*");
        let inside = before.starts_with('[') && count('[') == count(']') + 1;
        let before = before.trim_end().strip_suffix('=').filter(|_| plain && inside)?.trim_end();
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let rest = before.trim_end_matches(word);
        let around = rest.trim_end().trim_end_matches('&').trim_end();
        let name = &before[rest.len()..];
        (around.ends_with(['[', ',']) && !name.is_empty()).then_some(name)
    }

    /// A lambda: an object of what it captures.
    pub(super) fn closure(&mut self, node: &'a Node) -> Lowered<Expr> {
        let Some(class) = node.child("CXXRecordDecl") else { return self.refuse(node, "lambda") };
        let class = self.index.definition(&class.id).unwrap_or(class);
        let ty = self.record(class, node)?;
        let captured = Index::captured(node);
        let values: Vec<&'a Node> = Index::captures(node).collect();
        if captured.len() != values.len() {
            return self.refuse(node, "lambda that captures what is not known");
        }
        let mut parts = Vec::new();
        for (value, (_, reference)) in values.into_iter().zip(captured) {
            parts.push(match reference {
                true => {
                    let place = self.place(value)?;
                    self.address(place, value)
                }
                false => self.value_of(value)?,
            });
        }
        Ok(self.expression(node, ExprKind::List(parts), ty))
    }

    /// Binds a variable of a function.
    pub(super) fn bind(
        &mut self,
        node: &'a Node,
        ty: Type,
        initial: &Option<Initial>,
    ) -> babycuda_kernel::Var {
        let storage = match initial {
            Some(Initial::Place(_)) => Storage::Reference,
            _ => Storage::Local,
        };
        let v = self.variable(node, ty, storage);
        self.variables.insert(&node.id, Bound::Variable(v));
        v
    }
}

/// The functions of a class, instances of templates, too.
fn class_functions(class: &Node) -> impl Iterator<Item = &Node> {
    class.inner.iter().flat_map(|n| match &*n.kind {
        "FunctionTemplateDecl" => n.inner.iter().collect::<Vec<_>>(),
        _ => vec![n],
    })
}

/// Does clang say that this function of a class does nothing but copy, or nothing?
pub(super) fn trivial(class: &Node, which: &str) -> bool {
    let data = class.definition_data.as_ref().and_then(|data| data.get(which));
    data.and_then(|data| data.get("trivial")).is_some_and(|t| *t == serde_json::Value::Bool(true))
}
