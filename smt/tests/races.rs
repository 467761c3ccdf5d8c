//! Race-shaped queries, by every solver that is there.

#[path = "common/races.rs"]
mod races;

use std::time::Duration;

use babycuda_smt::{Answer, QueryLimits, Solver, SolverName};

fn check(solver: &dyn Solver, seconds: u64, all_decided: bool) {
    for case in races::cases() {
        let answer = solver.check(&case.query, &QueryLimits::time(Duration::from_secs(seconds)));
        let name = format!("{}: {}: {answer:?}", solver.name(), case.query.name());
        match answer {
            Answer::Sat(_) => assert!(case.racy, "{name}"),
            Answer::Unsat => assert!(!case.racy, "{name}"),
            Answer::Unknown(_) => assert!(!all_decided || case.hard, "{name}"),
        }
    }
}

#[cfg(feature = "builtin")]
#[test]
fn the_embedded_solver_decides_them_all() {
    check(&*SolverName::Builtin.solver(), 20, true);
}

#[test]
fn solvers_from_outside_contradict_nothing() {
    check(&*SolverName::Z3.solver(), 1, false);
    check(&*SolverName::Cvc5.solver(), 1, false);
}
