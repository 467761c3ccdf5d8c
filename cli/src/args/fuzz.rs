//! A fuzzer of analyzers: `babycuda fuzz`.

use super::PlainFormat;
use babycuda::kernel::Language;
use babycuda_fuzz::{Asking, Reading};
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

/// `babycuda fuzz`
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct FuzzArgs {
    /// What else to do.
    #[command(subcommand)]
    pub command: Option<FuzzCommand>,
    /// What is tried.
    #[command(flatten)]
    pub campaign: CampaignArgs,
}

/// The subcommands of `babycuda fuzz`.
#[derive(Subcommand, Debug)]
pub(crate) enum FuzzCommand {
    /// Ask about each disagreement of a campaign's folder again, or about the one of a folder below `findings`: what a new version of the tool has mended, and what not.
    ///
    /// It reads `finding.json` of each; what else lies there is for people.
    ///
    /// Exit status: 0 the tool says what is true, 1 of some kernel it does not, 2 no such folder or tool, or bad usage, 3 it does
    /// not say anything of any kernel, 130 it was interrupted.
    #[command(after_help = "Examples:\n\
        \x20 babycuda fuzz --against two-thread --programs 32 --out found  # exit 1\n\
        \x20 babycuda fuzz replay found  # exit 1")]
    Replay(ReplayArgs),
    /// Put together what the parts of a campaign found, by the folders of all of them.
    ///
    /// Exit status: as that of a campaign.
    #[command(after_help = "Examples:\n\
        \x20 babycuda fuzz --against protocols --programs 32 --shard 1/2 --out part-1\n\
        \x20 babycuda fuzz --against protocols --programs 32 --shard 2/2 --out part-2\n\
        \x20 babycuda fuzz merge part-1 part-2")]
    Merge(MergeArgs),
}

/// `babycuda fuzz`
#[derive(Args, Debug)]
pub(crate) struct CampaignArgs {
    /// Who is asked: `techniques` (those of this library), `implementations` (those of the semantics, which must agree),
    /// `inside` (both), the name of one, `oclgrind`, `faial`, `gpuverify`, `racecheck`, `clang`, or a command with `{file}` in
    /// it. May be given several times [default: inside].
    #[arg(long, value_name = "TOOL|COMMAND")]
    pub against: Vec<String>,
    /// How many kernels.
    #[arg(long, default_value_t = 1_024, value_name = "N")]
    pub programs: u64,
    /// The seed of the kernels.
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub seed: u64,
    /// Only kernels of this fragment, as docs/SCORECARD.md has them; spaces may be hyphens. May be given several times.
    #[arg(long, value_name = "NAME")]
    pub fragment: Vec<String>,
    /// Only kernels that are so: racy, race-free, divergent, typed (they have a protocol), untyped, almost-typed (without one
    /// of their statements they have one), paper (of one block, with the constructs of LCL22 alone), scoped (with atomic updates, or
    /// barriers of other scopes than a block), relative (they have one relative to what the host stored, and no other).
    #[arg(long, value_name = "NAME")]
    pub profile: Option<String>,
    /// Most kernels are made of those that used a rule of the theory as none before them did.
    #[arg(long)]
    pub coverage: bool,
    /// The part of the kernels that is tried here, as 2/8.
    #[arg(long, default_value = "1/1", value_name = "I/N", value_parser = part)]
    pub shard: babycuda_fuzz::Shard,
    /// How many kernels at once [default: one for each processor].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
    /// No kernel (with --coverage, no 256 of them) is begun after so many seconds. A campaign goes on from its folder.
    #[arg(long, value_name = "S")]
    pub time: Option<u32>,
    /// Where the campaign is kept, and its disagreements.
    #[arg(long, default_value = "fuzz-out", value_name = "FOLDER")]
    pub out: PathBuf,
    /// How tools are asked.
    #[command(flatten)]
    pub asking: AskingArgs,
    /// How to report.
    #[arg(long, value_enum, default_value = "human", value_name = "FORMAT")]
    pub format: PlainFormat,
}

/// How tools are asked.
#[derive(Args, Debug, Clone)]
pub(crate) struct AskingArgs {
    /// How many seconds a program may take for a kernel; techniques inside have 20 [default: 10].
    #[arg(long, value_name = "S", value_parser = super::values::parse_seconds)]
    pub timeout: Option<f64>,
    /// A race that leaves one memory whatever the schedule need not be reported.
    #[arg(long)]
    pub ignore_benign: bool,
    /// What a command prints where there is a race, or `json:/place=value` for what stands at a place of a JSON document that it
    /// prints, by its pointer (`json:/verdict=racy`), or `!=` for what does not stand there (`json:/races!=[]`) [default: it ends
    /// with status 1].
    #[arg(long, value_name = "TEXT", value_parser = babycuda_fuzz::external::condition)]
    pub racy_when: Option<String>,
    /// What a command prints where threads diverge at a barrier, likewise [default: nothing, since it looks for races only].
    #[arg(long, value_name = "TEXT", value_parser = babycuda_fuzz::external::condition)]
    pub divergent_when: Option<String>,
    /// What a command prints where there is neither, likewise [default: it ends with status 0].
    #[arg(long, value_name = "TEXT", value_parser = babycuda_fuzz::external::condition)]
    pub free_when: Option<String>,
    /// Kernels have macros for cells, barriers, guards and loops; what is inside reads no text.
    #[arg(long)]
    pub macros: bool,
    /// The language of a command's kernels [default: cuda].
    #[arg(long, value_enum, value_name = "LANGUAGE")]
    pub language: Option<FuzzLanguage>,
}

/// A language of kernels.
#[derive(ValueEnum, Clone, Copy, Debug)]
pub(crate) enum FuzzLanguage {
    /// CUDA C.
    Cuda,
    /// OpenCL C.
    Opencl,
}

/// `babycuda fuzz replay`
#[derive(Args, Debug)]
pub(crate) struct ReplayArgs {
    /// The folders of a campaign, or of its parts, or of single disagreements.
    #[arg(value_name = "FOLDER", required = true)]
    pub folders: Vec<PathBuf>,
    /// Ask this tool, and not the one that the disagreement is of.
    #[arg(long, value_name = "TOOL|COMMAND")]
    pub against: Option<String>,
    /// How tools are asked: as in the campaign, but for what is given here.
    #[command(flatten)]
    pub asking: AskingArgs,
    /// How to report.
    #[arg(long, value_enum, default_value = "human", value_name = "FORMAT")]
    pub format: PlainFormat,
}

/// `babycuda fuzz merge`
#[derive(Args, Debug)]
pub(crate) struct MergeArgs {
    /// The folders of campaigns.
    #[arg(value_name = "FOLDER", required = true)]
    pub folders: Vec<PathBuf>,
    /// How to report.
    #[arg(long, value_enum, default_value = "human", value_name = "FORMAT")]
    pub format: PlainFormat,
}

impl AskingArgs {
    /// As `before`, but for what is given.
    pub(crate) fn or(&self, before: Asking) -> Asking {
        Asking {
            within: self.timeout.map_or(before.within, Duration::from_secs_f64),
            ignore_benign: self.ignore_benign || before.ignore_benign,
            reading: Reading {
                racy: self.racy_when.clone().or(before.reading.racy),
                divergent: self.divergent_when.clone().or(before.reading.divergent),
                free: self.free_when.clone().or(before.reading.free),
                macros: self.macros || before.reading.macros,
                language: match self.language {
                    Some(FuzzLanguage::Cuda) => Language::Cuda,
                    Some(FuzzLanguage::Opencl) => Language::OpenCl,
                    None => before.reading.language,
                },
            },
        }
    }
}

fn part(text: &str) -> Result<babycuda_fuzz::Shard, String> {
    text.parse().map_err(|why: &str| why.to_owned())
}
