//! Templates of functions: what their parameters are bound to.

use super::functions::Argument;
use super::types::operand;
use super::{Entity, Resolved, Resolver};
use crate::error::refuse;
use crate::unit::{Function, children, part};
use babycuda_core::IntType;
use babycuda_kernel::{Expr, Group, Storage, Type, Var};
use tree_sitter::Node;

/// What a template's parameter is bound to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Bound {
    /// A type.
    Type(Type),
    /// A value, where it is known.
    Value(Option<u64>),
    /// A type that is not known.
    Unknown,
}

impl Bound {
    /// Does C++ take both to be one? `None`: that is not known; one type may have two names, and two types
    /// one form. `enums`: may an integer be one of an enumeration?
    pub(super) fn is(&self, other: &Bound, enums: bool) -> Option<bool> {
        match (self, other) {
            (Bound::Value(Some(k)), Bound::Value(Some(l))) => Some(k == l),
            (Bound::Type(t), Bound::Type(u)) => same(t, u, enums),
            _ => None,
        }
    }
}

/// The names of types that may be any.
const ANY: [&str; 3] = ["member", "object", "texel"];

fn same(t: &Type, u: &Type, enums: bool) -> Option<bool> {
    let number = |t: &Type| matches!(t, Type::Bool | Type::Int(_) | Type::Float(_));
    match (t, u) {
        (Type::Vector(t, n), Type::Vector(u, m)) if n == m => same(t, u, enums),
        (Type::Vector(..), Type::Vector(..)) => Some(false),
        _ if t != u => (number(t) && number(u)).then_some(false),
        (Type::Opaque(name), _) => (!ANY.contains(&&**name)).then_some(true),
        (Type::Bool | Type::Float(4 | 8) | Type::Record(_), _) => Some(true),
        // `char` and `signed char`, `long` and `long long` are two types each.
        (Type::Int(IntType::I8 | IntType::I64 | IntType::U64), _) => None,
        (Type::Int(_), _) => (!enums).then_some(true),
        _ => None,
    }
}

/// What all parameters of a template are bound to.
#[derive(Default)]
pub(super) struct Bindings {
    pub(super) bound: Vec<Bound>,
    /// The values that are no constants: a call passes them as arguments.
    pub(super) passed: Vec<(Var, Expr)>,
}

/// An argument of a template.
pub(super) enum Given {
    Type(Type),
    Value(Expr),
}

impl<'t> Resolver<'t> {
    /// The values and types in a template argument list.
    pub(super) fn template_arguments(&mut self, list: Node<'t>) -> Resolved<Vec<Given>> {
        children(list).into_iter().map(|argument| self.template_argument(argument)).collect()
    }

    /// The value or type that an argument of a template is.
    pub(super) fn template_argument(&mut self, argument: Node<'t>) -> Resolved<Given> {
        let value = match self.lookup(self.text(argument)).cloned() {
            _ if argument.kind() != "type_descriptor" => Some(self.expr(argument)?),
            Some(Entity::Constant(value)) => Some(Expr { at: self.at(argument), ..value }),
            Some(Entity::Variable(v)) => {
                let fixed = matches!(
                    self.kernel[v].storage,
                    Storage::Template | Storage::File | Storage::Constant
                );
                if !self.known.contains_key(&v) && !fixed {
                    return refuse(argument, "template argument that is no constant");
                }
                Some(self.place_of(v, argument).value())
            }
            _ => None,
        };
        Ok(match value {
            Some(value) => Given::Value(value),
            None => match self.descriptor(argument)? {
                Some(ty) => Given::Type(ty),
                None => return refuse(argument, "`auto` as a template argument"),
            },
        })
    }

    /// Binds the parameters of a template: from the call's list, from the arguments' types, or
    /// from defaults.
    pub(super) fn bind_template(
        &mut self,
        function: Function<'t>,
        explicit: Vec<Given>,
        parameters: &[Node<'t>],
        passed: &[Argument],
        node: Node<'t>,
    ) -> Resolved<Bindings> {
        if let Some(list) = function.template.filter(|list| self.text(*list).contains('&')) {
            return refuse(list, "template parameter that is a reference");
        }
        let mut bindings = Bindings::default();
        let mut explicit = explicit.into_iter();
        for parameter in function.template.map(children).unwrap_or_default() {
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
            let size = || self.size_of_tile(name, parameters, passed).map(Given::Value);
            let given = explicit.next().or_else(|| size().filter(|_| !is_type));
            let value = match (given, default) {
                (Some(Given::Type(ty)), _) if is_type => {
                    bindings.bound.push(Bound::Type(ty.clone()));
                    self.bind(name, Entity::Type(ty));
                    continue;
                }
                (Some(Given::Value(value)), _) if !is_type => value,
                (Some(_), _) => {
                    return refuse(node, format!("argument of the template parameter `{name}`"));
                }
                (None, _) if is_type => {
                    let ty = match (self.deduced(name, parameters, passed), default) {
                        (None, Some(default)) => self.descriptor(default)?,
                        (deduced, _) => deduced,
                    };
                    bindings.bound.push(ty.clone().map_or(Bound::Unknown, Bound::Type));
                    let ty = ty.unwrap_or_else(|| Type::Opaque(name.into()));
                    self.bind(name, Entity::Type(ty));
                    continue;
                }
                (None, Some(default)) => self.expr(default)?,
                (None, None) => {
                    return refuse(
                        node,
                        format!("call that gives the template parameter `{name}` no value"),
                    );
                }
            };
            let value = self.template_value(parameter, value)?;
            let known = self.constant(&value);
            bindings.bound.push(Bound::Value(known));
            match known {
                Some(bits) => {
                    let constant = Expr::int(value.ty.clone(), bits, value.at);
                    self.bind(name, Entity::Constant(constant));
                }
                None => {
                    let declared = name_node.unwrap_or(parameter);
                    let v = self.variable(name, value.ty.clone(), Storage::Template, declared);
                    self.bind(name, Entity::Variable(v));
                    bindings.passed.push((v, value));
                }
            }
        }
        Ok(bindings)
    }

    /// A template argument as a value of its parameter's type.
    fn template_value(&mut self, parameter: Node<'t>, value: Expr) -> Resolved<Expr> {
        let Some(base) = self.specifier(operand(parameter, "type")?)? else {
            return Ok(value);
        };
        let ty = self.declarator(base, part(parameter, "declarator"))?.ty;
        Ok(value.converted(&ty, self.at(parameter)))
    }

    /// The size of the first argument whose parameter is a `thread_block_tile<name>`.
    fn size_of_tile(
        &self,
        name: &str,
        parameters: &[Node<'t>],
        passed: &[Argument],
    ) -> Option<Expr> {
        parameters.iter().zip(passed).find_map(|(parameter, argument)| {
            let tile = self.unit.cooperative.member(part(*parameter, "type")?)?;
            let size = children(part(tile, "arguments")?).first().map(|size| self.text(*size));
            match argument.ty()? {
                Type::Group(Group::Tile(threads)) if size == Some(name) => {
                    Some(threads.as_ref().clone())
                }
                _ => None,
            }
        })
    }

    /// The type of the first argument whose parameter is of the template type `name`.
    fn deduced(&self, name: &str, parameters: &[Node<'t>], passed: &[Argument]) -> Option<Type> {
        parameters.iter().zip(passed).find_map(|(parameter, argument)| {
            let specifier = part(*parameter, "type")?;
            if self.text(specifier) != name {
                return None;
            }
            let ty = argument.ty().filter(|ty| **ty != Type::Void)?.clone();
            let declarator = part(*parameter, "declarator");
            let pointer = declarator.is_some_and(|d| {
                d.kind() == "array_declarator" || d.kind() == "pointer_declarator"
            });
            match (ty, pointer) {
                (Type::Pointer(pointee), true) => Some(*pointee),
                (_, true) => None,
                (ty, false) => Some(ty),
            }
        })
    }
}
