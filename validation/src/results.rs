//! What the commands of `babycuda-validation` keep of their results, as JSON.

use crate::Tally;
use crate::campaign::Finding;
use crate::litmus::Shown;
use babycuda_core::json::Format;
use serde::{Deserialize, Serialize};

/// The results of a campaign.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Campaign {
    /// The command.
    pub command: Vec<String>,
    /// When it began, in seconds since 1970.
    pub began: u64,
    /// Processors of the host.
    pub processors: usize,
    /// The back end.
    pub backend: String,
    /// The device's name.
    pub device: String,
    /// Its driver.
    pub driver: String,
    /// How long it took.
    pub seconds: f64,
    /// How many programs in one of them.
    pub programs_per_second: f64,
    /// Counts.
    pub tally: Tally,
    /// Programs on which a claim does not hold, or of which there is no report.
    pub failures: Vec<Finding>,
    /// Programs of which no interleaving explains a run.
    pub beyond_interleavings: Vec<Finding>,
}

impl Format for Campaign {
    const NAME: &'static str = "babycuda/validation-campaign";
}

/// The results of kernels of the corpus.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Kernels {
    /// The command.
    pub command: Vec<String>,
    /// The back end.
    pub backend: String,
    /// The device's name.
    pub device: String,
    /// Its driver.
    pub driver: String,
    /// The launches.
    pub launches: Vec<Launched>,
}

impl Format for Kernels {
    const NAME: &'static str = "babycuda/validation-kernels";
}

/// A launch of a kernel.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Launched {
    /// The kernel.
    pub kernel: String,
    /// Its threads.
    pub threads: u64,
    /// Its phases.
    pub phases: u32,
    /// Accesses of all threads, in the protocol.
    pub accesses: u64,
    /// Seconds that the reference took.
    pub reference_seconds: f64,
    /// Seconds that the device took, its compiler and all transfers included.
    pub device_seconds: f64,
    /// Why the two disagree, if they do.
    pub disagreement: Option<String>,
}

/// The results of litmus tests.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Litmus {
    /// The command.
    pub command: Vec<String>,
    /// The back end.
    pub backend: String,
    /// The device's name.
    pub device: String,
    /// Its driver.
    pub driver: String,
    /// The tests.
    pub tests: Vec<Shown>,
}

impl Format for Litmus {
    const NAME: &'static str = "babycuda/validation-litmus";
}
