//! The mutated workspace: a copy of the sources in which every mutant stands behind its switch, and
//! its build. One build holds all mutants.

use crate::mutant::Mutant;
use crate::schema::{Misplaced, mutated};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// The crate that all others use; it gets the switch.
const CORE: &str = "core/src/";
const SWITCH: &str = include_str!("switch.rs");

/// Why there is no mutated build.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A mutant does not fit the sources.
    #[error("{0}: {1}")]
    Misplaced(&'static str, Misplaced),
    /// A file of a mutant is not there.
    #[error("there is no file {0}")]
    NoFile(&'static str),
    /// A file cannot be read or written.
    #[error("{0}: {1}")]
    Io(PathBuf, io::Error),
    /// Cargo does not build the mutated sources; with what it said.
    #[error("the mutated sources do not build:\n{0}")]
    Build(String),
}

/// Writes the sources of the workspace at `root` to `copy`, with all mutants. What is there already
/// stays untouched, so that building again is quick.
///
/// # Errors
/// [`Error`]
pub fn generate(root: &Path, copy: &Path, mutants: &[Mutant]) -> Result<(), Error> {
    let mut by_file: BTreeMap<&'static str, Vec<(usize, Mutant)>> = BTreeMap::new();
    for (number, mutant) in (1..).zip(mutants) {
        by_file.entry(mutant.file).or_default().push((number, *mutant));
    }
    let files = sources(root)?;
    for file in &files {
        let (from, to) = (root.join(file), copy.join(file));
        let mut text = fs::read_to_string(&from).map_err(|e| Error::Io(from, e))?;
        if let Some((name, mutants)) = file.to_str().and_then(|f| by_file.remove_entry(f)) {
            let switch =
                if name.starts_with(CORE) { "crate::switch" } else { "babycuda_core::switch" };
            text = mutated(&text, &mutants, switch).map_err(|e| Error::Misplaced(name, e))?;
        }
        if *file == Path::new(CORE).join("lib.rs") {
            text += "\npub mod switch;\n";
        }
        write(&to, &text)?;
    }
    let switch = Path::new(CORE).join("switch.rs");
    write(&copy.join(&switch), SWITCH)?;
    // What was renamed or removed since the last time must not be found by cargo.
    for old in sources(copy)?.difference(&files).filter(|old| **old != switch) {
        fs::remove_file(copy.join(old)).map_err(|e| Error::Io(copy.join(old), e))?;
    }
    match by_file.first_key_value() {
        Some((file, _)) => Err(Error::NoFile(file)),
        None => Ok(()),
    }
}

/// Manifests, the lock file and Rust sources, from the root. What is hidden, or made by a build, is
/// left out: cargo tags its target directories.
fn sources(root: &Path) -> Result<BTreeSet<PathBuf>, Error> {
    let (mut files, mut folders) = (BTreeSet::new(), vec![PathBuf::new()]);
    while let Some(folder) = folders.pop() {
        let failed = |e| Error::Io(root.join(&folder), e);
        for entry in fs::read_dir(root.join(&folder)).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let path = folder.join(entry.file_name());
            let hidden = entry.file_name().to_string_lossy().starts_with('.');
            if entry.file_type().map_err(failed)?.is_dir() {
                if !hidden && !root.join(&path).join("CACHEDIR.TAG").exists() {
                    folders.push(path);
                }
                continue;
            }
            let is_source = path.extension().is_some_and(|e| e == "rs" || e == "toml");
            if is_source || path == Path::new("Cargo.lock") {
                files.insert(path);
            }
        }
    }
    Ok(files)
}

fn write(path: &Path, text: &str) -> Result<(), Error> {
    if fs::read_to_string(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    let folder = path.parent().unwrap_or(path);
    let written = fs::create_dir_all(folder).and_then(|()| fs::write(path, text));
    written.map_err(|e| Error::Io(path.to_owned(), e))
}

/// Builds the hunter in the mutated workspace; its path.
///
/// The target directory is the copy's own: a package of the copy has the identity of the original,
/// and in one directory each build would undo the other.
///
/// # Errors
/// [`Error::Build`]
pub fn build(copy: &Path) -> Result<PathBuf, Error> {
    let target = copy.join("target");
    let cargo = env::var_os("CARGO").unwrap_or_else(|| OsStr::new("cargo").to_owned());
    let mut command = Command::new(cargo);
    command.args(["build", "--quiet", "--locked", "--offline", "-p", env!("CARGO_PKG_NAME")]);
    command.arg("--target-dir").arg(&target).current_dir(copy);
    // It is built once, and nobody debugs it.
    command.envs([("CARGO_PROFILE_DEV_DEBUG", "0"), ("CARGO_INCREMENTAL", "0")]);
    let output = command.output().map_err(|e| Error::Build(e.to_string()))?;
    if !output.status.success() {
        return Err(Error::Build(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    Ok(target.join("debug").join("kill-mutant").with_extension(env::consts::EXE_EXTENSION))
}
