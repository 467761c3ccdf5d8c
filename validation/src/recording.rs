//! What a device did, kept: a program with the reports of its runs, which can be held to the claims
//! again wherever there is no device.

use crate::case;
use crate::claims::{Verdict, validate};
use crate::reference::{NoReference, Reference};
use crate::shape::fits;
use babycuda_core::json::Format;
use babycuda_core::parse::{ParseError, parse_program};
use babycuda_gpu::{BackendName, Device, Job, JobError, Report};
use serde::{Deserialize, Serialize};

/// The runs of a program on a device.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Recording {
    /// The interface by which the device was reached: `sim`, `wgpu`, `opencl` or `cuda`.
    pub backend: String,
    /// The device's name.
    pub device: String,
    /// Its driver, with version.
    pub driver: String,
    /// The program, as a `.bcuda` file that fixes launch, parameters and contents.
    pub program: String,
    /// What the theory says of it, in words.
    pub class: String,
    /// What happened, run by run.
    pub reports: Vec<Report>,
}

impl Format for Recording {
    const NAME: &'static str = "babycuda/device-recording";
}

/// Why a recording cannot be replayed.
#[derive(Debug, thiserror::Error)]
pub enum NoReplay {
    /// Its program does not parse.
    #[error("its program: {0}")]
    Parse(#[from] ParseError),
    /// Its program leaves the launch open.
    #[error("its program leaves the launch open")]
    Open,
    /// The theory says nothing of its program.
    #[error(transparent)]
    NoReference(#[from] NoReference),
    /// No such back end.
    #[error("there is no back end `{0}`")]
    Backend(String),
    /// No device runs its program.
    #[error(transparent)]
    NoJob(#[from] JobError),
    /// It has no runs.
    #[error("it has no runs")]
    Empty,
    /// A report is of no run of its program.
    #[error("run {run}: {why}")]
    #[allow(missing_docs)]
    Malformed { run: usize, why: String },
}

impl Recording {
    /// A recording of these runs of the reference's program.
    pub fn new(device: &Device, reference: &Reference, reports: Vec<Report>) -> Recording {
        Recording {
            backend: device.backend.to_string(),
            device: device.name.clone(),
            driver: device.driver.clone(),
            program: reference.instance.program.to_string(),
            class: reference.class().to_string(),
            reports,
        }
    }

    /// The back end of the device.
    ///
    /// # Errors
    /// [`NoReplay::Backend`].
    pub fn backend(&self) -> Result<BackendName, NoReplay> {
        let known = BackendName::ALL.into_iter().find(|name| name.to_string() == self.backend);
        known.ok_or_else(|| NoReplay::Backend(self.backend.clone()))
    }

    /// Holds every report to every claim.
    ///
    /// # Errors
    /// [`NoReplay`].
    pub fn replay(&self) -> Result<Vec<Verdict>, NoReplay> {
        let instance = case::instance(&parse_program(&self.program)?).ok_or(NoReplay::Open)?;
        let job = Job::new(&instance, &case::options(&instance))?;
        if self.reports.is_empty() {
            return Err(NoReplay::Empty);
        }
        for (run, report) in self.reports.iter().enumerate() {
            fits(report, &job, &instance.program.body)
                .map_err(|why| NoReplay::Malformed { run, why })?;
        }
        let reference = Reference::new(instance)?;
        let verdict = |report| validate(&reference, report);
        Ok(self.reports.iter().map(verdict).collect())
    }

    /// Did two of the runs leave different memories?
    pub fn memories_differ(&self) -> bool {
        self.reports.windows(2).any(|two| two[0].arrays != two[1].arrays)
    }
}
