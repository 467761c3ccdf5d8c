//! Kernels of CUDA C and OpenCL C, read by the built-in parser or by an installed clang.

use babycuda_clang::{Clang, ClangError, Found, Source};
use babycuda_core::{Budget, Span};
use babycuda_frontend::{
    FrontendError, Kernel, Language, Options, Parser, Reading, Readings, Unsupported, parse_with,
};
use std::time::Duration;

/// Clang gets so much time for a file.
const MAX_TIME: Duration = Duration::from_secs(60);

/// The kernels of a file, as programs; [`Parser::Other`] is clang, and OpenCL C is always read by it.
///
/// Macros, the language, its version and the includer are those of `source`; the rest of `options` counts as it is.
/// The headers of `options` and of `source` should be the same.
///
/// # Errors
/// Those of [`parse_with`]; [`FrontendError::Other`] also where clang is needed and not there.
pub fn read_kernels(
    source: &Source<'_>,
    options: &Options,
    parser: Parser,
) -> Result<Vec<Kernel>, FrontendError> {
    let options = reading(source, options)?;
    let parser = match (source.language, parser) {
        (Language::OpenCl, Parser::Builtin) => {
            let message = "OpenCL C is read by clang only".to_owned();
            return Err(FrontendError::Other { span: None, message });
        }
        (Language::OpenCl, _) => Parser::Other,
        (Language::Cuda, parser) => parser,
    };
    parse_with(source.text, &options, parser, || readings(source))
}

/// The options with which [`read_kernels`] reads: with macros, language, version and includer of `source`.
///
/// # Errors
/// [`FrontendError::Standard`]
pub fn reading(source: &Source<'_>, options: &Options) -> Result<Options, FrontendError> {
    let mut options = Options {
        language: source.language,
        defines: source.defines.to_vec(),
        undefines: source.undefines.iter().cloned().collect(),
        includer: source.includer.cloned(),
        ..options.clone()
    };
    if let Some(standard) = source.standard {
        let known = version(standard);
        let (name, value) = known.ok_or_else(|| FrontendError::Standard(standard.to_owned()))?;
        if !options.defines.iter().any(|(head, _)| head == name) {
            options.defines.push((name.to_owned(), value.to_owned()));
        }
    }
    Ok(options)
}

/// What clang reads of a file.
fn readings(source: &Source<'_>) -> Result<Readings, FrontendError> {
    // Where there are no processes, nothing that reads what clang writes is needed.
    if cfg!(all(target_family = "wasm", target_os = "unknown")) {
        let message = "there is no clang in a web page".to_owned();
        return Err(FrontendError::Other { span: None, message });
    }
    let clang = Clang::find().map_err(unread)?;
    let time = Budget::ambient().at_most(MAX_TIME);
    let (kernels, _) = clang.read(source, time).map_err(unread)?;
    let kernels = kernels.into_iter().map(found).collect();
    Ok(Readings { parser: clang.version().into(), kernels })
}

fn found(found: Found) -> Reading {
    let unsupported = |e: babycuda_clang::Unreadable| Unsupported::at(e.span, e.message);
    Reading { name: found.name, span: found.span, tree: found.kernel.map_err(unsupported) }
}

fn unread(error: ClangError) -> FrontendError {
    let span: Option<Span> = match &error {
        ClangError::Source(unreadable) => Some(unreadable.span),
        _ => None,
    };
    if let ClangError::Limit(_) = error {
        return FrontendError::Limit(error.to_string());
    }
    let message = match error {
        ClangError::Source(unreadable) => format!("clang: {}", unreadable.message),
        other => other.to_string(),
    };
    FrontendError::Other { span, message }
}

/// The macro that says a version of a language, and its value; `None`: there is no such version.
fn version(standard: &str) -> Option<(&'static str, &'static str)> {
    let after = |prefixes: [&str; 2]| prefixes.into_iter().find_map(|p| standard.strip_prefix(p));
    if let Some(number) = after(["c++", "gnu++"]) {
        let value = match number {
            "98" | "03" => "199711L",
            "11" | "0x" => "201103L",
            "14" | "1y" => "201402L",
            "17" | "1z" => "201703L",
            "20" | "2a" => "202002L",
            "23" | "2b" => "202302L",
            _ => return None,
        };
        return Some(("__cplusplus", value));
    }
    if let Some(number) = after(["CLC++", "clc++"]) {
        let value = match number {
            "" | "1.0" => "100",
            "2021" => "202100",
            _ => return None,
        };
        return Some(("__OPENCL_CPP_VERSION__", value));
    }
    let value = match after(["CL", "cl"])? {
        // What clang calls the first one.
        "" | "1.0" => "100",
        "1.1" => "110",
        "1.2" => "120",
        "2.0" => "200",
        "3.0" => "300",
        _ => return None,
    };
    Some(("__OPENCL_C_VERSION__", value))
}
