//! Counters that go on by an unsigned step: `for (int i = t; i < n; i += gridDim.x * blockDim.x)`.
//!
//! C adds at the unsigned type and converts the sum back, so a counter of an `int` that passes its largest value
//! goes on below 0, and the loop with it. Nobody means that. Where the step is a number of the counter's
//! own type, the sum is computed as one of that type: a thread whose counter would leave it goes no further
//! there, as with any signed overflow, and the place is listed. What it did before counts.
//! The unsigned type may be wider, as that of `i += get_global_size(0)` in OpenCL C: of a sum that leaves the
//! counter's type, the conversion back keeps the same bits.
//!
//! It is so for variables that the condition of a loop around speaks of, and for nothing else: what wraps
//! around elsewhere is computed as C does. A counter of an unsigned type wraps, unless [`super::trip`] solves its loop.

use super::Syntax;
use super::breaks::leaving;
use crate::arith::{as_lit, cast};
use crate::ctype::CType;
use crate::lower::{At, Lower, Lowered};
use crate::range::full;
use crate::value::{Base, Binding, Place, Value, VarId};
use babycuda_core::{IntType, MachineOp, Num};
use babycuda_kernel as kernel;
use babycuda_kernel::{Expr, ExprKind, Initial, Kernel, Node, PlaceKind, Var};
use std::collections::{BTreeMap, BTreeSet};

/// A variable that the condition of a loop speaks of.
#[derive(Debug)]
pub(in crate::lower) struct Counter {
    variable: VarId,
    /// Is the step at a place a number of its type? As the first translation found it: what a later one
    /// knows besides, under which the loop is solved, makes no stop.
    steps: BTreeMap<At, bool>,
}

impl<'t> Lower<'t> {
    /// The variables of signed types that the conditions speak of under which a loop goes on.
    pub(super) fn counters_of(&self, syntax: Syntax<'t>) -> Vec<Counter> {
        let inside: BTreeSet<Var> = declared(syntax.body).collect();
        let conditions = syntax.condition.into_iter().chain(leaving(syntax.body));
        let nodes = conditions.flat_map(|c| Node::from(c).subterms());
        let variables = nodes.filter_map(|node| match node {
            Node::Place(kernel::Place { kind: PlaceKind::Variable(v), .. })
                if inside.contains(v) =>
            {
                None
            }
            Node::Place(place) => self.own_variable(place),
            _ => None,
        });
        let signed = |v: &VarId| matches!(self.env.ctype(*v), CType::Int(t) if t.signed);
        let counter = |variable| Counter { variable, steps: BTreeMap::new() };
        variables.filter(signed).map(counter).collect()
    }

    /// The local variable that a place names, or the part of a local object.
    fn own_variable(&self, place: &kernel::Place) -> Option<VarId> {
        if let PlaceKind::Variable(v) = place.kind
            && let Binding::Var(v) | Binding::Reference(Place::Var(v)) = self.env.lookup(v)?
        {
            return Some(*v);
        }
        let (object, offset) = self.own_byte(place)?;
        let parts = self.env.parts(object);
        parts.into_iter().find(|(_, at)| *at == offset).map(|(v, _)| v)
    }

    /// The local object that a place names a component of, and the first byte in it.
    fn own_byte(&self, place: &kernel::Place) -> Option<(VarId, u64)> {
        match &place.kind {
            PlaceKind::Variable(v) => match self.env.lookup(*v)? {
                Binding::Object(object) => Some((*object, 0)),
                Binding::Reference(Place::Cell(p)) => match p.base {
                    Base::Object(object) => Some((object, as_lit(&p.index)?)),
                    _ => None,
                },
                _ => None,
            },
            PlaceKind::Member(of, member) => {
                let (object, offset) = self.own_byte(of)?;
                Some((object, offset + self.kernel.offset(&of.ty, member)?))
            }
            _ => None,
        }
    }

    /// `old op value`, computed at the unsigned type `computed` and stored in `target`: its value, where
    /// that is a counter's step.
    pub(in crate::lower) fn counter_step(
        &mut self,
        target: &Place,
        op: MachineOp,
        old: &Value,
        value: &Value,
        computed: &CType,
        at: At,
    ) -> Option<Value> {
        let (Place::Var(v), CType::Int(u)) = (target, computed) else {
            return None;
        };
        let (CType::Int(t), Value::Int(from, step)) = (self.env.ctype(*v), value) else {
            return None;
        };
        let (t, from) = (*t, *from);
        let adds = matches!(op, MachineOp::Add | MachineOp::Sub);
        let of_the_other_sign = t.signed && !u.signed && t.width <= u.width;
        let Value::Int(held, old) = old else {
            return None;
        };
        if !adds || !of_the_other_sign || held.width != t.width {
            return None;
        }
        let step = cast(from, *u, step.clone(), &self.ranges);
        let narrow = self.narrowed(*u, t, &step);
        let of_its_type = self.ranges.of(&step, *u).1 <= full(t).1;
        let step = narrow.unwrap_or(step);
        // The innermost loop.
        let counter = self.counters.iter_mut().rfind(|counter| counter.variable == *v)?;
        if !*counter.steps.entry(at).or_insert(of_its_type) {
            return None;
        }
        let old: Num = old.clone();
        Some(Value::Int(t, self.arithmetic(op, t, old, step, at)))
    }

    /// `i = i + step` and `i = step + i`, of a local variable and a step without effects: which operator,
    /// the step, and the type at which it is computed. What it would do is nothing.
    pub(in crate::lower) fn own_step(
        &mut self,
        place: &'t kernel::Place,
        value: &'t Expr,
    ) -> Lowered<Option<(MachineOp, &'t Expr, IntType)>> {
        let without = |e: &'t Expr| match &e.kind {
            ExprKind::Convert(inner) if inner.ty.integer().is_some() => inner.as_ref(),
            _ => e,
        };
        let sum = without(value);
        let ExprKind::Arithmetic(op @ (MachineOp::Add | MachineOp::Sub), both) = &sum.kind else {
            return Ok(None);
        };
        let Some(v) = self.own_variable(place) else {
            return Ok(None);
        };
        let is_it = |e: &Expr| match &e.kind {
            ExprKind::Load(place) => self.own_variable(place) == Some(v),
            _ => false,
        };
        let [l, r] = both.as_ref();
        let step = match op {
            _ if is_it(without(l)) => r,
            MachineOp::Add if is_it(without(r)) => l,
            _ => return Ok(None),
        };
        match sum.ty.integer() {
            Some(t) if !self.has_effects(step) => Ok(Some((*op, step, t))),
            _ => Ok(None),
        }
    }
}

/// What is declared in the body of a loop.
fn declared(body: &kernel::Stmt) -> impl Iterator<Item = Var> {
    Node::from(body).subterms().filter_map(|node| match node {
        Node::Stmt(kernel::Stmt { kind: kernel::StmtKind::Declare(v, _), .. }) => Some(*v),
        _ => None,
    })
}

/// The variables that nothing can change after they are declared: nobody assigns to them, takes their
/// address or binds a reference to them.
pub(in crate::lower) fn settled(kernel: &Kernel) -> BTreeSet<Var> {
    let mut changed = BTreeSet::new();
    let mut change = |place: &kernel::Place| {
        let mut place = place;
        while let kernel::PlaceKind::Member(of, _) = &place.kind {
            place = of;
        }
        if let PlaceKind::Variable(v) = place.kind {
            changed.insert(v);
        }
    };
    let bodies = kernel.functions.iter().map(|f| &f.body).chain(&kernel.globals);
    for node in bodies.flat_map(|body| Node::from(body).subterms()) {
        match node {
            Node::Expr(expr) => match &expr.kind {
                ExprKind::Assign(place, _)
                | ExprKind::Update { place, .. }
                | ExprKind::Step { place, .. }
                | ExprKind::AddressOf(place)
                | ExprKind::Decay(place) => change(place),
                ExprKind::Call { arguments, .. } => {
                    for argument in arguments {
                        if let Initial::Place(place) = argument {
                            change(place);
                        }
                    }
                }
                _ => {}
            },
            Node::Stmt(stmt) => {
                if let kernel::StmtKind::Declare(_, Some(Initial::Place(place))) = &stmt.kind {
                    change(place);
                }
            }
            Node::Place(_) => {}
        }
    }
    let all = (0..kernel.variables.len() as u32).map(Var);
    all.filter(|v| !changed.contains(v)).collect()
}
