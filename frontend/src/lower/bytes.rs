//! `memcpy` and `memset` of a number of bytes that is no small constant: loops over elements, where the number is seen to
//! be one of elements (`n * sizeof(float)`), and else over bytes.
//!
//! The number is a `size_t`. No object has more bytes than a signed number of that width counts: a thread with
//! more is undefined, and goes no further. So does one whose `int` is negative, since that is converted to such a number. A
//! product that wraps around is the number that it is.

use super::branch::Side;
use super::{At, Lower, Lowered, refuse};
use crate::arith::{as_lit, cast, compare, lit, machine};
use crate::ctype::{CType, Data};
use crate::range::full;
use crate::value::{Base, Place, Pointer, Value};
use babycuda_core::expr::Relation;
use babycuda_core::{IntType, MachineOp, Num};
use babycuda_kernel::{Expr, ExprKind, Type};

/// Why a thread goes no further.
const TOO_LONG: &str = "more bytes than any object has";
/// A factor of a length is no larger.
const LARGEST_FACTOR: u64 = 1 << 31;

impl<'t> Lower<'t> {
    /// `bytes::copy(to, from, count)`, or `bytes::fill(to, value, count)`.
    pub(super) fn bytes(&mut self, name: &str, args: &'t [Expr], at: At) -> Lowered<Value> {
        let [to, from, count] = args else {
            return refuse(at, format!("call of `{name}` with this number of arguments"));
        };
        let to = self.pointer(to)?;
        let from = match name {
            "bytes::copy" => Some(self.pointer(from)?),
            _ => {
                self.eval(from)?;
                None
            }
        };
        for p in [Some(&to), from.as_ref()].into_iter().flatten() {
            if matches!(p.base, Base::Either(_)) && self.is_own(p.base) == Some(true) {
                return refuse(at, "copy of bytes of one of several local objects");
            }
        }
        let size = |p: &Pointer| match p.base {
            Base::Array(_) | Base::Either(_) => p.pointee.size().filter(|size| *size > 0),
            Base::Object(_) | Base::Local(_) | Base::Private => None,
        };
        let sizes = [Some(&to), from.as_ref()].map(|p| p.and_then(size));
        let (number, factor) = self.length(count, at)?;
        // The largest elements of which it is a number.
        let of_elements = sizes.into_iter().flatten().filter(|size| factor % size == 0).max();
        let unit = of_elements.unwrap_or(1);
        let number = machine(MachineOp::Mul, IntType::U64, number, lit(factor / unit));
        match to.base {
            Base::Local(_) => {
                let place = self.deref(to.clone(), at)?;
                self.store_unknown(&place, at)?;
            }
            Base::Object(object) => self.forget_object(object, at),
            _ => {}
        }
        if as_lit(&number) == Some(0) {
            return Ok(Value::Void);
        }
        let memory = |p: &Pointer| matches!(p.base, Base::Array(_) | Base::Either(_));
        let (to, from) = (Some(to).filter(memory), from.filter(memory));
        if to.is_none() && from.is_none() {
            return Ok(Value::Void);
        }
        let most = self.ranges.of(&number, IntType::U64).1;
        let (var, body) = self.in_block(|s| {
            let var = s.fresh(if unit == 1 { "byte" } else { "element" });
            s.ranges.set(var.clone(), IntType::U64, (0, (most - 1).max(0)));
            let read = match from {
                Some(from) => {
                    let from = s.element(from, unit, Num::Var(var.clone()), at)?;
                    Some(s.load(&from, at)?)
                }
                None => None,
            };
            if let Some(to) = to {
                let to = s.element(to, unit, Num::Var(var.clone()), at)?;
                let ctype = s.place_type(&to);
                let same = read.filter(|value| s.type_of(value).as_ref() == Some(&ctype));
                let value = same.unwrap_or_else(|| s.unknown(&ctype, at));
                let store: Side<'_, 't> = &|s| s.store(&to, value.clone(), at).map(|_| ());
                match s.together.copier.clone() {
                    Some(copier) => s.branch(copier, store, &|_| Ok(()), at)?,
                    None => store(s)?,
                }
            }
            Ok(var)
        })?;
        self.push_for(at, var, lit(0), number, body);
        Ok(Value::Void)
    }

    /// The pointer that an argument must be.
    fn pointer(&mut self, arg: &'t Expr) -> Lowered<Pointer> {
        match self.eval(arg)? {
            Value::Pointer(p) => Ok(p),
            Value::Poison(what) => refuse(arg.at, what),
            _ => refuse(arg.at, "bytes of a value that is no pointer"),
        }
    }

    /// The element of so many bytes of this number, as one of the pointer's own type or as bytes.
    fn element(&mut self, p: Pointer, bytes: u64, number: Num, at: At) -> Lowered<Place> {
        let own = p.pointee.size() == Some(bytes);
        let p = match own {
            true => p,
            false => {
                let pointee = match u32::try_from(bytes) {
                    Ok(1) => CType::Int(IntType::U8),
                    Ok(bytes) => CType::Data(Data::scalar(bytes)),
                    Err(_) => return refuse(at, "elements of more bytes than are counted"),
                };
                self.castable(p.base, &pointee, at)?;
                Pointer { pointee, ..p }
            }
        };
        let p = self.offset(p, MachineOp::Add, Value::Int(IntType::U64, number), at)?;
        self.deref(p, at)
    }

    /// A number of bytes: a number, and by what it is multiplied. The product is less than 2^63.
    fn length(&mut self, count: &'t Expr, at: At) -> Lowered<(Num, u64)> {
        let constant = |e: &Expr| babycuda_kernel::constant(e, &|_| None);
        let most = full(IntType::I64).1;
        if let Some(bytes) = constant(count) {
            return match i128::from(bytes) <= most {
                true => Ok((lit(1), bytes)),
                false => refuse(at, TOO_LONG),
            };
        }
        let (mut inner, mut factor) = (count, 1u64);
        loop {
            inner = match &inner.kind {
                ExprKind::Convert(from) if from.ty.integer().is_some() => from,
                ExprKind::Arithmetic(MachineOp::Mul, both)
                    if inner.ty == Type::Int(IntType::U64) =>
                {
                    let [l, r] = both.as_ref();
                    let (other, by) = match (constant(l), constant(r)) {
                        (_, Some(by)) => (l, by),
                        (Some(by), _) => (r, by),
                        _ => break,
                    };
                    match factor.checked_mul(by).filter(|by| (1..=LARGEST_FACTOR).contains(by)) {
                        Some(by) => factor = by,
                        None => break,
                    }
                    other
                }
                _ => break,
            };
            // A conversion in between cuts off what is beyond its type.
            if inner.ty.integer().is_some_and(|t| t.width < IntType::U64.width) {
                break;
            }
        }
        let value = self.eval(inner)?;
        let (t, number) = self.integer(value, at)?;
        let bytes = |s: &mut Self, number: Num, most: i128| {
            s.ranges.assume(&number, IntType::U64, (0, most));
            number
        };
        if t.width < IntType::U64.width {
            let (least, largest) = self.ranges.of(&number, t);
            if least < 0 {
                let negative = compare(Relation::Lt, t, number.clone(), lit(0), &self.ranges);
                self.undefined(negative, TOO_LONG, at);
                self.ranges.assume(&number, t, (0, largest.max(0)));
            }
            let number = cast(t, IntType::U64, number, &self.ranges);
            return Ok((bytes(self, number, largest.max(0)), factor));
        }
        let number = cast(t, IntType::U64, number, &self.ranges);
        let largest = most / i128::from(factor);
        if self.ranges.of(&number, IntType::U64).1 <= largest {
            return Ok((number, factor));
        }
        let whole = machine(MachineOp::Mul, IntType::U64, number.clone(), lit(factor));
        let negative = compare(Relation::Lt, IntType::I64, whole.clone(), lit(0), &self.ranges);
        self.undefined(negative, TOO_LONG, at);
        if !factor.is_power_of_two() {
            return Ok((bytes(self, whole, most), 1));
        }
        // What the product loses is a multiple of this.
        let number = match factor {
            1 => number,
            _ => machine(MachineOp::Rem, IntType::U64, number, lit((1 << 63) / factor * 2)),
        };
        Ok((bytes(self, number, largest), factor))
    }
}
