//! The command line.

mod choose;
#[cfg(feature = "compare")]
mod compare;
#[cfg(feature = "devices")]
mod devices;
#[cfg(feature = "fuzz")]
mod fuzz;
#[cfg(feature = "grade")]
mod grade;
mod kernel;
#[cfg(feature = "lsp")]
mod lsp;
mod names;
#[cfg(feature = "traces")]
mod trace;
pub(crate) mod values;

pub(crate) use choose::ChooseArgs;
#[cfg(feature = "compare")]
pub(crate) use compare::CompareArgs;
#[cfg(feature = "devices")]
pub(crate) use devices::{EmitArgs, Field, GpuArgs, Written};
#[cfg(feature = "grade")]
pub(crate) use grade::GradeArgs;
pub(crate) use kernel::{KernelArgs, LaunchArgs, Source, open};
#[cfg(feature = "lsp")]
pub(crate) use lsp::LspArgs;
pub(crate) use names::{
    Colour, DerivationFormat, JudgmentArg, LatexStyle, PlainFormat, ReportFormat, RunFormat,
    VerifyFormat,
};

#[cfg(feature = "fuzz")]
pub(crate) use fuzz::{CampaignArgs, FuzzArgs, FuzzCommand, ReplayArgs};
#[cfg(feature = "traces")]
pub(crate) use trace::{ConvertArgs, LogArgs, LogFormat, RecordArgs, TraceArgs, TraceCommand};

use babycuda::Decide;
use babycuda::smt::SolverName;
use babycuda_core::Budget;
use babycuda_files::source::Contracts;
use clap::{Args, Parser, Subcommand};
use names::{contract, method, solver};
use std::time::Duration;
use values::*;

/// Data races of GPU kernels: semantics, memory access protocols, and verdicts with evidence.
///
/// FILE is a kernel of CUDA C (.cu) or OpenCL C (.cl), a BabyCUDA program (.bcuda), a memory access
/// protocol (.map), or a document of one of these two (.json); standard input is `-`.
#[derive(Parser, Debug)]
#[command(name = "babycuda", version, max_term_width = 100)]
#[command(after_help = "Examples:\n\
    \x20 babycuda check tests/corpus/scalar_prod_racy.cu  # exit 1\n\
    \x20 babycuda explain BC002\n\
    \x20 babycuda doctor")]
pub(crate) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    #[command(flatten)]
    pub limits: LimitArgs,
}

/// What the whole command may use.
#[derive(Args, Debug, Clone, Copy)]
pub(crate) struct LimitArgs {
    /// Time limit for the whole command, in seconds. `check` and `compare` call unknown what is not decided by
    /// then; of `lsp` it is the time of one check, and `fuzz` has none; any other command ends with
    /// status 3.
    #[arg(long, global = true, default_value_t = 600.0, value_name = "S", value_parser = parse_seconds)]
    pub time_limit: f64,
    /// Memory limit for the whole command, in megabytes; what passes it ends as with --time-limit.
    #[arg(long, global = true, default_value_t = 4096, value_name = "MB",
        value_parser = clap::value_parser!(u64).range(1..))]
    pub memory_limit: u64,
}

impl LimitArgs {
    /// The time limit, from now.
    pub(crate) fn budget(self) -> Budget {
        Budget::time(Duration::from_secs_f64(self.time_limit))
    }
}

/// The subcommands.
#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Decide whether kernels can race.
    ///
    /// Without --block: all block sizes up to 1024 threads (a dimension that the kernel never
    /// mentions counts as 1). Without --param: all values of the type. Without --grid: all grids of
    /// a CUDA device, likewise, of which an `int` counts the threads where the kernel numbers
    /// them by 32 bits; blocks race with each other on global arrays. --grid 1: one block.
    /// Programs of the calculus declare their grid.
    ///
    /// Exit status: 0 race-free, 1 race or barrier divergence, 2 bad input or usage, 3 unknown.
    /// Several kernels exit with their worst: 2, then 1, then 3, then 0.
    #[command(after_help = "Examples:\n\
        \x20 babycuda check tests/corpus/scalar_prod_racy.cu  # exit 1\n\
        \x20 babycuda check tests/corpus/reduce_sequential.cu --block 256\n\
        \x20 echo 'threads 2; A[tid] := tid' | babycuda check -")]
    Check(CheckArgs),
    /// Infer a kernel's memory access protocol, or say which rule and premise rejects it.
    ///
    /// Exit status: 0 well-typed, 1 rejected, 2 bad input or usage, 3 unsupported, or a limit passed.
    #[command(after_help = "Examples:\n\
        \x20 babycuda type examples/paper/lcl22-fig3.bcuda\n\
        \x20 babycuda type tests/corpus/vector_add.cu")]
    Type(TypeArgs),
    /// Run a kernel in the reference semantics and print its history, racy cells marked.
    ///
    /// Races between blocks are listed after the blocks, and count.
    ///
    /// Exit status: 0 race-free run, 1 racy or divergent run, 2 bad input or usage, 3 stuck, decided
    /// by values that are not known (so that the kernel may have no such run), divergent at a barrier
    /// of a warp where CUDA may let threads pass, or a limit passed.
    #[command(after_help = "Examples:\n\
        \x20 babycuda run tests/corpus/vector_add.cu --block 4 --param n=4\n\
        \x20 babycuda run examples/paper/lcl22-fig3.bcuda --block 2 --param M=3 --format matrix  # exit 1")]
    Run(RunArgs),
    /// Print the derivation of a run, of a type, or of a protocol's accesses.
    ///
    /// The JSON has all that `babycuda verify` needs. Exit status: 0 printed, 2 bad input or usage,
    /// or there is no derivation within the limits of a run, 3 the time or memory limit passed.
    #[command(after_help = "Examples:\n\
        \x20 babycuda derive examples/paper/lcl22-fig4.bcuda --block 2\n\
        \x20 babycuda derive examples/paper/lcl22-fig3.bcuda --judgment type --format tree\n\
        \x20 babycuda derive examples/paper/lcl22-fig4.bcuda --block 2 --format html > derivation.html")]
    Derive(DeriveArgs),
    /// Check a derivation, as `babycuda derive --format json` prints it.
    ///
    /// Every node must be an instance of its rule, and the conclusion must be about the program,
    /// launch, parameters and memory in the document. The checker has a substitution and a
    /// `lastwrite` of its own. Documents nest at most 250,000 deep.
    ///
    /// Exit status: 0 verified, 1 rejected (with the node, its rule and the premise), 2 no document
    /// of a derivation, 3 a limit passed.
    #[command(after_help = "Examples:\n\
        \x20 babycuda derive examples/paper/lcl22-fig4.bcuda --block 2 --format json | babycuda verify -\n\
        \x20 babycuda derive examples/paper/lcl22-fig4.bcuda --block 2 --format json | babycuda verify - --format coq")]
    Verify(VerifyArgs),
    /// Run a kernel on a device and print its log and memory beside the semantics, the first
    /// difference marked.
    ///
    /// Each block runs on its own (at most 65,536 of them), with the memory that the host left;
    /// races between blocks are listed after them. Undefined cells hold --undefined on both sides.
    ///
    /// Exit status: 0 the device did what the semantics says, 1 it did not, 2 bad input or usage
    /// or no such device, 3 not decided: a natural outgrew 64 bits, a limit was reached, or the
    /// sides differ where the order of threads may decide (a race, or atomic updates).
    #[cfg(feature = "devices")]
    #[command(after_help = "Examples:\n\
        \x20 babycuda gpu tests/corpus/vector_add.cu --block 4 --param n=4 --array 'a=[1,2,3,4]' --backend sim")]
    Gpu(GpuArgs),
    /// All techniques on a kernel at one launch, beside what is true of it.
    ///
    /// Without --block: 32 threads; without --grid: one block. Arrays hold 0; techniques that run the kernel refuse it
    /// where a parameter has no value. What is true is said by all interleavings where the launch has at most 8 threads;
    /// else by runs of the kernel under several schedules, and where these do not decide by `check`. The table says which.
    /// Kernels that are done when a limit passes are printed, and the others are unknown.
    ///
    /// Exit status: 0 no technique contradicts what is true, 1 one misses a race or raises a false alarm,
    /// 2 bad input or usage, 3 it is not known of some kernel what is true.
    #[cfg(feature = "compare")]
    #[command(after_help = "Examples:\n\
        \x20 babycuda compare tests/corpus/reduce_sequential_racy.cu --block 8\n\
        \x20 babycuda compare tests/corpus/vector_add.cu --block 8 --param n=8")]
    Compare(CompareArgs),
    /// Logs of the accesses and barriers of one run, of whatever tool: their races, and how to make them.
    ///
    /// docs/TRACES.md has the formats, byte by byte and line by line.
    #[cfg(feature = "traces")]
    #[command(after_help = "Examples:\n\
        \x20 babycuda trace record tests/corpus/reduce_sequential_racy.cu --block 64 --output run.bclog\n\
        \x20 babycuda trace check run.bclog  # exit 1")]
    Trace(TraceArgs),
    /// Ask analyzers about random kernels of which it is known what is true, and keep each disagreement, made small.
    ///
    /// A tool is a technique or an implementation of this library, one of the programs that are known (Oclgrind, Faial,
    /// GPUVerify, Racecheck), or any command: it is run without a shell, with these in its words: {file} the kernel, {block}, {grid} and {warp} the numbers of threads of a block,
    /// of blocks, and of threads of a warp,
    /// {d} the first cells of the array d (a tool that has it is asked about one run, others about all contents of d), {sim} a
    /// file for oclgrind-kernel. Its limits are --time and --timeout.
    ///
    /// Exit status: 0 no disagreement, 1 a disagreement (also a crash, or no answer in time), 2 bad usage, or another campaign is
    /// in the folder, 3 no tool answered, or the memory
    /// limit passed, 130 it was interrupted, or told to end.
    #[cfg(feature = "fuzz")]
    #[command(after_help = "Examples:\n\
        \x20 babycuda fuzz --against protocols --programs 32\n\
        \x20 babycuda fuzz --against 'babycuda check {file} --block {block} --grid {grid} --warp {warp}' --programs 16 --out fuzz-check")]
    Fuzz(Box<FuzzArgs>),
    /// Print a kernel as text for a compiler (CUDA C, OpenCL C or WGSL), or as a document.
    ///
    /// The text computes what the kernel does in the calculus; its head comment says where numbers
    /// wrap around. Of a file with several kernels, --kernel names one.
    ///
    /// Exit status: 0 printed, 2 bad input or usage, or a kernel that the language cannot express,
    /// 3 a limit passed.
    #[cfg(feature = "devices")]
    #[command(after_help = "Examples:\n\
        \x20 babycuda emit tests/corpus/vector_add.cu --target opencl\n\
        \x20 babycuda emit tests/corpus/vector_add.cu --target json | babycuda check - --contract none")]
    Emit(EmitArgs),
    /// Grade an answer to an exercise: passed, or the first wrong step and why.
    ///
    /// EXERCISE is the id of one of the exercises that the program has, or a file of one (.md); ANSWER is a file.
    /// Nothing outside of both is read. An answer of more than 64 KiB, or beyond another limit, is refused.
    ///
    /// Exit status: 0 passed, 1 wrong, 2 refused, bad input or usage, 3 a limit passed.
    #[cfg(feature = "grade")]
    #[command(after_help = "Examples:\n\
        \x20 babycuda grade --list\n\
        \x20 babycuda grade repair-shift exercises/solutions/repair-shift.cu\n\
        \x20 echo 'threads 4; A[tid] := tid' | babycuda grade untypable-index -  # exit 1")]
    Grade(GradeArgs),
    /// Serve an editor: diagnostics, what accesses rest on, and checked suggestions, as the Language
    /// Server Protocol has them, on standard input and output.
    ///
    /// Exit status: 0 the editor said so, 1 it did not, 2 bad usage, or no editor, 3 a limit passed.
    #[cfg(feature = "lsp")]
    #[command(after_help = "Examples:\n\
        \x20 babycuda lsp\n\
        \x20 babycuda lsp --file-time 5 -- --block 256 --timeout 1")]
    Lsp(LspArgs),
    /// Say what a code of a report means: a minimal kernel that gets it, how to repair it, and the rule or
    /// paper it comes from. Without a code: list all.
    ///
    /// Exit status: 0 printed, 2 no such code.
    #[command(after_help = "Examples:\n\
        \x20 babycuda explain\n\
        \x20 babycuda explain BC002")]
    Explain(ExplainArgs),
    /// Say which solvers, parsers and devices are there that the program can use, and how to get the rest.
    ///
    /// Exit status: 0 printed.
    #[command(after_help = "Examples:\n\
        \x20 babycuda doctor\n\
        \x20 babycuda doctor --format json")]
    Doctor(DoctorArgs),
    /// Print completions for a shell.
    ///
    /// Exit status: 0 printed, 2 no such shell.
    #[cfg(feature = "shell")]
    #[command(after_help = "Examples:\n\
        \x20 babycuda completions bash > babycuda.bash")]
    Completions(CompletionsArgs),
    /// Print the manual page: `babycuda man | man -l -`.
    ///
    /// Exit status: 0 printed.
    #[cfg(feature = "shell")]
    #[command(after_help = "Examples:\n\
        \x20 babycuda man > babycuda.1")]
    Man,
}

/// The feature that a program needs for a command.
pub(crate) fn feature_of(command: &str) -> Option<&'static str> {
    match command {
        "compare" => Some("compare"),
        "gpu" | "emit" => Some("devices"),
        "fuzz" => Some("fuzz"),
        "grade" => Some("grade"),
        "lsp" => Some("lsp"),
        "trace" => Some("traces"),
        "completions" | "man" => Some("shell"),
        _ => None,
    }
}

/// `babycuda check`
#[derive(Args, Debug)]
pub(crate) struct CheckArgs {
    /// The files to check; a folder stands for the kernels, programs and protocols in it (not for documents, .json). Of several files, each is checked
    /// with what it has of --param and --assume, and those that have what --kernel or --array names; what none has is an error.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<String>,
    #[command(flatten)]
    pub source: Source,
    #[command(flatten)]
    pub launch: LaunchArgs,
    /// Assume a condition on parameters, blockDim and gridDim, in the file's own language, or on
    /// what the host stored: `forall i in 0..n: row[i] <= row[i + 1]`; may be given several times.
    #[arg(long = "assume", value_name = "EXPR")]
    pub assumptions: Vec<String>,
    /// What is taken for the launches and parameters that the kernel is meant for.
    #[arg(long, value_parser = contract(), default_value = "source", value_name = "FROM")]
    pub contract: Contracts,
    /// Benign races do not count for the exit status: those of which all conflicting writes store the same value in every run.
    /// A kernel with no others ends with 0, and stays racy; where there may be others, with 3.
    #[arg(long)]
    pub ignore_benign: bool,
    /// Only races on this array.
    #[arg(long, value_name = "A")]
    pub array: Option<String>,
    /// How to decide.
    #[arg(long, value_parser = method(), default_value = "auto", value_name = "METHOD")]
    pub method: Decide,
    /// Which solver; given several times, all are asked and must agree.
    #[arg(long = "solver", value_parser = solver(), value_name = "SOLVER")]
    pub solvers: Vec<SolverName>,
    /// Time limit for each question to a solver, in seconds; all questions about a kernel have twelve times as much.
    #[arg(long, default_value_t = 10.0, value_name = "S", value_parser = parse_seconds)]
    pub timeout: f64,
    /// After so many races of a kernel solvers look for no more.
    #[arg(long, default_value_t = 20, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_races: u32,
    /// Time to look for a suggestion for each racy kernel, in seconds; 0: none is looked for [default: the likeliest edit
    /// is checked, for as long as the kernel was, or a tenth of a second].
    ///
    /// A suggestion is an edit of the source that was applied to a copy and checked with the same options: the
    /// kernel is then race-free, and no other kernel of the file changes.
    #[arg(long, value_name = "S", value_parser = parse_time)]
    pub fix_time: Option<f64>,
    /// Say of every access what it rests on: nothing, what the host stored in arrays that the kernel only reads, or other data;
    /// and through which reads.
    #[arg(long)]
    pub certainty: bool,
    /// How to report.
    #[arg(long, value_enum, default_value = "human", value_name = "FORMAT")]
    pub format: ReportFormat,
    /// When to use colours in reports for people.
    #[arg(long, value_enum, default_value = "auto", value_name = "WHEN")]
    pub color: Colour,
}

/// `babycuda type`
#[derive(Args, Debug)]
pub(crate) struct TypeArgs {
    /// The file.
    #[arg(value_name = "FILE")]
    pub file: String,
    #[command(flatten)]
    pub source: Source,
    /// How to report.
    #[arg(long, value_enum, default_value = "human", value_name = "FORMAT")]
    pub format: PlainFormat,
}

/// `babycuda run`
#[derive(Args, Debug)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub kernel: KernelArgs,
    #[command(flatten)]
    pub choose: ChooseArgs,
    /// How to report.
    #[arg(long, value_enum, default_value = "human", value_name = "FORMAT")]
    pub format: RunFormat,
}

/// `babycuda derive`
#[derive(Args, Debug)]
pub(crate) struct DeriveArgs {
    #[command(flatten)]
    pub kernel: KernelArgs,
    #[command(flatten)]
    pub choose: ChooseArgs,
    /// The judgment to derive.
    #[arg(long, value_enum, default_value = "run", value_name = "JUDGMENT")]
    pub judgment: JudgmentArg,
    /// How to print it.
    #[arg(long, value_enum, default_value = "text", value_name = "FORMAT")]
    pub format: DerivationFormat,
    /// What rules are written for in LaTeX.
    #[arg(long, value_enum, default_value = "mathpartir", value_name = "PACKAGE")]
    pub latex_style: LatexStyle,
    /// How wide trees may be: columns of `tree` [default: 100], pixels of `svg` [default: 794, a page of A4].
    /// Parts that do not fit have names, and stand below.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(40..=10_000))]
    pub width: Option<u32>,
}

/// `babycuda verify`
#[derive(Args, Debug)]
pub(crate) struct VerifyArgs {
    /// The document.
    #[arg(value_name = "FILE")]
    pub file: String,
    /// How to report.
    #[arg(long, value_enum, default_value = "human", value_name = "FORMAT")]
    pub format: VerifyFormat,
}

/// `babycuda explain`
#[derive(Args, Debug)]
pub(crate) struct ExplainArgs {
    /// The codes, as `BC001`.
    #[arg(value_name = "CODE")]
    pub codes: Vec<String>,
}

/// `babycuda doctor`
#[derive(Args, Debug)]
pub(crate) struct DoctorArgs {
    /// How to report.
    #[arg(long, value_enum, default_value = "human", value_name = "FORMAT")]
    pub format: PlainFormat,
}

/// `babycuda completions`
#[cfg(feature = "shell")]
#[derive(Args, Debug)]
pub(crate) struct CompletionsArgs {
    /// The shell.
    #[arg(value_enum, value_name = "SHELL")]
    pub shell: clap_complete::Shell,
}
