//! Random terms and queries, small enough to decide by trying everything.
#![allow(dead_code)]

use babycuda_smt::{Model, Query, Sort, SortError, Term, Value};
use proptest::prelude::*;

/// Width of the bit-vector constants, and bounds of the integer ones.
pub const WIDTH: u32 = 3;
pub const LOW: i32 = -3;
pub const HIGH: i32 = 4;

/// The constants that random terms use: two of each sort.
pub fn declare(query: &mut Query) {
    for name in ["p", "q"] {
        query.declare(name, Sort::Bool).unwrap();
    }
    for name in ["x", "y"] {
        query.declare_int(name, LOW, HIGH).unwrap();
    }
    for name in ["a", "b"] {
        query.declare(name, Sort::BitVec(WIDTH)).unwrap();
    }
}

/// All models of the constants that the query declares.
pub fn models(query: &Query) -> Vec<Model> {
    let mut models = vec![Model::new()];
    for declaration in query.declarations() {
        let values: Vec<Value> = match declaration.sort {
            Sort::Bool => vec![Value::Bool(false), Value::Bool(true)],
            Sort::BitVec(width) => (0..1u32 << width).map(|n| Value::bitvec(width, n)).collect(),
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
    leaves.extend([-2, 0, 1, 2, 3].map(Term::int));
    leaves.extend([0, 1, 2, 5, 7].map(|n| Term::bitvec(WIDTH, n).unwrap()));
    leaves.extend(query.declarations().iter().map(|d| d.term()));
    leaves
}

fn apply(op: usize, a: &Term, b: &Term, c: &Term) -> Result<Term, SortError> {
    // Keep words narrow, so that trying everything stays cheap.
    let narrow = |t: Term| match t.sort() {
        Sort::BitVec(w) if w > 3 * WIDTH => Err(SortError::Width(w)),
        _ => Ok(t),
    };
    match op % 37 {
        0 => a.not(),
        1 => Term::and([a, b]),
        2 => Term::or([a, b]),
        3 => a.xor(b),
        4 | 5 => a.equals(b),
        6 => a.ite(b, c),
        7 => b.ite(a, c),
        8 | 9 => a.add(b),
        10 => a.sub(b),
        11 | 12 => a.mul(b),
        13 => a.neg(),
        14 => a.int_div(b),
        15 => a.int_mod(b),
        16 => a.at_most(b),
        17 => a.less_than(b),
        18 => a.udiv(b),
        19 => a.urem(b),
        20 => a.sdiv(b),
        21 => a.srem(b),
        22 => a.shl(b),
        23 => a.lshr(b),
        24 => a.ashr(b),
        25 => a.bvand(b),
        26 => a.bvor(b),
        27 => a.bvxor(b),
        28 => a.bvnot(),
        29 => a.ult(b),
        30 => a.ule(b),
        31 => a.slt(b),
        32 => a.sle(b),
        33 => a.concat(b).and_then(narrow),
        34 => a.extract(WIDTH - 1, 1),
        35 => a.zero_extend(2).and_then(narrow),
        _ => a.sign_extend(2).and_then(narrow),
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
