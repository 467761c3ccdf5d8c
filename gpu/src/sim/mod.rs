//! The simulator: a back end in plain Rust, for images of any kind.
//!
//! It interleaves the threads of a program at every access, so that races show, and programs with
//! cells in common likewise. Of a jitter it knows the turns, and the order of the threads. A [`Schedule`]
//! decides which thread goes on; a new simulator with the same schedule does the same. How a program
//! with a jitter is scheduled, be it one that has a seed and does nothing, does not depend on what else
//! runs, or ran before; others take draws that go on from launch to launch.

mod machine;
mod schedule;
mod thread;

pub use schedule::Schedule;

use crate::backend::{Backend, BackendName, Device, DeviceError};
use crate::bytecode::{Instruction, decode};
use crate::check::admit;
use crate::image::{INSTRUCTION_WORDS, Image, Output, PROGRAM_WORDS};
use crate::numbers::header::{ARRAY, ARRAYS, BLOCK, CODE, INSTRUCTIONS, JITTER, SEED};
use machine::Machine;
use schedule::Scheduler;
use std::collections::HashMap;

/// The simulated device.
#[derive(Clone, Debug)]
pub struct Sim {
    device: Device,
    schedule: Schedule,
    /// Of programs without a jitter.
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
            cooperative: true,
        };
        Sim { device, schedule, scheduler: Scheduler::new(schedule) }
    }

    /// The simulator as a device with other limits.
    #[must_use]
    pub fn with_limits(mut self, workgroup: u32, buffer_bytes: u64, memory_bytes: u64) -> Sim {
        self.device = Device { workgroup, buffer_bytes, memory_bytes, ..self.device };
        self
    }
}

impl Backend for Sim {
    fn device(&self) -> &Device {
        &self.device
    }

    fn launch(&mut self, image: &Image) -> Result<Output, DeviceError> {
        let mut output = admit(image, &self.device)?;
        // Programs that share code are decoded once.
        let mut decoded: HashMap<&[u32], Vec<Instruction>> = HashMap::new();
        for header in image.programs.chunks_exact(PROGRAM_WORDS) {
            let words = instructions(image, header);
            if !decoded.contains_key(words) {
                // Proof: the image was checked.
                decoded.insert(words, decode(words).expect("instructions"));
            }
        }
        let headers = image.programs.chunks_exact(PROGRAM_WORDS).enumerate();
        let headers: Vec<(usize, &[u32])> = headers.collect();
        for together in headers.chunk_by(|(_, one), (_, other)| share(image, one, other)) {
            let machine = |(number, header): &(usize, &'_ [u32])| {
                Machine::new(image, *number, &decoded[instructions(image, header)])
            };
            let machines = together.iter().map(machine).collect();
            // The blocks of a grid are scheduled as the first one says.
            let (_, first) = together[0];
            let mut own = self.schedule.of_jitter([first[SEED], first[JITTER]]);
            run(machines, own.as_mut().unwrap_or(&mut self.scheduler), &mut output);
        }
        Ok(output)
    }
}

/// Runs programs that have cells or barriers in common to their ends, interleaved.
fn run(machines: Vec<Machine<'_>>, scheduler: &mut Scheduler, output: &mut Output) {
    let mut running: Vec<Machine<'_>> = machines;
    let mut waiting: Vec<Machine<'_>> = Vec::new();
    let (mut at, mut ended) = (0, true);
    while !running.is_empty() {
        // A program alone takes no draws.
        at = if running.len() == 1 { 0 } else { scheduler.next(running.len(), at, ended) };
        ended = !running[at].step(scheduler, output);
        if ended {
            let last = running.remove(at);
            let (grid, blocks, barrier) = (last.grid, last.blocks, last.waits());
            waiting.push(last);
            let meets = |m: &Machine<'_>| m.grid == grid && m.waits() == barrier;
            if barrier.is_some() && waiting.iter().filter(|m| meets(m)).count() == blocks {
                let (mut going, others): (Vec<_>, Vec<_>) =
                    waiting.into_iter().partition(|m| meets(m));
                going.iter_mut().for_each(|m| m.go_on(output));
                running.append(&mut going);
                waiting = others;
            }
        }
    }
    waiting.iter().for_each(|machine| machine.report(output));
}

/// The words of a program's instructions, in a checked image.
fn instructions<'a>(image: &'a Image, header: &[u32]) -> &'a [u32] {
    let (first, count) = (header[CODE] as usize, header[INSTRUCTIONS] as usize);
    &image.code[first * INSTRUCTION_WORDS..][..count * INSTRUCTION_WORDS]
}

/// Are two programs of a checked image of one grid, or have they a cell in common?
fn share(image: &Image, one: &[u32], other: &[u32]) -> bool {
    let arrays = |header: &[u32]| {
        let (first, count) = (header[ARRAY] as usize, header[ARRAYS] as usize);
        image.arrays[2 * first..][..2 * count].chunks_exact(2)
    };
    let meet = |a: &[u32], b: &[u32]| {
        let (first, last) = (a[0].max(b[0]), (a[0] + a[1]).min(b[0] + b[1]));
        first < last
    };
    other[BLOCK] > 0 || arrays(one).any(|a| arrays(other).any(|b| meet(a, b)))
}
