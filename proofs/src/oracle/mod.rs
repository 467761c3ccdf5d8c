//! The proved functions of the mechanization, asked from Rust.
//!
//! `proofs/oracle` extracts the functions of `proofs/coq` that are proved sound and complete for
//! the judgments and compiles them to a program, the oracle: one [`Request`] a line in, one
//! [`Answer`] a line out. What it says is what Coq proved, but for the extraction, the OCaml
//! compiler, and the parsing and printing on both sides of the pipe.
//!
//! | module | what it does |
//! |---|---|
//! | [`Request`], [`Answer`] | the functions with their arguments, and their results |
//! | [`Codec`] | from and to the text that the oracle speaks (`proofs/oracle/README.md`) |
//! | [`Process`] | a running program that answers lines by lines |
//! | [`Oracle`] | all of them together |
//!
//! A [`Codec`] is for one array, as the paper is. Whatever is not about it is [`Uncovered`].
//!
//! ```no_run
//! use babycuda_core::{History, HostMemory, Name, parse::parse_stmt};
//! use babycuda_proofs::oracle::{Answer, BlockEnd, Oracle, Outcome, Request};
//! use std::time::Duration;
//!
//! let mut oracle = Oracle::start("proofs/oracle/_build/oracle", Name::new("A"))?;
//! let request = Request::EvaluateBlock {
//!     phases: 2,
//!     threads: 32,
//!     history: History::start(HostMemory::default()),
//!     program: parse_stmt("A[tid] := 1; sync; let x = A[0] in A[tid] := x")?,
//! };
//! let answers = oracle.ask(&[request], Duration::from_secs(10))?;
//! if let Ok(Answer::Block(Outcome::Result(BlockEnd::Ends(history)))) = &answers[0] {
//!     assert!(history.is_drf());
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answer;
mod codec;
mod process;
mod read;
mod request;
mod sexp;
mod write;

pub use answer::{Answer, BlockEnd, Nonsense, Outcome, RaceAt, Refusal};
pub use codec::Codec;
pub use process::{Broken, Process};
pub use request::{Request, Uncovered};

use babycuda_core::Name;
use std::ffi::OsStr;
use std::time::Duration;

/// A running oracle, for one array.
#[derive(Debug)]
pub struct Oracle {
    process: Process,
    codec: Codec,
}

/// Why a question has no answer.
#[derive(Debug, thiserror::Error)]
pub enum OracleError {
    /// A request that the mechanization does not cover.
    #[error("request {0}: {1}")]
    Uncovered(usize, Uncovered),
    /// An answer that is none.
    #[error("request {0}: {1}")]
    Nonsense(usize, Nonsense),
    /// The process.
    #[error(transparent)]
    Broken(#[from] Broken),
}

impl Oracle {
    /// Starts the program at a path, for requests about `array`.
    ///
    /// # Errors
    /// When the operating system cannot start it.
    pub fn start(program: impl AsRef<OsStr>, array: Name) -> Result<Oracle, Broken> {
        Ok(Oracle::over(Process::start(program, [""; 0])?, array))
    }

    /// Over a process that was started in some other way.
    pub fn over(process: Process, array: Name) -> Oracle {
        Oracle { process, codec: Codec::new(array) }
    }

    /// Sends all requests and waits for all answers, in the same order, for `time` at most. Many
    /// requests at once are much faster than one after the other.
    ///
    /// # Errors
    /// [`OracleError`], of the first request that has one. Nothing is sent where a request is not
    /// covered.
    pub fn ask(
        &mut self,
        requests: &[Request],
        time: Duration,
    ) -> Result<Vec<Result<Answer, Refusal>>, OracleError> {
        let write = |(n, request)| {
            self.codec.write(request).map_err(|error| OracleError::Uncovered(n, error))
        };
        let lines = requests.iter().enumerate().map(write).collect::<Result<Vec<_>, _>>()?;
        let answers = self.process.ask(&lines, time)?;
        let read = |(n, (request, line)): (usize, (&Request, &String))| {
            self.codec.read(request, line).map_err(|error| OracleError::Nonsense(n, error))
        };
        requests.iter().zip(&answers).enumerate().map(read).collect()
    }
}
