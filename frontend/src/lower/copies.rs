//! Asynchronous copies. What barriers pass while a copy of a pipeline is in flight is the business of
//! [`flight`](super::flight). A copy that something else waits for is one at the place of its call, where it is complete
//! before the next barrier: what barriers order is the same then, whenever it is made. Otherwise the barrier is refused;
//! so is another access of the thread to an array that it copies, before the copy is complete.
//!
//! - A pipeline of a thread: `consumer_wait` waits for the stage that is next to be released,
//!   `pipeline_consumer_wait_prior<N>` for all that were committed but the latest N.
//! - CUDA's primitives (`__pipeline_memcpy_async`, `__pipeline_commit`, `__pipeline_wait_prior`) are of one pipeline that
//!   each thread has without an object. A kernel with both is refused: whose stages an object counts is not said.
//! - A barrier of a block is `__syncthreads` where it is made for all threads of the block: which an assumption says,
//!   unless the count says it. What starts it writes it, and who arrives reads it ([`made`](super::made)). It waits for
//!   the copies that it was given, of the threads that arrive. Between an arrival and its wait nothing may be done.
//! - A copy of a group (`cooperative_groups::memcpy_async`): CUDA leaves open which of its threads copies what. A race
//!   has one access of a copy, or two of different ones: of one copy, the elements that are written are different ones.
//!   So it is enough that one thread writes all that a copy does, whichever, if that may be another one for another
//!   copy. Copies are counted, and parameters say which thread of a group makes those before some number, and which
//!   the others: a race for some values is one that CUDA allows, and a race that CUDA allows is one for some values.
//!   Groups may have the same numbers: their threads are different ones anyway. All threads of the group read what is
//!   copied; with two of them, one is not the thread that the read races with. So a copy to where it reads from is a
//!   race, too. What a thread of the group itself accesses races likewise, since another one may copy it: nothing of
//!   this is refused but where a group has one thread, whose copies are the thread's own.
//!   `wait` waits for all copies of the group, then its threads meet: CUDA's header has `group.sync()` there, and its
//!   manual says that it joins the threads. `wait_prior<N>` meets likewise, and waits for all of them where N is 0.
//!   The groups of a kernel that copy so are of one size. `cuda::memcpy_async` of a group is a copy of that kind for
//!   which a pipeline or a barrier waits, of the threads that write: of all of them, then.
//!
//! A kernel has at most one of each; more are refused.

use super::emit::Item;
use super::flight::Mark;
use super::{At, Lower, Lowered, refuse};
use crate::arith::{as_lit, compare_natural, lit, machine, select};
use crate::ctype::CType;
use crate::value::{ArrayId, Base, Group, Value, VarId};
use babycuda_core::expr::Relation;
use babycuda_core::name::reserved::BLOCK_DIM;
use babycuda_core::syntax::BarrierScope;
use babycuda_core::{Bool, IntType, MachineOp, Num};
use babycuda_kernel::device::{BARRIER, Device, PIPELINE};
use babycuda_kernel::{Expr, ExprKind, Kernel, Node, Storage, Type};

/// What is known of the copies of a thread: variables that hold numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Copies {
    /// How many copies were made by groups.
    of_groups: VarId,
    /// Are there some that a group has to wait for?
    at_group: VarId,
    /// Are there some that the barrier has to wait for?
    at_barrier: VarId,
}

/// What is known of the copies that the threads of groups make together.
#[derive(Default, Debug)]
pub(super) struct Together {
    /// The groups that wait for them.
    scope: Option<BarrierScope>,
    /// Who writes: see [`Lower::copiers`].
    copiers: Option<[Num; 3]>,
    /// The barrier object.
    pub(super) barrier: Option<ArrayId>,
    /// Of the copy that is being made: does this thread write? `None`: it is its own.
    pub(super) copier: Option<Bool>,
}

/// An arrival at the barrier, and what was done since: nothing, as long as the block has as many statements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Arrival {
    depth: usize,
    items: usize,
}

/// Does the kernel call a function of asynchronous copies?
fn copies(kernel: &Kernel) -> bool {
    let calls = |node: Node<'_>| match node {
        Node::Expr(Expr { kind: ExprKind::Device(name, _), .. }) => {
            Device::of(name.as_str()) == Some(Device::Copies)
        }
        _ => false,
    };
    kernel.functions.iter().any(|f| Node::Stmt(&f.body).subterms().any(calls))
}

impl<'t> Lower<'t> {
    /// Begins to follow asynchronous copies, if the kernel makes some.
    pub(super) fn follow_copies(&mut self) {
        if copies(self.kernel) {
            let mut variable = |name: &str| {
                let zero = Value::Int(IntType::U32, lit(0));
                self.env.variable(name, CType::Int(IntType::U32), zero)
            };
            self.copies = Some(Copies {
                of_groups: variable("copies of groups"),
                at_group: variable("copies at the group"),
                at_barrier: variable("copies at the barrier"),
            });
        }
    }

    fn set_number(&mut self, v: VarId, number: u64) {
        self.env[v] = Value::Int(IntType::U32, lit(number));
    }

    /// A copy for which something waits that is no pipeline.
    fn waited(&mut self, what: VarId, assigned: &'t Expr) -> Lowered<()> {
        self.set_number(what, 1);
        self.effects(assigned)
    }

    /// A call of a function of asynchronous copies, or of what waits for them.
    pub(super) fn copying(&mut self, name: &str, args: &'t [Expr], at: At) -> Lowered<Value> {
        let Some(copies) = self.copies else {
            return refuse(at, "an asynchronous copy outside of functions");
        };
        self.only_one(name, at)?;
        match (name, args) {
            ("async::acquire", []) => {}
            (
                "async::copy"
                | "async::copy_of_thread"
                | "async::copy_to_barrier"
                | "async::copy_of_group",
                [assigned, group @ ..],
            ) => {
                let copier = match group {
                    [] => None,
                    [group, ..] => self.copier_of(copies, group, name, at)?,
                };
                let own = copier.is_none();
                (self.copying, self.together.copier) = (true, copier);
                let done = match name {
                    "async::copy_to_barrier" => self.waited(copies.at_barrier, assigned),
                    "async::copy_of_group" => self.waited(copies.at_group, assigned),
                    _ => self.as_copy(own, |s| s.effects(assigned)),
                };
                (self.copying, self.together.copier) = (false, None);
                done?;
            }
            ("async::wait_of_group", [group, prior]) => {
                let group = self.copying_group(group, at)?;
                let prior = self.eval(prior)?;
                if matches!(prior, Value::Int(_, prior) if as_lit(&prior) == Some(0)) {
                    self.set_number(copies.at_group, 0);
                }
                return self.group_sync(group, at);
            }
            ("async::commit" | "async::commit_of_thread", []) => {
                self.mark_copies(Mark::Commit, 0, at);
            }
            ("async::wait", []) => self.mark_copies(Mark::Wait, 0, at),
            ("async::wait_prior" | "async::wait_of_thread", [prior]) => {
                let prior = match self.eval(prior)? {
                    Value::Int(_, prior) => as_lit(&prior),
                    _ => None,
                };
                let Some(prior) = prior else {
                    return refuse(at, "a wait for all but a number of stages that is not known");
                };
                self.mark_copies(Mark::Prior, prior, at);
            }
            ("async::release", []) => self.mark_copies(Mark::Release, 0, at),
            ("async::init", [barrier, count]) => {
                let barrier = self.barrier_place(barrier, at)?;
                let count = self.eval(count)?;
                let (_, count) = self.integer(count, at)?;
                let known = |x: &babycuda_core::Name| {
                    BLOCK_DIM.contains(&x.as_str()) || self.out.params.iter().any(|p| p.name == *x)
                };
                if !count.free_vars().iter().all(known) {
                    return refuse(at, "a barrier for a number of threads that is not known");
                }
                self.launches.counts(count);
                self.store_unknown(&barrier, at)?;
            }
            ("async::arrive", [barrier]) => {
                self.arrive(barrier, at)?;
                if self.arrival.is_some() {
                    return refuse(at, "an arrival at a barrier after another");
                }
                self.arrival = Some(self.here());
                let token = CType::Data(crate::ctype::Data::UNKNOWN);
                return Ok(self.unknown(&token, at));
            }
            ("async::wait_for_others", []) => {
                if self.arrival != Some(self.here()) {
                    return refuse(
                        at,
                        "a wait at a barrier that is not directly behind its arrival",
                    );
                }
                self.arrival = None;
                return self.meet(copies, at);
            }
            ("async::arrive_and_wait", [barrier]) => {
                self.arrive(barrier, at)?;
                return self.meet(copies, at);
            }
            _ => return refuse(at, format!("call of `{name}` with this number of arguments")),
        }
        Ok(Value::Void)
    }

    /// The group that copies or waits: of one size in the whole kernel.
    fn copying_group(&mut self, group: &'t Expr, at: At) -> Lowered<Group> {
        let group = self.group(group)?;
        if group.scope == BarrierScope::Grid {
            return refuse(at, "an asynchronous copy of a grid");
        }
        match *self.together.scope.get_or_insert(group.scope) == group.scope {
            true => Ok(group),
            false => refuse(at, "asynchronous copies of groups of several sizes"),
        }
    }

    /// Is the thread the one of the group that writes what a copy does? `None`: it is alone.
    fn copier_of(
        &mut self,
        copies: Copies,
        group: &'t Expr,
        name: &str,
        at: At,
    ) -> Lowered<Option<Bool>> {
        let group = match name {
            "async::copy_of_group" => self.copying_group(group, at)?,
            _ => self.group(group)?,
        };
        if group.scope == BarrierScope::Grid {
            return refuse(at, "an asynchronous copy of a grid");
        }
        if as_lit(&self.size(group.scope)) == Some(1) {
            return Ok(None);
        }
        let Value::Int(t, number) = self.env[copies.of_groups].clone() else {
            return refuse(at, "copies that are no number");
        };
        let next = machine(MachineOp::Add, t, number.clone(), lit(1));
        self.env[copies.of_groups] = Value::Int(t, next);
        let [split, before, behind] = self.copiers()?;
        let is_before = compare_natural(Relation::Lt, number, split);
        let copier = select(is_before, before, behind);
        let rank = self.rank(group.scope);
        Ok(Some(compare_natural(Relation::Eq, rank, copier)))
    }

    /// The numbers that say who writes: the number of the first copy that the second of two ranks makes, and these.
    fn copiers(&mut self) -> Lowered<[Num; 3]> {
        if let Some(known) = &self.together.copiers {
            return Ok(known.clone());
        }
        let mut numbers = [lit(0), lit(0), lit(0)];
        for (number, name) in numbers.iter_mut().zip(["copy_split", "copier", "copier_behind"]) {
            if let Value::Int(_, of) = self.parameter_value(name, &CType::Int(IntType::U32))? {
                *number = of;
            }
        }
        let [split, before, behind] = &numbers;
        let open = "which thread of a group makes its asynchronous copies is left open";
        let which = format!("that of rank `{before}` those before number `{split}`");
        self.note(format!("{open}: {which}, that of rank `{behind}` the others"), None);
        self.together.copiers = Some(numbers.clone());
        Ok(numbers)
    }

    /// Where the translation stands: what was done is told by statements that are more than values.
    fn here(&self) -> Arrival {
        let done = |item: &&Item| !self.is_idle(item);
        Arrival { depth: self.out.depth(), items: self.out.items().iter().filter(done).count() }
    }

    /// All threads of the block meet, and the copies that were given to the barrier are complete.
    fn meet(&mut self, copies: Copies, at: At) -> Lowered<Value> {
        self.set_number(copies.at_barrier, 0);
        self.sync(BarrierScope::Block, at)
    }

    fn arrive(&mut self, barrier: &'t Expr, at: At) -> Lowered<()> {
        let barrier = self.barrier_place(barrier, at)?;
        self.load(&barrier, at).map(|_| ())
    }

    fn barrier_place(&mut self, barrier: &'t Expr, at: At) -> Lowered<crate::value::Place> {
        match self.eval(barrier)? {
            Value::Pointer(p) => {
                match p.base {
                    Base::Array(array) => self.together.barrier = Some(array),
                    _ => return refuse(at, "a barrier that is not known"),
                }
                self.deref(p, at)
            }
            _ => refuse(at, "a barrier that is not known"),
        }
    }

    /// Refuses a kernel with several pipelines or barriers: which of them is meant is not followed. The pipeline that
    /// each thread has without an object is another one.
    fn only_one(&self, name: &str, at: At) -> Lowered<()> {
        for class in [PIPELINE, BARRIER] {
            let of_class = |ty: &Type| matches!(ty, Type::Opaque(name) if **name == *class);
            let all = self.kernel.variables.iter().filter(|v| of_class(v.ty.innermost()));
            let all: Vec<_> = all.collect();
            if class == PIPELINE && name.ends_with("_of_thread") && !all.is_empty() {
                return refuse(at, "a primitive of pipelines in a kernel with a pipeline object");
            }
            let own: Vec<_> = all.into_iter().filter(|v| v.storage != Storage::Reference).collect();
            let storage = if class == BARRIER { Storage::Shared } else { Storage::Local };
            if own.len() > 1 || own.iter().any(|v| v.storage != storage || !of_class(&v.ty)) {
                return refuse(at, format!("`{name}` in a kernel with several of its kind"));
            }
        }
        Ok(())
    }

    /// Refuses a barrier that a copy may pass.
    pub(super) fn no_copies(&self, at: At) -> Lowered<()> {
        if self.arrival.is_some() {
            return refuse(at, "a barrier between the arrival at another and its wait");
        }
        match self.may_copy() {
            true => refuse(at, "a barrier that an asynchronous copy may pass"),
            false => Ok(()),
        }
    }

    /// Notes an array that is copied, and refuses another access of one that may be copied now.
    pub(super) fn while_copying(&mut self, array: ArrayId, at: At) -> Lowered<()> {
        if self.copying {
            // What a group copies is told by races, and what a pipeline waits for as well.
            if self.together.copier.is_none() && !self.flight.is_being_made() {
                self.copied.insert(array);
            }
        } else if self.copied.contains(&array) && self.may_copy() {
            return refuse(at, "an access of an array that the thread copies at the time");
        }
        Ok(())
    }

    /// May there be copies that are not complete?
    fn may_copy(&self) -> bool {
        let Some(copies) = self.copies else { return false };
        let passes = |v: VarId| match &self.env[v] {
            Value::Int(_, num) => match as_lit(num) {
                Some(number) => number != 0,
                // What holds before an iteration is asked for when that is known.
                None => !self.mode.on_trial,
            },
            _ => true,
        };
        [copies.at_barrier, copies.at_group].into_iter().any(passes)
    }
}

/// Is `count` the product of these extents, as kernels write it?
pub(super) fn is_product(count: &Num, extents: &[Num]) -> bool {
    let times = |l: Num, r: &Num| machine(MachineOp::Mul, IntType::U32, l, r.clone());
    let product = extents.iter().fold(lit(1), times);
    let back = extents.iter().rev().fold(lit(1), times);
    *count == product || *count == back
}
