//! Statements.

use crate::expr::{Expr, Initial};
use crate::kernel::{At, Var};

/// A statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// Where it stands.
    pub at: At,
}

/// What a statement is. Conditions are truth values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StmtKind {
    /// Statements in sequence.
    Block(Vec<Stmt>),
    /// A variable begins to live. Without a value it holds any; a shared one is the block's.
    Declare(Var, Option<Initial>),
    /// An expression, for what it does. A place whose value nobody wants is not read, unless it is volatile.
    Expr(Expr),
    /// `if (condition) then else otherwise`
    If(Expr, Box<Stmt>, Option<Box<Stmt>>),
    /// A loop.
    Loop(Box<Loop>),
    /// `switch (value)`, with its cases in order; each falls into the next. The value is promoted.
    Switch(Expr, Vec<Case>),
    /// `break`
    Break,
    /// `continue`
    Continue,
    /// `return`, with a value of the function's type.
    Return(Option<Expr>),
    /// A construct that was not understood, by its name. It may do anything.
    Unsupported(String),
}

/// A loop of any kind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loop {
    /// What comes first; its variables live as long as the loop runs.
    pub initial: Vec<Stmt>,
    /// Is the condition looked at before the first iteration?
    pub test_first: bool,
    /// While this holds; without one, for ever.
    pub condition: Option<Expr>,
    /// What comes behind each iteration, and behind `continue`.
    pub update: Option<Expr>,
    /// The iteration.
    pub body: Stmt,
}

/// A case of a `switch`. What a case before the last declares is declared before the `switch`: it lives in
/// the later ones, too.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    /// The value, a constant of the type that is switched on; `None`: `default`.
    pub label: Option<Expr>,
    /// The statements up to the next label.
    pub body: Vec<Stmt>,
    /// Where it stands.
    pub at: At,
}
