//! T12, of protocols: races with barriers of scopes, by projection.
//!
//! ```text
//! p ⇓ Λ, in which accesses are ordered as below      p_r: p without barriers narrower than r
//!     ⟹  Λ ends  ⟺  p_r ends in every group of r, for every r
//!     ⟹  α and β race in Λ  ⟺  they conflict, and are in one phase of p_r,
//!                              for the narrowest r of which a group holds both threads
//! ```
//!
//! The left side is the sentence, on the barriers that groups passed in Λ. The right side knows
//! barriers of one kind only: those of §3, in a block that is the group.

use crate::hypotheses::{lambda, no_lambda};
use crate::statement::{
    Checked, Counterexample, Coverage, Proof, Statement, Vacuous, test, theorem,
};
use babycuda_core::launch::Group;
use babycuda_core::rules::Item;
use babycuda_core::{AccessMode, Cell, Configuration, Program, Protocol, Site, Thread};
use babycuda_protocols::Relation;
use babycuda_protocols::map::{
    AccessEvent, Configured, Ending, MapError, MapLimits, NoOracle, evaluate_threads,
};
use std::collections::BTreeSet;

/// T12.
pub static STATEMENT: Statement = Statement {
    id: "T12",
    name: "scoped_phases",
    source: "ours",
    text: "let barriers have scopes (tile, warp, block, grid), of groups that hold those of the \
           narrower ones, and let a group go on when all its threads wait at one barrier of its \
           scope. Two accesses are ordered iff they are of one thread, or a barrier whose group holds \
           both threads stands between them. A protocol that runs to its end is race-free iff, for \
           every scope r, no two threads whose narrowest common scope is r have conflicting accesses \
           in one phase, where phases are parted by the barriers of r and wider scopes alone. With \
           block barriers only, the phases are those of §3.",
    rust: Item { file: "proofs/src/scoped_phases.rs", text: "pub fn check" },
    proof: Proof::Theorems(
        &[
            theorem("proofs/coq/ScopedProtocols.v", "scoped_protocol_races"),
            theorem("proofs/coq/ScopedProtocols.v", "group_runs_iff"),
            theorem("proofs/coq/ScopedProtocols.v", "phases_are_intervals"),
        ],
        Coverage::Restricted("races as such, not which accesses; no atomic updates."),
    ),
    tests: &[
        test("proofs/tests/statements/blocks.rs", "t12_holds_on_random_protocols"),
        test("protocols/tests/scoped/main.rs", "all_small_protocols_are_as_the_sentence_says"),
        test("protocols/tests/scoped/main.rs", "all_small_loops_are_as_the_sentence_says"),
    ],
    holds: true,
};

/// An access of a race.
type Side = (u64, Site, AccessMode);

/// What both sides say.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Evidence {
    /// The races, each with the thread of the smaller index first.
    pub races: BTreeSet<(Cell, Side, Side)>,
    /// How many of them are of threads that a group narrower than the block holds.
    pub within_groups: usize,
    /// Do threads diverge? Then nothing is said of races.
    pub diverges: bool,
}

/// Checks T12 for a block of `at`.
///
/// # Errors
/// [`Failure`](crate::Failure)
pub fn check(protocol: &Protocol, at: &Configuration) -> Checked<Evidence> {
    let sentence = lambda(protocol, at)?;
    let relations = Relation::all(protocol, at.launch.warp);
    let relations =
        relations.map_err(|(site, scope)| no_lambda(MapError::Scope { site, scope }))?;
    let mut projected = Evidence::default();
    for relation in relations {
        let narrow = relation.project(protocol);
        for group in groups(relation, at) {
            let configured = Configured { protocol: &narrow, configuration: at };
            let threads = group.first..group.end;
            let limits = MapLimits::default();
            let lambda =
                evaluate_threads(configured, threads, &mut NoOracle, &limits).map_err(no_lambda)?;
            projected.diverges |= lambda.ending != Ending::Done;
            for phase in &lambda.phases {
                let races = pairs(&phase.events, |a, b| {
                    let of = |event: &AccessEvent| Thread { block: at.block, index: event.thread };
                    let conflict = a.cell == b.cell && a.mode.conflicts(b.mode, true);
                    conflict && relation.holds(at.launch, of(a), of(b))
                });
                let narrow = relation.within < Relation::BLOCK.within;
                projected.within_groups += if narrow { races.len() } else { 0 };
                projected.races.extend(races);
            }
        }
    }
    if let Ending::Stuck { .. } = sentence.ending {
        return Err(Vacuous::Unmet.into());
    }
    let diverges = sentence.ending != Ending::Done;
    let mut races = BTreeSet::new();
    for phase in &sentence.phases {
        races.extend(pairs(&phase.events, |a, b| phase.race(a, b)));
    }
    if diverges && projected.diverges {
        return Ok(Evidence { diverges, ..Evidence::default() });
    }
    if diverges == projected.diverges && races == projected.races {
        return Ok(projected);
    }
    let why = format!(
        "The protocol is `{protocol}`, warps are of {}. By the sentence race {races:?}, and threads \
         diverge: {diverges}. By projection race {:?}, and threads diverge: {}.",
        at.launch.warp, projected.races, projected.diverges,
    );
    let program = Program::of_body(crate::render::program_of_protocol(protocol));
    Err(Counterexample::refutes(&STATEMENT, program.with_launch(at.launch), why))
}

/// The groups of the block that hold pairs in the relation.
fn groups(relation: Relation, at: &Configuration) -> BTreeSet<Group> {
    let threads = 0..at.launch.block.count();
    let group = |index| at.launch.group(relation.within, Thread { block: at.block, index });
    threads.map(group).collect()
}

/// The pairs of events that race.
fn pairs(
    events: &[AccessEvent],
    race: impl Fn(&AccessEvent, &AccessEvent) -> bool,
) -> BTreeSet<(Cell, Side, Side)> {
    let side = |event: &AccessEvent| (event.thread, event.site, event.mode);
    let mut found = BTreeSet::new();
    for (n, a) in events.iter().enumerate() {
        for b in events[n + 1..].iter().filter(|b| a.thread != b.thread && race(a, b)) {
            let (a, b) = if a.thread < b.thread { (a, b) } else { (b, a) };
            found.insert((a.cell.clone(), side(a), side(b)));
        }
    }
    found
}
