//! The agreements on every program of a small scope. Counts are printed: `--nocapture`.

use babycuda_core::{Configuration, Launch, Program, Stmt};
use babycuda_proofs::agreement::{
    derivations_are_accepted, enumeration_is_exact, inference_is_exact, lastwrite_is_its_rules,
};
use babycuda_proofs::small_scope::histories::{phases_of_one_access, two_memories, with_phases};
use babycuda_proofs::small_scope::{Found, Search, Vocabulary, raise};
use babycuda_proofs::{Situation, Subject};
use babycuda_protocols::map::{MapLimits, evaluate};
use babycuda_semantics::{Instance, Policy, RunOptions, parallel};
use std::sync::Arc;

const VOCABULARY: Vocabulary = Vocabulary::ALL;

fn searched(bound: usize, check: impl Fn(&mut Found, (usize, &Stmt), &Program) + Sync) -> Found {
    let search = Search { vocabulary: VOCABULARY, size: bound + raise() };
    let found = search.run(|(): &mut (), found, number, program| {
        check(found, (number, program), &Program::of_body(program.clone()));
    });
    println!("size ≤ {}, {VOCABULARY:?}\n{}", search.size, found.counts);
    found.expect_no_counterexample();
    found
}

#[test]
fn inference_is_exact_on_every_program() {
    let found = searched(3, |found, p, program| {
        let checked = inference_is_exact::check(program);
        if let Some(u) = found.note(p, ["agree", "vacuous", "undecided"], checked) {
            found.counts.add(if u.is_some() { "typed" } else { "ill-typed" });
        }
    });
    let programs = found.counts.get("programs");
    assert!(found.counts.get("typed") > programs / 10);
    assert!(found.counts.get("ill-typed") > programs / 10);
}

#[test]
fn enumeration_is_exact_on_every_protocol() {
    let found = searched(2, |found, p, program| {
        let Ok(Some(u)) = inference_is_exact::check(program) else { return };
        for threads in [2, 3] {
            let at = Configuration::threads(threads);
            let Ok(lambda) = evaluate(&u, &at, &MapLimits::default()) else { continue };
            let checked = enumeration_is_exact::check(&u, &lambda, &at);
            if let Some(pairs) = found.note(p, ["agree", "vacuous", "undecided"], checked) {
                found.counts.add(if pairs.is_empty() { "DRF" } else { "racy" });
            }
        }
    });
    let compared = found.counts.get("agree");
    assert!(compared > 500 && found.counts.get("vacuous") == 0, "{compared}");
    assert!(found.counts.get("DRF") > compared / 10 && found.counts.get("racy") > compared / 10);
}

#[test]
fn the_derivations_of_every_program_are_accepted() {
    let options = RunOptions { ambiguous: Policy::Smallest, ..RunOptions::default() };
    let found = searched(2, |found, p, program| {
        for memory in two_memories() {
            let instance = Instance::new(program.clone(), Launch::threads(2)).with_host(memory);
            let Some(derivation) = instance.evaluate(&options).derivation else { continue };
            let checked = derivations_are_accepted::check(&instance, &derivation);
            found.note(p, ["accepted", "vacuous", "undecided"], checked);
        }
    });
    assert!(found.counts.get("accepted") > found.counts.get("programs"));
}

#[test]
fn lastwrite_is_its_rules_after_every_program() {
    let histories = with_phases(&phases_of_one_access(2));
    let found = searched(2, |found, p, program| {
        if program.body.has_sync() {
            return;
        }
        let subject = Arc::new(Subject::new(program.body.clone(), 2));
        for history in &histories {
            let s = Situation::new(history.clone(), subject.clone());
            let run = parallel::run(history, subject.program(), subject.block(), &s.options());
            let Ok((after, _)) = run else { continue };
            let checked = lastwrite_is_its_rules::check(&after, || s.to_program());
            let cells =
                found.note(p, ["agree", "vacuous", "undecided"], checked).unwrap_or_default();
            found.counts.add_many("cells", cells as u64);
        }
    });
    assert!(found.counts.get("cells") > found.counts.get("agree"));
}
