//! The commands.

pub(crate) mod campaign;
pub(crate) mod devices;
pub(crate) mod kernels;
pub(crate) mod litmus;
pub(crate) mod record;
pub(crate) mod replay;
pub(crate) mod self_test;
pub(crate) mod text;

use babycuda_campaign::state::NoState;
use babycuda_core::json::JsonError;
use babycuda_gpu::Unavailable;
use babycuda_validation::litmus::NoTest;
use babycuda_validation::recording::NoReplay;
use std::path::{Path, PathBuf};

/// What a command found.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    NoFailure,
    Failure,
}

impl Found {
    fn failure_if(failed: bool) -> Found {
        if failed { Found::Failure } else { Found::NoFailure }
    }
}

/// Why a command did nothing.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
    #[error("{}: {error}", path.display())]
    File { path: PathBuf, error: std::io::Error },
    #[error("{}: {error}", path.display())]
    Json { path: PathBuf, error: JsonError },
    #[error("{}: {error}", path.display())]
    State { path: PathBuf, error: NoState },
    #[error("litmus test {test}: {error}")]
    Litmus { test: String, error: Box<NoTest> },
    #[error("{}: {error}", path.display())]
    Replay { path: PathBuf, error: Box<NoReplay> },
}

fn create_folder(path: &Path) -> Result<(), Error> {
    std::fs::create_dir_all(path).map_err(|error| Error::File { path: path.to_owned(), error })
}

fn write(path: &Path, text: &str) -> Result<(), Error> {
    std::fs::write(path, text).map_err(|error| Error::File { path: path.to_owned(), error })
}
