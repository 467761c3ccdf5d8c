//! The test of the tests: a wrong back end violates the claims that it should.

use crate::backends::{is_here, opened, run};
use babycuda_campaign::{Plan as Programs, State};
use babycuda_gpu::image::PROGRAM_WORDS;
use babycuda_gpu::sim::{Schedule, Sim};
use babycuda_gpu::{Backend, BackendName, Device, DeviceError, Image, Output, Unavailable};
use babycuda_validation::campaign::{self, Plan};
use babycuda_validation::watched::Open;
use babycuda_validation::wrong::{Fault, Shown, Wrong, catch};
use babycuda_validation::{Claim, case, minimise};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

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
        if fault.violates().is_empty() {
            assert!(outcome.tally.unreported > 0, "{fault}: {}", outcome.tally);
        }
        for claim in fault.violates() {
            let count = outcome.tally.judged(*claim).violated;
            assert!(count > 0, "{fault} does not violate: {claim}\n{}", outcome.tally);
            println!("{backend}: {fault} violates {count} times: {claim}");
            violated.insert(*claim);
        }
    }
    assert_eq!(violated, BTreeSet::from(Claim::ALL));
}

/// What is missed is known by how often the fault shows.
#[test]
fn a_fault_is_missed_where_many_programs_could_have_shown_it() {
    let open: Open = Arc::new(|| opened(BackendName::Sim));
    for fault in Fault::ALL {
        // The least number of programs of which one should show it.
        let shown = |could| Shown { could, did: 0 };
        let enough = (1..).find(|could| fault.is_missed(shown(*could))).expect("there are so many");
        assert!(!fault.is_missed(shown(enough - 1)) && !fault.is_missed(shown(0)), "{fault}");
        let caught = catch(fault, &open, 1_000, Duration::from_secs(300)).expect("it is here");
        for (by, Shown { could, did }) in caught.expected(fault) {
            println!("{fault}: {by}: {did} of {could}; {enough} are enough");
            assert!(did * enough >= could * 8, "{fault}: {by}: {did} of {could}, {enough}");
            assert!(!fault.is_missed(Shown { could, did }));
        }
    }
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
fn every_fault_is_caught_on_wgpu() {
    every_fault_is_caught(BackendName::Wgpu);
}

#[test]
fn every_fault_is_caught_on_cuda() {
    every_fault_is_caught(BackendName::Cuda);
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
    let (name, number) = (BackendName::Sim, finding.number);
    let mut runs = minimise::runs_on(&mut *device, number, 1);
    let first = minimise::failing(name, &mut runs, &program, false).expect("it fails again");
    let least =
        minimise::minimise(name, &mut runs, &program, false, 4_000).expect("it fails again");
    let text = least.text(&outcome.device);
    println!("{text}");
    let read = babycuda_core::parse::parse_program(&text).expect("a file that parses");
    let found = minimise::failing(name, &mut runs, &read, false).expect("it fails");
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
    let mut outcome = run(&plan, open).expect("the simulator is here");
    let found = outcome.failures.len();
    let open: Open = Arc::new(open);
    outcome.minimise(&plan, campaign::least(&plan, &open).expect("the simulator is here"));
    let distinct = &outcome.failures;
    println!("{} of {found}: {distinct:#?}", distinct.len());
    assert!(distinct.len() < found, "{distinct:#?}");
    assert_eq!(distinct.iter().map(|finding| finding.times).sum::<u64>(), found as u64);
    assert!(distinct.iter().all(|f| f.least.contains("does not hold: ")), "{distinct:#?}");
}

/// A device that writes nothing into a cell's place under one jitter in a hundred.
struct Rare {
    sim: Sim,
    jitters: BTreeSet<u32>,
}

impl Backend for Rare {
    fn device(&self) -> &Device {
        self.sim.device()
    }

    fn launch(&mut self, image: &Image) -> Result<Output, DeviceError> {
        let mut output = self.sim.launch(image)?;
        for header in
            image.programs.chunks_exact(PROGRAM_WORDS).filter(|h| self.jitters.contains(&h[14]))
        {
            let arrays = &image.arrays[2 * header[3] as usize..][..2 * header[4] as usize];
            arrays.chunks_exact(2).for_each(|array| output.memory[array[0] as usize] ^= 1 << 40);
        }
        Ok(output)
    }
}

/// What shows under one jitter of one program only shows again in the reducer.
#[test]
fn a_rare_failure_is_minimised_under_the_jitter_that_shows_it() {
    let plan = Plan { runs: 4, racy_runs: 4, ..Plan::of(200) };
    // The second run of program 101.
    let jitters = BTreeSet::from([101 * 64 + 2]);
    let open: Open = Arc::new(move || {
        let sim = Sim::new(Schedule::Random(1));
        Ok(Box::new(Rare { sim, jitters: jitters.clone() }) as Box<dyn Backend>)
    });
    let start = State::new(&plan.programs);
    let mut outcome = campaign::run(&plan, &open, start, &|_| {}).expect("it is here");
    assert_eq!(outcome.failures.iter().map(|f| f.number).collect::<Vec<_>>(), [101]);
    outcome.minimise(&plan, campaign::least(&plan, &open).expect("it is here"));
    assert!(outcome.failures[0].least.starts_with("// does not hold: "), "{outcome:#?}");
}
