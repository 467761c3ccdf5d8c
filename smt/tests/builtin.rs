//! The embedded solver against trying everything.
#![cfg(feature = "builtin")]

mod common;

use std::{cell::RefCell, collections::BTreeMap};

use babycuda_smt::{Answer, Builtin, Query, QueryLimits, Reason, Solver, Sort, Term};
use common::{Truth, brute_force, program, query, term};
use proptest::{prelude::*, test_runner::TestRunner};

/// Runs random queries, and checks that the interesting kinds were among them.
fn against_everything(cases: u32, check: impl Fn(&Query) -> Answer) {
    let seen: RefCell<BTreeMap<&str, u32>> = RefCell::default();
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    let queries = (program(60), program(60), program(60));
    let result = TestRunner::new(config).run(&queries, |(a, b, c)| {
        let query = query(&[term(&a), term(&b), term(&c)]);
        let answer = check(&query);
        let truth = brute_force(&query);
        let kind = match (&truth, &answer) {
            (Truth::Sat, Answer::Sat(_)) => "sat",
            (Truth::Unsat, Answer::Unsat) => "unsat",
            (Truth::Open, Answer::Unknown(_)) => "open",
            // No choice of `y div 0` makes `y div 0 + 3 <= y div 0` true. Whether such an answer is
            // right is checked against z3 and cvc5, in `external.rs`.
            (Truth::Open, Answer::Unsat) => "open refuted",
            // A model that hangs on a division by zero hides the others: unknown, not wrong.
            (Truth::Sat, Answer::Unknown(_)) => "sat missed",
            (Truth::Unsat, Answer::Unknown(_)) => "unsat missed",
            _ => return Err(TestCaseError::fail(format!("{answer:?} for {truth:?}"))),
        };
        *seen.borrow_mut().entry(kind).or_default() += 1;
        Ok(())
    });
    result.unwrap();
    let seen = seen.into_inner();
    let count = |kind| seen.get(kind).copied().unwrap_or(0);
    assert!(count("sat") > cases / 10, "{seen:?}");
    assert!(count("unsat") > cases / 10, "{seen:?}");
    assert!(count("open refuted") < cases / 50, "{seen:?}");
    assert!(count("sat missed") < cases / 20, "{seen:?}");
    assert!(count("unsat missed") < cases / 20, "{seen:?}");
}

#[test]
fn circuits_agree_with_brute_force() {
    against_everything(5_000, |query| Builtin.check_plainly(query, &QueryLimits::default()));
}

#[test]
fn answers_agree_with_brute_force() {
    against_everything(5_000, |query| Builtin.check(query, &QueryLimits::default()));
}

/// Every operator, on every pair of arguments: the circuit has exactly the evaluator's value.
#[test]
fn every_operator_equals_its_value_on_all_arguments() {
    let mut base = Query::new();
    common::declare(&mut base);
    let constant = |name: &str| base.declaration(name).unwrap().term();
    let (p, q, x, y) = (constant("p"), constant("q"), constant("x"), constant("y"));
    let zero = Term::int(0);
    let guard = |t: Term| y.equals(&zero).unwrap().ite(&zero, &t).unwrap();
    let terms = [
        p.not().unwrap(),
        p.xor(&q).unwrap(),
        p.equals(&q).unwrap(),
        Term::and([&p, &q]).unwrap(),
        Term::or([&p, &q]).unwrap(),
        p.ite(&x, &y).unwrap(),
        x.equals(&y).unwrap(),
        x.add(&y).unwrap(),
        x.sub(&y).unwrap(),
        x.mul(&y).unwrap(),
        zero.sub(&x).unwrap(),
        guard(x.int_div(&y).unwrap()),
        guard(x.int_mod(&y).unwrap()),
        x.at_most(&y).unwrap(),
        x.less_than(&y).unwrap(),
        x.mul(&Term::int(-7)).unwrap().add(&Term::int(100)).unwrap(),
        x.int_div(&Term::int(-2)).unwrap(),
        x.int_mod(&Term::int(-2)).unwrap(),
        x.int_div(&Term::int(3)).unwrap(),
        x.int_mod(&Term::int(3)).unwrap(),
        x.int_div(&Term::int(4)).unwrap(),
        x.int_mod(&Term::int(4)).unwrap(),
        x.mul(&Term::int(1_000_000_007)).unwrap(),
    ];
    for wanted in &terms {
        let mut own = Query::new();
        for used in base.declarations() {
            if wanted.constants().contains(&used.term()) {
                own.declare_in(&used.name, used.sort, used.bounds.clone()).unwrap();
            }
        }
        for model in common::models(&own) {
            let value = Term::value(wanted.eval(&model).unwrap());
            let mut pinned = own.clone();
            for (name, value) in model.iter() {
                let value = Term::value(value.clone());
                pinned.assert(&constant(name).equals(&value).unwrap()).unwrap();
            }
            let mut differs = pinned.clone();
            differs.assert(&wanted.differs(&value).unwrap()).unwrap();
            let answer = Builtin.check_plainly(&differs, &QueryLimits::default());
            assert_eq!(answer, Answer::Unsat, "{wanted} in {model}");
            pinned.assert(&wanted.equals(&value).unwrap()).unwrap();
            let answer = Builtin.check_plainly(&pinned, &QueryLimits::default());
            assert_eq!(answer, Answer::Sat(model), "{wanted}");
        }
    }
}

/// That a prime of 89 bits has no factors: far beyond the limit.
#[test]
fn the_time_limit_holds() {
    let mut query = Query::new();
    let [x, y] = ["x", "y"].map(|name| query.declare_int(name, 2, 1i64 << 45).unwrap());
    let product = (1i128 << 89) - 1;
    query.assert(&x.mul(&y).unwrap().equals(&Term::int(product)).unwrap()).unwrap();
    query.assert(&x.at_most(&y).unwrap()).unwrap();
    for milliseconds in [300, 1_000] {
        let limit = std::time::Duration::from_millis(milliseconds);
        let start = std::time::Instant::now();
        let answer = Builtin.check(&query, &QueryLimits::time(limit));
        let time = start.elapsed();
        assert!(matches!(answer, Answer::Unknown(Reason::Timeout(_))), "{answer:?}");
        assert!(time < limit * 2, "{time:?} for {limit:?}");
    }
}

#[test]
fn what_is_too_large_or_unbounded_is_unknown() {
    let mut query = Query::new();
    let [x, y] = ["x", "y"].map(|name| query.declare_int(name, 1, i128::MAX).unwrap());
    let (quotient, rest) = (x.int_div(&y).unwrap(), y.int_mod(&x).unwrap());
    query.assert(&quotient.less_than(&rest).unwrap()).unwrap();
    let limits = QueryLimits { gates: 10_000, ..QueryLimits::default() };
    let answer = Builtin.check_plainly(&query, &limits);
    assert!(matches!(answer, Answer::Unknown(Reason::TooLarge(_))), "{answer:?}");

    let mut query = Query::new();
    let [x, y] = ["x", "y"].map(|name| query.declare(name, Sort::Int).unwrap());
    let square = |t: &Term| t.mul(t).unwrap();
    let sum = square(&x).add(&square(&y)).unwrap();
    query.assert(&sum.equals(&Term::int(3)).unwrap()).unwrap();
    let answer = Builtin.check(&query, &QueryLimits::default());
    assert!(matches!(answer, Answer::Unknown(Reason::Unsupported(_))), "{answer:?}");
    // A small witness is found all the same.
    let mut query = Query::new();
    let [x, y] = ["x", "y"].map(|name| query.declare(name, Sort::Int).unwrap());
    let sum = square(&x).add(&square(&y)).unwrap();
    query.assert(&sum.equals(&Term::int(65)).unwrap()).unwrap();
    let answer = Builtin.check(&query, &QueryLimits::default());
    assert!(matches!(answer, Answer::Sat(_)), "{answer:?}");
}
