//! From jobs to images: what a launch needs, and packing.

use crate::backend::{Device, DeviceError};
use crate::bytecode::{Code, encode};
use crate::image::{ENTRY_LONGS, INSTRUCTION_WORDS, Image, PROGRAM_WORDS, THREAD_WORDS};
use crate::jitter::SCRATCH;
use crate::job::{Job, JobArray};
use crate::numbers::header;
use babycuda_core::syntax::Space;
use std::collections::HashMap;
use std::sync::Arc;

/// Bytes of a word and of a long.
const WORD: u64 = 4;
const LONG: u64 = 8;

/// Bytes of each buffer of an image.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Footprint {
    buffers: [u64; 7],
}

/// What the buffers of a [`Footprint`] are called in messages.
const BUFFERS: [&str; 7] =
    ["program headers", "code", "array headers", "inputs", "memory", "log", "thread results"];

impl Footprint {
    /// What an image needs.
    pub(crate) fn of_image(image: &Image) -> Footprint {
        let bytes = |size: u64, count: usize| size.saturating_mul(count as u64);
        Footprint {
            buffers: [
                bytes(WORD, image.programs.len()),
                bytes(WORD, image.code.len()),
                bytes(WORD, image.arrays.len()),
                bytes(LONG, image.inputs.len()),
                bytes(LONG, image.memory.len()),
                bytes(LONG * ENTRY_LONGS as u64, image.log_entries),
                bytes(WORD * THREAD_WORDS as u64, image.threads),
            ],
        }
    }

    /// What the blocks of a grid need when they share nothing with others.
    pub(crate) fn of(blocks: &[Job]) -> Footprint {
        let each = blocks.iter().enumerate().map(|(number, job)| Footprint::of_block(job, number));
        each.fold(Footprint::default(), |sum, block| sum.and(&block))
    }

    fn of_block(job: &Job, number: usize) -> Footprint {
        // All of them are far from 2^64: a job's parts are in this machine's memory, its threads
        // at most 1,024, its log entries below 2^32 for each.
        let threads = u64::from(job.threads());
        let entries = threads * u64::from(job.log());
        let own = job.arrays().iter().filter(|array| number == 0 || !is_common(array));
        let cells = own.map(|array| array.cells.len() as u64).sum::<u64>();
        let (scratch, stressed) = match job.jitter().stress {
            0 => (0, 0),
            _ => (SCRATCH as u64, 1),
        };
        Footprint {
            buffers: [
                WORD * PROGRAM_WORDS as u64,
                WORD * (INSTRUCTION_WORDS * job.code().instructions().len()) as u64,
                WORD * 2 * (job.arrays().len() as u64 + stressed),
                LONG * job.inputs().len() as u64,
                LONG * (cells + scratch),
                LONG * ENTRY_LONGS as u64 * entries,
                WORD * THREAD_WORDS as u64 * threads,
            ],
        }
    }

    /// What both need together.
    pub(crate) fn and(&self, other: &Footprint) -> Footprint {
        let sum = |buffer: usize| self.buffers[buffer].saturating_add(other.buffers[buffer]);
        Footprint { buffers: std::array::from_fn(sum) }
    }

    /// Bytes of all buffers.
    pub(crate) fn bytes(&self) -> u64 {
        self.buffers.iter().fold(0, |sum, bytes| sum.saturating_add(*bytes))
    }

    /// Does it fit on the device?
    pub(crate) fn fits(&self, device: &Device) -> Result<(), DeviceError> {
        // Interpreters may count the words of a buffer in 32 bits.
        let buffer = device.buffer_bytes.min(WORD * u64::from(u32::MAX));
        let needs =
            BUFFERS.into_iter().zip(self.buffers).map(|(what, needed)| (what, needed, buffer));
        let all = [("memory for all buffers", self.bytes(), device.memory_bytes)];
        for (what, needed, available) in needs.chain(all) {
            if needed > available {
                return Err(DeviceError::TooLarge { what, needed, available });
            }
        }
        Ok(())
    }
}

/// Do all blocks of a grid see the same cells?
fn is_common(array: &JobArray) -> bool {
    array.space == Space::Global
}

/// Packs the blocks of grids, which have threads, into an image whose workgroups have `workgroup`
/// threads, in this order. What they need must fit on a device ([`Footprint::fits`]): then every
/// position has 32 bits.
pub(crate) fn pack(grids: &[&[Job]], workgroup: u32) -> Image {
    let mut image = Image { workgroup, ..Image::default() };
    let arrays = grids.iter().copied().flatten().flat_map(Job::arrays);
    image.memory.reserve(arrays.map(|array| array.cells.len()).sum());
    let mut known = HashMap::new();
    let mut scratch = None;
    for grid in grids {
        let mut common: Vec<u32> = Vec::new();
        for (number, job) in grid.iter().enumerate() {
            let [x, y, z] = job.block().launch.block.components();
            let code = *known
                .entry(Arc::as_ptr(job.code()))
                .or_insert_with(|| append_code(job.code(), &mut image.code));
            let [seed, jitter] = job.jitter().words();
            let header = [
                (header::CODE, code),
                (header::INSTRUCTIONS, job.code().instructions().len() as u32),
                (header::THREADS, job.threads()),
                (header::ARRAY, (image.arrays.len() / 2) as u32),
                (header::ARRAYS, job.arrays().len() as u32),
                (header::INPUT, image.inputs.len() as u32),
                (header::INPUTS, job.inputs().len() as u32),
                (header::X, x),
                (header::Y, y),
                (header::Z, z),
                (header::FUEL, job.fuel()),
                (header::CAPACITY, job.log()),
                (header::LOG, image.log_entries as u32),
                (header::THREAD, image.threads as u32),
                (header::SEED, seed),
                (header::JITTER, jitter),
                (header::WARP, job.block().launch.warp.max(1)),
                (header::BLOCK, number as u32),
                (header::BLOCKS, grid.len() as u32),
            ];
            let start = image.programs.len();
            image.programs.resize(start + PROGRAM_WORDS, 0);
            header.into_iter().for_each(|(word, value)| image.programs[start + word] = value);
            for (position, array) in job.arrays().iter().enumerate() {
                let first = match common.get(position) {
                    Some(first) if is_common(array) => *first,
                    _ => append_cells(&mut image.memory, array.cells.iter().copied()),
                };
                if number == 0 {
                    common.push(first);
                }
                image.arrays.extend([first, array.cells.len() as u32]);
            }
            if job.jitter().stress > 0 {
                let cells = std::iter::repeat_n(0, SCRATCH);
                let first = scratch.get_or_insert_with(|| append_cells(&mut image.memory, cells));
                image.arrays.extend([*first, SCRATCH as u32]);
            }
            image.inputs.extend_from_slice(job.inputs());
            image.log_entries += job.threads() as usize * job.log() as usize;
            image.threads += job.threads() as usize;
        }
    }
    image
}

/// Appends cells, and says which is their first.
fn append_cells(memory: &mut Vec<u64>, cells: impl Iterator<Item = u64>) -> u32 {
    let first = memory.len() as u32;
    memory.extend(cells);
    first
}

/// Appends encoded instructions, and says which is their first.
fn append_code(code: &Code, words: &mut Vec<u32>) -> u32 {
    let first = words.len() / INSTRUCTION_WORDS;
    words.extend(code.instructions().iter().flat_map(|instruction| encode(*instruction)));
    first as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jitter::Jitter;
    use crate::job::JobOptions;
    use babycuda_core::Launch;
    use babycuda_core::parse::parse_program;
    use babycuda_semantics::Instance;

    /// What a job is said to need is what its image has, and no more is needed together.
    #[test]
    fn a_footprint_is_that_of_the_image() {
        let program = parse_program("A[tid] := 3; sync; let x = atomic B[0] add 1 in skip");
        let instance = Instance::new(program.expect("it parses"), Launch::threads(5));
        let job = Job::new(&instance, &JobOptions::default()).expect("a job");
        let jobs: Vec<Job> = (0..64).map(|n| job.clone().with_jitter(Jitter::seeded(n))).collect();
        assert!(jobs.iter().any(|job| job.jitter().stress > 0));
        for job in &jobs {
            let alone = std::slice::from_ref(job);
            assert_eq!(Footprint::of(alone), Footprint::of_image(&pack(&[alone], 128)));
        }
        let grids: Vec<&[Job]> = jobs.chunks(1).collect();
        let all = grids.iter().map(|grid| Footprint::of(grid));
        let all = all.fold(Footprint::default(), |sum, grid| sum.and(&grid));
        let together = Footprint::of_image(&pack(&grids, 128));
        assert!(all.buffers.iter().zip(together.buffers).all(|(said, has)| *said >= has));
    }
}
