//! The test of the tests: a wrong back end violates the claims that it should.

use crate::backends::{is_here, opened, run};
use babycuda_campaign::Plan as Programs;
use babycuda_gpu::{Backend, BackendName, Unavailable};
use babycuda_validation::campaign::Plan;
use babycuda_validation::wrong::{Fault, Wrong};
use babycuda_validation::{Claim, case, minimise};
use std::collections::BTreeSet;

fn wrong(backend: BackendName, fault: Fault) -> Result<Box<dyn Backend>, Unavailable> {
    Ok(Box::new(Wrong::new(opened(backend)?, fault)))
}

fn every_fault_is_caught(backend: BackendName) {
    if !is_here(backend) {
        return;
    }
    let mut violated = BTreeSet::new();
    for fault in Fault::ALL {
        let plan = Plan {
            programs: Programs { batch: 500, ..Programs::of(1_000) },
            ..Plan { runs: 1, racy_runs: 1, ..Plan::of(0) }
        };
        let outcome = run(&plan, move || wrong(backend, fault)).expect("it is here");
        for claim in fault.violates() {
            let count = outcome.tally.judged(*claim).violated;
            assert!(count > 0, "{fault} does not violate: {claim}\n{}", outcome.tally);
            println!("{backend}: {fault} violates {count} times: {claim}");
            violated.insert(*claim);
        }
    }
    assert_eq!(violated, BTreeSet::from(Claim::ALL));
}

#[test]
fn every_fault_is_caught_on_the_simulator() {
    every_fault_is_caught(BackendName::Sim);
}

#[test]
fn every_fault_is_caught_on_opencl() {
    every_fault_is_caught(BackendName::OpenCl);
}

#[test]
fn a_failure_is_minimised_to_a_program_that_still_fails() {
    let plan = Plan { runs: 1, racy_runs: 1, ..Plan::of(200) };
    let fault = Fault::WrongOperator;
    let open = move || wrong(BackendName::Sim, fault);
    let outcome = run(&plan, open).expect("the simulator is here");
    let finding = outcome.failures.first().expect("a wrong addition is seen");
    let program = case::generate(plan.programs.seed, finding.number);
    let mut device = open().expect("the simulator is here");
    let first = minimise::failing(&mut *device, &program, 1, false).expect("it fails again");
    let least = minimise::minimise(&mut *device, &program, 1, false).expect("it fails again");
    let text = least.text(device.device());
    println!("{text}");
    let read = babycuda_core::parse::parse_program(&text).expect("a file that parses");
    let found = minimise::failing(&mut *device, &read, 1, false).expect("it fails");
    assert_eq!(found.claim, finding.claim);
    // In the same way, and not in another.
    assert!(found.is_like(&first), "{found:?} {first:?}");
    // It needs an addition, what makes its class, and nothing else.
    assert!(text.contains('+') && read.body.subterms().count() <= 6, "{text}");
    assert!(read.params.is_empty() && read.arrays.len() == read.body.arrays().len(), "{text}");
}

#[test]
fn findings_of_one_fault_are_few_programs() {
    let plan = Plan { runs: 1, racy_runs: 1, ..Plan::of(400) };
    let open = move || wrong(BackendName::Sim, Fault::Index);
    let outcome = run(&plan, open).expect("the simulator is here");
    let mut device = open().expect("the simulator is here");
    let found = outcome.failures.iter().map(|finding| finding.least(&plan, &mut *device));
    let keys: Vec<String> = found.flatten().map(|least| least.key()).collect();
    let distinct: BTreeSet<&String> = keys.iter().collect();
    println!("{} of {}: {distinct:#?}", distinct.len(), keys.len());
    assert!(distinct.len() < keys.len(), "{distinct:#?}");
}
