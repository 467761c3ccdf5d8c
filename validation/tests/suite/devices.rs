//! Campaigns on devices that fail.

use crate::backends::run;
use babycuda_campaign::Plan as Programs;
use babycuda_campaign::State;
use babycuda_gpu::image::PROGRAM_WORDS;
use babycuda_gpu::sim::{Schedule, Sim};
use babycuda_gpu::{Backend, BackendName, Device, DeviceError, Image, Output, Unavailable};
use babycuda_validation::campaign::{self, Found, Plan};
use babycuda_validation::record::{Search, record};
use babycuda_validation::watched::{Open, Watched};
use babycuda_validation::wrong::{Fault, Wrong};
use babycuda_validation::{Trial, case, litmus};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
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

/// A device whose kernel never ends where a program has so many instructions.
struct Endless {
    sim: Sim,
    lengths: RangeInclusive<u32>,
}

impl Endless {
    fn open(lengths: RangeInclusive<u32>) -> Open {
        let sim = Sim::new(Schedule::RoundRobin);
        Arc::new(move || {
            let (sim, lengths) = (sim.clone(), lengths.clone());
            Ok(Box::new(Endless { sim, lengths }) as Box<dyn Backend>)
        })
    }
}

impl Backend for Endless {
    fn device(&self) -> &Device {
        self.sim.device()
    }

    fn launch(&mut self, image: &Image) -> Result<Output, DeviceError> {
        while image
            .programs
            .chunks_exact(PROGRAM_WORDS)
            .any(|header| self.lengths.contains(&header[1]))
        {
            std::thread::park();
        }
        self.sim.launch(image)
    }
}

const PROGRAMS: u64 = 96;

fn plan() -> Plan {
    let programs = Programs { batch: 48, workers: 2, ..Programs::of(PROGRAMS) };
    let deadline = Duration::from_secs(2);
    Plan { programs, runs: 1, racy_runs: 2, deadline, ..Plan::of(0) }
}

/// A number of instructions that one program of the plan has, and that program.
fn unlike_others() -> (u32, u64) {
    let mut programs: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
    for number in 0..PROGRAMS {
        let length = Trial::new(&case::generate(0, number))
            .map(|trial| trial.blocks[0].code().instructions().len() as u32);
        length.into_iter().for_each(|length| programs.entry(length).or_default().push(number));
    }
    let alone = |(length, own): (u32, Vec<u64>)| (own.len() == 1).then(|| (length, own[0]));
    programs.into_iter().find_map(alone).expect("a program unlike the others")
}

#[test]
fn a_program_that_hangs_is_found_and_all_others_are_compared() {
    let (length, hanging) = unlike_others();
    let start = State::new(&plan().programs);
    let open = Endless::open(length..=length);
    let outcome = campaign::run(&plan(), &open, start, &|_| {}).expect("it is there");
    let tally = &outcome.tally;
    let apart = tally.all_compared() + tally.excluded.total();
    assert_eq!((tally.programs, apart), (PROGRAMS, PROGRAMS - 1), "{tally}");
    assert!(tally.unreported >= 1, "{tally}");
    let [failure] = &outcome.failures[..] else { panic!("{:#?}", outcome.failures) };
    assert_eq!((failure.number, failure.claim), (hanging, None));
    assert!(failure.why.contains(&format!("did not end program {hanging} in 2 s")), "{failure:?}");
}

#[test]
fn a_device_that_always_hangs_ends_the_campaign_and_a_better_one_does_all_of_it() {
    let plan = Plan { deadline: Duration::from_millis(100), ..plan() };
    let kept = Mutex::new(State::new(&plan.programs));
    let keep = |state: &State<Found>| kept.lock().expect("a state").clone_from(state);
    let start = State::new(&plan.programs);
    let outcome =
        campaign::run(&plan, &Endless::open(0..=u32::MAX), start, &keep).expect("it is there");
    assert_eq!(outcome.tally.all_compared(), 0, "{}", outcome.tally);
    let failure = outcome.failures.first().expect("a failure");
    assert!(failure.claim.is_none() && failure.why.contains("did not end program"), "{failure:?}");
    // What did not end is not done.
    // No program has no instruction.
    let well = Endless::open(0..=0);
    let plan = self::plan();
    let state = kept.into_inner().expect("a state");
    let outcome = campaign::run(&plan, &well, state, &|_| {}).expect("it is there");
    assert_eq!(
        (outcome.tally.programs, outcome.failures.len()),
        (PROGRAMS, 0),
        "{}",
        outcome.tally
    );
}

#[test]
fn litmus_tests_and_recordings_end_on_a_device_that_hangs() {
    let hangs = || {
        let open = Endless::open(0..=u32::MAX);
        Watched::open(&open, Duration::from_millis(100)).expect("it is there")
    };
    let mut device = hangs();
    let shown = litmus::run(&mut device, &litmus::TESTS[..1], 5, 0).expect("a test");
    assert!(device.hangs() && shown.iter().all(|one| one.of(litmus::Sort::Failure).1 > 0));
    let text = shown[0].to_string();
    assert!(text.contains("it did not answer in 0.1 s"), "{text}");
    let mut device = hangs();
    let search = Search { seed: 0, programs: 20, runs: 1, each: 1 };
    assert!(record(&mut device, &search).is_empty() && device.hangs());
    // A new one takes its place.
    assert!(device.renew().is_ok() && !device.hangs());
}

#[test]
fn a_device_that_is_not_there_is_said_to_be_so() {
    let missing = Unavailable { backend: BackendName::Cuda, reason: "none".to_owned() };
    let error = missing.clone();
    let open = move || -> Result<Box<dyn Backend>, Unavailable> { Err(error.clone()) };
    let plan = Plan { devices: 2, ..Plan::of(100) };
    assert_eq!(run(&plan, open).map(|outcome| outcome.tally).err(), Some(missing));
}

/// What is found depends on the seed and the numbers of the programs alone.
#[test]
fn a_campaign_in_pieces_finds_what_one_in_a_piece_does() {
    let open: Open = Arc::new(|| {
        let sim = Box::new(Sim::new(Schedule::Random(4)));
        Ok(Box::new(Wrong::new(sim, Fault::Value)) as Box<dyn Backend>)
    });
    let plan = |programs, batch, workers| {
        let programs = Programs { batch, workers, ..Programs::of(programs) };
        Plan { programs, ..Plan::of(0) }
    };
    let run = |plan: Plan, state| {
        let kept = Mutex::new(State::new(&plan.programs));
        let keep = |state: &State<Found>| kept.lock().expect("a state").clone_from(state);
        let outcome = campaign::run(&plan, &open, state, &keep).expect("it is there");
        let found = (outcome.tally, outcome.failures, outcome.beyond_interleavings);
        (found, kept.into_inner().expect("a state"))
    };
    let whole = plan(160, 20, 2);
    let (in_a_piece, _) = run(whole, State::new(&whole.programs));
    assert!(!in_a_piece.1.is_empty() && in_a_piece.0.different_memories.total() > 0);
    let half = plan(80, 20, 2);
    let (_, half) = run(half, State::new(&half.programs));
    assert_eq!(run(whole, half).0, in_a_piece);
    let otherwise = plan(160, 7, 1);
    assert_eq!(run(otherwise, State::new(&otherwise.programs)).0, in_a_piece);
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
