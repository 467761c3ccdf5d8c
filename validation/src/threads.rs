//! Each thread by itself: does it do what its program does when reads and updates yield what the
//! report says?
//!
//! The program takes its small steps, and from the log what other threads would decide.

use crate::reference::on_machine;
use babycuda_core::syntax::BarrierScope;
use babycuda_core::{Cell, Natural, Site};
use babycuda_gpu::Report;
use babycuda_gpu::report::{Entry, Passed, Stop};
use babycuda_semantics::Instance;
use babycuda_semantics::interleavings::TooLarge;
use babycuda_semantics::vm::{Code, Next, Threads};

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

/// Follows every thread of the block of the instance, whose program is compiled.
pub(crate) fn follow(
    code: &Code,
    instance: &Instance,
    report: &Report,
) -> Result<Vec<Run>, Departure> {
    let number = |own| code.arrays().iter().position(|array| array == own);
    let arrays: Vec<Option<usize>> =
        report.arrays.iter().map(|array| number(&array.name)).collect();
    on_machine(|machine| {
        let mut threads = machine.threads(code, instance);
        let run = |thread: usize| {
            let run = Run { steps: Vec::new(), barriers: Vec::new() };
            let departed = |kind| Departure { thread, kind };
            let next = threads.next(thread).map_err(|error| departed(error.into()))?;
            let (threads, arrays) = (&mut threads, &arrays[..]);
            let follower = Follower { code, report, arrays, threads, thread, next, passed: 0, run };
            follower.follow().map_err(departed)
        };
        let count = report.threads.len().min(instance.block().len() as usize);
        (0..count).map(run).collect()
    })
}

struct Follower<'a, 'm> {
    code: &'a Code,
    report: &'a Report,
    /// The arrays of the report, by their numbers in the code.
    arrays: &'a [Option<usize>],
    threads: &'a mut Threads<'m>,
    thread: usize,
    next: Next,
    /// How many barriers of narrower scopes than the block it passed in its phase.
    passed: usize,
    run: Run,
}

impl Follower<'_, '_> {
    fn follow(mut self) -> Result<Run, DepartureKind> {
        let own = &self.report.threads[self.thread];
        self.run.steps.reserve_exact(own.log.len());
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
            self.go_on(effect.seen().unwrap_or_default().into())?;
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
            && let Next::Barrier(site, BarrierScope::Block | BarrierScope::Grid) = self.next
        {
            self.run.barriers.push(site);
            self.passed = 0;
            self.go_on(Natural::zero())?;
        }
        Ok(())
    }

    /// Passes the barrier of a narrower scope, at which the thread stands.
    fn pass(&mut self, barrier: &Passed) -> Result<(), DepartureKind> {
        let Passed { phase, site, scope, .. } = *barrier;
        self.pass_barriers(phase)?;
        if self.phase() != phase || self.next != Next::Barrier(site, scope) {
            return Err(DepartureKind::Passed { site, scope, phase, next: self.describe() });
        }
        self.passed += 1;
        self.go_on(Natural::zero())
    }

    /// Does what is next, and sees this value, if it sees any.
    fn go_on(&mut self, seen: Natural) -> Result<(), DepartureKind> {
        self.threads.go_on(self.thread, seen);
        self.next = self.threads.next(self.thread)?;
        Ok(())
    }

    /// What the next access does to its cell, if the entry is of it.
    fn effect(&self, entry: &Entry) -> Result<Option<Effect>, DepartureKind> {
        let Some((mode, array, index)) = self.next.access() else { return Ok(None) };
        if self.phase() != entry.phase
            || mode != entry.mode
            || self.arrays.get(entry.array as usize) != Some(&Some(array))
            || index.to_u64() != Some(entry.index)
        {
            return Ok(None);
        }
        Ok(match &self.next {
            Next::Write { value, .. } => {
                (long(value)? == entry.value).then_some(Effect::Write(entry.value))
            }
            Next::Read { .. } => Some(Effect::Read(entry.value)),
            Next::Atomic { update, .. } => {
                let after = long(&update.apply(&entry.value.into()))?;
                Some(Effect::Update { before: entry.value, after })
            }
            Next::Barrier(..) | Next::End => None,
        })
    }

    /// May the thread stop so where it is?
    fn may_stop(&self, stop: Stop) -> bool {
        if self.phase() != self.report.last_phase {
            return false;
        }
        match stop {
            Stop::End => self.next == Next::End,
            Stop::Barrier(at) => {
                matches!(self.next, Next::Barrier(site, _) if site == at)
            }
            Stop::OutOfFuel(_) => true,
            Stop::LogFull(_) => match self.next {
                Next::Barrier(_, scope) => scope < BarrierScope::Block,
                _ => self.next.access().is_some(),
            },
            Stop::OutOfBounds(_) => {
                let access = self.next.access();
                access.is_some_and(|(_, array, index)| self.is_outside(array, index))
            }
        }
    }

    /// Does the report's array not have the cell?
    fn is_outside(&self, array: usize, index: &Natural) -> bool {
        let place = self.arrays.iter().position(|own| *own == Some(array));
        let index = index.to_u64().and_then(|index| usize::try_from(index).ok());
        let cells = place.map(|place| &self.report.arrays[place].cells);
        cells.zip(index).is_none_or(|(cells, index)| index >= cells.len())
    }

    fn name(&self, entry: &Entry) -> String {
        let Entry { phase, mode, value, .. } = entry;
        format!("{mode} {} = {value} in phase {phase}", self.report.cell(entry))
    }

    fn describe(&self) -> String {
        let phase = self.phase();
        let next = match &self.next {
            Next::Barrier(site, _) => return format!("at barrier {site}, after phase {phase}"),
            Next::End => return format!("at its end, in phase {phase}"),
            next => next,
        };
        let access = next.access().map(|(mode, array, index)| {
            (mode, Cell::new(self.code.arrays()[array].clone(), index.clone()))
        });
        let what = access.map_or_else(String::new, |(mode, cell)| format!("{mode} {cell}"));
        let value = match next {
            Next::Write { value, .. } => format!(" = {value}"),
            _ => String::new(),
        };
        format!("about to {what}{value} in phase {phase}")
    }
}

fn long(value: &Natural) -> Result<u64, DepartureKind> {
    value.to_u64().ok_or_else(|| DepartureKind::Overflow(value.clone()))
}
