//! How a file is read, as whoever asks says it.

use babycuda::frontend::{Overflow, Parser};
use std::path::PathBuf;

/// How a file of kernels is read.
#[derive(Clone, Debug, Default)]
pub struct Source {
    /// Is nothing assumed that a kernel requires itself?
    pub ignore_requires: bool,
    /// Only the kernel of this name.
    pub kernel: Option<String>,
    /// Macros: a head, `NAME` or `NAME(PARAMETERS)`, and a body.
    pub defines: Vec<(String, String)>,
    /// Names that are no macros at first.
    pub undefines: Vec<String>,
    /// Folders in which `#include` looks for files.
    pub includes: Vec<PathBuf>,
    /// The file that includes this one; `none`: none is looked for.
    pub includer: Option<String>,
    /// The version of the language, as a compiler's `-std=` says it.
    pub standard: Option<String>,
    /// A database of compile commands, or its folder.
    pub compile_commands: Option<PathBuf>,
    /// Who reads CUDA C and OpenCL C.
    pub parser: Parser,
    /// What signed overflow does.
    pub overflow: Option<Overflow>,
    /// Where that is not said: does it wrap around, as on devices?
    pub devices: bool,
}

impl Source {
    /// What it says of how C is read, which a kernel that is translated already cannot be any more.
    pub(crate) fn of_text(&self) -> Option<&'static str> {
        let said = [
            (!self.defines.is_empty(), "macros (-D)"),
            (!self.undefines.is_empty(), "names that are no macros (-U)"),
            (!self.includes.is_empty(), "folders of headers (-I)"),
            (self.includer.is_some(), "an includer"),
            (self.standard.is_some(), "a version of the language"),
            (self.compile_commands.is_some(), "compile commands"),
            (self.parser != Parser::default(), "a parser"),
            (self.overflow.is_some(), "a rule for signed overflow"),
        ];
        said.into_iter().find_map(|(is_said, what)| is_said.then_some(what))
    }
}

/// Where contracts come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Contracts {
    /// From the launches in the file; else inferred ones are shown.
    #[default]
    Source,
    /// Inferred ones are shown.
    Infer,
    /// There are none.
    None,
}

/// Reads what a compiler's `-D` is given: `NAME`, `NAME=VALUE` or `NAME(PARAMETERS)=VALUE`.
///
/// # Errors
/// What is wrong with the name.
pub fn parse_define(text: &str) -> Result<(String, String), String> {
    let (head, value) = text.split_once('=').unwrap_or((text, "1"));
    let (name, parameters) = head.split_at(head.find('(').unwrap_or(head.len()));
    let mut chars = name.chars();
    let starts = chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    if !starts || !chars.all(|c| c.is_ascii_alphanumeric() || c == '_') {
        Err(format!("`{name}` is not a C identifier"))
    } else if !parameters.is_empty() && !parameters.ends_with(')') {
        Err(format!("`{head}` has unfinished parameters"))
    } else {
        // The preprocessor reads the parameters.
        Ok((head.to_owned(), value.to_owned()))
    }
}

/// Reads what a compiler's `-U` is given.
///
/// # Errors
/// What is wrong with the name.
pub fn parse_name(text: &str) -> Result<String, String> {
    match parse_define(text)? {
        (name, _) if name == text && !text.contains('(') => Ok(name),
        _ => Err(format!("`{text}` is not a C identifier")),
    }
}
