//! Back ends that are wrong on purpose: whoever trusts the claims wants to see them fail.

use crate::claims::Claim;
use babycuda_core::expr::ArithOp;
use babycuda_core::syntax::AtomicOp;
use babycuda_gpu::bytecode::{Instruction, Register, decode, encode};
use babycuda_gpu::image::{ENTRY_LONGS, INSTRUCTION_WORDS, PROGRAM_WORDS, THREAD_WORDS};
use babycuda_gpu::{Backend, Device, DeviceError, Image, Output};
use std::fmt;

/// What a back end does wrong, with every program for which it can.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Fault {
    /// The last access of a thread is logged with another index.
    Index,
    /// The last access of a thread is logged with another value.
    Value,
    /// The last access of a thread is missing in its log.
    MissingAccess,
    /// An access is logged one phase late.
    LatePhase,
    /// Only thread 0 logs anything: no race can be seen.
    HiddenRaces,
    /// A cell of the memory is not what it should be.
    Memory,
    /// Threads that stopped at a barrier are said to have ended.
    HiddenDivergence,
    /// Threads that ended are said to have overflowed a number before.
    FalseOverflow,
    /// Overflow is not reported.
    HiddenOverflow,
    /// Additions of naturals subtract.
    WrongOperator,
    /// A compare-and-swap swaps whatever it finds.
    EagerSwap,
    /// Barriers of tiles and warps are missing in the log.
    MissingStages,
    /// A thread at a barrier of a tile or warp waits for nobody.
    LoneThreads,
    /// Warps have twice the threads that they should have.
    WideWarps,
}

impl Fault {
    /// All of them.
    pub const ALL: [Fault; 14] = [
        Fault::Index,
        Fault::Value,
        Fault::MissingAccess,
        Fault::LatePhase,
        Fault::HiddenRaces,
        Fault::Memory,
        Fault::HiddenDivergence,
        Fault::FalseOverflow,
        Fault::HiddenOverflow,
        Fault::WrongOperator,
        Fault::EagerSwap,
        Fault::MissingStages,
        Fault::LoneThreads,
        Fault::WideWarps,
    ];

    /// The claims that a back end with the fault violates, on some of a few hundred programs; none
    /// where its reports are refused.
    pub fn violates(self) -> &'static [Claim] {
        use Claim::*;
        match self {
            Fault::Index => &[
                WellTypedProgramsAccessTheirProtocol,
                ThreadsFollowTheirProgram,
                DifferencesAreExplained,
            ],
            Fault::Value => &[ThreadsFollowTheirProgram, ValuesAreOfAnInterleaving],
            Fault::MissingAccess | Fault::LatePhase => {
                &[WellTypedProgramsAccessTheirProtocol, ThreadsFollowTheirProgram]
            }
            Fault::HiddenRaces => &[WellTypedProgramsAccessTheirProtocol, RacesAreInTheLog],
            Fault::Memory => &[
                RaceFreeProgramsEndInLastwrite,
                ValuesAreOfAnInterleaving,
                EndsAreThoseOfInterleavings,
            ],
            Fault::HiddenDivergence => &[DivergenceIsReported, ThreadsFollowTheirProgram],
            Fault::FalseOverflow | Fault::HiddenOverflow => &[OverflowIsReported],
            Fault::WrongOperator => &[ThreadsFollowTheirProgram, RaceFreeProgramsEndInLastwrite],
            Fault::EagerSwap => &[ValuesAreOfAnInterleaving],
            Fault::MissingStages => {
                &[WellTypedProgramsAccessTheirProtocol, RacesAreInTheLog, ThreadsFollowTheirProgram]
            }
            Fault::LoneThreads | Fault::WideWarps => &[],
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Fault::Index => "a wrong index in the log",
            Fault::Value => "a wrong value in the log",
            Fault::MissingAccess => "an access missing in the log",
            Fault::LatePhase => "an access logged one phase late",
            Fault::HiddenRaces => "only thread 0 logs",
            Fault::Memory => "a wrong cell in memory",
            Fault::HiddenDivergence => "divergence reported as an end",
            Fault::FalseOverflow => "overflow reported where there is none",
            Fault::HiddenOverflow => "overflow not reported",
            Fault::WrongOperator => "an addition that subtracts",
            Fault::EagerSwap => "a compare-and-swap that always swaps",
            Fault::MissingStages => "barriers of tiles and warps missing in the log",
            Fault::LoneThreads => "threads that wait for nobody of their group",
            Fault::WideWarps => "warps of twice the threads",
        })
    }
}

/// The word of a header that says how many threads warps have.
const WARP: usize = 16;

/// A back end with a fault.
pub struct Wrong {
    backend: Box<dyn Backend>,
    fault: Fault,
}

impl Wrong {
    /// The back end, with the fault.
    pub fn new(backend: Box<dyn Backend>, fault: Fault) -> Wrong {
        Wrong { backend, fault }
    }
}

impl Backend for Wrong {
    fn device(&self) -> &Device {
        self.backend.device()
    }

    fn launch(&mut self, image: &Image) -> Result<Output, DeviceError> {
        if matches!(self.fault, Fault::WrongOperator | Fault::EagerSwap) {
            return self.backend.launch(&recoded(image, self.fault));
        }
        if let Fault::LoneThreads | Fault::WideWarps = self.fault {
            let mut wrong = image.clone();
            for header in wrong.programs.chunks_exact_mut(PROGRAM_WORDS) {
                let warp = header[WARP];
                header[WARP] = if self.fault == Fault::WideWarps { 2 * warp } else { 1 };
            }
            return self.backend.launch(&wrong);
        }
        let mut output = self.backend.launch(image)?;
        for header in image.programs.chunks_exact(PROGRAM_WORDS) {
            Victim { image, header, output: &mut output }.suffer(self.fault);
        }
        Ok(output)
    }
}

/// The image with the instructions of all programs changed as the fault has it.
fn recoded(image: &Image, fault: Fault) -> Image {
    let mut wrong = image.clone();
    for words in wrong.code.chunks_exact_mut(INSTRUCTION_WORDS) {
        let Some(instruction) = decode(words).ok().and_then(|own| own.first().copied()) else {
            continue;
        };
        let other = match (fault, instruction) {
            (Fault::WrongOperator, Instruction::Natural { op: ArithOp::Add, to, left, right }) => {
                Instruction::Natural { op: ArithOp::Sub, to, left, right }
            }
            (
                Fault::EagerSwap,
                Instruction::Atomic { op: AtomicOp::Cas, to, array, index, operand, .. },
            ) => {
                // Nothing is expected: the field is that of the first register.
                let expected = Register::TID;
                Instruction::Atomic { op: AtomicOp::Exch, to, array, index, operand, expected }
            }
            _ => continue,
        };
        words.copy_from_slice(&encode(other));
    }
    wrong
}

/// A program, and what the device left of its run.
struct Victim<'a> {
    image: &'a Image,
    header: &'a [u32],
    output: &'a mut Output,
}

/// Is the entry of a log an access, and no barrier of a group?
fn is_access(code: &[Instruction], entry: &[u64]) -> bool {
    code.get(entry[0] as u32 as usize).is_some_and(|i| i.accessed().is_some())
}

impl Victim<'_> {
    fn suffer(&mut self, fault: Fault) {
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
            Fault::WrongOperator | Fault::EagerSwap | Fault::LoneThreads | Fault::WideWarps => {}
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
        let code = self.instructions();
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
        let code = self.instructions();
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

    fn instructions(&self) -> Vec<Instruction> {
        let (first, count) = (self.header[0] as usize, self.header[1] as usize);
        let words = &self.image.code[first * INSTRUCTION_WORDS..][..count * INSTRUCTION_WORDS];
        decode(words).unwrap_or_default()
    }

    fn hide_divergence(&mut self) {
        let halt = self.instructions().iter().position(|i| *i == Instruction::Halt);
        let Some(halt) = halt else { return };
        for thread in 0..self.threads() {
            let words = self.thread(thread);
            if words[0] == 1 {
                words[..2].copy_from_slice(&[0, halt as u32]);
            }
        }
    }

    fn overflow(&mut self) {
        let Some(pc) = self.instructions().iter().position(|i| i.may_overflow()) else {
            return;
        };
        for thread in 0..self.threads() {
            self.thread(thread)[3] = 1 + pc as u32;
        }
    }
}
