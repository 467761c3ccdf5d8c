//! Queries: declared constants and what must hold of them.

use std::{collections::HashMap, sync::Arc};

use babycuda_core::Interval;
use num_bigint::BigInt;

use crate::{
    model::{EvalError, Evaluator, Model},
    sort::{Sort, SortError},
    term::{Term, postorder},
    value::Value,
};

/// A constant of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declaration {
    /// Its name, any text.
    pub name: Arc<str>,
    /// Its sort.
    pub sort: Sort,
    /// What an Int ranges over, both ends included. A model must keep to it.
    pub bounds: Interval,
}

impl Declaration {
    /// The constant as a term.
    #[must_use]
    pub fn term(&self) -> Term {
        Term::constant(Arc::clone(&self.name), self.sort)
    }
}

/// Is there a value for every constant, within its bounds, such that all assertions hold?
#[derive(Clone, Debug, Default)]
pub struct Query {
    name: String,
    declarations: Vec<Declaration>,
    index: HashMap<Arc<str>, usize>,
    assertions: Vec<Term>,
}

/// Why a model is no answer to a query.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Rejection {
    /// A declared constant has no value.
    #[error("no value for `{0}`")]
    Missing(String),
    /// A value of the wrong sort.
    #[error("the value of `{0}` has the wrong sort")]
    Sort(String),
    /// A value outside the bounds.
    #[error("the value of `{0}` is out of bounds")]
    Bounds(String),
    /// An assertion is false.
    #[error("assertion {0} is false")]
    False(usize),
    /// An assertion has no definite value.
    #[error("assertion {0}: {1}")]
    Undetermined(usize, EvalError),
}

impl Query {
    /// The empty query: satisfiable.
    #[must_use]
    pub fn new() -> Query {
        Query::default()
    }

    /// The empty query under a name. Reports show it, and files of saved queries are named by it.
    pub fn named(name: impl Into<String>) -> Query {
        Query { name: name.into(), ..Query::default() }
    }

    /// The name, possibly empty.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Declares a constant and returns it as a term. The same declaration may be repeated.
    ///
    /// # Errors
    /// [`SortError::Redeclared`] when the name stands for something else already.
    pub fn declare(&mut self, name: impl AsRef<str>, sort: Sort) -> Result<Term, SortError> {
        self.declare_in(name, sort, Interval::ALL)
    }

    /// Declares an Int constant that ranges over `lower..=upper`.
    ///
    /// # Errors
    /// As [`Query::declare`].
    pub fn declare_int(
        &mut self,
        name: impl AsRef<str>,
        lower: impl Into<BigInt>,
        upper: impl Into<BigInt>,
    ) -> Result<Term, SortError> {
        self.declare_in(name, Sort::Int, Interval::new(lower, upper))
    }

    /// Declares a constant with bounds, either of them possibly open.
    ///
    /// # Errors
    /// As [`Query::declare`], and [`SortError::Bounds`] for bounds on another sort than Int.
    pub fn declare_in(
        &mut self,
        name: impl AsRef<str>,
        sort: Sort,
        bounds: Interval,
    ) -> Result<Term, SortError> {
        let name: Arc<str> = Arc::from(name.as_ref());
        let term = Term::constant(Arc::clone(&name), sort);
        if sort != Sort::Int && bounds != Interval::ALL {
            return Err(SortError::Bounds { name: name.to_string(), sort });
        }
        let declaration = Declaration { name: name.clone(), sort, bounds };
        match self.index.get(&name) {
            Some(&at) if self.declarations[at] == declaration => {}
            Some(_) => return Err(SortError::Redeclared(name.to_string())),
            None => {
                self.index.insert(name, self.declarations.len());
                self.declarations.push(declaration);
            }
        }
        Ok(term)
    }

    /// Asserts that `term` holds.
    ///
    /// # Errors
    /// Unless `term` is Bool ([`SortError::Operator`]) and its constants are declared with the
    /// sorts it uses them at ([`SortError::Undeclared`]).
    pub fn assert(&mut self, term: &Term) -> Result<(), SortError> {
        if term.sort() != Sort::Bool {
            return Err(SortError::Operator { operator: "assert", found: term.sort() });
        }
        for constant in postorder([term]) {
            let Some(name) = constant.as_constant() else {
                continue;
            };
            if self.declaration(name).map(|d| d.sort) != Some(constant.sort()) {
                return Err(SortError::Undeclared {
                    name: name.to_string(),
                    sort: constant.sort(),
                });
            }
        }
        self.assertions.push(term.clone());
        Ok(())
    }

    /// The constants, in order of declaration.
    #[must_use]
    pub fn declarations(&self) -> &[Declaration] {
        &self.declarations
    }

    /// The declaration of a name.
    #[must_use]
    pub fn declaration(&self, name: &str) -> Option<&Declaration> {
        self.index.get(name).map(|&at| &self.declarations[at])
    }

    /// The assertions, in order.
    #[must_use]
    pub fn assertions(&self) -> &[Term] {
        &self.assertions
    }

    /// Whether the model answers the query: every constant has a value of its sort within its
    /// bounds, and every assertion is true.
    ///
    /// # Errors
    /// [`Rejection`]: the first reason why it does not.
    pub fn check_model(&self, model: &Model) -> Result<(), Rejection> {
        for declaration in &self.declarations {
            let name = || declaration.name.to_string();
            let value = model.get(&declaration.name).ok_or_else(|| Rejection::Missing(name()))?;
            if value.sort() != declaration.sort {
                return Err(Rejection::Sort(name()));
            }
            if matches!(value, Value::Int(n) if !declaration.bounds.contains(n)) {
                return Err(Rejection::Bounds(name()));
            }
        }
        let mut evaluator = Evaluator::new(model);
        for (i, assertion) in self.assertions.iter().enumerate() {
            match evaluator.eval(assertion) {
                Ok(Value::Bool(true)) => {}
                Ok(_) => return Err(Rejection::False(i)),
                Err(error) => return Err(Rejection::Undetermined(i, error)),
            }
        }
        Ok(())
    }

    /// A query with the same name, other declarations and assertions. The caller vouches for
    /// well-sortedness.
    pub(crate) fn rebuilt(&self, declarations: Vec<Declaration>, assertions: Vec<Term>) -> Query {
        let index = declarations
            .iter()
            .enumerate()
            .map(|(at, declaration)| (declaration.name.clone(), at))
            .collect();
        Query { name: self.name.clone(), declarations, index, assertions }
    }
}
