//! One program on the way to its verdicts: what runs, or why nothing does.

use crate::case;
use crate::grid::Grid;
use crate::reference::{NoReference, Reference};
use babycuda_core::Program;
use babycuda_gpu::Located;
use babycuda_gpu::bytecode::CompileErrorKind;
use babycuda_gpu::{Failure, Jitter, Job, JobError, Report};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A program, ready to run.
#[derive(Debug)]
pub struct Trial {
    /// What the theory says of it; of several blocks, as the one block that they are.
    pub reference: Reference,
    /// What the device gets: all its blocks.
    pub blocks: Vec<Job>,
    /// Of several blocks.
    grid: Option<Grid>,
}

/// Why a program is not run, or its run not compared.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Exclusion {
    /// Its launch or a variable has no value.
    Open,
    /// It has a number of more than 64 bits.
    NumberTooLarge,
    /// It is more than a device takes: registers, threads, cells.
    TooLarge,
    /// The semantics or the protocols gave up on it.
    NoReference,
    /// A number that needed more than 64 bits came up in its run.
    Overflow,
    /// No text has its meaning: not all threads of a block reach its barriers together.
    NoText,
    /// In compiled mode a thread went on after a fault of another one; claims are about blocks that
    /// end there.
    BeyondFault,
    /// Its blocks are not one block: a cell that all of them see is updated in the scope of a block.
    BlocksApart,
    /// Its blocks wait for each other, and those of the device do not.
    NotCooperative,
}

impl fmt::Display for Exclusion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Exclusion::Open => "not closed",
            Exclusion::NumberTooLarge => "a number of more than 64 bits in it",
            Exclusion::TooLarge => "too large for a device",
            Exclusion::NoReference => "no reference",
            Exclusion::NoText => "no text in compiled mode",
            Exclusion::BeyondFault => "phases after a fault in compiled mode",
            Exclusion::Overflow => "a number of more than 64 bits in its run",
            Exclusion::BlocksApart => "several blocks that are not as one",
            Exclusion::NotCooperative => "blocks that wait for each other, not on this device",
        })
    }
}

impl Trial {
    /// The blocks for so many runs: as they are, and then under jitters. The number of the program
    /// chooses the seeds, also of the first run, which the simulator is scheduled by.
    pub fn jobs(&self, number: u64, runs: usize) -> impl Iterator<Item = Vec<Job>> {
        // The seed 0 says nothing.
        let seed = (number as u32).wrapping_mul(64).wrapping_add(1);
        let jitters = (1..).map(move |run| Jitter::seeded(seed.wrapping_add(run)));
        let jitters = [Jitter { seed, ..Jitter::default() }].into_iter().chain(jitters);
        let stirred = |jitter: Jitter| {
            let own = |(block, job): (u32, &Job)| {
                let seed = jitter.seed ^ block.wrapping_mul(0x9e37_79b9);
                job.clone().with_jitter(Jitter { seed, ..jitter })
            };
            (0..).zip(&self.blocks).map(own).collect()
        };
        jitters.take(runs).map(stirred)
    }

    /// What a run did, of the reports of its blocks.
    ///
    /// # Errors
    /// They are of no run.
    pub fn report(&self, mut blocks: Vec<Report>) -> Result<Report, Failure> {
        match &self.grid {
            Some(grid) => Ok(grid.report(&blocks)?),
            // Proof: the program has one block, and the runner a report of each.
            None => Ok(blocks.pop().expect("a report of the block")),
        }
    }

    /// Has it several blocks that wait for each other?
    pub fn waits(&self) -> bool {
        self.grid.as_ref().is_some_and(Grid::waits)
    }

    /// Do threads of different blocks race in a history of it, up to and in its first racy phase?
    pub fn races_between_blocks(&self) -> bool {
        let run = &self.reference.run;
        let (Some(grid), Some(first)) = (&self.grid, run.first_racy) else { return false };
        let history = self.reference.history();
        // The phases before have no races.
        let phase = history.chronological().nth(first);
        let mut races = phase.into_iter().flat_map(|(number, phase)| phase.races(number));
        races.any(|race| grid.apart(race.first.0, race.second.0))
    }

    /// Prepares a program.
    ///
    /// # Errors
    /// Why it cannot be compared.
    pub fn new(program: &Program) -> Result<Trial, Exclusion> {
        let instance = case::instance(program).ok_or(Exclusion::Open)?;
        let blocks =
            Job::grid(&instance, &case::options(&instance)).map_err(|error| exclusion(&error))?;
        let (grid, instance) = match blocks.len() {
            1 => (None, instance),
            _ => {
                let (grid, one) = Grid::new(instance).ok_or(Exclusion::BlocksApart)?;
                (Some(grid), one)
            }
        };
        let reference = Reference::new(instance).map_err(|error| match error {
            NoReference::Stuck(_) | NoReference::NoLambda(_) => Exclusion::NoReference,
        })?;
        let room = room(&reference);
        let sized = |job: Job| {
            let log = job.log().min(room);
            job.with_log(log)
        };
        let blocks = blocks.into_iter().map(sized).collect();
        Ok(Trial { reference, blocks, grid })
    }
}

/// How many accesses and barriers of groups the threads of a run log: those of a well-typed program as
/// many as in the big-step run, and others mostly not twice as many. A log that a wrong device
/// lengthens has room for that.
fn room(reference: &Reference) -> u32 {
    let made = reference.run.most_made;
    if reference.class().typed { made + 2 } else { 2 * made + 8 }
}

fn exclusion(error: &JobError) -> Exclusion {
    match error {
        JobError::Compile(Located { kind, .. }) => match kind {
            CompileErrorKind::LiteralTooLarge(_) => Exclusion::NumberTooLarge,
            CompileErrorKind::TooManyRegisters | CompileErrorKind::Verify(_) => Exclusion::TooLarge,
            // Neither the parser nor the generators make a program of which anything else is true.
            _ => Exclusion::Open,
        },
        JobError::ParameterTooLarge { .. } | JobError::ContentsTooLarge { .. } => {
            Exclusion::NumberTooLarge
        }
        JobError::Unbound(_) | JobError::Reserved(_) => Exclusion::Open,
        _ => Exclusion::TooLarge,
    }
}
