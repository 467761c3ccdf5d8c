//! Compiled mode: programs as text, compiled by a device's own compiler.
//!
//! [`run`] prints an instrumented kernel ([`emit`]), compiles it, runs it over the whole grid and
//! turns its logs into the [`Report`]s that the bytecode path gives, block by block. Between
//! program and report the two share nothing, so each checks the other. [`digest`] does the same for
//! launches whose logs would not fit.
//!
//! Only programs whose barriers all threads of a block reach together run here
//! ([`nonuniform_barriers`](crate::emit::nonuniform_barriers)): on a device, a barrier that some
//! threads do not reach is undefined. For the same reason a thread that faults goes on to the
//! barriers, without accessing anything.
//!
//! Fuel is counted differently from the bytecode's: in accesses and iterations; there is no more of
//! it than the device lets a thread use ([`Device::iterations`](crate::Device)). Overflow is marked
//! by statement, as there.
//!
//! # What an instrumented kernel takes
//! `memory` has the cells of every array: of a global one once, of a shared one for each block.
//! `inputs` has fuel, the budget of loops with barriers, the room for accesses (or phases), and the
//! cells of a digest's phase; then of each array its first cell in `memory`, its length, and its
//! first cell in a digest; then the parameters. `entries` has three longs an access, or the sums of
//! a digest. `results` has eight words a thread, as `BYTECODE.md` says of `threads`, statements
//! taking the place of program counters.

mod decode;
mod error;
mod layout;
mod module;
mod monitor;

pub use error::{CompiledError, Malformed};
pub use layout::Layout;
pub use monitor::{Finding, MonitorKernel, MonitorReport, monitor};

use crate::backend::{Backend, BackendName, Device};
use crate::digest::Digest;
use crate::emit::{EmitOptions, Instrumentation, Target, Text, emit};
use crate::image::{ENTRY_LONGS, THREAD_WORDS};
use crate::job::{Job, JobOptions};
use crate::report::{ArrayReport, Place, Report, Status};
use crate::text::{Argument, Shape, TextBackend};
use babycuda_core::{Program, Thread};
use babycuda_semantics::Instance;
use decode::Sites;

/// What a digest run tells.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DigestReport {
    /// The sums, by phase and cell; [`Layout::cell`] numbers the cells.
    pub digest: Digest,
    /// The first faulty thread, and its fault.
    pub fault: Option<(Thread, Status)>,
    /// The first thread with a natural that needed more than 64 bits, and where.
    pub overflow: Option<(Thread, Place)>,
    /// Accesses of all threads.
    pub accesses: u64,
    /// The arrays at the end; shared ones as the first block left them.
    pub arrays: Vec<ArrayReport>,
}

/// A device with a compiler, whatever its kernels are.
pub trait Compiler: Backend {
    /// As [`run`], on this device.
    ///
    /// # Errors
    /// [`CompiledError`].
    fn run_grid(
        &mut self,
        instance: &Instance,
        options: &JobOptions,
    ) -> Result<Vec<Report>, CompiledError>;
}

impl<B: TextBackend> Compiler for B {
    fn run_grid(
        &mut self,
        instance: &Instance,
        options: &JobOptions,
    ) -> Result<Vec<Report>, CompiledError> {
        run(self, instance, options)
    }
}

/// Runs the whole grid of `instance` in compiled mode; one report a block, in order.
///
/// Global arrays are what all blocks together left, in every report.
///
/// # Errors
/// [`CompiledError`].
pub fn run<B: TextBackend>(
    backend: &mut B,
    instance: &Instance,
    options: &JobOptions,
) -> Result<Vec<Report>, CompiledError> {
    let mut all = run_all(backend, &[(instance.clone(), 1)], options);
    // Proof: there is a result for each instance, and in it the reports of one run.
    all.pop().expect("a result").map(|mut runs| runs.pop().expect("a run"))
}

/// Runs instances as [`run`] does, each as often as its number says, with one call of the compiler
/// for all of them: the reports of each run.
pub fn run_all<B: TextBackend>(
    backend: &mut B,
    instances: &[(Instance, usize)],
    options: &JobOptions,
) -> Vec<Result<Vec<Vec<Report>>, CompiledError>> {
    let options = &affordable(options, backend.device());
    let emit = |(instance, runs): &(Instance, usize)| {
        let own = Emitted::new(backend.device(), instance, options, Instrumentation::Log)?;
        Ok((own, *runs))
    };
    let emitted: Vec<Result<_, CompiledError>> = instances.iter().map(emit).collect();
    let texts: Vec<&Text> = emitted.iter().flatten().map(|(own, _)| &own.text).collect();
    let (module, entries) = module::of(&texts);
    let entries: Vec<&str> = entries.iter().map(String::as_str).collect();
    let mut kernels = match entries.is_empty() {
        true => Vec::new().into_iter(),
        // If the compiler refuses the module, it gets the texts one by one, below.
        false => backend.compile_all(&module, &entries).unwrap_or_default().into_iter(),
    };
    let mut one = |emitted: Result<(Emitted, usize), CompiledError>| {
        let (Emitted { text, layout, sites }, runs) = emitted?;
        let kernel = match kernels.next() {
            Some(kernel) => kernel,
            None => backend.compile(&text.text, &text.kernel)?,
        };
        let prepared = Prepared { kernel, layout, sites };
        let (threads, capacity) = (prepared.layout.threads(), u64::from(options.log));
        let longs = threads.checked_mul(capacity).and_then(|n| n.checked_mul(ENTRY_LONGS as u64));
        let run = |_| {
            let output = prepared.launch(backend, options, capacity, longs)?;
            decode::reports(&prepared.layout, &prepared.sites, &output, options)
        };
        (0..runs).map(run).collect()
    };
    emitted.into_iter().map(&mut one).collect()
}

/// Runs the whole grid of `instance` in compiled mode and digests its accesses; `phases` is how
/// many phases the digest has room for, and a thread that goes on to another one is faulty.
///
/// # Errors
/// [`CompiledError`].
pub fn digest<B: TextBackend>(
    backend: &mut B,
    instance: &Instance,
    options: &JobOptions,
    phases: u32,
) -> Result<DigestReport, CompiledError> {
    let options = &affordable(options, backend.device());
    let emitted = Emitted::new(backend.device(), instance, options, Instrumentation::Digest)?;
    let Emitted { text, layout, sites } = emitted;
    let kernel = backend.compile(&text.text, &text.kernel)?;
    let prepared = Prepared { kernel, layout, sites };
    let longs = prepared.layout.cells().checked_mul(u64::from(phases));
    let output = prepared.launch(backend, options, u64::from(phases), longs)?;
    decode::digested(&prepared.layout, &prepared.sites, output)
}

/// The iterations that a unit of fuel pays for: an atomic update is a loop of its own, of two, and
/// each phase or round of a loop with barriers is another.
const COST: u32 = 3;

/// The options, with no more fuel than the device lets a thread use.
fn affordable(options: &JobOptions, device: &Device) -> JobOptions {
    JobOptions { fuel: device.affordable(options.fuel, COST), ..*options }
}

/// The language of a device.
fn target(device: &Device) -> Target {
    match device.backend {
        BackendName::Cuda => Target::Cuda,
        BackendName::Wgpu => Target::Wgsl,
        BackendName::OpenCl | BackendName::Sim => Target::OpenCl,
    }
}

/// A program that is printed, with what its run needs.
struct Emitted {
    text: Text,
    layout: Layout,
    sites: Sites,
}

/// A program that is compiled, with what its run needs.
struct Prepared<K> {
    kernel: K,
    layout: Layout,
    sites: Sites,
}

/// What a run left in the buffers.
struct Output {
    memory: Vec<u64>,
    entries: Vec<u64>,
    results: Vec<u32>,
}

impl Emitted {
    fn new(
        device: &Device,
        instance: &Instance,
        options: &JobOptions,
        instrumentation: Instrumentation,
    ) -> Result<Emitted, CompiledError> {
        let target = target(device);
        let layout = Layout::new(&Job::new(instance, options)?)?;
        // Statements get numbers of their own: copies of one statement share theirs.
        let body = instance.program.body.numbered();
        let sites = Sites::new(&instance.program.body, layout.arrays());
        let program = Program { body, ..instance.program.without_sources() };
        let program = program.with_launch(instance.configuration.launch);
        let lengths = layout.lengths();
        let text = emit(
            &program,
            target,
            &EmitOptions { instrumentation, lengths, ..EmitOptions::default() },
        )?;
        let layout = layout.with_inputs(&text, instance)?;
        Ok(Emitted { text, layout, sites })
    }
}

impl<K> Prepared<K> {
    /// Runs the kernel with room for `longs` longs of entries.
    fn launch<B: TextBackend<Kernel = K>>(
        &self,
        backend: &mut B,
        options: &JobOptions,
        capacity: u64,
        longs: Option<u64>,
    ) -> Result<Output, CompiledError> {
        let layout = &self.layout;
        let room = |longs: Option<u64>| {
            longs.and_then(|n| usize::try_from(n).ok()).filter(|n| *n <= isize::MAX as usize / 8)
        };
        let words = layout.threads().checked_mul(THREAD_WORDS as u64);
        let (Some(longs), Some(words)) = (room(longs), room(words)) else {
            return Err(CompiledError::TooLarge);
        };
        let needed = 8 * (longs as u64) + 4 * (words as u64);
        if needed > backend.device().memory_bytes {
            return Err(CompiledError::TooLarge);
        }
        let inputs = layout.inputs(options, capacity);
        // No buffer is empty, so that every one has an address.
        let mut output = Output {
            memory: layout.memory(),
            entries: vec![0; longs.max(1)],
            results: vec![0; words.max(1)],
        };
        let mut arguments = [
            Argument::LongsInOut(&mut output.memory),
            Argument::Longs(&inputs),
            Argument::LongsInOut(&mut output.entries),
            Argument::WordsInOut(&mut output.results),
        ];
        let launch = layout.launch();
        let shape = Shape { grid: launch.grid.components(), block: launch.block.components() };
        // SAFETY: an instrumented kernel has these four parameters. It accesses `memory` only
        // below the length of an array, `entries` only where its capacity allows, and the results
        // of its own threads; the layout and the sizes above give all of them room.
        #[allow(unsafe_code)]
        unsafe {
            backend.run(&self.kernel, shape, &mut arguments)?;
        }
        Ok(output)
    }
}
