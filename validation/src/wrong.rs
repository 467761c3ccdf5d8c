//! Back ends that are wrong on purpose: whoever trusts the claims wants to see them fail.

mod caught;
mod victim;

pub use caught::{Caught, Shown, catch};

use crate::claims::Claim;
use babycuda_core::expr::ArithOp;
use babycuda_core::syntax::{AtomicOp, BarrierScope};
use babycuda_gpu::bytecode::{Instruction, Register, decode, encode};
use babycuda_gpu::image::{INSTRUCTION_WORDS, PROGRAM_WORDS};
use babycuda_gpu::{Backend, Device, DeviceError, Image, Output};
use std::collections::BTreeSet;
use std::fmt;
use victim::{Victim, arrays, differs_after, differs_before, instructions, log, results};

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
    /// All blocks of a grid have the shared memory of the first one.
    OneSharedMemory,
    /// The last block of a grid runs again when all ended.
    SecondRun,
    /// A cell that all blocks of a grid see loses what was stored in it.
    LostStore,
}

impl Fault {
    /// All of them.
    pub const ALL: [Fault; 17] = [
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
        Fault::OneSharedMemory,
        Fault::SecondRun,
        Fault::LostStore,
    ];

    /// The fault shows in one of so many programs that could show it, at least, to each of its
    /// claims.
    fn one_in(self) -> u64 {
        use Fault::*;
        match self {
            HiddenDivergence | HiddenOverflow => 1,
            Value | MissingAccess | LatePhase | HiddenRaces | FalseOverflow | LostStore => 2,
            Index | Memory | WrongOperator | EagerSwap | MissingStages | OneSharedMemory
            | SecondRun => 4,
            LoneThreads | WideWarps => 12,
        }
    }

    /// Is the fault missed, and not by chance? None of the programs that could show it did, and these
    /// are eight times as many as those of which one should.
    pub fn is_missed(self, shown: Shown) -> bool {
        shown.did == 0 && shown.could >= 8 * self.one_in()
    }

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
            Fault::OneSharedMemory | Fault::LostStore => {
                &[RaceFreeProgramsEndInLastwrite, ValuesAreOfAnInterleaving]
            }
            Fault::SecondRun => &[ValuesAreOfAnInterleaving],
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
            Fault::OneSharedMemory => "blocks that see the shared memory of another one",
            Fault::SecondRun => "a block that runs twice",
            Fault::LostStore => "a store that other blocks would see, lost",
        })
    }
}

/// The words of a header that say what its seed is, how many threads warps have, and which block this is
/// of how many.
const SEED: usize = 14;
const WARP: usize = 16;
const BLOCK: usize = 17;
const BLOCKS: usize = 18;

/// A back end with a fault.
pub struct Wrong {
    backend: Box<dyn Backend>,
    fault: Fault,
    /// The seeds of the programs for which something was wrong.
    victims: BTreeSet<u32>,
}

impl Wrong {
    /// The back end, with the fault.
    pub fn new(backend: Box<dyn Backend>, fault: Fault) -> Wrong {
        Wrong { backend, fault, victims: BTreeSet::new() }
    }

    /// What is left when the last block of each grid runs again, after what all blocks left.
    fn again(&mut self, image: &Image, mut output: Output) -> Result<Output, DeviceError> {
        let last = |header: &&[u32]| header[BLOCKS] > 1 && header[BLOCK] + 1 == header[BLOCKS];
        let mut second = Image { memory: output.memory.clone(), ..image.clone() };
        second.programs.clear();
        for header in image.programs.chunks_exact(PROGRAM_WORDS).filter(last) {
            let alone = second.programs.len();
            second.programs.extend_from_slice(header);
            second.programs[alone + BLOCK] = 0;
            second.programs[alone + BLOCKS] = 1;
        }
        let left = self.backend.launch(&second)?;
        for header in image.programs.chunks_exact(PROGRAM_WORDS).filter(last) {
            let (threads, logs) = (results(header), log(header));
            output.threads[threads.clone()].copy_from_slice(&left.threads[threads]);
            output.log[logs.clone()].copy_from_slice(&left.log[logs]);
        }
        Ok(Output { memory: left.memory, ..output })
    }
}

impl Backend for Wrong {
    fn device(&self) -> &Device {
        self.backend.device()
    }

    fn launch(&mut self, image: &Image) -> Result<Output, DeviceError> {
        let wrong = self.fault.image(image);
        let given = wrong.as_ref().unwrap_or(image);
        let right = self.backend.launch(given)?;
        let mut output = right.clone();
        if self.fault == Fault::SecondRun {
            output = self.again(image, output)?;
        }
        for header in image.programs.chunks_exact(PROGRAM_WORDS) {
            Victim { image, header, output: &mut output }.suffer(self.fault);
        }
        let mut seed = 0;
        for (number, header) in image.programs.chunks_exact(PROGRAM_WORDS).enumerate() {
            if header[BLOCK] == 0 {
                seed = header[SEED];
            }
            if differs_before(image, given, number) || differs_after(image, header, &right, &output)
            {
                self.victims.insert(seed);
            }
        }
        Ok(output)
    }
}

impl Fault {
    /// What the device gets in place of the image, if the fault is there.
    fn image(self, image: &Image) -> Option<Image> {
        match self {
            Fault::WrongOperator | Fault::EagerSwap => Some(recoded(image, self)),
            Fault::LoneThreads | Fault::WideWarps => Some(regrouped(image, self)),
            Fault::OneSharedMemory => Some(with_one_shared_memory(image)),
            _ => None,
        }
    }
}

/// The image with other warps, where there are barriers of warps or tiles.
fn regrouped(image: &Image, fault: Fault) -> Image {
    let mut wrong = image.clone();
    for header in wrong.programs.chunks_exact_mut(PROGRAM_WORDS) {
        let mut barriers = instructions(image, header).into_iter().filter_map(|i| i.barrier());
        if barriers.any(|scope| scope < BarrierScope::Block) {
            header[WARP] = if fault == Fault::WideWarps { 2 * header[WARP] } else { 1 };
        }
    }
    wrong
}

/// The image in which blocks have all arrays in common.
fn with_one_shared_memory(image: &Image) -> Image {
    let mut wrong = image.clone();
    let mut first = 0..0;
    for header in image.programs.chunks_exact(PROGRAM_WORDS) {
        if header[BLOCK] == 0 {
            first = arrays(header);
        }
        wrong.arrays.copy_within(first.clone(), arrays(header).start);
    }
    wrong
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
