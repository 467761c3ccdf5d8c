//! What a device did, kept: a program with the reports of its runs, which can be held to the claims
//! again wherever there is no device.

use crate::case;
use crate::claims::{Verdict, validate};
use crate::reference::{NoReference, Reference};
use babycuda_core::json::Format;
use babycuda_core::parse::{ParseError, parse_program};
use babycuda_gpu::{BackendName, Device, Report};
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
    /// A report is of another number of threads than the program's block.
    #[error("a report has {found} threads, and the program {expected}")]
    #[allow(missing_docs)]
    Threads { found: usize, expected: u64 },
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
        let expected = instance.block().len();
        if let Some(report) = self.reports.iter().find(|r| r.threads.len() as u64 != expected) {
            return Err(NoReplay::Threads { found: report.threads.len(), expected });
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
