//! `babycuda compare`.

use super::values::parse_seconds;
use super::{KernelArgs, PlainFormat};
use clap::Args;

/// `babycuda compare`
#[derive(Args, Debug)]
pub(crate) struct CompareArgs {
    #[command(flatten)]
    pub kernel: KernelArgs,
    /// Let HiRace watch with this machine, too (`hirace-machine`): a table `state,access,sync,relation,next`.
    #[arg(long, value_name = "FILE.csv")]
    pub machine: Option<String>,
    /// Print what this technique makes of the kernel, too: of `two-thread` and `two-thread-repaired` the
    /// formulae, one `predicate => action` a line.
    #[arg(long, value_name = "TECHNIQUE")]
    pub show: Option<String>,
    /// Time limit for each technique, in seconds.
    #[arg(long, default_value_t = 10.0, value_name = "S", value_parser = parse_seconds)]
    pub timeout: f64,
    /// How to report.
    #[arg(long, value_enum, default_value = "human", value_name = "FORMAT")]
    pub format: PlainFormat,
}
