//! Declarations of variables.

use super::calls::is_temporary;
use super::{Lowered, Translator, bare};
use crate::document::Node;
use crate::folder::ASSUMED;
use babycuda_core::IntType;
use babycuda_kernel::{Expr, ExprKind, Initial, Stmt, StmtKind, Storage, Type, Var};
use std::path::Path;

impl<'a> Translator<'a> {
    /// A declaration statement: a statement for each variable.
    pub(super) fn declaration(&mut self, node: &'a Node, out: &mut Vec<Stmt>) -> Lowered<()> {
        for declared in node.inner.iter() {
            match &*declared.kind {
                "VarDecl" => {
                    let stmt = self.local(declared, node)?;
                    out.extend(stmt);
                }
                "DecompositionDecl" => {
                    let stmt = self.local(declared, node)?;
                    out.extend(stmt);
                    for name in declared.parts().filter(|n| &*n.kind == "BindingDecl") {
                        if let Some(component) = name.parts().next() {
                            self.bindings.insert(&name.id, component);
                        }
                    }
                }
                "TypedefDecl" | "TypeAliasDecl" | "CXXRecordDecl" | "RecordDecl" | "EnumDecl"
                | "StaticAssertDecl" | "UsingDecl" | "UsingDirectiveDecl"
                | "NamespaceAliasDecl" | "EmptyDecl" | "UsingEnumDecl" => {}
                kind if kind.is_empty() || kind.ends_with("Attr") => {}
                other => return self.refuse(declared, super::expr::spoken(other)),
            }
        }
        Ok(())
    }

    /// One variable of a function.
    fn local(&mut self, node: &'a Node, around: &'a Node) -> Lowered<Option<Stmt>> {
        if node.is_invalid {
            return self.refuse(node, "what clang rejects");
        }
        let storage = self.said(node);
        let of_file = &*node.storage_class == "extern" && storage == Storage::File;
        let at = self.at(around);
        if matches!(storage, Storage::Shared | Storage::Dynamic) {
            let written = self.written(&node.ty, node)?;
            if let Some(initial) = self.initializer(node)
                && !self.constructs_nothing(initial)
            {
                return self.refuse(node, "initializer of a shared variable");
            }
            // It is one in all calls of its function, whatever they pass.
            let v = match self.globals.get(&*node.id) {
                Some(v) => *v,
                None => self.variable(node, written.ty, storage),
            };
            self.globals.insert(&node.id, v);
            self.kernel.variables[v.0 as usize].volatile = written.volatile;
            self.variables.insert(&node.id, super::Bound::Variable(v));
            return Ok(Some(Stmt { kind: StmtKind::Declare(v, None), at }));
        }
        if storage != Storage::File || of_file {
            return self.refuse(node, "device variable that is declared in a function");
        }
        let initial = self.initializer(node);
        // A closure's type is the one of its expression.
        let written = self.written(&node.ty, node)?;
        if &*node.storage_class == "static" && !written.constant {
            return self.refuse(node, "static local variable");
        }
        let value = match initial {
            None => None,
            Some(value) if written.reference => Some(self.bound(value, written.constant)?),
            Some(value) if self.constructs_nothing(value) => None,
            Some(value) => {
                let at = self.at(value);
                let value = self.expr(value)?;
                let array = matches!(written.ty, Type::Array(..));
                Some(Initial::Value(if array { value } else { value.converted(&written.ty, at) }))
            }
        };
        if written.reference && value.is_none() {
            return self.refuse(node, "reference without an initializer");
        }
        let v = self.bind(node, written.ty, &value);
        let variable = &mut self.kernel.variables[v.0 as usize];
        (variable.constant, variable.volatile) = (written.constant, written.volatile);
        if let (true, Some(Initial::Value(value))) = (written.constant, &value)
            && let Some(bits) = self.constant(value)
        {
            self.known.insert(v, bits);
        }
        Ok(Some(Stmt { kind: StmtKind::Declare(v, value), at }))
    }

    /// The pattern of a constant expression.
    fn constant(&self, expr: &Expr) -> Option<u64> {
        babycuda_kernel::constant(expr, &|v| self.known.get(&v).copied())
    }

    /// The expression as a literal where it is a constant.
    pub(super) fn folded(&self, expr: Expr) -> Expr {
        match self.constant(&expr) {
            Some(bits) => Expr { kind: ExprKind::Int(bits), ..expr },
            None => expr,
        }
    }

    fn initializer(&self, node: &'a Node) -> Option<&'a Node> {
        let written = |n: &&Node| &*n.kind != "BindingDecl";
        if node.init.is_empty() { None } else { node.parts().rfind(written) }
    }

    /// Where a variable is said to live.
    fn said(&self, node: &Node) -> Storage {
        let has = |attribute: &str| node.child(attribute).is_some();
        let text = node.ty.written();
        let opencl = |space: &str| self.opencl && text.split_whitespace().any(|w| w == space);
        match () {
            () if has("CUDASharedAttr") && &*node.storage_class == "extern" => Storage::Dynamic,
            () if has("CUDASharedAttr") => Storage::Shared,
            () if opencl("__local") && !text.contains('*') => Storage::Shared,
            () if has("CUDAConstantAttr") => Storage::Constant,
            () if opencl("__constant") && !text.contains('*') => Storage::Constant,
            () if has("CUDADeviceAttr") || has("HIPManagedAttr") => Storage::Device,
            () => Storage::File,
        }
    }

    /// A variable of the file, declared where it is used first.
    pub(super) fn global(&mut self, node: &'a Node, used: &Node) -> Lowered<Var> {
        let first = self.index.first(&node.id);
        if let Some(v) = self.globals.get(first) {
            return Ok(*v);
        }
        let node = self.index.initialized(node);
        if is_assumed(node) {
            return Ok(self.assumed(node, first));
        }
        let name = &node.name;
        self.touch(node)?;
        if self.is_device(node) {
            return self.refuse(used, format!("`{name}`"));
        }
        let mut storage = self.said(node);
        let written = self.written(&node.ty, node)?;
        // OpenCL C lets no host set a variable of the file.
        let fixed = written.constant
            || (written.ty != *written.ty.innermost() && is_constant(node))
            || (self.opencl && storage == Storage::Constant);
        let initial = self.initializer(node).filter(|value| !is_empty(value));
        let host = storage == Storage::File;
        let local = self.index.around(node).is_some_and(|around| around.body().is_some());
        if local && host && !(fixed && initial.is_some()) {
            return self.refuse(used, format!("`{name}`, whose declaration is not understood"));
        }
        if host && !(fixed && initial.is_some()) || written.reference {
            return self.refuse(used, format!("`{name}`, a variable of the host"));
        }
        let array = matches!(written.ty, Type::Array(..));
        let pointer = matches!(written.ty, Type::Pointer(_));
        let value = match initial {
            _ if storage == Storage::Shared || storage == Storage::Dynamic => None,
            Some(value) if fixed || array || host || pointer => {
                let at = self.at(value);
                let value = match self.expr(value) {
                    Ok(value) if array => value,
                    Ok(value) => value.converted(&written.ty, at),
                    // An array of unknown contents is an array.
                    Err(refusal) if array && refusal.rejected.is_none() => {
                        Expr::unsupported(refusal.construct, refusal.at)
                    }
                    Err(refusal) => return Err(refusal),
                };
                Some(Initial::Value(value))
            }
            _ => None,
        };
        let is_null = |value: &Initial| matches!(value, Initial::Value(value) if value.is_null());
        let of_host = pointer && storage == Storage::Device && value.as_ref().is_none_or(is_null);
        if of_host && !self.index.functions.iter().any(|f| self.sets(f, first)) {
            storage = Storage::Constant;
        }
        let v = self.variable(node, written.ty, storage);
        let variable = &mut self.kernel.variables[v.0 as usize];
        (variable.constant, variable.volatile) = (fixed, written.volatile);
        let at = self.at(node);
        self.globals.insert(first, v);
        self.kernel.globals.push(Stmt { kind: StmtKind::Declare(v, value), at });
        Ok(v)
    }

    /// May device code set a variable: does a function for devices name it and not read it?
    fn sets(&self, function: &'a Node, variable: &str) -> bool {
        let device = |n: &Node| matches!(&*n.kind, "CUDADeviceAttr" | "CUDAGlobalAttr");
        if !function.inner.iter().any(device) {
            return false;
        }
        let mut pending = vec![(function, false)];
        while let Some((node, read)) = pending.pop() {
            let named = node.referenced_decl.as_ref().filter(|_| &*node.kind == "DeclRefExpr");
            if !read && named.is_some_and(|d| self.index.first(&d.id) == variable) {
                return true;
            }
            let reads = match &*node.kind {
                "ImplicitCastExpr" => &*node.cast_kind == "LValueToRValue",
                "ParenExpr" => read,
                _ => false,
            };
            pending.extend(node.inner.iter().map(|inner| (inner, reads)));
        }
        false
    }

    /// A constant that nobody declares: it may have any value.
    fn assumed(&mut self, node: &'a Node, first: &'a str) -> Var {
        let v = self.variable(node, Type::Int(IntType::I32), Storage::Template);
        self.globals.insert(first, v);
        self.kernel.template.push(v);
        self.kernel.assumed_constants.push(v);
        v
    }
}

/// Is it declared because nobody else does?
fn is_assumed(node: &Node) -> bool {
    let file = node.named.token.as_ref().map(|token| Path::new(&*token.file));
    let folder = file.and_then(Path::parent).and_then(Path::file_name);
    folder.is_some_and(|name| name == ASSUMED)
}

fn is_constant(node: &Node) -> bool {
    node.ty.written().split(|c: char| !c.is_alphanumeric()).any(|word| word == "const")
}

/// A construction of nothing.
fn is_empty(node: &Node) -> bool {
    let node = bare(node);
    &*node.kind == "CXXConstructExpr" && node.parts().next().is_none() && is_temporary(node)
}
