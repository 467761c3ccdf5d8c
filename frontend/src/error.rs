//! Why a file, or one kernel of it, could not be translated.

use babycuda_core::{Program, Span};
use std::fmt;

/// A whole file that could not be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FrontendError {
    /// The preprocessor rejects the file.
    #[error("{span}: {message}")]
    Preprocessor {
        /// Where.
        span: Span,
        /// What is wrong.
        message: String,
    },
    /// The file is no text, or ends before what is begun in it.
    #[error("{span}: {message}")]
    Broken {
        /// Where.
        span: Span,
        /// What is wrong.
        message: String,
    },
    /// An assumption is not a C expression over parameters and extents.
    #[error("assumption `{text}`: {message}")]
    Assumption {
        /// The assumption.
        text: String,
        /// What is wrong.
        message: String,
    },
    /// A parameter was given a value, and no kernel has an integer parameter of this name.
    #[error("parameter `{name}`: no kernel has an integer parameter of this name")]
    NoSuchParameter {
        /// The parameter.
        name: String,
    },
    /// A parameter was given a value, and no kernel can take it.
    #[error("parameter `{name}`: {message}")]
    Parameter {
        /// The parameter.
        name: String,
        /// What is wrong.
        message: String,
    },
    /// Every kernel of the file says that it has blocks of another size than those that are asked for.
    #[error("kernel `{name}`: {message}")]
    Block {
        /// The first kernel.
        name: String,
        /// The sizes.
        message: String,
    },
    /// A macro definition given by `-D` is not one.
    #[error("definition of `{name}`: {message}")]
    Define {
        /// The macro.
        name: String,
        /// What is wrong.
        message: String,
    },
    /// Another parser was to read the file, and does not.
    #[error("{message}")]
    Other {
        /// Where, if that is known.
        span: Option<Span>,
        /// What is wrong.
        message: String,
    },
    /// Another parser was to read the file, and did not get to its end: its kernels are unknown.
    #[error("{0}")]
    Limit(String),
    /// The version that is asked for is none of the language.
    #[error("`{0}` is no version of CUDA's C++ or of OpenCL C")]
    Standard(String),
    /// The grammar refused to load or to parse: not caused by any input that is known.
    #[error("the CUDA grammar failed: {0}")]
    Grammar(String),
}

/// A construct of a kernel that is not translated. The verdict on the kernel is unknown, if what is `known` of
/// it has no race.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{line}:{column}: not supported: {construct}")]
pub struct Unsupported {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// The construct's name, with a reason where there is one.
    pub construct: String,
    /// The whole range in the source.
    pub span: Span,
    /// What threads do before they meet such a construct, where they stop: its races are races of the
    /// kernel. Whatever else is found of it (no race, a divergence) says nothing about the kernel. `None`:
    /// what comes before is not known, either.
    pub known: Option<Box<Program>>,
    /// The programs that together say what the kernel does: it has no race where none of them has one, and those of each
    /// are its own. The first one says where threads wait for each other. Empty: there are none.
    pub apart: Vec<Program>,
    /// The kernel with fewer barriers. `None`: it is not known.
    pub freer: Option<Box<Freer>>,
}

/// A kernel without barriers of which it is not known whom they hold, or what they order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Freer {
    /// The kernel has no race where none of these has one; their own races say nothing.
    pub programs: Vec<Program>,
    /// The first such barrier, in words.
    pub barrier: String,
    /// Where it stands.
    pub span: Span,
}

impl Unsupported {
    /// A construct that stands there, in a kernel of which nothing else is known.
    pub fn at(span: Span, construct: impl Into<String>) -> Unsupported {
        let (line, column, construct) = (span.line, span.column, construct.into());
        let (known, apart, freer) = (None, Vec::new(), None);
        Unsupported { line, column, construct, span, known, apart, freer }
    }
}

/// A construct that is not understood, by its place in the preprocessed text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Refusal {
    /// Bytes of the preprocessed text.
    pub(crate) range: std::ops::Range<usize>,
    /// The construct's name.
    pub(crate) construct: String,
}

/// Refuses the construct at a syntax node.
pub(crate) fn refuse<T>(
    node: tree_sitter::Node<'_>,
    construct: impl fmt::Display,
) -> Result<T, Refusal> {
    Err(Refusal { range: node.byte_range(), construct: construct.to_string() })
}
