//! The kernels of files of CUDA C and OpenCL C.

use crate::args::Source;
use crate::commands_file;
use crate::input::{File, Language, Unit};
use crate::problem::Problem;
use babycuda::frontend::{self, FrontendError, Parser, Translation};
use babycuda::{Settings, clang, read_kernels};
use std::path::Path;

/// The kernels of a file, as programs.
///
/// # Errors
/// As [`trees`].
pub(crate) fn read(
    file: &File,
    source: &Source,
    settings: &Settings,
) -> Result<Vec<Unit>, Problem> {
    Ok(trees(file, source, settings)?.into_iter().map(unit).collect())
}

/// The kernels of a file, with their trees. The front end needs the settings: with them, more is exact.
///
/// # Errors
/// A [`Problem`] when the file cannot be read, or a setting fits no kernel.
pub(crate) fn trees(
    file: &File,
    source: &Source,
    settings: &Settings,
) -> Result<Vec<frontend::Kernel>, Problem> {
    let flags = commands_file::flags(source, &file.path)?;
    let path = (file.path != "-").then(|| Path::new(&file.path));
    let language = match file.language {
        Language::OpenCl => clang::Language::OpenCl,
        _ => clang::Language::Cuda,
    };
    let text = clang::Source {
        text: &file.text,
        path,
        includes: &flags.includes,
        defines: &flags.defines,
        undefines: &flags.undefines,
        language,
        standard: flags.standard.as_deref(),
    };
    let options = frontend::Options {
        includes: crate::includes::from_disk(&file.path, &flags.includes),
        settings: settings.clone(),
        overflow: source.overflow.unwrap_or_default(),
        ..frontend::Options::default()
    };
    let kernels =
        read_kernels(&text, &options, source.parser).map_err(|e| problem(file, source, e))?;
    Ok(kernels)
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
        other => Problem::new(format!("{}: {other}", file.path)),
    }
}

fn unit(kernel: frontend::Kernel) -> Unit {
    match kernel.translation {
        Translation::Program(program) => Unit::Program(Box::new(program)),
        Translation::Unsupported(unsupported) => Unit::Unsupported {
            kernel: kernel.name,
            construct: unsupported.construct,
            span: Some(unsupported.span),
            known: unsupported.known,
            parser: kernel.parser.map(|parser| parser.to_string()),
        },
    }
}
