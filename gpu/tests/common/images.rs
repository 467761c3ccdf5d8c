//! Images by hand.

use babycuda_gpu::bytecode::{Instruction, Register, encode};
use babycuda_gpu::image::{ENTRY_LONGS, THREAD_WORDS};
use babycuda_gpu::{Image, Output};

/// The register of a number that is known to be one.
pub fn r(number: usize) -> Register {
    Register::new(number).expect("a register's number")
}

/// A program with all that it needs to run.
#[derive(Clone)]
pub struct Program {
    pub code: Vec<Instruction>,
    pub block: [u32; 3],
    pub arrays: Vec<Vec<u64>>,
    pub inputs: Vec<u64>,
    pub fuel: u32,
    pub capacity: u32,
}

impl Program {
    /// One-dimensional, without inputs, with fuel and place in the log for most things.
    pub fn new(threads: u32, code: Vec<Instruction>, arrays: Vec<Vec<u64>>) -> Program {
        let (inputs, fuel, capacity) = (Vec::new(), 10_000, 64);
        Program { code, block: [threads, 1, 1], arrays, inputs, fuel, capacity }
    }

    fn threads(&self) -> u32 {
        self.block.iter().product()
    }
}

/// What one program left behind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Result {
    pub arrays: Vec<Vec<u64>>,
    pub threads: Vec<Thread>,
}

/// What one thread left behind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Thread {
    pub status: u32,
    pub pc: u32,
    pub overflow: u32,
    pub phase: u32,
    pub fuel: u32,
    pub outside: u64,
    /// Program counter, phase, index and value.
    pub log: Vec<[u64; 4]>,
}

/// The image of the programs, for workgroups of the largest one's size.
pub fn pack(programs: &[Program]) -> Image {
    let workgroup = programs.iter().map(Program::threads).max().unwrap_or(0);
    pack_for(workgroup, programs)
}

/// The image of the programs, for workgroups of this size.
pub fn pack_for(workgroup: u32, programs: &[Program]) -> Image {
    let mut image = Image { workgroup, ..Image::default() };
    for program in programs {
        let (threads, [x, y, z]) = (program.threads(), program.block);
        image.programs.extend([
            (image.code.len() / 4) as u32,
            program.code.len() as u32,
            threads,
            (image.arrays.len() / 2) as u32,
            program.arrays.len() as u32,
            image.inputs.len() as u32,
            program.inputs.len() as u32,
            x,
            y,
            z,
            program.fuel,
            program.capacity,
            image.log_entries as u32,
            image.threads as u32,
            0,
            0,
        ]);
        image.code.extend(program.code.iter().flat_map(|instruction| encode(*instruction)));
        for array in &program.arrays {
            image.arrays.extend([image.memory.len() as u32, array.len() as u32]);
            image.memory.extend(array);
        }
        image.inputs.extend(&program.inputs);
        image.log_entries += (threads * program.capacity) as usize;
        image.threads += threads as usize;
    }
    image
}

/// Takes the output of [`pack`]ed programs apart.
pub fn unpack(programs: &[Program], output: &Output) -> Vec<Result> {
    let mut memory = output.memory.as_slice();
    let mut log = output.log.as_slice();
    let mut threads = output.threads.as_slice();
    let results = programs
        .iter()
        .map(|program| Result {
            arrays: program.arrays.iter().map(|a| take(&mut memory, a.len()).to_vec()).collect(),
            threads: (0..program.threads())
                .map(|_| {
                    let log = take(&mut log, program.capacity as usize * ENTRY_LONGS);
                    thread(take(&mut threads, THREAD_WORDS), log)
                })
                .collect(),
        })
        .collect();
    assert!(memory.is_empty() && log.is_empty() && threads.is_empty());
    results
}

fn take<'a, T>(rest: &mut &'a [T], count: usize) -> &'a [T] {
    let (taken, left) = rest.split_at(count);
    *rest = left;
    taken
}

fn thread(words: &[u32], log: &[u64]) -> Thread {
    let entry = |e: &[u64]| [e[0] & 0xffff_ffff, e[0] >> 32, e[1], e[2]];
    Thread {
        status: words[0],
        pc: words[1],
        overflow: words[3],
        phase: words[4],
        fuel: words[5],
        outside: u64::from(words[6]) | u64::from(words[7]) << 32,
        log: log.chunks(ENTRY_LONGS).take(words[2] as usize).map(entry).collect(),
    }
}
