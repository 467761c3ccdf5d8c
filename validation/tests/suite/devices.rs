//! Campaigns on devices that fail.

use crate::backends::run;
use babycuda_campaign::Plan as Programs;
use babycuda_gpu::sim::{Schedule, Sim};
use babycuda_gpu::{Backend, BackendName, Device, DeviceError, Image, Output, Unavailable};
use babycuda_validation::campaign::Plan;

/// A device that is lost after so many launches.
struct Mortal {
    sim: Sim,
    left: usize,
}

impl Backend for Mortal {
    fn device(&self) -> &Device {
        self.sim.device()
    }

    fn launch(&mut self, image: &Image) -> Result<Output, DeviceError> {
        match self.left.checked_sub(1) {
            Some(left) => {
                self.left = left;
                self.sim.launch(image)
            }
            None => Err(DeviceError::Lost { message: "it caught fire".to_owned() }),
        }
    }
}

#[test]
fn a_lost_device_ends_the_campaign_and_what_came_before_counts() {
    let open = || -> Result<Box<dyn Backend>, Unavailable> {
        Ok(Box::new(Mortal { sim: Sim::new(Schedule::RoundRobin), left: 20 }))
    };
    // A batch needs at least one launch.
    let plan = Plan {
        programs: Programs { batch: 16, workers: 2, ..Programs::of(100_000) },
        runs: 1,
        racy_runs: 1,
        devices: 1,
    };
    let outcome = run(&plan, &open).expect("it was there");
    assert!(outcome.tally.all_compared() > 0, "{}", outcome.tally);
    assert!(outcome.tally.unreported > 0, "{}", outcome.tally);
    assert!(outcome.tally.programs <= 16 * 22, "{}", outcome.tally);
    let failure = outcome.failures.first().expect("a failure");
    assert_eq!(failure.claim, None);
    assert!(failure.why.contains("it caught fire"), "{failure:?}");
}

#[test]
fn a_device_that_is_not_there_is_said_to_be_so() {
    let missing = Unavailable { backend: BackendName::Cuda, reason: "none".to_owned() };
    let open = || -> Result<Box<dyn Backend>, Unavailable> { Err(missing.clone()) };
    let plan = Plan { devices: 2, ..Plan::of(100) };
    assert_eq!(run(&plan, &open).map(|outcome| outcome.tally).err(), Some(missing.clone()));
}

#[test]
fn every_program_of_a_plan_is_counted_once() {
    let open = || -> Result<Box<dyn Backend>, Unavailable> {
        Ok(Box::new(Sim::new(Schedule::ThreadAfterThread)))
    };
    let plan = Plan {
        programs: Programs { batch: 7, workers: 3, first: 1_000, ..Programs::of(100) },
        devices: 2,
        ..Plan::of(100)
    };
    let outcome = run(&plan, &open).expect("it is there");
    let tally = &outcome.tally;
    assert_eq!(tally.programs, 100);
    assert_eq!(tally.all_compared() + tally.excluded.total(), 100);
    assert_eq!(tally.families.total(), 100);
    assert!(outcome.failures.is_empty());
}
