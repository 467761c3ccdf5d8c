//! The parts of programs. The Python side has the operators, and these trees within.

use crate::errors::usage;
use crate::work::here;
use babycuda_core::parse::Misspelled;
use babycuda_core::syntax::{AtomicOp, AtomicUpdate, BarrierScope, ForSort, Scope};
use babycuda_core::{Bool, CompareOp, IntType, Name, Natural, Num, NumOp, Stmt, parse};
use pyo3::prelude::*;
use std::str::FromStr;

/// A number, as an expression.
#[pyclass(frozen, module = "babycuda._native")]
#[derive(Clone)]
pub(crate) struct Expr(pub Num);

/// A condition.
#[pyclass(frozen, module = "babycuda._native")]
#[derive(Clone)]
pub(crate) struct Condition(pub Bool);

/// A statement.
#[pyclass(frozen, module = "babycuda._native")]
#[derive(Clone)]
pub(crate) struct Statement(pub Stmt);

/// An operator, a type or a scope by its spelling.
fn spelled<T: FromStr>(py: Python<'_>, text: &str) -> PyResult<T> {
    text.parse().map_err(|_| {
        usage(py, Misspelled::new(text, "no such operator, type or scope").to_string())
    })
}

/// A name that the parser reads, if need be between backquotes.
fn name(py: Python<'_>, text: &str) -> PyResult<Name> {
    match text.is_empty() || text.contains(|c: char| c.is_control()) {
        true => Err(usage(py, "a name is empty, or has characters that no name has")),
        false => Ok(Name::new(text)),
    }
}

#[pymethods]
impl Expr {
    /// A variable.
    #[staticmethod]
    fn var(py: Python<'_>, text: &str) -> PyResult<Expr> {
        Ok(Expr(Num::var(name(py, text)?)))
    }

    /// A literal, in decimal.
    #[staticmethod]
    fn number(py: Python<'_>, digits: &str) -> PyResult<Expr> {
        let short = digits.len() <= parse::MAX_DIGITS;
        let number: Option<Natural> = short.then(|| digits.parse().ok()).flatten();
        let number = number.ok_or_else(|| usage(py, "a number of the calculus is a natural"))?;
        Ok(Expr(Num::lit(number)))
    }

    /// A binary operator: `+`, `add.u32`.
    #[staticmethod]
    fn operator(py: Python<'_>, op: &str, left: &Expr, right: &Expr) -> PyResult<Expr> {
        let op: NumOp = spelled(py, op)?;
        Ok(Expr(Num::Binary(op, left.0.clone().into(), right.0.clone().into())))
    }

    /// The value, of one machine type, as another.
    #[staticmethod]
    fn cast(py: Python<'_>, from: &str, to: &str, operand: &Expr) -> PyResult<Expr> {
        let (from, to): (IntType, IntType) = (spelled(py, from)?, spelled(py, to)?);
        Ok(Expr(Num::cast(from, to, operand.0.clone())))
    }

    /// One of two values.
    #[staticmethod]
    fn select(condition: &Condition, then: &Expr, otherwise: &Expr) -> Expr {
        Expr(Num::select(condition.0.clone(), then.0.clone(), otherwise.0.clone()))
    }

    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        here(py, || self.0.to_string())
    }

    /// The same tree?
    fn same(&self, other: &Expr) -> bool {
        self.0 == other.0
    }
}

#[pymethods]
impl Condition {
    /// `true` or `false`
    #[staticmethod]
    fn truth(value: bool) -> Condition {
        Condition(Bool::Lit(value))
    }

    /// A comparison: `<`, `lt.i32`.
    #[staticmethod]
    fn compare(py: Python<'_>, op: &str, left: &Expr, right: &Expr) -> PyResult<Condition> {
        let op: CompareOp = spelled(py, op)?;
        Ok(Condition(Bool::Compare(op, left.0.clone().into(), right.0.clone().into())))
    }

    /// Both, or one of the two.
    #[staticmethod]
    fn connective(both: bool, left: &Condition, right: &Condition) -> Condition {
        let connective = if both { Bool::and } else { Bool::or };
        Condition(connective(left.0.clone(), right.0.clone()))
    }

    /// The negation.
    #[staticmethod]
    fn negation(operand: &Condition) -> Condition {
        Condition(Bool::not(operand.0.clone()))
    }

    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        here(py, || self.0.to_string())
    }

    /// The same tree?
    fn same(&self, other: &Condition) -> bool {
        self.0 == other.0
    }
}

#[pymethods]
impl Statement {
    /// `skip`
    #[staticmethod]
    fn skip() -> Statement {
        Statement(Stmt::Skip)
    }

    /// A store.
    #[staticmethod]
    fn write(py: Python<'_>, array: &str, index: &Expr, payload: &Expr) -> PyResult<Statement> {
        Ok(Statement(Stmt::write(name(py, array)?, index.0.clone(), payload.0.clone())))
    }

    /// A read, with what follows.
    #[staticmethod]
    fn read(
        py: Python<'_>,
        var: &str,
        array: &str,
        index: &Expr,
        body: &Statement,
    ) -> PyResult<Statement> {
        let (var, array) = (name(py, var)?, name(py, array)?);
        Ok(Statement(Stmt::read(var, array, index.0.clone(), body.0.clone())))
    }

    /// An atomic update, with what follows.
    #[staticmethod]
    #[allow(clippy::too_many_arguments)]
    fn atomic(
        py: Python<'_>,
        var: &str,
        array: &str,
        index: &Expr,
        op: &str,
        operand: &Expr,
        expected: Option<&Expr>,
        scope: &str,
        body: &Statement,
    ) -> PyResult<Statement> {
        let op: AtomicOp = spelled(py, op)?;
        if (op == AtomicOp::Cas) != expected.is_some() {
            return Err(usage(py, "`cas`, and nothing else, has an expected value"));
        }
        let scope = match scope {
            "block" => Scope::Block,
            "device" => Scope::Device,
            "system" => Scope::System,
            _ => return Err(usage(py, "a scope is one of block, device, system")),
        };
        let (operand, expected) = (operand.0.clone(), expected.map(|e| e.0.clone()));
        let update = AtomicUpdate { op, operand, expected };
        let (var, array) = (name(py, var)?, name(py, array)?);
        Ok(Statement(Stmt::atomic(var, array, index.0.clone(), update, scope, body.0.clone())))
    }

    /// One statement after the other.
    #[staticmethod]
    fn sequence(statements: Vec<PyRef<'_, Statement>>) -> Statement {
        Statement(Stmt::sequence(statements.iter().map(|s| s.0.clone()).collect::<Vec<_>>()))
    }

    /// A branch.
    #[staticmethod]
    fn branch(condition: &Condition, then: &Statement, otherwise: &Statement) -> Statement {
        Statement(Stmt::branch(condition.0.clone(), then.0.clone(), otherwise.0.clone()))
    }

    /// A loop: `forS` where the threads of a block run it together.
    #[staticmethod]
    fn repeat(
        py: Python<'_>,
        together: bool,
        var: &str,
        lower: &Expr,
        upper: &Expr,
        body: &Statement,
    ) -> PyResult<Statement> {
        let sort = if together { ForSort::S } else { ForSort::U };
        let (lower, upper) = (lower.0.clone(), upper.0.clone());
        Ok(Statement(Stmt::repeat(sort, name(py, var)?, lower, upper, body.0.clone())))
    }

    /// A barrier.
    #[staticmethod]
    fn barrier(py: Python<'_>, scope: &str) -> PyResult<Statement> {
        let scope: BarrierScope = spelled(py, scope)?;
        Ok(Statement(Stmt::barrier(scope)))
    }

    /// Has it a barrier?
    fn has_barrier(&self) -> bool {
        self.0.subterms().any(|b| matches!(b, Stmt::Sync { .. }))
    }

    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        here(py, || self.0.to_string())
    }

    /// The same tree?
    fn same(&self, other: &Statement) -> bool {
        self.0.numbered() == other.0.numbered()
    }
}
