//! Kernels of CUDA and OpenCL C as typed trees, read by an installed clang: the second parser beside the
//! one of `babycuda-frontend`, with which it shares nothing but the trees.
//!
//! A program of Debian's `clang` (14 and later are known to do) is found at run time ([`Clang::find`]). It gets
//! declarations of ours for what CUDA provides, no toolkit, and writes its syntax tree as JSON, which
//! [`kernels`] reads. What clang has resolved (overloads, templates, methods, lambdas, conversions)
//! becomes functions and conversions of the [`Kernel`]. A construct that is not known is a node that says
//! so; what clang itself rejects makes the kernels that use it unreadable.
//!
//! It is a crate of its own because the front end is used where no process runs, in a browser, and so that
//! the two parsers, which are held against each other, cannot share an error.
//!
//! - A template is read once for each instance that the file launches or instantiates.
//! - Headers of the system and of CUDA that are not found are empty; what they declare is unknown.
//! - A function that returns a reference returns a pointer; a constructor returns the object.
//!
//! ```
//! use babycuda_clang::{Clang, ClangError, Language, Source};
//! use std::time::Duration;
//!
//! // A program that is not there, or is no clang, is an error that says so.
//! let missing = Clang::at("/nowhere/clang").expect_err("nothing is there");
//! assert!(matches!(&missing, ClangError::Unavailable(why) if why.contains("/nowhere/clang")));
//!
//! // The one that BABYCUDA_CLANG names, else `clang` on the path.
//! if let Ok(clang) = Clang::find() {
//!     let text = "__kernel void put(__global int *a) { a[get_global_id(0)] = 0; }";
//!     let (found, _) = clang.read(&Source::new(text, Language::OpenCl), Duration::from_secs(20))?;
//!     assert_eq!(found[0].name, "put");
//!     assert!(found[0].kernel.is_ok());
//! }
//! # Ok::<(), ClangError>(())
//! ```

mod diagnostics;
mod document;
mod folder;
mod index;
mod run;
mod translate;

pub use babycuda_kernel::Language;
pub use diagnostics::Unreadable;
pub use run::{Clang, Source};

use babycuda_core::Span;
use babycuda_kernel::Kernel;
use diagnostics::Diagnostic;
use document::Document;

/// A kernel of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// Its name, with the arguments of its template.
    pub name: String,
    /// Where it stands.
    pub span: Span,
    /// Its tree.
    pub kernel: Result<Kernel, Unreadable>,
}

/// A file that could not be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClangError {
    /// Clang is not there, or does not run.
    #[error("{0}")]
    Unavailable(String),
    /// It took too long, or wrote too much.
    #[error("clang {0}")]
    Limit(String),
    /// It rejects the file as a whole.
    #[error(transparent)]
    Source(Unreadable),
    /// It wrote a document that is none of its own.
    #[error("clang's document, {line}:{column}: {message}")]
    Document {
        /// Its line, from 1.
        line: usize,
        /// Its column, from 1.
        column: usize,
        /// What is wrong.
        message: String,
    },
}

/// The kernels of a document that clang wrote for `source`, with what it wrote to its standard error.
///
/// # Errors
/// [`ClangError::Document`] when it is no such document, [`ClangError::Source`] when the file cannot be
/// read.
pub fn kernels(
    document: &str,
    messages: &str,
    source: &Source<'_>,
) -> Result<Vec<Found>, ClangError> {
    let errors = Diagnostic::all(messages, source.text);
    if let Some(fatal) = errors.iter().find(|e| e.fatal) {
        return Err(ClangError::Source(fatal.unreadable(source.text, &[])));
    }
    let document = Document::read(document)?;
    translate::file(&document, &errors, source)
}
