//! Calls of functions that the file defines, each resolved once for an instance.

use super::names::{is_of_cuda, is_of_samples, may_take, named};
use super::templates::{Bindings, Bound};
use super::types::{has_reference, operand};
use super::{Resolved, Resolver};
use crate::error::refuse;
use crate::lower::inline::MAX_CALLS;
use crate::unit::{Function, children, declarators, has_qualifier, part, without_parentheses};
use babycuda_kernel::{
    Expr, ExprKind, Function as Resolution, FunctionId, Initial, Place, PlaceKind, Stmt, StmtKind,
    Storage, Type, Var,
};
use tree_sitter::Node;

/// What makes two calls of a function calls of the same one: the definition, what the parameters of its
/// template are, and which of its parameters are bound to places.
#[derive(PartialEq, Eq)]
pub(super) struct Instance {
    definition: usize,
    template: Vec<Bound>,
    places: Vec<bool>,
}

/// What a call passes for one parameter.
pub(super) enum Argument {
    Value(Expr),
    Place(Place),
    Default,
}

impl Argument {
    /// The type of what is passed.
    pub(super) fn ty(&self) -> Option<&Type> {
        match self {
            Argument::Value(value) => Some(&value.ty),
            Argument::Place(place) => Some(&place.ty),
            Argument::Default => None,
        }
    }
}

impl<'t> Resolver<'t> {
    /// A call of the function `name`.
    pub(super) fn own_call(
        &mut self,
        name: &'t str,
        template: Option<Node<'t>>,
        args: &[Node<'t>],
        node: Node<'t>,
    ) -> Resolved<Expr> {
        if self.active.contains(&name) {
            return refuse(node, format!("recursion in `{name}`"));
        }
        if self.active.len() > MAX_CALLS {
            return refuse(node, format_args!("calls more than {MAX_CALLS} deep"));
        }
        let function = self.overload(name, args.len(), node)?;
        let of_cuda = is_of_cuda(name) && !is_of_samples(name) && may_take(name, args.len());
        // CUDA's own function fits better than a template, and may be the only one that the call sees.
        let is_seen = function.node.start_byte() < node.start_byte()
            && has_qualifier(function.node, self.unit.text, "__device__");
        if of_cuda && (!is_seen || function.template.is_some() && template.is_none()) {
            return refuse(node, format!("call of `{name}`, which CUDA declares too"));
        }
        let parameters = self.parameters(function);
        let mut passed = Vec::new();
        for (i, parameter) in parameters.iter().enumerate() {
            passed.push(self.argument(*parameter, args.get(i).copied(), node)?);
        }
        let explicit = template.map(|list| self.template_arguments(list)).transpose()?;
        let known = (self.kernel.functions.len(), self.kernel.variables.len());
        let around = self.scopes.split_off(1);
        self.active.push(name);
        let result = std::mem::replace(&mut self.result, Type::Void);
        let call = self.scoped(|s| {
            let explicit = explicit.unwrap_or_default();
            let template = s.bind_template(function, explicit, &parameters, &passed, node)?;
            let mut assumed = function.template.is_some();
            for (parameter, argument) in parameters.iter().zip(&passed) {
                if (of_cuda || s.unit.expanded.missing.is_some())
                    && (!s.is_exact(*parameter, argument)?
                        || of_cuda && s.is_one_of_many(*parameter)?)
                {
                    if of_cuda {
                        return refuse(node, format!("call of `{name}`, which CUDA declares too"));
                    }
                    assumed = true;
                }
            }
            s.callee(function, template, &parameters, passed, node).map(|c| (c, assumed))
        });
        self.result = result;
        self.active.pop();
        self.scopes.truncate(1);
        self.scopes.extend(around);
        let ((function, arguments), assumed) = call?;
        if self.kernel.functions.len() == known.0 {
            // Its parameters have variables already.
            self.kernel.variables.truncate(known.1);
        }
        // Another function of that name would fit better.
        let missing = self.unit.expanded.missing.as_ref().filter(|_| assumed);
        let assumed =
            missing.map(|missing| format!("{missing} is assumed to declare no other `{name}`"));
        let ty = self.kernel[function].result.clone();
        Ok(self.expression(node, ExprKind::Call { function, arguments, assumed }, ty))
    }

    /// What a call passes for a parameter.
    fn argument(
        &mut self,
        parameter: Node<'t>,
        arg: Option<Node<'t>>,
        node: Node<'t>,
    ) -> Resolved<Argument> {
        let by_reference = part(parameter, "declarator").is_some_and(has_reference);
        let Some(arg) = arg else {
            return match by_reference {
                true => refuse(node, "default argument of a reference"),
                false => Ok(Argument::Default),
            };
        };
        if !by_reference {
            return self.expr(arg).map(Argument::Value);
        }
        match self.place(arg) {
            Ok(place) if !self.is_constant(&place) => Ok(Argument::Place(place)),
            // A reference to a constant may bind a value that is nowhere.
            _ if self.is_nowhere(parameter, arg) => self.expr(arg).map(Argument::Value),
            _ => refuse(arg, "reference to a value that is no variable"),
        }
    }

    /// Is it a constant that has no place on a device?
    fn is_constant(&self, place: &Place) -> bool {
        match place.kind {
            PlaceKind::Variable(v) => {
                let variable = &self.kernel[v];
                let scalar = !matches!(variable.ty, Type::Array(..));
                let file = matches!(variable.storage, Storage::File | Storage::Constant);
                variable.storage == Storage::Template || (file && scalar)
            }
            _ => false,
        }
    }

    /// Does a reference to a constant bind a value that is no object's?
    fn is_nowhere(&self, parameter: Node<'t>, argument: Node<'t>) -> bool {
        let object = matches!(
            without_parentheses(argument).kind(),
            "conditional_expression"
                | "comma_expression"
                | "assignment_expression"
                | "update_expression"
                | "subscript_expression"
                | "pointer_expression"
                | "field_expression"
                | "identifier"
        );
        has_qualifier(parameter, self.unit.text, "const") && !object
    }

    /// The definition of `name` that takes `count` arguments.
    fn overload(&self, name: &str, count: usize, node: Node<'t>) -> Resolved<Function<'t>> {
        match self.taking(name, count)[..] {
            [only] if self.is_variadic(only) => {
                refuse(node, format!("call of `{name}`, which takes any number of arguments"))
            }
            [only] => Ok(only),
            [] => refuse(node, format!("call of `{name}` with this number of arguments")),
            _ => refuse(node, format!("call of the overloaded function `{name}`")),
        }
    }

    /// The definitions of `name` that take `count` arguments.
    pub(super) fn taking(&self, name: &str, count: usize) -> Vec<Function<'t>> {
        let candidates = self.unit.functions.get(name).map_or(&[][..], |f| f);
        let takes = |f: &Function<'t>| {
            let parameters = self.parameters(*f);
            let required = parameters.iter().filter(|p| part(**p, "default_value").is_none());
            (required.count() <= count && count <= parameters.len()) || self.is_variadic(*f)
        };
        candidates.iter().copied().filter(takes).collect()
    }

    fn is_variadic(&self, function: Function<'t>) -> bool {
        function.parameters().is_some_and(|list| self.text(list).contains("..."))
    }

    /// The parameter declarations of a function.
    pub(super) fn parameters(&self, function: Function<'t>) -> Vec<Node<'t>> {
        let list = function.parameters().map(children).unwrap_or_default();
        list.into_iter().filter(|p| self.text(*p) != "void").collect()
    }

    /// The function that is called, in whose scope we are, and what its parameters are at first.
    fn callee(
        &mut self,
        function: Function<'t>,
        template: Bindings,
        parameters: &[Node<'t>],
        passed: Vec<Argument>,
        node: Node<'t>,
    ) -> Resolved<(FunctionId, Vec<Initial>)> {
        let (mut variables, mut arguments): (Vec<Var>, Vec<Initial>) =
            template.passed.into_iter().map(|(v, value)| (v, Initial::Value(value))).unzip();
        let mut places = Vec::new();
        for (parameter, argument) in parameters.iter().zip(passed) {
            let (v, initial) = self.parameter(*parameter, argument, node)?;
            places.push(matches!(initial, Initial::Place(_)));
            variables.push(v);
            arguments.push(initial);
        }
        let bound = template.bound;
        if self.text(function.node).contains("__shared__") {
            self.is_told_apart(function, &bound, node)?;
        }
        let instance = Instance { definition: function.node.id(), template: bound.clone(), places };
        if let Some((_, known)) = self.instances.iter().find(|(other, _)| *other == instance) {
            return Ok((*known, arguments));
        }
        let base = self.declared_base(function.node)?;
        self.result = return_type(function, base)?;
        let at = self.at(function.node);
        let empty = Stmt { kind: StmtKind::Block(Vec::new()), at };
        let name = self.active.last().copied().unwrap_or_default().to_owned();
        let (parameters, result) = (variables, self.result.clone());
        self.kernel.functions.push(Resolution { name, parameters, result, body: empty, at });
        let id = FunctionId(self.kernel.functions.len() as u32 - 1);
        self.instances.push((instance, id));
        let body = operand(function.node, "body")?;
        let around = std::mem::replace(&mut self.template, bound);
        self.kernel.functions[id.0 as usize].body = self.body(body);
        self.template = around;
        Ok((id, arguments))
    }

    /// Refuses a call where it is not known whether an earlier one is of the same instance: instances of
    /// a template have shared variables of their own.
    fn is_told_apart(
        &self,
        function: Function<'t>,
        template: &[Bound],
        node: Node<'t>,
    ) -> Resolved<()> {
        let enums = self.unit.text.contains("enum");
        let mut earlier =
            self.instances.iter().filter(|(other, _)| other.definition == function.node.id());
        let told = |(other, _): &(Instance, FunctionId)| {
            let mut parts = other.template.iter().zip(template).map(|(a, b)| a.is(b, enums));
            parts.clone().all(|part| part == Some(true)) || parts.any(|part| part == Some(false))
        };
        match earlier.all(told) {
            true => Ok(()),
            false => {
                refuse(node, "call that may be of the same instance of a template as another one")
            }
        }
    }

    /// A parameter, and what it is at first.
    fn parameter(
        &mut self,
        parameter: Node<'t>,
        argument: Argument,
        node: Node<'t>,
    ) -> Resolved<(Var, Initial)> {
        let base = self.declared_base(parameter)?;
        let declarator = part(parameter, "declarator");
        let declared = self.declarator(base.unwrap_or(Type::Void), declarator)?;
        let ty = declared.ty.decayed();
        let name = declared.name;
        let new = |s: &mut Self, ty: Type, storage| match name {
            Some(name) => s.declare(name, ty, storage, false),
            None => s.variable("", ty, storage, parameter),
        };
        let value = match argument {
            Argument::Place(place) if self.binds(parameter, &ty, &place) => {
                let v = new(self, ty, Storage::Reference);
                return Ok((v, Initial::Place(place)));
            }
            // A reference to a constant of another type binds a copy.
            Argument::Place(place) => place.value(),
            Argument::Value(value) => value,
            Argument::Default => {
                let value = self.expr(operand(parameter, "default_value")?)?;
                Expr { at: self.at(node), ..value }
            }
        };
        let value = match (&value.kind, &ty) {
            // Passing a null pointer is no error; using it is.
            (ExprKind::Null | ExprKind::String, Type::Pointer(_)) => {
                Expr { ty: ty.clone(), ..value }
            }
            _ => value.converted(&ty, self.at(parameter)),
        };
        let v = new(self, ty, Storage::Local);
        Ok((v, Initial::Value(value)))
    }

    /// Is an argument of exactly the type that its parameter has?
    fn is_exact(&mut self, parameter: Node<'t>, argument: &Argument) -> Resolved<bool> {
        let Some(found) = argument.ty().cloned() else {
            return Ok(true);
        };
        Ok(found.decayed() == self.type_of(parameter)?.decayed())
    }

    /// Has C++ several types that are one here: `long` and `long long`, an enumeration and its integers, characters?
    fn is_one_of_many(&mut self, parameter: Node<'t>) -> Resolved<bool> {
        let Type::Int(int) = self.type_of(parameter)? else { return Ok(false) };
        let named = |ty: Node<'t>| match self.text(ty) {
            "char8_t" | "char16_t" | "char32_t" | "wchar_t" => false,
            name => ty.kind() == "sized_type_specifier" || named(name).is_some(),
        };
        Ok(int.width.bits() == 64 || !part(parameter, "type").is_some_and(named))
    }

    fn type_of(&mut self, parameter: Node<'t>) -> Resolved<Type> {
        let base = self.declared_base(parameter)?;
        let declarator = part(parameter, "declarator");
        Ok(self.declarator(base.unwrap_or(Type::Void), declarator)?.ty)
    }
}

/// The type that a function returns.
fn return_type(function: Function<'_>, base: Option<Type>) -> Resolved<Type> {
    let Some(mut ty) = base else {
        return refuse(function.node, "function whose type is `auto`: write the type");
    };
    for declarator in declarators(function.node).skip(1) {
        match declarator.kind() {
            "pointer_declarator" => ty = ty.pointer(),
            "reference_declarator" => {
                return refuse(function.node, "function that returns a reference");
            }
            _ => break,
        }
    }
    Ok(ty)
}
