//! T0 to T3: one phase of a program, on any history.

use crate::generate::situation;
use crate::{evidence, for_all};
use babycuda_proofs::{
    Failure, Vacuous, access_equivalence, corrected_theorem_1, determinism, printed_theorem_1,
    well_typed_programs_are_stuck_only_on_undefined_cells as progress,
};
use babycuda_testkit::Distribution;
use babycuda_testkit::generators::strategy;
use std::cell::RefCell;

#[test]
fn t0_to_t3_hold_on_random_situations() {
    let seen = RefCell::new(Distribution::default());
    for_all(12_000, strategy(situation), |s| {
        let mut labels = vec![match s.subject.typed() {
            Ok(_) => "typed",
            Err(Vacuous::IllTyped(_)) => "ill-typed",
            Err(_) => "no protocol",
        }];
        if !s.history.is_drf() {
            labels.push("racy history");
        }
        if s.subject.program().is_paper_fragment() {
            labels.push("of the paper");
        }
        labels.push(match evidence(determinism::check(&s))? {
            Some(results) if results.iter().any(Option::is_none) => "T0 stuck",
            Some(_) => "T0 held",
            None => "T0 vacuous",
        });
        labels.push(match evidence(corrected_theorem_1::check(&s))? {
            Some(e) if e.history.is_empty() => "T1 held, DRF",
            Some(_) => "T1 held, racy",
            None => "T1 vacuous",
        });
        match corrected_theorem_1::check_from_empty_head(&s) {
            Ok(_) => labels.push("T1 held from an empty head"),
            other => drop(evidence(other)?),
        }
        labels.push(match evidence(access_equivalence::check(&s))? {
            Some(_) => "T2 held",
            None => "T2 vacuous",
        });
        labels.push(match evidence(progress::check(&s))? {
            Some(e) if e.stuck.is_empty() => "T3 held, ends",
            Some(_) => "T3 held, stuck on ⊥",
            None => "T3 vacuous",
        });
        if let Err(Failure::Refuted(_)) = printed_theorem_1::check(&s) {
            labels.push("T1 as printed refuted");
        }
        seen.borrow_mut().case(labels);
        Ok(())
    });
    let seen = seen.into_inner();
    println!("{seen}");
    seen.assert_share("typed", 0.4..=0.85);
    seen.assert_share("ill-typed", 0.1..=0.5);
    seen.assert_share("racy history", 0.1..=0.5);
    seen.assert_share("of the paper", 0.6..=1.0);
    seen.assert_share("T0 held", 0.3..=0.9);
    seen.assert_share("T0 stuck", 0.01..=0.4);
    seen.assert_share("T1 held, DRF", 0.1..=0.6);
    seen.assert_share("T1 held, racy", 0.1..=0.6);
    seen.assert_share("T1 held from an empty head", 0.1..=0.8);
    seen.assert_share("T2 held", 0.3..=0.9);
    seen.assert_share("T3 held, ends", 0.2..=0.9);
    seen.assert_share("T3 held, stuck on ⊥", 0.01..=0.4);
    // Random search refutes the printed theorem as well.
    seen.assert_share("T1 as printed refuted", 0.001..=0.2);
}
