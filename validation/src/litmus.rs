//! Litmus tests: small racy programs that tell memories apart, and what a back end shows of them.
//!
//! Each runs in two placements: its threads in one block, and each in a block of its own, with
//! global arrays in common. All runs of all tests are workgroups of one launch, each under a jitter
//! of its own, so that they stress each other (Levine et al., MC Mutants, ASPLOS 2023).

use crate::case;
use crate::claims::validate;
use crate::reference::{NoReference, Reference};
use babycuda_campaign::Counts;
use babycuda_core::expr::Renaming;
use babycuda_core::name::reserved::{BLOCK_IDX, TID};
use babycuda_core::parse::{ParseError, parse_program};
use babycuda_core::syntax::Geometry;
use babycuda_core::{Cell, Dim3, Launch, Name, Num, Program};
use babycuda_gpu::report::Status;
use babycuda_gpu::{Backend, Jitter, Job, JobError, Report, Runner};
use babycuda_semantics::Instance;
use babycuda_semantics::interleavings::{ExplorationLimits, Reduction, TooLarge, explore};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// The tests of a folder, by name.
macro_rules! tests {
    ($($name:literal),* $(,)?) => {
        /// The tests: their names, and their texts in the folder `litmus`.
        pub const TESTS: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../litmus/", $name, ".bcuda")))),*];
    };
}

tests!(
    "sb",
    "sb_atomic",
    "mp",
    "mp_block",
    "mp_device",
    "mp_system",
    "lb",
    "s",
    "r",
    "two_plus_two_w",
    "iriw",
    "corr",
    "cowr",
    "add",
    "cas",
    "increment",
);

/// Where the threads of a test are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Placement {
    /// All in one block.
    Block,
    /// Each in a block of its own.
    Grid,
}

impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Placement::Block => "block",
            Placement::Grid => "grid",
        })
    }
}

/// What an outcome says of the memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sort {
    /// An interleaving has it.
    Interleaving,
    /// No interleaving has it, but each cell by itself is coherent.
    Weaker,
    /// No memory may have it, or there was no report.
    Failure,
}

/// What a back end showed of a test.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Shown {
    /// The test.
    pub test: String,
    /// Where its threads were.
    pub placement: Placement,
    /// What memories its interleavings leave.
    pub possible: BTreeSet<String>,
    /// The memories that were left, and how often; of failures, why.
    pub seen: BTreeMap<Sort, Counts<String>>,
}

impl Shown {
    /// How many different outcomes of the sort there were, and how many runs had one.
    pub fn of(&self, sort: Sort) -> (usize, u64) {
        self.seen.get(&sort).map_or((0, 0), |own| (own.iter().len(), own.total()))
    }
}

/// A line, and below it one for each outcome.
impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [(seen, runs), (_, weaker), (_, failures)] =
            [Sort::Interleaving, Sort::Weaker, Sort::Failure].map(|sort| self.of(sort));
        let (test, placement, all) = (&self.test, self.placement, self.possible.len());
        writeln!(
            f,
            "{test:15} {placement:6} {seen:3} of {all:3} {runs:9} {weaker:9} {failures:9}"
        )?;
        let each = self.seen.iter().flat_map(|(sort, own)| own.iter().map(move |one| (sort, one)));
        for (sort, (outcome, count)) in each {
            let sort = match sort {
                Sort::Interleaving => "",
                Sort::Weaker => "  (weaker than interleavings)",
                Sort::Failure => "  (FAILURE)",
            };
            writeln!(f, "    {count:9}  {outcome}{sort}")?;
        }
        Ok(())
    }
}

/// The words above the columns of [`Shown`].
pub const HEAD: &str = "test            place  outcomes        as such    weaker  failures";

/// Why a text is no litmus test.
#[derive(Debug, thiserror::Error)]
pub enum NoTest {
    /// It does not parse.
    #[error(transparent)]
    Parse(#[from] ParseError),
    /// It leaves the launch open.
    #[error("the launch is open")]
    Open,
    /// It does not fit on a device.
    #[error(transparent)]
    Job(#[from] JobError),
    /// The theory says nothing of it.
    #[error(transparent)]
    NoReference(#[from] NoReference),
    /// It has too many interleavings.
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
}

/// A test, ready to run.
struct Prepared {
    name: String,
    placement: Placement,
    /// The test in one block.
    reference: Reference,
    possible: BTreeSet<String>,
    /// The blocks that run.
    grid: Vec<Job>,
}

impl Prepared {
    fn new(name: &str, text: &str, placement: Placement) -> Result<Prepared, NoTest> {
        let program = parse_program(text)?;
        let instance = case::instance(&program).ok_or(NoTest::Open)?;
        let running = match placement {
            Placement::Block => instance.clone(),
            Placement::Grid => case::instance(&apart(&program, instance.block().len() as u32))
                .ok_or(NoTest::Open)?,
        };
        let all = explore(&instance, Reduction::SleepSets, &ExplorationLimits::default())?;
        let after = |end: &babycuda_semantics::interleavings::End| {
            let held = |cell: &Cell| end.memory.get(cell).or_else(|| instance.host.get(cell));
            memory(&instance, |cell| held(cell).and_then(|value| value.to_u64()))
        };
        let possible = all.ends.iter().map(after).collect();
        let grid = Job::grid(&running, &case::options(&running))?;
        let reference = Reference::new(instance)?;
        Ok(Prepared { name: name.to_owned(), placement, reference, possible, grid })
    }

    /// The blocks of a run, with jitters of their own.
    fn stirred(&self, run: u32) -> Vec<Job> {
        let blocks = self.grid.len() as u32;
        let jitters = (run.wrapping_mul(blocks)..).map(Jitter::seeded);
        self.grid.iter().cloned().zip(jitters).map(|(job, j)| job.with_jitter(j)).collect()
    }

    /// What the reports of a run's blocks say.
    fn judge(&self, blocks: Vec<Report>, backend: &dyn Backend) -> (Sort, String) {
        let block = self.reference.instance.block();
        let status = blocks.iter().map(|report| &report.status);
        let status = status.clone().find(|s| **s != Status::Done).cloned().unwrap_or(Status::Done);
        let arrays = blocks.first().map(|report| report.arrays.clone()).unwrap_or_default();
        let threads = blocks.into_iter().flat_map(|report| report.threads).collect();
        let report = Report { block, status, overflow: None, last_phase: 0, arrays, threads };
        let left = memory(&self.reference.instance, |cell| {
            report.value(&cell.array, cell.index.to_u64()?)
        });
        let verdict = validate(&self.reference, &report);
        match (verdict.failure(backend.device().backend), verdict.beyond_interleavings()) {
            (Some((claim, why)), _) => (Sort::Failure, format!("{left}: {claim}: {why}")),
            (None, Some(_)) => (Sort::Weaker, left),
            (None, None) if self.possible.contains(&left) => (Sort::Interleaving, left),
            (None, None) => (Sort::Failure, format!("{left}: no interleaving leaves that")),
        }
    }
}

/// The test with each thread in a block of its own.
fn apart(program: &Program, threads: u32) -> Program {
    let own: Renaming = [(Name::new(TID), Num::var(BLOCK_IDX[0]))].into_iter().collect();
    let launch = Launch::new(Dim3::line(threads), Dim3::line(1));
    let mut apart = program.clone();
    apart.geometry = Geometry::exactly(launch);
    apart.body = program.body.subst(&own);
    apart
}

/// The cells of all arrays, in words.
fn memory(instance: &Instance, value: impl Fn(&Cell) -> Option<u64>) -> String {
    let arrays = instance.program.arrays.iter().map(|array| {
        let length = array.length.as_ref().and_then(|n| n.to_u64()).unwrap_or(0);
        let values = (0..length).map(|index| {
            let value = value(&Cell::new(array.name.clone(), index));
            value.map_or_else(|| "?".to_owned(), |value| value.to_string())
        });
        format!("{} = {}", array.name, values.collect::<Vec<_>>().join(" "))
    });
    arrays.collect::<Vec<_>>().join(", ")
}

/// Runs each test so often in each placement.
///
/// # Errors
/// [`NoTest`], with its name.
pub fn run(
    backend: &mut dyn Backend,
    tests: &[(&str, &str)],
    runs: u32,
) -> Result<Vec<Shown>, (String, Box<NoTest>)> {
    let placements = [Placement::Block, Placement::Grid];
    let all = tests.iter().flat_map(|(name, text)| placements.map(|p| (*name, *text, p)));
    let prepare = |(name, text, placement): (&str, &str, Placement)| {
        Prepared::new(name, text, placement).map_err(|error| (name.to_owned(), Box::new(error)))
    };
    let tests = all.map(prepare).collect::<Result<Vec<Prepared>, _>>()?;
    let each = (0..runs).flat_map(|run| tests.iter().map(move |test| test.stirred(run)));
    let grids: Vec<Vec<Job>> = each.collect();
    let slices: Vec<&[Job]> = grids.iter().map(|grid| &grid[..]).collect();
    let reports = Runner::new(backend).run_grids(&slices);
    let mut shown: Vec<Shown> = tests
        .iter()
        .map(|test| Shown {
            test: test.name.clone(),
            placement: test.placement,
            possible: test.possible.clone(),
            seen: BTreeMap::new(),
        })
        .collect();
    for (number, reports) in reports.into_iter().enumerate() {
        let at = number % tests.len();
        let (sort, outcome) = match reports {
            Ok(blocks) => tests[at].judge(blocks, backend),
            Err(failure) => (Sort::Failure, failure.to_string()),
        };
        shown[at].seen.entry(sort).or_default().add(outcome);
    }
    Ok(shown)
}
