//! Constructors and the simplifier against the evaluator.

mod common;

use std::{
    cell::Cell,
    time::{Duration, Instant},
};

use babycuda_smt::{Model, Sort, SortError, Term, Value, simplify};
use common::{program, query, term};
use proptest::{prelude::*, test_runner::TestRunner};

fn runner(cases: u32) -> TestRunner {
    TestRunner::new(ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    })
}

/// Putting values for some constants makes the constructors fold and cancel; the value stays.
#[test]
fn folding_keeps_the_value() {
    let shrunk = Cell::new(0);
    let inputs = (program(90), any::<u64>(), any::<u8>());
    let result = runner(4_000).run(&inputs, |(program, which, some)| {
        let term = term(&program);
        let models = common::models(&query(std::slice::from_ref(&term)));
        let model = &models[(which % models.len() as u64) as usize];
        let put = |constant: &Term| {
            let name = constant.as_constant()?;
            let chosen = some >> (name.as_bytes()[0] % 8) & 1 == 1;
            chosen.then(|| model.get(name).cloned().map(Term::value)).flatten()
        };
        let folded = term.substitute(put).unwrap();
        shrunk.set(shrunk.get() + u32::from(folded.dag_size() < term.dag_size()));
        // A term that hangs on a division by zero may become definite, never the reverse.
        if let Ok(value) = term.eval(model) {
            prop_assert_eq!(folded.eval(model), Ok(value));
        }
        Ok(())
    });
    result.unwrap();
    assert!(shrunk.get() > 1_000, "{}", shrunk.get());
}

/// The simplifier keeps the set of models exactly, wherever they are definite.
#[test]
fn simplification_keeps_the_models() {
    let (changed, eliminated) = (Cell::new(0), Cell::new(0));
    let inputs = (program(45), program(45), program(45), program(45));
    let result = runner(1_500).run(&inputs, |(a, b, c, d)| {
        let query = query(&[term(&a), term(&b), term(&c), term(&d)]);
        let simple = simplify(&query, Instant::now() + Duration::from_secs(60));
        changed.set(changed.get() + u32::from(simple.query.assertions() != query.assertions()));
        eliminated.set(eliminated.get() + u32::from(!simple.eliminated.is_empty()));
        for model in common::models(&query) {
            let assertions = query.assertions().iter().map(|a| a.eval(&model));
            let definite: Vec<bool> = assertions.filter_map(|v| v.ok()?.as_bool()).collect();
            let expected = if definite.contains(&false) {
                false
            } else if definite.len() == query.assertions().len() {
                true
            } else {
                continue;
            };
            let left: Model = simple
                .query
                .declarations()
                .iter()
                .filter_map(|d| Some((d.name.clone(), model.get(&d.name)?.clone())))
                .collect();
            let holds = simple.query.check_model(&left).is_ok();
            let found = holds && simple.extend(left) == model;
            prop_assert_eq!(expected, found, "{}: {:?}", model, simple.query.assertions());
        }
        Ok(())
    });
    result.unwrap();
    assert!(changed.get() > 700 && eliminated.get() > 200, "{changed:?} {eliminated:?}");
}

#[test]
fn ill_sorted_terms_are_errors() {
    let (p, x) = (Term::bool(true), Term::constant("x", Sort::Int));
    let operator = |result: Result<Term, SortError>| {
        assert!(matches!(result, Err(SortError::Operator { .. })), "{result:?}");
    };
    operator(x.not());
    operator(Term::and([&p, &x]));
    operator(p.add(&p));
    operator(p.mul(&x));
    operator(p.int_div(&x));
    operator(x.less_than(&p));
    operator(x.ite(&x, &x));
    let mismatch = |result: Result<Term, SortError>| {
        assert!(matches!(result, Err(SortError::Mismatch { .. })), "{result:?}");
    };
    mismatch(x.equals(&p));
    mismatch(p.ite(&x, &p));
    mismatch(x.substitute(|_| Some(Term::bool(true))));
}

#[test]
fn queries_know_their_constants() {
    let mut q = babycuda_smt::Query::new();
    let x = q.declare_int("x", 0, 5).unwrap();
    assert_eq!(q.declare_int("x", 0, 5).as_ref(), Ok(&x));
    assert_eq!(q.declare_int("x", 0, 6), Err(SortError::Redeclared("x".into())));
    let y = Term::constant("y", Sort::Bool);
    let undeclared = SortError::Undeclared { name: "y".into(), sort: Sort::Bool };
    assert_eq!(q.assert(&y), Err(undeclared));
    assert!(matches!(q.assert(&x), Err(SortError::Operator { .. })));
    q.assert(&Term::int(3).at_most(&x).unwrap()).unwrap();
    let with = |n: i32| -> Model { [("x", Value::Int(n.into()))].into_iter().collect() };
    assert!(q.check_model(&with(3)).is_ok());
    assert!(q.check_model(&with(2)).is_err());
    assert!(q.check_model(&with(6)).is_err());
    assert!(q.check_model(&Model::new()).is_err());
    let wrong: Model = [("x", Value::Bool(true))].into_iter().collect();
    assert!(q.check_model(&wrong).is_err());
}
