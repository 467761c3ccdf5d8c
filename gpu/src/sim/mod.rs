//! The simulator: a back end in plain Rust, for images of any kind.
//!
//! It interleaves the threads of a program at every access, so that races show. A [`Schedule`]
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
        self.fits(image)?;
        let refused = |message: String| DeviceError::Call { call: "loading the image", message };
        check(image).map_err(|error| refused(error.to_string()))?;
        let mut output = Output {
            memory: image.memory.clone(),
            log: vec![0; image.log_entries * ENTRY_LONGS],
            threads: vec![0; image.threads * THREAD_WORDS],
        };
        // Programs that share code are decoded once.
        let mut decoded: HashMap<&[u32], Vec<Instruction>> = HashMap::new();
        for header in image.programs.chunks_exact(PROGRAM_WORDS) {
            let (first, count) = (header[0] as usize, header[1] as usize);
            let words = &image.code[first * INSTRUCTION_WORDS..][..count * INSTRUCTION_WORDS];
            if !decoded.contains_key(words) {
                let code = decode(words).map_err(|error| refused(error.to_string()))?;
                decoded.insert(words, code);
            }
            Machine::new(image, header, &decoded[words], &mut output).run(&mut self.scheduler);
        }
        Ok(output)
    }
}
