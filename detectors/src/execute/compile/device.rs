//! Calls of what the device provides.

use super::Compiler;
use super::expr::number;
use crate::execute::Halt;
use crate::execute::code::{Op, Reduce};
use crate::execute::device::{Exact, Exchange, Trade, Update};
use crate::execute::group::{GroupValue, Method};
use crate::execute::value::Shape;
use babycuda_core::syntax::{BarrierScope, Scope};
use babycuda_core::{IntType, MachineOp};
use babycuda_kernel::device::Device;
use babycuda_kernel::{At, Expr, Group, Type, common};

impl<'a> Compiler<'a> {
    pub(super) fn device(&mut self, name: &str, args: &'a [Expr], call: &'a Expr) {
        let at = call.at;
        match (Device::of(name), args) {
            (Some(Device::Barrier), _) => self.barrier(name, args, at),
            (Some(Device::Load), [address]) => {
                self.value(address);
                self.load(&call.ty, at);
            }
            (Some(Device::Store), [address, value]) => {
                let Type::Pointer(pointee) = &address.ty else {
                    return self.unsupported("a store through what is no pointer", at);
                };
                self.value(address);
                self.value(value);
                self.conversion(&value.ty, pointee, at);
                self.emit(Op::Swap, at);
                self.store(pointee, at);
                self.emit(Op::Pop, at);
                self.emit(Op::Push(0), at);
            }
            (Some(Device::Swap), [a, b]) => self.swap(a, b, at),
            (Some(Device::Atomic), _) => self.atomic(name, args, at),
            (Some(Device::Exchange(_)), _) => self.exchange(name, args, call),
            (Some(Device::Integer(_)), _) => self.integer(name, args, call),
            (Some(Device::Exact | Device::Data), _) => self.data(name, args, call),
            (Some(Device::Generator | Device::Outputs), _) => self.outputs(args, call),
            (Some(Device::Group), _) => {
                self.group(name.trim_start_matches("cooperative_groups::"), args, call);
            }
            (Some(Device::Ignored), _) => {
                args.iter().for_each(|arg| self.effect(arg));
                self.emit(Op::Push(0), at);
            }
            (Some(Device::Hint), _) => self.emit(Op::Push(0), at),
            (Some(Device::Trap), _) => self.emit(Op::Halt(Halt::Trap), at),
            (Some(Device::Assert), [condition]) => {
                self.value(condition);
                self.emit(Op::HaltUnless(Halt::Assertion), at);
                self.emit(Op::Push(0), at);
            }
            (Some(Device::Fetch), _) => {
                // The texture is no value.
                args.iter().skip(1).for_each(|arg| self.effect(arg));
                match self.shape(&call.ty) {
                    Some(Shape::Bytes(size)) => self.emit(Op::Pack(Vec::new(), size), at),
                    _ => self.emit(Op::Push(0), at),
                }
            }
            _ => self.unsupported(format!("call of `{name}`"), at),
        }
    }

    fn barrier(&mut self, name: &str, args: &'a [Expr], at: At) {
        if self.kernel.narrow_barriers.iter().any(|(narrow, _)| *narrow == at) {
            return self.unsupported("a barrier that orders accesses of a part of memory only", at);
        }
        let reduce = match name {
            "__syncthreads_count" => Some(Reduce::Count),
            "__syncthreads_and" => Some(Reduce::And),
            "__syncthreads_or" => Some(Reduce::Or),
            _ => None,
        };
        match (name, args, reduce) {
            ("__syncthreads", [], _) => self.emit(Op::Barrier(BarrierScope::Block), at),
            ("__syncwarp", [], _) => self.emit(Op::Barrier(BarrierScope::Warp), at),
            ("__syncwarp", [mask], _) => {
                self.value(mask);
                self.emit(Op::SyncWarp, at);
            }
            (_, [predicate], Some(reduce)) => {
                self.value(predicate);
                self.conversion(&predicate.ty, &Type::Bool, at);
                self.emit(Op::Reduce(reduce), at);
            }
            _ => self.unsupported(format!("call of `{name}` with this number of arguments"), at),
        }
    }

    fn swap(&mut self, a: &'a Expr, b: &'a Expr, at: At) {
        let (Type::Pointer(x), Type::Pointer(y)) = (&a.ty, &b.ty) else {
            return self.unsupported("`swap` of what is no variable", at);
        };
        if x != y {
            return self.unsupported("`swap` of two types", at);
        }
        self.value(a);
        self.value(b);
        self.emit(Op::Pick(1), at);
        self.load(x, at);
        self.emit(Op::Pick(1), at);
        self.load(x, at);
        // Both addresses, both values.
        self.emit(Op::Pick(3), at);
        self.store(x, at);
        self.emit(Op::Pop, at);
        self.emit(Op::Swap, at);
        self.store(x, at);
        self.emit(Op::Pop, at);
        self.emit(Op::Pop, at);
        self.emit(Op::Push(0), at);
    }

    fn atomic(&mut self, name: &str, args: &'a [Expr], at: At) {
        let (base, scope) = if let Some(base) = name.strip_suffix("_block") {
            (base, Scope::Block)
        } else if let Some(base) = name.strip_suffix("_system") {
            (base, Scope::System)
        } else {
            (name, Scope::Device)
        };
        let (Some(update), Some((address, operands))) = (Update::named(base), args.split_first())
        else {
            return self.unsupported(format!("call of `{name}`"), at);
        };
        let Type::Pointer(pointee) = &address.ty else {
            return self.unsupported(format!("address of `{name}`"), at);
        };
        let Some(shape) = self.shape(pointee) else {
            return self.unsupported(format!("call of `{name}`"), at);
        };
        if operands.len() != if update == Update::Cas { 2 } else { 1 } {
            return self.unsupported(format!("call of `{name}` with this number of arguments"), at);
        }
        self.value(address);
        for operand in operands {
            self.value(operand);
            self.conversion(&operand.ty, pointee, at);
        }
        self.emit(Op::Atomic(update, shape, number(pointee), scope), at);
    }

    /// Shuffles of CUDA, with a mask or without, and reductions of integers.
    fn exchange(&mut self, name: &str, args: &'a [Expr], call: &'a Expr) {
        let at = call.at;
        let masked = name.ends_with("_sync");
        let (mask, args) = match args {
            [mask, args @ ..] if masked => (Some(mask), args),
            _ => (None, args),
        };
        self.mask(mask, at);
        let stem = name.trim_start_matches("__").trim_end_matches("_sync");
        let reduced = |op| match call.ty {
            Type::Int(t) => Some(Trade::Reduce(op, t)),
            _ => None,
        };
        let kind = match stem {
            "shfl" => Some(Trade::Index),
            "shfl_up" => Some(Trade::Up),
            "shfl_down" => Some(Trade::Down),
            "shfl_xor" => Some(Trade::Xor),
            "reduce_add" => reduced(MachineOp::Add),
            "reduce_min" => reduced(MachineOp::Min),
            "reduce_max" => reduced(MachineOp::Max),
            "reduce_and" => reduced(MachineOp::And),
            "reduce_or" => reduced(MachineOp::Or),
            "reduce_xor" => reduced(MachineOp::Xor),
            _ => None,
        };
        let (Some(kind), [value, rest @ ..]) = (kind, args) else {
            return self.unsupported(format!("call of `{name}`"), at);
        };
        self.value(value);
        self.conversion(&value.ty, &call.ty, at);
        match (kind.shuffles(), rest) {
            (true, [lane]) => {
                self.number(lane, IntType::U32);
                self.emit(Op::WarpSize, at);
            }
            (true, [lane, width]) => {
                self.number(lane, IntType::U32);
                self.number(width, IntType::U32);
            }
            (false, []) => {}
            _ => return self.unsupported(format!("call of `{name}`"), at),
        }
        self.emit(Op::Exchange(Exchange { kind, grouped: false }), at);
    }

    /// The lanes that take part, of which without a mask there are all.
    fn mask(&mut self, mask: Option<&'a Expr>, at: At) {
        match mask {
            Some(mask) => self.number(mask, IntType::U32),
            None => self.emit(Op::Push(u64::from(u32::MAX)), at),
        }
    }

    /// A number, at a type.
    fn number(&mut self, expr: &'a Expr, t: IntType) {
        self.value(expr);
        self.conversion(&expr.ty, &Type::Int(t), expr.at);
    }

    fn integer(&mut self, name: &str, args: &'a [Expr], call: &'a Expr) {
        let at = call.at;
        let vote = match name.trim_start_matches("__").trim_end_matches("_sync") {
            "any" => Some(Trade::Any),
            "all" => Some(Trade::All),
            "ballot" => Some(Trade::Ballot),
            "match_any" => Some(Trade::Match),
            _ => None,
        };
        if let Some(kind) = vote {
            let (mask, value) = match args {
                [value] => (None, value),
                [mask, value] => (Some(mask), value),
                _ => return self.unsupported(format!("call of `{name}`"), at),
            };
            self.mask(mask, at);
            self.value(value);
            if kind != Trade::Match {
                self.conversion(&value.ty, &Type::Bool, at);
            }
            return self.emit(Op::Exchange(Exchange { kind, grouped: false }), at);
        }
        let exact = match name {
            "__popc" => Some((Exact::Popc, IntType::U32)),
            "__popcll" => Some((Exact::Popc, IntType::U64)),
            "__clz" => Some((Exact::Clz(32), IntType::U32)),
            "__clzll" => Some((Exact::Clz(64), IntType::U64)),
            "__ffs" => Some((Exact::Ffs, IntType::U32)),
            "__ffsll" => Some((Exact::Ffs, IntType::U64)),
            "__brev" => Some((Exact::Brev, IntType::U32)),
            "__mulhi" => Some((Exact::MulHigh(IntType::I32), IntType::I32)),
            "__umulhi" => Some((Exact::MulHigh(IntType::U32), IntType::U32)),
            _ => None,
        };
        match (exact, args) {
            // A clock goes on, by whatever the device takes.
            (None, [])
                if matches!(name, "clock" | "clock64")
                    && let Type::Int(t) = call.ty =>
            {
                self.emit(Op::Clock(t), at)
            }
            (Some((exact, t)), _) if exact.arity() == args.len() => {
                args.iter().for_each(|arg| self.number(arg, t));
                self.emit(Op::Exact(exact), at);
            }
            (None, [bits]) if name.starts_with("__float_as") || name.starts_with("__double_as") => {
                self.value(bits);
            }
            _ => {
                args.iter().for_each(|arg| self.value(arg));
                self.forget(args.len(), &call.ty, at);
            }
        }
    }

    /// Functions of values alone.
    fn data(&mut self, name: &str, args: &'a [Expr], call: &'a Expr) {
        let at = call.at;
        if let (true, Type::Vector(lane, lanes)) = (name.starts_with("make_"), &call.ty)
            && args.len() == *lanes as usize
            && let Some(lane_shape) = self.shape(lane)
            && let Some(size) = self.size(&call.ty)
        {
            for arg in args {
                self.value(arg);
                self.conversion(&arg.ty, lane, at);
            }
            let places = (0..u64::from(*lanes)).map(|i| (i * lane_shape.size(), lane_shape));
            return self.emit(Op::Pack(places.collect(), size), at);
        }
        let integers: Option<Vec<IntType>> = args.iter().map(|arg| arg.ty.integer()).collect();
        let op = match name {
            "min" | "umin" | "fminf" | "fmin" => Some(MachineOp::Min),
            "max" | "umax" | "fmaxf" | "fmax" => Some(MachineOp::Max),
            _ => None,
        };
        let exact = match (integers.as_deref(), &call.ty, op) {
            (Some([x, y]), Type::Int(_), Some(op)) => {
                let unsigned = name.starts_with('u');
                let t = if unsigned { IntType::U32 } else { common(*x, *y) };
                Some((Exact::Integer(op, t), Type::Int(t)))
            }
            (Some([_, _]), Type::Int(t), None) if name.ends_with("mul24") => {
                Some((Exact::Mul24(*t), call.ty.clone()))
            }
            (Some([_]), Type::Int(t), _) if name.ends_with("abs") => {
                Some((Exact::Abs(*t), call.ty.clone()))
            }
            (_, Type::Float(bytes), Some(op)) if args.len() == 2 => {
                Some((Exact::Float(op, *bytes), call.ty.clone()))
            }
            (_, Type::Float(bytes), _) if matches!(name, "abs" | "fabs" | "fabsf") => {
                Some((Exact::FloatAbs(*bytes), call.ty.clone()))
            }
            _ => None,
        };
        if let (Type::Float(bytes), [x], Some(inverse)) = (&call.ty, args, root(name)) {
            self.value(x);
            self.conversion(&x.ty, &call.ty, at);
            return self.emit(Op::Root(inverse, *bytes), at);
        }
        for arg in args {
            self.value(arg);
            if let Some((_, ty)) = &exact {
                self.conversion(&arg.ty, ty, at);
            }
        }
        match exact {
            Some((exact, _)) if exact.arity() == args.len() => self.emit(Op::Exact(exact), at),
            _ if matches!(name, "__int_as_float" | "__uint_as_float" | "__longlong_as_double")
                && args.len() == 1 => {}
            _ => self.forget(args.len(), &call.ty, at),
        }
    }

    /// Stores what is not known where each pointer points to.
    fn outputs(&mut self, args: &'a [Expr], call: &'a Expr) {
        for arg in args {
            self.value(arg);
            match &arg.ty {
                Type::Pointer(pointee) => {
                    self.forget(0, pointee, arg.at);
                    self.emit(Op::Swap, arg.at);
                    self.store(pointee, arg.at);
                    self.emit(Op::Pop, arg.at);
                }
                _ => self.emit(Op::Pop, arg.at),
            }
        }
        self.forget(0, &call.ty, call.at);
    }

    fn group(&mut self, name: &str, args: &'a [Expr], call: &'a Expr) {
        let at = call.at;
        let whole = |scope| Op::Push(GroupValue { scope, of: 0 }.bits());
        match (name, args) {
            ("this_thread_block", []) => return self.emit(whole(BarrierScope::Block), at),
            ("this_grid", []) => return self.emit(whole(BarrierScope::Grid), at),
            ("tiled_partition", [parent, ..]) => {
                let size = match &call.ty {
                    Type::Group(Group::Tile(size)) => {
                        babycuda_kernel::constant(size, &|v| self.layout.template(v))
                    }
                    _ => None,
                };
                self.value(parent);
                return match size {
                    Some(size) => self.emit(Op::Group(Method::Partition(size)), at),
                    None => self.unsupported("tiles of a size that is not known", at),
                };
            }
            _ => {}
        }
        let Some((group, args)) = args.split_first() else {
            return self.unsupported(format!("call of `cooperative_groups::{name}`"), at);
        };
        self.value(group);
        let method = match (name, args) {
            ("sync", []) => Some(Method::Sync),
            ("thread_rank", []) => Some(Method::Rank),
            ("size" | "num_threads", []) => Some(Method::Size),
            ("meta_group_rank", []) => Some(Method::MetaRank),
            ("meta_group_size", []) => Some(Method::MetaSize),
            ("block_rank", []) => Some(Method::BlockRank),
            ("num_blocks", []) => Some(Method::Blocks),
            _ => None,
        };
        if let Some(method) = method {
            return self.emit(Op::Group(method), at);
        }
        let kind = match name {
            "shfl" => Trade::Index,
            "shfl_up" => Trade::Up,
            "shfl_down" => Trade::Down,
            "shfl_xor" => Trade::Xor,
            "any" => Trade::Any,
            "all" => Trade::All,
            "ballot" => Trade::Ballot,
            "is_valid" if args.is_empty() => {
                self.emit(Op::Pop, at);
                return self.emit(Op::Push(1), at);
            }
            _ => return self.unsupported(format!("call of the method `{name}` of a group"), at),
        };
        self.emit(Op::Dup, at);
        self.emit(Op::Group(Method::Mask), at);
        self.emit(Op::Swap, at);
        match (kind.shuffles(), args) {
            (true, [value, lane]) => {
                self.value(value);
                self.conversion(&value.ty, &call.ty, at);
                self.number(lane, IntType::U32);
                // The group again, for its size.
                self.emit(Op::Pick(2), at);
                self.emit(Op::Group(Method::Size), at);
            }
            (false, [value]) => {
                self.value(value);
                self.conversion(&value.ty, &Type::Bool, at);
            }
            _ => return self.unsupported(format!("call of the method `{name}` of a group"), at),
        }
        self.emit(Op::Exchange(Exchange { kind, grouped: true }), at);
    }
}

/// A square root: is it one by it?
fn root(name: &str) -> Option<bool> {
    match name {
        "sqrt" | "sqrtf" => Some(false),
        "rsqrt" | "rsqrtf" => Some(true),
        _ => None,
    }
}
