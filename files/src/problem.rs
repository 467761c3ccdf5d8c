//! Why a file cannot be used.

use crate::input::File;
use babycuda_core::Name;
use babycuda_core::site::Span;
use babycuda_report::human;
use codespan_reporting::diagnostic::{Diagnostic, Label};

/// What is to blame.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Kind {
    /// What was asked, or the file as a whole.
    #[default]
    Usage,
    /// What stands in the file.
    Text,
    /// A limit of the library.
    Limit,
}

/// Why a file cannot be used at all: exit status 2.
#[derive(Clone, Debug, Default)]
pub struct Problem {
    /// What is to blame.
    pub kind: Kind,
    /// What is wrong.
    pub message: String,
    /// Where in the file.
    pub span: Option<Span>,
    /// What would help.
    pub help: Option<String>,
    /// What was asked for, where the file as a whole has nothing of it: another file may.
    pub missing: Option<Box<Missing>>,
}

/// What was asked for, and no kernel of a file has.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Missing {
    /// A kernel of this name.
    Kernel(String),
    /// A parameter of this name.
    Parameter(Name),
    /// What an assumption mentions.
    Assumption(String),
    /// An array.
    Array(Name),
}

impl Problem {
    /// A problem with no place in a file.
    pub fn new(message: impl Into<String>) -> Problem {
        Problem { message: message.into(), ..Problem::default() }
    }

    /// The same at a place in the file.
    #[must_use]
    pub fn at(self, span: Option<Span>) -> Problem {
        let kind = if span.is_some() && self.kind == Kind::Usage { Kind::Text } else { self.kind };
        Problem { kind, span, ..self }
    }

    /// The same with what would help.
    #[must_use]
    pub fn help(self, help: impl Into<String>) -> Problem {
        Problem { help: Some(help.into()), ..self }
    }

    /// The same, since the file has nothing of what was asked for.
    #[must_use]
    pub fn missing(self, missing: Missing) -> Problem {
        Problem { missing: Some(Box::new(missing)), ..self }
    }

    /// The problem as text, with the excerpt of the file where it has a place.
    pub fn render(&self, file: Option<&File>) -> String {
        let labels = match (file, self.span) {
            (Some(_), Some(span)) => vec![Label::primary((), span.bytes())],
            _ => Vec::new(),
        };
        let diagnostic = Diagnostic::error()
            .with_message(&self.message)
            .with_labels(labels)
            .with_notes(self.help.iter().cloned().collect());
        let (path, text) = file.map_or(("", ""), |f| (&f.path, &f.text));
        let mut out = String::new();
        human::render(&mut out, path, text, &diagnostic);
        out
    }
}
