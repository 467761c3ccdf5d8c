//! Functions that the device provides and that touch no memory that other threads see.

use super::emit::fold;
use super::{At, Lower, Lowered, refuse};
use crate::arith::{cast, compare, lit, machine, not, select};
use crate::ctype::CType;
use crate::value::Value;
use babycuda_core::expr::Relation;
use babycuda_core::{Bool, IntType, MachineOp, Num, Stmt};
use babycuda_kernel::device::Device;
use babycuda_kernel::{Expr, ExprKind, PlaceKind, Storage, common};

impl<'t> Lower<'t> {
    /// `assert(c)` evaluates `c`, and where it does not hold the thread goes no further. (With
    /// `NDEBUG` the preprocessor leaves nothing of it.)
    fn assertion(&mut self, args: &'t [Expr], at: At) -> Lowered<Value> {
        let [condition] = args else {
            return refuse(at, "call of `assert` with this number of arguments");
        };
        if self.mode.pure {
            return refuse(at, "`assert` in an assumption");
        }
        let condition = self.condition(condition)?;
        if condition != Bool::Lit(true) {
            self.note("`assert` is active (with `-D NDEBUG` it does nothing)", None);
        }
        self.halt(not(condition), "an assertion fails", at);
        Ok(Value::Void)
    }

    /// `__builtin_assume(c)` does not evaluate `c`. What effects of it would do is not specified. Where `c` does not hold,
    /// what the program does is undefined, so that the thread goes no further; of a `c` that reads memory or may overflow
    /// nothing is assumed.
    fn hint(&mut self, args: &'t [Expr]) -> Lowered<Value> {
        for arg in args {
            let (only_reads, nothing, same) = self.discarded(|s| {
                let before = s.env.values().to_vec();
                s.eval(arg)?;
                let evaluated = fold(s.out.items().to_vec());
                let reads = |b: &Stmt| {
                    matches!(b, Stmt::Skip | Stmt::Seq(..) | Stmt::If { .. } | Stmt::Read { .. })
                };
                let nothing = |b: &Stmt| matches!(b, Stmt::Skip | Stmt::Seq(..));
                let only = |of: &dyn Fn(&Stmt) -> bool| evaluated.subterms().all(of);
                Ok((only(&reads), only(&nothing), s.env.values().starts_with(&before)))
            })?;
            if !only_reads || !same {
                return refuse(arg.at, "an effect in what is not evaluated");
            }
            if nothing && !self.mode.pure {
                let condition = self.condition(arg)?;
                self.undefined(not(condition), "what the kernel assumes does not hold", arg.at);
            }
        }
        Ok(Value::Void)
    }

    /// The value of a call of a function that touches no memory that other threads see.
    pub(super) fn intrinsic(
        &mut self,
        device: Device,
        name: &str,
        args: &'t [Expr],
        call: &'t Expr,
    ) -> Lowered<Value> {
        let at = call.at;
        match device {
            Device::Assert => return self.assertion(args, at),
            Device::Hint => return self.hint(args),
            Device::Trap if name == "__builtin_unreachable" => {
                let why = "what is said to be unreachable is reached";
                self.undefined(Bool::Lit(true), why, at);
                return Ok(Value::Void);
            }
            Device::Trap => {
                self.halt(Bool::Lit(true), "the thread traps", at);
                return Ok(Value::Void);
            }
            _ => {}
        }
        let exchanged = match device {
            Device::Exchange(number) => Some(number),
            _ => None,
        };
        let mut values = Vec::new();
        for (number, arg) in args.iter().enumerate() {
            if device == Device::Fetch && self.is_reference(arg) {
                continue;
            }
            let value = match exchanged == Some(number) {
                true => self.exchanged(arg, true)?,
                false => self.eval(arg)?,
            };
            let pointer = matches!(value, Value::Pointer(_) | Value::Poison(_));
            if pointer && device != Device::Ignored {
                return refuse(arg.at, format!("pointer as an argument of `{name}`"));
            }
            values.push(value.whole());
        }
        match device {
            Device::Ignored => Ok(Value::Void),
            Device::Exact => self.exact(name, values, at),
            Device::Exchange(number) if number < values.len() => Ok(values.swap_remove(number)),
            Device::Integer(t) => Ok(match self.bits(name, &values, at)? {
                Some((t, bits)) => Value::Int(t, bits),
                None => {
                    let t = call.ty.integer().unwrap_or(t);
                    Value::Int(t, self.unknown_int(t, at))
                }
            }),
            Device::Value => {
                if let Some(said) = self.of_launch(name)? {
                    return Ok(said);
                }
                if name.starts_with("opencl::sub_group_") {
                    self.sub_groups_are_warps();
                }
                let value = self.ctype(&call.ty)?;
                Ok(self.unknown(&value, at))
            }
            Device::Fetch => {
                self.note("textures are assumed to hold nothing that the kernel writes", None);
                let texel = self.ctype(&call.ty)?;
                Ok(self.unknown(&texel, at))
            }
            Device::Data => match self.ctype(&call.ty)? {
                made @ CType::Data(_) if name.starts_with("make_") => {
                    let values = values.into_iter().map(|value| (value, at)).collect();
                    self.composed(made, values, at)
                }
                CType::Data(data) => Ok(Value::Data(data, None)),
                _ => refuse(at, format!("value of `{name}`, which is no data")),
            },
            _ => refuse(at, format!("call of `{name}` with this number of arguments")),
        }
    }

    /// Is it a texture reference, a variable of the file that is no value?
    fn is_reference(&self, arg: &Expr) -> bool {
        let ExprKind::Load(place) = &arg.kind else { return false };
        matches!(place.kind, PlaceKind::Variable(v) if self.kernel[v].storage == Storage::File)
    }

    /// `min`, `max`, `abs` and the 24-bit products of integers; of floats they are data.
    fn exact(&mut self, name: &str, values: Vec<Value>, at: At) -> Lowered<Value> {
        if let Some(data) = values.iter().find(|v| matches!(v, Value::Data(..))) {
            return Ok(match data {
                Value::Data(data, _) => Value::Data(data.clone(), None),
                other => other.clone(),
            });
        }
        let mut ints = Vec::new();
        for value in values {
            ints.push(self.integer(value, at)?);
        }
        match (name, ints.as_slice()) {
            ("abs" | "labs" | "llabs", [(from, x)]) => {
                let t = common(*from, IntType::I32);
                let x = cast(*from, t, x.clone(), &self.ranges);
                let negative = compare(Relation::Lt, t, x.clone(), lit(0), &self.ranges);
                let minus = machine(MachineOp::Sub, t, lit(0), x.clone());
                Ok(Value::Int(t, select(negative, minus, x)))
            }
            (_, [(tx, x), (ty, y)]) => {
                let t = match name {
                    "umin" | "umax" | "__umul24" => IntType::U32,
                    "__mul24" => IntType::I32,
                    _ => common(*tx, *ty),
                };
                let x = cast(*tx, t, x.clone(), &self.ranges);
                let y = cast(*ty, t, y.clone(), &self.ranges);
                Ok(Value::Int(
                    t,
                    match name {
                        "min" | "umin" => machine(MachineOp::Min, t, x, y),
                        "max" | "umax" => machine(MachineOp::Max, t, x, y),
                        _ => {
                            let [x, y] = [x, y].map(|factor| self.low_bits(t, factor));
                            self.counts_threads(t, &x, &y);
                            machine(MachineOp::Mul, t, x, y)
                        }
                    },
                ))
            }
            _ => refuse(at, format!("call of `{name}` with this number of arguments")),
        }
    }

    /// The number in the low 24 bits of a factor of `__mul24` or `__umul24`.
    fn low_bits(&mut self, t: IntType, factor: Num) -> Num {
        self.fits_24_bits(&factor);
        let most = if t.signed { 0x7f_ffff } else { 0xff_ffff };
        let (low, high) = self.ranges.of(&factor, t);
        if low >= 0 && high <= most {
            return factor;
        }
        if !t.signed {
            return machine(MachineOp::And, t, factor, lit(0xff_ffff));
        }
        let up = machine(MachineOp::Shl, t, factor, lit(8));
        machine(MachineOp::Shr, t, up, lit(8))
    }
}
