//! The simplified `for` (SKBG18 §4.1, "For Loop"): one arbitrary iteration, whose number is a free variable.

use super::super::formula::{Action, Kind, LoopId, Node, Role, Wff};
use super::super::intervals::Flow;
use super::{Translation, Translator, assigned, reads};
use crate::Refusal;
use babycuda_core::{IntType, MachineOp};
use babycuda_kernel::{At, Expr, ExprKind, Loop, Place, PlaceKind, Var};

/// The type of counters.
const COUNT: Kind = Kind::Int(IntType::U32);

/// `var = var op k`
struct Update<'a> {
    variable: Var,
    op: MachineOp,
    /// `None`: 1.
    by: Option<&'a Expr>,
}

impl Translator<'_> {
    pub(super) fn turns(&mut self, parts: &Loop, at: At) -> Translation<()> {
        let simple = || Refusal::unsupported("a loop that is no simple `for`", at);
        let (Some(condition), Some(update), true) =
            (&parts.condition, &parts.update, parts.test_first)
        else {
            return Err(simple());
        };
        let Update { variable, op, by } = update_of(update).ok_or_else(simple)?;
        parts.initial.iter().try_for_each(|s| self.stmt(s))?;
        let changed = assigned(&parts.body);
        if changed.contains(&variable) || !assigned(condition).is_empty() {
            return Err(Refusal::unsupported("a loop whose body counts, too", at));
        }
        let Some(first) = self.now.get(&variable).copied() else { return Err(simple()) };
        let Kind::Int(_) = self.out.symbols[first.0].kind else { return Err(simple()) };
        let step = match by {
            Some(by) => self.expr(by)?,
            None => Wff { node: Node::Num(1), kind: self.out.symbols[first.0].kind },
        };
        if reads(&step) || by.is_some_and(|by| mentions(by, variable, &changed)) {
            return Err(Refusal::unsupported("a step that an iteration changes", at));
        }
        let before = self.now.clone();
        let number = LoopId(self.out.counts.len());
        let name = self.kernel[variable].name.clone();
        let count = self.symbol(&format!("{name}.k"), COUNT, Role::Count);
        self.out.counts.push(count);
        self.loops.push(number);
        let around = self.predicate.len();
        let body = self.apart(|t| {
            if t.havoc {
                t.forget(&changed, at)?;
            }
            let kind = t.out.symbols[first.0].kind;
            let symbol = t.symbol(&name, kind, Role::Thread);
            let first = t.variable(first);
            t.emit(Action::Iterate { number, symbol, first, op, step: step.clone(), count }, at);
            t.now.insert(variable, symbol);
            let goes_on = t.condition(condition)?;
            t.predicate.push(goes_on);
            t.stmt(&parts.body)
        });
        self.predicate.truncate(around);
        self.loops.pop();
        let body = body?;
        self.record(Flow::Loop(number, body));
        self.now.retain(|v, _| before.contains_key(v));
        if self.havoc {
            self.forget(&changed, at)?;
            self.end((variable, number), condition, (first, op, step), at)?;
        }
        Ok(())
    }

    /// Variables and arrays hold any values from here on.
    fn forget(&mut self, variables: &[Var], at: At) -> Translation<()> {
        let mut variables = variables.to_vec();
        variables.sort_unstable();
        variables.dedup();
        for v in variables {
            if let Some(array) = self.arrays.get(&v).copied() {
                self.next(array);
            } else if self.now.contains_key(&v) {
                let kind = self.kind(&self.kernel[v].ty, at)?;
                let id = self.symbol(&self.kernel[v].name, kind, Role::Thread);
                self.now.insert(v, id);
            }
        }
        Ok(())
    }

    /// The counter behind the loop: some iterations are over, and the condition does not hold.
    fn end(
        &mut self,
        (variable, ended): (Var, LoopId),
        condition: &Expr,
        (first, op, step): (super::SymbolId, MachineOp, Wff),
        at: At,
    ) -> Translation<()> {
        if !self.now.contains_key(&variable) {
            return Ok(());
        }
        let name = self.kernel[variable].name.clone();
        let kind = self.out.symbols[first.0].kind;
        let count = self.symbol(&format!("{name}.k"), COUNT, Role::Count);
        let symbol = self.symbol(&name, kind, Role::Thread);
        let number = LoopId(self.out.counts.len());
        self.out.counts.push(count);
        self.out.ends.insert(ended, count);
        let first = self.variable(first);
        self.emit(Action::Iterate { number, symbol, first, op, step, count }, at);
        self.now.insert(variable, symbol);
        let goes_on = self.expr(condition)?;
        if !reads(&goes_on) {
            self.emit(Action::Assume(goes_on.negated()), at);
        }
        Ok(())
    }
}

/// The update of a simplified `for`.
fn update_of(expr: &Expr) -> Option<Update<'_>> {
    let variable = |place: &Place| match place.kind {
        PlaceKind::Variable(v) => Some(v),
        _ => None,
    };
    let known = |op: MachineOp| {
        matches!(op, MachineOp::Add | MachineOp::Sub | MachineOp::Shl | MachineOp::Shr)
    };
    match &expr.kind {
        ExprKind::Convert(inner) => update_of(inner),
        ExprKind::Step { place, up, .. } => {
            let op = if *up { MachineOp::Add } else { MachineOp::Sub };
            Some(Update { variable: variable(place)?, op, by: None })
        }
        ExprKind::Update { op, place, value, .. } if known(*op) => {
            Some(Update { variable: variable(place)?, op: *op, by: Some(value) })
        }
        ExprKind::Assign(place, value) => {
            let ExprKind::Arithmetic(op, both) = &unconverted(value).kind else { return None };
            let ExprKind::Load(held) = &unconverted(&both[0]).kind else { return None };
            let v = variable(place)?;
            (variable(held) == Some(v) && known(*op)).then_some(Update {
                variable: v,
                op: *op,
                by: Some(&both[1]),
            })
        }
        _ => None,
    }
}

fn unconverted(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Convert(inner) => unconverted(inner),
        _ => expr,
    }
}

/// Does an expression mention the counter, or what the loop changes?
fn mentions(expr: &Expr, counter: Var, changed: &[Var]) -> bool {
    babycuda_kernel::Node::Expr(expr).subterms().any(|node| match node {
        babycuda_kernel::Node::Place(Place { kind: PlaceKind::Variable(v), .. }) => {
            *v == counter || changed.contains(v)
        }
        _ => false,
    })
}
