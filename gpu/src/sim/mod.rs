//! The simulator: a back end in plain Rust, for images of any kind.
//!
//! It interleaves the threads of a program at every access, so that races show, and programs with
//! cells in common likewise. Of a jitter it knows the turns, and the order of the threads. A [`Schedule`]
//! decides which thread goes on; a new simulator with the same schedule does the same.

mod machine;
mod schedule;
mod thread;

pub use schedule::Schedule;

use crate::backend::{Backend, BackendName, Device, DeviceError};
use crate::bytecode::{Instruction, decode};
use crate::check::check;
use crate::image::{ENTRY_LONGS, INSTRUCTION_WORDS, Image, Output, PROGRAM_WORDS, THREAD_WORDS};
use machine::Machine;
use schedule::Scheduler;
use std::collections::HashMap;

/// The simulated device.
#[derive(Clone, Debug)]
pub struct Sim {
    device: Device,
    scheduler: Scheduler,
}

impl Sim {
    /// A simulator with workgroups of up to 1,024 threads, buffers of up to 1 GiB, and 4 GiB.
    pub fn new(schedule: Schedule) -> Sim {
        let device = Device {
            backend: BackendName::Sim,
            name: format!("simulator, {schedule}"),
            driver: format!("babycuda {}", env!("CARGO_PKG_VERSION")),
            workgroup: 1024,
            buffer_bytes: 1 << 30,
            memory_bytes: 1 << 32,
            iterations: None,
        };
        Sim { device, scheduler: Scheduler::new(schedule) }
    }

    /// The simulator as a device with other limits.
    #[must_use]
    pub fn with_limits(mut self, workgroup: u32, buffer_bytes: u64, memory_bytes: u64) -> Sim {
        self.device = Device { workgroup, buffer_bytes, memory_bytes, ..self.device };
        self
    }

    /// Does the image fit into the simulated memory?
    fn fits(&self, image: &Image) -> Result<(), DeviceError> {
        let too_large = |what, needed, available| {
            if needed > available {
                return Err(DeviceError::TooLarge { what, needed, available });
            }
            Ok(())
        };
        let entries = (image.log_entries as u64).saturating_mul(8 * ENTRY_LONGS as u64);
        let threads = (image.threads as u64).saturating_mul(4 * THREAD_WORDS as u64);
        let memory = 8 * image.memory.len() as u64;
        let buffers = [("log", entries), ("thread results", threads), ("memory", memory)];
        for (what, needed) in buffers {
            too_large(what, needed, self.device.buffer_bytes)?;
        }
        let all = entries.saturating_add(threads).saturating_add(memory);
        too_large("memory for all buffers", all, self.device.memory_bytes)?;
        let (needed, available) = (image.workgroup.into(), self.device.workgroup.into());
        too_large("threads of a workgroup", needed, available)
    }
}

impl Backend for Sim {
    fn device(&self) -> &Device {
        &self.device
    }

    fn launch(&mut self, image: &Image) -> Result<Output, DeviceError> {
        check(image)?;
        self.fits(image)?;
        let mut output = Output {
            memory: image.memory.clone(),
            log: vec![0; image.log_entries * ENTRY_LONGS],
            threads: vec![0; image.threads * THREAD_WORDS],
        };
        // Programs that share code are decoded once.
        let mut decoded: HashMap<&[u32], Vec<Instruction>> = HashMap::new();
        for header in image.programs.chunks_exact(PROGRAM_WORDS) {
            let words = instructions(image, header);
            if !decoded.contains_key(words) {
                // Proof: the image was checked.
                decoded.insert(words, decode(words).expect("instructions"));
            }
        }
        let headers: Vec<&[u32]> = image.programs.chunks_exact(PROGRAM_WORDS).collect();
        for together in headers.chunk_by(|one, other| share_cells(image, one, other)) {
            let machine = |header: &&'_ [u32]| {
                Machine::new(image, header, &decoded[instructions(image, header)])
            };
            self.run(together.iter().map(machine).collect(), &mut output);
        }
        Ok(output)
    }
}

impl Sim {
    /// Runs programs that have cells in common to their ends, interleaved.
    fn run(&mut self, machines: Vec<Machine<'_>>, output: &mut Output) {
        let mut running: Vec<Machine<'_>> = machines;
        let (mut at, mut ended) = (0, true);
        while !running.is_empty() {
            // A program alone takes no draws.
            at = if running.len() == 1 { 0 } else { self.scheduler.next(running.len(), at, ended) };
            ended = !running[at].step(&mut self.scheduler, output);
            if ended {
                running.remove(at).report(output);
            }
        }
    }
}

/// The words of a program's instructions, in a checked image.
fn instructions<'a>(image: &'a Image, header: &[u32]) -> &'a [u32] {
    let (first, count) = (header[0] as usize, header[1] as usize);
    &image.code[first * INSTRUCTION_WORDS..][..count * INSTRUCTION_WORDS]
}

/// Have two programs of a checked image a cell in common?
fn share_cells(image: &Image, one: &[u32], other: &[u32]) -> bool {
    let arrays = |header: &[u32]| {
        let (first, count) = (header[3] as usize, header[4] as usize);
        image.arrays[2 * first..][..2 * count].chunks_exact(2)
    };
    let meet = |a: &[u32], b: &[u32]| {
        let (first, last) = (a[0].max(b[0]), (a[0] + a[1]).min(b[0] + b[1]));
        first < last
    };
    arrays(one).any(|a| arrays(other).any(|b| meet(a, b)))
}
