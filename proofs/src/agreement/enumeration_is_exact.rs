//! Enumeration counts exactly the racing pairs of Λ.

use crate::statement::{Checked, Counterexample, Proof, Statement, Vacuous, test};
use babycuda_core::evidence::PairKey;
use babycuda_core::rules::Item;
use babycuda_core::syntax::Geometry;
use babycuda_core::{Configuration, Declarations, Program, Protocol};
use babycuda_protocols::enumerate::{EnumerationLimits, enumerate};
use babycuda_protocols::map::{AccessEvent, Ending, Lambda};
use std::collections::{BTreeMap, BTreeSet};

const SMALL_SCOPE: &str = "proofs/tests/small_scope_agreement.rs";

/// The agreement.
pub static STATEMENT: Statement = Statement {
    id: "enumeration",
    name: "enumeration_is_exact",
    source: "ours",
    text: "enumeration finds the racing pairs of statements of Λ, each as often as it races, and \
           a divergence exactly where Λ has one.",
    rust: Item { file: "proofs/src/agreement/enumeration_is_exact.rs", text: "pub fn check" },
    proof: Proof::NotMechanized("it is about an implementation"),
    tests: &[
        test("tests/tests/protocols.rs", "enumeration_finds_the_races_of_lambda"),
        test(SMALL_SCOPE, "enumeration_is_exact_on_every_protocol"),
    ],
    holds: true,
};

/// How often each pair of statements races.
type Evidence = BTreeMap<PairKey, u64>;

/// Checks the agreement for a protocol and its Λ in a configuration of one block.
///
/// # Errors
/// [`Failure`](crate::Failure)
pub fn check(protocol: &Protocol, lambda: &Lambda, at: &Configuration) -> Checked<Evidence> {
    let declarations = Declarations::of_geometry(Geometry::exactly(at.launch));
    let result = enumerate(protocol, &declarations, at, &EnumerationLimits::default())
        .map_err(|refusal| Vacuous::NotEnumerated(refusal.to_string()))?;
    let found: Evidence = result.races.into_iter().map(|(key, pair)| (key, pair.count)).collect();
    let mut expected = Evidence::new();
    for phase in &lambda.phases {
        count(&phase.events, &mut expected);
    }
    let diverges = lambda.ending != Ending::Done;
    if found == expected && diverges != result.divergences.is_empty() {
        return Ok(found);
    }
    let why = format!(
        "The protocol is `{protocol}`. In Λ race {expected:?}, and its threads diverge: \
         {diverges}. Enumerated: {found:?}, and {:?}.",
        result.divergences
    );
    let program = Program::of_body(crate::render::program_of_protocol(protocol));
    Err(Counterexample::refutes(&STATEMENT, program.with_launch(at.launch), why))
}

/// The pairs of one phase; a statement that a thread executes repeatedly on a cell counts once.
fn count(events: &[AccessEvent], into: &mut Evidence) {
    let once: BTreeSet<_> = events.iter().map(|e| (&e.cell, (e.site, e.mode), e.thread)).collect();
    for (cell, s, i) in &once {
        for (other, t, j) in &once {
            let race = i != j && cell == other && s.1.conflicts(t.1, true);
            // Each unordered pair once: by its statements, then by its threads.
            if race && (s, i) < (t, j) {
                let array = cell.array.clone();
                let key = PairKey { array, first: *s, second: *t, same_block: true };
                *into.entry(key).or_default() += 1;
            }
        }
    }
}
