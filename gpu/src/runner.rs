//! Running many jobs on a device.

use crate::backend::{Backend, DeviceError};
use crate::batch::{Footprint, pack};
use crate::decode::{Malformed, Part, arrays, check_lengths, decode};
use crate::image::{ENTRY_LONGS, THREAD_WORDS};
use crate::job::Job;
use crate::report::{Report, Status};
use std::collections::BTreeMap;

/// Why a job has no report.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
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
        let mut results: Vec<Option<Result<Report, Failure>>> = vec![None; jobs.len()];
        let mut classes: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (number, job) in jobs.iter().enumerate() {
            match self.class(job) {
                Ok(Some(class)) => classes.entry(class).or_default().push(number),
                Ok(None) => results[number] = Some(Ok(without_threads(job))),
                Err(error) => results[number] = Some(Err(error.into())),
            }
        }
        for (class, numbers) in classes {
            for chunk in self.chunks(jobs, &numbers) {
                self.launch(jobs, chunk, class, &mut results);
            }
        }
        // Proof: every job was settled above, or has a class and is part of a chunk of it.
        results.into_iter().map(|result| result.expect("every job has a result")).collect()
    }

    /// The size of the workgroups in which the job is launched: a power of two, so that devices
    /// see few of them. None for a job without threads.
    fn class(&self, job: &Job) -> Result<Option<u32>, DeviceError> {
        let device = self.backend.device();
        if job.threads() == 0 {
            return Ok(None);
        }
        if job.threads() > device.workgroup {
            return Err(DeviceError::TooLarge {
                what: "threads of a workgroup",
                needed: job.threads().into(),
                available: device.workgroup.into(),
            });
        }
        Footprint::of(job).fits(device)?;
        Ok(Some(job.threads().next_power_of_two().min(device.workgroup)))
    }

    /// Splits jobs, each of which fits on the device, into runs of such that fit together.
    fn chunks<'n>(&self, jobs: &[Job], numbers: &'n [usize]) -> Vec<&'n [usize]> {
        let mut chunks = Vec::new();
        let (mut start, mut used) = (0, Footprint::default());
        for (position, number) in numbers.iter().enumerate() {
            let job = Footprint::of(&jobs[*number]);
            let together = used.and(&job);
            let fits = position - start < self.limits.programs
                && together.bytes() <= self.limits.bytes
                && together.fits(self.backend.device()).is_ok();
            used = if fits || position == start {
                together
            } else {
                chunks.push(&numbers[start..position]);
                start = position;
                job
            };
        }
        if start < numbers.len() {
            chunks.push(&numbers[start..]);
        }
        chunks
    }

    /// Launches jobs together, and in halves where that fails.
    fn launch(
        &mut self,
        jobs: &[Job],
        numbers: &[usize],
        workgroup: u32,
        results: &mut [Option<Result<Report, Failure>>],
    ) {
        let chunk: Vec<&Job> = numbers.iter().map(|number| &jobs[*number]).collect();
        match self.attempt(&chunk, workgroup) {
            Ok(reports) => {
                for (number, report) in numbers.iter().zip(reports) {
                    results[*number] = Some(report);
                }
            }
            Err(error) if self.lost.is_some() || numbers.len() == 1 => {
                for number in numbers {
                    results[*number] = Some(Err(error.clone().into()));
                }
            }
            Err(_) => {
                let (first, second) = numbers.split_at(numbers.len() / 2);
                self.launch(jobs, first, workgroup, results);
                self.launch(jobs, second, workgroup, results);
            }
        }
    }

    /// Launches jobs together, unless the device is lost.
    fn attempt(
        &mut self,
        jobs: &[&Job],
        workgroup: u32,
    ) -> Result<Vec<Result<Report, Failure>>, DeviceError> {
        if let Some(error) = &self.lost {
            return Err(error.clone());
        }
        let image = pack(jobs, workgroup);
        let output = self.backend.launch(&image).inspect_err(|error| {
            if matches!(error, DeviceError::Lost { .. }) {
                self.lost = Some(error.clone());
            }
        })?;
        if let Err(malformed) = check_lengths(&image, &output) {
            return Ok(vec![Err(malformed.into()); jobs.len()]);
        }
        let (mut memory, mut log) = (&output.memory[..], &output.log[..]);
        let mut threads = &output.threads[..];
        let report = |job: &&Job| {
            let count = job.threads() as usize;
            let cells = job.arrays().iter().map(|array| array.cells.len()).sum();
            let part = Part {
                memory: take(&mut memory, cells),
                log: take(&mut log, count * job.log() as usize * ENTRY_LONGS),
                threads: take(&mut threads, count * THREAD_WORDS),
            };
            Ok(decode(job, part)?)
        };
        Ok(jobs.iter().map(report).collect())
    }
}

/// Takes the first `count` items off a list that has them.
fn take<'a, T>(list: &mut &'a [T], count: usize) -> &'a [T] {
    let (first, rest) = list.split_at(count);
    *list = rest;
    first
}

/// The report of a job that no thread runs: nothing happens in its one phase.
fn without_threads(job: &Job) -> Report {
    let before: Vec<u64> = job.arrays().iter().flat_map(|array| array.cells.clone()).collect();
    Report {
        block: job.block(),
        status: Status::Done,
        overflow: None,
        last_phase: 0,
        arrays: arrays(job, &before),
        threads: Vec::new(),
    }
}
