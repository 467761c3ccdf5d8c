//! Asynchronous copies, and what waits for them: `cuda::memcpy_async`, pipelines of a thread, barriers of a block.
//! They become calls of functions of the device ([`Device::Copies`](babycuda_kernel::device::Device)).

use super::templates::Given;
use super::types::operand;
use super::{Resolved, Resolver};
use crate::error::refuse;
use crate::unit::{children, part, walk};
use babycuda_core::IntType;
use babycuda_kernel::device::{BARRIER, PIPELINE, TOKEN};
use babycuda_kernel::{Expr, ExprKind, Type};
use tree_sitter::Node;

/// A name of the namespace `cuda`, without it and without blanks; `None`: it is another.
fn member(name: &str) -> Option<String> {
    let name: String = name.split_whitespace().collect();
    name.trim_start_matches("::").strip_prefix("cuda::").map(str::to_owned)
}

fn opaque(name: &str) -> Type {
    Type::Opaque(name.into())
}

/// Is it an object of the class of this name?
fn is(ty: &Type, name: &str) -> bool {
    matches!(ty, Type::Opaque(known) if **known == *name)
}

impl<'t> Resolver<'t> {
    /// The type of pipelines and barriers that a specifier names; `None`: it names another type.
    pub(super) fn waited_type(&mut self, node: Node<'t>) -> Option<Type> {
        match member(self.text(node))?.as_str() {
            "pipeline<cuda::thread_scope_thread>" => Some(opaque(PIPELINE)),
            "barrier<cuda::thread_scope_block>" => Some(opaque(BARRIER)),
            "barrier<cuda::thread_scope_block>::arrival_token" => Some(opaque(TOKEN)),
            _ => None,
        }
    }

    /// A call of a function of the namespace, or of a method of its objects; `None`: it is neither.
    pub(super) fn copy_call(
        &mut self,
        function: Node<'t>,
        args: &[Node<'t>],
        node: Node<'t>,
    ) -> Resolved<Option<Expr>> {
        let name = match function.kind() {
            "field_expression" => return self.waited_method(function, args, node),
            "qualified_identifier" => member(self.text(function)),
            "identifier" if self.text(function) == "init" => Some("init".to_owned()),
            _ => None,
        };
        let Some(name) = name else { return Ok(None) };
        let at = self.at(node);
        let (simple, given) = match name.split_once('<') {
            Some((simple, _)) => (simple, argument_list(function)),
            None => (&*name, None),
        };
        let mut arguments = Vec::new();
        let mut prior = None;
        match (simple, args) {
            ("aligned_size_t", [bytes]) if given.is_some() => {
                return Ok(Some(self.expr(*bytes)?.converted(&Type::Int(IntType::U64), at)));
            }
            ("make_pipeline", []) => {}
            ("pipeline_consumer_wait_prior", [pipeline]) => {
                arguments.push(self.waited(*pipeline)?);
                if let Some([given]) = given.as_deref() {
                    prior = match self.template_argument(*given)? {
                        Given::Value(prior) => Some(prior),
                        _ => None,
                    };
                }
            }
            ("memcpy_async", [group @ .., to, from, count, by]) if group.len() <= 1 => {
                for group in group {
                    arguments.push(self.group(*group)?.0);
                }
                let count = self.expr(*count)?;
                let count = self.folded(count);
                arguments.extend([self.expr(*to)?, self.expr(*from)?, count, self.waited(*by)?]);
            }
            ("init", [barrier, count]) => {
                arguments.extend([self.expr(*barrier)?, self.expr(*count)?]);
            }
            _ => return Ok(None),
        }
        match Expr::of_cuda(simple, &arguments, prior.as_ref(), at) {
            Some(made) => made.map(Some).or_else(|construct| refuse(node, construct)),
            None => Ok(None),
        }
    }

    /// The address of a pipeline or a barrier, or of something else.
    fn waited(&mut self, object: Node<'t>) -> Resolved<Expr> {
        let place = self.place(object)?;
        let pointer = place.ty.clone().pointer();
        Ok(self.expression(object, ExprKind::AddressOf(Box::new(place)), pointer))
    }

    /// A call of a method of a pipeline or a barrier.
    fn waited_method(
        &mut self,
        function: Node<'t>,
        args: &[Node<'t>],
        node: Node<'t>,
    ) -> Resolved<Option<Expr>> {
        let method = self.text(operand(function, "field")?);
        let object = operand(function, "argument")?;
        if self.operator(function) != "." || object.kind() != "identifier" {
            return Ok(None);
        }
        let Ok(address) = self.waited(object) else { return Ok(None) };
        if !matches!(&address.ty, Type::Pointer(to) if is(to, PIPELINE) || is(to, BARRIER)) {
            return Ok(None);
        }
        let mut arguments = vec![address];
        for token in args {
            arguments.push(self.token(*token)?);
        }
        match Expr::of_cuda(method, &arguments, None, self.at(node)) {
            Some(made) => made.map(Some).or_else(|construct| refuse(node, construct)),
            None => refuse(node, format!("call of the method `{}`", self.text(function))),
        }
    }

    /// What `arrive` answered, as it is or moved.
    fn token(&mut self, node: Node<'t>) -> Resolved<Expr> {
        let moved = part(node, "function").map(|f| self.text(f));
        let inner = part(node, "arguments").map(children);
        match (moved, inner.as_deref()) {
            (Some("std::move"), Some([inner])) => self.expr(*inner),
            _ => self.expr(node),
        }
    }
}

/// The arguments of the template that is called.
fn argument_list(function: Node<'_>) -> Option<Vec<Node<'_>>> {
    walk(function, |node, _| (node.kind() == "template_argument_list").then(|| children(node)))
}
