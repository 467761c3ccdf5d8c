//! Inlining of functions that the file defines.

use super::expr::operand;
use super::{Lower, intrinsics};
use crate::ctype::{CType, Data, has_qualifier};
use crate::error::{Lowered, refuse};
use crate::unit::{Function, children, declarators, part, without_parentheses};
use crate::value::{Binding, Place, Value};
use babycuda_core::{IntType, Num};
use tree_sitter::Node;

/// Calls may not nest deeper than this.
const MAX_CALLS: usize = 40;

/// What a call passes for one parameter.
enum Argument {
    Value(Value),
    Place(Place),
    Default,
}

impl<'t> Lower<'t> {
    /// The value of a call of the function `name`, whose body is translated in place.
    pub(super) fn inline(
        &mut self,
        name: &str,
        template: Option<Node<'t>>,
        args: &[Node<'t>],
        node: Node<'t>,
    ) -> Lowered<Value> {
        if self.env.frames.iter().any(|f| f.function == name) {
            return refuse(node, format!("recursion in `{name}`"));
        }
        if self.env.frames.len() > MAX_CALLS {
            return refuse(node, format_args!("calls more than {MAX_CALLS} deep"));
        }
        let function = self.overload(name, args.len(), node)?;
        let of_cuda = super::is_of_cuda(name)
            && !is_of_samples(name)
            && intrinsics::may_take(name, args.len());
        // CUDA's own function fits better than a template.
        if of_cuda && function.template.is_some() && template.is_none() {
            return refuse(node, format!("call of `{name}`, which CUDA declares too"));
        }
        let parameters = self.parameters(function);
        let mut passed = Vec::new();
        for (i, parameter) in parameters.iter().enumerate() {
            passed.push(match args.get(i) {
                None if by_reference(*parameter) => {
                    return refuse(node, "default argument of a reference");
                }
                None => Argument::Default,
                Some(arg) if by_reference(*parameter) => match self.attempt(|s| s.place(*arg)) {
                    Ok(place) => Argument::Place(place),
                    // A reference to a constant may bind a value that is nowhere.
                    Err(_) if self.is_nowhere(*parameter, *arg) => {
                        Argument::Value(self.eval(*arg)?)
                    }
                    Err(_) => return refuse(*arg, "reference to a value that is no variable"),
                },
                Some(arg) => Argument::Value(self.eval(*arg)?),
            });
        }
        let explicit = template.map(|list| self.template_arguments(list)).transpose()?;
        let explicit = explicit.unwrap_or_default();
        let result = self.env.enter(name, node.start_byte(), Value::Undefined);
        let outcome = self.callee(function, explicit, &parameters, passed, node, of_cuda);
        self.env.leave();
        outcome?;
        let ctype = self.env.ctype(result).clone();
        match (&ctype, self.env[result].clone()) {
            (CType::Void, _) => Ok(Value::Void),
            (_, Value::Undefined) => Ok(self.unknown(&ctype, node)),
            (_, value) => Ok(value),
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
    fn overload(&self, name: &str, count: usize, node: Node<'t>) -> Lowered<Function<'t>> {
        match self.taking(name, count)[..] {
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
            required.count() <= count && count <= parameters.len()
        };
        candidates.iter().copied().filter(takes).collect()
    }

    /// The parameter declarations of a function.
    pub(super) fn parameters(&self, function: Function<'t>) -> Vec<Node<'t>> {
        let list = function.parameters().map(children).unwrap_or_default();
        list.into_iter().filter(|p| self.text(*p) != "void").collect()
    }

    /// The values and types in a template argument list.
    pub(super) fn template_arguments(&mut self, list: Node<'t>) -> Lowered<Vec<Binding>> {
        let mut out = Vec::new();
        for argument in children(list) {
            let is_type = argument.kind() == "type_descriptor";
            let name = self.text(argument);
            let value_name =
                matches!(self.env.lookup(name), Some(Binding::Constant(_) | Binding::Var(_)));
            out.push(if is_type && !value_name {
                match self.descriptor(argument)? {
                    Some(ctype) => Binding::Type(ctype),
                    None => return refuse(argument, "`auto` as a template argument"),
                }
            } else if is_type {
                let known = |v: &Value| matches!(v, Value::Int(_, Num::Lit(_)));
                match self.env.lookup(name).cloned() {
                    Some(Binding::Constant(value)) => Binding::Constant(value),
                    Some(Binding::Var(v)) if known(&self.env[v]) => {
                        Binding::Constant(self.env[v].clone())
                    }
                    _ => return refuse(argument, "template argument that is no constant"),
                }
            } else {
                Binding::Constant(self.eval(argument)?)
            });
        }
        Ok(out)
    }

    /// Binds parameters and translates the body.
    fn callee(
        &mut self,
        function: Function<'t>,
        explicit: Vec<Binding>,
        parameters: &[Node<'t>],
        passed: Vec<Argument>,
        node: Node<'t>,
        of_cuda: bool,
    ) -> Lowered<()> {
        self.bind_template(function, explicit, parameters, &passed, node)?;
        if function.template.is_some() {
            let name = self.env.frames.last().map_or("", |f| &f.function).to_owned();
            self.assume_no_overload(&name);
        }
        for (parameter, argument) in parameters.iter().zip(passed) {
            if (of_cuda || self.unit.expanded.missing.is_some())
                && !self.is_exact(*parameter, &argument)?
            {
                let name = self.env.frames.last().map_or("", |f| &f.function).to_owned();
                if of_cuda {
                    return refuse(node, format!("call of `{name}`, which CUDA declares too"));
                }
                self.assume_no_overload(&name);
            }
            self.bind_parameter(*parameter, argument)?;
        }
        if let Some(result) = self.env.frames.last().map(|frame| frame.result) {
            let base = self.declared_base(function.node)?;
            let ctype = self.return_type(function, base)?;
            self.env.retype(result, ctype);
        }
        self.statement(operand(function.node, "body")?)
    }

    /// Another function of that name would fit better.
    fn assume_no_overload(&mut self, name: &str) {
        if let Some(missing) = self.unit.expanded.missing.clone() {
            self.note(format!("{missing} is assumed to declare no other `{name}`"), None);
        }
    }

    /// The type that a function returns.
    fn return_type(&mut self, function: Function<'t>, base: Option<CType>) -> Lowered<CType> {
        let Some(mut ctype) = base else {
            return refuse(function.node, "function whose type is `auto`: write the type");
        };
        for declarator in declarators(function.node).skip(1) {
            match declarator.kind() {
                "pointer_declarator" => ctype = CType::Pointer(Box::new(ctype)),
                "reference_declarator" => {
                    return refuse(function.node, "function that returns a reference");
                }
                _ => break,
            }
        }
        Ok(ctype)
    }

    /// Is an argument of exactly the type that its parameter has?
    fn is_exact(&mut self, parameter: Node<'t>, argument: &Argument) -> Lowered<bool> {
        let found = match argument {
            Argument::Value(value) => self.type_of(value),
            Argument::Place(place) => Some(self.place_type(place)),
            Argument::Default => return Ok(true),
        };
        let declarator = part(parameter, "declarator");
        let base = self.declared_base(parameter)?;
        let wanted = self.declarator(base.unwrap_or(CType::Void), declarator)?.ctype;
        let decayed = |ctype| match ctype {
            CType::Array(element, _) => CType::Pointer(element),
            other => other,
        };
        Ok(found.map(decayed) == Some(decayed(wanted)))
    }

    fn bind_parameter(&mut self, parameter: Node<'t>, argument: Argument) -> Lowered<()> {
        let base = self.declared_base(parameter)?;
        let declarator = part(parameter, "declarator");
        let declared = self.declarator(base.unwrap_or(CType::Void), declarator)?;
        let Some(name) = declared.name else {
            return Ok(());
        };
        let name = self.text(name);
        let ctype = match declared.ctype {
            CType::Array(element, _) => CType::Pointer(element),
            other => other,
        };
        let value = match argument {
            Argument::Place(place) if self.binds(parameter, &ctype, &place) => {
                self.env.bind(name, Binding::Reference(place));
                return Ok(());
            }
            // A reference to a constant of another type binds a copy.
            Argument::Place(place) => self.load(&place, parameter)?,
            Argument::Value(value) => value,
            Argument::Default => self.eval(operand(parameter, "default_value")?)?,
        };
        let value = match value {
            // Passing an unusable pointer is no error; using it is.
            Value::Poison(what) => Value::Poison(what),
            value => self.convert(value, &ctype, parameter)?,
        };
        let v = self.env.variable(name, ctype, value);
        self.env.bind(name, Binding::Var(v));
        Ok(())
    }

    /// Does the reference to objects of type `ctype` that `node` declares bind the place itself? One
    /// to constants of another type binds a copy.
    pub(super) fn binds(&self, node: Node<'t>, ctype: &CType, place: &Place) -> bool {
        let converts = |t: &CType| matches!(t, CType::Int(_) | CType::Bool | CType::Group(_));
        let found = self.place_type(place);
        let differs = (converts(ctype) || converts(&found)) && *ctype != found;
        !(differs && has_qualifier(node, self.unit.text, "const"))
    }

    /// Binds the parameters of a template: from the call's list, from the arguments' types, or
    /// from defaults.
    fn bind_template(
        &mut self,
        function: Function<'t>,
        explicit: Vec<Binding>,
        parameters: &[Node<'t>],
        passed: &[Argument],
        node: Node<'t>,
    ) -> Lowered<()> {
        if let Some(list) = function.template.filter(|list| self.text(*list).contains('&')) {
            return refuse(list, "template parameter that is a reference");
        }
        let list = function.template.map(children).unwrap_or_default();
        let mut explicit = explicit.into_iter();
        for parameter in list {
            let default = part(parameter, "default_value").or(part(parameter, "default_type"));
            let is_type = parameter.kind().contains("type_parameter");
            let name_node = if is_type {
                part(parameter, "name").or(parameter.named_child(0))
            } else {
                part(parameter, "declarator")
            };
            let Some(name) = name_node.map(|n| self.text(n)) else {
                continue;
            };
            let size = || self.size_of_tile(name, parameters, passed);
            let explicit = explicit.next().or_else(|| size().filter(|_| !is_type));
            let binding = match (explicit, default) {
                (Some(binding), _) if is_type == matches!(binding, Binding::Type(_)) => binding,
                (Some(_), _) => {
                    return refuse(node, format!("argument of the template parameter `{name}`"));
                }
                (None, _) if is_type => Binding::Type(
                    self.deduce(name, parameters, passed).unwrap_or(CType::Data(Data::UNKNOWN)),
                ),
                (None, Some(default)) => Binding::Constant(self.eval(default)?),
                (None, None) => {
                    return refuse(
                        node,
                        format!("call that gives the template parameter `{name}` no value"),
                    );
                }
            };
            let binding = match binding {
                Binding::Constant(value) => self.template_value(parameter, value)?,
                other => other,
            };
            if let Some(frame) = self.env.frames.last_mut() {
                frame.instance.push(binding.clone());
            }
            self.env.bind(name, binding);
        }
        Ok(())
    }

    /// A template argument as a value of its parameter's type.
    fn template_value(&mut self, parameter: Node<'t>, value: Value) -> Lowered<Binding> {
        let Some(base) = self.declared_base(parameter)? else {
            return Ok(Binding::Constant(value));
        };
        let declarator = part(parameter, "declarator");
        let ctype = self.declarator(base, declarator)?.ctype;
        Ok(Binding::Constant(self.convert(value, &ctype, parameter)?))
    }

    /// The size of the first argument whose parameter is a `thread_block_tile<name>`.
    fn size_of_tile(
        &self,
        name: &str,
        parameters: &[Node<'t>],
        passed: &[Argument],
    ) -> Option<Binding> {
        parameters.iter().zip(passed).find_map(|(parameter, argument)| {
            let tile = self.unit.cooperative.member(part(*parameter, "type")?)?;
            let size = children(part(tile, "arguments")?).first().map(|size| self.text(*size));
            let group = match argument {
                Argument::Value(Value::Group(group)) => *group,
                Argument::Place(Place::Var(v)) => match &self.env[*v] {
                    Value::Group(group) => *group,
                    _ => return None,
                },
                _ => return None,
            };
            let threads = self.threads_of(group.scope).filter(|_| size == Some(name))?;
            Some(Binding::Constant(Value::Int(IntType::U32, Num::lit(threads))))
        })
    }

    /// The type of the first argument whose parameter is of the template type `name`.
    fn deduce(&self, name: &str, parameters: &[Node<'t>], passed: &[Argument]) -> Option<CType> {
        parameters.iter().zip(passed).find_map(|(parameter, argument)| {
            let specifier = part(*parameter, "type")?;
            if self.text(specifier) != name {
                return None;
            }
            let ctype = match argument {
                Argument::Value(value) => self.type_of(value)?,
                Argument::Place(place) => self.place_type(place),
                Argument::Default => return None,
            };
            let pointer = part(*parameter, "declarator")
                .is_some_and(|d| matches!(d.kind(), "pointer_declarator" | "array_declarator"));
            match (ctype, pointer) {
                (CType::Pointer(pointee), true) => Some(*pointee),
                (_, true) => None,
                (ctype, false) => Some(ctype),
            }
        })
    }
}

/// Is a parameter a C++ reference?
pub(super) fn by_reference(parameter: Node<'_>) -> bool {
    part(parameter, "declarator").is_some_and(super::declare::has_reference)
}

/// Is this a function that the toolkit's samples define, not CUDA? CUDA's `make_…` are named after
/// its vectors and its own structures.
fn is_of_samples(name: &str) -> bool {
    if let Some(made) = name.strip_prefix("make_") {
        return crate::ctype::named(made).is_none() && !made.starts_with("cuda");
    }
    matches!(name, "clamp" | "dot" | "length" | "normalize" | "cross" | "lerp" | "saturate")
}
