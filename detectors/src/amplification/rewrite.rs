//! The rewriting of LGAGJL12 Fig. 6: a condition that decides stores becomes one that decides what is stored.

use super::inputs::Input;
use super::invariance::invariance;
use babycuda_core::expr::BoolOp;
use babycuda_kernel::device::Device;
use babycuda_kernel::{
    At, Expr, ExprKind, Initial, Kernel, Node, Place, Stmt, StmtKind, Storage, Type, UnaryOp, Var,
    Variable,
};
use std::collections::BTreeSet;

/// A kernel with each `if` that data decides rewritten, where that can be done, and which they are. The rewritten
/// kernel makes all accesses of the original, in the same intervals, and maybe more: `A[i]` is read and written
/// whatever the condition is. So the original is race-free where the rewritten kernel is; a race of the
/// rewritten kernel may be none of the original.
///
/// An `if` is rewritten if its branches hold nothing but declarations, assignments to places without effects, and
/// such `if`s. Fig. 6 computes `cond * A[j] + !cond * A[i]`. For floats that is another value where one of both is
/// infinite or no number (0 times infinity), or where the result is -0. This selects one of two values that
/// were read before.
pub fn rewrite(kernel: &Kernel, data: &BTreeSet<Input>) -> (Kernel, BTreeSet<At>) {
    let mut now = kernel.clone();
    let mut done = BTreeSet::new();
    loop {
        let branches = invariance(&now, data).branches;
        let mut rewriting =
            Rewriting { branches: &branches, variables: now.variables.clone(), done: vec![] };
        let mut functions = now.functions.clone();
        for function in &mut functions {
            rewriting.within(&mut function.body);
        }
        if rewriting.done.is_empty() {
            return (now, done);
        }
        done.extend(rewriting.done);
        now = Kernel { functions, variables: rewriting.variables, ..now };
    }
}

struct Rewriting<'a> {
    branches: &'a BTreeSet<At>,
    variables: Vec<Variable>,
    done: Vec<At>,
}

impl Rewriting<'_> {
    /// Rewrites what can be in a statement, from outside.
    fn within(&mut self, stmt: &mut Stmt) {
        let at = stmt.at;
        if let StmtKind::If(condition, then, otherwise) = &stmt.kind
            && self.branches.contains(&at)
        {
            let (before, made) = (self.variables.len(), self.done.len());
            if let Some(rewritten) = self.branch(condition, then, otherwise.as_deref(), None, at) {
                self.done.push(at);
                stmt.kind = StmtKind::Block(rewritten);
                return;
            }
            self.variables.truncate(before);
            self.done.truncate(made);
        }
        match &mut stmt.kind {
            StmtKind::Block(stmts) => stmts.iter_mut().for_each(|stmt| self.within(stmt)),
            StmtKind::If(_, then, otherwise) => {
                self.within(then);
                otherwise.iter_mut().for_each(|otherwise| self.within(otherwise));
            }
            StmtKind::Loop(parts) => self.within(&mut parts.body),
            StmtKind::Switch(_, cases) => {
                let bodies = cases.iter_mut().flat_map(|case| &mut case.body);
                bodies.for_each(|stmt| self.within(stmt));
            }
            _ => {}
        }
    }

    /// `if (condition) then else otherwise`, done only where `outer` holds.
    fn branch(
        &mut self,
        condition: &Expr,
        then: &Stmt,
        otherwise: Option<&Stmt>,
        outer: Option<Var>,
        at: At,
    ) -> Option<Vec<Stmt>> {
        if outer.is_some() && !is_pure(condition.into()) {
            return None;
        }
        let mut stmts = Vec::new();
        let known = self.keep(condition.clone(), at, &mut stmts)?;
        let and = |value: Expr| match outer {
            None => value,
            Some(outer) => {
                let both = Box::new([load(outer, Type::Bool, at), value]);
                Expr { kind: ExprKind::Logical(BoolOp::And, both), ty: Type::Bool, at }
            }
        };
        let yes = self.keep(and(load(known, Type::Bool, at)), at, &mut stmts)?;
        self.stores(then, yes, &mut stmts)?;
        if let Some(otherwise) = otherwise {
            let not = ExprKind::Unary(UnaryOp::Not, Box::new(load(known, Type::Bool, at)));
            let no = self.keep(and(Expr { kind: not, ty: Type::Bool, at }), at, &mut stmts)?;
            self.stores(otherwise, no, &mut stmts)?;
        }
        Some(stmts)
    }

    /// A statement that is done only where `guard` holds.
    fn stores(&mut self, stmt: &Stmt, guard: Var, into: &mut Vec<Stmt>) -> Option<()> {
        let at = stmt.at;
        match &stmt.kind {
            StmtKind::Block(stmts) => {
                let mut inner = Vec::new();
                stmts.iter().try_for_each(|stmt| self.stores(stmt, guard, &mut inner))?;
                into.push(Stmt { kind: StmtKind::Block(inner), at });
            }
            StmtKind::Declare(v, initial) => {
                let local = self.variables.get(v.0 as usize)?.storage == Storage::Local;
                let pure = initial.as_ref().is_none_or(|initial| is_pure(initial.into()));
                let value = matches!(initial, None | Some(Initial::Value(_)));
                (local && pure && value).then(|| into.push(stmt.clone()))?;
            }
            StmtKind::If(condition, then, otherwise) => {
                let otherwise = otherwise.as_deref();
                let inner = self.branch(condition, then, otherwise, Some(guard), at)?;
                into.push(Stmt { kind: StmtKind::Block(inner), at });
            }
            StmtKind::Expr(expr) => self.store(expr, guard, into)?,
            _ => return None,
        }
        Some(())
    }

    /// `place = value` becomes `old = place; new = value; place = guard ? new : old`.
    fn store(&mut self, expr: &Expr, guard: Var, into: &mut Vec<Stmt>) -> Option<()> {
        let at = expr.at;
        let (place, value) = match &expr.kind {
            ExprKind::Assign(place, value) => (place, value.as_ref().clone()),
            ExprKind::Convert(value) if expr.ty == Type::Void => {
                return self.store(value, guard, into);
            }
            _ => return None,
        };
        if !is_pure(place.as_ref().into()) || !is_pure((&value).into()) {
            return None;
        }
        let ty = place.ty.clone();
        let new = self.keep(value, at, into)?;
        let held = Expr { kind: ExprKind::Load(place.clone()), ty: ty.clone(), at };
        let old = self.keep(held, at, into)?;
        let operands =
            [load(guard, Type::Bool, at), load(new, ty.clone(), at), load(old, ty.clone(), at)];
        let chosen = Expr { kind: ExprKind::Conditional(Box::new(operands)), ty: ty.clone(), at };
        let assign = ExprKind::Assign(place.clone(), Box::new(chosen));
        into.push(Stmt { kind: StmtKind::Expr(Expr { kind: assign, ty, at }), at });
        Some(())
    }

    /// A new variable that holds the value.
    fn keep(&mut self, value: Expr, at: At, into: &mut Vec<Stmt>) -> Option<Var> {
        let v = Var(u32::try_from(self.variables.len()).ok()?);
        self.variables.push(Variable {
            name: format!("kept{}", v.0),
            ty: value.ty.clone(),
            storage: Storage::Local,
            constant: false,
            volatile: false,
            at,
        });
        into.push(Stmt { kind: StmtKind::Declare(v, Some(Initial::Value(value))), at });
        Some(v)
    }
}

fn load(v: Var, ty: Type, at: At) -> Expr {
    Place::variable(v, ty, at).value()
}

/// Does evaluating it change nothing, and read memory only?
fn is_pure(node: Node<'_>) -> bool {
    node.unsupported().is_none()
        && node.subterms().all(|node| match node {
            Node::Expr(expr) => match &expr.kind {
                ExprKind::Assign(..)
                | ExprKind::Update { .. }
                | ExprKind::Step { .. }
                | ExprKind::Call { .. }
                | ExprKind::Unsupported(_) => false,
                ExprKind::Device(name, _) => {
                    let device = Device::of(name);
                    matches!(device, Some(Device::Exact | Device::Data | Device::Load))
                }
                _ => true,
            },
            Node::Place(place) => Node::Place(place).unsupported().is_none(),
            Node::Stmt(_) => false,
        })
}
