//! CUDA's atomic functions.

use super::emit::Item;
use super::sites::Event;
use super::{At, Lower, Lowered, refuse};
use crate::ctype::CType;
use crate::value::{Base, Place, Value};
use babycuda_core::IntType;
use babycuda_core::syntax::{AtomicOp, AtomicUpdate, Scope};
use babycuda_kernel::Expr;

/// The operator of the atomic function `name`, on cells of type `t`.
fn operator(name: &str, t: IntType) -> Option<AtomicOp> {
    Some(match name {
        "atomicAdd" => AtomicOp::Add(Some(t)),
        "atomicSub" => AtomicOp::Sub(Some(t)),
        "atomicMin" => AtomicOp::Min(Some(t)),
        "atomicMax" => AtomicOp::Max(Some(t)),
        "atomicAnd" => AtomicOp::And(t),
        "atomicOr" => AtomicOp::Or(t),
        "atomicXor" => AtomicOp::Xor(t),
        "atomicExch" => AtomicOp::Exch,
        "atomicInc" => AtomicOp::Inc,
        "atomicDec" => AtomicOp::Dec,
        "atomicCAS" => AtomicOp::Cas,
        _ => return None,
    })
}

impl<'t> Lower<'t> {
    /// The value of a call to an atomic function: the cell's old contents.
    pub(super) fn atomic(&mut self, name: &str, args: &'t [Expr], at: At) -> Lowered<Value> {
        let (base, scope) = if let Some(base) = name.strip_suffix("_block") {
            (base, Scope::Block)
        } else if let Some(base) = name.strip_suffix("_system") {
            (base, Scope::System)
        } else {
            (name, Scope::Device)
        };
        let wanted = if base == "atomicCAS" { 2 } else { 1 };
        let Some((address, operands)) = args.split_first().filter(|(_, o)| o.len() == wanted)
        else {
            return refuse(at, format!("call of `{name}` with this number of arguments"));
        };
        let Value::Pointer(p) = self.eval(address)? else {
            return refuse(address.at, format!("address of `{name}`"));
        };
        let mut values = Vec::new();
        for operand in operands {
            let value = self.eval(operand)?;
            values.push(self.convert(value, &p.pointee, operand.at)?);
        }
        if let Base::Local(_) | Base::Private | Base::Object(_) = p.base {
            // On a thread's own variable it is an ordinary update, of an unknown result.
            let place = self.deref(p.clone(), at)?;
            let old = self.load(&place, at)?;
            match place {
                Place::Var(v) => {
                    let unknown = self.unknown(&p.pointee, at);
                    self.set(v, unknown);
                }
                place if matches!(p.base, Base::Object(_)) => {
                    let unknown = self.unknown(&p.pointee, at);
                    self.store(&place, unknown, at)?;
                }
                _ => {}
            }
            return Ok(old);
        }
        let array = self.array_of(&p, at)?;
        if self.arrays.of_objects.contains(&array) {
            return refuse(at, "atomic update of a long array in a parameter");
        }
        if self.touched(array, &p.pointee, at)? != 1 {
            return refuse(at, "atomic update of what is accessed in parts, too");
        }
        let known = self.is_exact(array, &p.pointee);
        let op = match &p.pointee {
            CType::Int(t) if known => operator(base, *t),
            _ => Some(AtomicOp::Opaque),
        };
        let Some(op) = op else {
            return refuse(at, format!("call of `{name}`"));
        };
        let expected = (op == AtomicOp::Cas).then(|| self.payload(values[0].clone(), at));
        let operand = match (op, values.last()) {
            (AtomicOp::Opaque, _) | (_, None) => crate::arith::lit(0),
            (_, Some(value)) => self.payload(value.clone(), at),
        };
        let var = self.fresh("old");
        let site = self.site(Event::Atomic, at);
        self.push(Item::Atomic {
            site,
            var: var.clone(),
            array: self.arrays[array].decl.name.clone(),
            index: p.index.clone(),
            update: AtomicUpdate { op, operand, expected },
            scope,
        });
        match known {
            true => Ok(self.loaded(var, &p.pointee)),
            false => Ok(self.unknown(&p.pointee, at)),
        }
    }
}
