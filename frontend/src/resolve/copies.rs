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
        Ok(Some(match (name.as_str(), args) {
            ("make_pipeline", []) => {
                self.expression(node, ExprKind::List(Vec::new()), opaque(PIPELINE))
            }
            (size, [bytes]) if size.starts_with("aligned_size_t<") => {
                self.expr(*bytes)?.converted(&Type::Int(IntType::U64), at)
            }
            (wait, [pipeline]) if wait.starts_with("pipeline_consumer_wait_prior<") => {
                let pipeline = self.expr(*pipeline)?;
                if !is(&pipeline.ty, PIPELINE) {
                    return refuse(node, "a wait for what is no pipeline of a thread");
                }
                let list = walk(function, |n, _| {
                    (n.kind() == "template_argument_list").then(|| children(n))
                });
                let Some([prior]) = list.as_deref() else {
                    return refuse(node, "a wait for stages of which it is not said which");
                };
                let Given::Value(prior) = self.template_argument(*prior)? else {
                    return refuse(node, "a wait for stages of which it is not said which");
                };
                let prior = prior.converted(&Type::Int(IntType::U64), at);
                self.device("async::wait_prior", vec![prior], Type::Void, node)
            }
            ("memcpy_async", [group @ .., to, from, count, by]) if group.len() <= 1 => {
                let by = self.place(*by)?.ty;
                let start = match () {
                    _ if is(&by, PIPELINE) => "async::copy",
                    _ if is(&by, BARRIER) => "async::copy_to_barrier",
                    _ => return refuse(node, "an asynchronous copy that nothing known waits for"),
                };
                let count = self.expr(*count)?;
                let operands = [self.expr(*to)?, self.expr(*from)?, self.folded(count)];
                let [to, from, count] = &operands;
                let copied = match group {
                    [] => Expr::bytes("memcpy", &operands, at),
                    _ => Expr::copied(to, from, count, at),
                };
                let Some(copied) = copied else {
                    return refuse(node, "an asynchronous copy of an unknown length");
                };
                let mut arguments = vec![copied];
                for group in group {
                    arguments.push(self.group(*group)?.0);
                }
                self.device(start, arguments, Type::Void, node)
            }
            ("init", [barrier, count]) => {
                let barrier = self.expr(*barrier)?;
                match &barrier.ty {
                    Type::Pointer(to) if is(to, BARRIER) => {}
                    _ => return Ok(None),
                }
                let count = self.expr(*count)?.converted(&Type::Int(IntType::U32), at);
                self.device("async::init", vec![barrier, count], Type::Void, node)
            }
            _ => return Ok(None),
        }))
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
        let Ok(place) = self.place(object) else { return Ok(None) };
        let of_pipeline = is(&place.ty, PIPELINE);
        if !of_pipeline && !is(&place.ty, BARRIER) {
            return Ok(None);
        }
        let pointer = Type::Pointer(Box::new(place.ty.clone()));
        let address = self.expression(object, ExprKind::AddressOf(Box::new(place)), pointer);
        Ok(Some(match (of_pipeline, method, args) {
            (true, "producer_acquire", []) => {
                self.device("async::acquire", Vec::new(), Type::Void, node)
            }
            (true, "producer_commit", []) => {
                self.device("async::commit", Vec::new(), Type::Void, node)
            }
            (true, "consumer_wait", []) => self.device("async::wait", Vec::new(), Type::Void, node),
            (true, "consumer_release", []) => {
                self.device("async::release", Vec::new(), Type::Void, node)
            }
            (false, "arrive_and_wait", []) => {
                self.device("async::arrive_and_wait", vec![address], Type::Void, node)
            }
            (false, "arrive", []) => {
                self.device("async::arrive", vec![address], opaque(TOKEN), node)
            }
            (false, "wait", [token]) if self.is_token(*token) => {
                self.device("async::wait_for_others", Vec::new(), Type::Void, node)
            }
            _ => return refuse(node, format!("call of the method `{}`", self.text(function))),
        }))
    }

    /// Is it what `arrive` answered, as it is or moved?
    fn is_token(&mut self, node: Node<'t>) -> bool {
        let moved = part(node, "function").map(|f| self.text(f));
        let inner = match moved {
            Some("std::move") => part(node, "arguments").map(children),
            None => Some(vec![node]),
            Some(_) => None,
        };
        match inner.as_deref() {
            Some([name]) if name.kind() == "identifier" => {
                self.place(*name).is_ok_and(|place| is(&place.ty, TOKEN))
            }
            _ => false,
        }
    }
}
