//! The kernels of files of CUDA C and OpenCL C.

use crate::commands_file::{self, Flags};
use crate::includers;
use crate::input::{File, Language, Unit};
use crate::problem::{Missing, Problem};
use crate::source::Source;
use babycuda::frontend::{self, FrontendError, Includer, Overflow, Parser, Translation};
use babycuda::{Settings, clang, read_kernels};
use babycuda_core::Name;
use babycuda_core::syntax::Note;
use std::path::Path;

/// The kernels of a file, as programs, with their trees. The front end needs the settings: with them, more is exact.
/// Those that cannot be read alone are read as part of a file that includes this one.
///
/// # Errors
/// A [`Problem`] when the file cannot be read, or a setting fits no kernel.
pub fn trees(
    file: &File,
    source: &Source,
    settings: &Settings,
) -> Result<Vec<frontend::Kernel>, Problem> {
    let flags = commands_file::flags(source, &file.path)?;
    let path = Path::new(&file.path);
    let read = |includer: Option<&Includer>| part(file, source, settings, &flags, includer);
    match source.includer.as_deref() {
        Some("none") => read(None),
        Some(by) => {
            let includer = includers::named(Path::new(by), path, &flags.includes)?;
            Ok(read(Some(&includer))?.into_iter().map(|kernel| noted(kernel, &includer)).collect())
        }
        None => {
            let alone = read(None);
            let whole = |kernel: &frontend::Kernel| rank(kernel) == WHOLE;
            if file.path == "-" || alone.as_ref().is_ok_and(|kernels| kernels.iter().all(whole)) {
                return alone;
            }
            let around = includers::around(path, &flags.includes);
            let together = around.iter().map(|includer| (includer, read(Some(includer))));
            together.fold(alone, |alone, (includer, part)| match (alone, part) {
                (alone, Err(_)) => alone,
                (Err(_), Ok(part)) => Ok(part.into_iter().map(|k| noted(k, includer)).collect()),
                (Ok(alone), Ok(part)) => Ok(better(alone, part, includer)),
            })
        }
    }
}

/// How well a kernel could be read: nothing of it, its tree, all with assumptions about names that nobody declares,
/// or all.
fn rank(kernel: &frontend::Kernel) -> u8 {
    let assumes = kernel.tree.as_ref().is_some_and(|tree| tree.assumes_names());
    match kernel.translation {
        Translation::Program(_) => WHOLE - u8::from(assumes),
        Translation::Unsupported(_) => u8::from(kernel.tree.is_some()),
    }
}

const WHOLE: u8 = 3;

/// What cannot be read of the kernels `alone`, as `part` of the file that includes them where more of it can be
/// read there.
fn better(
    alone: Vec<frontend::Kernel>,
    part: Vec<frontend::Kernel>,
    includer: &Includer,
) -> Vec<frontend::Kernel> {
    let replaced = alone.into_iter().map(|kernel| {
        let more = |other: &&frontend::Kernel| {
            let overlap = other.span.start < kernel.span.end && kernel.span.start < other.span.end;
            overlap && rank(other) > rank(&kernel)
        };
        let found = part.iter().filter(more);
        let found: Vec<_> = found.map(|other| noted(other.clone(), includer)).collect();
        if found.is_empty() { vec![kernel] } else { found }
    });
    replaced.flatten().collect()
}

/// The kernel, with a note of what it was read with.
fn noted(mut kernel: frontend::Kernel, includer: &Includer) -> frontend::Kernel {
    if let Translation::Program(program) = &mut kernel.translation {
        let message = format!("read as part of `{}`, which includes this file", includer.path);
        program.notes.push(Note { message, span: None });
    }
    kernel
}

/// The kernels of a file that is read alone, or as part of another.
fn part(
    file: &File,
    source: &Source,
    settings: &Settings,
    flags: &Flags,
    includer: Option<&Includer>,
) -> Result<Vec<frontend::Kernel>, Problem> {
    let (text, options) = reading(file, source, settings, flags, includer);
    read_kernels(&text, &options, source.parser).map_err(|e| problem(file, source, e))
}

/// How the file is read by itself.
///
/// # Errors
/// As [`trees`].
pub fn options(
    file: &File,
    source: &Source,
    settings: &Settings,
) -> Result<frontend::Options, Problem> {
    let flags = commands_file::flags(source, &file.path)?;
    let (text, options) = reading(file, source, settings, &flags, None);
    babycuda::reading(&text, &options).map_err(|e| problem(file, source, e))
}

/// The file as parsers get it, with what is known beforehand.
fn reading<'a>(
    file: &'a File,
    source: &Source,
    settings: &Settings,
    flags: &'a Flags,
    includer: Option<&'a Includer>,
) -> (clang::Source<'a>, frontend::Options) {
    let language = match file.language {
        Language::OpenCl => clang::Language::OpenCl,
        _ => clang::Language::Cuda,
    };
    let text = clang::Source {
        text: &file.text,
        path: (file.path != "-").then(|| Path::new(&file.path)),
        includer,
        includes: &flags.includes,
        defines: &flags.defines,
        undefines: &flags.undefines,
        language,
        standard: flags.standard.as_deref(),
    };
    let options = frontend::Options {
        includes: crate::includes::from_disk(&file.path, &flags.includes),
        settings: settings.clone(),
        overflow: match source.overflow {
            None if source.devices => Overflow::Wrap,
            said => said.unwrap_or_default(),
        },
        ignore_requires: source.ignore_requires,
        ..frontend::Options::default()
    };
    (text, options)
}

fn problem(file: &File, source: &Source, error: FrontendError) -> Problem {
    match error {
        FrontendError::Preprocessor { span, message } | FrontendError::Broken { span, message } => {
            Problem::new(message).at(Some(span))
        }
        FrontendError::Other { span: Some(span), message } => Problem::new(message).at(Some(span)),
        FrontendError::Other { span: None, message } if source.parser == Parser::Builtin => {
            Problem::new(format!("{}: {message}", file.path)).help("`--parser clang` reads it")
        }
        FrontendError::Other { span: None, message } => {
            let help = "install clang (Debian: `apt install clang`), or name it in BABYCUDA_CLANG";
            Problem::new(format!("{}: {message}", file.path)).help(help)
        }
        other => {
            let message = format!("{}: {other}", file.path);
            let missing = match other {
                FrontendError::NoSuchParameter { name } => {
                    Some(Missing::Parameter(Name::new(name)))
                }
                FrontendError::Assumption { text, .. } => Some(Missing::Assumption(text)),
                _ => None,
            };
            Problem { missing: missing.map(Box::new), ..Problem::new(message) }
        }
    }
}

/// What a kernel of a front end is.
pub fn unit(kernel: frontend::Kernel) -> Unit {
    match kernel.translation {
        Translation::Program(program) => Unit::Program(Box::new(program)),
        Translation::Unsupported(unsupported) => Unit::Unsupported {
            kernel: kernel.name,
            construct: unsupported.construct,
            span: Some(unsupported.span),
            known: unsupported.known,
            apart: unsupported.apart,
            freer: unsupported.freer,
            parser: kernel.parser.map(|parser| parser.to_string()),
        },
    }
}

/// The launch, and the parameters by the patterns of their types.
pub fn configuration(
    settings: &Settings,
    program: Option<&babycuda_core::Program>,
) -> babycuda_core::Configuration {
    use babycuda_core::{Configuration, Dim3, Launch, Name, Natural};
    let (block, grid) = (settings.block.unwrap_or(Dim3::line(32)), settings.grid);
    let mut launch = Launch::new(grid.unwrap_or(Dim3::line(1)), block);
    launch.warp = settings.warp.unwrap_or(launch.warp);
    let mut configuration = Configuration::of_launch(launch);
    for (name, value) in &settings.params {
        let domain = program.and_then(|p| p.params.iter().find(|param| param.name == *name));
        let pattern = domain.and_then(|param| param.domain.value(value));
        let pattern = pattern.or_else(|| value.to_string().parse::<Natural>().ok());
        if let Some(pattern) = pattern {
            configuration.parameters.insert(Name::new(name.as_str()), pattern);
        }
    }
    configuration
}
