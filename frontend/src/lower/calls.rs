//! Calls of what the device provides: barriers, atomics, loads, groups, and functions of values.

use super::emit::Item;
use super::sites::Event;
use super::{At, Lower, Lowered, Otherwise, Refused, refuse};
use crate::value::Value;
use babycuda_core::syntax::BarrierScope;
use babycuda_core::{Bool, IntType, Stmt};
use babycuda_kernel::device::Device;
use babycuda_kernel::{Expr, ExprKind, Language, Node};

impl<'t> Lower<'t> {
    /// The value of a call of a function of the device.
    pub(super) fn device(
        &mut self,
        name: &str,
        args: &'t [Expr],
        call: &'t Expr,
    ) -> Lowered<Value> {
        let at = call.at;
        let nodes: Vec<Node<'t>> = args.iter().map(Node::from).collect();
        self.in_any_order(&nodes, at)?;
        let Some(device) = Device::of(name) else {
            return refuse(at, format!("call of `{name}`, which is not defined in this file"));
        };
        let of_values = matches!(device, Device::Ignored | Device::Hint | Device::Assert);
        if self.mode.pure && !device.is_pure() && !of_values {
            return refuse(at, format!("call of `{name}`"));
        }
        match (device, args) {
            (Device::Barrier, _) => self.barrier(name, args, call),
            (Device::Load, [address]) => {
                let place = self.address(name, address, at)?;
                self.load(&place, at)
            }
            (Device::Store, [address, value]) => {
                let place = self.address(name, address, at)?;
                let value = self.eval(value)?;
                self.store(&place, value, at)?;
                Ok(Value::Void)
            }
            (Device::Swap, [a, b]) => match (&a.kind, &b.kind) {
                (ExprKind::AddressOf(a), ExprKind::AddressOf(b)) => {
                    let (a, b) = (self.place(a)?, self.place(b)?);
                    let (x, y) = (self.load(&a, at)?, self.load(&b, at)?);
                    self.store(&a, y, at)?;
                    self.store(&b, x, at)?;
                    Ok(Value::Void)
                }
                _ => refuse(at, "`swap` of what is no variable"),
            },
            (Device::Atomic, _) => self.atomic(name, args, at),
            (Device::Generator, _) => self.generator(name, args, call),
            (Device::Outputs, _) => self.outputs(args, call),
            (Device::Bytes, _) => self.bytes(name, args, at),
            (Device::Copies, _) if name.starts_with("opencl::") => self.group_copy(name, args, at),
            (Device::Copies, _) => self.copying(name, args, at),
            (Device::Matrix, _) => self.matrix(name, args, at),
            (Device::Group, _) => {
                let name = name.trim_start_matches("cooperative_groups::");
                self.group_function(name, args, call)
            }
            _ => self.intrinsic(device, name, args, call),
        }
    }

    /// The place that an address names.
    fn address(&mut self, name: &str, address: &'t Expr, at: At) -> Lowered<crate::value::Place> {
        match self.eval(address)? {
            Value::Pointer(p) => self.deref(p, at),
            _ => refuse(at, format!("call of `{name}` with a value that is no pointer")),
        }
    }

    /// Stores what is not known where each pointer points to.
    fn outputs(&mut self, args: &'t [Expr], call: &'t Expr) -> Lowered<Value> {
        for arg in args {
            match self.eval(arg)? {
                Value::Pointer(p) => {
                    let place = self.deref(p, arg.at)?;
                    self.store_unknown(&place, arg.at)?;
                }
                Value::Poison(what) => return refuse(arg.at, what),
                _ => {}
            }
        }
        let result = self.ctype(&call.ty)?;
        Ok(self.unknown(&result, call.at))
    }

    /// Stores what is not known in a place.
    pub(super) fn store_unknown(&mut self, place: &crate::value::Place, at: At) -> Lowered<()> {
        let ctype = self.place_type(place);
        let value = self.unknown(&ctype, at);
        self.store(place, value, at).map(|_| ())
    }

    /// Draws from a generator, or begins one.
    fn generator(&mut self, name: &str, args: &'t [Expr], call: &'t Expr) -> Lowered<Value> {
        let (at, mut state) = (call.at, None);
        for arg in args {
            match self.eval(arg)? {
                Value::Pointer(p) if state.is_none() => state = Some(p),
                Value::Pointer(_) => {
                    return refuse(at, format!("call of `{name}` with two pointers"));
                }
                Value::Poison(what) => return refuse(arg.at, what),
                _ => {}
            }
        }
        let Some(state) = state else {
            return refuse(at, format!("call of `{name}` without the state of a generator"));
        };
        let state = self.deref(state, at)?;
        if name != "curand_init" {
            self.load(&state, at)?;
        }
        self.store_unknown(&state, at)?;
        let drawn = self.ctype(&call.ty)?;
        Ok(self.unknown(&drawn, at))
    }

    /// `__syncthreads`, `__syncwarp` and their kin.
    fn barrier(&mut self, name: &str, args: &'t [Expr], call: &'t Expr) -> Lowered<Value> {
        let at = call.at;
        match (name, args) {
            ("__syncthreads", []) => self.sync(BarrierScope::Block, at),
            ("__syncwarp", []) => {
                if self.options.language == Language::OpenCl {
                    self.sub_groups_are_warps();
                }
                self.sync(BarrierScope::Warp, at)
            }
            ("__syncwarp", [mask]) => {
                let mask = self.eval(mask)?;
                let scope = match &mask {
                    Value::Int(_, mask) => self.lanes(mask),
                    _ => None,
                };
                let some =
                    "`__syncwarp` of some lanes: its mask is no constant, or no tile of a warp";
                match scope {
                    Some((BarrierScope::Tile(1), _)) => Ok(Value::Void),
                    Some((scope, held)) => {
                        if held != Bool::Lit(true) {
                            let others = "a thread that the mask does not name is taken to wait for nobody; CUDA does not define it";
                            self.note(others, Some(at));
                        }
                        self.branch(held, &|s| s.sync(scope, at).map(|_| ()), &|_| Ok(()), at)?;
                        Ok(Value::Void)
                    }
                    None => self.unclear_barrier(some, at),
                }
            }
            ("__syncthreads_count" | "__syncthreads_and" | "__syncthreads_or", [predicate]) => {
                self.eval(predicate)?;
                self.sync(BarrierScope::Block, at)?;
                let answer = self.unknown_int(IntType::I32, at);
                self.alike.extend(answer.free_vars());
                Ok(Value::Int(IntType::I32, answer))
            }
            ("coalesced::sync", []) => {
                self.unclear_barrier("`sync` of a group of threads that values choose", at)
            }
            _ if name.starts_with("opencl::work_group_") => {
                for arg in args {
                    if let Value::Pointer(_) | Value::Poison(_) = self.eval(arg)? {
                        return refuse(arg.at, format!("pointer as an argument of `{name}`"));
                    }
                }
                self.sync(BarrierScope::Block, at)?;
                let value = self.ctype(&call.ty)?;
                let answer = self.unknown(&value, at);
                if let Value::Int(_, answer) = &answer {
                    self.alike.extend(answer.free_vars());
                }
                Ok(answer)
            }
            _ => refuse(at, format!("call of `{name}` with this number of arguments")),
        }
    }

    /// A barrier of which it is not known whom it holds.
    pub(super) fn unclear_barrier(&mut self, construct: &str, at: At) -> Lowered<Value> {
        let refused = match self.otherwise {
            Otherwise::Passes if !self.mode.pure => {
                self.no_copies(at)?;
                self.no_events(at)?;
                return Ok(Value::Void);
            }
            _ => refuse(at, construct),
        };
        refused.map_err(|refused| Refused { unclear: true, ..refused })
    }

    /// A barrier. Where CUDA lets threads of a warp pass that the calculus does not, a check says so
    /// (`Sources::translated`).
    pub(super) fn sync(&mut self, scope: BarrierScope, at: At) -> Lowered<Value> {
        if self.mode.pure {
            return refuse(at, "a barrier in an assumption");
        }
        // A tile of one thread waits for nobody.
        if scope != BarrierScope::Tile(1) {
            self.no_copies(at)?;
            self.no_events(at)?;
            let site = self.site(Event::Sync, at);
            self.push(Item::Stmt(Stmt::Sync { site, scope }));
        }
        Ok(Value::Void)
    }
}
