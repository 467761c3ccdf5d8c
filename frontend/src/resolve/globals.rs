//! Declarations outside of functions: types, constants, device variables.

use super::declare::completed;
use super::types::has_reference;
use super::{Resolved, Resolver};
use crate::unit::{Function, children, field, part, walk};
use babycuda_kernel::{Expr, Initial, StmtKind, Storage, Type, Var};
use std::iter::successors;
use tree_sitter::Node;

impl<'t> Resolver<'t> {
    /// Binds what the file declares. What cannot be read stays an unknown name, which is refused
    /// where it is used.
    pub(super) fn globals(&mut self) {
        for node in self.unit.declarations.clone() {
            let _unknown = match node.kind() {
                "type_definition" | "alias_declaration" => self.type_alias(node),
                "enum_specifier" => self.enumeration(node).map(|_| ()),
                _ => self.global(node),
            };
        }
    }

    fn global(&mut self, node: Node<'t>) -> Resolved<()> {
        let device = self.has(node, "__device__") || self.has(node, "__managed__");
        let fixed = self.has(node, "const") || self.has(node, "constexpr");
        let storage = match device {
            true => Storage::Device,
            false if self.has(node, "__constant__") => Storage::Constant,
            false => Storage::File,
        };
        if let Some(specifier) = part(node, "type")
            && specifier.kind() == "enum_specifier"
        {
            return self.enumeration(specifier).map(|_| ());
        }
        if self.has(node, "__shared__") {
            let mut shared = Vec::new();
            let result = self.declaration(node, &mut shared);
            self.kernel.globals.extend(shared);
            return result;
        }
        for declarator in field(node, "declarator") {
            let Some(base) = self.declared_base(node)? else {
                continue;
            };
            let declared = self.declarator(base, Some(declarator))?;
            let Some(name) = declared.name else {
                continue;
            };
            let array = matches!(declared.ty, Type::Array(..));
            // The host's own variables are of no use on a device, but constants.
            if storage == Storage::File && !fixed {
                continue;
            }
            let value = match part(declarator, "value") {
                None => None,
                Some(value) => match self.initial(value, Some(&declared.ty)) {
                    Ok(value) if array => Some(value),
                    Ok(value) => Some(value.converted(&declared.ty, self.at(declarator))),
                    // An array of unknown contents is an array.
                    Err(refusal) if array => Some(self.unsupported(refusal)),
                    Err(refusal) if fixed && storage != Storage::Device => return Err(refusal),
                    Err(_) => None,
                },
            };
            if storage == Storage::File && value.is_none() && !array {
                continue;
            }
            let ty = completed(declared.ty, value.as_ref());
            let value = value.map(|value| Expr { ty: ty.clone(), ..value });
            let v = self.declare(name, ty, storage, fixed);
            self.variable_of(v).volatile = self.has(node, "volatile");
            if fixed && let Some(bits) = value.as_ref().and_then(|value| self.constant(value)) {
                self.known.insert(v, bits);
            }
            if storage == Storage::Device && self.only_the_host_sets(v, value.as_ref(), node) {
                self.variable_of(v).storage = Storage::Constant;
            }
            let initial = value.map(Initial::Value);
            let declaration = self.statement(node, StmtKind::Declare(v, initial));
            self.kernel.globals.push(declaration);
        }
        Ok(())
    }

    /// Is it a pointer that no code of the file sets? Host code cannot, but by what CUDA provides: other uses of its name
    /// than those that only read it count, wherever they stand and whatever it means there.
    fn only_the_host_sets(&mut self, v: Var, value: Option<&Expr>, node: Node<'t>) -> bool {
        let variable = self.variable_of(v);
        if !matches!(variable.ty, Type::Pointer(_)) || !value.is_none_or(Expr::is_null) {
            return false;
        }
        let name = variable.name.clone();
        let root = successors(Some(node), Node::parent).last().unwrap_or(node);
        walk(root, |node, _| self.may_set(node, &name).then_some(())).is_none()
    }

    /// May the construct set a variable of this name, which is a part of it?
    fn may_set(&self, node: Node<'t>, name: &str) -> bool {
        let is_it = |n: Node<'t>| self.text(n).trim_start_matches("::") == name;
        let in_field = |field: &str| part(node, field).is_some_and(is_it);
        if !children(node).into_iter().any(is_it) {
            return match node.kind() {
                "call_expression" => {
                    let passed = part(node, "arguments").map(children).unwrap_or_default();
                    passed.into_iter().any(is_it) && !self.takes_values(node)
                }
                _ => false,
            };
        }
        match node.kind() {
            "subscript_expression" | "field_expression" => !in_field("argument"),
            "pointer_expression" => self.operator(node) != "*",
            "assignment_expression" => in_field("left"),
            "init_declarator" => {
                in_field("value") && part(node, "declarator").is_none_or(has_reference)
            }
            // Arguments are told with their call.
            "argument_list" => !self.text(node).starts_with('('),
            "binary_expression" | "cast_expression" | "pointer_declarator" | "condition_clause" => {
                false
            }
            _ => true,
        }
    }

    /// Does a call pass values? CUDA's own functions set what they are given for the host.
    fn takes_values(&self, call: Node<'t>) -> bool {
        let Some(name) = part(call, "function").map(|f| self.text(f)) else { return false };
        let own = self.unit.functions.get(name).map(Vec::as_slice).unwrap_or_default();
        let by_value =
            |f: &Function<'t>| f.parameters().is_some_and(|list| !self.text(list).contains('&'));
        match own {
            [] => name.starts_with("cuda") && !self.unit.declared.contains(name),
            own => own.iter().all(by_value),
        }
    }
}
