//! Long loops and deep programs neither overflow the stack nor take for ever.

use babycuda_core::parse::parse_program;
use babycuda_core::{Bool, Launch, Num, Program, Stmt};
use babycuda_semantics::{
    Instance, Limit, Outcome, Reason, RunLimits, RunOptions, check_derivation, vm,
};

fn instance(body: Stmt) -> Instance {
    Instance::new(Program::of_body(body), Launch::threads(1))
}

fn parsed(text: &str) -> Instance {
    let program = parse_program(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    Instance::new(program, Launch::threads(1))
}

/// Evaluates, compares with the machine, checks the derivation, and drops it.
fn runs(instance: &Instance) -> Outcome {
    let options = RunOptions::default();
    let evaluation = instance.evaluate(&options);
    assert_eq!(vm::run(instance, &options), evaluation.outcome);
    if let Some(derivation) = evaluation.derivation {
        assert_eq!(check_derivation(&derivation), Ok(()));
    }
    evaluation.outcome
}

#[test]
fn a_loop_of_a_hundred_thousand_iterations_works() {
    let outcome = runs(&parsed("forU x in 0..100000 { A[x % 100] := x }"));
    assert!(outcome.is_done(), "{outcome:?}");
}

#[test]
fn a_loop_of_three_thousand_barriers_works() {
    let outcome = runs(&parsed("forS x in 0..3000 { A[x % 10] := x; sync }"));
    assert_eq!(outcome.history().len(), 3_001);
}

#[test]
fn a_barrier_behind_many_iterations_without_one_works() {
    let outcome = runs(&parsed("forU x in 0..50000 { if x == 49999 { sync } else { skip } }"));
    assert_eq!(outcome.history().len(), 2);
}

#[test]
fn a_loop_beyond_the_limit_is_an_outcome() {
    let options = RunOptions {
        limits: RunLimits { steps: 100_000, ..RunLimits::default() },
        ..RunOptions::default()
    };
    let endless = parsed("forU x in 0..1000000 { forU y in 0..1000000 { skip } }");
    let outcome = endless.run(&options);
    let expected = Reason::Limit { limit: Limit::Steps, allowed: 100_000 };
    assert_eq!(outcome.stuck().map(|stuck| &stuck.reason), Some(&expected));
    assert_eq!(vm::run(&endless, &options), outcome);
}

#[test]
fn nested_statements_work_to_any_depth() {
    let write = || Stmt::write("A", Num::lit(0u32), Num::lit(1u32));
    let nested = |wrap: &dyn Fn(Stmt) -> Stmt| (0..3_000).fold(write(), |b, _| wrap(b));
    let left = nested(&|b| Stmt::seq(b, Stmt::Skip));
    let right = nested(&|b| Stmt::seq(Stmt::Skip, b));
    let branch = nested(&|b| Stmt::branch(Bool::Lit(true), b, Stmt::Skip));
    for body in [left, right, branch] {
        assert!(runs(&instance(body)).is_done());
    }
    let sum = (0..20_000).fold(Num::lit(0u32), |n, _| {
        Num::arith(babycuda_core::expr::ArithOp::Add, n, Num::lit(1u32))
    });
    let outcome = runs(&instance(Stmt::write("A", Num::lit(0u32), sum)));
    assert_eq!(outcome.history().to_string(), "[{0: (∅, {0: 20000})}]");
}
