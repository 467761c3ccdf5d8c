//! The command line.

use babycuda_campaign::Shard;
use babycuda_gpu::{BackendName, Unavailable, open};
use babycuda_validation::watched::{Open, Watched};
use clap::{Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Holds the theory of babycuda against devices: runs random programs and compares what happened
/// with the type system, the protocols and the semantics.
///
/// Exit status: 0 no failure, 1 a failure was found, 2 bad input or usage, 3 the back end is not
/// available.
#[derive(Parser)]
#[command(version)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Lists the back ends, with their devices or why there are none.
    Devices,
    /// Runs many random programs.
    Campaign(CampaignArgs),
    /// Breaks the back end on purpose, in every way known, and sees that it is noticed.
    SelfTest(SelfTestArgs),
    /// Runs kernels of the corpus, compiled by the device's compiler, and compares their accesses.
    Kernels(KernelsArgs),
    /// Runs litmus tests, and shows which outcomes are of interleavings and which of weaker memories.
    Litmus(LitmusArgs),
    /// Writes what the device does with chosen programs, racy ones above all, to files.
    Record(RecordArgs),
    /// Holds recordings to the claims again, without a device.
    Replay(ReplayArgs),
    /// Compares published techniques on random kernels, beside the ground truth
    Scorecard(ScorecardArgs),
}

/// A back end.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum BackendArg {
    /// The simulator
    Sim,
    /// Vulkan
    Wgpu,
    /// OpenCL
    Opencl,
    /// The CUDA driver
    Cuda,
}

impl BackendArg {
    pub(crate) fn name(self) -> BackendName {
        match self {
            BackendArg::Sim => BackendName::Sim,
            BackendArg::Wgpu => BackendName::Wgpu,
            BackendArg::Opencl => BackendName::OpenCl,
            BackendArg::Cuda => BackendName::Cuda,
        }
    }
}

/// How long a device may take.
#[derive(Clone, Copy, clap::Args)]
pub(crate) struct Watch {
    /// The seconds that the device may take for what it is given at once: then it hangs, and is given
    /// up. A campaign looks for the program, on new ones
    #[arg(long, value_name = "S", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..))]
    deadline: u64,
}

impl Watch {
    pub(crate) fn deadline(self) -> Duration {
        Duration::from_secs(self.deadline)
    }

    /// Opens the back end as a device that is given up.
    pub(crate) fn open(self, backend: BackendArg, seed: u64) -> Result<Watched, Unavailable> {
        let backend = backend.name();
        let open: Open = Arc::new(move || open(backend, seed));
        Watched::open(&open, self.deadline())
    }
}

#[derive(clap::Args)]
pub(crate) struct CampaignArgs {
    /// Where the programs run
    #[arg(long)]
    pub backend: BackendArg,
    /// How many programs
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(..=1 << 62))]
    pub programs: u64,
    /// The number of the first one
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u64).range(..=1 << 62))]
    pub first: u64,
    /// The seed of the programs, and of the simulator
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,
    /// Runs of each program: the first one as it is, the others stirred
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    pub runs: u32,
    /// Runs of each racy program
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    pub racy_runs: u32,
    /// Programs of a batch
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u64).range(1..))]
    pub batch: u64,
    /// Threads that generate programs and judge reports, at most 256 [default: one a processor]
    #[arg(long, value_name = "N", value_parser = threads)]
    pub workers: Option<usize>,
    /// Threads that each open the device and give it batches, at most 256
    #[arg(long, value_name = "N", default_value = "1", value_parser = threads)]
    pub queues: usize,
    #[command(flatten)]
    pub watch: Watch,
    /// Begin no batch after so many seconds
    #[arg(long, value_name = "S")]
    pub seconds: Option<u64>,
    /// The device's compiler compiles the programs, so many as one module, which is a batch
    #[arg(long, value_name = "N", conflicts_with = "batch", value_parser = clap::value_parser!(u64).range(1..))]
    pub compiled: Option<u64>,
    /// Only the batches of this part, as 2/8 is the second of eight
    #[arg(long, value_name = "PART", default_value = "1/1")]
    pub shard: Shard,
    /// Go on from this file, if it is there, and keep there how far the campaign is
    #[arg(long, value_name = "FILE")]
    pub state: Option<PathBuf>,
    /// Write the results here, as JSON
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Write the minimised programs that fail, or that no interleaving explains, to this folder,
    /// which is made at the start
    #[arg(long, value_name = "DIR")]
    pub keep: Option<PathBuf>,
}

#[derive(clap::Args)]
pub(crate) struct SelfTestArgs {
    /// Where the programs run
    #[arg(long)]
    pub backend: BackendArg,
    /// Programs for each fault. Where too few of them could show it, that is said, and is no failure
    #[arg(long, value_name = "N", default_value_t = 4000)]
    pub programs: u64,
    #[command(flatten)]
    pub watch: Watch,
}

#[derive(clap::Args)]
pub(crate) struct KernelsArgs {
    /// Where the kernels run: a back end that compiles text
    #[arg(long)]
    pub backend: BackendArg,
    /// The most threads of a launch; each kernel also runs with fewer, from 256 on
    #[arg(long, value_name = "N", default_value_t = 1 << 14, value_parser = clap::value_parser!(u32).range(256..=1 << 20))]
    pub threads: u32,
    /// Only the kernel of this name
    #[arg(long, value_name = "NAME")]
    pub kernel: Option<String>,
    #[command(flatten)]
    pub watch: Watch,
    /// Write the results here, as JSON
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}

#[derive(clap::Args)]
pub(crate) struct LitmusArgs {
    /// Where the tests run
    #[arg(long)]
    pub backend: BackendArg,
    /// Runs of each test in each placement, at least
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    pub runs: u32,
    /// The seed of the order, of the jitters and of the simulator
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,
    /// Only the test of this name
    #[arg(long, value_name = "NAME")]
    pub test: Option<String>,
    #[command(flatten)]
    pub watch: Watch,
    /// Write the results here, as JSON
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}

#[derive(clap::Args)]
pub(crate) struct ScorecardArgs {
    /// How many kernels
    #[arg(long, value_name = "N", default_value_t = 1100, value_parser = clap::value_parser!(u64).range(1..=1 << 40))]
    pub kernels: u64,
    /// The seed of the kernels
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,
    /// The folder of kernels that people wrote
    #[arg(long, value_name = "FOLDER", default_value = "tests/corpus")]
    pub corpus: PathBuf,
    /// Let HiRace watch with this machine, too, as `hirace (published)`: a table
    /// `state,access,sync,relation,next`
    #[arg(long, value_name = "FILE")]
    pub machine: Option<PathBuf>,
    /// Only this technique. With --write: its rows of the page that is there
    #[arg(long, value_name = "NAME")]
    pub technique: Option<String>,
    /// Write the page here, and not to standard output
    #[arg(long, value_name = "FILE")]
    pub write: Option<PathBuf>,
}

#[derive(clap::Args)]
pub(crate) struct RecordArgs {
    /// Where the programs run
    #[arg(long)]
    pub backend: BackendArg,
    /// How many programs are run, to choose from
    #[arg(long, value_name = "N", default_value_t = 2000)]
    pub programs: u64,
    /// The seed of the programs, and of the simulator
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,
    /// Runs of each program
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    pub runs: u32,
    /// Recordings of each class of racy programs whose memory differs from run to run
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub each: usize,
    #[command(flatten)]
    pub watch: Watch,
    /// The folder
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
}

#[derive(clap::Args)]
pub(crate) struct ReplayArgs {
    /// Recordings
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
}

/// A number of threads.
fn threads(text: &str) -> Result<usize, &'static str> {
    match text.parse() {
        Ok(number @ 1..=256) => Ok(number),
        _ => Err("not a number from 1 to 256"),
    }
}
