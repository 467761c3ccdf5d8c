//! The first kernel of a file, whose arguments are arrays of 32 bits: its plain text and its monitored one on the OpenCL
//! device. Milliseconds of a launch, the least of the runs, with the buffers' way to the device and back.
//!
//! `cargo run --release -p babycuda-gpu --features opencl --example watched -- FILE THREADS BLOCKS RUNS`

use babycuda_core::{Dim3, Launch};
use babycuda_frontend::{Included, Includes, Options, Overflow, Translation, parse_cuda};
use babycuda_gpu::emit::{EmitOptions, FINDINGS_HEAD, Instrumentation, Target, Text, emit};
use babycuda_gpu::opencl::OpenCl;
use babycuda_gpu::text::{Argument, Shape, TextBackend};
use std::error::Error;
use std::path::PathBuf;
use std::time::{Duration, Instant};

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [file, threads, blocks, runs] = &args[..] else {
        return Err("FILE THREADS BLOCKS RUNS".into());
    };
    let (threads, blocks): (u32, u32) = (threads.parse()?, blocks.parse()?);
    let file = PathBuf::from(file);
    let folder = file.parent().map(PathBuf::from).unwrap_or_default();
    let includes = Includes::new(move |request| {
        let path = folder.join(request.name);
        let text = std::fs::read_to_string(&path).ok()?;
        Some(Included { path: path.display().to_string(), text })
    });
    let options = Options { includes, overflow: Overflow::Wrap, ..Options::default() };
    let kernels = parse_cuda(&std::fs::read_to_string(&file)?, &options)?;
    let program = kernels.into_iter().find_map(|kernel| match kernel.translation {
        Translation::Program(program) => Some(program),
        Translation::Unsupported(_) => None,
    });
    let program = program.ok_or("no kernel")?;
    let program = program.with_launch(Launch::new(Dim3::line(blocks), Dim3::line(threads)));
    let cells = u64::from(threads) * u64::from(blocks);
    let mut backend = OpenCl::open()?;
    let mut prepared = Vec::new();
    for instrumentation in [Instrumentation::None, Instrumentation::Monitor] {
        let options = EmitOptions { instrumentation, ..EmitOptions::default() };
        let text = emit(&program, Target::OpenCl, &options)?;
        let kernel = backend.compile(&text.text, &text.kernel)?;
        prepared.push((text, kernel));
    }
    let mut least = [Duration::MAX; 2];
    let mut found = [0, 0];
    for _ in 0..runs.parse::<u32>()? {
        for (place, (text, kernel)) in prepared.iter().enumerate() {
            let shape = Shape::line(blocks, threads);
            let (spent, said) = run(&mut backend, text, kernel, shape, cells as usize)?;
            least[place] = least[place].min(spent);
            found = said;
        }
    }
    let [plain, watched] = least.map(|spent| spent.as_secs_f64() * 1e3);
    let [racy, flags] = found;
    println!("{plain:.1} {watched:.1} {:.1} {racy} {flags}", watched / plain);
    Ok(())
}

/// One launch: how long it took; racy cells and flags.
fn run<K>(
    backend: &mut impl TextBackend<Kernel = K>,
    text: &Text,
    kernel: &K,
    shape: Shape,
    cells: usize,
) -> Result<(Duration, [u32; 2]), Box<dyn Error>> {
    let mut arrays: Vec<Vec<u32>> = vec![vec![1; cells]; text.arrays.len()];
    let mut words = vec![0u64; (text.watched.len() * cells).max(1)];
    let sizes = vec![u32::try_from(cells)?; text.arrays.len()];
    let mut findings = vec![0u32; FINDINGS_HEAD];
    findings[3] = u32::MAX;
    let mut arguments: Vec<Argument<'_>> = Vec::new();
    arguments.extend(arrays.iter_mut().map(|array| Argument::WordsInOut(array)));
    if text.words.is_some() {
        arguments.extend([
            Argument::LongsInOut(&mut words),
            Argument::Words(&sizes),
            Argument::WordsInOut(&mut findings),
        ]);
    }
    let start = Instant::now();
    // SAFETY: these are the kernel's parameters. The kernels of `benches/oclgrind` stay within arrays of as many cells
    // as there are threads.
    #[allow(unsafe_code)]
    unsafe {
        backend.run(kernel, shape, &mut arguments)?;
    }
    Ok((start.elapsed(), [findings[0], findings[1]]))
}
