//! Expressions of a file's host code, for what it says of its own launches.

use super::Resolver;
use crate::unit::{Unit, part};
use babycuda_kernel::{Expr, Kernel, Storage, Type, Var};
use tree_sitter::Node;

/// The names of host code. Whatever is not understood is nothing.
pub(crate) struct Host<'t> {
    resolver: Resolver<'t>,
}

/// What a declarator of host code declares.
pub(crate) struct HostVariable<'t> {
    /// Its name.
    pub(crate) name: Node<'t>,
    /// Its type; `None`: one that is not understood, or `auto`.
    pub(crate) ty: Option<Type>,
    /// Is it a reference?
    pub(crate) reference: bool,
}

impl<'t> Host<'t> {
    /// The names of the file; without its variables and constants where `members` may hide them.
    pub(crate) fn new(unit: &'t Unit<'t>, members: bool) -> Self {
        let mut resolver = Resolver::new(unit);
        // A name that nobody declares is not assumed to be a constant.
        resolver.assuming = true;
        if !members {
            resolver.globals();
        }
        Host { resolver }
    }

    /// Opens a scope.
    pub(crate) fn enter(&mut self) {
        self.resolver.scopes.push(Default::default());
    }

    /// What a declarator of a declaration or parameter declares.
    pub(crate) fn declared(
        &mut self,
        declaration: Node<'t>,
        declarator: Node<'t>,
    ) -> Option<HostVariable<'t>> {
        let base = self.resolver.declared_base(declaration).ok().flatten();
        let known = base.clone().unwrap_or(Type::Void);
        let declared = self.resolver.declarator(known, Some(declarator)).ok()?;
        let ty = base.map(|_| declared.ty.decayed());
        Some(HostVariable { name: declared.name?, ty, reference: declared.reference })
    }

    /// The type of a declaration.
    pub(crate) fn base(&mut self, declaration: Node<'t>) -> Option<Type> {
        part(declaration, "type")?;
        self.resolver.declared_base(declaration).ok().flatten()
    }

    /// A new variable, which the name means from now on.
    pub(crate) fn declare(&mut self, name: Node<'t>, ty: Type) -> Var {
        self.resolver.declare(name, ty, Storage::Local, false)
    }

    /// The variable that a name means here.
    pub(crate) fn variable(&self, name: &str) -> Option<Var> {
        match self.resolver.lookup(name)? {
            super::Entity::Variable(v) => Some(*v),
            _ => None,
        }
    }

    /// The value of an expression.
    pub(crate) fn expr(&mut self, node: Node<'t>) -> Option<Expr> {
        self.resolver.expr(node).ok()
    }

    /// The same as a truth value.
    pub(crate) fn condition(&mut self, node: Node<'t>) -> Option<Expr> {
        self.resolver.condition(node).ok()
    }

    /// What a constant of the file holds, by its pattern.
    pub(crate) fn constant(&self, v: Var) -> Option<u64> {
        self.resolver.known.get(&v).copied()
    }

    /// Functions and variables that were met.
    pub(crate) fn kernel(&self) -> &Kernel {
        &self.resolver.kernel
    }
}
