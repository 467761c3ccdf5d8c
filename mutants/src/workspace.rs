//! The mutated workspace: a copy of the sources in which every mutant stands behind its switch, and
//! its build. One build holds all mutants.

use crate::mutant::Mutant;
use crate::schema::{Misplaced, mutated, replacement};
use crate::suite::{Binary, Suite};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

const SWITCH: &str = include_str!("switch.rs");

/// Where texts that are no Rust go to the compilers of devices: the Rust file, and the expression
/// there, between `«` and `»`.
const TEXTS: [(&str, &str); 5] = [
    ("gpu/src/opencl/mod.rs", "driver.compile(«&interpreter()», &[ENTRY])"),
    ("gpu/src/emit/c/monitor.rs", "plan.with_clocks(«MONITOR»)"),
    ("gpu/src/emit/c/monitor.rs", "«WATCH»\n        .replace("),
    ("gpu/src/emit/wgsl/monitor.rs", "«WATCH»\n        .replace("),
    ("gpu/src/wgpu/interpreter.rs", "gpu.compile(«&interpreter(spins)», &[ENTRY])"),
];

/// Why there is no mutated build.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A mutant does not fit the sources.
    #[error("{0}: {1}")]
    Misplaced(&'static str, Misplaced),
    /// A file of a mutant is not there.
    #[error("there is no file {0}")]
    NoFile(&'static str),
    /// A file does not hand over its text where it should.
    #[error("{0} hands no text to a compiler")]
    NoText(PathBuf),
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
    // Every crate with mutants has a switch of its own, as not all use one crate.
    let crates: BTreeSet<PathBuf> = by_file.keys().filter_map(|file| sources_of(file)).collect();
    let mut texts: BTreeMap<PathBuf, String> = BTreeMap::new();
    let files = files(root)?;
    for file in &files {
        let (from, to) = (root.join(file), copy.join(file));
        let mut bytes = fs::read(&from).map_err(|e| Error::Io(from, e))?;
        if let Some((name, mutants)) = file.to_str().and_then(|f| by_file.remove_entry(f)) {
            let text = String::from_utf8_lossy(&bytes);
            let misplaced = |e| Error::Misplaced(name, e);
            if let (true, Some(sources)) = (mutants[0].1.is_text(), sources_of(name)) {
                let list = texts.entry(sources).or_default();
                for (number, mutant) in &mutants {
                    let (from, to) = replacement(&text, mutant).map_err(misplaced)?;
                    let file =
                        Path::new("..").join(name.split_once('/').map_or(name, |(_, file)| file));
                    *list +=
                        &format!("\n    ({number}, include_str!({file:?}), {from:?}, {to:?}),");
                }
            } else {
                bytes = mutated(&text, &mutants, "crate::switch").map_err(misplaced)?.into_bytes();
            }
        }
        for (_, place) in TEXTS.iter().filter(|(name, _)| file == Path::new(name)) {
            bytes = compiled(&bytes, place).ok_or_else(|| Error::NoText(to.clone()))?;
        }
        if file.ends_with("lib.rs") && file.parent().is_some_and(|folder| crates.contains(folder)) {
            bytes.extend_from_slice(b"\npub mod switch;\n");
        }
        write(&to, &bytes)?;
    }
    let switches: BTreeSet<PathBuf> = crates.iter().map(|c| c.join("switch.rs")).collect();
    for switch in &switches {
        let list = switch.parent().and_then(|sources| texts.get(sources));
        let list =
            list.map(|list| format!("\n/// All of them.\npub const TEXTS: &[Text] = &[{list}];\n"));
        write(&copy.join(switch), [SWITCH, &list.unwrap_or_default()].concat().as_bytes())?;
    }
    // What was renamed or removed since the last time must not be found by cargo.
    let old = self::files(copy)?;
    for old in old.difference(&files).filter(|old| !switches.contains(*old)) {
        fs::remove_file(copy.join(old)).map_err(|e| Error::Io(copy.join(old), e))?;
    }
    match by_file.first_key_value() {
        Some((file, _)) => Err(Error::NoFile(file)),
        None => Ok(()),
    }
}

/// The folder of the sources of the crate to which a file belongs.
fn sources_of(file: &str) -> Option<PathBuf> {
    let of = |part| file.split_once(part).map(|(before, _)| Path::new(before).join("src"));
    of("src/").or_else(|| of("kernels/"))
}

/// The files of a workspace that should hand a text to a compiler, and do not.
pub fn without_text(root: &Path) -> Vec<&'static str> {
    let hands = |name: &str, place| compiled(&fs::read(root.join(name)).ok()?, place);
    TEXTS
        .iter()
        .filter(|(name, place)| hands(name, place).is_none())
        .map(|(name, _)| *name)
        .collect()
}

/// The source with the text that it hands to a compiler replaced by the one that is on.
fn compiled(source: &[u8], place: &str) -> Option<Vec<u8>> {
    let (before, rest) = place.split_once('«')?;
    let (expression, after) = rest.split_once('»')?;
    let source = std::str::from_utf8(source).ok()?;
    let (start, end) = source.split_once(&[before, expression, after].concat())?;
    let chosen = format!("(&crate::switch::text({expression}, crate::switch::TEXTS))");
    Some([start, before, &chosen, after, end].concat().into_bytes())
}

/// All files, from the root: sources, and what tests read. What is hidden, or made by a build, is
/// left out: cargo tags its target directories.
fn files(root: &Path) -> Result<BTreeSet<PathBuf>, Error> {
    let (mut files, mut folders) = (BTreeSet::new(), vec![PathBuf::new()]);
    while let Some(folder) = folders.pop() {
        let failed = |e| Error::Io(root.join(&folder), e);
        for entry in fs::read_dir(root.join(&folder)).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            if entry.file_name().to_string_lossy().starts_with('.') {
                continue;
            }
            let path = folder.join(entry.file_name());
            if !entry.file_type().map_err(failed)?.is_dir() {
                files.insert(path);
            } else if !root.join(&path).join("CACHEDIR.TAG").exists() {
                folders.push(path);
            }
        }
    }
    Ok(files)
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    if fs::read(path).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    let folder = path.parent().unwrap_or(path);
    let written = fs::create_dir_all(folder).and_then(|()| fs::write(path, bytes));
    written.map_err(|e| Error::Io(path.to_owned(), e))
}

/// What the mutated workspace was built to.
#[derive(Clone, Debug)]
pub struct Built {
    /// The program that hunts by the theorems.
    pub hunter: PathBuf,
    /// The programs of tests, by the names of [`Suite::binary`].
    pub(crate) tests: BTreeMap<String, Binary>,
}

/// Builds the hunter and the tests in the mutated workspace.
///
/// The target directory is the copy's own: a package of the copy has the identity of the original,
/// and in one directory each build would undo the other.
///
/// # Errors
/// [`Error::Build`]
pub fn build(copy: &Path, suites: &[Suite]) -> Result<Built, Error> {
    cargo(copy, &["build", "--quiet", "-p", env!("CARGO_PKG_NAME")])?;
    let hunter = copy.join("target").join("debug").join("kill-mutant");
    let hunter = hunter.with_extension(env::consts::EXE_EXTENSION);
    let packages: BTreeSet<String> = suites.iter().map(Suite::full_package).collect();
    let targets: BTreeSet<&str> = suites.iter().filter_map(|suite| suite.target).collect();
    let mut arguments = vec!["test", "--no-run", "--quiet", "--message-format", "json", "--lib"];
    // The back ends whose interpreters have mutants.
    arguments.extend(["--features", "babycuda-gpu/opencl,babycuda-gpu/wgpu"]);
    arguments.extend(packages.iter().flat_map(|package| ["-p", package]));
    arguments.extend(targets.iter().flat_map(|target| ["--test", target]));
    let messages = cargo(copy, &arguments)?;
    let artifacts = messages.lines().filter_map(|line| serde_json::from_str(line).ok());
    Ok(Built { hunter, tests: artifacts.filter_map(Artifact::program).collect() })
}

/// Runs cargo in the copy; what it says.
fn cargo(copy: &Path, arguments: &[&str]) -> Result<String, Error> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| OsStr::new("cargo").to_owned());
    let mut command = Command::new(cargo);
    command.args(arguments).args(["--locked", "--offline", "--target-dir"]);
    command.arg(copy.join("target")).current_dir(copy);
    // It is built once, and nobody debugs it.
    command.env("CARGO_INCREMENTAL", "0");
    let output = command.output().map_err(|e| Error::Build(e.to_string()))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    match output.status.success() {
        true => Ok(text(&output.stdout)),
        false => Err(Error::Build(text(&output.stderr) + &errors(&text(&output.stdout)))),
    }
}

/// The compiler's words in messages for programs.
fn errors(messages: &str) -> String {
    let values = messages.lines().filter_map(|l| serde_json::from_str::<serde_json::Value>(l).ok());
    let rendered = values.filter_map(|v| Some(v["message"]["rendered"].as_str()?.to_owned()));
    rendered.collect()
}

/// What cargo says of something that it built.
#[derive(Deserialize)]
struct Artifact {
    manifest_path: PathBuf,
    target: Target,
    executable: Option<PathBuf>,
}

#[derive(Deserialize)]
struct Target {
    kind: Vec<String>,
    name: String,
}

impl Artifact {
    /// The program of tests, and its name, if it is one.
    fn program(self) -> Option<(String, Binary)> {
        let (path, folder) = (self.executable?, self.manifest_path.parent()?.to_owned());
        let package = folder.file_name()?.to_str()?;
        let name = match self.target.kind.iter().any(|kind| kind == "test") {
            true => format!("{package}/{}", self.target.name),
            false => self.target.name,
        };
        Some((name, Binary { path, folder }))
    }
}
