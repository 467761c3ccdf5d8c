//! T0 to T3: one phase of a program, on any history.

use crate::generate::situation;
use crate::{evidence, for_all, verdict};
use babycuda_proofs::{
    Failure, Vacuous, access_equivalence, corrected_theorem_1, determinism, printed_theorem_1,
    well_typed_programs_are_stuck_only_on_undefined_cells as progress,
};
use babycuda_testkit::generators::strategy;

#[test]
fn t0_to_t3_hold_on_random_situations() {
    let seen = for_all(12_000, strategy(situation), |s| {
        let mut verdicts = Vec::new();
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
        let checked = determinism::check(&s);
        verdicts.push(verdict("T0", &checked));
        labels.push(match evidence(checked)? {
            Some(results) if results.iter().any(Option::is_none) => "T0 held, stuck",
            Some(_) => "T0 held, ends",
            None => "T0 says nothing",
        });
        let checked = corrected_theorem_1::check(&s);
        verdicts.push(verdict("T1", &checked));
        labels.push(match evidence(checked)? {
            Some(e) if e.history.is_empty() => "T1 held, DRF",
            Some(_) => "T1 held, racy",
            None => "T1 says nothing",
        });
        match corrected_theorem_1::check_from_empty_head(&s) {
            Ok(_) => labels.push("T1 held from an empty head"),
            other => drop(evidence(other)?),
        }
        let checked = access_equivalence::check(&s);
        verdicts.push(verdict("T2", &checked));
        labels.push(match evidence(checked)? {
            Some(after) if after.iter().flatten().any(|a| !a.is_empty()) => "T2 held, accesses",
            Some(_) => "T2 held, no access",
            None => "T2 says nothing",
        });
        let checked = progress::check(&s);
        verdicts.push(verdict("T3", &checked));
        labels.push(match evidence(checked)? {
            Some(e) if e.stuck.is_empty() => "T3 held, ends",
            Some(_) => "T3 held, stuck on ⊥",
            None => "T3 says nothing",
        });
        if let Err(Failure::Refuted(_)) = printed_theorem_1::check(&s) {
            labels.push("T1 as printed refuted");
        }
        let labels = labels.into_iter().map(String::from);
        Ok(labels.chain(verdicts))
    });
    seen.assert_share("typed", 0.4..=0.85);
    seen.assert_share("ill-typed", 0.1..=0.5);
    seen.assert_share("racy history", 0.1..=0.5);
    seen.assert_share("of the paper", 0.6..=1.0);
    for statement in ["T0", "T1", "T2", "T3"] {
        seen.assert_share(&format!("{statement} held"), 0.3..=0.95);
        seen.assert_share(&format!("{statement} vacuous"), 0.02..=0.6);
        seen.assert_share(&format!("{statement} undecided"), 0.0..=0.02);
    }
    seen.assert_share("T0 held, ends", 0.3..=0.9);
    seen.assert_share("T0 held, stuck", 0.01..=0.4);
    seen.assert_share("T1 held, DRF", 0.1..=0.6);
    seen.assert_share("T1 held, racy", 0.1..=0.6);
    seen.assert_share("T1 held from an empty head", 0.1..=0.8);
    seen.assert_share("T2 held, accesses", 0.3..=0.9);
    seen.assert_share("T3 held, ends", 0.2..=0.9);
    seen.assert_share("T3 held, stuck on ⊥", 0.01..=0.4);
    // Random search refutes the printed theorem as well.
    seen.assert_share("T1 as printed refuted", 0.001..=0.2);
}
