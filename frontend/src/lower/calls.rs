//! Calls: casts in the form of calls, barriers, atomics, loads, CUDA's functions, and inlining.

use super::Lower;
use super::emit::Item;
use super::expr::operands;
use super::intrinsics::{self, plain};
use super::sites::Event;
use crate::ctype::{CType, named};
use crate::error::{Lowered, refuse};
use crate::unit::{children, listed};
use crate::value::{Binding, Value};
use babycuda_core::syntax::BarrierScope;
use babycuda_core::{IntType, Stmt};
use tree_sitter::Node;

/// Loads through a pointer, with a hint for the cache.
const LOADS: &str = "__ldg __ldca __ldcg __ldcs __ldlu __ldcv";
/// Stores likewise.
const STORES: &str = "__stwb __stcg __stcs __stwt";

impl<'t> Lower<'t> {
    pub(super) fn call(&mut self, node: Node<'t>) -> Lowered<Value> {
        let (function, arguments) = operands(node, "function", "arguments")?;
        if children(node).iter().any(|c| c.kind() == "kernel_call_syntax") {
            return refuse(node, "kernel launch from a kernel");
        }
        let args = children(arguments);
        self.in_any_order(&args, node)?;
        if let Some(value) = self.group_call(function, &args, node)? {
            return Ok(value);
        }
        match function.kind() {
            "identifier" => self.call_named(self.text(function), None, &args, node),
            "primitive_type" | "sized_type_specifier" => {
                let ctype = self.specifier(function)?;
                self.construct(ctype, &args, node)
            }
            "qualified_identifier" => {
                let name = self.text(function);
                let simple = plain(name);
                if simple.contains("::") {
                    return refuse(node, format!("call of `{name}`"));
                }
                if name.trim_start_matches("::").starts_with("std::") {
                    return self.call_known(simple, &args, node);
                }
                self.call_named(simple, None, &args, node)
            }
            "template_function" => {
                let (name, template) = operands(function, "name", "arguments")?;
                let name = self.text(name);
                match name {
                    "static_cast" | "reinterpret_cast" | "const_cast" => {
                        match (&children(template)[..], &args[..]) {
                            ([ctype], [value]) => self.cast_to(*ctype, *value, node),
                            _ => refuse(node, name),
                        }
                    }
                    _ => self.call_named(name, Some(template), &args, node),
                }
            }
            "parenthesized_expression" => {
                refuse(node, "call of a function that an expression computes")
            }
            "field_expression" => {
                refuse(node, format!("call of the method `{}`", self.text(function)))
            }
            other => refuse(node, format!("call of a {}", other.replace('_', " "))),
        }
    }

    fn call_named(
        &mut self,
        name: &str,
        template: Option<Node<'t>>,
        args: &[Node<'t>],
        node: Node<'t>,
    ) -> Lowered<Value> {
        match self.env.lookup(name).cloned() {
            Some(Binding::Type(ctype)) => return self.construct(Some(ctype), args, node),
            Some(_) => return refuse(node, format!("call of the object `{name}`")),
            None => {}
        }
        if self.unit.functions.contains_key(name) {
            // An own `min` of three parameters leaves CUDA's of two as it is.
            let cuda = intrinsics::is_exact(name) && intrinsics::may_take(name, args.len());
            if cuda && self.taking(name, args.len()).is_empty() {
                return self.call_known(name, args, node);
            }
            return self.inline(name, template, args, node);
        }
        if self.unit.declared.contains(name) {
            return refuse(node, format!("call of `{name}`, which is not defined in this file"));
        }
        self.call_known(name, args, node)
    }

    /// A call of a function that CUDA or the standard library defines.
    fn call_known(&mut self, name: &str, args: &[Node<'t>], node: Node<'t>) -> Lowered<Value> {
        if self.mode.pure {
            return match self.intrinsic(name, args, node)? {
                Some(value) => Ok(value),
                None => refuse(node, format!("call of `{name}`")),
            };
        }
        match (name, args) {
            ("__syncthreads", []) => {
                return self.sync(BarrierScope::Block, node);
            }
            ("__syncwarp", []) => return self.sync(BarrierScope::Warp, node),
            ("__syncwarp", [mask]) => {
                let mask = self.eval(*mask)?;
                let scope = match &mask {
                    Value::Int(_, mask) => self.lanes(mask),
                    _ => None,
                };
                let some = "`__syncwarp` of some lanes: a mask without some, or not known";
                return match scope {
                    Some(scope) => self.sync(scope, node),
                    None => refuse(node, some),
                };
            }
            ("__syncthreads_count" | "__syncthreads_and" | "__syncthreads_or", [predicate]) => {
                self.eval(*predicate)?;
                self.sync(BarrierScope::Block, node)?;
                return Ok(Value::Int(IntType::I32, self.unknown_int(IntType::I32, node)));
            }
            (_, [address, stored @ ..])
                if (listed(LOADS, name) && stored.is_empty())
                    || (listed(STORES, name) && stored.len() == 1) =>
            {
                let Value::Pointer(p) = self.eval(*address)? else {
                    return refuse(
                        node,
                        format!("call of `{name}` with a value that is no pointer"),
                    );
                };
                let stored = stored.first().map(|value| self.eval(*value)).transpose()?;
                let place = self.deref(p, node)?;
                let Some(value) = stored else {
                    return self.load(&place, node);
                };
                self.store(&place, value, node)?;
                return Ok(Value::Void);
            }
            ("swap", [a, b]) => {
                let (a, b) = (self.place(*a)?, self.place(*b)?);
                let (x, y) = (self.load(&a, node)?, self.load(&b, node)?);
                self.store(&a, y, node)?;
                self.store(&b, x, node)?;
                return Ok(Value::Void);
            }
            _ => {}
        }
        if let Some(value) = self.atomic(name, args, node)? {
            return Ok(value);
        }
        if let Some(value) = self.intrinsic(name, args, node)? {
            return Ok(value);
        }
        if let Some(ctype) = named(name) {
            return self.construct(Some(ctype), args, node);
        }
        refuse(node, format!("call of `{name}`, which is not defined in this file"))
    }

    /// A barrier. Where CUDA lets threads of a warp pass that the calculus does not, a check says so
    /// (`Sources::loose_warps`).
    pub(super) fn sync(&mut self, scope: BarrierScope, node: Node<'t>) -> Lowered<Value> {
        if self.mode.pure {
            return refuse(node, "a barrier in an assumption");
        }
        // A tile of one thread waits for nobody.
        if scope != BarrierScope::Tile(1) {
            let site = self.site(Event::Sync, node);
            self.push(Item::Stmt(Stmt::Sync { site, scope }));
        }
        Ok(Value::Void)
    }

    /// `type(value)`, or a vector type from its components.
    fn construct(
        &mut self,
        ctype: Option<CType>,
        args: &[Node<'t>],
        node: Node<'t>,
    ) -> Lowered<Value> {
        match (ctype, args) {
            (Some(ctype), [value]) => {
                let value = self.eval(*value)?;
                self.convert(value, &ctype, node)
            }
            (Some(CType::Data(data)), args) if data.size.is_some() => {
                for arg in args {
                    self.eval(*arg)?;
                }
                Ok(Value::Data(data, None))
            }
            _ => refuse(node, "object of a type whose size is not known"),
        }
    }
}
