//! Campaigns on devices that fail.

use crate::backends::run;
use babycuda_campaign::Plan as Programs;
use babycuda_campaign::State;
use babycuda_gpu::sim::{Schedule, Sim};
use babycuda_gpu::{Backend, BackendName, Device, DeviceError, Image, Output, Unavailable};
use babycuda_validation::campaign::{self, Found, Open, Plan};
use std::sync::{Arc, Mutex};
use std::time::Duration;

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
        ..Plan::of(0)
    };
    let outcome = run(&plan, open).expect("it was there");
    assert!(outcome.tally.all_compared() > 0, "{}", outcome.tally);
    assert!(outcome.tally.unreported > 0, "{}", outcome.tally);
    assert!(outcome.tally.programs <= 16 * 22, "{}", outcome.tally);
    let failure = outcome.failures.first().expect("a failure");
    assert_eq!(failure.claim, None);
    assert!(failure.why.contains("it caught fire"), "{failure:?}");
}

/// A device whose kernel never ends, after so many launches.
struct Endless(Mortal);

impl Backend for Endless {
    fn device(&self) -> &Device {
        self.0.device()
    }

    fn launch(&mut self, image: &Image) -> Result<Output, DeviceError> {
        match self.0.launch(image) {
            Err(_) => loop {
                std::thread::park();
            },
            output => output,
        }
    }
}

#[test]
fn a_device_that_hangs_ends_the_campaign_and_the_next_one_goes_on_after_it() {
    let programs = Programs { batch: 16, workers: 3, ..Programs::of(400) };
    let plan = Plan { programs, deadline: Duration::from_millis(500), ..Plan::of(0) };
    let hanging: Open = Arc::new(|| {
        let sim = Sim::new(Schedule::RoundRobin);
        Ok(Box::new(Endless(Mortal { sim, left: 25 })) as Box<dyn Backend>)
    });
    let kept = Mutex::new(State::new(&programs));
    let keep = |state: &State<Found>| kept.lock().expect("a state").clone_from(state);
    let start = State::new(&programs);
    let outcome = campaign::run(&plan, &hanging, start, &keep).expect("it is there");
    assert!(outcome.tally.all_compared() > 0 && outcome.tally.unreported > 0, "{}", outcome.tally);
    assert!(outcome.tally.programs < 400, "{}", outcome.tally);
    let failure = outcome.failures.first().expect("a failure");
    assert!(failure.claim.is_none() && failure.why.contains("did not end programs"), "{failure:?}");
    // The batch that hung is not tried again, and all others are.
    let well: Open = Arc::new(|| Ok(Box::new(Sim::new(Schedule::RoundRobin)) as Box<dyn Backend>));
    let state = kept.into_inner().expect("a state");
    let outcome = campaign::run(&plan, &well, state, &|_| {}).expect("it is there");
    assert_eq!((outcome.tally.programs, outcome.failures.len()), (400, 1), "{}", outcome.tally);
}

#[test]
fn a_device_that_is_not_there_is_said_to_be_so() {
    let missing = Unavailable { backend: BackendName::Cuda, reason: "none".to_owned() };
    let error = missing.clone();
    let open = move || -> Result<Box<dyn Backend>, Unavailable> { Err(error.clone()) };
    let plan = Plan { devices: 2, ..Plan::of(100) };
    assert_eq!(run(&plan, open).map(|outcome| outcome.tally).err(), Some(missing));
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
    let outcome = run(&plan, open).expect("it is there");
    let tally = &outcome.tally;
    assert_eq!(tally.programs, 100);
    assert_eq!(tally.all_compared() + tally.excluded.total(), 100);
    assert_eq!(tally.families.total(), 100);
    assert!(outcome.failures.is_empty());
}
