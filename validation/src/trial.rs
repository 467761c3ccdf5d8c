//! One program on the way to its verdicts: what runs, or why nothing does.

use crate::case;
use crate::reference::{NoReference, Reference};
use babycuda_core::Program;
use babycuda_gpu::Located;
use babycuda_gpu::bytecode::CompileErrorKind;
use babycuda_gpu::{Jitter, Job, JobError};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A program, ready to run.
#[derive(Debug)]
pub struct Trial {
    /// What the theory says of it.
    pub reference: Reference,
    /// What the device gets.
    pub job: Job,
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
        })
    }
}

impl Trial {
    /// The job for so many runs: as it is, and then under jitters that the number of a program
    /// chooses.
    pub fn jobs(&self, number: u64, runs: usize) -> impl Iterator<Item = Job> {
        let seed = (number as u32).wrapping_mul(64);
        let jitters = (0..).map(move |run| Jitter::seeded(seed.wrapping_add(run)));
        let jitters = [Jitter::default()].into_iter().chain(jitters);
        jitters.take(runs).map(|jitter| self.job.clone().with_jitter(jitter))
    }

    /// Prepares a program.
    ///
    /// # Errors
    /// Why it cannot be compared.
    pub fn new(program: &Program) -> Result<Trial, Exclusion> {
        let instance = case::instance(program).ok_or(Exclusion::Open)?;
        let job =
            Job::new(&instance, &case::options(&instance)).map_err(|error| exclusion(&error))?;
        let reference = Reference::new(instance).map_err(|error| match error {
            NoReference::Stuck(_) | NoReference::NoLambda(_) => Exclusion::NoReference,
        })?;
        Ok(Trial { reference, job })
    }
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
