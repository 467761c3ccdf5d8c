//! Random terms and queries, small enough to decide by trying everything.
#![allow(dead_code)]

use babycuda_smt::{Model, Query, Sort, SortError, Term, Value};
use proptest::prelude::*;

/// Bounds of the integer constants.
pub const LOW: i32 = -3;
pub const HIGH: i32 = 4;

/// The constants that random terms use.
pub fn declare(query: &mut Query) {
    for name in ["p", "q"] {
        query.declare(name, Sort::Bool).unwrap();
    }
    for name in ["x", "y", "z"] {
        query.declare_int(name, LOW, HIGH).unwrap();
    }
}

/// All models of the constants that the query declares.
pub fn models(query: &Query) -> Vec<Model> {
    let mut models = vec![Model::new()];
    for declaration in query.declarations() {
        let values: Vec<Value> = match declaration.sort {
            Sort::Bool => vec![Value::Bool(false), Value::Bool(true)],
            Sort::Int => {
                let mut values = Vec::new();
                let (low, high) = declaration.bounds.ends().expect("bounded");
                let mut n = low.clone();
                while n <= *high {
                    values.push(Value::Int(n.clone()));
                    n += 1;
                }
                values
            }
        };
        models = models
            .iter()
            .flat_map(|model| {
                values.iter().map(|value| {
                    let mut model = model.clone();
                    model.insert(&*declaration.name, value.clone());
                    model
                })
            })
            .collect();
    }
    models
}

/// Operands and operators as numbers; `term` reads them as a stack machine. Whatever does not fit
/// is skipped, so every sequence is a program, and proptest shrinks it well.
pub fn program(length: usize) -> impl Strategy<Value = Vec<u8>> {
    proptest::collection::vec(any::<u8>(), 1..length)
}

/// The last Bool term that a program builds.
pub fn term(program: &[u8]) -> Term {
    let mut stack: Vec<Term> = leaves();
    for bytes in program.chunks(3) {
        let [op, i, j] = [0, 1, 2].map(|k| usize::from(bytes.get(k).copied().unwrap_or(0)));
        // Arguments come from the newest terms; of those, the first that have the right sorts.
        let near = stack.len().min(22);
        let pick = |k: usize| stack[stack.len() - 1 - k % near].clone();
        let choices = (0..near).flat_map(|di| (0..near).map(move |dj| (di, dj)));
        let new = choices.filter_map(|(di, dj)| {
            let (a, b) = (pick(i + di), pick(j + dj));
            apply(op, &a, &b, &pick(i + j + dj)).ok()
        });
        let found = new.into_iter().next();
        stack.extend(found);
    }
    let bools = stack.iter().rev().filter(|t| t.sort() == Sort::Bool);
    // The largest of the last few.
    bools.take(4).max_by_key(|t| t.dag_size()).expect("the leaves include Bool constants").clone()
}

fn leaves() -> Vec<Term> {
    let mut query = Query::new();
    declare(&mut query);
    let mut leaves: Vec<Term> = query.declarations().iter().map(|d| d.term()).collect();
    leaves.extend([-2, 0, 1, 2, 3, 5, 7].map(Term::int));
    leaves.extend(query.declarations().iter().map(|d| d.term()));
    leaves
}

fn apply(op: usize, a: &Term, b: &Term, c: &Term) -> Result<Term, SortError> {
    // Divisions are few: most queries should have a definite answer.
    match op % 48 {
        0 => a.not(),
        1 => Term::and([a, b]),
        2 => Term::or([a, b]),
        3 => a.xor(b),
        4..=6 => a.equals(b),
        7 => a.ite(b, c),
        8 => b.ite(a, c),
        9..=15 => a.add(b),
        16..=20 => a.sub(b),
        21..=27 => a.mul(b),
        28 => a.int_div(b),
        29 => a.int_mod(b),
        30..=38 => a.at_most(b),
        _ => a.less_than(b),
    }
}

/// A query that asserts these terms; it declares the constants that occur.
pub fn query(assertions: &[Term]) -> Query {
    let mut all = Query::new();
    declare(&mut all);
    let mut query = Query::new();
    for declared in all.declarations() {
        let term = declared.term();
        if assertions.iter().any(|a| a.constants().contains(&term)) {
            let bounds = declared.bounds.clone();
            query.declare_in(&declared.name, declared.sort, bounds).unwrap();
        }
    }
    for assertion in assertions {
        query.assert(assertion).unwrap();
    }
    query
}

/// What trying everything finds.
#[derive(Debug, PartialEq, Eq)]
pub enum Truth {
    /// Some model answers the query.
    Sat,
    /// In every model some assertion is false.
    Unsat,
    /// No model answers it, but in some the outcome hangs on a division by zero.
    Open,
}

pub fn brute_force(query: &Query) -> Truth {
    let mut open = false;
    for model in models(query) {
        if query.check_model(&model).is_ok() {
            return Truth::Sat;
        }
        let refuted = query
            .assertions()
            .iter()
            .any(|assertion| assertion.eval(&model) == Ok(Value::Bool(false)));
        open |= !refuted;
    }
    if open { Truth::Open } else { Truth::Unsat }
}
