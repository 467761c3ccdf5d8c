//! A kernel: its parameters, those of its template, and its body.

use super::types::operand;
use super::{Entity, Resolved, Resolver};
use crate::error::refuse;
use crate::unit::{Function, Unit, children, part, walk};
use babycuda_kernel::{Function as Resolution, Kernel, Stmt, StmtKind, Storage, Type};
use tree_sitter::Node;

/// The tree of a kernel; `assumptions` are expressions of the unit, as they are in it and as they were
/// stated.
pub(crate) fn kernel<'t>(
    unit: &'t Unit<'t>,
    function: Function<'t>,
    name: &'t str,
    assumptions: &[(Node<'t>, &str)],
) -> Resolved<Kernel> {
    let node = function.node;
    if let Some(error) = first_error(node) {
        return refuse(error, "syntax error");
    }
    if let Some(operator) = crate::wild::operator(unit) {
        return refuse(
            operator,
            "operator that the file defines: it may do more than compute a value",
        );
    }
    let mut resolver = Resolver::new(unit);
    resolver.kernel.opaque_objects = !unit.operators.is_empty();
    resolver.kernel(function, name, assumptions)?;
    Ok(resolver.kernel)
}

/// A tree that another parser made, with these assumptions about its parameters and those of the file's
/// variables that it has.
pub(crate) fn assume<'t>(
    unit: &'t Unit<'t>,
    tree: Kernel,
    assumptions: &[(Node<'t>, &str)],
) -> Kernel {
    let mut resolver = Resolver::new(unit);
    // What the other parser says of `volatile` may leave out macros and headers.
    let (volatile, places) = (resolver.kernel.volatile, resolver.kernel.volatile_places);
    resolver.kernel = tree;
    resolver.kernel.volatile |= volatile;
    resolver.kernel.volatile_places |= places;
    let bound = resolver.kernel.globals.iter().filter_map(|stmt| match stmt.kind {
        StmtKind::Declare(v, _) => Some(v),
        _ => None,
    });
    let parameters = resolver.kernel.entry().map(|f| f.parameters.clone()).unwrap_or_default();
    let words = assumptions.iter().flat_map(|(node, _)| words(unit, *node)).collect::<Vec<_>>();
    let constants = resolver.kernel.assumed_constants.clone();
    for v in bound.chain(parameters).chain(constants).collect::<Vec<_>>() {
        let name = words.iter().find(|word| **word == resolver.kernel[v].name);
        name.into_iter().for_each(|name| resolver.bind(name, Entity::Variable(v)));
    }
    for (expression, text) in assumptions {
        let assumption = resolver.assumption(*expression, text);
        resolver.kernel.assumptions.push(assumption);
    }
    resolver.kernel
}

/// The names that are written in a node.
fn words<'t>(unit: &'t Unit<'t>, node: Node<'t>) -> Vec<&'t str> {
    let mut names = Vec::new();
    let _nothing = walk(node, |n, _| {
        names.extend(Some(unit.text_of(n)).filter(|_| n.kind() == "identifier"));
        None::<()>
    });
    names
}

impl<'t> Resolver<'t> {
    fn kernel(
        &mut self,
        function: Function<'t>,
        name: &'t str,
        assumptions: &[(Node<'t>, &str)],
    ) -> Resolved<()> {
        let node = function.node;
        let at = self.at(node);
        let empty = Stmt { kind: StmtKind::Block(Vec::new()), at };
        self.kernel.functions.push(Resolution {
            name: name.to_owned(),
            parameters: Vec::new(),
            result: Type::Void,
            body: empty,
            at,
        });
        self.globals();
        self.active.push(name);
        self.scoped(|s| {
            s.template_of_kernel(function)?;
            for parameter in s.parameters(function) {
                s.kernel_parameter(parameter)?;
            }
            let bounds = children(node).into_iter().find(|n| n.kind() == "launch_bounds");
            let most = bounds.and_then(|bounds| children(bounds).first().copied());
            s.kernel.most_threads = most.and_then(|most| s.expr(most).ok());
            // What the first statements require is among the assumptions.
            let body = operand(node, "body")?;
            let (statements, _) = crate::requires::of_body(s.unit, body);
            let body = s.block(&statements, body);
            s.kernel.functions[0].body = body;
            // They may speak of constants that only the body mentions.
            for (expression, text) in assumptions {
                let assumption = s.assumption(*expression, text);
                s.kernel.assumptions.push(assumption);
            }
            Ok(())
        })
    }

    /// One parameter of the kernel.
    fn kernel_parameter(&mut self, node: Node<'t>) -> Resolved<()> {
        let Some(base) = self.declared_base(node)? else {
            return refuse(node, "kernel parameter whose type is `auto`: write the type");
        };
        let declared = self.declarator(base, part(node, "declarator"))?;
        let Some(name) = declared.name else {
            return Ok(());
        };
        if declared.reference {
            return refuse(node, "reference parameter of a kernel");
        }
        let v = self.declare(name, declared.ty.decayed(), Storage::Local, false);
        let volatile = self.has(node, "volatile");
        let at = self.at(node);
        let variable = self.variable_of(v);
        (variable.volatile, variable.at) = (volatile, at);
        self.kernel.functions[0].parameters.push(v);
        Ok(())
    }

    /// The parameters of a kernel template: integers are parameters of the program, types are
    /// data.
    fn template_of_kernel(&mut self, function: Function<'t>) -> Resolved<()> {
        for parameter in function.template.map(children).unwrap_or_default() {
            if parameter.kind().contains("type_parameter") {
                if let Some(name) = part(parameter, "name").or(parameter.named_child(0)) {
                    let name = self.text(name);
                    self.bind(name, Entity::Type(Type::Opaque(name.into())));
                }
                continue;
            }
            let Some(base) = self.declared_base(parameter)? else {
                return refuse(
                    parameter,
                    "template parameter whose type is `auto`: write the type",
                );
            };
            let declared = self.declarator(base, part(parameter, "declarator"))?;
            if let Some(name) = declared.name {
                let v = self.declare(name, declared.ty, Storage::Template, true);
                self.kernel.template.push(v);
            }
        }
        Ok(())
    }
}

/// The first node that the grammar could make no sense of.
fn first_error(node: Node<'_>) -> Option<Node<'_>> {
    let wrong = |n: Node<'_>| n.is_error() || n.is_missing();
    let found = || walk(node, |n, _| wrong(n).then_some(n)).unwrap_or(node);
    node.has_error().then(found)
}
