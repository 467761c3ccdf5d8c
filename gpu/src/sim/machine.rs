//! One workgroup: its threads, interleaved, phase by phase.

use super::schedule::Scheduler;
use super::thread::{Memory, Stop, Thread};
use crate::bytecode::Instruction;
use crate::image::{ENTRY_LONGS, Image, Output, THREAD_WORDS};
use crate::jitter::Jitter;
use crate::numbers::header::*;
use babycuda_core::Dim3;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{RngCore, SeedableRng};

/// A program of a checked image, on its way.
pub(super) struct Machine<'a> {
    code: &'a [Instruction],
    arrays: &'a [u32],
    /// The first entry of the log, and the entries of each thread.
    log: usize,
    share: usize,
    /// Where the threads' results belong.
    results: usize,
    threads: Vec<Thread>,
    /// In this order they are looked at.
    order: Vec<usize>,
    /// Accesses that a turn allows at most, or 0.
    turn: u32,
    random: Xoshiro256PlusPlus,
    /// The threads that go on in this turn, with the accesses that it allows them.
    running: Vec<(usize, u32)>,
    at: usize,
    stopped: bool,
}

impl<'a> Machine<'a> {
    /// `header` is that of a program of `image`, which was checked; `code` its instructions.
    pub(super) fn new(image: &'a Image, header: &[u32], code: &'a [Instruction]) -> Machine<'a> {
        let word = |number: usize| header[number] as usize;
        let block = Dim3 { x: header[X], y: header[Y], z: header[Z] };
        let inputs = &image.inputs[word(INPUT)..][..word(INPUTS)];
        let thread = |tid| {
            let position = block.position(u64::from(tid)).components();
            Thread::new(tid, position, inputs, header[FUEL])
        };
        let jitter = Jitter::read([header[SEED], header[JITTER]]).unwrap_or_default();
        let mut random = Xoshiro256PlusPlus::seed_from_u64(jitter.seed.into());
        let mut order: Vec<usize> = (0..word(THREADS)).collect();
        if jitter.lanes > 0 {
            for last in (1..order.len()).rev() {
                order.swap(last, (random.next_u64() % (last as u64 + 1)) as usize);
            }
        }
        let mut machine = Machine {
            code,
            arrays: &image.arrays[2 * word(ARRAY)..][..2 * word(ARRAYS)],
            log: word(LOG),
            share: word(CAPACITY),
            results: word(THREAD),
            threads: (0..header[THREADS]).map(thread).collect(),
            order,
            turn: jitter.turn.into(),
            random,
            running: Vec::new(),
            at: 0,
            stopped: true,
        };
        machine.begin_turn();
        machine
    }

    /// One step of one thread; false at the end of the block.
    pub(super) fn step(&mut self, scheduler: &mut Scheduler, output: &mut Output) -> bool {
        self.at = scheduler.next(self.running.len(), self.at, self.stopped);
        let (thread, left) = self.running[self.at];
        let log = (self.log + thread * self.share) * ENTRY_LONGS;
        let mut memory = Memory {
            cells: &mut output.memory,
            arrays: self.arrays,
            log: &mut output.log[log..][..self.share * ENTRY_LONGS],
        };
        self.threads[thread].step(self.code, &mut memory);
        self.stopped = self.threads[thread].stop.is_some() || left == 1;
        if self.stopped {
            self.running.remove(self.at);
        } else {
            self.running[self.at].1 = left.saturating_sub(1);
        }
        !self.running.is_empty() || self.goes_on()
    }

    /// Goes on to the next turn, or phase, unless there is none.
    fn goes_on(&mut self) -> bool {
        if self.threads.iter().all(|thread| thread.stop.is_some()) {
            if !self.at_one_barrier() {
                return false;
            }
            self.threads.iter_mut().for_each(Thread::pass_barrier);
        }
        self.begin_turn();
        true
    }

    /// Draws who goes on in the next turn, until somebody does: some thread has not stopped.
    fn begin_turn(&mut self) {
        (self.at, self.stopped) = (0, true);
        while self.running.is_empty() {
            for &thread in &self.order {
                let left = match self.turn {
                    0 => u32::MAX,
                    most => (self.random.next_u64() % (u64::from(most) + 1)) as u32,
                };
                if left > 0 && self.threads[thread].stop.is_none() {
                    self.running.push((thread, left));
                }
            }
        }
    }

    /// Did all threads stop at the same barrier?
    fn at_one_barrier(&self) -> bool {
        let mut stops = self.threads.iter().map(|thread| thread.stop);
        let first = stops.next().flatten();
        matches!(first, Some(Stop::Barrier(_))) && stops.all(|stop| stop == first)
    }

    /// Writes the threads' results.
    pub(super) fn report(&self, output: &mut Output) {
        let results = output.threads[self.results * THREAD_WORDS..].chunks_exact_mut(THREAD_WORDS);
        for (result, thread) in results.zip(&self.threads) {
            result.copy_from_slice(&thread.result());
        }
    }
}
