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
            ..Plan { runs: 1, ..Plan::of(0) }
        };
        let outcome = run(&plan, &|| wrong(backend, fault)).expect("it is here");
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
    let plan = Plan { runs: 1, ..Plan::of(200) };
    let fault = Fault::WrongOperator;
    let open = || wrong(BackendName::Sim, fault);
    let outcome = run(&plan, &open).expect("the simulator is here");
    let finding = outcome.failures.first().expect("a wrong addition is seen");
    let program = case::generate(plan.programs.seed, finding.number);
    let mut device = open().expect("the simulator is here");
    let text = minimise::minimise(&mut *device, &program, 1, false).expect("it fails again");
    println!("{text}");
    let least = babycuda_core::parse::parse_program(&text).expect("a file that parses");
    let found = minimise::failing(&mut *device, &least, 1, false).expect("it fails");
    assert_eq!(found.claim, finding.claim);
    assert!(least.body.subterms().count() < program.body.subterms().count());
    // It needs an addition, and little else.
    assert!(text.contains('+') && least.body.subterms().count() <= 4, "{text}");
}
