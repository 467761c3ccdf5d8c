//! Random programs: the compiled text, the bytecode and the semantics agree.

use babycuda_core::{AccessMode, HostMemory, Natural, Program};
use babycuda_gpu::compare::{Comparison, expected};
use babycuda_gpu::compiled::{self, CompiledError};
use babycuda_gpu::emit::{EmitErrorKind, nonuniform_barriers};
use babycuda_gpu::report::Status;
use babycuda_gpu::text::{Argument, CompileError, Shape, TextBackend};
use babycuda_gpu::{Backend, Device, DeviceError, Image, Job, JobOptions, Output, Report, Runner};
use babycuda_semantics::Instance;
use babycuda_testkit::generators::{Profile, programs_with_memory, scoped_programs_with_memory};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

const OPTIONS: JobOptions =
    JobOptions { fuel: 20_000, log: 256, length: 48, longest: 1 << 20, undefined: 0 };

/// Which values may be compared: all, where the order of threads does not matter.
pub fn is_deterministic(report: &Report) -> bool {
    let updates = |entry: &babycuda_gpu::report::Entry| matches!(entry.mode, AccessMode::At(_));
    report.phases().iter().all(|phase| phase.races(1).count() == 0)
        && !report.threads.iter().any(|thread| thread.log.iter().any(updates))
}

#[derive(Default, Debug)]
struct Seen {
    /// Reports equal to those of the bytecode.
    equal: usize,
    /// Of these, with several phases.
    phases: usize,
    /// Of these, with barriers of tiles or warps.
    groups: usize,
    /// Accesses equal to those of the semantics, where values are racy.
    racy: usize,
    /// Programs with barriers that may differ.
    refused: usize,
    /// Numbers too large, faults.
    other: usize,
}

pub fn programs_do_what_their_bytecode_does<B: TextBackend>(backend: &mut B) {
    let mut runner = TestRunner::deterministic();
    let mut seen = Seen::default();
    for (profile, count) in
        [(Profile::WELL_TYPED, 60), (Profile::SYNCHRONIZED, 30), (Profile::ANY, 30)]
    {
        let strategy = programs_with_memory(Profile { huge: false, ..profile });
        for _ in 0..count {
            let case = strategy.new_tree(&mut runner).expect("a program").current();
            check(backend, case, profile == Profile::WELL_TYPED, &mut seen);
        }
    }
    let scoped = scoped_programs_with_memory(Profile { huge: false, ..Profile::SYNCHRONIZED });
    for _ in 0..60 {
        let case = scoped.new_tree(&mut runner).expect("a program").current();
        check(backend, case, false, &mut seen);
    }
    let enough = seen.equal >= 40 && seen.phases >= 8 && seen.racy >= 15 && seen.refused >= 1;
    let enough = enough && seen.groups >= 4;
    assert!(enough && seen.equal + seen.racy >= 60, "{seen:?}");
}

fn check<B: TextBackend>(
    backend: &mut B,
    (program, memory): (Program, HostMemory),
    is_typed: bool,
    seen: &mut Seen,
) {
    // Proof: the generators fix every extent.
    let launch = program.geometry.launch().expect("a concrete launch");
    let instance = Instance::new(program, launch).with_host(memory);
    let instance = instance.defined_everywhere(&Natural::zero());
    let Ok(job) = Job::new(&instance, &OPTIONS) else {
        seen.other += 1;
        return;
    };
    let program = &instance.program;
    let found = compiled::run(backend, &instance, &OPTIONS);
    if !nonuniform_barriers(&program.body).is_empty() {
        let Err(CompiledError::Emit(error)) = found else { panic!("{program}") };
        assert_eq!(error.kind, EmitErrorKind::Barrier);
        seen.refused += 1;
        return;
    }
    let found = found.unwrap_or_else(|e| panic!("{e}\n{program}")).remove(0);
    let bytecode = Runner::new(backend).run_one(&job).expect("a report");
    if bytecode.overflow.is_some() || !matches!(bytecode.status, Status::Done) {
        // A condition that is not evaluated does not overflow in a text; and where threads race,
        // they need not have the same fault twice.
        let same = bytecode.overflow.is_some() || !is_deterministic(&bytecode);
        assert!(same || found.status == bytecode.status, "{program}");
        seen.other += 1;
        return;
    }
    assert_eq!(found.overflow, None, "{program}");
    let outcome = expected(&instance, 0);
    if is_deterministic(&bytecode) {
        assert!(found == bytecode, "{program}");
        let comparison = Comparison::new(&outcome, &found);
        assert_eq!(comparison.first_difference(), None, "{program}");
        seen.equal += 1;
        seen.phases += usize::from(found.last_phase > 0);
        let passed = found.threads.iter().any(|thread| !thread.passed.is_empty());
        seen.groups += usize::from(passed);
    } else if is_typed {
        assert_eq!(found.accesses(), bytecode.accesses(), "{program}");
        let history = outcome.history();
        for (number, phase) in history.chronological() {
            assert!(found.accesses()[number].iter().cloned().eq(phase.accesses()), "{program}");
        }
        seen.racy += 1;
    }
}

/// A back end that counts what its compiler is asked.
struct Counting<'b, B> {
    backend: &'b mut B,
    compiled: Vec<usize>,
}

impl<B: TextBackend> Backend for Counting<'_, B> {
    fn device(&self) -> &Device {
        self.backend.device()
    }

    fn launch(&mut self, image: &Image) -> Result<Output, DeviceError> {
        self.backend.launch(image)
    }
}

#[allow(unsafe_code)] // It passes its caller's promise on.
impl<B: TextBackend> TextBackend for Counting<'_, B> {
    type Kernel = B::Kernel;

    fn compile_all(
        &mut self,
        text: &str,
        entries: &[&str],
    ) -> Result<Vec<B::Kernel>, CompileError> {
        self.compiled.push(entries.len());
        self.backend.compile_all(text, entries)
    }

    unsafe fn run(
        &mut self,
        kernel: &B::Kernel,
        shape: Shape,
        arguments: &mut [Argument<'_>],
    ) -> Result<(), DeviceError> {
        // SAFETY: the caller's promise.
        unsafe { self.backend.run(kernel, shape, arguments) }
    }
}

pub fn many_programs_are_one_module<B: TextBackend>(backend: &mut B) {
    let mut runner = TestRunner::deterministic();
    let strategy = programs_with_memory(Profile { huge: false, ..Profile::SYNCHRONIZED });
    let mut instance = || {
        let (program, memory) = strategy.new_tree(&mut runner).expect("a program").current();
        // Proof: the generators fix every extent.
        let launch = program.geometry.launch().expect("a concrete launch");
        let instance = Instance::new(program, launch).with_host(memory);
        instance.defined_everywhere(&Natural::zero())
    };
    // Each runs twice.
    let instances: Vec<(Instance, usize)> = (0..40).map(|_| (instance(), 2)).collect();
    let mut counting = Counting { backend, compiled: Vec::new() };
    let together = compiled::run_all(&mut counting, &instances, &OPTIONS);
    let printed = together.iter().filter(|r| !matches!(r, Err(CompiledError::Emit(_)))).count();
    assert_eq!(counting.compiled, [printed]);
    assert!(printed >= 30, "{printed}");
    let mut equal = 0;
    for ((instance, _), together) in instances.iter().zip(together) {
        let alone = compiled::run(backend, instance, &OPTIONS);
        match (together, alone) {
            (Ok(together), Ok(alone)) => {
                assert_eq!(together.len(), 2);
                if is_deterministic(&alone[0]) {
                    assert_eq!(together, [alone.clone(), alone], "{}", instance.program);
                    equal += 1;
                }
            }
            (Err(together), Err(alone)) => assert_eq!(together.to_string(), alone.to_string()),
            (together, alone) => panic!("{together:?}, {alone:?}\n{}", instance.program),
        }
    }
    assert!(equal >= 10, "{equal}");
}
