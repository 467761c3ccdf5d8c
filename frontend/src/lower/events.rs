//! Copies that a work-group makes together (`async_work_group_copy` of OpenCL C), and waiting for them.
//!
//! OpenCL C leaves open which work-item copies an element, and says that a copy synchronizes nothing before it begins. So
//! one work-item makes all accesses of a copy, and a parameter says which: a race with another access of any work-item,
//! from the last barrier before the copy to where it is waited for, is one for some value of it. Two copies have
//! parameters of their own, so a race between them is found, too. Of one copy all elements are different ones.
//!
//! Each work-item that has waited may access what was copied: nothing behind a wait races with the copy. The wait is a
//! barrier here, of which it is not said whether it orders other accesses: a kernel for which that matters is refused
//! (module [`fences`](crate::fences)).
//!
//! What is waited for has to be all that is being copied; a barrier that a copy may pass is refused, and so is a copy
//! that may be made again before it was waited for. Events are numbers: that of the call that began to count.

use super::{At, Lower, Lowered, refuse};
use crate::arith::{as_lit, compare_natural, lit, machine, natural};
use crate::ctype::CType;
use crate::value::{Base, Pointer, Value, VarId};
use babycuda_core::expr::{ArithOp, Relation};
use babycuda_core::name::reserved::{THREAD_IDX, TID};
use babycuda_core::syntax::{BarrierScope, Space};
use babycuda_core::{Bool, IntType, MachineOp, Num};
use babycuda_kernel::device::Device;
use babycuda_kernel::{Expr, ExprKind, Node};

/// More calls than this are not told apart.
const MAX_CALLS: usize = 30;

/// The copies of a kernel's work-groups.
#[derive(Clone, Debug)]
pub(super) struct Events {
    /// Variables: the events that were not waited for, and the calls that they stand for, as bits.
    events: VarId,
    calls: VarId,
    /// Where a copy is made, and who makes it.
    copiers: Vec<(At, Num)>,
}

impl<'t> Lower<'t> {
    /// Begins to follow the copies of work-groups, if the kernel makes some.
    pub(super) fn follow_events(&mut self) {
        let calls = |node: Node<'_>| match node {
            Node::Expr(Expr { kind: ExprKind::Device(name, _), .. }) => {
                name.as_str().starts_with("opencl::")
                    && Device::of(name.as_str()) == Some(Device::Copies)
            }
            _ => false,
        };
        if self.kernel.functions.iter().any(|f| Node::Stmt(&f.body).subterms().any(calls)) {
            let mut variable = |name: &str| {
                let none = Value::Int(IntType::U32, lit(0));
                self.env.variable(name, CType::Int(IntType::U32), none)
            };
            let (events, calls) = (variable("events"), variable("copies"));
            self.events = Some(Events { events, calls, copiers: Vec::new() });
        }
    }

    /// A copy of a work-group, or a wait for such.
    pub(super) fn group_copy(&mut self, name: &str, args: &'t [Expr], at: At) -> Lowered<Value> {
        match args {
            [to, from, count, event] if name == "opencl::async_work_group_copy" => {
                self.begin_copy([to, from, count], None, event, at)
            }
            [to, from, count, stride, event] if name == "opencl::async_work_group_strided_copy" => {
                self.begin_copy([to, from, count], Some(stride), event, at)
            }
            [count, events] if name == "opencl::wait_group_events" => {
                self.wait_for_events(count, events, at)
            }
            _ => refuse(at, format!("call of `{name}` with this number of arguments")),
        }
    }

    /// The bits that a variable holds; on trial they may be none that are known.
    fn bits_of(&self, v: VarId, at: At) -> Lowered<Option<u64>> {
        let known = match &self.env[v] {
            Value::Int(_, num) => as_lit(num),
            _ => None,
        };
        match known {
            None if !self.mode.on_trial => {
                refuse(at, "copies of work-groups that may not be waited for in time")
            }
            known => Ok(known),
        }
    }

    fn begin_copy(
        &mut self,
        [to, from, count]: [&'t Expr; 3],
        stride: Option<&'t Expr>,
        event: &'t Expr,
        at: At,
    ) -> Lowered<Value> {
        let (number, copier) = self.copier(at)?;
        let pointer = |s: &mut Self, of: &'t Expr| match s.eval(of)? {
            Value::Pointer(pointer) => Ok(pointer),
            _ => refuse(of.at, "a copy of what is no known pointer"),
        };
        let (to, from) = (pointer(self, to)?, pointer(self, from)?);
        let count = self.eval(count)?;
        let count = self.index(count, at)?;
        let stride = match stride {
            Some(stride) => {
                let stride = self.eval(stride)?;
                self.index(stride, at)?
            }
            None => lit(1),
        };
        // Of other ones OpenCL C says nothing.
        let by_thread = |num: &Num| {
            let names = num.free_vars();
            names.iter().any(|x| x.as_str() == TID || THREAD_IDX.contains(&x.as_str()))
        };
        if [&to.index, &from.index, &count, &stride].into_iter().any(by_thread) {
            return refuse(at, "a copy of a work-group whose arguments differ between work-items");
        }
        let Some(Events { events, calls, .. }) = self.events.clone() else {
            return refuse(at, "a copy of a work-group outside of functions");
        };
        let id = match self.eval(event)? {
            Value::Int(_, num) => match as_lit(&num) {
                Some(0) => number,
                Some(id) if (1..=MAX_CALLS as u64).contains(&id) => id,
                _ => return refuse(event.at, "an event that is not known"),
            },
            _ => return refuse(event.at, "an event that is not known"),
        };
        let (bit, call) = (1u64 << id, 1u64 << number);
        let flying = self.bits_of(calls, at)?;
        self.bits_of(events, at)?;
        if flying.is_some_and(|flying| flying & call != 0) {
            return refuse(at, "a copy that is made again before it was waited for");
        }
        for (v, bit) in [(events, bit), (calls, call)] {
            if let Value::Int(t, old) = self.env[v].clone() {
                let both = match as_lit(&old) {
                    Some(old) => lit(old | bit),
                    None => machine(MachineOp::Or, t, old, lit(bit)),
                };
                self.env[v] = Value::Int(t, both);
            }
        }
        let holds = compare_natural(Relation::Eq, self.linear(), copier);
        let elements: super::branch::Side<'_, 't> =
            &|s| s.copied_elements([&to, &from], &count, &stride, at);
        self.branch(holds, elements, &|_| Ok(()), at)?;
        Ok(Value::Int(IntType::U64, lit(id)))
    }

    /// The accesses of a copy: the stride is that of the elements in global memory.
    fn copied_elements(
        &mut self,
        [to, from]: [&Pointer; 2],
        count: &Num,
        stride: &Num,
        at: At,
    ) -> Lowered<()> {
        let t = IntType::U64;
        let is_global = |s: &Self, p: &Pointer| match p.base {
            Base::Array(array) => Ok(s.arrays[array].decl.space == Space::Global),
            _ => refuse(at, "a copy of what is no array"),
        };
        if is_global(self, to)? == is_global(self, from)? {
            return refuse(at, "a copy within one memory");
        }
        let most = self.ranges.of(count, t).1.max(1) - 1;
        let (var, body) = self.in_block(|s| {
            let var = s.fresh("element");
            s.ranges.set(var.clone(), t, (0, most));
            let element = Num::Var(var.clone());
            let strided = machine(MachineOp::Mul, t, element.clone(), stride.clone());
            let of = |s: &mut Self, p: &Pointer| {
                let offset = if is_global(s, p)? { &strided } else { &element };
                let offset = Value::Int(t, offset.clone());
                let there = s.offset(p.clone(), MachineOp::Add, offset, at)?;
                s.deref(there, at)
            };
            let (source, target) = (of(s, from)?, of(s, to)?);
            s.load(&source, at)?;
            s.store_unknown(&target, at)?;
            Ok(var)
        })?;
        self.push_for(at, var, lit(0), count.clone(), body);
        Ok(())
    }

    /// The number of a call, from 1, and the work-item that makes its accesses: a parameter.
    fn copier(&mut self, at: At) -> Lowered<(u64, Num)> {
        let Some(events) = &self.events else {
            return refuse(at, "a copy of a work-group outside of functions");
        };
        if let Some(place) = events.copiers.iter().position(|(call, _)| *call == at) {
            return Ok((place as u64 + 1, events.copiers[place].1.clone()));
        }
        let number = events.copiers.len() + 1;
        if number > MAX_CALLS {
            return refuse(at, format!("more than {MAX_CALLS} copies of work-groups"));
        }
        let copier = self.own_parameter("copier")?;
        self.note(
            format!("which work-items copy for their work-group is left open: `{copier}` does"),
            Some(at),
        );
        if let Some(events) = &mut self.events {
            events.copiers.push((at, copier.clone()));
        }
        Ok((number as u64, copier))
    }

    fn wait_for_events(&mut self, count: &'t Expr, list: &'t Expr, at: At) -> Lowered<Value> {
        let Some(Events { events, calls, .. }) = self.events.clone() else {
            return refuse(at, "a wait for events outside of functions");
        };
        let count = match self.eval(count)? {
            Value::Int(_, num) => as_lit(&num),
            _ => None,
        };
        let Some(count) = count.filter(|count| (1..=MAX_CALLS as u64).contains(count)) else {
            return refuse(at, "a wait for a number of events that is not known");
        };
        let Value::Pointer(list_of) = self.eval(list)? else {
            return refuse(list.at, "an event that is not known");
        };
        let mut waited = 0u64;
        for number in 0..count {
            let number = Value::Int(IntType::U64, lit(number));
            let there = self.offset(list_of.clone(), MachineOp::Add, number, at)?;
            let place = self.deref(there, at)?;
            let id = match self.load(&place, at)? {
                Value::Int(_, num) => as_lit(&num).filter(|id| (1..=MAX_CALLS as u64).contains(id)),
                _ => None,
            };
            let Some(id) = id else { return refuse(list.at, "an event that is not known") };
            waited |= 1 << id;
        }
        self.bits_of(calls, at)?;
        if self.bits_of(events, at)?.is_some_and(|flying| flying != waited) {
            return refuse(
                at,
                "a wait for some of the copies, where one has to be for all of them",
            );
        }
        for v in [events, calls] {
            self.env[v] = Value::Int(IntType::U32, lit(0));
        }
        self.sync(BarrierScope::Block, at)
    }

    /// Refuses a barrier that a copy of a work-group may pass.
    pub(super) fn no_events(&self, at: At) -> Lowered<()> {
        let Some(events) = &self.events else { return Ok(()) };
        match self.bits_of(events.calls, at)? {
            None | Some(0) => Ok(()),
            Some(_) => refuse(at, "a barrier that an asynchronous copy may pass"),
        }
    }

    /// What is assumed of those who copy, also in words: they are of the group.
    pub(super) fn copier_assumptions(&self) -> Vec<(Bool, String)> {
        let threads = || {
            self.extents().into_iter().fold(lit(1), |n, extent| natural(ArithOp::Mul, n, extent))
        };
        let copiers = self.events.iter().flat_map(|events| &events.copiers);
        let said = copiers.map(|(_, copier)| {
            let within = compare_natural(Relation::Lt, copier.clone(), threads());
            (within, format!("`{copier}` is a work-item of its group"))
        });
        said.collect()
    }
}
