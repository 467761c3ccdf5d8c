//! What a kernel should access: the protocol's accesses, block by block, summed up.

use babycuda_core::{Cell, Configuration, Name, Thread};
use babycuda_gpu::compiled::DigestReport;
use babycuda_gpu::digest::term;
use babycuda_protocols::MapError;
use babycuda_protocols::map::{AccessEvent, Ending, Lambda, MapLimits, evaluate};
use babycuda_semantics::Instance;
use babycuda_typing::{Rejection, type_program};
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The sums of a launch.
#[derive(Debug)]
pub struct Expected {
    /// The arrays with their lengths; the cells are numbered through them.
    arrays: Vec<(Name, u64)>,
    /// Cells of a phase.
    cells: usize,
    sums: Vec<u64>,
    accesses: u64,
}

/// Why there is nothing to compare a kernel with.
#[derive(Debug, thiserror::Error)]
pub enum NoExpectation {
    /// It has no protocol.
    #[error("it is ill-typed: {0}")]
    IllTyped(Box<Rejection>),
    /// Its protocol has no Λ.
    #[error(transparent)]
    NoLambda(#[from] MapError),
    /// Its threads diverge.
    #[error("threads of block {0} diverge")]
    Diverges(u64),
    /// It accesses a cell that its array does not have.
    #[error("{thread} accesses {cell}, outside its array")]
    #[allow(missing_docs)]
    OutOfBounds { thread: Thread, cell: Cell },
    /// The sums do not fit into memory.
    #[error("too many phases and cells")]
    TooLarge,
}

/// The sums of the launch of the instance, all of its blocks. Every array must have a length.
///
/// # Errors
/// [`NoExpectation`].
pub fn expect(instance: &Instance) -> Result<Expected, NoExpectation> {
    let typed = type_program(&instance.program);
    let typed = typed.map_err(|rejection| NoExpectation::IllTyped(Box::new(rejection)))?;
    let lambda = |block| {
        let lambda = evaluate(
            &typed.protocol,
            &Configuration { block, ..instance.configuration.clone() },
            &LIMITS,
        )?;
        match lambda.ending {
            Ending::Done => Ok(lambda),
            Ending::Divergence { .. } | Ending::Stuck { .. } => Err(NoExpectation::Diverges(block)),
        }
    };
    // All blocks of these kernels have the phases of the first one, or fewer.
    let phases = lambda(0)?.phases.len();
    let length = |array: &babycuda_core::syntax::ArrayDecl| {
        let length = array.length.as_ref().and_then(|length| length.to_u64());
        (array.name.clone(), length.unwrap_or(0))
    };
    let used = instance.program.body.arrays();
    let declared = instance.program.arrays.iter().filter(|array| used.contains(&array.name));
    let arrays: Vec<(Name, u64)> = declared.map(length).collect();
    let cells = arrays.iter().try_fold(0u64, |sum, (_, length)| sum.checked_add(*length));
    let cells =
        cells.and_then(|cells| usize::try_from(cells).ok()).ok_or(NoExpectation::TooLarge)?;
    let size = cells.checked_mul(phases).filter(|size| *size < isize::MAX as usize / 8);
    let size = size.ok_or(NoExpectation::TooLarge)?;
    let sums: Vec<AtomicU64> = (0..size).map(|_| AtomicU64::new(0)).collect();
    let total = Shared { arrays: &arrays, cells, sums: &sums, accesses: AtomicU64::new(0) };
    let blocks = 0..instance.configuration.launch.grid.count();
    blocks.into_par_iter().try_for_each(|block| total.add(block, &lambda(block)?))?;
    let accesses = total.accesses.load(Relaxed);
    let sums = sums.into_iter().map(AtomicU64::into_inner).collect();
    Ok(Expected { arrays, cells, sums, accesses })
}

/// One block at a time is enumerated.
const LIMITS: MapLimits = MapLimits { steps: 1 << 32, threads: 1 << 10 };

/// Sums that grow from several threads.
struct Shared<'a> {
    arrays: &'a [(Name, u64)],
    cells: usize,
    sums: &'a [AtomicU64],
    accesses: AtomicU64,
}

impl Shared<'_> {
    fn add(&self, block: u64, lambda: &Lambda) -> Result<(), NoExpectation> {
        let mut count = 0;
        for (phase, accesses) in lambda.phases.iter().enumerate() {
            for event in &accesses.events {
                self.count(phase, block, event)?;
                count += 1;
            }
        }
        self.accesses.fetch_add(count, Relaxed);
        Ok(())
    }

    fn count(&self, phase: usize, block: u64, event: &AccessEvent) -> Result<(), NoExpectation> {
        let thread = Thread { block, index: event.thread };
        let outside = || NoExpectation::OutOfBounds { thread, cell: event.cell.clone() };
        let cell = number(self.arrays, &event.cell).ok_or_else(outside)?;
        // A block with more phases than the first one has no room.
        let sum = self.sums.get(phase * self.cells + cell).ok_or(NoExpectation::TooLarge)?;
        sum.fetch_add(term(thread, event.mode, phase as u64), Relaxed);
        Ok(())
    }
}

/// The number of a cell; `None` for one that no array has.
fn number(arrays: &[(Name, u64)], cell: &Cell) -> Option<usize> {
    let mut first = 0;
    for (name, length) in arrays {
        if *name == cell.array {
            let index = cell.index.to_u64().filter(|index| index < length)?;
            return usize::try_from(first + index).ok();
        }
        first += length;
    }
    None
}

impl Expected {
    /// How many phases there are.
    pub fn phases(&self) -> u32 {
        u32::try_from(self.sums.len().checked_div(self.cells).unwrap_or(1)).unwrap_or(u32::MAX)
    }

    /// Accesses of all threads.
    pub fn accesses(&self) -> u64 {
        self.accesses
    }

    /// The sum of a phase and cell; `None` where there is no such.
    pub fn sum(&self, phase: usize, cell: &Cell) -> Option<u64> {
        let number = number(&self.arrays, cell)?;
        self.sums.get(phase.checked_mul(self.cells)?.checked_add(number)?).copied()
    }

    /// The first phase and cell whose sum is another on the device.
    pub fn first_difference(&self, report: &DigestReport) -> Option<(usize, Cell)> {
        // The device numbers the cells through its own list of arrays.
        let mut first = Vec::new();
        let mut cells = 0;
        for array in &report.arrays {
            first.push((&array.name, cells));
            cells += array.cells.len();
        }
        (0..self.phases() as usize).find_map(|phase| {
            let mut row = self.sums[phase * self.cells..][..self.cells].iter();
            self.arrays.iter().find_map(|(name, length)| {
                let base = first.iter().find(|(known, _)| *known == name).map(|(_, base)| *base);
                // All cells of the array are looked at, so that the next one's follow.
                let different = (0..*length).zip(row.by_ref()).fold(None, |found, (index, sum)| {
                    let on_device = base.and_then(|b| report.digest.sum(phase, b + index as usize));
                    found.or_else(|| (on_device != Some(*sum)).then_some(index))
                });
                different.map(|index| (phase, Cell::new(name.clone(), index)))
            })
        })
    }
}
