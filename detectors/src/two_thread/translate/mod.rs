//! A kernel as predicated formulae (SKBG18 §4.1).
//!
//! What the paper has: assignments, unary and binary operators, arrays, `if`, a simplified `for`, and
//! `__syncthreads()`. Beyond its examples, `return` outside of loops is a predicate of what follows, `?:` is an
//! `if`, and mathematics of floats yields floats, of which nothing is said. Everything else is refused: calls,
//! pointers (an array parameter is an array), atomics, barriers of warps and groups, `while`, `switch`,
//! `break`, `continue`, structures, vectors' components of integers.

mod assign;
mod expr;
mod loops;
mod place;

use super::formula::{
    Action, Array, ArrayId, Formula, Kind, LoopId, Node, Role, Space, Symbol, SymbolId, Translated,
    Wff,
};
use super::intervals::{Flow, assign as assign_intervals};
use super::reading::{Loops, Reading};
use crate::Refusal;
use babycuda_core::expr::BoolOp;
use babycuda_kernel::{
    At, Expr, ExprKind, Initial, Kernel, Node as TreeNode, PlaceKind, Stmt, StmtKind, Storage,
    Type, Var,
};
use std::collections::{BTreeMap, HashMap};

/// The formulae of a kernel.
///
/// # Errors
/// [`Refusal`]: a construct that the paper has not, or no kernel.
pub fn translate(kernel: &Kernel, reading: Reading) -> Result<Translated, Refusal> {
    crate::detector::accept(kernel)?;
    let Some(entry) = kernel.entry() else {
        return Err(Refusal::Configuration("there is no kernel".to_owned()));
    };
    let mut translator = Translator {
        kernel,
        havoc: reading.loops == Loops::Unknown,
        out: Translated::default(),
        flow: vec![Vec::new()],
        numbers: HashMap::new(),
        launch: HashMap::new(),
        now: BTreeMap::new(),
        arrays: BTreeMap::new(),
        versions: Vec::new(),
        latest: Vec::new(),
        predicate: Vec::new(),
        returned: Vec::new(),
        loops: Vec::new(),
    };
    for global in &kernel.globals {
        translator.stmt(global)?;
    }
    for v in entry.parameters.iter().chain(&kernel.template) {
        translator.parameter(*v)?;
    }
    for assumption in &kernel.assumptions {
        if !assumption.over.is_empty() {
            return Err(Refusal::unsupported("an assumption on many", assumption.condition.at));
        }
        let holds = translator.condition(&assumption.condition)?;
        translator.emit(Action::Assume(holds), assumption.condition.at);
    }
    translator.stmt(&entry.body)?;
    let Translator { mut out, mut flow, .. } = translator;
    assign_intervals(&flow.pop().unwrap_or_default(), &mut out);
    Ok(out)
}

struct Translator<'a> {
    kernel: &'a Kernel,
    /// Do variables that a loop assigns hold any value in it and behind it?
    havoc: bool,
    out: Translated,
    /// The structure of what was translated, innermost last.
    flow: Vec<Vec<Flow>>,
    /// The next number of each name.
    numbers: HashMap<String, u32>,
    launch: HashMap<(&'static str, usize), SymbolId>,
    /// The augmented variable that a variable is now.
    now: BTreeMap<Var, SymbolId>,
    arrays: BTreeMap<Var, ArrayId>,
    /// The number of each array now, and the greatest one so far.
    versions: Vec<u32>,
    latest: Vec<u32>,
    predicate: Vec<Wff>,
    /// That no `return` was taken.
    returned: Vec<Wff>,
    loops: Vec<LoopId>,
}

type Translation<T> = Result<T, Refusal>;

impl Translator<'_> {
    fn emit(&mut self, action: Action, at: At) {
        let predicate = self.predicate.iter().chain(&self.returned).cloned().collect();
        let loops = self.loops.clone();
        self.record(Flow::Formula(self.out.formulae.len()));
        self.out.formulae.push(Formula { predicate, action, at, loops, after: Vec::new() });
    }

    fn record(&mut self, flow: Flow) {
        if let Some(innermost) = self.flow.last_mut() {
            innermost.push(flow);
        }
    }

    /// What `inside` records, apart.
    fn apart(
        &mut self,
        inside: impl FnOnce(&mut Self) -> Translation<()>,
    ) -> Translation<Vec<Flow>> {
        self.flow.push(Vec::new());
        inside(self)?;
        Ok(self.flow.pop().unwrap_or_default())
    }

    fn symbol(&mut self, name: &str, kind: Kind, role: Role) -> SymbolId {
        let number = self.numbers.entry(name.to_owned()).or_insert(0);
        let id = SymbolId(self.out.symbols.len());
        self.out.symbols.push(Symbol { name: format!("{name}{number}"), kind, role });
        *number += 1;
        id
    }

    /// The kind of a type's values.
    fn kind(&self, ty: &Type, at: At) -> Translation<Kind> {
        match ty {
            Type::Bool => Ok(Kind::Bool),
            Type::Int(t) => Ok(Kind::Int(*t)),
            Type::Float(_) | Type::Vector(..) | Type::Opaque(_) => Ok(Kind::Data),
            _ => Err(Refusal::unsupported("a value of a structure, a pointer or a group", at)),
        }
    }

    fn parameter(&mut self, v: Var) -> Translation<()> {
        let variable = &self.kernel[v];
        if let Type::Pointer(element) = &variable.ty {
            let space =
                if variable.storage == Storage::Shared { Space::Block } else { Space::Grid };
            return self.array(v, element, space);
        }
        let kind = self.kind(&variable.ty, variable.at)?;
        let name = variable.name.clone();
        let id = self.symbol(&name, kind, Role::Parameter(name.clone()));
        self.now.insert(v, id);
        Ok(())
    }

    fn array(&mut self, v: Var, element: &Type, space: Space) -> Translation<()> {
        let variable = &self.kernel[v];
        let kind = self.kind(element.innermost(), variable.at)?;
        let name = variable.name.clone();
        self.arrays.insert(v, ArrayId(self.out.arrays.len()));
        self.out.arrays.push(Array { name, kind, space, written: false });
        self.versions.push(0);
        self.latest.push(0);
        Ok(())
    }

    fn stmt(&mut self, stmt: &Stmt) -> Translation<()> {
        match &stmt.kind {
            StmtKind::Block(stmts) => stmts.iter().try_for_each(|s| self.stmt(s)),
            StmtKind::Declare(v, initial) => self.declare(*v, initial.as_ref(), stmt.at),
            StmtKind::Expr(expr) => self.effect(expr),
            StmtKind::If(condition, then, otherwise) => {
                let c = self.condition(condition)?;
                self.branches(
                    c,
                    stmt.at,
                    |t| t.stmt(then),
                    |t| match otherwise {
                        Some(otherwise) => t.stmt(otherwise),
                        None => Ok(()),
                    },
                )
            }
            StmtKind::Loop(parts) => self.turns(parts, stmt.at),
            StmtKind::Return(None) if self.loops.is_empty() => {
                let here = self.predicate.iter().chain(&self.returned).cloned();
                let all = here.reduce(|l, r| Wff {
                    node: Node::Logical(BoolOp::And, Box::new([l, r])),
                    kind: Kind::Bool,
                });
                self.returned.push(all.unwrap_or(Wff::truth(true)).negated());
                Ok(())
            }
            StmtKind::Return(_) => Err(Refusal::unsupported("a return in a loop", stmt.at)),
            StmtKind::Switch(..) => Err(Refusal::unsupported("switch", stmt.at)),
            StmtKind::Break => Err(Refusal::unsupported("break", stmt.at)),
            StmtKind::Continue => Err(Refusal::unsupported("continue", stmt.at)),
            StmtKind::Unsupported(construct) => Err(Refusal::unsupported(construct, stmt.at)),
        }
    }

    fn declare(&mut self, v: Var, initial: Option<&Initial>, at: At) -> Translation<()> {
        let variable = &self.kernel[v];
        let is_array = matches!(variable.ty, Type::Array(..));
        let space = match variable.storage {
            Storage::Shared => Some(Space::Block),
            Storage::Dynamic if self.kernel.variables.iter().filter(dynamic).count() > 1 => {
                return Err(Refusal::unsupported("several arrays at one address", at));
            }
            Storage::Dynamic => Some(Space::Block),
            Storage::Device | Storage::Constant if !variable.constant || is_array => {
                Some(Space::Grid)
            }
            Storage::Reference => return Err(Refusal::unsupported("a reference", at)),
            Storage::File if is_array => Some(Space::Grid),
            _ if is_array => Some(Space::Thread),
            _ => None,
        };
        if let Some(space) = space {
            // The paper has none with values: what uses it is refused. What the host may change may hold any.
            let keeps = space == Space::Thread || variable.constant;
            if is_array && keeps && initial.is_some() {
                return Ok(());
            }
            return self.array(v, &variable.ty, space);
        }
        if matches!(variable.ty, Type::Pointer(_)) {
            return Err(Refusal::unsupported("a pointer variable", at));
        }
        let kind = self.kind(&variable.ty, at)?;
        let value = match initial {
            Some(Initial::Value(value)) => Some(self.expr(value)?),
            Some(Initial::Place(_)) => return Err(Refusal::unsupported("a reference", at)),
            None => None,
        };
        let id = self.symbol(&variable.name, kind, Role::Thread);
        self.now.insert(v, id);
        if let Some(value) = value {
            self.emit(Action::Equal(id, value), at);
        }
        Ok(())
    }

    /// An expression for what it does. What it reads is read, but a place whose value is dropped is not.
    fn effect(&mut self, expr: &Expr) -> Translation<()> {
        if let ExprKind::Load(place) = &expr.kind {
            if !matches!(place.kind, PlaceKind::Variable(_)) {
                let (_, index) = self.element(place)?;
                self.test(index, expr.at);
            }
            return Ok(());
        }
        let value = self.expr_or_none(expr)?;
        let assigns = matches!(
            expr.kind,
            ExprKind::Assign(..) | ExprKind::Update { .. } | ExprKind::Step { .. }
        );
        if let Some(value) = value.filter(|_| !assigns) {
            self.test(value, expr.at);
        }
        Ok(())
    }

    /// What is computed here for what it reads, if it does.
    fn test(&mut self, value: Wff, at: At) {
        if reads(&value) {
            self.emit(Action::Test(value), at);
        }
    }

    /// A condition, which is computed here.
    fn condition(&mut self, expr: &Expr) -> Translation<Wff> {
        let value = self.expr(expr)?;
        if value.kind != Kind::Bool {
            return Err(Refusal::unsupported("a condition that is no truth value", expr.at));
        }
        self.test(value.clone(), expr.at);
        Ok(value)
    }
}

fn dynamic(variable: &&babycuda_kernel::Variable) -> bool {
    variable.storage == Storage::Dynamic
}

/// Does computing it read an array?
fn reads(wff: &Wff) -> bool {
    let mut pending = vec![wff];
    while let Some(next) = pending.pop() {
        if matches!(next.node, Node::Select(..)) {
            return true;
        }
        pending.extend(next.operands());
    }
    false
}

/// The variables and arrays that a statement or an expression assigns.
fn assigned<'t>(node: impl Into<TreeNode<'t>>) -> Vec<Var> {
    let mut found = Vec::new();
    for node in node.into().subterms() {
        let TreeNode::Expr(expr) = node else { continue };
        let (ExprKind::Assign(place, _)
        | ExprKind::Update { place, .. }
        | ExprKind::Step { place, .. }) = &expr.kind
        else {
            continue;
        };
        let mut inside = TreeNode::Place(place).subterms();
        let variable = inside.find_map(|n| match n {
            TreeNode::Place(p) => match p.kind {
                PlaceKind::Variable(v) => Some(v),
                _ => None,
            },
            _ => None,
        });
        found.extend(variable);
    }
    found
}
