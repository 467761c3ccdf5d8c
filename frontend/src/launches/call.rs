//! What the call that is a launch says.

use super::Says;
use super::aliases::Aliases;
use super::under::literal;
use super::walk::{Walk, named};
use crate::doubt::Doubts;
use crate::unit::{MAX_DEPTH, Unit, children, part, walk, without_parentheses};
use babycuda_kernel::Expr;
use std::iter::successors;
use tree_sitter::Node;

/// The arguments of a function that launches the kernel that it is given first: where the grid is among them, and where
/// the kernel's own arguments begin, if they are there.
pub(super) fn launches_by(function: &str) -> Option<(usize, Option<usize>)> {
    match function {
        "hipLaunchKernelGGL" => Some((1, Some(5))),
        "cudaLaunchKernel" | "cudaLaunchCooperativeKernel" | "hipLaunchKernel" => Some((1, None)),
        _ => None,
    }
}

/// The extents that stand as numbers in a launch of which nothing else is known: what it may well be.
pub(super) fn written<'t>(
    unit: &'t Unit<'t>,
    doubts: &Doubts<'t>,
    kernel: &str,
    call: Node<'t>,
) -> Says {
    let Says { block, grid, .. } = Walk::new(unit, doubts, false).launch(kernel, call);
    let [block, grid] = [block, grid].map(|all| all.map(|e| e.filter(|e| literal(e).is_some())));
    Says { block, grid, ..Says::default() }
}

impl<'t> Walk<'_, 't> {
    /// What the launch says, where the way to it was followed.
    pub(super) fn launch(&mut self, kernel: &str, call: Node<'t>) -> Says {
        let arguments = part(call, "arguments").map(children).unwrap_or_default();
        let syntax = children(call).into_iter().find(|c| c.kind() == "kernel_call_syntax");
        let function = part(call, "function");
        let (configuration, own) = match syntax {
            Some(syntax) => (children(syntax), Some(arguments)),
            None => {
                let by = function.and_then(|f| launches_by(self.text(f)));
                let (first, own) = by.unwrap_or((1, None));
                let rest = arguments.iter().skip(first).copied().collect();
                (rest, own.map(|from| arguments.into_iter().skip(from).collect()))
            }
        };
        let extents = |s: &mut Self, at: usize| {
            configuration.get(at).map_or([None, None, None], |node| s.extents(*node))
        };
        let (grid, block) = (extents(self, 0), extents(self, 1));
        let function_around = successors(Some(call), |n| n.parent())
            .take(MAX_DEPTH)
            .find(|n| n.kind() == "function_definition");
        let mut aliases = function_around.map(|f| Aliases::of(self.unit, f)).unwrap_or_default();
        let first: Vec<Option<String>> = own
            .iter()
            .flatten()
            .map(|argument| aliases.argument(self.unit, *argument).map(str::to_owned))
            .collect();
        let each = |of: &dyn Fn(&str) -> String| {
            first.iter().map(|name| name.as_deref().map(of)).collect::<Vec<_>>()
        };
        let (names, origins) = (each(&|n| aliases.copy(n)), each(&|n| aliases.origin(n)));
        let plain = own.iter().flatten();
        let plain = plain.map(|a| without_parentheses(*a).kind() == "identifier").collect();
        let known = own.map(|own| own.into_iter().map(|argument| self.value(argument)).collect());
        let (template, written) =
            function.map_or_else(Default::default, |f| self.template(kernel, f));
        Says {
            block,
            grid,
            arguments: known,
            names,
            origins,
            plain,
            template,
            written,
            guessed: self.guessed,
            conditions: std::mem::take(&mut self.conditions),
            symbols: std::mem::take(&mut self.symbols),
        }
    }

    /// What the template of the kernel is given.
    fn template(&mut self, kernel: &str, function: Node<'t>) -> (Vec<(String, Expr)>, Vec<String>) {
        let list = walk(function, |n, _| (n.kind() == "template_argument_list").then_some(n));
        let given = list.map(children).unwrap_or_default();
        let written = given.iter().map(|n| self.text(*n).to_owned()).collect();
        let definition = self.unit.kernels.iter().find(|k| named(self.unit, k, kernel));
        let parameters = definition.and_then(|k| k.template).map(children).unwrap_or_default();
        let mut values = Vec::new();
        for (parameter, argument) in parameters.into_iter().zip(given) {
            // A name may look like a type.
            let named = walk(argument, |n, _| (n.child_count() == 0).then_some(n));
            let of_name = named.filter(|n| n.byte_range() == argument.byte_range());
            let value = match of_name.and_then(|n| self.host.variable(self.text(n))) {
                Some(v) => self.holds(v),
                None if argument.kind() == "type_descriptor" => None,
                None => self.value(argument),
            };
            let name = part(parameter, "declarator").map(|d| self.text(d));
            if let (Some(name), Some(value)) = (name, value) {
                values.push((name.to_owned(), value));
            }
        }
        (values, written)
    }
}
