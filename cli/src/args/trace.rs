//! Logs of accesses: `babycuda trace`.

use super::{KernelArgs, PlainFormat};
use clap::{Args, Subcommand, ValueEnum};

/// `babycuda trace`
#[derive(Args, Debug)]
pub(crate) struct TraceArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: TraceCommand,
}

/// The subcommands of `babycuda trace`.
#[derive(Subcommand, Debug)]
pub(crate) enum TraceCommand {
    /// Find all races of a log: one for each two statements, in one block and between blocks.
    ///
    /// What is ordered is what barriers order, of tiles, warps, lanes, blocks and the grid (docs/THEORY.md, section 4).
    /// Half of --memory-limit is for what is known of cells; where that does not suffice, the log is read several
    /// times.
    ///
    /// Exit status: 0 no race in this log, 1 a race, 2 no log (with the place of the first thing that is wrong) or bad
    /// usage, 3 unknown: a limit passed.
    #[command(after_help = "Examples:\n\
        \x20 babycuda trace check traces/tests/logs/neighbours.bclog --machine hirace  # exit 1")]
    Check(LogArgs),
    /// Write a log in the other format, or in a chosen one.
    ///
    /// Exit status: 0 written, 2 no log, or bad usage, 3 a limit passed.
    #[command(after_help = "Examples:\n\
        \x20 babycuda trace convert traces/tests/logs/neighbours.bclog | head -3\n\
        \x20 babycuda trace convert traces/tests/logs/neighbours.jsonl --output copy.bclog")]
    Convert(ConvertArgs),
    /// Run a kernel, threads in order, and log what it accesses.
    ///
    /// Without --block: 32 threads; without --grid: one block. Arrays hold 0.
    ///
    /// Exit status: 0 written, 2 bad input or usage, 3 written, but the run ended before all threads did (the reason is
    /// printed), or a limit passed.
    #[command(after_help = "Examples:\n\
        \x20 babycuda trace record tests/corpus/vector_add.cu --block 64 --param n=64 --output run.bclog\n\
        \x20 babycuda trace record tests/corpus/vector_add.cu --block 4 --param n=4 --to lines | babycuda trace check -")]
    Record(Box<RecordArgs>),
}

/// `babycuda trace check`
#[derive(Args, Debug)]
pub(crate) struct LogArgs {
    /// The log; standard input is `-`. Of what is no file, at most a quarter of --memory-limit is read.
    #[arg(value_name = "LOG")]
    pub log: String,
    /// After so many pairs of statements no more are looked for.
    #[arg(long, default_value_t = 20, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_races: u32,
    /// Let a state machine judge the log, too: HiRace's, as it is derived from the definition (`hirace`), or a table
    /// `state,access,sync,relation,next`.
    #[arg(long, value_name = "hirace|FILE.csv")]
    pub machine: Option<String>,
    /// How to report.
    #[arg(long, value_enum, default_value = "human", value_name = "FORMAT")]
    pub format: PlainFormat,
}

/// `babycuda trace convert`
#[derive(Args, Debug)]
pub(crate) struct ConvertArgs {
    /// The log; standard input is `-`.
    #[arg(value_name = "LOG")]
    pub log: String,
    /// The format [default: the other one].
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub to: Option<LogFormat>,
    /// Where to write [default: standard output]. A file gets its name when all of it is written.
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<std::path::PathBuf>,
}

/// `babycuda trace record`
#[derive(Args, Debug)]
pub(crate) struct RecordArgs {
    #[command(flatten)]
    pub kernel: KernelArgs,
    /// The format.
    #[arg(long, value_enum, default_value = "binary", value_name = "FORMAT")]
    pub to: LogFormat,
    /// Where to write [default: standard output]. A file gets its name when all of it is written.
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<std::path::PathBuf>,
    /// Let a thread that is drawn from this number go on after each access, instead of all in order.
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
}

/// The format of a log.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LogFormat {
    /// Bytes.
    Binary,
    /// JSON lines.
    Lines,
}
