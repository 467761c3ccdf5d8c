//! A program on a device with a fault: what it gets, what is left of its run, and what is done to that.

use super::{BLOCK, Fault};
use babycuda_gpu::bytecode::{Instruction, decode};
use babycuda_gpu::image::{ENTRY_LONGS, INSTRUCTION_WORDS, PROGRAM_WORDS, THREAD_WORDS};
use babycuda_gpu::{Image, Output};
use std::ops::Range;

/// Where the results of a program's threads are.
pub(super) fn results(header: &[u32]) -> Range<usize> {
    let first = header[13] as usize * THREAD_WORDS;
    first..first + header[2] as usize * THREAD_WORDS
}

/// Where their logs are.
pub(super) fn log(header: &[u32]) -> Range<usize> {
    let first = header[12] as usize * ENTRY_LONGS;
    first..first + (header[2] * header[11]) as usize * ENTRY_LONGS
}

/// Where the arrays of a program are, among those of the image.
pub(super) fn arrays(header: &[u32]) -> Range<usize> {
    let first = 2 * header[3] as usize;
    first..first + 2 * header[4] as usize
}

/// Where its code is.
fn code(header: &[u32]) -> Range<usize> {
    let first = header[0] as usize * INSTRUCTION_WORDS;
    first..first + header[1] as usize * INSTRUCTION_WORDS
}

pub(super) fn instructions(image: &Image, header: &[u32]) -> Vec<Instruction> {
    decode(&image.code[code(header)]).unwrap_or_default()
}

/// Does a device get something else for the program of this number?
pub(super) fn differs_before(image: &Image, given: &Image, number: usize) -> bool {
    let header = |of: &Image| of.programs[number * PROGRAM_WORDS..][..PROGRAM_WORDS].to_vec();
    let own = header(image);
    header(given) != own
        || given.code[code(&own)] != image.code[code(&own)]
        || given.arrays[arrays(&own)] != image.arrays[arrays(&own)]
}

/// Is something else left of it?
pub(super) fn differs_after(image: &Image, header: &[u32], one: &Output, other: &Output) -> bool {
    let mut cells = image.arrays[arrays(header)].chunks_exact(2).map(|array| {
        let first = array[0] as usize;
        first..first + array[1] as usize
    });
    one.threads[results(header)] != other.threads[results(header)]
        || one.log[log(header)] != other.log[log(header)]
        || cells.any(|cells| one.memory[cells.clone()] != other.memory[cells])
}

/// A program, and what the device left of its run.
pub(super) struct Victim<'a> {
    pub(super) image: &'a Image,
    pub(super) header: &'a [u32],
    pub(super) output: &'a mut Output,
}

/// Is the entry of a log an access, and no barrier of a group?
fn is_access(code: &[Instruction], entry: &[u64]) -> bool {
    code.get(entry[0] as u32 as usize).is_some_and(|i| i.accessed().is_some())
}

impl Victim<'_> {
    pub(super) fn suffer(&mut self, fault: Fault) {
        match fault {
            Fault::Index => self.change_index(),
            Fault::Value => self.change_last(2, |value| value ^ 1),
            Fault::MissingAccess => self.drop_last(),
            Fault::LatePhase => self.delay(),
            Fault::HiddenRaces => (1..self.threads()).for_each(|t| self.thread(t)[2] = 0),
            Fault::Memory => self.change_memory(),
            Fault::HiddenDivergence => self.hide_divergence(),
            Fault::FalseOverflow => self.overflow(),
            Fault::HiddenOverflow => (0..self.threads()).for_each(|t| self.thread(t)[3] = 0),
            // The device did that.
            Fault::WrongOperator
            | Fault::EagerSwap
            | Fault::LoneThreads
            | Fault::WideWarps
            | Fault::OneSharedMemory
            | Fault::SecondRun => {}
            Fault::LostStore => self.lose_store(),
            Fault::MissingStages => self.drop_stages(),
        }
    }

    fn threads(&self) -> usize {
        self.header[2] as usize
    }

    /// What the device says of a thread.
    fn thread(&mut self, thread: usize) -> &mut [u32] {
        let first = (self.header[13] as usize + thread) * THREAD_WORDS;
        &mut self.output.threads[first..first + THREAD_WORDS]
    }

    fn log(&mut self, thread: usize) -> &mut [u64] {
        let entries = self.thread(thread)[2] as usize;
        let first = self.header[12] as usize + thread * self.header[11] as usize;
        &mut self.output.log[first * ENTRY_LONGS..][..entries * ENTRY_LONGS]
    }

    /// Changes a long of the last access of the first thread that has one.
    fn change_last(&mut self, long: usize, change: impl Fn(u64) -> u64) {
        let code = instructions(self.image, self.header);
        for thread in 0..self.threads() {
            let mut entries = self.log(thread).chunks_exact_mut(ENTRY_LONGS);
            if let Some(entry) = entries.rfind(|entry| is_access(&code, entry)) {
                entry[long] = change(entry[long]);
                return;
            }
        }
    }

    /// Another index of the same array, if it has one.
    fn change_index(&mut self) {
        let image = self.image;
        let arrays = self.header[3] as usize;
        let arrays = &image.arrays[2 * arrays..][..2 * self.header[4] as usize];
        let least = arrays.chunks_exact(2).map(|array| u64::from(array[1])).min().unwrap_or(0);
        if least > 1 {
            self.change_last(1, |index| if index == 0 { 1 } else { index - 1 });
        }
    }

    fn drop_last(&mut self) {
        if let Some(thread) = (0..self.threads()).find(|thread| !self.log(*thread).is_empty()) {
            self.thread(thread)[2] -= 1;
        }
    }

    /// Leaves only accesses in the logs.
    fn drop_stages(&mut self) {
        let code = instructions(self.image, self.header);
        let accesses = |entry: &&[u64]| is_access(&code, entry);
        for thread in 0..self.threads() {
            let log = self.log(thread);
            let kept: Vec<u64> =
                log.chunks_exact(ENTRY_LONGS).filter(accesses).flatten().copied().collect();
            log[..kept.len()].copy_from_slice(&kept);
            self.thread(thread)[2] = (kept.len() / ENTRY_LONGS) as u32;
        }
    }

    /// Moves the last access of a phase to the next one.
    fn delay(&mut self) {
        for thread in 0..self.threads() {
            let last_phase = u64::from(self.thread(thread)[4]);
            let log = self.log(thread);
            for at in (0..log.len()).step_by(ENTRY_LONGS) {
                let phase = log[at] >> 32;
                let next = log.get(at + ENTRY_LONGS).map_or(last_phase, |next| next >> 32);
                if phase < next {
                    log[at] += 1 << 32;
                    return;
                }
            }
        }
    }

    fn change_memory(&mut self) {
        let arrays = self.header[3] as usize;
        if let Some(array) = self.image.arrays[2 * arrays..].chunks_exact(2).find(|a| a[1] > 0)
            && self.header[4] > 0
        {
            self.output.memory[array[0] as usize] ^= 1;
        }
    }

    /// Puts back what a cell held before, of an array that the next block has too.
    fn lose_store(&mut self) {
        let image = self.image;
        let next = self.header[BLOCK] as usize + 1;
        let blocks = image.programs.chunks_exact(PROGRAM_WORDS);
        let other = blocks.skip_while(|header| header[13] != self.header[13]).nth(1);
        let Some(other) = other.filter(|other| other[BLOCK] as usize == next) else { return };
        let (own, others) = (&image.arrays[arrays(self.header)], &image.arrays[arrays(other)]);
        let common = own.chunks_exact(2).zip(others.chunks_exact(2)).filter(|(a, b)| a == b);
        let mut cells = common.flat_map(|(array, _)| array[0]..array[0] + array[1]);
        let (before, after) = (&image.memory, &mut self.output.memory);
        if let Some(cell) = cells.find(|cell| before[*cell as usize] != after[*cell as usize]) {
            after[cell as usize] = before[cell as usize];
        }
    }

    fn hide_divergence(&mut self) {
        let halt =
            instructions(self.image, self.header).iter().position(|i| *i == Instruction::Halt);
        let Some(halt) = halt else { return };
        for thread in 0..self.threads() {
            let words = self.thread(thread);
            if words[0] == 1 {
                words[..2].copy_from_slice(&[0, halt as u32]);
            }
        }
    }

    fn overflow(&mut self) {
        let Some(pc) = instructions(self.image, self.header).iter().position(|i| i.may_overflow())
        else {
            return;
        };
        for thread in 0..self.threads() {
            self.thread(thread)[3] = 1 + pc as u32;
        }
    }
}
