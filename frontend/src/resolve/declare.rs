//! Declarations inside of functions, and `typedef`s.

use super::calls::is_uint3;
use super::types::{has_pointer, has_reference, operand};
use super::{Entity, Resolved, Resolver};
use crate::error::refuse;
use crate::unit::{children, field, has_qualifier, part, walk};
use babycuda_kernel::{Expr, ExprKind, Initial, Place, Stmt, StmtKind, Storage, Type, Var};
use tree_sitter::Node;

/// What is said before the declarators.
#[derive(Clone, Copy)]
struct Said {
    shared: bool,
    dynamic: bool,
    /// `const` or `constexpr`
    constant: bool,
    volatile: bool,
}

impl<'t> Resolver<'t> {
    /// Does a node carry a qualifier or a storage class?
    pub(super) fn has(&self, node: Node<'t>, qualifier: &str) -> bool {
        has_qualifier(node, self.unit.text, qualifier)
    }

    /// A declaration statement: a statement for each variable.
    pub(super) fn declaration(&mut self, node: Node<'t>, out: &mut Vec<Stmt>) -> Resolved<()> {
        let said = Said {
            shared: self.has(node, "__shared__"),
            dynamic: self.has(node, "extern"),
            constant: self.has(node, "const") || self.has(node, "constexpr"),
            volatile: self.has(node, "volatile"),
        };
        if self.has(node, "static") && !said.shared && !said.constant {
            return refuse(node, "static local variable");
        }
        for declarator in field(node, "declarator") {
            self.no_statement(node, declarator)?;
            self.not_of_itself(declarator)?;
        }
        let base = self.declared_base(node)?;
        for declarator in field(node, "declarator") {
            let (v, initial) = match said.shared {
                true => (self.shared(base.clone(), declarator, said, node)?, None),
                false => self.local(base.clone(), declarator, said, node)?,
            };
            out.push(self.statement(node, StmtKind::Declare(v, initial)));
        }
        Ok(())
    }

    /// Refuses an initializer that names the variable: it means the new one, which has no value
    /// ([basic.scope.pdecl] of C++), and not one that was declared before.
    fn not_of_itself(&self, declarator: Node<'t>) -> Resolved<()> {
        let (Some(declared), Some(value)) =
            (part(declarator, "declarator"), part(declarator, "value"))
        else {
            return Ok(());
        };
        let name = walk(declared, |n, _| (n.kind() == "identifier").then(|| self.text(n)));
        let own = |n: Node<'t>, _: Option<&str>| {
            let named = matches!(n.kind(), "identifier" | "type_identifier");
            (named && Some(self.text(n)) == name).then_some(n)
        };
        match walk(value, own) {
            Some(own) => refuse(own, format!("`{}` in its own initializer", self.text(own))),
            None => Ok(()),
        }
    }

    /// One declarator of a local variable.
    fn local(
        &mut self,
        base: Option<Type>,
        declarator: Node<'t>,
        said: Said,
        node: Node<'t>,
    ) -> Resolved<(Var, Option<Initial>)> {
        let initializer = part(declarator, "value");
        if has_reference(declarator) {
            return self.reference(base, declarator, node);
        }
        let deduced = base.is_none();
        let known = base.clone().unwrap_or(Type::Void);
        // The type is needed for the initializer, and that for `auto`.
        let ty = match deduced {
            false => Some(self.declarator(known, Some(declarator))?.ty),
            true => None,
        };
        let mut value = initializer.map(|i| self.initial(i, ty.as_ref())).transpose()?;
        // Of an object of this class, its constructor says what it holds.
        let is_dim3 = part(node, "type").is_some_and(|name| self.text(name) == "dim3");
        if let (true, None, Some(ty)) = (is_dim3, &value, ty.as_ref().filter(|ty| is_uint3(ty))) {
            value = Some(self.dim3(&[], ty, declarator)?);
        }
        let base = match (base, &value) {
            (Some(base), _) => base,
            (None, Some(value)) => match (&value.kind, &value.ty) {
                (ExprKind::Null | ExprKind::String, _) | (_, Type::Void) => {
                    return refuse(declarator, "auto");
                }
                (_, Type::Pointer(pointee)) if has_pointer(declarator) => pointee.as_ref().clone(),
                (_, ty) => ty.clone(),
            },
            (None, None) => return refuse(declarator, "auto without an initializer"),
        };
        let declared = self.declarator(base, Some(declarator))?;
        let Some(name) = declared.name else {
            return refuse(declarator, "declaration without a name");
        };
        let ty = completed(declared.ty, value.as_ref());
        let value = match value {
            Some(value) if !matches!(ty, Type::Array(..)) => {
                Some(value.converted(&ty, self.at(declarator)))
            }
            Some(Expr {
                kind: ExprKind::List(_) | ExprKind::String | ExprKind::Unsupported(_),
                ..
            })
            | None => value.map(|value| Expr { ty: ty.clone(), ..value }),
            Some(_) => return refuse(declarator, "initializer of an array"),
        };
        let v = self.declare(name, ty, Storage::Local, said.constant);
        if said.constant
            && let Some(bits) = value.as_ref().and_then(|value| self.constant(value))
        {
            self.known.insert(v, bits);
        }
        Ok((v, value.map(Initial::Value)))
    }

    /// One declarator of a reference.
    fn reference(
        &mut self,
        base: Option<Type>,
        declarator: Node<'t>,
        node: Node<'t>,
    ) -> Resolved<(Var, Option<Initial>)> {
        let deduced = base.is_none();
        let declared = self.declarator(base.unwrap_or(Type::Void), Some(declarator))?;
        let (Some(name), Some(initializer)) = (declared.name, part(declarator, "value")) else {
            return refuse(declarator, "reference without an initializer");
        };
        let place = self.place(initializer)?;
        if !deduced && !self.binds(node, &declared.ty, &place) {
            return refuse(declarator, "reference to an object of another type");
        }
        let ty = if deduced { place.ty.clone() } else { declared.ty };
        let v = self.declare(name, ty, Storage::Reference, false);
        Ok((v, Some(Initial::Place(place))))
    }

    /// Does the reference to objects of type `ty` that `node` declares bind the place itself? One
    /// to constants of another type binds a copy.
    pub(super) fn binds(&self, node: Node<'t>, ty: &Type, place: &Place) -> bool {
        let converts = |t: &Type| matches!(t, Type::Int(_) | Type::Bool | Type::Group(_));
        let differs = (converts(ty) || converts(&place.ty)) && *ty != place.ty;
        !(differs && self.has(node, "const"))
    }

    /// A new variable, which its name means from now on.
    pub(super) fn declare(
        &mut self,
        name: Node<'t>,
        ty: Type,
        storage: Storage,
        constant: bool,
    ) -> Var {
        let text = self.text(name);
        let v = self.variable(text, ty, storage, name);
        self.variable_of(v).constant |= constant;
        self.bind(text, Entity::Variable(v));
        v
    }

    /// The value of an initializer: `= e`, `(e)`, `{e}`, or of several values; `ty`: of what type, if that
    /// is not `auto`.
    pub(super) fn initial(&mut self, node: Node<'t>, ty: Option<&Type>) -> Resolved<Expr> {
        if !matches!(node.kind(), "argument_list" | "initializer_list") {
            return self.expr(node);
        }
        let array = matches!(ty, Some(Type::Array(..)));
        let items = children(node);
        match (&items[..], ty) {
            (args, Some(ty)) if node.kind() == "argument_list" && is_uint3(ty) => {
                self.dim3(args, ty, node)
            }
            ([only], _) if only.kind() != "initializer_list" && !array => self.expr(*only),
            (_, Some(ty)) => self.list(node, ty),
            (_, None) => self.expr(node),
        }
    }

    /// One declarator of a `__shared__` declaration.
    fn shared(
        &mut self,
        base: Option<Type>,
        declarator: Node<'t>,
        said: Said,
        node: Node<'t>,
    ) -> Resolved<Var> {
        let Some(base) = base else {
            return refuse(node, "shared array of type auto");
        };
        if part(declarator, "value").is_some() {
            return refuse(declarator, "initializer of a shared variable");
        }
        let declared = self.declarator(base, Some(declarator))?;
        let Some(name) = declared.name else {
            return refuse(declarator, "declaration without a name");
        };
        // It is one, whatever references the function was resolved for.
        let one = |(id, template, _): &&_| (id, template) == (&declarator.id(), &self.template);
        if let Some((.., v)) = self.shared.iter().find(one) {
            let v = *v;
            self.bind(self.text(name), Entity::Variable(v));
            return Ok(v);
        }
        let storage = if said.dynamic { Storage::Dynamic } else { Storage::Shared };
        let v = self.declare(name, declared.ty, storage, false);
        self.variable_of(v).volatile = said.volatile;
        self.shared.push((declarator.id(), self.template.clone(), v));
        Ok(v)
    }

    /// `typedef` and `using`.
    pub(super) fn type_alias(&mut self, node: Node<'t>) -> Resolved<()> {
        let type_node = operand(node, "type")?;
        if node.kind() == "alias_declaration" {
            let ty = self.descriptor(type_node)?;
            if let (Some(name), Some(ty)) = (part(node, "name"), ty) {
                self.bind(self.text(name), Entity::Type(ty));
            }
            return Ok(());
        }
        if let Some(base) = self.specifier(type_node)? {
            for declarator in field(node, "declarator") {
                // An alias of a type that is not followed becomes an error where it is used.
                if let Ok(declared) = self.declarator(base.clone(), Some(declarator))
                    && let Some(name) = declared.name
                {
                    self.bind(self.text(name), Entity::Type(declared.ty));
                }
            }
        }
        Ok(())
    }
}

/// The type of an array without an extent that a list initializes: it has as many elements as that.
pub(super) fn completed(ty: Type, value: Option<&Expr>) -> Type {
    match (ty, value.map(|value| &value.kind)) {
        (Type::Array(element, None), Some(ExprKind::List(values))) => {
            let rows = values.iter().filter(|v| matches!(v.kind, ExprKind::List(_))).count();
            let row = match &*element {
                Type::Array(..) if rows < values.len() => None,
                _ => Some(values.len() as u64),
            };
            let at = babycuda_kernel::At(0);
            let size = Type::Int(babycuda_core::IntType::U64);
            let extent = row.map(|row| Box::new(Expr::int(size, row, at)));
            Type::Array(element, extent)
        }
        (ty, _) => ty,
    }
}
