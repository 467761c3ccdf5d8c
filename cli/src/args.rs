//! The command line.

use babycuda::semantics::Policy;
use babycuda_core::Dim3;
use clap::{Args, Parser, Subcommand, ValueEnum};

/// Data races of GPU kernels: semantics, memory access protocols, and verdicts with evidence.
///
/// FILE is a CUDA kernel (.cu), a BabyCUDA program (.bcuda) or a memory access protocol (.map);
/// standard input is `-`.
#[derive(Parser, Debug)]
#[command(name = "babycuda", version, max_term_width = 100)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub limits: LimitArgs,
}

/// What the whole command may use.
#[derive(Args, Debug, Clone, Copy)]
pub struct LimitArgs {
    /// Time limit for the whole command, in seconds. `check` calls unknown what is not decided by
    /// then; any other command ends with status 3.
    #[arg(long, global = true, default_value_t = 600.0, value_name = "S", value_parser = parse_seconds)]
    pub time_limit: f64,
    /// Memory limit for the whole command, in megabytes; beyond, as for --time-limit.
    #[arg(long, global = true, default_value_t = 4096, value_name = "MB")]
    pub memory_limit: u64,
}

/// The subcommands.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Decide whether kernels can race.
    ///
    /// Without --block: all block sizes up to 1024 threads (a dimension that the kernel never
    /// mentions counts as 1). Without --param: all values of the type. Without --grid: one block;
    /// with it, accesses of different blocks to global arrays are checked too.
    ///
    /// Exit status: 0 race-free, 1 race or barrier divergence, 2 bad input or usage, 3 unknown.
    /// Several kernels exit with their worst: 2, then 1, then 3, then 0.
    Check(CheckArgs),
    /// Infer a kernel's memory access protocol, or say which rule and premise rejects it.
    ///
    /// Exit status: 0 well-typed, 1 rejected, 2 bad input or usage, 3 unsupported, or a limit passed.
    Type(TypeArgs),
    /// Run a kernel in the reference semantics and print its history, racy cells marked.
    ///
    /// Races between blocks are listed after the blocks, and count.
    ///
    /// Exit status: 0 race-free run, 1 racy or divergent run, 2 bad input or usage, 3 stuck, or a
    /// limit passed.
    Run(RunArgs),
    /// Print the derivation of a run, of a type, or of a protocol's accesses.
    ///
    /// The JSON has all that `babycuda verify` needs. Exit status: 0 printed, 2 bad input or usage,
    /// or there is no derivation, 3 a limit passed.
    Derive(DeriveArgs),
    /// Check a derivation, as `babycuda derive --format json` prints it.
    ///
    /// Every node must be an instance of its rule, and the conclusion must be about the program,
    /// launch, parameters and memory in the document. The checker shares no substitution and no
    /// `lastwrite` with the evaluators. Documents nest at most 250,000 deep.
    ///
    /// Exit status: 0 verified, 1 rejected (with the node, its rule and the premise), 2 no document
    /// of a derivation, 3 a limit passed.
    Verify(VerifyArgs),
    /// Run a kernel on a device and print its log and memory beside the semantics, the first
    /// difference marked.
    ///
    /// Every block, of at most 65,536, runs on its own, with the memory that the host left; races
    /// between blocks are listed after them. Undefined cells hold --undefined on both sides.
    ///
    /// Exit status: 0 the device did what the semantics says, 1 it did not, 2 bad input or usage
    /// or no such device, 3 not decided: a natural outgrew 64 bits, a limit was reached, or the
    /// sides differ where the order of threads may decide (a race, or atomic updates).
    Gpu(GpuArgs),
    /// Print a kernel as text for a compiler: CUDA C, OpenCL C or WGSL.
    ///
    /// The text computes what the kernel does in the calculus; its head comment says where numbers
    /// wrap around. Of a file with several kernels, --kernel names one.
    ///
    /// Exit status: 0 printed, 2 bad input or usage, or a kernel that the language has no text for,
    /// 3 a limit passed.
    Emit(EmitArgs),
}

/// Where kernels come from.
#[derive(Args, Debug, Clone)]
pub struct Source {
    /// Only the kernel of this name.
    #[arg(long, value_name = "K")]
    pub kernel: Option<String>,
    /// Define a preprocessor name, as a C compiler does.
    #[arg(short = 'D', value_name = "NAME[=VALUE]", value_parser = parse_define)]
    pub defines: Vec<(String, String)>,
    /// A folder in which `#include` looks for files; may be given several times.
    ///
    /// A name in quotes is looked for beside the including file first. A header that is not found
    /// makes unknown what it may decide; those of the system and of CUDA are known.
    #[arg(short = 'I', value_name = "FOLDER")]
    pub includes: Vec<std::path::PathBuf>,
    /// What signed overflow does in CUDA C [default: assume-none; of `emit` and `gpu`: wrap].
    #[arg(long, value_enum, value_name = "RULE")]
    pub overflow: Option<OverflowArg>,
}

impl Source {
    /// The same, where signed overflow wraps around unless the command line says otherwise: what
    /// devices do.
    #[must_use]
    pub fn wrapping(&self) -> Source {
        Source { overflow: self.overflow.or(Some(OverflowArg::Wrap)), ..self.clone() }
    }
}

/// What signed overflow does.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum OverflowArg {
    /// It is undefined: the thread that computes it is stuck, and verdicts are about executions
    /// without it.
    AssumeNone,
    /// It wraps around.
    Wrap,
}

/// Which launch.
#[derive(Args, Debug, Clone)]
pub struct LaunchArgs {
    /// Threads in a block.
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = parse_dim3)]
    pub block: Option<Dim3>,
    /// Blocks in the grid.
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = parse_dim3)]
    pub grid: Option<Dim3>,
    /// Fix a parameter; may be given several times.
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = parse_param)]
    pub params: Vec<(String, i128)>,
}

/// What settles the choices of a run.
#[derive(Args, Debug, Clone)]
pub struct ChooseArgs {
    /// How to settle what the calculus leaves open: the value that a read of a cell with several
    /// possible values yields, the value that an atomic update yields, and the contents of arrays
    /// that are `any` or `opaque`.
    ///
    /// `smallest`: of the possible values, or of those the thread would see if it ran alone, the
    /// smallest; arrays hold 0. `first`: what the first thread left that wrote the cell; arrays hold
    /// 0. `seed:N`: a possible value drawn for each cell from the number N; arrays hold numbers
    /// below 256. What was chosen is printed.
    #[arg(long, value_name = "HOW", default_value = "smallest", value_parser = parse_choose)]
    pub choose: Policy,
}

/// `babycuda check`
#[derive(Args, Debug)]
pub struct CheckArgs {
    /// The files to check.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<String>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub source: Source,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub launch: LaunchArgs,
    /// Assume a condition on parameters, blockDim and gridDim, in the file's own language;
    /// may be given several times.
    #[arg(long = "assume", value_name = "EXPR")]
    pub assumptions: Vec<String>,
    /// Only races on this array.
    #[arg(long, value_name = "A")]
    pub array: Option<String>,
    /// How to decide.
    #[arg(long, value_enum, default_value = "auto", value_name = "METHOD")]
    pub method: MethodArg,
    /// Which solver; given several times, all are asked and must agree.
    #[arg(long = "solver", value_enum, value_name = "SOLVER")]
    pub solvers: Vec<SolverArg>,
    /// Time limit for each question to a solver, in seconds.
    #[arg(long, default_value_t = 10.0, value_name = "S", value_parser = parse_seconds)]
    pub timeout: f64,
    /// How to report.
    #[arg(long, value_enum, default_value = "human", value_name = "FORMAT")]
    pub format: ReportFormat,
}

/// `babycuda type`
#[derive(Args, Debug)]
pub struct TypeArgs {
    /// The file.
    #[arg(value_name = "FILE")]
    pub file: String,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub source: Source,
    /// How to report.
    #[arg(long, value_enum, default_value = "human", value_name = "FORMAT")]
    pub format: PlainFormat,
}

/// `babycuda run`
#[derive(Args, Debug)]
pub struct RunArgs {
    /// The file.
    #[arg(value_name = "FILE")]
    pub file: String,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub source: Source,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub launch: LaunchArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub choose: ChooseArgs,
    /// How to report.
    #[arg(long, value_enum, default_value = "human", value_name = "FORMAT")]
    pub format: PlainFormat,
}

/// `babycuda derive`
#[derive(Args, Debug)]
pub struct DeriveArgs {
    /// The file.
    #[arg(value_name = "FILE")]
    pub file: String,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub source: Source,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub launch: LaunchArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub choose: ChooseArgs,
    /// The judgment to derive.
    #[arg(long, value_enum, default_value = "run", value_name = "JUDGMENT")]
    pub judgment: JudgmentArg,
    /// How to print it.
    #[arg(long, value_enum, default_value = "text", value_name = "FORMAT")]
    pub format: DerivationFormat,
}

/// `babycuda verify`
#[derive(Args, Debug)]
pub struct VerifyArgs {
    /// The document.
    #[arg(value_name = "FILE")]
    pub file: String,
    /// How to report.
    #[arg(long, value_enum, default_value = "human", value_name = "FORMAT")]
    pub format: PlainFormat,
}

/// `babycuda gpu`
#[derive(Args, Debug)]
pub struct GpuArgs {
    /// The file.
    #[arg(value_name = "FILE")]
    pub file: String,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub source: Source,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub launch: LaunchArgs,
    /// What runs it.
    #[arg(long, value_enum, default_value = "auto", value_name = "BACKEND")]
    pub backend: BackendArg,
    /// What the simulator draws its schedule from.
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub seed: u64,
    /// Instructions that each thread may execute.
    #[arg(long, default_value_t = 1 << 20, value_name = "N")]
    pub fuel: u32,
    /// Accesses that each thread may log.
    #[arg(long, default_value_t = 1 << 10, value_name = "N")]
    pub log: u32,
    /// Cells of an array that declares no length.
    #[arg(long, default_value_t = 1 << 10, value_name = "N")]
    pub length: u64,
    /// What cells hold that the host left undefined.
    #[arg(long, default_value_t = 0, value_name = "VALUE")]
    pub undefined: u64,
    /// How to report.
    #[arg(long, value_enum, default_value = "human", value_name = "FORMAT")]
    pub format: PlainFormat,
}

/// `babycuda emit`
#[derive(Args, Debug)]
pub struct EmitArgs {
    /// The file.
    #[arg(value_name = "FILE")]
    pub file: String,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub source: Source,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub launch: LaunchArgs,
    /// The language.
    #[arg(long, value_enum, value_name = "LANGUAGE")]
    pub target: TargetArg,
    /// Keep account of every access; a log of them unless a digest is asked for.
    #[arg(long, value_enum, value_name = "ACCOUNT", num_args = 0..=1, default_missing_value = "log")]
    pub instrumented: Option<InstrumentArg>,
    /// The length of an array that declares none; may be given several times.
    #[arg(long = "length", value_name = "ARRAY=CELLS", value_parser = parse_length)]
    pub lengths: Vec<(String, u64)>,
}

/// How to decide.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum MethodArg {
    /// Enumerate concrete launches that are small enough, otherwise ask solvers.
    Auto,
    /// Enumerate every access of the launch: needs --block, and --param for every parameter used.
    Enumerate,
    /// Ask solvers.
    Smt,
}

/// Which solver.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum SolverArg {
    /// The embedded solver, then z3 and cvc5 where installed.
    Auto,
    /// The embedded solver.
    Builtin,
    /// The program z3.
    Z3,
    /// The program cvc5.
    Cvc5,
}

/// What runs a kernel. Back ends are built in by the features `opencl`, `wgpu` and `cuda`.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum BackendArg {
    /// The first device at hand, by cuda, opencl or wgpu; else the simulator.
    Auto,
    /// The simulator, which interleaves threads at every access.
    Sim,
    /// An OpenCL device.
    Opencl,
    /// A Vulkan device.
    Wgpu,
    /// An NVIDIA GPU.
    Cuda,
}

/// A language to print in.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum TargetArg {
    /// CUDA C.
    Cuda,
    /// OpenCL C 1.2.
    Opencl,
    /// WGSL.
    Wgsl,
}

/// What an instrumented text records.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum InstrumentArg {
    /// Every access of every thread.
    Log,
    /// A sum of hashes for each phase and cell.
    Digest,
}

/// How to report verdicts.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReportFormat {
    /// For people: the source with both accesses underlined.
    Human,
    /// For programs: one document a file.
    Json,
    /// For code scanning services.
    Sarif,
}

/// How to report types and runs.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlainFormat {
    /// For people.
    Human,
    /// For programs.
    Json,
}

/// Which judgment to derive.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum JudgmentArg {
    /// A run: `H, k ⇓ outcome`, with every thread's derivation.
    Run,
    /// A type: `V ⊢ b ▶ u`
    Type,
    /// The accesses of a protocol, or of a program's type: `u ↓ Λ`
    Map,
}

/// How to print a derivation.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum DerivationFormat {
    /// Indented text.
    Text,
    /// LaTeX with mathpartir.
    Latex,
    /// A web page.
    Html,
    /// For programs.
    Json,
    /// A term that Coq checks, with the mechanization in proofs/coq.
    Coq,
}

fn parse_choose(text: &str) -> Result<Policy, String> {
    let policy = text.parse().ok();
    let offered = |p: &Policy| matches!(p, Policy::Smallest | Policy::First | Policy::Seed(_));
    policy.filter(offered).ok_or_else(|| "expected smallest, first or seed:N".to_owned())
}

fn parse_define(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').unwrap_or((text, "1"));
    let mut chars = name.chars();
    let starts = chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    if starts && chars.all(|c| c.is_ascii_alphanumeric() || c == '_') {
        Ok((name.to_owned(), value.to_owned()))
    } else {
        Err(format!("`{name}` is not a C identifier"))
    }
}

fn parse_dim3(text: &str) -> Result<Dim3, String> {
    let parts: Result<Vec<u32>, _> = text.split(',').map(|p| p.trim().parse()).collect();
    match parts.map_err(|_| format!("`{text}` is not of the form X, X,Y or X,Y,Z"))?.as_slice() {
        [x] => Ok(Dim3 { x: *x, y: 1, z: 1 }),
        [x, y] => Ok(Dim3 { x: *x, y: *y, z: 1 }),
        [x, y, z] => Ok(Dim3 { x: *x, y: *y, z: *z }),
        _ => Err(format!("`{text}` has more than three extents")),
    }
}

fn parse_param(text: &str) -> Result<(String, i128), String> {
    let (name, value) =
        text.split_once('=').ok_or_else(|| format!("`{text}` is not of the form NAME=VALUE"))?;
    let number = match value.strip_prefix("0x") {
        Some(hex) => i128::from_str_radix(hex, 16),
        None => value.parse(),
    };
    let number = number.map_err(|_| format!("`{value}` is not an integer"))?;
    Ok((name.to_owned(), number))
}

fn parse_length(text: &str) -> Result<(String, u64), String> {
    let (name, cells) =
        text.split_once('=').ok_or_else(|| format!("`{text}` is not of the form ARRAY=CELLS"))?;
    let cells = cells.parse().map_err(|_| format!("`{cells}` is not a number of cells"))?;
    Ok((name.to_owned(), cells))
}

fn parse_seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(s) if s.is_finite() && s > 0.0 && s <= 86_400.0 => Ok(s),
        _ => Err(format!("`{text}` is not a number of seconds between 0 and 86400")),
    }
}
