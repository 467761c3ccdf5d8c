//! Plain texts, as people get them: typed arrays and parameters.

use babycuda_core::history::{HostArray, HostMemory};
use babycuda_core::syntax::{Contents, Domain, Extent, Program, Space};
use babycuda_core::{Dim3, Launch, Name, Natural, Stmt, Width};
use babycuda_gpu::emit::{EmitOptions, Target, Text, emit, nonuniform_barriers};
use babycuda_gpu::text::{Argument, Shape, TextBackend};
use babycuda_gpu::{Backend, BackendName};
use babycuda_semantics::Instance;
use std::collections::BTreeMap;

/// Cells of every array that declares no length.
pub const LENGTH: u64 = 1024;
/// What every parameter is.
const PARAMETER: u32 = 3;

/// The elements of an argument.
enum Buffer {
    Words(Vec<u32>),
    Longs(Vec<u64>),
}

impl Buffer {
    fn longs(self) -> Vec<u64> {
        match self {
            Buffer::Words(words) => words.into_iter().map(u64::from).collect(),
            Buffer::Longs(longs) => longs,
        }
    }
}

/// The language of a back end.
pub fn target(backend: &dyn Backend) -> Target {
    match backend.device().backend {
        BackendName::Cuda => Target::Cuda,
        BackendName::Wgpu => Target::Wgsl,
        _ => Target::OpenCl,
    }
}

/// How wide elements of a domain are on the device; `None`: narrower than the words of arguments.
fn width(domain: Domain, target: Target) -> Option<Width> {
    match domain {
        Domain::Natural => Some(Width::W64),
        Domain::Machine(t) if t.width >= Width::W32 => Some(t.width),
        Domain::Machine(_) => (target == Target::Wgsl).then_some(Width::W32),
    }
}

/// The text of a program, if it has one whose arguments are words and longs, and whose barriers
/// all threads reach.
pub fn text(program: &Program, target: Target) -> Option<Text> {
    let narrow = program
        .arrays
        .iter()
        .any(|array| array.space == Space::Global && width(array.element, target).is_none());
    let narrow = narrow || program.params.iter().any(|p| width(p.domain, target).is_none());
    if narrow || !nonuniform_barriers(&program.body).is_empty() {
        return None;
    }
    let open = program.arrays.iter().filter(|a| a.space == Space::Shared && a.length.is_none());
    let lengths = open.map(|a| (a.name.clone(), LENGTH)).collect();
    emit(program, target, &EmitOptions { lengths, ..EmitOptions::default() }).ok()
}

/// The program in a small launch of one block, with small numbers in all cells that the host fills,
/// so that what they index is there, and what they count is little.
pub fn instance(program: &Program) -> Instance {
    let plane = program.geometry.block[1] != Extent::Known(1);
    let block = if plane { Dim3 { x: 4, y: 4, z: 1 } } else { Dim3::line(8) };
    let launch = Launch::new(Dim3::line(1), block);
    let mut memory = HostMemory::declared(program);
    for array in program.arrays.iter().filter(|a| a.contents == Contents::Any) {
        let cell = |i: u64| (Natural::from(i), Natural::from(i.wrapping_mul(7919) / 5 % 8));
        let cells = (0..LENGTH).map(cell).collect();
        memory.insert(array.name.clone(), HostArray { fill: Some(Natural::zero()), cells });
    }
    let mut instance = Instance::new(program.clone(), launch).with_host(memory);
    for param in &program.params {
        instance = instance.with_parameter(param.name.clone(), PARAMETER);
    }
    instance.defined_everywhere(&Natural::zero())
}

/// Runs the text of an instance's program; what the global arrays hold then, by name.
///
/// The program must stay within [`LENGTH`] cells of each array in that instance.
pub fn run<B: TextBackend>(
    backend: &mut B,
    instance: &Instance,
    text: &Text,
) -> BTreeMap<Name, Vec<u64>> {
    let (program, target) = (&instance.program, target(backend));
    let kernel = backend.compile(&text.text, &text.kernel);
    let kernel = kernel.unwrap_or_else(|e| panic!("{e}\n{}", text.text));
    let mut buffers: Vec<Buffer> = Vec::new();
    for array in &text.arrays {
        let element = program.array(array).expect("a declared array").element;
        let cells = (0..LENGTH).map(|index| initial(instance.host(), array, index));
        buffers.push(match width(element, target) {
            Some(Width::W64) => Buffer::Longs(cells.collect()),
            _ => Buffer::Words(cells.map(|cell| cell as u32).collect()),
        });
    }
    let parameters = vec![PARAMETER; text.parameters.len()];
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
        _ => arguments.extend(text.parameters.iter().map(|name| {
            let param = program.params.iter().find(|param| param.name == *name);
            match width(param.expect("a declared parameter").domain, target) {
                Some(Width::W64) => Argument::Long(PARAMETER.into()),
                _ => Argument::Word(PARAMETER),
            }
        })),
    }
    let shape = Shape { grid: [1; 3], block: instance.configuration.launch.block.components() };
    // SAFETY: these are the kernel's parameters; the caller says that it stays within the arrays.
    #[allow(unsafe_code)]
    unsafe {
        backend.run(&kernel, shape, &mut arguments).expect("it runs");
    }
    text.arrays.iter().cloned().zip(buffers.into_iter().map(Buffer::longs)).collect()
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
