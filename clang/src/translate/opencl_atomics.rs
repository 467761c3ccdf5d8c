//! Atomic functions of OpenCL C, of both generations. Their orders of memory order nothing here, as CUDA's fences.

use super::{Lowered, Translator};
use crate::document::Node;
use babycuda_kernel::{Expr, ExprKind, Type, constant};

/// The scopes of atomic functions, by OpenCL C's numbers.
const SCOPES: [(u64, &str); 3] = [(1, "_block"), (2, ""), (3, "_system")];

/// What an atomic function takes behind the object, and how it is said here.
struct Atomic {
    name: &'static str,
    operands: usize,
    /// What it takes as its last operand, where that is no argument.
    with: Option<u64>,
}

/// The function of this name, without its prefix and `_explicit`.
fn function(name: &str) -> Option<Atomic> {
    let of = |name, operands, with| Some(Atomic { name, operands, with });
    let one = |name| of(name, 1, None);
    match name {
        "inc" => return of("atomicAdd", 0, Some(1)),
        "dec" => return of("atomicSub", 0, Some(1)),
        "cmpxchg" => return of("atomicCAS", 2, None),
        "load" => return of("opencl::atomic_load", 0, None),
        "compare_exchange_strong" => return of("opencl::compare_exchange_strong", 2, None),
        "compare_exchange_weak" => return of("opencl::compare_exchange_weak", 2, None),
        "flag_test_and_set" => return of("atomicExch", 0, Some(1)),
        "flag_clear" => return of("atomicExch", 0, Some(0)),
        _ => {}
    }
    match name.strip_prefix("fetch_").unwrap_or(name) {
        "add" => one("atomicAdd"),
        "sub" => one("atomicSub"),
        "min" => one("atomicMin"),
        "max" => one("atomicMax"),
        "and" => one("atomicAnd"),
        "or" => one("atomicOr"),
        "xor" => one("atomicXor"),
        "xchg" | "exchange" | "store" => one("atomicExch"),
        _ => None,
    }
}

impl<'a> Translator<'a> {
    /// An atomic function, without its prefix.
    pub(super) fn opencl_atomic(
        &mut self,
        name: &str,
        arguments: &[&'a Node],
        node: &'a Node,
    ) -> Lowered<Expr> {
        let unknown = |s: &mut Self| s.refuse(node, format!("call of `atomic_{name}`"));
        let (plain, explicit) = match name.strip_suffix("_explicit") {
            Some(plain) => (plain, true),
            None => (name, false),
        };
        if let ("init", [object, value]) = (name, arguments) {
            return self.opencl_init(object, value, node);
        }
        let Some(Atomic { name: function, operands, with }) = function(plain) else {
            return unknown(self);
        };
        let compares = function.starts_with("opencl::compare");
        let Some((object, rest)) = arguments.split_first().filter(|(_, r)| r.len() >= operands)
        else {
            return unknown(self);
        };
        let (rest, how) = rest.split_at(operands);
        let orders = if compares { 2 } else { 1 };
        if how.len() > orders + 1 || (!explicit && !how.is_empty()) {
            return unknown(self);
        }
        let object = self.pointer_of(object)?;
        let Type::Pointer(cell) = object.ty.clone() else { return unknown(self) };
        let mut values = vec![object];
        for (number, value) in rest.iter().enumerate() {
            let at = self.at(value);
            values.push(match compares && number == 0 {
                true => self.pointer_of(value)?,
                false => self.value_of(value)?.converted(&cell, at),
            });
        }
        let at = self.at(node);
        values.extend(with.map(|number| Expr::int((*cell).clone(), number, at)));
        let scope = match how.get(orders) {
            None => "",
            Some(scope) => {
                let number = constant(&self.expr(scope)?, &|_| None);
                match SCOPES.iter().find(|(n, _)| Some(*n) == number) {
                    Some((_, suffix)) => suffix,
                    None => {
                        return self.refuse(node, "atomic function of a scope that is not known");
                    }
                }
            }
        };
        let ty = if compares { Type::Bool } else { *cell };
        let update = self.opencl_device(&format!("{function}{scope}"), values, ty, node);
        Ok(match plain {
            "store" | "flag_clear" => update.converted(&Type::Void, at),
            "flag_test_and_set" => update.converted(&Type::Bool, at),
            _ => update,
        })
    }

    /// `atomic_init(object, value)` stores as an assignment does.
    fn opencl_init(&mut self, object: &'a Node, value: &'a Node, node: &'a Node) -> Lowered<Expr> {
        let object = self.pointer_of(object)?;
        let place = Box::new(self.deref(object, node)?);
        let (ty, at) = (place.ty.clone(), self.at(node));
        let value = Box::new(self.value_of(value)?.converted(&ty, at));
        let stored = self.expression(node, ExprKind::Assign(place, value), ty);
        Ok(stored.converted(&Type::Void, at))
    }
}
