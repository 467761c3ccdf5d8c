//! The commands.

pub(crate) mod campaign;
pub(crate) mod devices;
pub(crate) mod kernels;
pub(crate) mod litmus;
pub(crate) mod record;
pub(crate) mod replay;
pub(crate) mod scorecard;
pub(crate) mod self_test;
pub(crate) mod text;

use babycuda_campaign::state::NoState;
use babycuda_core::json::{Format, JsonError, to_json};
use babycuda_core::shadow::TableError;
use babycuda_gpu::Unavailable;
use babycuda_validation::litmus::NoTest;
use babycuda_validation::recording::NoReplay;
use std::collections::BTreeSet;
use std::fmt;
use std::fs::File;
use std::io::Write;
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
    Machine { path: PathBuf, error: TableError },
    #[error("there is no technique {name}: one of {names}")]
    Technique { name: String, names: String },
    #[error("{}: {error}", path.display())]
    Json { path: PathBuf, error: JsonError },
    #[error("{}: {error}", path.display())]
    State { path: PathBuf, error: NoState },
    #[error("{}: of several outputs only one would be left there", .0.display())]
    SamePath(PathBuf),
    #[error("there is no {what} `{name}`; there are {}", known.join(", "))]
    Unknown { what: &'static str, name: String, known: Vec<&'static str> },
    #[error("litmus test {test}: {error}")]
    Litmus { test: String, error: Box<NoTest> },
    #[error("{}: {error}", path.display())]
    Replay { path: PathBuf, error: Box<NoReplay> },
}

/// Is the name that was asked for one of these?
fn known(what: &'static str, name: Option<&String>, known: Vec<&'static str>) -> Result<(), Error> {
    match name {
        Some(name) if !known.contains(&name.as_str()) => {
            Err(Error::Unknown { what, name: name.clone(), known })
        }
        _ => Ok(()),
    }
}

/// Are these outputs of different paths, however they are spelt?
fn apart<const N: usize>(outputs: [&Option<PathBuf>; N]) -> Result<(), Error> {
    let mut known = BTreeSet::new();
    match outputs.into_iter().flatten().find(|path| !known.insert(resolved(path))) {
        Some(path) => Err(Error::SamePath(path.clone())),
        None => Ok(()),
    }
}

/// The path without links, as far as it is there.
fn resolved(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    path.canonicalize().unwrap_or_else(|_| match (path.parent(), path.file_name()) {
        (Some(folder), Some(name)) => resolved(folder).join(name),
        _ => path,
    })
}

/// Can results be written there, if they are to be? To be asked before anything runs.
fn writable(path: Option<&PathBuf>) -> Result<(), Error> {
    let Some(path) = path else { return Ok(()) };
    let refused = |error| Error::File { path: path.clone(), error };
    let was_there = path.exists();
    File::options().create(true).append(true).open(path).map_err(refused)?;
    // What is left is what was there.
    if was_there { Ok(()) } else { std::fs::remove_file(path).map_err(refused) }
}

fn create_folder(path: &Path) -> Result<(), Error> {
    std::fs::create_dir_all(path).map_err(|error| Error::File { path: path.to_owned(), error })
}

fn write_json<T: Format>(path: &Path, results: &T) -> Result<(), Error> {
    let text = to_json(results).map_err(|error| Error::Json { path: path.to_owned(), error })?;
    std::fs::write(path, text + "\n").map_err(|error| Error::File { path: path.to_owned(), error })
}

/// Prints a line, or ends the program: what nobody can read need not be found.
pub(crate) fn say(text: fmt::Arguments<'_>) {
    let mut output = std::io::stdout().lock();
    if let Err(error) = writeln!(output, "{text}").and_then(|()| output.flush()) {
        warn(format_args!("error: standard output cannot be written: {error}"));
        std::process::exit(2);
    }
}

/// Prints a line to standard error. Where nobody can read it, that is no failure, and no panic.
pub(crate) fn warn(text: fmt::Arguments<'_>) {
    let _ = writeln!(std::io::stderr(), "{text}");
}
