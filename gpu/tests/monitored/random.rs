//! Random programs whose accesses do not depend on data, so that every run has the same.

use super::same::compare;
use babycuda_core::{Natural, Program};
use babycuda_gpu::compiled::{self, CompiledError};
use babycuda_gpu::emit::WordBits;
use babycuda_gpu::report::Status;
use babycuda_gpu::text::TextBackend;
use babycuda_gpu::{JobOptions, Report};
use babycuda_semantics::Instance;
use babycuda_testkit::generators::{Profile, programs, scoped_programs_with_memory};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

const OPTIONS: JobOptions =
    JobOptions { fuel: 20_000, log: 256, length: 1024, longest: 1 << 20, undefined: 0 };

/// How many programs: `BABYCUDA_CASES` asks for others.
fn cases(usual: usize) -> usize {
    let asked = std::env::var("BABYCUDA_CASES").ok().and_then(|cases| cases.parse().ok());
    asked.unwrap_or(usual)
}

#[derive(Default, Debug)]
struct Seen {
    racy: usize,
    free: usize,
    partial: usize,
    grids: usize,
    shared: usize,
    skipped: usize,
}

pub fn random_programs_have_the_races_of_the_definition<B: TextBackend>(backend: &mut B) {
    let profile = Profile { huge: false, undefined: false, ..Profile::WELL_TYPED };
    let small = programs(profile);
    let large = programs(Profile { warps: true, ..profile });
    let (mut runner, mut seen) = (TestRunner::deterministic(), Seen::default());
    let count = cases(24);
    let cases = (0..count).map(|_| small.new_tree(&mut runner).expect("a program").current());
    let mut cases: Vec<_> = cases.collect();
    cases.extend((0..count).map(|_| large.new_tree(&mut runner).expect("a program").current()));
    check(backend, cases, &mut seen);
    println!("{seen:?}");
    assert!(seen.racy * 8 >= count && seen.free * 8 >= count, "{seen:?}");
    assert!(seen.grids * 12 >= count && seen.shared * 8 >= count, "{seen:?}");
}

pub fn random_programs_with_barriers_of_warps_have_them_too<B: TextBackend>(backend: &mut B) {
    let profile = Profile { huge: false, undefined: false, ..Profile::WELL_TYPED };
    let small = scoped_programs_with_memory(profile);
    let large = scoped_programs_with_memory(Profile { warps: true, ..profile });
    let (mut runner, mut seen) = (TestRunner::deterministic(), Seen::default());
    let count = cases(24);
    let cases = (0..count).map(|_| small.new_tree(&mut runner).expect("a program").current().0);
    let mut cases: Vec<_> = cases.collect();
    cases.extend((0..count).map(|_| large.new_tree(&mut runner).expect("a program").current().0));
    check(backend, cases, &mut seen);
    println!("{seen:?}");
    assert!(seen.racy * 12 >= count && seen.free * 12 >= count, "{seen:?}");
}

fn check<B: TextBackend>(backend: &mut B, cases: Vec<Program>, seen: &mut Seen) {
    let instance = |program: Program| {
        // Proof: the generators fix every extent.
        let launch = program.geometry.launch().expect("a concrete launch");
        let instance = Instance::new(program, launch);
        (instance.defined_everywhere(&Natural::zero()), 1)
    };
    let instances: Vec<(Instance, usize)> = cases.into_iter().map(instance).collect();
    let logged = compiled::run_all(backend, &instances, &OPTIONS);
    for (number, ((instance, _), reports)) in instances.iter().zip(logged).enumerate() {
        let mut reports = match reports {
            Ok(reports) => reports,
            Err(CompiledError::Emit(_)) => {
                seen.skipped += 1;
                continue;
            }
            Err(error) => panic!("{error}\n{}", instance.program),
        };
        let Some(reports) = reports.pop() else { continue };
        let whole = |r: &Report| r.status == Status::Done && r.overflow.is_none();
        if !reports.iter().all(whole) {
            seen.skipped += 1;
            continue;
        }
        // Words of both widths, on every device that runs here.
        let words = [WordBits::W64, WordBits::W32][number % 2];
        match compare(backend, instance, &reports, &OPTIONS, words, 2) {
            None => seen.skipped += 1,
            Some(found) => {
                seen.racy += usize::from(found.racy > 0);
                seen.free += usize::from(found.racy == 0 && found.is_conclusive());
                seen.partial += usize::from(!found.is_conclusive());
                seen.grids += usize::from(reports.len() > 1);
                let shared = babycuda_core::syntax::Space::Shared;
                seen.shared += usize::from(found.findings.iter().any(|f| f.space == shared));
            }
        }
    }
}
