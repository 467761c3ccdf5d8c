//! Thousands of changed documents.

use crate::judge::{map_is_true, run_is_true, type_is_true};
use crate::mutate::mutate;
use babycuda_campaign::setting;
use babycuda_core::json::{Format, from_json, to_json};
use babycuda_core::parse::{parse_map, parse_program};
use babycuda_core::syntax::Program;
use babycuda_core::{Configuration, Launch, Natural};
use babycuda_protocols::map::{self, MapEvidence, MapLimits, check_map};
use babycuda_semantics::{Instance, Policy, RunEvidence, RunOptions, check_run};
use babycuda_testkit::Choices;
use babycuda_testkit::generators::{Profile, map_file, program};
use babycuda_typing::{TypeEvidence, check_type, type_program};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::Value;
use std::cell::Cell;

/// Together with random ones: every rule, several possible values, atomics, divergence, contents
/// that are open, parameters.
const PROGRAMS: [&str; 8] = [
    "threads 2; shared A = [5, 6]; let y = A[tid] in A[tid] := y + 1",
    "threads 2; A[0] := tid; sync; let x = A[0] in A[1 + tid] := x",
    "threads 3; shared A = fill 0; let x = atomic A[0] add 1 in { sync; A[1 + tid] := x }",
    "threads 2; if tid == 0 { sync } else { skip }; A[tid] := 1",
    "threads 2; param N: u32 = 3; global B = any; \
     forU i in 0..N { let x = B[tid * N + i] in B[tid * N + i] := x * 2 }",
    "threads 1; forS i in 0..2 { A[i] := i; sync }; forU j in 2..1 { skip }",
    "threads 2; shared A = fill 1; let x = A[0] in \
     { if x == 1 { sync } else { skip }; A[x + tid] := x }",
    "threads 2; shared A = fill 7; shared B; let x = atomic A[0] cas 1 if 7 in \
     { sync; let y = atomic A[0] exch 3 in let z = A[0] in B[tid] := x + y + z }; sync; skip",
];

const MAPS: [&str; 4] = [
    "threads 2; param M = 2; forU x in 0..M { rd[x]; wr[x + tid] }",
    "threads 2; forS x in 0..2 { if tid == x { wr[x] } else { rd[tid] }; sync }; skip",
    "threads 3; if tid == 0 { sync } else { skip }; wr[tid]",
    "threads 1; forU x in 3..2 { wr[0] }; { rd[1]; rd[2] }; { rd[1]; at[2] }",
];

/// Runs `test` on random choices.
fn randomly(standard: u32, test: impl Fn(&mut Choices<'_>) -> Result<(), TestCaseError>) {
    let config = Config {
        cases: setting("BABYCUDA_CASES", standard),
        failure_persistence: None,
        ..Config::default()
    };
    let choices = proptest::collection::vec(any::<u16>(), 1500..2500);
    let result = TestRunner::new(config).run(&choices, |choices| test(&mut Choices::new(&choices)));
    if let Err(failure) = result {
        panic!("{failure}");
    }
}

/// How documents and changed documents fared.
#[derive(Default)]
struct Tally {
    mutants: Cell<u64>,
    read: Cell<u64>,
    accepted: Cell<u64>,
}

impl Tally {
    /// The document is read back and verified; changed ones are true wherever they are verified.
    fn hold<T: Format + PartialEq>(
        &self,
        evidence: &T,
        choices: &mut Choices<'_>,
        verified: impl Fn(&T) -> Result<(), String>,
        is_true: impl Fn(&T) -> bool,
    ) -> Result<(), TestCaseError> {
        let text = to_json(evidence).map_err(|e| TestCaseError::fail(e.to_string()))?;
        let back: T = from_json(&text).map_err(|e| TestCaseError::fail(e.to_string()))?;
        prop_assert!(back == *evidence);
        prop_assert_eq!(verified(&back), Ok(()));
        prop_assert!(is_true(&back));
        let document: Value = serde_json::from_str(&text).unwrap_or_default();
        for _ in 0..40 {
            let mut mutant = document.clone();
            for _ in 0..1 + choices.below(2) {
                mutate(&mut mutant, choices);
            }
            if mutant == document {
                continue;
            }
            self.mutants.set(self.mutants.get() + 1);
            let Ok(mutant) = from_json::<T>(&mutant.to_string()) else { continue };
            self.read.set(self.read.get() + 1);
            if mutant != back && verified(&mutant).is_ok() {
                self.accepted.set(self.accepted.get() + 1);
                let text = to_json(&mutant).unwrap_or_default();
                prop_assert!(is_true(&mutant), "a wrong derivation is verified: {}", text);
            }
        }
        Ok(())
    }

    /// Most changes leave a document that can be read, and next to none one that is true.
    fn end(&self, what: &str, least: u64) {
        let (mutants, read, accepted) = (self.mutants.get(), self.read.get(), self.accepted.get());
        println!("{what}: {mutants} changed, {read} could be read, {accepted} are true again");
        assert!(mutants >= least, "{mutants}");
        assert!(read * 20 > mutants, "{read} of {mutants}");
        assert!(accepted * 4 < read, "{accepted} of {read}");
    }
}

fn evidence(program: Program, launch: Launch, policy: Policy) -> Option<RunEvidence> {
    let mut instance = Instance::new(program, launch);
    for param in instance.program.params.clone() {
        if param.value.is_none() {
            instance = instance.with_parameter(param.name, Natural::from(2u32));
        }
    }
    let instance = instance.with_contents_chosen(policy);
    let options = RunOptions { ambiguous: policy, ..RunOptions::default() };
    let evaluation = instance.evaluate(&options);
    let derivation = (*evaluation.derivation?).clone();
    (derivation.size() < 300).then(|| RunEvidence::new(&instance, &evaluation.choices, derivation))
}

fn policy(choices: &mut Choices<'_>) -> Policy {
    [Policy::Smallest, Policy::First, Policy::Seed(3)][choices.below(3)]
}

#[test]
fn changed_runs_are_rejected_or_true() {
    let tally = Tally::default();
    randomly(150, |choices| {
        let program = match choices.chance(1, 2) {
            true => program(choices, Profile { size: 15, ..Profile::ANY }),
            false => {
                let text = PROGRAMS[choices.below(PROGRAMS.len())];
                parse_program(text).map_err(|e| TestCaseError::fail(e.to_string()))?
            }
        };
        let Some(launch) = program.geometry.launch() else { return Ok(()) };
        let policy = policy(choices);
        let Some(evidence) = evidence(program, launch, policy) else { return Ok(()) };
        let verified = |e: &RunEvidence| check_run(e).map_err(|r| r.to_string());
        tally.hold(&evidence, choices, verified, run_is_true)
    });
    tally.end("runs", 1_500);
}

#[test]
fn changed_types_are_rejected_or_true() {
    let tally = Tally::default();
    randomly(150, |choices| {
        let program = match choices.chance(2, 3) {
            true => program(choices, Profile { size: 15, ..Profile::WELL_TYPED }),
            false => {
                let text = PROGRAMS[choices.below(PROGRAMS.len())];
                parse_program(text).map_err(|e| TestCaseError::fail(e.to_string()))?
            }
        };
        let program = program.without_sources();
        let Ok(typed) = type_program(&program) else { return Ok(()) };
        let evidence = TypeEvidence { program, derivation: typed.derivation };
        let verified = |e: &TypeEvidence| check_type(e).map_err(|r| r.to_string());
        tally.hold(&evidence, choices, verified, type_is_true)
    });
    tally.end("types", 1_500);
}

#[test]
fn changed_maps_are_rejected_or_true() {
    let tally = Tally::default();
    randomly(150, |choices| {
        let mut map = match choices.chance(1, 2) {
            true => map_file(choices, Profile { size: 15, ..Profile::ANY }),
            false => {
                let text = MAPS[choices.below(MAPS.len())];
                parse_map(text).map_err(|e| TestCaseError::fail(e.to_string()))?
            }
        };
        map.declarations = map.declarations.without_sources();
        map.declarations.assumptions.clear();
        let Some(launch) = map.declarations.geometry.launch() else { return Ok(()) };
        let params = map.declarations.params.iter();
        let parameters = params
            .map(|p| (p.name.clone(), p.value.clone().unwrap_or_else(|| Natural::from(2u32))))
            .collect();
        let configuration = Configuration { parameters, ..Configuration::of_launch(launch) };
        let limits = MapLimits { steps: 300, ..MapLimits::default() };
        let derivation =
            map::derive(&map.protocol, &configuration, &|_, _| Natural::zero(), &limits);
        let Ok(derivation) = derivation else { return Ok(()) };
        let evidence = MapEvidence { map, configuration, derivation };
        let verified = |e: &MapEvidence| check_map(e).map_err(|r| r.to_string());
        tally.hold(&evidence, choices, verified, map_is_true)
    });
    tally.end("maps", 1_500);
}

/// The same choice leads the virtual machine where it leads the reference, and both say the same
/// about what they chose.
#[test]
fn a_choice_leads_to_one_history() {
    let several = Cell::new(0u32);
    randomly(1_500, |choices| {
        let first = program(choices, Profile { size: 25, ..Profile::ANY });
        let second = program(choices, Profile { size: 25, ..Profile::ANY });
        let Some(launch) = first.geometry.launch() else { return Ok(()) };
        let mut program = first;
        let barrier = babycuda_core::Stmt::seq(babycuda_core::Stmt::sync(), second.body);
        program.body = babycuda_core::Stmt::seq(program.body.clone(), barrier).numbered();
        let mut histories = Vec::new();
        for policy in [Policy::Smallest, Policy::First, Policy::Seed(1), Policy::Seed(2)] {
            let instance = Instance::new(program.clone(), launch).with_contents_chosen(policy);
            let options = RunOptions { ambiguous: policy, ..RunOptions::default() };
            let run = babycuda::observe(&instance, &options);
            let code = babycuda_semantics::vm::Code::compile(&instance.program.body);
            let mut machine = babycuda_semantics::vm::Machine::default();
            let fast = machine.run(&code, &instance, &options);
            prop_assert_eq!(&fast.outcome(), &run.outcome);
            prop_assert_eq!(fast.choices(), &run.choices);
            let derived = instance.evaluate(&options);
            prop_assert_eq!(&derived.outcome, &run.outcome);
            histories.push(run.outcome);
        }
        if histories.iter().any(|history| *history != histories[0]) {
            several.set(several.get() + 1);
        }
        Ok(())
    });
    // The choice matters.
    assert!(several.get() >= 5, "{}", several.get());
}
