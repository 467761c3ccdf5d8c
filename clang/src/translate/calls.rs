//! Calls: of functions and methods of the file, and of what the device provides.

use super::classes::trivial;
use super::{Lowered, Translator, bare, uncast};
use crate::document::Node;
use babycuda_kernel::{Expr, Initial, PlaceKind, Storage, Type};

/// Who is called, with what.
pub(super) struct Called<'a> {
    pub(super) declaration: &'a Node,
    /// The object of a method, and is it reached through a pointer?
    pub(super) object: Option<(&'a Node, bool)>,
    pub(super) arguments: Vec<&'a Node>,
}

impl<'a> Translator<'a> {
    /// A call, as a value.
    pub(super) fn call(&mut self, node: &'a Node) -> Lowered<Expr> {
        match self.call_place(node)? {
            Initial::Value(value) => Ok(value),
            Initial::Place(place) => Ok(place.value()),
        }
    }

    /// A call: its value, or the place that it returns a reference to.
    pub(super) fn call_place(&mut self, node: &'a Node) -> Lowered<Initial> {
        let called = self.called(node)?;
        let definition = called.declaration;
        if let Some(value) = self.opencl_call(&called, node)? {
            return Ok(Initial::Value(value));
        }
        let of_clang = definition.is_implicit && definition.name.starts_with("__builtin_");
        if (self.is_device(definition) || of_clang) && definition.body().is_none() {
            self.of_one_meaning(definition, &called.arguments, node)?;
            return self.device_call(&called, node).map(Initial::Value);
        }
        self.of_one_meaning(definition, &called.arguments, node)?;
        if &*definition.name == "operator=" && self.only_copies(definition) {
            return match (called.object, &called.arguments[..]) {
                (Some((object, false)), [value]) => {
                    let value = self.value_of(value)?;
                    Ok(Initial::Value(self.assign(object, value, node)?))
                }
                _ => self.refuse(node, "call of an assignment"),
            };
        }
        if definition.body().is_none() {
            let name = &definition.name;
            return self
                .refuse(node, format!("call of `{name}`, which is not defined in this file"));
        }
        let method = matches!(&*definition.kind, "CXXMethodDecl" | "CXXConversionDecl")
            && &*definition.storage_class != "static";
        let object = match called.object.filter(|_| method) {
            Some((object, arrow)) => Some(self.object(object, arrow, node)?),
            None if method => return self.refuse(node, "call of a method without an object"),
            None => None,
        };
        let arguments = self.arguments(definition, &called.arguments, node)?;
        let value = self.call_of(definition, object, arguments, node)?;
        let reference = self.result(&definition.ty, definition)?;
        match reference {
            super::Returns::Reference(_) => Ok(Initial::Place(self.deref(value, node)?)),
            _ => Ok(Initial::Value(value)),
        }
    }

    /// Does an assignment of objects only copy them?
    fn only_copies(&self, definition: &'a Node) -> bool {
        let class = self.index.class_of(definition);
        let copies = |class| trivial(class, "copyAssign") || trivial(class, "moveAssign");
        (definition.is_implicit || definition.body().is_none()) && class.is_some_and(copies)
    }

    /// Refuses the call of a name that CUDA and the file define, unless its arguments have the types of its
    /// parameters: what else CUDA's headers declare is not known well enough to say which one is meant.
    fn of_one_meaning(
        &mut self,
        definition: &'a Node,
        arguments: &[&'a Node],
        node: &'a Node,
    ) -> Lowered<()> {
        let name = &*definition.name;
        if self.opencl || self.index.class_of(definition).is_some() {
            return Ok(());
        }
        let same = |f: &&Node| &*f.name == name && f.parameters().count() >= arguments.len();
        let (ours, own): (Vec<&Node>, Vec<&Node>) =
            self.index.functions.iter().copied().filter(same).partition(|f| self.is_device(f));
        let shared = !ours.is_empty() && !own.is_empty();
        let exact = arguments.iter().all(|argument| {
            let argument = bare(argument);
            &*argument.kind != "ImplicitCastExpr"
                || matches!(&*argument.cast_kind, "LValueToRValue" | "ArrayToPointerDecay" | "NoOp")
        });
        match shared && !exact {
            true => self.refuse(node, format!("call of `{name}`, which CUDA and the file define")),
            false => Ok(()),
        }
    }

    /// Who is called by a node.
    fn called(&mut self, node: &'a Node) -> Lowered<Called<'a>> {
        let parts: Vec<&'a Node> = node.parts().collect();
        let [callee, arguments @ ..] = &parts[..] else { return self.refuse(node, "call") };
        let mut arguments = arguments.to_vec();
        let callee = uncast(callee);
        let (id, object) = match (&*callee.kind, &callee.referenced_decl) {
            ("DeclRefExpr", Some(declared)) => {
                let is_method = &*declared.kind == "CXXMethodDecl"
                    && &*node.kind == "CXXOperatorCallExpr"
                    && !arguments.is_empty();
                let object = is_method.then(|| (arguments.remove(0), false));
                (&*declared.id, object)
            }
            ("MemberExpr", _) => {
                let object = callee.parts().next().map(|object| (object, callee.is_arrow));
                (&*callee.referenced_member_decl, object)
            }
            _ => return self.refuse(node, "call of a function that an expression computes"),
        };
        match self.index.definition(id) {
            Some(declaration)
                if declaration.kind.contains("Function")
                    || declaration.kind.contains("Method")
                    || declaration.kind.contains("Conversion") =>
            {
                Ok(Called { declaration, object, arguments })
            }
            Some(_) => self.refuse(node, "call of a function that an expression computes"),
            // Clang declares what OpenCL C has without saying where.
            None if self.opencl && callee.referenced_decl.is_some() => {
                let Some(declaration) = callee.referenced_decl.as_deref() else {
                    return self.refuse(node, "call");
                };
                Ok(Called { declaration, object, arguments })
            }
            None => {
                let name = callee.referenced_decl.as_ref().map_or(&callee.name, |d| &d.name);
                self.refuse(node, format!("call of `{name}`, which is not defined in this file"))
            }
        }
    }

    /// The object of a method.
    fn object(&mut self, object: &'a Node, arrow: bool, node: &'a Node) -> Lowered<Initial> {
        if arrow {
            let pointer = self.expr(object)?;
            return Ok(Initial::Place(self.deref(pointer, node)?));
        }
        match is_temporary(object) {
            true => Ok(Initial::Value(self.expr(object)?)),
            false => Ok(Initial::Place(self.place(object)?)),
        }
    }

    /// What a node holds, be it a place or a value.
    pub(super) fn value_of(&mut self, node: &'a Node) -> Lowered<Expr> {
        match is_temporary(node) || self.launch_of(node).is_some() {
            true => self.expr(node),
            false => Ok(self.place(node)?.value()),
        }
    }

    /// What a call passes for the parameters of a function of the file.
    pub(super) fn arguments(
        &mut self,
        definition: &'a Node,
        arguments: &[&'a Node],
        node: &'a Node,
    ) -> Lowered<Vec<Initial>> {
        let parameters: Vec<&'a Node> = definition.parameters().collect();
        if parameters.len() != arguments.len() {
            return self.refuse(node, "call with another number of arguments");
        }
        let mut passed = Vec::new();
        for (parameter, argument) in parameters.into_iter().zip(arguments) {
            let argument = match &*argument.kind {
                "CXXDefaultArgExpr" => match self.default(parameter) {
                    Some(value) => value,
                    None => return self.refuse(node, "default argument"),
                },
                _ => argument,
            };
            let written = self.written(&parameter.ty, parameter)?;
            passed.push(match written.reference {
                true => self.bound(argument, written.constant)?,
                false => {
                    let at = self.at(argument);
                    Initial::Value(self.expr(argument)?.converted(&written.ty.decayed(), at))
                }
            });
        }
        Ok(passed)
    }

    /// The default of a parameter; a later declaration may leave out what the first one says.
    fn default(&self, parameter: &'a Node) -> Option<&'a Node> {
        parameter.parts().next_back()
    }

    /// What a reference is bound to.
    pub(super) fn bound(&mut self, node: &'a Node, constant: bool) -> Lowered<Initial> {
        if is_temporary(node) || (constant && self.launch_of(node).is_some()) {
            return Ok(Initial::Value(self.expr(node)?));
        }
        let place = self.place(node)?;
        // A constant of the file has no place on a device.
        if let PlaceKind::Variable(v) = place.kind {
            let variable = &self.kernel[v];
            let fixed = matches!(variable.storage, Storage::File | Storage::Constant);
            if constant && fixed && !matches!(variable.ty, Type::Array(..)) {
                return Ok(Initial::Value(place.value()));
            }
        }
        Ok(Initial::Place(place))
    }
}

/// Does a node denote a value that is nowhere?
pub(super) fn is_temporary(node: &Node) -> bool {
    let node = bare(node);
    match &*node.kind {
        "MaterializeTemporaryExpr" | "CompoundLiteralExpr" => true,
        "ImplicitCastExpr"
            if matches!(&*node.cast_kind, "NoOp" | "DerivedToBase" | "UncheckedDerivedToBase") =>
        {
            node.parts().next().is_none_or(is_temporary)
        }
        _ => &*node.value_category == "prvalue",
    }
}

/// Does evaluating it twice do the same as once?
pub(super) fn is_repeatable(value: &Expr) -> bool {
    babycuda_kernel::Node::from(value).is_repeatable()
}
