//! Files of kernels: where they are, how they are read, and which launch is meant.

use super::names::{overflow, parser};
use super::values::{parse_dim3, parse_param, parse_warp};
use crate::commands::Failure;
use babycuda::frontend::{self, Overflow};
use babycuda_core::{BigInt, Dim3, Name, Settings};
use babycuda_files::input::{self, File, Unit};
use babycuda_files::problem::Problem;
use babycuda_files::source::{self, parse_define, parse_name};
use clap::Args;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Where kernels come from.
#[derive(Args, Debug, Clone)]
pub(crate) struct Source {
    /// Only the kernel of this name.
    #[arg(long, value_name = "K")]
    pub kernel: Option<String>,
    /// Define a macro, as a C compiler does: `NAME`, `NAME=VALUE`, or `NAME(PARAMETERS)=VALUE`. No
    /// `#define` of a file changes it.
    #[arg(short = 'D', value_name = "NAME[=VALUE]", value_parser = parse_define)]
    pub defines: Vec<(String, String)>,
    /// Say that the compiler, its command line and headers do not define a name.
    ///
    /// What depends on names that compilers or platforms may define (`__linux__`, `_WIN32`,
    /// `NDEBUG`) is unknown without `-D` or `-U`. A name may not have both.
    #[arg(short = 'U', value_name = "NAME", value_parser = parse_name)]
    pub undefines: Vec<String>,
    /// A folder in which `#include` looks for files; may be given several times.
    ///
    /// A name in quotes is looked for beside the including file first, and at last in the folder above the file. A
    /// header that is not found makes unknown what it may decide; those of the system and of CUDA are known.
    #[arg(short = 'I', value_name = "FOLDER")]
    pub includes: Vec<PathBuf>,
    /// The file that includes this one: the text around its `#include` is read, too [default: a file that
    /// is found nearby, for kernels that cannot be read without].
    #[arg(long, value_name = "FILE|none")]
    pub includer: Option<String>,
    /// The version of the language, as a compiler's `-std=` says it [default: c++17, CL2.0].
    #[arg(long = "std", value_name = "VERSION")]
    pub standard: Option<String>,
    /// A database of compile commands, or its folder: what it says of a file (`-I`, `-D`, `-U`, `-std`)
    /// counts before the command line.
    #[arg(long, value_name = "FILE|FOLDER")]
    pub compile_commands: Option<PathBuf>,
    /// Who reads CUDA C and OpenCL C.
    #[arg(long, value_parser = parser(), default_value = "auto", value_name = "PARSER")]
    pub parser: frontend::Parser,
    /// What signed overflow does in CUDA C [default: assume-none; where devices run it (`gpu`, `emit` as code): wrap].
    #[arg(long, value_parser = overflow(), value_name = "RULE")]
    pub overflow: Option<Overflow>,
}

impl Source {
    /// How files are read.
    pub(crate) fn given(&self) -> source::Source {
        let Source {
            kernel,
            defines,
            undefines,
            includes,
            includer,
            standard,
            compile_commands,
            parser,
            overflow,
        } = self.clone();
        source::Source {
            ignore_requires: false,
            kernel,
            defines,
            undefines,
            includes,
            includer,
            standard,
            compile_commands,
            parser,
            overflow,
            devices: false,
        }
    }

    /// The same, where signed overflow wraps around unless the command line says otherwise: what
    /// devices do.
    #[cfg(feature = "devices")]
    pub(crate) fn wrapping(&self) -> source::Source {
        source::Source { devices: true, ..self.given() }
    }
}

/// Which launch.
#[derive(Args, Debug, Clone)]
pub(crate) struct LaunchArgs {
    /// Threads in a block.
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = parse_dim3)]
    pub block: Option<Dim3>,
    /// Blocks in the grid.
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = parse_dim3)]
    pub grid: Option<Dim3>,
    /// Threads in a warp: a power of two [default: 32].
    #[arg(long, value_name = "N", value_parser = parse_warp)]
    pub warp: Option<u32>,
    /// Fix a parameter; may be given several times.
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = parse_param)]
    pub params: Vec<(String, BigInt)>,
}

impl LaunchArgs {
    /// What is fixed, with these assumptions.
    ///
    /// # Errors
    /// A [`Problem`] when a parameter has two values.
    pub(crate) fn settings(&self, assumptions: &[String]) -> Result<Settings, Problem> {
        let (block, grid, warp) = (self.block, self.grid, self.warp);
        let assumptions = assumptions.to_vec();
        let mut params = BTreeMap::new();
        for (name, value) in &self.params {
            if params.insert(Name::new(name), value.clone()).is_some() {
                return Err(Problem::new(format!("parameter `{name}` has two values")));
            }
        }
        Ok(Settings { block, grid, any_grid: false, warp, params, assumptions })
    }
}

/// A file of kernels, with a launch.
#[derive(Args, Debug)]
pub(crate) struct KernelArgs {
    /// The file.
    #[arg(value_name = "FILE")]
    pub file: String,
    #[command(flatten)]
    pub source: Source,
    #[command(flatten)]
    pub launch: LaunchArgs,
}

impl KernelArgs {
    /// The file with its kernels; `source` says how to read it.
    ///
    /// # Errors
    /// [`Failure`] when the file cannot be read, does not parse, or a setting does not fit.
    pub(crate) fn open(&self, source: &source::Source) -> Result<(File, Vec<Unit>), Failure> {
        open(&self.file, source, &self.launch.settings(&[])?)
    }
}

/// A file with its kernels.
///
/// # Errors
/// As [`KernelArgs::open`].
pub(crate) fn open(
    path: &str,
    source: &source::Source,
    settings: &Settings,
) -> Result<(File, Vec<Unit>), Failure> {
    let file = input::read(path)?;
    let units = input::units(&file, source, settings).map_err(|p| Failure::of(&file, p))?;
    Ok((file, units))
}
