//! Cooperative groups: handles of the block, of the grid, and of tiles of a block.
//!
//! A group is known where it is used, or refused: which of several it is must not rest on a value.
//! Its barrier is one of its scope. What its threads exchange otherwise (`shfl`, `any`, `reduce`) is
//! unknown and orders nothing: CUDA's shuffles, votes and reductions imply no memory barrier.

use super::{At, Lower, Lowered, refuse};
use crate::arith::{as_lit, compare_natural, lit, machine};
use crate::ctype::CType;
use crate::value::{Group, Value};
use babycuda_core::expr::Relation;
use babycuda_core::launch::MAX_BLOCK_THREADS;
use babycuda_core::syntax::BarrierScope;
use babycuda_core::{Bool, IntType, MachineOp, Num};
use babycuda_kernel::{Expr, Launch, Type, promote};

impl<'t> Lower<'t> {
    /// The scope of tiles of so many threads.
    pub(super) fn tile(&self, size: u64, at: At) -> Lowered<BarrierScope> {
        let warp = self.warp();
        match u32::try_from(size) {
            Ok(size) if !size.is_power_of_two() => {
                refuse(at, format!("tiles of {size} threads, which is no power of two"))
            }
            Ok(size) if size == warp => Ok(BarrierScope::Warp),
            Ok(size) if u64::from(size) <= MAX_BLOCK_THREADS => Ok(BarrierScope::Tile(size)),
            _ => refuse(at, format!("tiles of {size} threads, which are more than a block has")),
        }
    }

    /// The scope whose groups a mask of `__syncwarp` names, and whether a thread is one of them: for each thread its own
    /// group, by its place in the block alone, or one tile of each warp.
    pub(super) fn lanes(&mut self, mask: &Num) -> Option<(BarrierScope, Bool)> {
        let warp = self.warp();
        let first = |size: u32| u64::MAX.checked_shr(64u32.checked_sub(size)?);
        let lanes = first(warp)?;
        let all = |mask: &Num| as_lit(mask).is_some_and(|mask| mask & lanes == lanes);
        if all(mask) {
            return Some((BarrierScope::Warp, Bool::Lit(true)));
        }
        let place = self.linear();
        if let Some(mask) = as_lit(mask).map(|mask| mask & lanes) {
            let size = mask.count_ones();
            let begin = mask.trailing_zeros();
            if !size.is_power_of_two() || begin % size != 0 || mask != first(size)? << begin {
                return None;
            }
            let lane = machine(MachineOp::Rem, IntType::U32, place, lit(warp.into()));
            let tile = machine(MachineOp::Div, IntType::U32, lane, lit(size.into()));
            let named = compare_natural(Relation::Eq, tile, lit((begin / size).into()));
            return Some((BarrierScope::Tile(size), named));
        }
        let Num::Var(name) = &place else { return None };
        if mask.free_vars().iter().any(|x| x != name) {
            return None;
        }
        let threads = self.ranges.get(name)?.1.1;
        let of = |thread: u64| mask.eval(&|_| Some(thread.into())).ok()?.to_u64();
        let size = (of(0)? & lanes).count_ones();
        let names = |thread: u64| {
            let lane = u32::try_from(thread % u64::from(warp)).ok()?;
            Some(of(thread)? & lanes == first(size)? << (lane / size * size))
        };
        let mut all = 0..=u64::try_from(threads).ok()?;
        let tiles = size.is_power_of_two() && all.all(|thread| names(thread) == Some(true));
        let scope = if size < warp { BarrierScope::Tile(size) } else { BarrierScope::Warp };
        tiles.then_some((scope, Bool::Lit(true)))
    }

    /// How many threads a tile has.
    pub(super) fn threads_of(&self, scope: BarrierScope) -> Option<u32> {
        match scope {
            BarrierScope::Tile(size) => Some(size),
            BarrierScope::Warp => Some(self.warp()),
            BarrierScope::Block | BarrierScope::Grid => None,
        }
    }

    /// The group that an argument must be.
    pub(super) fn group(&mut self, expr: &'t Expr) -> Lowered<Group> {
        match self.eval(expr)? {
            Value::Group(group) => Ok(group),
            Value::Poison(what) => refuse(expr.at, what),
            _ => refuse(expr.at, "a value that is no group"),
        }
    }

    /// The value of a call of a function of the namespace, or of a group's method.
    pub(super) fn group_function(
        &mut self,
        name: &str,
        args: &'t [Expr],
        call: &'t Expr,
    ) -> Lowered<Value> {
        let at = call.at;
        let whole = |scope| Ok(Value::Group(Group { scope, of: None, any: false }));
        match (name, args) {
            ("this_thread_block", []) => whole(BarrierScope::Block),
            ("this_grid", []) => whole(BarrierScope::Grid),
            ("tiled_partition", [parent]) => {
                let parent = self.group(parent)?;
                match self.ctype(&call.ty)? {
                    CType::Group(Some(scope)) => self.partition(parent, scope, at),
                    _ => refuse(at, "tiles of a size that is not known"),
                }
            }
            (_, [group, args @ ..]) => {
                let group = self.group(group)?;
                self.method(group, name, args, call)
            }
            (_, []) => refuse(at, format!("call of `cooperative_groups::{name}`")),
        }
    }

    /// The tiles of a block or of a tile.
    fn partition(&mut self, parent: Group, scope: BarrierScope, at: At) -> Lowered<Value> {
        let of = self.threads_of(parent.scope);
        match (parent.scope, of) {
            (_, Some(of)) if self.threads_of(scope).is_none_or(|threads| of < threads) => {
                return refuse(at, "tiles of a tile that has fewer threads");
            }
            (BarrierScope::Grid, _) => return refuse(at, "tiles of a grid"),
            (_, Some(_)) => {}
            (_, None) => self.divided(self.threads_of(scope).unwrap_or(1)),
        }
        Ok(Value::Group(Group { scope, of, any: false }))
    }

    fn method(
        &mut self,
        group: Group,
        name: &str,
        args: &'t [Expr],
        call: &'t Expr,
    ) -> Lowered<Value> {
        let at = call.at;
        let tile = self.threads_of(group.scope);
        let t = match call.ty {
            Type::Int(t) => t,
            _ => IntType::U32,
        };
        match (name, args) {
            ("sync", []) => self.group_sync(group, at),
            ("thread_rank", []) => Ok(Value::Int(t, self.rank(group.scope))),
            ("size" | "num_threads", []) => Ok(Value::Int(t, self.size(group.scope))),
            ("is_valid", []) => {
                self.note("the kernel is assumed to be launched cooperatively", None);
                Ok(Value::Bool(Bool::Lit(true)))
            }
            ("meta_group_rank", []) => {
                let place = self.linear();
                let place = match group.of {
                    Some(of) => machine(MachineOp::Rem, t, place, lit(of.into())),
                    None => place,
                };
                let size = lit(tile.unwrap_or(1).into());
                Ok(Value::Int(t, machine(MachineOp::Div, t, place, size)))
            }
            ("meta_group_size", []) => {
                let size = u64::from(tile.unwrap_or(1));
                let of = match group.of {
                    Some(of) => lit(of.into()),
                    None => self.threads_of_block(),
                };
                let up = machine(MachineOp::Add, t, of, lit(size - 1));
                Ok(Value::Int(t, machine(MachineOp::Div, t, up, lit(size))))
            }
            ("block_rank", []) => Ok(Value::Int(t, self.linear_block())),
            ("num_blocks", []) => Ok(Value::Int(t, self.blocks_of_grid())),
            ("reduce" | "inclusive_scan" | "exclusive_scan", [value]) => match tile {
                Some(_) => self.exchanged(value, false),
                None => refuse(at, format!("`{name}` of a group that is no tile")),
            },
            ("shfl" | "shfl_up" | "shfl_down" | "shfl_xor", [value, rest @ ..]) => {
                let value = self.exchanged(value, false)?;
                for arg in rest {
                    self.eval(arg)?;
                }
                Ok(value)
            }
            ("any" | "all" | "ballot" | "match_any", [value]) => {
                self.eval(value)?;
                Ok(Value::Int(t, self.unknown_int(t, at)))
            }
            _ => {
                let Some(of) = self.dim3_of(group, name).filter(|_| args.is_empty()) else {
                    return refuse(at, format!("call of the method `{name}` of a group"));
                };
                self.launches.mention(of);
                let dim3 = self.ctype(&call.ty)?;
                Ok(self.unknown(&dim3, at))
            }
        }
    }

    /// The barrier of a group.
    pub(super) fn group_sync(&mut self, group: Group, at: At) -> Lowered<Value> {
        match self.threads_of(group.scope) {
            Some(size) if size > self.warp() => {
                self.unclear_barrier("barrier of tiles that have more threads than a warp", at)
            }
            _ => self.sync(group.scope, at),
        }
    }

    /// What comes of the values that threads have of this expression: of its type, or of the type that
    /// it is promoted to.
    pub(super) fn exchanged(&mut self, value: &'t Expr, promoted: bool) -> Lowered<Value> {
        let known = self.eval(value)?;
        match self.type_of(&known) {
            Some(CType::Bool) if promoted => {
                Ok(Value::Int(IntType::I32, self.unknown_int(IntType::I32, value.at)))
            }
            Some(CType::Int(t)) if promoted => {
                Ok(Value::Int(promote(t), self.unknown_int(promote(t), value.at)))
            }
            Some(CType::Pointer(_) | CType::Group(_)) | None => {
                refuse(value.at, "a value that threads cannot exchange")
            }
            Some(ctype) => Ok(self.unknown(&ctype, value.at)),
        }
    }

    /// A thread's place in its group.
    pub(super) fn rank(&mut self, scope: BarrierScope) -> Num {
        let place = self.linear();
        match self.threads_of(scope) {
            Some(size) => machine(MachineOp::Rem, IntType::U32, place, lit(size.into())),
            None if scope == BarrierScope::Grid => {
                let (block, threads) = (self.linear_block(), self.threads_of_block());
                let before = machine(MachineOp::Mul, IntType::U64, block, threads);
                machine(MachineOp::Add, IntType::U64, before, place)
            }
            None => place,
        }
    }

    pub(super) fn size(&mut self, scope: BarrierScope) -> Num {
        match self.threads_of(scope) {
            Some(size) => lit(size.into()),
            None if scope == BarrierScope::Grid => {
                let (blocks, threads) = (self.blocks_of_grid(), self.threads_of_block());
                machine(MachineOp::Mul, IntType::U64, blocks, threads)
            }
            None => self.threads_of_block(),
        }
    }

    /// The variable of CUDA whose value a method of the group yields.
    fn dim3_of(&self, group: Group, method: &str) -> Option<Launch> {
        let class = match group.scope {
            _ if group.any => return None,
            BarrierScope::Block => babycuda_kernel::Group::Block,
            BarrierScope::Grid => babycuda_kernel::Group::Grid,
            BarrierScope::Tile(_) | BarrierScope::Warp => return None,
        };
        Launch::of_group(&class, method)
    }
}
