//! `kernels`: kernels of the corpus, by digest.

use super::text::{OnText, on_text};
use super::{Error, Found, known, writable, write_json};
use crate::args::KernelsArgs;
use babycuda_gpu::compiled::CompiledError;
use babycuda_gpu::text::{CompileError, TextBackend};
use babycuda_gpu::{Backend, Unavailable};
use babycuda_validation::kernels::{Disagreement, KERNELS, Kernel, LEAST, compare, expect};
use babycuda_validation::results::{Kernels as Results, Launched};
use babycuda_validation::watched::{Open, Watched};
use std::time::Instant;

pub(crate) fn run(args: &KernelsArgs) -> Result<Found, Error> {
    known("kernel", args.kernel.as_ref(), KERNELS.iter().map(|kernel| kernel.name).collect())?;
    writable(args.json.as_ref())?;
    on_text(args.backend.name(), args)
}

impl OnText for &KernelsArgs {
    fn on<B: TextBackend + 'static>(self, open: Open<B>) -> Result<Found, Error> {
        on(self, Watched::open(&open, self.watch.deadline())?)
    }
}

#[cfg_attr(not(any(feature = "opencl", feature = "wgpu", feature = "cuda")), allow(dead_code))]
fn on<B: TextBackend + 'static>(
    args: &KernelsArgs,
    mut backend: Watched<B>,
) -> Result<Found, Error> {
    let device = backend.device().clone();
    say!("{}: {}; {}", device.backend, device.name, device.driver);
    let chosen = |kernel: &&Kernel| args.kernel.as_ref().is_none_or(|name| kernel.name == name);
    let mut launches = Vec::new();
    for kernel in KERNELS.iter().filter(chosen) {
        let most = kernel.threads(args.threads.ilog2());
        // The least launch, the largest, and one between.
        let mut sizes = vec![LEAST, LEAST.midpoint(most), most];
        sizes.dedup();
        for log in sizes {
            let launched = launch(&mut backend, kernel, log)?;
            let Launched { threads, phases, accesses, device_seconds, .. } = &launched;
            let found = launched.disagreement.as_deref().unwrap_or("agrees");
            say!(
                "{}, {threads} threads: {accesses} accesses in {phases} phases, {device_seconds:.2} s: \
                 {found}",
                kernel.name
            );
            launches.push(launched);
        }
    }
    let failed = launches.is_empty() || launches.iter().any(|l| l.disagreement.is_some());
    if let Some(path) = &args.json {
        let results = Results {
            command: std::env::args().collect(),
            backend: device.backend.to_string(),
            device: device.name,
            driver: device.driver,
            launches,
        };
        write_json(path, &results)?;
    }
    Ok(Found::failure_if(failed))
}

/// Launches a kernel, unless there is no compiler here.
fn launch<B: TextBackend + 'static>(
    backend: &mut Watched<B>,
    kernel: &Kernel,
    log: u32,
) -> Result<Launched, Unavailable> {
    let mut launched = Launched {
        kernel: kernel.name.to_owned(),
        threads: 1 << log,
        phases: 0,
        accesses: 0,
        reference_seconds: 0.0,
        device_seconds: 0.0,
        disagreement: None,
    };
    let mut attempt = || -> Result<(), Disagreement> {
        let instance = kernel.instance(log)?;
        let start = Instant::now();
        let expected = expect(&instance)?;
        launched.reference_seconds = start.elapsed().as_secs_f64();
        launched.phases = expected.phases();
        launched.accesses = expected.accesses();
        let start = Instant::now();
        let compared = backend.ask(move |own| compare(own, &instance, &expected).map(drop));
        launched.device_seconds = start.elapsed().as_secs_f64();
        compared.map_err(CompiledError::Device)?
    };
    let missing = |error: &Disagreement| match error {
        Disagreement::Compiled(CompiledError::Compile(error @ CompileError::NoCompiler { .. })) => {
            Some(error.to_string())
        }
        _ => None,
    };
    let found = attempt().err();
    if let Some(reason) = found.as_ref().and_then(missing) {
        return Err(Unavailable { backend: backend.device().backend, reason });
    }
    Ok(Launched { disagreement: found.map(|error| error.to_string()), ..launched })
}
