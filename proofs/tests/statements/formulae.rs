//! T8: the solvers against brute force on small domains, for every back end that is there.

use crate::{evidence, for_all};
use babycuda_core::expr::Relation;
use babycuda_core::syntax::{Domain as Values, Geometry};
use babycuda_core::{Bool, Num, Protocol};
use babycuda_proofs::race_formulae_are_exact::{Domain, check};
use babycuda_proofs::{Failure, Vacuous};
use babycuda_protocols::Declarations;
use babycuda_smt::process::{External, Kind};
use babycuda_smt::{Builtin, Solver};
use babycuda_testkit::generators::{Profile, protocol, strategy};
use babycuda_testkit::{Choices, Distribution};
use std::cell::RefCell;

const DOMAIN: Domain = Domain { threads: 3, value: 3 };

/// One parameter `n ≤ 3` and blocks of at most three threads, said by assumptions.
fn declarations() -> Declarations {
    let at_most = |x: &str, k: u32| Bool::compare(Relation::Le, Num::var(x), Num::lit(k));
    let mut declarations = Declarations::of_geometry(Geometry::line());
    declarations = declarations.with_param("n", Values::Natural);
    declarations.assumptions =
        vec![at_most("n", DOMAIN.value), at_most("blockDim.x", DOMAIN.threads)];
    declarations
}

/// A protocol in which some numbers became the parameter.
fn parametrised(choices: &mut Choices<'_>) -> Protocol {
    let divergent = choices.chance(1, 6);
    let profile = Profile {
        data_dependent: false,
        huge: false,
        machine: false,
        arrays: 2,
        size: 8,
        divergent,
        ..Profile::ANY
    };
    let seed = choices.below(4);
    let drawn = protocol(choices, profile);
    with_parameter(&drawn, &mut (seed as u32)).numbered()
}

/// Every third bound and index, and right operand of a guard, becomes `n`.
fn with_parameter(p: &Protocol, count: &mut u32) -> Protocol {
    let mut this_one = || {
        *count += 1;
        count.is_multiple_of(3)
    };
    match p {
        Protocol::Seq(p, q) => Protocol::seq(with_parameter(p, count), with_parameter(q, count)),
        Protocol::If { site, condition, then, otherwise } => {
            let condition = match condition {
                Bool::Compare(op, left, _) if this_one() => {
                    Bool::Compare(*op, left.clone(), Num::var("n").into())
                }
                condition => condition.clone(),
            };
            let then = with_parameter(then, count).into();
            let otherwise = with_parameter(otherwise, count).into();
            Protocol::If { site: *site, condition, then, otherwise }
        }
        Protocol::For { site, sort, var, lower, upper, body } => {
            let upper = if this_one() { Num::var("n") } else { upper.clone() };
            let body = with_parameter(body, count).into();
            let (var, lower) = (var.clone(), lower.clone());
            Protocol::For { site: *site, sort: *sort, var, lower, upper, body }
        }
        Protocol::Access { site, mode, array, .. } if this_one() => {
            Protocol::Access { site: *site, mode: *mode, array: array.clone(), index: "n".into() }
        }
        p => p.clone(),
    }
}

fn exact_by(solver: &dyn Solver, cases: u32) {
    let seen = RefCell::new(Distribution::default());
    for_all(cases, strategy(parametrised), |p| {
        let checked = check(&p, &declarations(), DOMAIN, solver);
        let mut labels = vec![match &checked {
            Ok(_) => "held",
            Err(Failure::Vacuous(Vacuous::Undecided(_))) => "undecided",
            Err(_) => "vacuous",
        }];
        if let Some(e) = evidence(checked)? {
            labels.push(if e.racing.is_empty() { "held, DRF" } else { "held, racy" });
            labels.extend(e.diverges.then_some("held, diverges"));
        }
        seen.borrow_mut().case(labels);
        Ok(())
    });
    let seen = seen.into_inner();
    println!("{}\n{seen}", solver.name());
    seen.assert_share("held", 0.7..=1.0);
    seen.assert_share("held, DRF", 0.1..=0.95);
    seen.assert_share("held, racy", 0.03..=0.8);
}

#[test]
fn t8_holds_by_the_embedded_solver() {
    exact_by(&Builtin, 400);
}

/// An outside solver that is not there is skipped, unless `BABYCUDA_REQUIRE_SOLVERS` is set.
fn exact_by_outside(kind: Kind) {
    let solver = External::find(kind);
    if solver.is_available() {
        exact_by(&solver, 300);
    } else {
        assert!(std::env::var_os("BABYCUDA_REQUIRE_SOLVERS").is_none(), "{kind:?} is missing");
        println!("{kind:?} is not there");
    }
}

#[test]
fn t8_holds_by_z3() {
    exact_by_outside(Kind::Z3);
}

#[test]
fn t8_holds_by_cvc5() {
    exact_by_outside(Kind::Cvc5);
}
