//! Models, and the exact evaluator that decides whether to believe them.

use std::{
    collections::{BTreeMap, HashMap},
    fmt,
    sync::Arc,
};

use crate::{
    sort::Sort,
    term::{Op, Term, apply, postorder},
    value::Value,
};

/// A value for each constant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Model {
    values: BTreeMap<Arc<str>, Value>,
}

impl Model {
    /// A model without values.
    #[must_use]
    pub fn new() -> Model {
        Model::default()
    }

    /// Gives `name` a value, replacing an earlier one.
    pub fn insert(&mut self, name: impl Into<Arc<str>>, value: Value) {
        self.values.insert(name.into(), value);
    }

    /// The value of a constant.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.values.get(name)
    }

    /// All constants with their values, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.values.iter().map(|(name, value)| (&**name, value))
    }
}

impl<N: Into<Arc<str>>> FromIterator<(N, Value)> for Model {
    fn from_iter<I: IntoIterator<Item = (N, Value)>>(entries: I) -> Model {
        Model { values: entries.into_iter().map(|(n, v)| (n.into(), v)).collect() }
    }
}

/// `p = true, x = 1`.
impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (name, value)) in self.iter().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            write!(f, "{comma}{name} = {value}")?;
        }
        Ok(())
    }
}

/// Why a term has no definite value in a model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EvalError {
    /// A constant that decides the value is not in the model.
    #[error("the model has no value for `{0}`")]
    Unbound(String),
    /// The model's value for a constant has another sort than the term.
    #[error("the model's value for `{name}` is not of sort {sort}")]
    WrongSort {
        /// The constant's name.
        name: String,
        /// The sort it is used at.
        sort: Sort,
    },
    /// The value hangs on an integer division by zero, which SMT-LIB leaves to the solver.
    #[error("the value depends on an integer division by zero")]
    Undetermined,
}

impl Term {
    /// The exact value of the term in a model, under SMT-LIB's meaning of every operator.
    ///
    /// `and`, `or` and `ite` look only at what decides them, so that a guarded division by zero
    /// does no harm.
    ///
    /// # Errors
    /// [`EvalError`] when the model does not determine the value.
    pub fn eval(&self, model: &Model) -> Result<Value, EvalError> {
        let mut values = Evaluator::new(model);
        values.eval(self)
    }
}

/// Evaluates several terms in one model, each shared subterm once.
pub(crate) struct Evaluator<'a> {
    model: &'a Model,
    done: HashMap<Term, Result<Value, EvalError>>,
}

impl<'a> Evaluator<'a> {
    pub(crate) fn new(model: &'a Model) -> Evaluator<'a> {
        Evaluator { model, done: HashMap::new() }
    }

    pub(crate) fn eval(&mut self, root: &Term) -> Result<Value, EvalError> {
        for term in postorder([root]) {
            if !self.done.contains_key(&term) {
                let value = self.step(&term);
                self.done.insert(term, value);
            }
        }
        self.lookup(root)
    }

    fn lookup(&self, term: &Term) -> Result<Value, EvalError> {
        self.done.get(term).cloned().unwrap_or(Err(EvalError::Undetermined))
    }

    fn step(&self, term: &Term) -> Result<Value, EvalError> {
        match (term.op(), term.args()) {
            (Op::Constant(name), _) => match self.model.get(name) {
                None => Err(EvalError::Unbound(name.to_string())),
                Some(value) if value.sort() == term.sort() => Ok(value.clone()),
                Some(_) => Err(EvalError::WrongSort { name: name.to_string(), sort: term.sort() }),
            },
            (Op::And, parts) => self.connective(parts, false),
            (Op::Or, parts) => self.connective(parts, true),
            (Op::Ite, [condition, then, otherwise]) => {
                if self.lookup(condition)? == Value::Bool(true) {
                    self.lookup(then)
                } else {
                    self.lookup(otherwise)
                }
            }
            (op, args) => {
                let args: Vec<Value> =
                    args.iter().map(|arg| self.lookup(arg)).collect::<Result<_, _>>()?;
                apply(op, &args).ok_or(EvalError::Undetermined)
            }
        }
    }

    /// A part equal to `absorbing` decides, whatever the others are.
    fn connective(&self, parts: &[Term], absorbing: bool) -> Result<Value, EvalError> {
        let mut open = None;
        for part in parts {
            match self.lookup(part) {
                Ok(value) if value == Value::Bool(absorbing) => return Ok(value),
                Ok(_) => {}
                Err(error) => open = open.or(Some(error)),
            }
        }
        match open {
            None => Ok(Value::Bool(!absorbing)),
            Some(error) => Err(error),
        }
    }
}
