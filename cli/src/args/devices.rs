//! Devices, and texts for their compilers: `babycuda gpu` and `babycuda emit`.

use super::names::named;
use super::{ChooseArgs, KernelArgs, PlainFormat};
use babycuda::gpu::BackendName;
use babycuda::gpu::emit::{Instrumentation, Target, WordBits};
use clap::Args;
use clap::builder::TypedValueParser;

/// `babycuda gpu`
#[derive(Args, Debug)]
pub(crate) struct GpuArgs {
    #[command(flatten)]
    pub kernel: KernelArgs,
    #[command(flatten)]
    pub choose: ChooseArgs,
    /// What runs it.
    #[arg(long, value_parser = backend(), default_value = "auto", value_name = "BACKEND")]
    pub backend: std::option::Option<BackendName>,
    /// Compile the kernel for the device and launch its whole grid at once, all blocks on one global memory. Else
    /// the device interprets it, block by block, each with what the host left.
    #[arg(long)]
    pub compiled: bool,
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
    /// How many accesses and cells people are shown, around the first difference; `all`: those of all blocks.
    #[arg(long, value_parser = parse_rows, default_value = "16", value_name = "N|all")]
    pub rows: Rows,
    /// How to report.
    #[arg(long, value_enum, default_value = "human", value_name = "FORMAT")]
    pub format: PlainFormat,
}

/// How many rows of a table are shown; `None`: all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Rows(pub std::option::Option<usize>);

fn parse_rows(text: &str) -> Result<Rows, String> {
    match text {
        "all" => Ok(Rows(None)),
        _ => {
            text.parse().map(|n| Rows(Some(n))).map_err(|_| "expected a number, or all".to_owned())
        }
    }
}

/// `babycuda emit`
#[derive(Args, Debug)]
pub(crate) struct EmitArgs {
    #[command(flatten)]
    pub kernel: KernelArgs,
    /// The language.
    #[arg(long, value_parser = target(), value_name = "LANGUAGE")]
    pub target: Written,
    /// Record every access, in a log unless a digest is asked for.
    #[arg(long, value_parser = account(), value_name = "ACCOUNT", num_args = 0..=1,
        default_missing_value = "log")]
    pub instrumented: Option<Instrumentation>,
    /// The plain kernel, which watches its own run for races: a word for each cell has the state of HiRace's machine
    /// and the last accessor. The head of the text says what it takes (docs/MONITOR.md).
    #[arg(long, value_parser = words(), value_name = "BITS", num_args = 0..=1,
        default_missing_value = "auto", conflicts_with = "instrumented")]
    pub monitored: Option<Words>,
    /// With --monitored: another machine, a table `state,access,sync,relation,next`.
    #[arg(long, value_name = "FILE", requires = "monitored")]
    pub machine: Option<String>,
    /// With --monitored: the bits of a field of the words: `block`, `block-clock` or `warp-clock`; may be given several
    /// times [default: as the launch needs and there is room].
    #[arg(long = "bits", value_name = "FIELD=BITS", value_parser = parse_bits, requires = "monitored")]
    pub bits: Vec<(Field, u32)>,
    /// The length of an array that declares none; may be given several times.
    #[arg(long = "length", value_name = "ARRAY=CELLS", value_parser = parse_length)]
    pub lengths: Vec<(String, u64)>,
}

/// What runs a kernel. Back ends are built in by the features `opencl`, `wgpu` and `cuda`.
fn backend() -> impl TypedValueParser<Value = Option<BackendName>> {
    let sim = "The simulator, which interleaves threads at every access";
    named([
        ("auto", "The first device at hand, by cuda, opencl or wgpu; else the simulator", None),
        ("sim", sim, Some(BackendName::Sim)),
        ("opencl", "An OpenCL device", Some(BackendName::OpenCl)),
        ("wgpu", "A Vulkan device", Some(BackendName::Wgpu)),
        ("cuda", "An NVIDIA GPU", Some(BackendName::Cuda)),
    ])
}

/// How a kernel is printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Written {
    /// As text for a compiler.
    Text(Target),
    /// As what this program reads again.
    Document,
}

/// A language to print in.
fn target() -> impl TypedValueParser<Value = Written> {
    let json = "The document of the program that the kernel is translated to, or of a protocol: what `check` and others read";
    named([
        ("cuda", "CUDA C", Written::Text(Target::Cuda)),
        ("opencl", "OpenCL C 1.2", Written::Text(Target::OpenCl)),
        ("wgsl", "WGSL", Written::Text(Target::Wgsl)),
        ("json", json, Written::Document),
    ])
}

/// What an instrumented text records.
fn account() -> impl TypedValueParser<Value = Instrumentation> {
    named([
        ("log", "Every access of every thread", Instrumentation::Log),
        ("digest", "A sum of hashes for each phase and cell", Instrumentation::Digest),
    ])
}

/// The words of global memory in a monitored text; `None`: as the language has them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Words(pub Option<WordBits>);

/// How many bits they have.
fn words() -> impl TypedValueParser<Value = Words> {
    named([
        ("auto", "32 bits in WGSL, which has no wider atomics, else 64", Words(None)),
        ("32", "For devices without atomics of 64 bits", Words(Some(WordBits::W32))),
        ("64", "In WGSL, atomics of 64 bits are an extension", Words(Some(WordBits::W64))),
    ])
}

/// A field of the words of a monitored text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Field {
    /// The number of the block.
    Block,
    /// The barriers of the block.
    BlockClock,
    /// The barriers of the warp.
    WarpClock,
}

/// `--bits`
fn parse_bits(text: &str) -> Result<(Field, u32), String> {
    let (name, bits) = text.split_once('=').ok_or("expected FIELD=BITS, as block-clock=8")?;
    let field = match name {
        "block" => Field::Block,
        "block-clock" => Field::BlockClock,
        "warp-clock" => Field::WarpClock,
        other => {
            return Err(format!("`{other}` is none of block, block-clock, warp-clock"));
        }
    };
    let bits = bits.parse().ok().filter(|bits| *bits < 64);
    Ok((field, bits.ok_or("expected fewer than 64 bits")?))
}

/// `--length`
fn parse_length(text: &str) -> Result<(String, u64), String> {
    let (name, cells) =
        text.split_once('=').ok_or_else(|| format!("`{text}` is not of the form ARRAY=CELLS"))?;
    let cells = cells.parse().map_err(|_| format!("`{cells}` is not a number of cells"))?;
    Ok((name.to_owned(), cells))
}
