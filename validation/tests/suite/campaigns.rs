//! The claims hold, and they are about enough programs of every kind.

use crate::backends::{is_here, opened, run};
use babycuda_campaign::setting;
use babycuda_gpu::BackendName;
use babycuda_validation::campaign::{self, Outcome, Plan};
use babycuda_validation::watched::Open;
use babycuda_validation::{Claim, Exclusion, Grids, Tally};
use std::path::PathBuf;
use std::sync::Arc;

fn holds(backend: BackendName, programs: u64) {
    if !is_here(backend) {
        return;
    }
    // The more runs of a racy program, the more memories.
    let plan = Plan { racy_runs: 48, ..Plan::of(programs) };
    let mut outcome = run(&plan, move || opened(backend)).expect("it is here");
    let rate = programs as f64 / outcome.time.as_secs_f64();
    let device = outcome.device.clone();
    println!("{backend}: {}, {}; {rate:.0} programs a second", device.name, device.driver);
    println!("{}", outcome.tally);
    let kept = keep(&plan, backend, &mut outcome);
    assert!(outcome.failures.is_empty(), "{:#?}\n{kept:#?}", outcome.failures);
    // Software devices run the threads of a block in turn: nothing is beyond interleavings there.
    let software = ["simulator", "llvmpipe", "Portable Computing Language"];
    if software.iter().any(|name| device.name.contains(name)) {
        assert!(outcome.beyond_interleavings.is_empty(), "{:#?}", outcome.beyond_interleavings);
    }
    check_distribution(&outcome.tally, device.cooperative);
    // Schedules differ, and so does what racy programs leave. Half of them leave one memory in any
    // order, and the share of a seed's programs differs from that by a few percent. Where schedules
    // did not differ, hardly one of a hundred left two.
    let (different, racy) = outcome.tally.racy_with_different_memories();
    assert!(different * 5 > racy * 2, "{}", outcome.tally);
    if backend == BackendName::Sim {
        let tally = &outcome.tally;
        assert_eq!(tally.explanations.iter().len(), 3, "{tally}");
    }
}

/// Minimises the failures and writes them to files.
fn keep(plan: &Plan, backend: BackendName, outcome: &mut Outcome) -> Vec<PathBuf> {
    let mut kept = Vec::new();
    let open: Open = Arc::new(move || opened(backend));
    outcome.minimise(plan, campaign::least(plan, &open).expect("it was here before"));
    for finding in outcome.failures.iter().chain(&outcome.beyond_interleavings) {
        let name = format!("{backend}-{}.bcuda", finding.number);
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::write(&path, &finding.least)
            .expect("the folder for temporary files can be written");
        kept.push(path);
    }
    kept
}

/// Are there enough programs of every kind, and was every claim tried often enough?
fn check_distribution(tally: &Tally, cooperative: bool) {
    let share = |count: u64, of: u64| count as f64 / of as f64;
    let compared = tally.all_compared();
    let among = |what: &str, count: u64, least: f64| {
        let share = share(count, compared);
        assert!(share >= least, "{what}: {share:.3}, not {least}, of\n{tally}");
    };
    assert!(share(compared, tally.programs) >= 0.9, "{tally}");
    assert!(share(tally.several_warps, tally.programs) > 0.45, "{tally}");
    let Grids { programs, compared: grids, waiting, racy_between } = tally.grids;
    let left_out = tally.excluded.get(&Exclusion::NotCooperative);
    assert!(share(programs, tally.programs) > 0.1, "{tally}");
    assert!(share(grids + left_out, programs) > 0.9, "{tally}");
    assert!(share(waiting + left_out, programs) > 0.15, "{tally}");
    assert_eq!(cooperative, waiting > 0, "{tally}");
    assert_eq!(cooperative, left_out == 0, "{tally}");
    assert!(share(racy_between, grids) > 0.25 && share(racy_between, grids) < 0.75, "{tally}");
    let class = |part: &str| tally.of_class(&[part]);
    let both = |one: &str, other: &str| tally.of_class(&[one, other]);
    among("well-typed", class("well-typed"), 0.5);
    among("ill-typed", class("ill-typed"), 0.2);
    among("racy", class("racy"), 0.25);
    among("race-free", class("race-free"), 0.25);
    among("divergent", class("divergent"), 0.04);
    among("with atomics", class("with atomics"), 0.15);
    among("well-typed and racy", both("well-typed", "racy"), 0.15);
    among("ill-typed and racy", both("ill-typed", "racy"), 0.05);
    among("ill-typed and divergent", both("ill-typed", "divergent"), 0.005);
    assert!(tally.excluded.get(&Exclusion::Overflow) > 0, "{tally}");
    for claim in Claim::ALL {
        let judged = tally.judged(claim);
        assert!(share(judged.tried(), 2 * compared) > 0.1, "{claim} of\n{tally}");
        assert!(share(judged.undecided, judged.tried()) < 0.02, "{claim} of\n{tally}");
    }
}

#[test]
fn on_the_simulator() {
    holds(BackendName::Sim, setting("BABYCUDA_CASES", 5_000));
}

#[test]
fn on_opencl() {
    holds(BackendName::OpenCl, setting("BABYCUDA_CASES", 5_000));
}

#[test]
fn on_wgpu() {
    holds(BackendName::Wgpu, setting("BABYCUDA_CASES", 5_000));
}

#[test]
fn on_cuda() {
    holds(BackendName::Cuda, setting("BABYCUDA_CASES", 5_000));
}
