//! Several solvers as one: order, contradiction, and models that are lies.

use std::time::Duration;

use babycuda_smt::{
    Answer, Model, Portfolio, Query, QueryLimits, Reason, Solver, SolverName, Term, Value,
};

/// A solver that always says the same.
struct Says(&'static str, Answer);

impl Solver for Says {
    fn name(&self) -> &str {
        self.0
    }

    fn check(&self, _: &Query, _: &QueryLimits) -> Answer {
        self.1.clone()
    }
}

fn query() -> Query {
    let mut query = Query::named("kernel k, phase 1");
    let x = query.declare_int("x", 0, 9).unwrap();
    query.assert(&x.equals(&Term::int(3)).unwrap()).unwrap();
    query
}

fn model(x: i32) -> Answer {
    let model: Model = [("x", Value::Int(x.into()))].into_iter().collect();
    Answer::Sat(model)
}

fn says(answers: &[(&'static str, Answer)]) -> Portfolio {
    let solvers = answers.iter().cloned();
    Portfolio::new(solvers.map(|(n, a)| Box::new(Says(n, a)) as Box<dyn Solver>).collect())
}

fn unknown(reason: Reason) -> Answer {
    Answer::Unknown(reason)
}

#[test]
fn the_first_that_decides_answers() {
    let late = unknown(Reason::Timeout(Duration::from_secs(1)));
    let portfolio = says(&[("a", late.clone()), ("b", model(3)), ("c", Answer::Unsat)]);
    assert_eq!(portfolio.check(&query(), &QueryLimits::default()), model(3));
    assert_eq!(portfolio.ask(&query(), &QueryLimits::default()).len(), 2);
    let absent = unknown(Reason::Unavailable("gone".into()));
    let portfolio = says(&[("a", absent), ("b", late)]);
    // The time is that of the question, not of one solver's share.
    let limits = QueryLimits::default();
    assert_eq!(portfolio.check(&query(), &limits), unknown(Reason::Timeout(limits.time)));
    assert!(matches!(
        says(&[]).check(&query(), &QueryLimits::default()),
        Answer::Unknown(Reason::Unavailable(_))
    ));
}

#[test]
fn a_wrong_model_is_not_believed() {
    let liar = says(&[("a", model(4))]);
    assert!(matches!(
        liar.check(&query(), &QueryLimits::default()),
        Answer::Unknown(Reason::ModelRejected(_))
    ));
    let second = says(&[("a", model(10)), ("b", model(3))]);
    assert_eq!(second.check(&query(), &QueryLimits::default()), model(3));
}

#[test]
fn contradiction_is_an_error_that_names_and_saves_the_query() {
    let folder = std::env::temp_dir().join(format!("babycuda-smt-{}", std::process::id()));
    let portfolio = says(&[("a", model(3)), ("b", Answer::Unsat), ("c", model(4))])
        .cross_check(Some(folder.clone()));
    let answer = portfolio.check(&query(), &QueryLimits::default());
    let Answer::Unknown(Reason::Disagreement { query: name, sat, unsat, saved }) = answer else {
        panic!("{answer:?}");
    };
    assert_eq!(name, "kernel k, phase 1");
    assert_eq!((sat, unsat), (vec!["a".to_owned()], vec!["b".to_owned()]));
    if cfg!(feature = "process") {
        let text = std::fs::read_to_string(saved.expect("saved")).unwrap();
        assert!(text.starts_with("; kernel k, phase 1\n(set-logic QF_LIA)"));
        assert!(text.contains("(assert (= x 3))"));
    } else {
        assert_eq!(saved, None);
    }
    let _ = std::fs::remove_dir_all(folder);
}

#[test]
fn agreement_and_doubt_pass_the_cross_check() {
    let doubt = unknown(Reason::Incomplete("hard".into()));
    let portfolio = says(&[("a", doubt), ("b", Answer::Unsat)]).cross_check(None);
    assert_eq!(portfolio.check(&query(), &QueryLimits::default()), Answer::Unsat);
}

#[test]
fn solvers_have_names() {
    for name in SolverName::ALL {
        assert_eq!(name.as_str().parse(), Ok(name));
        let answer = name.solver().check(&query(), &QueryLimits::default());
        assert!(
            answer == model(3) || matches!(answer, Answer::Unknown(Reason::Unavailable(_))),
            "{name:?}: {answer:?}"
        );
    }
    assert!("z4".parse::<SolverName>().is_err());
}
