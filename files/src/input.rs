//! Reading files: which language, which kernels, and what is wrong with them.

pub use crate::unit::Unit;

use crate::kernels;
use crate::problem::{Kind, Missing, Problem};
use crate::source::Source;
use crate::unit::configured;
use babycuda::frontend::Kernel;
use babycuda::{Settings, parse};
use babycuda_core::Name;
use babycuda_core::json::{self, Format};
use babycuda_core::shadow::{Chain, Machine};
use babycuda_core::syntax::{MapFile, Program};
use std::io::Read;
use std::path::Path;

/// A file that was read.
#[derive(Clone, Debug)]
pub struct File {
    /// Its path as given; `-` for standard input.
    pub path: String,
    /// Its text.
    pub text: String,
    /// What it is written in.
    pub language: Language,
}

/// What a file is written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    /// `.bcuda`
    BabyCuda,
    /// `.map`
    Map,
    /// `.cu`
    Cuda,
    /// `.cl`
    OpenCl,
    /// `.json`: a document of a program or protocol
    Json,
}

impl Language {
    /// Is it a language of files with any number of kernels?
    pub fn has_kernels(self) -> bool {
        matches!(self, Language::Cuda | Language::OpenCl)
    }
}

/// Reads a file and decides its language by its name, or by its text for standard input.
///
/// # Errors
/// A [`Problem`] when it cannot be read, is not UTF-8 and no CUDA file, or has an ending that no one
/// knows.
pub fn read(path: &str) -> Result<File, Problem> {
    let ending = path.rsplit_once('.').map(|(_, ending)| ending);
    let text = match ending {
        // Comments are written in many encodings. Each byte of such a file is a character, after a byte order mark.
        Some("cu" | "cuh" | "cl") => {
            let latin1 = |bytes: Vec<u8>| match bytes.strip_prefix(b"\xef\xbb\xbf") {
                Some(rest) => {
                    ['\u{feff}'].into_iter().chain(rest.iter().copied().map(char::from)).collect()
                }
                None => bytes.into_iter().map(char::from).collect(),
            };
            String::from_utf8(bytes(path)?).unwrap_or_else(|e| latin1(e.into_bytes()))
        }
        _ => text(path)?,
    };
    File::new(path, text)
}

impl File {
    /// The file of this path and text.
    ///
    /// # Errors
    /// A [`Problem`] when its path has an ending that no one knows.
    pub fn new(path: &str, text: String) -> Result<File, Problem> {
        let language = match path.rsplit_once('.').map(|(_, ending)| ending) {
            _ if path == "-" => guess(&text)?,
            Some("cu" | "cuh") => Language::Cuda,
            Some("bcuda") => Language::BabyCuda,
            Some("map") => Language::Map,
            Some("cl") => Language::OpenCl,
            Some("json") => Language::Json,
            _ => {
                let problem = Problem::new(format!("{path}: unknown kind of file"));
                return Err(problem.help(format!("expected {CUDA}, {PROGRAM}, or {PROTOCOL}")));
            }
        };
        Ok(File { path: path.to_owned(), text, language })
    }
}

/// Reads a file, or standard input for `-`.
///
/// # Errors
/// A [`Problem`] when it cannot be read or is not UTF-8.
pub fn text(path: &str) -> Result<String, Problem> {
    String::from_utf8(bytes(path)?)
        .map_err(|e| Problem::new(format!("{path}: not UTF-8: {}", e.utf8_error())))
}

/// The first bytes of a file, or of standard input for `-`.
///
/// # Errors
/// A [`Problem`] when it cannot be read.
pub fn beginning(path: &str, many: u64) -> Result<Vec<u8>, Problem> {
    let mut bytes = Vec::new();
    let read = match path {
        "-" => std::io::stdin().lock().take(many).read_to_end(&mut bytes),
        _ => std::fs::File::open(path).and_then(|file| file.take(many).read_to_end(&mut bytes)),
    };
    read.map(|_| bytes).map_err(|e| Problem::new(format!("{path}: {e}")))
}

fn bytes(path: &str) -> Result<Vec<u8>, Problem> {
    if Path::new(path).is_dir() {
        let problem = Problem::new(format!("{path}: a folder is no file"));
        let named = "`check` takes folders of files that are named .cu, .cuh, .cl, .bcuda or .map";
        return Err(problem.help(named));
    }
    if path != "-" {
        return std::fs::read(path).map_err(|e| Problem::new(format!("{path}: {e}")));
    }
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().read_to_end(&mut bytes);
    read.map_err(|e| Problem::new(format!("standard input cannot be read: {e}")))?;
    Ok(bytes)
}

/// The language of a text without a name.
fn guess(text: &str) -> Result<Language, Problem> {
    // No program begins so; `{}` is a statement that does nothing, and more often a document without anything.
    let inside = text.trim_start().strip_prefix('{').map(str::trim_start);
    if inside.is_some_and(|inside| inside.starts_with(['"', '}'])) {
        return Ok(Language::Json);
    }
    let has_word = |word: &str| {
        text.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|token| token == word)
    };
    if has_word("__global__") {
        Ok(Language::Cuda)
    } else if has_word("__kernel") {
        Ok(Language::OpenCl)
    } else {
        // A protocol has accesses `rd`, `wr`, `at` where a program has assignments.
        let is_map = parse::parse_program(text).is_err() && parse::parse_map(text).is_ok();
        Ok(if is_map { Language::Map } else { Language::BabyCuda })
    }
}

/// The kernels of a file, in source order, under the command line's settings; only those named by
/// `--kernel`.
///
/// # Errors
/// A [`Problem`] when the file does not parse, has no such kernel, or a setting does not fit.
pub fn units(file: &File, source: &Source, settings: &Settings) -> Result<Vec<Unit>, Problem> {
    Ok(units_and_kernels(file, source, settings)?.into_iter().map(|(unit, _)| unit).collect())
}

/// The same, each with the kernel that a front end made it of.
///
/// # Errors
/// As [`units`].
pub fn units_and_kernels(
    file: &File,
    source: &Source,
    settings: &Settings,
) -> Result<Vec<(Unit, Option<Kernel>)>, Problem> {
    let mut kernels = Vec::new();
    let mut units = match file.language {
        Language::BabyCuda => {
            let program = parse::parse_program(&file.text).map_err(|e| parse_problem(file, e))?;
            vec![Unit::Program(Box::new(program))]
        }
        Language::Map => {
            let map = parse::parse_map(&file.text).map_err(|e| parse_problem(file, e))?;
            vec![Unit::Protocol(Box::new(map))]
        }
        Language::Json => vec![document(file, source)?],
        Language::Cuda | Language::OpenCl => {
            kernels = kernels::trees(file, source, settings)?;
            kernels.iter().cloned().map(kernels::unit).collect()
        }
    };
    let names: Vec<String> = units.iter().map(|u| u.name().to_owned()).collect();
    if let Some(kernel) = &source.kernel {
        // Of a template, all instances.
        let asked = |name: &str| name == kernel || name.split('<').next() == Some(kernel);
        units.retain(|u| asked(u.name()));
        kernels.retain(|k| asked(&k.name));
    }
    // A file of a program that has no kernel is one like another.
    let of_a_program = source.kernel.is_none() && file.language.has_kernels();
    if units.is_empty() && !(of_a_program && mistaken(file).is_none()) {
        return Err(match &source.kernel {
            Some(kernel) if !names.is_empty() => Problem::new(format!(
                "{} has no kernel `{kernel}` (it has {})",
                file.path,
                names.join(", ")
            ))
            .missing(Missing::Kernel(kernel.clone())),
            Some(kernel) if file.language.has_kernels() && mistaken(file).is_none() => {
                let message = format!("{} has no kernel", file.path);
                Problem::new(message).missing(Missing::Kernel(kernel.clone()))
            }
            _ => Problem {
                help: mistaken(file),
                ..Problem::new(format!("{} has no kernel", file.path))
            },
        });
    }
    known_parameters(file, &units, settings)?;
    let units = units.into_iter().map(|unit| configured(file, unit, settings));
    let units = units.map(|unit| well_scoped(file, unit?)).collect::<Result<Vec<_>, _>>()?;
    let kernels = kernels.into_iter().map(Some).chain(std::iter::repeat_with(|| None));
    Ok(units.into_iter().zip(kernels).collect())
}

/// The program or protocol of a document.
fn document(file: &File, source: &Source) -> Result<Unit, Problem> {
    let problem = |error: json::JsonError| Problem::new(format!("{}: {error}", file.path));
    let expected = format!("expected `{}` or `{}`", Program::NAME, MapFile::NAME);
    let format = json::format_of(&file.text).map_err(|error| {
        let help = "; what `check --format json` and the like print is for other programs";
        problem(error).help(format!("{expected}{help}"))
    })?;
    // Places are those of another text.
    if format == Program::NAME {
        let mut program: Program = json::from_json(&file.text).map_err(problem)?;
        translated(&program, source)
            .map_err(|what| Problem::new(format!("{}: {what}", file.path)))?;
        program.declarations.sources.spans.clear();
        Ok(Unit::Program(Box::new(program)))
    } else if format == MapFile::NAME {
        let mut map: MapFile = json::from_json(&file.text).map_err(problem)?;
        map.declarations.sources.spans.clear();
        Ok(Unit::Protocol(Box::new(map)))
    } else {
        let message = format!("{}: a document of format `{format}`", file.path);
        let help = match format.ends_with("-derivation") {
            true => format!("{expected}; `babycuda verify` reads derivations"),
            false => expected,
        };
        Err(Problem::new(message).help(help))
    }
}

/// Refuses what is said of how the kernel of a document is read: that was done.
fn translated(program: &Program, source: &Source) -> Result<(), String> {
    let (kernel, sources) = (&program.name, &program.sources);
    let what = match source.of_text() {
        Some(what) if sources.translated => what,
        None if sources.required && source.ignore_requires => {
            "no contract: it was with what it requires"
        }
        _ => return Ok(()),
    };
    Err(format!(
        "`{kernel}` was translated already, not for {what}: say so where its source is translated"
    ))
}

/// The gate of every command: what is run, typed, derived, printed or checked is well-scoped.
fn well_scoped(file: &File, unit: Unit) -> Result<Unit, Problem> {
    let checked = match &unit {
        Unit::Program(program) => program.check_scope(),
        Unit::Protocol(map) => map.check_scope(),
        Unit::Unsupported { .. } => Ok(()),
    };
    checked.map(|()| unit).map_err(|error| match error.span {
        Some(_) => Problem::new(error.kind.to_string()).at(error.span),
        None => Problem::new(format!("{}: {}", file.path, error.kind)),
    })
}

fn parse_problem(file: &File, error: parse::ParseError) -> Problem {
    use parse::ParseErrorKind::{Digits, TooDeep, TooLong};
    let kind = match error.kind {
        TooDeep | TooLong | Digits => Kind::Limit,
        _ => Kind::Text,
    };
    let (message, span) = (error.kind.to_string(), Some(error.span));
    Problem { kind, message, span, help: mistaken(file), missing: None }
}

/// What a program looks like, for those who gave something else.
pub const PROGRAM: &str = "a BabyCUDA program such as `threads 2; A[tid] := tid` (.bcuda)";
/// The same of a protocol.
const PROTOCOL: &str = "a memory access protocol such as `threads 2; wr[tid]` (.map)";
/// The same of CUDA.
pub const CUDA: &str = "CUDA C with a `__global__` function (.cu)";
/// The same of OpenCL.
const OPENCL: &str = "OpenCL C with a `__kernel` function (.cl)";
/// The same of documents.
const JSON: &str = "a document of a program or a protocol (.json)";

/// What was expected of a text that cannot be read, where it is something else.
fn mistaken(file: &File) -> Option<String> {
    let has = |word: &str| file.text.contains(word);
    let (is, other) = if file.text.trim_start().starts_with(['{', '[']) {
        ("JSON", "; a file of it is named .json")
    } else if !file.language.has_kernels() && (has("__global__") || has("#include")) {
        ("CUDA C", "; a file of it is named .cu")
    } else if file.language != Language::BabyCuda && parse::parse_program(&file.text).is_ok() {
        ("a BabyCUDA program", "; a file of it is named .bcuda")
    } else if file.language != Language::Map && parse::parse_map(&file.text).is_ok() {
        ("a memory access protocol", "; a file of it is named .map")
    } else if file.path == "-" {
        return Some(format!("expected {PROGRAM}, {PROTOCOL}, or {CUDA}"));
    } else {
        return None;
    };
    let expected = match file.language {
        Language::BabyCuda => PROGRAM,
        Language::Map => PROTOCOL,
        Language::Cuda => CUDA,
        Language::OpenCl => OPENCL,
        Language::Json => JSON,
    };
    Some(format!("expected {expected}; this looks like {is}{other}"))
}

/// A parameter that no kernel of the file has is a mistake, not a wish. (A kernel that was not
/// translated may have any.)
fn known_parameters(file: &File, units: &[Unit], settings: &Settings) -> Result<(), Problem> {
    let has = |unit: &Unit, name: &Name| {
        unit.declarations().is_none_or(|program| program.params.iter().any(|p| p.name == *name))
    };
    match settings.params.keys().find(|name| !units.iter().any(|unit| has(unit, name))) {
        Some(name) => {
            let message = format!("{}: no kernel has a parameter `{name}`", file.path);
            Err(Problem::new(message).missing(Missing::Parameter(name.clone())))
        }
        None => Ok(()),
    }
}

/// The machine whose table a file has; standard input is `-`.
///
/// # Errors
/// A [`Problem`]: it cannot be read, or has another text.
pub fn machine(path: &str) -> Result<Machine, Problem> {
    Machine::read_csv(&bytes(path)?, Chain::published())
        .map_err(|error| Problem::new(format!("{path}: {error}")))
}
