//! Litmus tests: small racy programs that tell memories apart, and what a back end shows of them.
//!
//! Each runs alone in two placements: its threads in one block, and each in a block of its own, with
//! global arrays in common. In two more, many instances of it are one program whose threads play in
//! several of them at once. The runs of all tests are workgroups of one launch, in random order and
//! each under a jitter of its own, so that they stress each other (Levine et al., MC Mutants, ASPLOS
//! 2023).

mod parallel;

use crate::case;
use crate::claims::validate;
use crate::reference::{NoReference, Reference};
use babycuda_campaign::{Counts, random};
use babycuda_core::expr::Renaming;
use babycuda_core::name::reserved::{BLOCK_IDX, TID};
use babycuda_core::parse::{ParseError, parse_program};
use babycuda_core::syntax::Geometry;
use babycuda_core::{Cell, Dim3, Launch, Name, Num, Program};
use babycuda_gpu::report::Status;
use babycuda_gpu::{Backend, BackendName, Jitter, Job, JobError, Report, Runner};
use babycuda_semantics::Instance;
use babycuda_semantics::interleavings::{ExplorationLimits, Reduction, TooLarge, explore};
use parallel::Layout;
use rand_xoshiro::rand_core::RngCore;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// The tests of a folder, by name.
macro_rules! tests {
    ($($name:literal),* $(,)?) => {
        /// The tests: their names, and their texts in the folder `litmus`.
        pub const TESTS: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../../litmus/", $name, ".bcuda")))),*];
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Placement {
    /// All in one block.
    Block,
    /// Each in a block of its own.
    Grid,
    /// Those of many instances in one block, each of which plays in several instances.
    ParallelBlock,
    /// The same in several blocks.
    ParallelGrid,
}

impl Placement {
    /// All of them.
    pub const ALL: [Placement; 4] =
        [Placement::Block, Placement::Grid, Placement::ParallelBlock, Placement::ParallelGrid];
}

impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Placement::Block => "block",
            Placement::Grid => "grid",
            Placement::ParallelBlock => "parallel-block",
            Placement::ParallelGrid => "parallel-grid",
        })
    }
}

/// What an outcome says of the memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
            "{test:15} {placement:14} {seen:3} of {all:3} {runs:9} {weaker:9} {failures:9}"
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
pub const HEAD: &str = "test            place          outcomes   as such    weaker  failures";

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
    /// Its instances cannot run together.
    #[error("a barrier, an array of unknown length or one with several values")]
    NotParallel,
}

/// A test, ready to be judged.
struct Prepared {
    name: String,
    /// The test in one block.
    reference: Reference,
    possible: BTreeSet<String>,
}

impl Prepared {
    fn new(name: &str, text: &str) -> Result<Prepared, NoTest> {
        let instance = case::instance(&parse_program(text)?).ok_or(NoTest::Open)?;
        let all = explore(&instance, Reduction::SleepSets, &ExplorationLimits::default())?;
        let after = |end: &babycuda_semantics::interleavings::End| {
            let held = |cell: &Cell| end.memory.get(cell).or_else(|| instance.host().get(cell));
            memory(&instance, |cell| held(cell).and_then(|value| value.to_u64()))
        };
        let possible = all.ends.iter().map(after).collect();
        let reference = Reference::new(instance)?;
        Ok(Prepared { name: name.to_owned(), reference, possible })
    }

    /// Launches of the test with at least so many instances.
    fn launches(
        &self,
        placement: Placement,
        runs: u32,
        random: &mut impl RngCore,
    ) -> Result<Vec<Launched>, NoTest> {
        let test = &self.reference.instance;
        let alone = |running: &Instance| -> Result<Vec<Launched>, NoTest> {
            let grid = Job::grid(running, &case::options(running))?;
            Ok(vec![Launched { grid, layout: None }; runs as usize])
        };
        let in_grid = match placement {
            Placement::Block => return alone(test),
            Placement::Grid => {
                let apart = apart(&test.program, test.block().len() as u32);
                return alone(&case::instance(&apart).ok_or(NoTest::Open)?);
            }
            Placement::ParallelBlock => false,
            Placement::ParallelGrid => true,
        };
        let (mut launches, mut instances) = (Vec::new(), 0);
        while instances < runs {
            let layout = Layout::draw(test, in_grid, random)?;
            instances += layout.instances();
            launches.push(Launched { grid: layout.jobs(&test.program)?, layout: Some(layout) });
        }
        Ok(launches)
    }

    /// What the report of an instance says.
    fn judge(&self, report: &Report, backend: BackendName) -> (Sort, String) {
        let left = memory(&self.reference.instance, |cell| {
            report.value(&cell.array, cell.index.to_u64()?)
        });
        let verdict = validate(&self.reference, report);
        match (verdict.failure(backend), verdict.beyond_interleavings()) {
            (Some((claim, why)), _) => (Sort::Failure, format!("{left}: {claim}: {why}")),
            (None, Some(_)) => (Sort::Weaker, left),
            (None, None) if self.possible.contains(&left) => (Sort::Interleaving, left),
            (None, None) => (Sort::Failure, format!("{left}: no interleaving leaves that")),
        }
    }
}

/// The blocks of a launch, and how many instances lie in it.
#[derive(Clone)]
struct Launched {
    grid: Vec<Job>,
    /// None: it is one instance.
    layout: Option<Layout>,
}

impl Launched {
    /// The blocks, with jitters of their own.
    fn stirred(self, random: &mut impl RngCore) -> Launched {
        let first = random.next_u32();
        let jitters = (0..).map(|number| Jitter::seeded(first.wrapping_add(number)));
        let stirred = self.grid.into_iter().zip(jitters).map(|(job, j)| job.with_jitter(j));
        Launched { grid: stirred.collect(), ..self }
    }

    /// The reports of its instances, or why there is none.
    fn instances(&self, test: &Instance, blocks: Vec<Report>) -> Vec<Result<Report, String>> {
        let ended = |report: &&Report| report.status == Status::Done;
        let status = blocks.iter().find(|report| !ended(report)).map(|report| &report.status);
        let status = status.cloned().unwrap_or(Status::Done);
        let arrays = blocks.first().map(|report| report.arrays.clone()).unwrap_or_default();
        let threads = blocks.into_iter().flat_map(|report| report.threads).collect();
        let block = test.block();
        let all = Report { block, status, overflow: None, last_phase: 0, arrays, threads };
        match &self.layout {
            None => vec![Ok(all)],
            Some(layout) if all.status != Status::Done => {
                vec![Err(all.status.to_string()); layout.instances() as usize]
            }
            Some(layout) => {
                let strays = || "an access of a cell of another instance".to_owned();
                layout.apart(test, &all).into_iter().map(|own| own.ok_or_else(strays)).collect()
            }
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

/// Runs each test at least so often in each placement. The seed says in what order, and how
/// instances that run together are mixed.
///
/// # Errors
/// [`NoTest`], with its name.
pub fn run(
    backend: &mut dyn Backend,
    tests: &[(&str, &str)],
    runs: u32,
    seed: u64,
) -> Result<Vec<Shown>, (String, Box<NoTest>)> {
    let mut random = random(seed, 0);
    let (mut prepared, mut launches): (Vec<Prepared>, Vec<(usize, Launched)>) = Default::default();
    let mut shown: Vec<Shown> = Vec::new();
    for (name, text) in tests {
        let named = |error| ((*name).to_owned(), Box::new(error));
        let test = Prepared::new(name, text).map_err(named)?;
        for placement in Placement::ALL {
            let own = test.launches(placement, runs, &mut random).map_err(named)?;
            launches.extend(own.into_iter().map(|one| (shown.len(), one.stirred(&mut random))));
            let (test, possible) = (test.name.clone(), test.possible.clone());
            shown.push(Shown { test, placement, possible, seen: BTreeMap::new() });
        }
        prepared.push(test);
    }
    for last in (1..launches.len()).rev() {
        launches.swap(last, random.next_u64() as usize % (last + 1));
    }
    let grids: Vec<&[Job]> = launches.iter().map(|(_, launched)| &launched.grid[..]).collect();
    let reports = Runner::new(backend).run_grids(&grids);
    let name = backend.device().backend;
    // Runs are often alike.
    let mut known: Vec<Vec<(Report, (Sort, String))>> = vec![Vec::new(); tests.len()];
    for ((at, launched), blocks) in launches.iter().zip(reports) {
        let (number, seen) = (at / Placement::ALL.len(), &mut shown[*at].seen);
        let test = &prepared[number];
        let instances = match blocks {
            Ok(blocks) => launched.instances(&test.reference.instance, blocks),
            Err(failure) => vec![Err(failure.to_string())],
        };
        for report in instances {
            let (sort, outcome) = match report {
                Ok(report) => match known[number].iter().find(|(same, _)| *same == report) {
                    Some((_, judged)) => judged.clone(),
                    None => {
                        let judged = test.judge(&report, name);
                        known[number].push((report, judged.clone()));
                        judged
                    }
                },
                Err(why) => (Sort::Failure, why),
            };
            seen.entry(sort).or_default().add(outcome);
        }
    }
    Ok(shown)
}
