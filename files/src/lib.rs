//! Files of GPU kernels, as every front end takes them: the program `babycuda`, its editor server, the Python package.
//! Nothing here prints, and nothing ends the process.
//!
//! | module | contents |
//! |---|---|
//! | [`source`] | how a file is read, as whoever asks says it |
//! | [`input`] | files, their languages, their kernels |
//! | [`kernels`] | the kernels of CUDA C and OpenCL C |
//! | [`mod@check`] | can they race? Verdicts with contracts and suggestions |
//! | [`several`] | the same of several files: each with what of it the file has |
//! | [`contents`] | what the host stored in arrays that are given |
//! | [`npy`] | arrays that NumPy saved |
//! | [`run`], [`derive`](mod@derive) | their runs, and derivations |
//! | `compare` | all techniques on them (feature `compare`) |
//! | [`problem`] | why a file cannot be used |
//!
//! ```
//! use babycuda_files::check::{Asked, check};
//! use babycuda_files::input::File;
//! use babycuda_core::verdict::Outcome;
//!
//! let text = "__global__ void k(int *a) { a[threadIdx.x / 2] = threadIdx.x; }".to_owned();
//! let report = check(File::new("k.cu", text)?, &Asked::default())?;
//! assert_eq!(report.kernels[0].verdict.outcome, Outcome::Racy);
//! # Ok::<(), babycuda_files::problem::Problem>(())
//! ```

mod at_once;
pub mod check;
mod commands_file;
#[cfg(feature = "compare")]
pub mod compare;
pub mod contents;
mod contracts;
pub mod derive;
mod fix;
pub mod includers;
mod includes;
pub mod input;
pub mod kernels;
pub mod npy;
pub mod problem;
pub mod run;
pub mod several;
pub mod source;
mod unit;

pub use commands_file::readable;
