//! Each thread by itself: does it do what its program does when reads and updates yield what the
//! report says?
//!
//! The program [walks](crate::walk), and takes from the log what other threads would decide.

use crate::walk::{Walk, Walker};
use babycuda_core::syntax::BarrierScope;
use babycuda_core::{Cell, Natural, Site};
use babycuda_gpu::Report;
use babycuda_gpu::report::{Entry, Passed, Stop};
use babycuda_semantics::interleavings::{Next, TooLarge};

/// What one thread did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Run {
    /// Its accesses, in order.
    pub(crate) steps: Vec<Step>,
    /// The barriers of the block that it passed.
    pub(crate) barriers: Vec<Site>,
}

/// A cell: its array, by its position in the report, and its index.
pub(crate) type CellId = (u32, u64);

/// An access, with what it did to its cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Step {
    pub(crate) phase: u32,
    /// How many barriers of narrower scopes the thread had passed in the phase.
    pub(crate) passed: usize,
    pub(crate) cell: CellId,
    pub(crate) effect: Effect,
}

/// What an access does to a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Effect {
    Read(u64),
    Write(u64),
    Update { before: u64, after: u64 },
}

impl Run {
    /// The accesses of a phase, in order.
    pub(crate) fn phase(&self, phase: u32) -> &[Step] {
        let start = self.steps.partition_point(|step| step.phase < phase);
        let length = self.steps[start..].partition_point(|step| step.phase == phase);
        &self.steps[start..start + length]
    }
}

impl Effect {
    /// What the thread saw.
    pub(crate) fn seen(self) -> Option<u64> {
        match self {
            Effect::Read(value) | Effect::Update { before: value, .. } => Some(value),
            Effect::Write(_) => None,
        }
    }

    /// What it stores. An update that changes nothing is a read.
    pub(crate) fn stored(self) -> Option<u64> {
        match self {
            Effect::Read(_) => None,
            Effect::Write(value) => Some(value),
            Effect::Update { before, after } => (before != after).then_some(after),
        }
    }
}

/// A thread that did what its program does not.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("thread {thread}: {kind}")]
pub(crate) struct Departure {
    pub(crate) thread: usize,
    pub(crate) kind: DepartureKind,
}

/// What a thread did that its program does not.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum DepartureKind {
    /// It made another access than its program makes, or at another time.
    #[error("entry {entry} of the log is {found}, where the program is {next}")]
    Access { entry: usize, found: String, next: String },
    /// It passed a barrier at which its program is not.
    #[error("it passed barrier {site} of a {scope} in phase {phase}, where the program is {next}")]
    Passed { site: Site, scope: BarrierScope, phase: u32, next: String },
    /// It stopped elsewhere.
    #[error("it stopped {found:?} in phase {phase}, where the program is {next}")]
    Stop { found: Stop, phase: u32, next: String },
    /// A number has more than 64 bits, and the device did not say so.
    #[error("the value {0} does not fit, and is not reported")]
    Overflow(Natural),
    /// The semantics cannot follow it.
    #[error("{0}")]
    NoStep(#[from] TooLarge),
}

/// Follows every thread of the block.
pub(crate) fn follow(
    walks: Result<&[Walk], TooLarge>,
    report: &Report,
) -> Result<Vec<Run>, Departure> {
    let departed = |thread| move |kind| Departure { thread, kind };
    let walks = walks.map_err(|error| departed(0)(error.into()))?;
    let run = |(thread, walk): (usize, &Walk)| {
        let run = Run { steps: Vec::new(), barriers: Vec::new() };
        let follower = Follower { report, walker: walk.start(), passed: 0, run };
        follower.follow(thread).map_err(departed(thread))
    };
    walks.iter().take(report.threads.len()).enumerate().map(run).collect()
}

struct Follower<'a> {
    report: &'a Report,
    walker: Walker<'a>,
    /// How many barriers of narrower scopes than the block it passed in its phase.
    passed: usize,
    run: Run,
}

impl Follower<'_> {
    fn follow(mut self, thread: usize) -> Result<Run, DepartureKind> {
        let own = &self.report.threads[thread];
        let mut passed = own.passed.iter();
        for (number, entry) in own.log.iter().enumerate() {
            while let Some(barrier) =
                passed.as_slice().first().filter(|b| b.after as usize <= number)
            {
                self.pass(barrier)?;
                passed.next();
            }
            self.pass_barriers(entry.phase)?;
            let Some(effect) = self.effect(entry)? else {
                return Err(DepartureKind::Access {
                    entry: number,
                    found: self.name(entry),
                    next: self.describe(),
                });
            };
            let cell = (entry.array, entry.index);
            self.run.steps.push(Step { phase: entry.phase, passed: self.passed, cell, effect });
            self.resume(entry)?;
        }
        passed.try_for_each(|barrier| self.pass(barrier))?;
        self.pass_barriers(self.report.last_phase)?;
        if self.may_stop(own.stop) {
            return Ok(self.run);
        }
        let phase = self.phase();
        Err(DepartureKind::Stop { found: own.stop, phase, next: self.describe() })
    }

    /// The phase in which the thread is.
    fn phase(&self) -> u32 {
        // Barriers are passed up to a phase of the report: their number fits.
        self.run.barriers.len() as u32
    }

    /// Passes the barriers of the block before the phase, as long as the thread stands at one.
    fn pass_barriers(&mut self, phase: u32) -> Result<(), DepartureKind> {
        while self.phase() < phase
            && let Next::Barrier(site, BarrierScope::Block | BarrierScope::Grid) =
                *self.walker.next()
        {
            self.run.barriers.push(site);
            self.passed = 0;
            self.go_on()?;
        }
        Ok(())
    }

    /// Passes the barrier of a narrower scope, at which the thread stands.
    fn pass(&mut self, barrier: &Passed) -> Result<(), DepartureKind> {
        let Passed { phase, site, scope, .. } = *barrier;
        self.pass_barriers(phase)?;
        if self.phase() != phase || *self.walker.next() != Next::Barrier(site, scope) {
            return Err(DepartureKind::Passed { site, scope, phase, next: self.describe() });
        }
        self.passed += 1;
        self.go_on()
    }

    fn go_on(&mut self) -> Result<(), DepartureKind> {
        Ok(self.walker.go_on(Natural::zero())?)
    }

    /// What the next access does to its cell, if the entry is of it.
    fn effect(&self, entry: &Entry) -> Result<Option<Effect>, DepartureKind> {
        let Some((mode, cell)) = self.walker.next().access() else { return Ok(None) };
        if self.phase() != entry.phase || mode != entry.mode || *cell != self.report.cell(entry) {
            return Ok(None);
        }
        Ok(match self.walker.next() {
            Next::Write(_, value) => {
                (long(value)? == entry.value).then_some(Effect::Write(entry.value))
            }
            Next::Read(..) => Some(Effect::Read(entry.value)),
            Next::Atomic(_, _, update, ..) => {
                let after = long(&update.apply(&entry.value.into()))?;
                Some(Effect::Update { before: entry.value, after })
            }
            Next::Barrier(..) | Next::End => None,
        })
    }

    /// Makes the next access, which is the entry's.
    fn resume(&mut self, entry: &Entry) -> Result<(), DepartureKind> {
        let sees = matches!(self.walker.next(), Next::Read(..) | Next::Atomic(..));
        let seen = if sees { entry.value.into() } else { Natural::zero() };
        Ok(self.walker.go_on(seen)?)
    }

    /// May the thread stop so where it is?
    fn may_stop(&self, stop: Stop) -> bool {
        if self.phase() != self.report.last_phase {
            return false;
        }
        match stop {
            Stop::End => *self.walker.next() == Next::End,
            Stop::Barrier(at) => {
                matches!(self.walker.next(), Next::Barrier(site, _) if *site == at)
            }
            Stop::OutOfFuel(_) => true,
            Stop::LogFull(_) => match self.walker.next() {
                Next::Barrier(_, scope) => *scope < BarrierScope::Block,
                _ => self.walker.next().access().is_some(),
            },
            Stop::OutOfBounds(_) => {
                self.walker.next().access().is_some_and(|(_, cell)| self.is_outside(cell))
            }
        }
    }

    /// Does the report's array not have the cell?
    fn is_outside(&self, cell: &Cell) -> bool {
        let index = cell.index.to_u64();
        index.is_none_or(|index| self.report.value(&cell.array, index).is_none())
    }

    fn name(&self, entry: &Entry) -> String {
        let Entry { phase, mode, value, .. } = entry;
        format!("{mode} {} = {value} in phase {phase}", self.report.cell(entry))
    }

    fn describe(&self) -> String {
        let phase = self.phase();
        match self.walker.next() {
            Next::Write(cell, value) => format!("about to wr {cell} = {value} in phase {phase}"),
            Next::Read(cell, ..) => format!("about to rd {cell} in phase {phase}"),
            Next::Atomic(cell, ..) => format!("about to at {cell} in phase {phase}"),
            Next::Barrier(site, _) => format!("at barrier {site}, after phase {phase}"),
            Next::End => format!("at its end, in phase {phase}"),
        }
    }
}

fn long(value: &Natural) -> Result<u64, DepartureKind> {
    value.to_u64().ok_or_else(|| DepartureKind::Overflow(value.clone()))
}
