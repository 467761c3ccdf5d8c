//! CUDA's atomic functions, and those of OpenCL C that it has not.
//!
//! An atomic load is an update that adds nothing: it races with no other atomic function. Nor does it with a plain
//! read, as an update would; so a kernel that does both to one array is refused. So is a load of global memory in the
//! scope of a group: two of these are no race, either.

use super::emit::Item;
use super::sites::Event;
use super::{At, Lower, Lowered, refuse};
use crate::arith::{compare, not};
use crate::ctype::CType;
use crate::value::{Base, Place, Pointer, Value};
use babycuda_core::expr::Relation;
use babycuda_core::syntax::{ArrayDecl, AtomicOp, AtomicUpdate, Scope, Space};
use babycuda_core::{IntType, Stmt};
use babycuda_kernel::{Expr, Language};

/// The operator of the atomic function `name`, on cells of type `t`.
fn operator(name: &str, t: IntType) -> Option<AtomicOp> {
    Some(match name {
        // A load adds nothing.
        "atomicAdd" | "opencl::atomic_load" => AtomicOp::Add(Some(t)),
        "atomicSub" => AtomicOp::Sub(Some(t)),
        "atomicMin" => AtomicOp::Min(Some(t)),
        "atomicMax" => AtomicOp::Max(Some(t)),
        "atomicAnd" => AtomicOp::And(t),
        "atomicOr" => AtomicOp::Or(t),
        "atomicXor" => AtomicOp::Xor(t),
        "atomicExch" => AtomicOp::Exch,
        "atomicInc" => AtomicOp::Inc,
        "atomicDec" => AtomicOp::Dec,
        "atomicCAS" | "opencl::compare_exchange_strong" => AtomicOp::Cas,
        _ => return None,
    })
}

/// What a function does to the cell that its first argument points to.
struct Update<'n> {
    name: &'n str,
    scope: Scope,
    /// Its name without the scope.
    base: &'n str,
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
        if self.options.language == Language::OpenCl {
            let note = "atomic functions are taken to order no other accesses, whatever their memory order is";
            self.note(note, None);
        }
        let wanted = match base {
            "atomicCAS" | "opencl::compare_exchange_strong" | "opencl::compare_exchange_weak" => 2,
            "opencl::atomic_load" => 0,
            _ => 1,
        };
        let Some((address, operands)) = args.split_first().filter(|(_, o)| o.len() == wanted)
        else {
            return refuse(at, format!("call of `{name}` with this number of arguments"));
        };
        let Value::Pointer(p) = self.eval(address)? else {
            return refuse(address.at, format!("address of `{name}`"));
        };
        let update = Update { name, scope, base };
        if base.starts_with("opencl::compare") {
            return self.compare_exchange(update, p, operands, at);
        }
        let mut values = Vec::new();
        for operand in operands {
            let value = self.eval(operand)?;
            values.push(self.convert(value, &p.pointee, operand.at)?);
        }
        self.update(update, &p, values, at)
    }

    /// `atomic_compare_exchange_…(object, expected, desired)`: is what `expected` points to there? Then `desired` is,
    /// from now on; else what is there is stored where `expected` points to.
    fn compare_exchange(
        &mut self,
        update: Update<'_>,
        object: Pointer,
        operands: &'t [Expr],
        at: At,
    ) -> Lowered<Value> {
        let Value::Pointer(expected) = self.eval(&operands[0])? else {
            return refuse(operands[0].at, format!("address of `{}`", update.name));
        };
        let expected = self.deref(expected, at)?;
        let desired = self.eval(&operands[1])?;
        let desired = self.convert(desired, &object.pointee, at)?;
        let compared = self.load(&expected, at)?;
        let compared = self.convert(compared, &object.pointee, at)?;
        let weak = update.base.ends_with("weak");
        let old = self.update(update, &object, vec![compared.clone(), desired], at)?;
        let done = match (&old, &compared) {
            (Value::Int(t, old), Value::Int(_, compared)) if !weak => {
                compare(Relation::Eq, *t, old.clone(), compared.clone(), &self.ranges)
            }
            _ => self.unknown_bool(at),
        };
        match expected {
            // Where the comparison holds, the variable has this value already.
            Place::Var(_) if !weak => {
                self.store(&expected, old, at)?;
            }
            _ => {
                let failed: super::branch::Side<'_, 't> =
                    &|s| s.store(&expected, old.clone(), at).map(|_| ());
                self.branch(not(done.clone()), failed, &|_| Ok(()), at)?;
            }
        }
        Ok(Value::Bool(done))
    }

    /// Updates a cell, and yields what it held.
    fn update(
        &mut self,
        update: Update<'_>,
        p: &Pointer,
        values: Vec<Value>,
        at: At,
    ) -> Lowered<Value> {
        let Update { name, scope, base } = update;
        if let Base::Local(_) | Base::Private | Base::Object(_) = p.base {
            // On a thread's own variable it is an ordinary update, of an unknown result.
            let place = self.deref(p.clone(), at)?;
            let old = self.load(&place, at)?;
            self.store_unknown(&place, at)?;
            return Ok(old);
        }
        let array = self.array_of(p, at)?;
        if self.arrays.of_objects.contains(&array) {
            return refuse(at, "atomic update of a long array in a parameter");
        }
        if self.touched(array, &p.pointee, at)? != 1 {
            return refuse(at, "atomic update of what is accessed in parts, too");
        }
        let known = self.is_exact(array, &p.pointee);
        let op = match &p.pointee {
            // One that may fail for no reason is no comparison that is known to be one.
            _ if base == "opencl::compare_exchange_weak" => Some(AtomicOp::Opaque),
            CType::Int(t) if known => operator(base, *t),
            _ => Some(AtomicOp::Opaque),
        };
        let Some(op) = op else {
            return refuse(at, format!("call of `{name}`"));
        };
        if base == "opencl::atomic_load" {
            let ArrayDecl { name, space, .. } = &self.arrays[array].decl;
            if scope == Scope::Block && *space == Space::Global {
                return refuse(at, "atomic load of global memory in the scope of a group");
            }
            let name = name.clone();
            self.arrays.loaded.insert(name);
        }
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

    /// An array that is loaded atomically and read otherwise, too: that is no race, but would be taken for one.
    pub(super) fn loaded_and_read(&self, body: &Stmt) -> Option<String> {
        let mut read = body.subterms().filter_map(|b| match b {
            Stmt::Read { array, .. } if self.arrays.loaded.contains(array) => Some(array),
            _ => None,
        });
        read.next().map(|array| format!("atomic load of `{array}`, which is read otherwise, too"))
    }
}
