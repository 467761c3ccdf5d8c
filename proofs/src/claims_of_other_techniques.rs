//! T10: on which kernels a claim of two other techniques is true.
//!
//! ```text
//! no barrier, no loop, one block:  a race that SKBG18's Algorithm 1 reports is one (its Theorem 2)
//! and one access, which writes:    DD's rules (Table 1) miss no race of DD §4
//! ```
//!
//! Without any of these hypotheses it is false; `proofs/tests/small_scope_claims.rs` has the smallest kernels.

use crate::hypotheses::stuck;
use crate::statement::{Checked, Counterexample, Proof, Statement, Vacuous, test};
use babycuda_core::rules::Item;
use babycuda_core::{Configuration, Program, Stmt, Thread};
use babycuda_detectors::symbolic_heap::{
    Behaviour, RaceRule, Rules, Update, analyze, explore, translate,
};
use babycuda_detectors::two_thread::claims::{Truth, theorem_2};
use babycuda_detectors::two_thread::{Reading, TwoThread};
use babycuda_kernel::Kernel;
use babycuda_semantics::grid::{self, cross_block_races};
use babycuda_semantics::{Instance, Policy, RunOptions};
use std::collections::BTreeSet;

/// T10.
pub static STATEMENT: Statement = Statement {
    id: "T10",
    name: "claims_of_other_techniques",
    source: "SKBG18 Theorem 2; Distefano and Dubreil §4, §6",
    text: "a race that SKBG18's Algorithm 1 reports, as printed, of a kernel without barriers and \
           loops and of one block is one. If its only access is a write, the rules of Distefano and \
           Dubreil miss no race of their §4.",
    rust: Item { file: "proofs/src/claims_of_other_techniques.rs", text: "pub fn check" },
    proof: Proof::NotMechanized("it is about translations of C to formulae"),
    tests: &[
        test("proofs/tests/small_scope_claims.rs", "t10_on_all_small_kernels"),
        test("proofs/tests/small_scope_claims.rs", "t10_needs_each_hypothesis"),
    ],
    holds: true,
};

/// Steps of a schedule-by-schedule exploration.
const STEPS: usize = 100_000;

/// What was found of a kernel that meets the hypotheses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Found {
    /// Races that Algorithm 1 reports.
    pub alarms: usize,
    /// Is there a race of DD §4? `None`: the kernel has other accesses than a write,
    /// or is not in that language.
    pub harmful: Option<bool>,
}

/// Checks T10 of a kernel, given its tree and what it means.
///
/// # Errors
/// [`Failure`](crate::Failure)
pub fn check(kernel: &Kernel, program: &Program, at: &Configuration) -> Checked<Found> {
    let is = |f: fn(&Stmt) -> bool| program.body.subterms().any(f);
    if is(|b| matches!(b, Stmt::Sync { .. })) {
        return Err(Vacuous::Synchronized.into());
    }
    if is(|b| matches!(b, Stmt::For { .. })) {
        return Err(Vacuous::Loop.into());
    }
    if at.launch.grid.count() != 1 {
        return Err(Vacuous::SeveralBlocks.into());
    }
    check_anyway(kernel, program, at)
}

/// The same without a look at the hypotheses.
///
/// # Errors
/// [`Failure`](crate::Failure)
pub fn check_anyway(kernel: &Kernel, program: &Program, at: &Configuration) -> Checked<Found> {
    let technique = TwoThread::reading(Reading::PRINTED);
    let found = technique.findings(kernel, at).map_err(|e| Vacuous::Undecided(e.to_string()))?;
    let truth = truth(program, at)?;
    let refute = |why: String| Counterexample::refutes(&STATEMENT, program.clone(), why);
    for finding in &found.races {
        if theorem_2(finding, &truth).is_some() {
            return Err(refute(format!("no race: {}", finding.witness)));
        }
    }
    let harmful = match only_writes_once(program) {
        true => missed(kernel, at).map_err(|why| refute(why.to_owned()))?,
        false => None,
    };
    Ok(Found { alarms: found.races.len(), harmful })
}

/// Is the kernel's only access a write?
pub fn only_writes_once(program: &Program) -> bool {
    let access =
        |b: &&Stmt| matches!(b, Stmt::Read { .. } | Stmt::Atomic { .. } | Stmt::Write { .. });
    let accesses: Vec<&Stmt> = program.body.subterms().filter(access).collect();
    matches!(accesses[..], [Stmt::Write { .. }])
}

/// Is there a race of DD §4, where the rules see it?
///
/// # Errors
/// They do not.
pub fn missed(kernel: &Kernel, at: &Configuration) -> Result<Option<bool>, &'static str> {
    let Ok(program) = translate(kernel, at) else { return Ok(None) };
    let Ok(behaviour) = explore(&program, RaceRule::Deterministic, STEPS) else { return Ok(None) };
    let racy = matches!(behaviour, Behaviour::Race { .. });
    match analyze(&program, Rules::Published, Update::Collective) {
        Ok(analysis) if racy && analysis.alarm.is_none() => Err("a race of DD §4 is missed"),
        Ok(_) => Ok(Some(racy)),
        Err(_) => Ok(None),
    }
}

/// The races of the one run, with 0 in all memory that nobody wrote.
fn truth(program: &Program, at: &Configuration) -> Checked<Truth> {
    let instance = Instance::of(program.clone(), at.clone()).with_contents_chosen(Policy::Smallest);
    let options = RunOptions { ambiguous: Policy::Smallest, ..RunOptions::default() };
    let outcomes = grid::run(&instance, &options).map_err(stuck)?;
    let mut races = BTreeSet::new();
    for (block, outcome) in (0..).zip(&outcomes) {
        if let Some(why) = outcome.stuck() {
            return Err(stuck(why.clone()).into());
        }
        for race in outcome.history().races() {
            let threads = [race.first.0, race.second.0].map(|index| Thread { block, index });
            races.insert((race.cell, threads));
        }
    }
    let histories = outcomes.iter().map(|outcome| outcome.history());
    for race in cross_block_races(program, histories) {
        races.insert((race.cell, [race.first.0, race.second.0]));
    }
    let diverges = outcomes.iter().any(|outcome| outcome.divergence().is_some());
    Ok(Truth { races, diverges })
}
