//! From what a device left in its buffers to reports. Nothing in there is trusted: every number is
//! held against the job before it is used.

use crate::bytecode::Instruction;
use crate::image::{ENTRY_LONGS, Image, Output, THREAD_WORDS};
use crate::job::{Job, JobArray};
use crate::numbers::{header, result, status};
use crate::report::{ArrayReport, Entry, Passed, Place, Report, Status, Stop, ThreadReport};
use babycuda_core::evidence::Divergence;
use babycuda_core::syntax::BarrierScope;
use babycuda_core::{Cell, Name, Site};

/// A device's output that no run of the job can have left.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Malformed {
    /// A buffer of another length than the image's.
    #[error("the device returned {found} {what}, not {expected}")]
    #[allow(missing_docs)]
    Length { what: &'static str, found: usize, expected: usize },
    /// A thread's result contradicts itself or the program.
    #[error("thread {thread}: {kind}")]
    #[allow(missing_docs)]
    Thread { thread: u32, kind: MalformedThread },
    /// Threads stopped in different phases.
    #[error("threads 0 and {thread} stopped in different phases, {first} and {other}")]
    #[allow(missing_docs)]
    Phases { thread: u32, first: u32, other: u32 },
    /// All threads of a group stopped at one barrier, and did not go on.
    #[error("all threads of a {1} stopped at barrier {0} and did not go on")]
    OneBarrier(Site, BarrierScope),
    /// A thread passed a barrier without its group.
    #[error("thread {0} passed a barrier without its group")]
    Alone(u64),
}

/// What is wrong with the result of a thread.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[allow(missing_docs)]
#[non_exhaustive]
pub enum MalformedThread {
    /// No such status.
    #[error("unknown status {0}")]
    Status(u32),
    /// It cannot have stopped so there.
    #[error("it cannot have stopped at instruction {pc} with status {status}")]
    Stop { pc: u32, status: u32 },
    /// More fuel left than it had, or some left where it had too little.
    #[error("{left} fuel left of {given}")]
    Fuel { left: u32, given: u32 },
    /// More barriers passed than instructions executed.
    #[error("phase {phase} after {executed} instructions")]
    Barriers { phase: u32, executed: u32 },
    /// More log entries than it has room for, or room left where it had too little.
    #[error("{entries} log entries, with room for {capacity}")]
    Entries { entries: u32, capacity: u32 },
    /// An index that is said to be outside an array that has it.
    #[error("index {index} is not outside the array, which has {cells} cells")]
    Index { index: u64, cells: usize },
    /// An instruction that cannot overflow is said to have overflowed first.
    #[error("instruction {0} cannot overflow")]
    Overflow(u32),
    /// The entry is of no instruction that accesses an array.
    #[error("entry {entry}: instruction {pc} accesses nothing")]
    Access { entry: u32, pc: u32 },
    /// The entry is of an earlier phase than the one before, or of one after the thread stopped.
    #[error("entry {entry}: phase {phase} is out of order")]
    Phase { entry: u32, phase: u32 },
    /// The entry is of a cell that the array does not have.
    #[error("entry {entry}: {cell} is outside its array")]
    Cell { entry: u32, cell: Cell },
}

/// Checks that every buffer has the length that the image asks for.
pub(crate) fn check_lengths(image: &Image, output: &Output) -> Result<(), Malformed> {
    let lengths = [
        ("longs of memory", output.memory.len(), image.memory.len()),
        ("longs of the log", output.log.len(), image.log_entries * ENTRY_LONGS),
        ("words of thread results", output.threads.len(), image.threads * THREAD_WORDS),
    ];
    match lengths.into_iter().find(|(_, found, expected)| found != expected) {
        Some((what, found, expected)) => Err(Malformed::Length { what, found, expected }),
        None => Ok(()),
    }
}

/// The part of a device's output that belongs to one job.
#[derive(Clone, Debug)]
pub(crate) struct Part<'a> {
    /// The cells of its arrays.
    pub(crate) memory: Vec<&'a [u64]>,
    /// [`Job::log`] entries for each thread.
    pub(crate) log: &'a [u64],
    /// [`THREAD_WORDS`] for each thread.
    pub(crate) threads: &'a [u32],
}

impl<'a> Part<'a> {
    /// What the program of this header, in a checked image, left in an output of the right lengths.
    pub(crate) fn of(program: &[u32], image: &Image, output: &'a Output) -> Part<'a> {
        let word = |number: usize| program[number] as usize;
        let (threads, capacity) = (word(header::THREADS), word(header::CAPACITY));
        let arrays =
            image.arrays[2 * word(header::ARRAY)..][..2 * word(header::ARRAYS)].chunks_exact(2);
        let cells = |array: &[u32]| &output.memory[array[0] as usize..][..array[1] as usize];
        Part {
            memory: arrays.map(cells).collect(),
            log: &output.log[word(header::LOG) * ENTRY_LONGS..][..threads * capacity * ENTRY_LONGS],
            threads: &output.threads[word(header::THREAD) * THREAD_WORDS..]
                [..threads * THREAD_WORDS],
        }
    }
}

/// The report of a job.
pub(crate) fn decode(job: &Job, part: Part<'_>) -> Result<Report, Malformed> {
    let capacity = job.log() as usize * ENTRY_LONGS;
    let mut threads = Vec::with_capacity(job.threads() as usize);
    let mut results = Vec::with_capacity(job.threads() as usize);
    for (thread, words) in (0..job.threads()).zip(part.threads.chunks_exact(THREAD_WORDS)) {
        let place = |kind| Malformed::Thread { thread, kind };
        let result = ThreadResult::read(words);
        let stop = result.stop(job).map_err(place)?;
        let own = &part.log[thread as usize * capacity..][..capacity];
        let (log, passed) = result.entries(job, own).map_err(place)?;
        threads.push(ThreadReport { stop, log, passed });
        results.push(result);
    }
    let last_phase = results.first().map_or(0, |result| result.phase);
    if let Some((thread, other)) = (0..).zip(&results).find(|(_, r)| r.phase != last_phase) {
        return Err(Malformed::Phases { thread, first: last_phase, other: other.phase });
    }
    let overflowed = (0..).zip(&results).find(|(_, result)| result.overflow != 0);
    let overflow = overflowed
        .map(|(thread, result)| Place { thread, site: job.code().site(result.overflow - 1) });
    let report = Report {
        block: job.block(),
        status: status(job, &results, &threads, last_phase)?,
        overflow,
        last_phase,
        arrays: arrays(job, part.memory.into_iter()),
        threads,
    };
    report.without_its_group().map_or(Ok(report), |thread| Err(Malformed::Alone(thread)))
}

/// The arrays of a job with these cells.
pub(crate) fn arrays<'a>(job: &Job, memory: impl Iterator<Item = &'a [u64]>) -> Vec<ArrayReport> {
    let arrays = job.code().arrays().iter().zip(job.arrays()).zip(memory);
    let report = |((name, before), cells): ((&Name, &JobArray), &[u64])| ArrayReport {
        name: name.clone(),
        space: before.space,
        cells: cells.to_vec(),
    };
    arrays.map(report).collect()
}

/// The words of a thread's result.
struct ThreadResult {
    status: u32,
    pc: u32,
    entries: u32,
    overflow: u32,
    phase: u32,
    fuel: u32,
    index: u64,
}

impl ThreadResult {
    fn read(words: &[u32]) -> ThreadResult {
        let word = |number: usize| words[number];
        ThreadResult {
            status: word(result::STATUS),
            pc: word(result::PC),
            entries: word(result::LOGGED),
            overflow: word(result::OVERFLOW),
            phase: word(result::PHASE),
            fuel: word(result::FUEL),
            index: u64::from(word(result::OUTSIDE)) | u64::from(word(result::OUTSIDE_HIGH)) << 32,
        }
    }

    /// Where the thread stopped.
    fn stop(&self, job: &Job) -> Result<Stop, MalformedThread> {
        let ThreadResult { status, pc, .. } = *self;
        if self.fuel > job.fuel() || status == status::OUT_OF_FUEL && self.fuel != 0 {
            return Err(MalformedThread::Fuel { left: self.fuel, given: job.fuel() });
        }
        let executed = job.fuel() - self.fuel;
        if self.phase > executed {
            return Err(MalformedThread::Barriers { phase: self.phase, executed });
        }
        if self.entries > job.log() || status == status::LOG_FULL && self.entries != job.log() {
            let capacity = job.log();
            return Err(MalformedThread::Entries { entries: self.entries, capacity });
        }
        let code = job.code();
        if let Some(pc) = self.overflow.checked_sub(1)
            && !code.instructions().get(pc as usize).is_some_and(|i| i.may_overflow())
        {
            return Err(MalformedThread::Overflow(pc));
        }
        let unreachable = MalformedThread::Stop { pc, status };
        let Some(instruction) = code.instructions().get(pc as usize) else {
            return Err(unreachable);
        };
        let site = code.site(pc);
        match (status, instruction, site) {
            (status::HALTED, Instruction::Halt, _) => Ok(Stop::End),
            (status::BARRIER, Instruction::Sync { .. }, Some(site)) => Ok(Stop::Barrier(site)),
            (status::OUT_OF_FUEL, _, site) => Ok(Stop::OutOfFuel(site)),
            (status::LOG_FULL, Instruction::Sync { scope, .. }, Some(site))
                if *scope < BarrierScope::Block =>
            {
                Ok(Stop::LogFull(site))
            }
            (status::LOG_FULL | status::OUTSIDE, _, Some(site)) => {
                let Some(array) = instruction.accessed() else { return Err(unreachable) };
                if status == status::LOG_FULL {
                    return Ok(Stop::LogFull(site));
                }
                let cells = job.arrays()[array as usize].cells.len();
                match self.index < cells as u64 {
                    true => Err(MalformedThread::Index { index: self.index, cells }),
                    false => Ok(Stop::OutOfBounds(site)),
                }
            }
            (0..=status::OUTSIDE, ..) => Err(unreachable),
            _ => Err(MalformedThread::Status(status)),
        }
    }

    /// The thread's log, of accesses and of barriers passed; `longs` has room for all entries that
    /// `stop` allows.
    fn entries(
        &self,
        job: &Job,
        longs: &[u64],
    ) -> Result<(Vec<Entry>, Vec<Passed>), MalformedThread> {
        let mut log = Vec::with_capacity(self.entries as usize);
        let (mut passed, mut before) = (Vec::new(), 0);
        let written = longs.chunks_exact(ENTRY_LONGS).take(self.entries as usize);
        for (entry, longs) in (0u32..).zip(written) {
            let (pc, phase) = (longs[0] as u32, (longs[0] >> 32) as u32);
            let (access, site) = (job.code().access(pc), job.code().site(pc));
            if phase < before || phase > self.phase {
                return Err(MalformedThread::Phase { entry, phase });
            }
            before = phase;
            let (index, value) = (longs[1], longs[2]);
            let barrier = job.code().instructions().get(pc as usize).and_then(|i| i.barrier());
            if let (Some(scope), Some(site), [0, 0]) = (barrier, site, [index, value])
                && scope < BarrierScope::Block
            {
                passed.push(Passed { phase, site, scope, after: log.len() as u32 });
                continue;
            }
            let (Some((mode, array)), Some(site)) = (access, site) else {
                return Err(MalformedThread::Access { entry, pc });
            };
            if index >= job.arrays()[array as usize].cells.len() as u64 {
                let cell = Cell::new(job.code().arrays()[array as usize].clone(), index);
                return Err(MalformedThread::Cell { entry, cell });
            }
            log.push(Entry { phase, site, mode, array, index, value });
        }
        Ok((log, passed))
    }
}

/// What the stops of the threads come to.
fn status(
    job: &Job,
    results: &[ThreadResult],
    threads: &[ThreadReport],
    phase: u32,
) -> Result<Status, Malformed> {
    let stops = || (0u64..).zip(threads).map(|(thread, report)| (thread, report.stop));
    for ((thread, stop), result) in stops().zip(results) {
        let place = |site| Place { thread, site };
        match stop {
            Stop::End | Stop::Barrier(_) => {}
            Stop::OutOfFuel(site) => return Ok(Status::OutOfFuel(place(site))),
            Stop::LogFull(site) => return Ok(Status::LogFull(place(Some(site)))),
            Stop::OutOfBounds(site) => {
                let array = job.code().access(result.pc).map(|(_, array)| array as usize);
                // Proof: `ThreadResult::stop` found an access there.
                let array = array.expect("an access is out of bounds");
                let cell = Cell::new(job.code().arrays()[array].clone(), result.index);
                return Ok(Status::OutOfBounds { place: place(Some(site)), cell });
            }
        }
    }
    let scope = |i: u64| {
        let result = results.get(i as usize)?;
        job.code().instructions().get(result.pc as usize)?.barrier()
    };
    // Where a thread waits, and for which group.
    let places: Vec<_> = stops()
        .map(|(i, stop)| match stop {
            Stop::Barrier(site) => scope(i).map(|scope| (scope, site)),
            _ => None,
        })
        .collect();
    let block = job.block();
    let members = |scope, i| {
        let group = block.launch.group(scope, block.thread(i));
        (group.first..group.end).zip(&places[group.first as usize..group.end as usize])
    };
    let waiting = || (0u64..).zip(&places).filter_map(|(i, place)| Some((i, (*place)?)));
    for (i, (scope, site)) in waiting() {
        let others = scope == BarrierScope::Grid && block.launch.grid.count() > 1;
        if !others && members(scope, i).all(|(_, place)| *place == Some((scope, site))) {
            return Err(Malformed::OneBarrier(site, scope));
        }
    }
    let Some((scope, i)) = waiting().map(|(i, (scope, _))| (scope, i)).min() else {
        return Ok(Status::Done);
    };
    let mut sites = members(scope, i).map(|(i, place)| (i, place.map(|(_, site)| site)));
    // Proof: the group has the thread that waits.
    let first = sites.next().expect("a thread");
    Ok(match (sites.find(|(_, site)| *site != first.1), first.1) {
        (Some(second), _) => {
            Status::Divergence(Divergence { phase: phase as usize, first, second, scope })
        }
        // Of one block of several: otherwise it went on.
        (None, Some(site)) => Status::Waits(site),
        (None, None) => Status::Done,
    })
}
