//! Cooperative groups: handles of the block, of the grid, and of tiles of a block.
//!
//! A group is known where it is used, or refused: which of several it is must not rest on a value.
//! Its barrier is one of its scope. What its threads exchange otherwise (`shfl`, `any`, `reduce`) is
//! unknown and orders nothing: CUDA's shuffles, votes and reductions imply no memory barrier.

use super::expr::{operand, operands};
use super::{Lower, Mode};
use crate::arith::{as_lit, lit, machine};
use crate::ctype::{CType, Data, named, promote};
use crate::error::{Lowered, refuse};
use crate::unit::{children, listed, part};
use crate::value::{Binding, Group, Value};
use babycuda_core::syntax::BarrierScope;
use babycuda_core::{Bool, IntType, MachineOp, Num};
use tree_sitter::Node;

/// The functions of the namespace.
const FUNCTIONS: &str = "\
    this_thread_block this_grid tiled_partition sync thread_rank group_size reduce inclusive_scan \
    exclusive_scan coalesced_threads labeled_partition binary_partition this_multi_grid \
    this_cluster this_thread memcpy_async wait wait_prior invoke_one invoke_one_broadcast \
    reduce_update_async reduce_store_async";

/// Methods that exchange values of their first argument's type.
const EXCHANGES: &str = "shfl shfl_up shfl_down shfl_xor";

impl<'t> Lower<'t> {
    /// The class of groups that a type names.
    pub(super) fn group_class(&mut self, node: Node<'t>) -> Lowered<Option<CType>> {
        let text = self.text(node);
        let own = matches!(self.env.lookup(text), Some(Binding::Type(_)))
            || node.kind() != "qualified_identifier"
                && self.unit.classes.contains(crate::wild::base(text));
        let Some(name) = self.unit.cooperative.member(node).filter(|_| !own) else {
            return Ok(None);
        };
        if name.kind() == "template_type" && part(name, "name").map(|n| self.text(n)) == Some(TILE)
        {
            let size = self.tile_size(operand(name, "arguments")?)?;
            return Ok(Some(CType::Group(Some(self.tile(size, node)?))));
        }
        let scope = match self.text(name) {
            "thread_block" => Some(BarrierScope::Block),
            "grid_group" => Some(BarrierScope::Grid),
            "thread_group" => None,
            _ => return Ok(None),
        };
        Ok(Some(CType::Group(scope)))
    }

    /// The first argument of a template, as a number.
    fn tile_size(&mut self, list: Node<'t>) -> Lowered<u64> {
        let known = match self.template_arguments(list)?.first() {
            Some(Binding::Constant(Value::Int(_, Num::Lit(size)))) => size.to_u64(),
            _ => None,
        };
        known.map_or_else(|| refuse(list, "tiles of a size that is not known"), Ok)
    }

    /// The scope of tiles of so many threads.
    fn tile(&self, size: u64, node: Node<'t>) -> Lowered<BarrierScope> {
        let warp = self.warp();
        match u32::try_from(size) {
            Ok(size) if !size.is_power_of_two() => {
                refuse(node, format!("tiles of {size} threads, which is no power of two"))
            }
            Ok(size) if size == warp => Ok(BarrierScope::Warp),
            Ok(size) if size < warp => Ok(BarrierScope::Tile(size)),
            _ => refuse(node, format!("tiles of {size} threads, which are more than a warp has")),
        }
    }

    /// The scope whose groups a mask of `__syncwarp` names: for each thread that of its own, by its
    /// place in the block alone.
    pub(super) fn lanes(&mut self, mask: &Num) -> Option<BarrierScope> {
        let warp = self.warp();
        let first = |size: u32| u64::MAX.checked_shr(64u32.checked_sub(size)?);
        let lanes = first(warp)?;
        let all = |mask: &Num| as_lit(mask).is_some_and(|mask| mask & lanes == lanes);
        if all(mask) {
            return Some(BarrierScope::Warp);
        }
        let place = self.linear();
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
        tiles.then_some(if size < warp { BarrierScope::Tile(size) } else { BarrierScope::Warp })
    }

    /// How many threads a tile has.
    pub(super) fn threads_of(&self, scope: BarrierScope) -> Option<u32> {
        match scope {
            BarrierScope::Tile(size) => Some(size),
            BarrierScope::Warp => Some(self.warp()),
            BarrierScope::Block | BarrierScope::Grid => None,
        }
    }

    /// The value of a call of a function of the namespace, or of a group's method; `None`: it is
    /// neither.
    pub(super) fn group_call(
        &mut self,
        function: Node<'t>,
        args: &[Node<'t>],
        node: Node<'t>,
    ) -> Lowered<Option<Value>> {
        if function.kind() == "field_expression" {
            let field = operand(function, "field")?;
            return match self.group_before(function)? {
                Some(group) => self.method(group, self.text(field), args, node).map(Some),
                None => Ok(None),
            };
        }
        // C++ looks for a function in the namespace of its argument's type, too.
        let plain = self.text(function);
        let by_argument = function.kind() == "identifier"
            && listed(FUNCTIONS, plain)
            && self.env.lookup(plain).is_none()
            && args.first().is_some_and(|arg| self.group(*arg).is_some());
        let found = match self.unit.cooperative.member(function) {
            _ if by_argument && self.unit.declared.contains(plain) => {
                return refuse(node, format!("call of `{plain}`, which CUDA declares too"));
            }
            Some(found) => found,
            None if by_argument => function,
            None => return Ok(None),
        };
        let template = part(found, "arguments");
        let name = self.text(part(found, "name").unwrap_or(found));
        let unqualified = found == function;
        let own = || self.env.lookup(name).is_some() || self.unit.declared.contains(name);
        if unqualified && (!listed(FUNCTIONS, name) || own()) {
            return Ok(None);
        }
        if unqualified && self.unit.functions.contains_key(name) {
            return match by_argument && !self.taking(name, args.len()).is_empty() {
                true => refuse(node, format!("call of `{name}`, which CUDA declares too")),
                false => Ok(None),
            };
        }
        self.group_function(name, template, args, node).map(Some)
    }

    /// The group that an expression denotes, which is not evaluated.
    fn group(&mut self, node: Node<'t>) -> Option<Group> {
        let probing = Mode { probing: true, on_trial: false, ..self.mode };
        match self.attempt(|s| s.within(probing, |s| s.discarded(|s| s.eval(node)))) {
            Ok(Value::Group(group)) => Some(group),
            _ => None,
        }
    }

    /// The group that an argument must be.
    fn group_argument(&mut self, node: Node<'t>) -> Lowered<Group> {
        match self.eval(node)? {
            Value::Group(group) => Ok(group),
            Value::Poison(what) => refuse(node, what),
            _ => refuse(node, "a value that is no group"),
        }
    }

    /// The group whose member `access` names.
    fn group_before(&mut self, access: Node<'t>) -> Lowered<Option<Group>> {
        let object = operand(access, "argument")?;
        let value = self.attempt(|s| match (s.operator(access), s.eval(object)?) {
            ("->", Value::Pointer(p)) => {
                let place = s.deref(p, object)?;
                s.load(&place, object)
            }
            ("->", _) => Ok(Value::Void),
            (_, value) => Ok(value),
        });
        match value {
            Ok(Value::Group(group)) => Ok(Some(group)),
            Ok(Value::Poison(what)) => refuse(object, what),
            Err(refusal) if object.kind() != "identifier" => Err(refusal),
            _ => Ok(None),
        }
    }

    fn group_function(
        &mut self,
        name: &str,
        template: Option<Node<'t>>,
        args: &[Node<'t>],
        node: Node<'t>,
    ) -> Lowered<Value> {
        let whole = |scope| Ok(Value::Group(Group { scope, of: None, any: false }));
        match (name, template, args) {
            ("this_thread_block", None, []) => whole(BarrierScope::Block),
            ("this_grid", None, []) => whole(BarrierScope::Grid),
            ("tiled_partition", Some(list), [parent]) => {
                let parent = self.group_argument(*parent)?;
                let size = self.tile_size(list)?;
                let scope = self.tile(size, node)?;
                self.partition(parent, scope, node)
            }
            ("tiled_partition", None, [_, _]) => refuse(
                node,
                "`tiled_partition` into tiles whose size is an argument: only a template's is known",
            ),
            ("coalesced_threads", ..) => {
                refuse(node, "`coalesced_threads`: nobody knows which lanes are active together")
            }
            ("labeled_partition" | "binary_partition", ..) => {
                refuse(node, format!("`{name}`: values decide which threads are in a group"))
            }
            ("this_multi_grid", ..) => refuse(node, "`this_multi_grid`: grids of several devices"),
            ("sync" | "thread_rank" | "group_size", None, [group]) => {
                let group = self.group_argument(*group)?;
                self.method(group, if name == "group_size" { "size" } else { name }, &[], node)
            }
            ("reduce" | "inclusive_scan" | "exclusive_scan", None, [group, value, rest @ ..])
                if rest.iter().all(|operator| self.is_operator(*operator)) =>
            {
                let group = self.group_argument(*group)?;
                if self.threads_of(group.scope).is_none() {
                    return refuse(node, format!("`{name}` of a group that is no tile"));
                }
                self.exchanged(*value, false)
            }
            _ => refuse(node, format!("call of `cooperative_groups::{name}`")),
        }
    }

    /// Is it one of the namespace's operators, `cg::plus<int>()`?
    fn is_operator(&self, node: Node<'t>) -> bool {
        const OPERATORS: &str = "plus less greater bit_and bit_xor bit_or";
        let function = part(node, "function").filter(|_| node.kind() == "call_expression");
        let name = function.and_then(|f| part(self.unit.cooperative.member(f)?, "name"));
        name.is_some_and(|name| listed(OPERATORS, self.text(name)))
    }

    /// The tiles of a block or of a tile.
    fn partition(&mut self, parent: Group, scope: BarrierScope, node: Node<'t>) -> Lowered<Value> {
        let of = self.threads_of(parent.scope);
        match (parent.scope, of) {
            (_, Some(_)) if parent.scope < scope => {
                return refuse(node, "tiles of a tile that has fewer threads");
            }
            (BarrierScope::Grid, _) => return refuse(node, "tiles of a grid"),
            (_, Some(_)) => {}
            (_, None) => self.divided(self.threads_of(scope).unwrap_or(1)),
        }
        Ok(Value::Group(Group { scope, of, any: false }))
    }

    fn method(
        &mut self,
        group: Group,
        name: &str,
        args: &[Node<'t>],
        node: Node<'t>,
    ) -> Lowered<Value> {
        let tile = self.threads_of(group.scope);
        let of_grid = group.scope == BarrierScope::Grid && !group.any;
        let own = tile.is_some() && !group.any;
        // As CUDA declares them.
        let t = if group.any || of_grid { IntType::U64 } else { IntType::U32 };
        let unknown = |s: &mut Self, t| Ok(Value::Int(t, s.unknown_int(t, node)));
        match (name, args) {
            ("sync", []) => self.sync(group.scope, node),
            ("thread_rank", []) => Ok(Value::Int(t, self.rank(group.scope))),
            ("size" | "num_threads", []) => Ok(Value::Int(t, self.size(group.scope))),
            ("is_valid", []) => {
                self.note("the kernel is assumed to be launched cooperatively", None);
                Ok(Value::Bool(Bool::Lit(true)))
            }
            ("meta_group_rank", []) if own => {
                let place = self.linear();
                let place = match group.of {
                    Some(of) => machine(MachineOp::Rem, t, place, lit(of.into())),
                    None => place,
                };
                let size = lit(tile.unwrap_or(1).into());
                Ok(Value::Int(t, machine(MachineOp::Div, t, place, size)))
            }
            ("meta_group_size", []) if own => {
                let size = u64::from(tile.unwrap_or(1));
                let of = match group.of {
                    Some(of) => lit(of.into()),
                    None => self.threads_of_block(),
                };
                let up = machine(MachineOp::Add, t, of, lit(size - 1));
                Ok(Value::Int(t, machine(MachineOp::Div, t, up, lit(size))))
            }
            ("block_rank", []) if of_grid => Ok(Value::Int(t, self.linear_block())),
            ("num_blocks", []) if of_grid => Ok(Value::Int(t, self.blocks_of_grid())),
            (_, []) if let Some(of) = self.dim3_of(group, name) => {
                self.launches.mention(of);
                let dim3 = named("dim3").unwrap_or(CType::Data(Data::UNKNOWN));
                Ok(self.unknown(&dim3, node))
            }
            (_, [value, rest @ ..]) if own && listed(EXCHANGES, name) => {
                let value = self.exchanged(*value, false)?;
                for arg in rest {
                    self.eval(*arg)?;
                }
                Ok(value)
            }
            ("any" | "all" | "ballot" | "match_any", [value]) if own => {
                self.eval(*value)?;
                let voted = matches!(name, "any" | "all");
                unknown(self, if voted { IntType::I32 } else { IntType::U32 })
            }
            _ => refuse(node, format!("call of the method `{name}` of a group")),
        }
    }

    /// What comes of the values that threads have of this expression: of its type, or of the type that
    /// it is promoted to.
    pub(super) fn exchanged(&mut self, value: Node<'t>, promoted: bool) -> Lowered<Value> {
        let known = self.eval(value)?;
        match self.type_of(&known) {
            Some(CType::Bool) if promoted => {
                Ok(Value::Int(IntType::I32, self.unknown_int(IntType::I32, value)))
            }
            Some(CType::Int(t)) if promoted => {
                Ok(Value::Int(promote(t), self.unknown_int(promote(t), value)))
            }
            Some(CType::Pointer(_) | CType::Group(_)) | None => {
                refuse(value, "a value that threads cannot exchange")
            }
            Some(ctype) => Ok(self.unknown(&ctype, value)),
        }
    }

    /// A thread's place in its group.
    fn rank(&mut self, scope: BarrierScope) -> Num {
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

    fn size(&mut self, scope: BarrierScope) -> Num {
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
    fn dim3_of(&self, group: Group, method: &str) -> Option<&'static str> {
        match (group.scope, method) {
            _ if group.any => None,
            (BarrierScope::Block, "thread_index") => Some("threadIdx"),
            (BarrierScope::Block, "group_index") | (BarrierScope::Grid, "block_index") => {
                Some("blockIdx")
            }
            (BarrierScope::Block, "group_dim" | "dim_threads") => Some("blockDim"),
            (BarrierScope::Grid, "group_dim" | "dim_blocks") => Some("gridDim"),
            _ => None,
        }
    }

    /// `group.thread_index().x` and the like.
    pub(super) fn place_in_group(&mut self, call: Node<'t>, field: &str) -> Lowered<Option<Value>> {
        let (function, arguments) = operands(call, "function", "arguments")?;
        if function.kind() != "field_expression" || !children(arguments).is_empty() {
            return Ok(None);
        }
        let method = self.text(operand(function, "field")?);
        let group = self.group_before(function)?;
        let name = group.and_then(|group| self.dim3_of(group, method));
        Ok(name.and_then(|name| self.builtin(name, field)))
    }
}

const TILE: &str = "thread_block_tile";
