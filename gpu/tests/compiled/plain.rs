//! Plain texts, as people get them: typed arrays and parameters. What they leave in memory is what
//! the bytecode leaves.

use super::corpus;
use super::random::is_deterministic;
use babycuda_core::history::{HostArray, HostMemory};
use babycuda_core::syntax::{Contents, Domain, Extent, Program, Space};
use babycuda_core::{Dim3, Launch, Name, Natural, Stmt, Width};
use babycuda_gpu::emit::{Options, Target, emit, nonuniform_barriers};
use babycuda_gpu::text::{Argument, Shape, TextBackend};
use babycuda_gpu::{BackendName, Job, JobOptions, Runner};
use babycuda_semantics::Instance;

const LENGTH: u64 = 1024;

/// The elements of an argument.
enum Buffer {
    Words(Vec<u32>),
    Longs(Vec<u64>),
}

/// How wide elements of a domain are on the device; `None`: narrower than the words of arguments.
fn width(domain: Domain, target: Target) -> Option<Width> {
    match domain {
        Domain::Natural => Some(Width::W64),
        Domain::Machine(t) if t.width >= Width::W32 => Some(t.width),
        Domain::Machine(_) => (target == Target::Wgsl).then_some(Width::W32),
    }
}

/// Numbers below 8 in all cells, so that what they index is there, and what they count is little.
fn host(program: &Program) -> HostMemory {
    let mut memory = HostMemory::of_program(program);
    for array in program.arrays.iter().filter(|a| a.contents == Contents::Any) {
        let cell = |i: u64| (Natural::from(i), Natural::from(i.wrapping_mul(7919) / 5 % 8));
        let cells = (0..LENGTH).map(cell).collect();
        memory.insert(array.name.clone(), HostArray { fill: Some(Natural::zero()), cells });
    }
    memory
}

pub fn plain_kernels_of_the_corpus_leave_what_their_bytecode_leaves<B: TextBackend>(
    backend: &mut B,
) {
    let target = match backend.device().backend {
        BackendName::Cuda => Target::Cuda,
        BackendName::Wgpu => Target::Wgsl,
        _ => Target::OpenCl,
    };
    let mut compared = 0;
    for (name, program) in corpus::programs() {
        let narrow = program
            .arrays
            .iter()
            .any(|array| array.space == Space::Global && width(array.element, target).is_none());
        if narrow || !nonuniform_barriers(&program.body).is_empty() {
            continue;
        }
        let plane = program.geometry.block[1] != Extent::Known(1);
        let block = if plane { Dim3 { x: 4, y: 4, z: 1 } } else { Dim3::line(8) };
        let launch = Launch { grid: Dim3::line(1), block };
        let mut instance = Instance::new(program.clone(), launch).with_host(host(&program));
        for param in &program.params {
            instance = instance.with_parameter(param.name.clone(), 3u32);
        }
        let instance = instance.defined_everywhere(&Natural::zero());
        let options =
            JobOptions { fuel: 1 << 20, log: 1 << 13, length: LENGTH, ..JobOptions::default() };
        let job = Job::new(&instance, &options).expect("a job");
        let report = Runner::new(backend).run_one(&job).expect("a report");
        if !report.is_exact() || !is_deterministic(&report) {
            continue;
        }
        let open = program.arrays.iter().filter(|a| a.space == Space::Shared && a.length.is_none());
        let lengths = open.map(|a| (a.name.clone(), LENGTH)).collect();
        let Ok(text) = emit(&program, target, &Options { lengths, ..Options::default() }) else {
            continue;
        };
        let kernel = backend.compile(&text.text, &text.kernel);
        let kernel = kernel.unwrap_or_else(|e| panic!("{name}: {e}\n{}", text.text));
        let memory = host(&program);
        let mut buffers: Vec<Buffer> = Vec::new();
        for array in &text.arrays {
            let element = program.array(array).expect("a declared array").element;
            let cells = (0..LENGTH).map(|index| initial(&memory, array, index));
            buffers.push(match width(element, target) {
                Some(Width::W64) => Buffer::Longs(cells.collect()),
                _ => Buffer::Words(cells.map(|cell| cell as u32).collect()),
            });
        }
        // All parameters of the corpus are integers of 32 bits.
        let parameters = vec![3u32; text.parameters.len()];
        let mut arguments: Vec<Argument<'_>> = Vec::new();
        for (array, buffer) in text.arrays.iter().zip(&mut buffers) {
            arguments.push(match (buffer, is_written(&program.body, array)) {
                (Buffer::Words(words), true) => Argument::WordsInOut(words),
                (Buffer::Words(words), false) => Argument::Words(words),
                (Buffer::Longs(longs), true) => Argument::LongsInOut(longs),
                (Buffer::Longs(longs), false) => Argument::Longs(longs),
            });
        }
        match target {
            Target::Wgsl if parameters.is_empty() => {}
            Target::Wgsl => arguments.push(Argument::Words(&parameters)),
            _ => arguments.extend(parameters.iter().map(|word| Argument::Word(*word))),
        }
        let shape = Shape { grid: [1; 3], block: block.components() };
        // SAFETY: these are the kernel's parameters; the run of the same program above stayed
        // within arrays of the same lengths.
        #[allow(unsafe_code)]
        unsafe {
            backend.run(&kernel, shape, &mut arguments).expect("it runs");
        }
        for (array, buffer) in text.arrays.iter().zip(&buffers) {
            let Some(expected) = report.arrays.iter().find(|known| known.name == *array) else {
                continue;
            };
            for (index, value) in expected.cells.iter().enumerate() {
                let found = match buffer {
                    Buffer::Words(words) => u64::from(words[index]),
                    Buffer::Longs(longs) => longs[index],
                };
                assert_eq!(found, *value, "{name}: {array}[{index}]\n{}", text.text);
            }
        }
        compared += 1;
    }
    assert!(compared >= 20, "{compared}");
}

fn initial(memory: &HostMemory, array: &Name, index: u64) -> u64 {
    let value = memory.get(&babycuda_core::Cell::new(array.clone(), index));
    value.and_then(Natural::to_u64).unwrap_or(0)
}

fn is_written(body: &Stmt, name: &Name) -> bool {
    body.subterms().any(|b| match b {
        Stmt::Write { array, .. } | Stmt::Atomic { array, .. } => array == name,
        _ => false,
    })
}
