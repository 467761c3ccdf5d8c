//! Hand-made programs, packed into images, and what a device made of them.

use babycuda_gpu::bytecode::{Instruction, encode};
use babycuda_gpu::image::{ENTRY_LONGS, INSTRUCTION_WORDS, THREAD_WORDS};
use babycuda_gpu::{Backend, Image, Output};

/// A program with all that it needs.
#[derive(Clone, Debug)]
pub struct Program {
    pub code: Vec<Instruction>,
    pub block: [u32; 3],
    pub arrays: Vec<Vec<u64>>,
    pub inputs: Vec<u64>,
    pub fuel: u32,
    pub log: u32,
    pub jitter: [u32; 2],
    pub warp: u32,
}

impl Program {
    /// `threads` threads in one dimension, in warps of 32, 1,000 units of fuel, room for 16 entries a
    /// thread.
    pub fn new(code: Vec<Instruction>, threads: u32, arrays: Vec<Vec<u64>>) -> Program {
        let block = [threads, 1, 1];
        let (inputs, jitter) = (Vec::new(), [0, 0]);
        Program { code, block, arrays, inputs, fuel: 1000, log: 16, jitter, warp: 32 }
    }

    pub fn threads(&self) -> u32 {
        self.block.iter().product()
    }
}

/// What became of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    pub threads: Vec<Thread>,
    pub arrays: Vec<Vec<u64>>,
}

/// What became of a thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Thread {
    pub status: u32,
    pub pc: u32,
    pub overflow: u32,
    pub phase: u32,
    pub fuel: u32,
    pub index: u64,
    pub log: Vec<Entry>,
}

/// An access that a thread logged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    pub pc: u32,
    pub phase: u32,
    pub index: u64,
    pub value: u64,
}

/// Runs programs in one launch, in workgroups of `workgroup` threads.
pub fn run(backend: &mut dyn Backend, workgroup: u32, programs: &[Program]) -> Vec<Run> {
    let image = pack(workgroup, programs);
    let output = backend.launch(&image).expect("the device runs the image");
    unpack(&image, &output)
}

/// Runs one program, in a workgroup that has no idle threads.
pub fn run_one(backend: &mut dyn Backend, program: &Program) -> Run {
    run(backend, program.threads(), std::slice::from_ref(program)).remove(0)
}

pub fn pack(workgroup: u32, programs: &[Program]) -> Image {
    let mut image = Image { workgroup, ..Image::default() };
    for program in programs {
        let [x, y, z] = program.block;
        image.programs.extend([
            (image.code.len() / INSTRUCTION_WORDS) as u32,
            program.code.len() as u32,
            program.threads(),
            (image.arrays.len() / 2) as u32,
            program.arrays.len() as u32,
            image.inputs.len() as u32,
            program.inputs.len() as u32,
            x,
            y,
            z,
            program.fuel,
            program.log,
            image.log_entries as u32,
            image.threads as u32,
            program.jitter[0],
            program.jitter[1],
            program.warp,
            0,
            1,
        ]);
        image.code.extend(program.code.iter().flat_map(|instruction| encode(*instruction)));
        image.inputs.extend(&program.inputs);
        for array in &program.arrays {
            image.arrays.extend([image.memory.len() as u32, array.len() as u32]);
            image.memory.extend(array);
        }
        image.log_entries += (program.threads() * program.log) as usize;
        image.threads += program.threads() as usize;
    }
    image
}

fn unpack(image: &Image, output: &Output) -> Vec<Run> {
    let headers = image.programs.chunks(babycuda_gpu::image::PROGRAM_WORDS);
    headers.map(|header| unpack_program(header, image, output)).collect()
}

fn unpack_program(header: &[u32], image: &Image, output: &Output) -> Run {
    let number = |word: usize| header[word] as usize;
    let threads = (0..number(2)).map(|tid| {
        let words = &output.threads[(number(13) + tid) * THREAD_WORDS..][..THREAD_WORDS];
        let log = &output.log[(number(12) + tid * number(11)) * ENTRY_LONGS..];
        let entries = log.chunks(ENTRY_LONGS).take(words[2] as usize);
        let entry = |longs: &[u64]| Entry {
            pc: longs[0] as u32,
            phase: (longs[0] >> 32) as u32,
            index: longs[1],
            value: longs[2],
        };
        Thread {
            status: words[0],
            pc: words[1],
            overflow: words[3],
            phase: words[4],
            fuel: words[5],
            index: u64::from(words[6]) | u64::from(words[7]) << 32,
            log: entries.map(entry).collect(),
        }
    });
    let arrays = image.arrays[2 * number(3)..][..2 * number(4)].chunks(2);
    let cells = |array: &[u32]| output.memory[array[0] as usize..][..array[1] as usize].to_vec();
    Run { threads: threads.collect(), arrays: arrays.map(cells).collect() }
}
