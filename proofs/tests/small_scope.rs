//! Every statement on every program of a small scope. Counts are printed: run with `--nocapture`.

use babycuda_core::{History, Stmt};
use babycuda_proofs::small_scope::histories::{all_phases, phases_of_one_access, with_phases};
use babycuda_proofs::small_scope::{Found, Search, Vocabulary, raise};
use babycuda_proofs::{
    Situation, Subject, access_equivalence, corrected_theorem_1, determinism,
    well_typed_programs_are_stuck_only_on_undefined_cells as progress,
};
use std::sync::Arc;

/// T0 to T3 of one program on one history.
fn thread_statements(found: &mut Found, p: (usize, &Stmt), s: &Situation) {
    found.counts.add("(program, history) instances");
    found.note(p, ["T0 held", "T0 vacuous", "T0 undecided"], determinism::check(s));
    if let Some(e) =
        found.note(p, ["T1 held", "T1 vacuous", "T1 undecided"], corrected_theorem_1::check(s))
    {
        found.counts.add(if e.history.is_empty() { "T1 held, DRF" } else { "T1 held, racy" });
    }
    found.note(p, ["T2 held", "T2 vacuous", "T2 undecided"], access_equivalence::check(s));
    if let Some(e) = found.note(p, ["T3 held", "T3 vacuous", "T3 undecided"], progress::check(s)) {
        found.counts.add(if e.stuck.is_empty() {
            "T3 held, ends"
        } else {
            "T3 held, stuck on ⊥"
        });
    }
}

fn all_on(vocabulary: Vocabulary, bound: usize, histories: &[History], at_least: u64) {
    let search = Search { vocabulary, size: bound + raise() };
    let found = search.run(|(): &mut (), found, number, program| {
        let subject = Arc::new(Subject::new(program.clone(), vocabulary.threads));
        found.counts.add(if subject.typed().is_ok() { "typed programs" } else { "ill-typed" });
        for history in histories {
            let s = Situation::new(history.clone(), subject.clone());
            thread_statements(found, (number, program), &s);
        }
    });
    let (size, kinds) = (search.size, histories.len());
    println!("size ≤ {size}, {kinds} histories, {vocabulary:?}\n{}", found.counts);
    found.expect_no_counterexample();
    let count = |what: &str| found.counts.get(what);
    let instances = count("(program, history) instances");
    assert!(instances >= at_least, "{instances}");
    for statement in ["T0 held", "T1 held, DRF", "T1 held, racy", "T2 held", "T3 held, ends"] {
        assert!(count(statement) > instances / 20, "{statement}: {}", count(statement));
    }
    assert!(count("T3 held, stuck on ⊥") > 0);
    for statement in ["T0", "T1", "T2", "T3"] {
        // Exhaustive: nothing is left open, and hypotheses fail in some but not in most instances.
        assert_eq!(count(&format!("{statement} undecided")), 0, "{statement}");
        let vacuous = count(&format!("{statement} vacuous"));
        // No phase of one access has two writers.
        assert!(vacuous > 0 || statement == "T0", "{statement}");
        assert!(vacuous < instances * 3 / 4, "{statement}: {vacuous}");
    }
}

#[test]
fn t0_to_t3_on_every_phase_of_two_threads() {
    all_on(Vocabulary::PAPER, 2, &with_phases(&all_phases()), 200_000);
}

#[test]
fn t0_to_t3_on_histories_of_at_most_one_access() {
    all_on(Vocabulary::PAPER, 3, &with_phases(&phases_of_one_access(2)), 300_000);
}

#[test]
fn t0_to_t3_in_three_threads() {
    let vocabulary = Vocabulary { threads: 3, ..Vocabulary::PAPER };
    all_on(vocabulary, 2, &with_phases(&phases_of_one_access(3)), 15_000);
}
