//! The real solvers, when they are installed. With `BABYCUDA_REQUIRE_SOLVERS=1` their absence is
//! a failure.
#![cfg(feature = "process")]

mod common;

use std::time::Duration;

use babycuda_smt::{
    Answer, Query, QueryLimits, Solver, Sort, Term, Value,
    process::{External, Kind},
};

fn installed() -> Vec<External> {
    let required = std::env::var_os("BABYCUDA_REQUIRE_SOLVERS").is_some_and(|v| v == "1");
    let mut found = Vec::new();
    for kind in [Kind::Z3, Kind::Cvc5] {
        let solver = External::find(kind);
        match solver.version() {
            Ok(_) => found.push(solver),
            Err(reason) => assert!(!required, "{reason}"),
        }
    }
    found
}

fn limits() -> QueryLimits {
    QueryLimits::time(Duration::from_secs(20))
}

/// A query that uses every operator once and is satisfied by n = 7, p = true alone.
fn every_operator() -> Query {
    let mut query = Query::named("every operator");
    let n = query.declare_int("an int", -20, 20).unwrap();
    let p = query.declare("and", Sort::Bool).unwrap();
    let k = Term::int;
    let minus = &k(0).sub(&n).unwrap();
    let model =
        [("an int", Value::Int(7.into())), ("and", Value::Bool(true))].into_iter().collect();
    let terms = [
        n.add(&n).unwrap(),
        n.sub(&k(9)).unwrap(),
        n.mul(&n).unwrap(),
        minus.int_div(&k(3)).unwrap(),
        minus.int_mod(&k(3)).unwrap(),
        minus.int_div(&k(-3)).unwrap(),
        minus.int_mod(&k(-3)).unwrap(),
        n.at_most(&k(7)).unwrap(),
        n.less_than(&k(8)).unwrap(),
        p.xor(&n.less_than(&k(3)).unwrap()).unwrap(),
        p.ite(&n, minus).unwrap(),
        Term::and([p.not().unwrap(), n.at_most(&k(7)).unwrap()]).unwrap(),
        Term::or([p.not().unwrap(), n.at_most(&k(7)).unwrap()]).unwrap(),
    ];
    for term in terms {
        let value = Term::value(term.eval(&model).unwrap());
        query.assert(&term.equals(&value).unwrap()).unwrap();
    }
    query
}

#[test]
fn solvers_agree_with_the_evaluator_on_every_operator() {
    let query = every_operator();
    for solver in installed() {
        let Answer::Sat(model) = solver.check(&query, &limits()) else {
            panic!("{}: {:?}", solver.name(), solver.check(&query, &limits()));
        };
        assert_eq!(model.get("an int"), Some(&Value::Int(7.into())));
        assert_eq!(model.get("and"), Some(&Value::Bool(true)));
    }
}

#[test]
fn one_process_answers_query_after_query() {
    for solver in installed() {
        for round in 0..20 {
            let mut query = Query::new();
            let x = query.declare_int("x", 0, 10).unwrap();
            query.assert(&x.equals(&Term::int(round)).unwrap()).unwrap();
            let answer = solver.check(&query, &limits());
            if round <= 10 {
                assert!(matches!(answer, Answer::Sat(_)), "{answer:?}");
            } else {
                assert_eq!(answer, Answer::Unsat);
            }
        }
    }
}

#[test]
fn deep_and_shared_terms_reach_the_solvers() {
    let mut query = Query::new();
    let x = query.declare_int("x", 0, 9).unwrap();
    let mut deep = x.clone();
    for _ in 0..3_000 {
        deep = deep.add(&x).unwrap();
    }
    let mut shared = x.clone();
    for _ in 0..64 {
        shared = shared.add(&shared).unwrap();
    }
    query.assert(&deep.equals(&Term::int(3_001)).unwrap()).unwrap();
    query
        .assert(&shared.equals(&Term::int(1u64 << 63).mul(&Term::int(2)).unwrap()).unwrap())
        .unwrap();
    for solver in installed() {
        let answer = solver.check(&query, &limits());
        assert!(matches!(answer, Answer::Sat(_)), "{}: {answer:?}", solver.name());
    }
}

/// Random queries: the solvers, the embedded one and brute force contradict each other nowhere.
#[cfg(feature = "builtin")]
#[test]
fn all_solvers_agree_on_random_queries() {
    use babycuda_smt::{Builtin, Portfolio, Reason};
    use common::{Truth, brute_force, program, query, term};
    use proptest::{
        prop_assert,
        test_runner::{Config, TestCaseError, TestRunner},
    };

    let mut members: Vec<Box<dyn Solver>> = vec![Box::new(Builtin)];
    members.extend(installed().into_iter().map(|s| Box::new(s) as Box<dyn Solver>));
    let all = Portfolio::new(members).cross_check(None);
    let config = Config { cases: 400, failure_persistence: None, ..Config::default() };
    let decided = std::cell::Cell::new(0);
    let queries = (program(60), program(60), program(60));
    let result = TestRunner::new(config).run(&queries, |(a, b, c)| {
        let query = query(&[term(&a), term(&b), term(&c)]);
        let truth = brute_force(&query);
        let (mut holds, mut fails) = (truth == Truth::Sat, truth == Truth::Unsat);
        for opinion in all.ask(&query, &QueryLimits::time(Duration::from_secs(5))) {
            match opinion.answer {
                Answer::Sat(_) => holds = true,
                Answer::Unsat => fails = true,
                // A product of words may take an outside solver longer than anyone waits.
                Answer::Unknown(Reason::Timeout(_)) if opinion.solver != "builtin" => {}
                // Its model hangs on a division by zero. SMT-LIB allows that; but the embedded
                // solver lets such a term have any value, also two at once.
                Answer::Unknown(Reason::ModelRejected(_)) => holds |= opinion.solver != "builtin",
                Answer::Unknown(reason) => {
                    return Err(TestCaseError::fail(format!("{}: {reason}", opinion.solver)));
                }
            }
            decided.set(decided.get() + u32::from(opinion.answer.is_decided()));
        }
        prop_assert!(!(holds && fails), "{:?}: {:?}", query.assertions(), truth);
        Ok(())
    });
    result.unwrap();
    assert!(decided.get() > 200, "{}", decided.get());
}
