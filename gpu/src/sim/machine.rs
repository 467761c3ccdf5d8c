//! One workgroup: its threads, interleaved, phase by phase.

use super::schedule::Scheduler;
use super::thread::{Memory, Stop, Thread};
use crate::bytecode::Instruction;
use crate::image::{ENTRY_LONGS, Image, Output, PROGRAM_WORDS, THREAD_WORDS};
use crate::jitter::Jitter;
use crate::numbers::header::*;
use babycuda_core::syntax::BarrierScope;
use babycuda_core::{Dim3, Launch, Thread as Index};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{RngCore, SeedableRng};

/// A program of a checked image, on its way.
pub(super) struct Machine<'a> {
    code: &'a [Instruction],
    arrays: &'a [u32],
    launch: Launch,
    /// The first program of its grid, and how many there are.
    pub(super) grid: usize,
    pub(super) blocks: usize,
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
    /// The program of this number of `image`, which was checked; `code` has its instructions.
    pub(super) fn new(image: &'a Image, number: usize, code: &'a [Instruction]) -> Machine<'a> {
        let header = &image.programs[number * PROGRAM_WORDS..][..PROGRAM_WORDS];
        let word = |word: usize| header[word] as usize;
        let block = Dim3 { x: header[X], y: header[Y], z: header[Z] };
        let inputs = &image.inputs[word(INPUT)..][..word(INPUTS)];
        let thread = |tid| {
            let position = block.position(u64::from(tid)).components();
            Thread::new(tid, position, inputs, header[FUEL])
        };
        let jitter = Jitter::read([header[SEED], header[JITTER]]).unwrap_or_default();
        let mut random = Xoshiro256PlusPlus::seed_from_u64(jitter.seed.into());
        let mut order: Vec<usize> = (0..word(THREADS)).collect();
        if jitter.strided {
            let lanes = order.len().next_power_of_two();
            let (by, first) = (random.next_u64() as usize | 1, random.next_u64() as usize);
            let threads = (0..lanes).map(|lane| lane.wrapping_mul(by).wrapping_add(first) % lanes);
            order = threads.filter(|thread| *thread < order.len()).collect();
        } else if jitter.lanes > 0 {
            for last in (1..order.len()).rev() {
                order.swap(last, (random.next_u64() % (last as u64 + 1)) as usize);
            }
        }
        let mut machine = Machine {
            code,
            arrays: &image.arrays[2 * word(ARRAY)..][..2 * word(ARRAYS)],
            // All that groups ask of it.
            launch: Launch { warp: header[WARP], ..Launch::threads(header[THREADS]) },
            grid: number - word(BLOCK),
            blocks: word(BLOCKS),
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

    /// One step of one thread; false when none can go on: at the end of the block, or at a barrier
    /// of the grid.
    pub(super) fn step(&mut self, scheduler: &mut Scheduler, output: &mut Output) -> bool {
        self.at = scheduler.next(self.running.len(), self.at, self.stopped);
        let (thread, left) = self.running[self.at];
        let code = self.code;
        let (own, mut memory) = self.thread(thread, output);
        own.step(code, &mut memory);
        let stop = own.stop;
        self.stopped = stop.is_some() || left == 1;
        if self.stopped {
            self.running.remove(self.at);
        } else {
            self.running[self.at].1 = left.saturating_sub(1);
        }
        if let Some(Stop::Barrier(scope, _)) = stop
            && (scope != BarrierScope::Grid || self.blocks == 1)
            && (scope < BarrierScope::Block || self.running.is_empty())
        {
            self.meet(scope, thread, output);
        }
        if self.running.is_empty() {
            if self.threads.iter().all(|thread| thread.stop.is_some()) {
                return false;
            }
            self.begin_turn();
        }
        true
    }

    fn thread<'m>(
        &'m mut self,
        thread: usize,
        output: &'m mut Output,
    ) -> (&'m mut Thread, Memory<'m>) {
        let log = (self.log + thread * self.share) * ENTRY_LONGS;
        let memory = Memory {
            cells: &mut output.memory,
            arrays: self.arrays,
            log: &mut output.log[log..][..self.share * ENTRY_LONGS],
        };
        (&mut self.threads[thread], memory)
    }

    /// The group of a thread goes on if all of it wait at the barrier at which the thread stopped.
    fn meet(&mut self, scope: BarrierScope, thread: usize, output: &mut Output) {
        let group = self.launch.group(scope, Index { block: 0, index: thread as u64 });
        let members = group.first as usize..group.end as usize;
        let stop = self.threads[thread].stop;
        if self.threads[members.clone()].iter().all(|other| other.stop == stop) {
            for member in members {
                self.pass(member, output);
                // Turns decide who goes on; without them, all that can.
                if self.turn == 0 && scope < BarrierScope::Block {
                    self.running.push((member, u32::MAX));
                }
            }
        }
    }

    fn pass(&mut self, thread: usize, output: &mut Output) {
        let (own, mut memory) = self.thread(thread, output);
        own.pass_barrier(&mut memory);
    }

    /// The barrier of the grid at which all its threads wait.
    pub(super) fn waits(&self) -> Option<u32> {
        let mut stops = self.threads.iter().map(|thread| thread.stop);
        match stops.next()? {
            Some(first @ Stop::Barrier(BarrierScope::Grid, barrier)) => {
                stops.all(|stop| stop == Some(first)).then_some(barrier)
            }
            _ => None,
        }
    }

    /// Goes on behind a barrier of the grid, at which all its threads wait.
    pub(super) fn go_on(&mut self, output: &mut Output) {
        (0..self.threads.len()).for_each(|thread| self.pass(thread, output));
        self.begin_turn();
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

    /// Writes the threads' results.
    pub(super) fn report(&self, output: &mut Output) {
        let results = output.threads[self.results * THREAD_WORDS..].chunks_exact_mut(THREAD_WORDS);
        for (result, thread) in results.zip(&self.threads) {
            result.copy_from_slice(&thread.result());
        }
    }
}
