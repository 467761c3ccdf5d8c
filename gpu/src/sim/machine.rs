//! One workgroup: its threads, interleaved, phase by phase.

use super::schedule::Scheduler;
use super::thread::{Memory, Stop, Thread};
use crate::bytecode::Instruction;
use crate::image::{ENTRY_LONGS, Image, Output, THREAD_WORDS};
use babycuda_core::Dim3;

/// A program of a checked image, about to run.
pub(super) struct Machine<'a> {
    code: &'a [Instruction],
    arrays: &'a [u32],
    cells: &'a mut [u64],
    /// The log of the program's threads, and the longs that each of them has of it.
    log: &'a mut [u64],
    share: usize,
    results: &'a mut [u32],
    threads: Vec<Thread>,
}

impl<'a> Machine<'a> {
    /// `header` is that of a program of `image`, which was checked; `code` its instructions.
    pub(super) fn new(
        image: &'a Image,
        header: &[u32],
        code: &'a [Instruction],
        output: &'a mut Output,
    ) -> Machine<'a> {
        let word = |number: usize| header[number] as usize;
        let block = Dim3 { x: header[7], y: header[8], z: header[9] };
        let inputs = &image.inputs[word(5)..][..word(6)];
        let thread = |tid| {
            let position = block.position(u64::from(tid)).components();
            Thread::new(tid, position, inputs, header[10])
        };
        let (count, share) = (word(2), word(11) * ENTRY_LONGS);
        Machine {
            code,
            arrays: &image.arrays[2 * word(3)..][..2 * word(4)],
            cells: &mut output.memory,
            log: &mut output.log[word(12) * ENTRY_LONGS..][..count * share],
            share,
            results: &mut output.threads[word(13) * THREAD_WORDS..][..count * THREAD_WORDS],
            threads: (0..header[2]).map(thread).collect(),
        }
    }

    /// Runs to the end of the block, and writes the threads' results.
    pub(super) fn run(mut self, scheduler: &mut Scheduler) {
        loop {
            self.phase(scheduler);
            if !self.at_one_barrier() {
                break;
            }
            self.threads.iter_mut().for_each(Thread::pass_barrier);
        }
        for (result, thread) in self.results.chunks_exact_mut(THREAD_WORDS).zip(&self.threads) {
            result.copy_from_slice(&thread.result());
        }
    }

    /// Every thread to its stop.
    fn phase(&mut self, scheduler: &mut Scheduler) {
        let mut running: Vec<usize> = (0..self.threads.len()).collect();
        let mut at = 0;
        let mut stopped = true;
        while !running.is_empty() {
            at = scheduler.next(running.len(), at, stopped);
            self.step(running[at]);
            stopped = self.threads[running[at]].stop.is_some();
            if stopped {
                running.remove(at);
            }
        }
    }

    fn step(&mut self, thread: usize) {
        let mut memory = Memory {
            cells: self.cells,
            arrays: self.arrays,
            log: &mut self.log[thread * self.share..][..self.share],
        };
        self.threads[thread].step(self.code, &mut memory);
    }

    /// Did all threads stop at the same barrier?
    fn at_one_barrier(&self) -> bool {
        let mut stops = self.threads.iter().map(|thread| thread.stop);
        let first = stops.next().flatten();
        matches!(first, Some(Stop::Barrier(_))) && stops.all(|stop| stop == first)
    }
}
