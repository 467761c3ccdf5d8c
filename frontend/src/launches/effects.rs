//! Which variables a statement of host code may change.

use super::walk::Walk;
use crate::resolve::names::{is_pure, plain};
use crate::unit::{begins, children, field, listed, part, walk, without_parentheses};
use babycuda_kernel::Var;
use std::collections::BTreeSet;
use tree_sitter::Node;

/// What a statement may do to the variables that are bound before it.
#[derive(Default, Debug)]
pub(super) struct Effects {
    /// They may be changed.
    pub(super) changed: BTreeSet<Var>,
    /// Their address, or a reference to them, may be kept.
    pub(super) escaped: BTreeSet<Var>,
    /// It may store through an address, or call what does.
    pub(super) stores: bool,
    /// It calls functions that may change variables of the file.
    pub(super) calls: bool,
}

impl Effects {
    pub(super) fn nothing(&self) -> bool {
        self.changed.is_empty() && !self.stores && !self.calls
    }
}

/// Functions that take their arguments by value, but for pointers.
const BY_VALUE: &str = "\
    dim3 printf fprintf sprintf snprintf puts malloc calloc free memset memcpy exit abort assert atoi atol atof rand \
    srand checkCudaErrors getLastCudaError gpuErrchk CUDA_CHECK CHECK_CUDA cutilSafeCall sizeof";
/// How such functions begin.
const BEGIN_BY_VALUE: &str = "cuda make_ sdkStartTimer sdkStopTimer sdkResetTimer sdkDeleteTimer";

impl<'t> Walk<'_, 't> {
    /// What a part of the function may change.
    pub(super) fn effects(&self, node: Node<'t>) -> Effects {
        let mut effects = Effects::default();
        let _nothing = walk(node, |n, _| {
            self.effect(n, &mut effects);
            None::<()>
        });
        effects
    }

    fn effect(&self, n: Node<'t>, out: &mut Effects) {
        match n.kind() {
            "assignment_expression" => {
                if let Some(left) = part(n, "left") {
                    self.assigned_to(left, out);
                }
            }
            "update_expression" => {
                if let Some(argument) = part(n, "argument") {
                    self.assigned_to(argument, out);
                }
            }
            "pointer_expression" if part(n, "operator").is_some_and(|o| self.text(o) == "&") => {
                self.escape(n, out);
            }
            "call_expression" => self.call(n, out),
            "new_expression"
            | "lambda_expression"
            | "gnu_asm_expression"
            | "co_await_expression"
            | "delete_expression" => {
                self.escape(n, out);
                (out.stores, out.calls) = (true, true);
            }
            "declaration" => {
                let by_value = self.is_number(n);
                for declarator in field(n, "declarator") {
                    // The grammar takes `Options o(n)` for a function of a parameter of type `n`.
                    if declarator.kind() == "function_declarator" && !by_value {
                        self.escape(declarator, out);
                        (out.stores, out.calls) = (true, true);
                    }
                    let reference =
                        walk(declarator, |d, _| (d.kind() == "reference_declarator").then_some(()));
                    // `int &r(n)` looks like a function that returns a reference.
                    if reference.is_some() && part(declarator, "value").is_none() {
                        self.escape(declarator, out);
                    }
                    if let Some(value) = part(declarator, "value")
                        && (!by_value || reference.is_some())
                    {
                        let braces = matches!(value.kind(), "argument_list" | "initializer_list");
                        let values = if braces { children(value) } else { vec![value] };
                        values.into_iter().for_each(|value| self.passed(value, out));
                        out.stores |= braces;
                        out.calls |= braces;
                    }
                }
            }
            // `Options{n}`
            "compound_literal_expression" if !self.is_number(n) => {
                let values = part(n, "value").map(children).unwrap_or_default();
                values.into_iter().for_each(|value| self.passed(value, out));
                (out.stores, out.calls) = (true, true);
            }
            "for_range_loop" => {
                if let Some(right) = part(n, "right") {
                    self.escape(right, out);
                }
            }
            "binary_expression" if part(n, "operator").is_some_and(|o| self.text(o) == ">>") => {
                let mut left = part(n, "left");
                while let Some(inner) = left.filter(|l| l.kind() == "binary_expression") {
                    left = part(inner, "left");
                }
                let left = left.map(without_parentheses);
                let number = left.is_some_and(|l| {
                    let of_own = self.host.variable(self.text(l));
                    l.kind() == "number_literal" || of_own.is_some_and(|v| self.is_integer(v))
                });
                if let Some(right) = part(n, "right").filter(|_| !number) {
                    self.passed(right, out);
                }
            }
            _ => {}
        }
    }

    /// A place that is assigned to. Another name of a variable may be one of it.
    fn assigned_to(&self, place: Node<'t>, out: &mut Effects) {
        let all = self.mentioned(place);
        out.stores |= !self.is_own(place) || all.iter().any(|v| self.is_escaped(*v));
        out.changed.extend(all);
    }

    fn call(&self, n: Node<'t>, out: &mut Effects) {
        let (Some(function), Some(arguments)) = (part(n, "function"), part(n, "arguments")) else {
            return;
        };
        let parts = children(n);
        if parts.iter().any(|c| c.kind() == "kernel_call_syntax") {
            return;
        }
        let name = self.text(function);
        let pure = is_pure(name) || listed("dim3 sizeof printf exit", name);
        out.stores |= !pure;
        let casts = ["static_cast<", "const_cast<", "reinterpret_cast<"];
        let by_value = pure
            || casts.iter().any(|cast| name.starts_with(cast))
            || matches!(function.kind(), "primitive_type" | "sized_type_specifier")
            || listed(BY_VALUE, plain(name))
            || begins(BEGIN_BY_VALUE, name)
            || super::call::launches_by(name).is_some()
            || (function.kind() == "identifier" && self.takes_values(name));
        out.calls |= !(pure || listed(BY_VALUE, plain(name)) || begins(BEGIN_BY_VALUE, name));
        if !by_value {
            children(arguments).into_iter().for_each(|argument| self.passed(argument, out));
            if function.kind() == "field_expression" {
                out.changed.extend(self.mentioned(function));
            }
        }
    }

    /// Do all functions of the file that have this name take values, and is there one?
    fn takes_values(&self, name: &str) -> bool {
        let functions = self.unit.functions.get(name).map_or(&[][..], |f| f);
        let mut known = functions.iter().filter_map(|f| f.parameters()).collect::<Vec<_>>();
        for declaration in &self.unit.declarations {
            if let Some(function) = crate::unit::function_declarator(*declaration)
                && part(function, "declarator").is_some_and(|n| self.text(n) == name)
            {
                known.extend(part(function, "parameters"));
            }
        }
        !known.is_empty() && known.iter().all(|list| !self.text(*list).contains('&'))
    }

    /// An argument that may be taken by reference.
    fn passed(&self, argument: Node<'t>, out: &mut Effects) {
        let argument = without_parentheses(argument);
        match argument.kind() {
            "identifier" | "field_expression" => self.escape(argument, out),
            "conditional_expression" | "comma_expression" | "initializer_list" => {
                children(argument).into_iter().for_each(|part| self.passed(part, out));
            }
            _ => {}
        }
    }

    fn escape(&self, node: Node<'t>, out: &mut Effects) {
        let all = self.mentioned(node);
        out.changed.extend(&all);
        out.escaped.extend(all);
    }

    /// The variables that are mentioned in a node.
    fn mentioned(&self, node: Node<'t>) -> Vec<Var> {
        let mut all = Vec::new();
        let _nothing = walk(node, |n, _| {
            if matches!(n.kind(), "identifier" | "type_identifier") {
                all.extend(self.host.variable(self.text(n)));
            }
            None::<()>
        });
        all
    }

    /// Is what is assigned to a variable of the function, or a component of one?
    fn is_own(&self, place: Node<'t>) -> bool {
        let place = without_parentheses(place);
        match place.kind() {
            "identifier" => true,
            "field_expression" => {
                part(place, "operator").is_some_and(|o| self.text(o) == ".")
                    && part(place, "argument").is_some_and(|argument| self.is_own(argument))
            }
            _ => false,
        }
    }
}
