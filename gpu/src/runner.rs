//! Running many jobs on a device.

use crate::backend::{Backend, DeviceError};
use crate::batch::{Footprint, pack};
use crate::decode::{Malformed, Part, arrays, check_lengths, decode};
use crate::image::PROGRAM_WORDS;
use crate::job::Job;
use crate::report::{Report, Status};
use babycuda_core::syntax::BarrierScope;
use std::collections::BTreeMap;

/// Why a job has no report.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// It does not fit on the device, or the device failed or was lost.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The device returned what no run of the job can have left.
    #[error("the device's output is malformed: {0}")]
    Malformed(#[from] Malformed),
}

/// How much one launch may take, beyond what the device allows. A job that alone needs more has a
/// launch of its own.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct LaunchLimits {
    /// Programs.
    pub programs: usize,
    /// Bytes of all buffers.
    pub bytes: u64,
}

impl Default for LaunchLimits {
    /// 16,384 programs, 256 MiB.
    fn default() -> LaunchLimits {
        LaunchLimits { programs: 1 << 14, bytes: 1 << 28 }
    }
}

/// Runs jobs in large batches.
///
/// Jobs of similar numbers of threads are launched together. A launch that fails is tried again in
/// halves, so that only the jobs at fault fail. Once the device is lost, no job is launched any
/// more; earlier reports stay.
pub struct Runner<'b> {
    backend: &'b mut dyn Backend,
    limits: LaunchLimits,
    /// Why there is no device any more.
    lost: Option<DeviceError>,
}

impl<'b> Runner<'b> {
    /// A runner on a device.
    pub fn new(backend: &'b mut dyn Backend) -> Runner<'b> {
        Runner::with_limits(backend, LaunchLimits::default())
    }

    /// A runner whose launches take no more than `limits`.
    pub fn with_limits(backend: &'b mut dyn Backend, limits: LaunchLimits) -> Runner<'b> {
        Runner { backend, limits, lost: None }
    }

    /// Runs a job.
    ///
    /// # Errors
    /// [`Failure`].
    pub fn run_one(&mut self, job: &Job) -> Result<Report, Failure> {
        // Proof: `run` has a result for each job.
        self.run(std::slice::from_ref(job)).pop().expect("a result for the job")
    }

    /// Runs jobs: a report or a [`Failure`] for each, in their order.
    pub fn run(&mut self, jobs: &[Job]) -> Vec<Result<Report, Failure>> {
        let grids: Vec<&[Job]> = jobs.iter().map(std::slice::from_ref).collect();
        // Proof: `run_grids` has a report for each job of a grid.
        let one = |mut reports: Vec<Report>| reports.pop().expect("a report of the job");
        self.run_grids(&grids).into_iter().map(|reports| reports.map(one)).collect()
    }

    /// Runs grids, each the jobs of its blocks ([`Job::grid`]), whose jitters may differ: a report
    /// of each block, or a [`Failure`] of the grid. The blocks of a grid are workgroups of one launch
    /// and have the cells of its global arrays in common: those before the run are the first
    /// block's, and every report has what all blocks together left.
    pub fn run_grids(&mut self, grids: &[&[Job]]) -> Vec<Result<Vec<Report>, Failure>> {
        let mut results: Vec<Option<GridResult>> = vec![None; grids.len()];
        let mut classes: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (number, grid) in grids.iter().enumerate() {
            match self.class(grid) {
                Ok(Some(class)) => classes.entry(class).or_default().push(number),
                Ok(None) => {
                    results[number] = Some(Ok(grid.iter().map(without_threads).collect()));
                }
                Err(error) => results[number] = Some(Err(error.into())),
            }
        }
        for (class, numbers) in classes {
            for chunk in self.chunks(grids, &numbers) {
                self.launch(grids, chunk, class, &mut results);
            }
        }
        // Proof: every grid was settled above, or has a class and is part of a chunk of it.
        results.into_iter().map(|result| result.expect("every grid has a result")).collect()
    }

    /// The size of the workgroups in which the grid is launched: a power of two, so that devices
    /// see few of them. None for a grid without threads.
    fn class(&self, grid: &[Job]) -> Result<Option<u32>, DeviceError> {
        let device = self.backend.device();
        let most = grid.iter().map(Job::threads).max().unwrap_or(0);
        let lanes = grid.iter().map(Job::lanes).max().unwrap_or(0);
        if grid.iter().all(|job| job.threads() == 0) {
            return Ok(None);
        }
        if most > device.workgroup {
            return Err(DeviceError::TooLarge {
                what: "threads of a workgroup",
                needed: most.into(),
                available: device.workgroup.into(),
            });
        }
        let waits = |job: &Job| {
            let mut code = job.code().instructions().iter();
            code.any(|instruction| instruction.barrier() == Some(BarrierScope::Grid))
        };
        let blocks = |job: &Job| job.block().launch.grid.count();
        if grid.iter().any(|job| waits(job) && blocks(job) != grid.len() as u64) {
            return Err(DeviceError::NotCooperative);
        }
        Footprint::of(grid).fits(device)?;
        let rounded = lanes.checked_next_power_of_two().unwrap_or(u32::MAX);
        Ok(Some(rounded.min(device.workgroup)))
    }

    /// Splits grids, each of which fits on the device, into runs of such that fit together.
    fn chunks<'n>(&self, grids: &[&[Job]], numbers: &'n [usize]) -> Vec<&'n [usize]> {
        let mut chunks = Vec::new();
        let (mut start, mut programs, mut used) = (0, 0, Footprint::default());
        for (position, number) in numbers.iter().enumerate() {
            let grid = Footprint::of(grids[*number]);
            let together = used.and(&grid);
            programs += grids[*number].len();
            let fits = programs <= self.limits.programs
                && together.bytes() <= self.limits.bytes
                && together.fits(self.backend.device()).is_ok();
            used = if fits || position == start {
                together
            } else {
                chunks.push(&numbers[start..position]);
                (start, programs) = (position, grids[*number].len());
                grid
            };
        }
        if start < numbers.len() {
            chunks.push(&numbers[start..]);
        }
        chunks
    }

    /// Launches grids together, and in halves where that fails.
    fn launch(
        &mut self,
        grids: &[&[Job]],
        numbers: &[usize],
        workgroup: u32,
        results: &mut [Option<GridResult>],
    ) {
        let chunk: Vec<&[Job]> = numbers.iter().map(|number| grids[*number]).collect();
        match self.attempt(&chunk, workgroup) {
            Ok(reports) => {
                for (number, reports) in numbers.iter().zip(reports) {
                    results[*number] = Some(reports);
                }
            }
            Err(error) if self.lost.is_some() || numbers.len() == 1 => {
                for number in numbers {
                    results[*number] = Some(Err(error.clone().into()));
                }
            }
            Err(_) => {
                let (first, second) = numbers.split_at(numbers.len() / 2);
                self.launch(grids, first, workgroup, results);
                self.launch(grids, second, workgroup, results);
            }
        }
    }

    /// Launches grids together, unless the device is lost.
    fn attempt(
        &mut self,
        grids: &[&[Job]],
        workgroup: u32,
    ) -> Result<Vec<GridResult>, DeviceError> {
        if let Some(error) = &self.lost {
            return Err(error.clone());
        }
        let image = pack(grids, workgroup);
        let output = self.backend.launch(&image).inspect_err(|error| {
            if matches!(error, DeviceError::Lost { .. }) {
                self.lost = Some(error.clone());
            }
        })?;
        if let Err(malformed) = check_lengths(&image, &output) {
            return Ok(vec![Err(malformed.into()); grids.len()]);
        }
        let mut headers = image.programs.chunks_exact(PROGRAM_WORDS);
        let reports = |grid: &&[Job]| {
            // All headers are taken, also where a report fails.
            let own: Vec<&[u32]> = headers.by_ref().take(grid.len()).collect();
            let blocks = grid.iter().zip(own);
            let report = |(job, header)| Ok(decode(job, Part::of(header, &image, &output))?);
            blocks.map(report).collect()
        };
        Ok(grids.iter().map(reports).collect())
    }
}

/// What becomes of a grid.
type GridResult = Result<Vec<Report>, Failure>;

/// The report of a job that no thread runs: nothing happens in its one phase.
fn without_threads(job: &Job) -> Report {
    Report {
        block: job.block(),
        status: Status::Done,
        overflow: None,
        last_phase: 0,
        arrays: arrays(job, job.arrays().iter().map(|array| &array.cells[..])),
        threads: Vec::new(),
    }
}
