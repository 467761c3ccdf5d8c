//! Versioned JSON documents of what the crates exchange, for tools in other languages.
//!
//! ```
//! use babycuda_core::json::{from_json, to_json};
//! use babycuda_core::parse::parse_stmt;
//! use babycuda_core::Stmt;
//!
//! let text = to_json(&parse_stmt("A[tid] := 1")?)?;
//! assert_eq!(
//!     text,
//!     r#"{"format":"babycuda/statement","version":1,"content":{"write":{"site":0,"array":"A","index":{"var":"tid"},"payload":{"lit":1}}}}"#
//! );
//! let back: Stmt = from_json(&text)?;
//! assert_eq!(back.to_string(), "A[tid] := 1");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Naturals below 2^53 are numbers, others decimal strings; operators are spelt as in programs.
//! The schemas are in the folder `schemas` of the repository.

mod strict;

use crate::history::History;
use crate::syntax::{MapFile, Program, Protocol, Stmt};
use crate::trace::Trace;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};

/// The version of all formats of this crate. It changes when an old reader would misread a new
/// document. A new optional field does not change it: an old reader refuses a document that has it.
pub const VERSION: u32 = 1;

/// How deep documents may nest.
pub const DEEPEST: usize = 250_000;

/// A value that has a document of its own.
pub trait Format: Serialize + DeserializeOwned {
    /// The name of the format: `babycuda/` and what it contains.
    const NAME: &'static str;
    /// The version of the format.
    const VERSION: u32 = VERSION;
    /// May documents nest up to [`DEEPEST`]? Only where reading them recurses safely. Others may
    /// nest 128 deep.
    const DEEP: bool = false;
}

macro_rules! formats {
    ($($content:ty = $name:literal $(, deep = $deep:literal)?;)*) => {
        $(impl Format for $content {
            const NAME: &'static str = concat!("babycuda/", $name);
            $(const DEEP: bool = $deep;)?
        })*

        /// The names of the formats of this crate, without `babycuda/`.
        pub const FORMATS: &[&str] = &[$($name),*];

        /// The schema of every format's document, with its name from [`FORMATS`].
        #[cfg(feature = "schema")]
        pub fn schemas() -> Vec<(&'static str, schemars::Schema)> {
            vec![$(($name, schema::<$content>())),*]
        }
    };
}

formats! {
    Program = "program", deep = true;
    Stmt = "statement", deep = true;
    Protocol = "protocol", deep = true;
    MapFile = "map", deep = true;
    History = "history";
    Trace = "trace";
}

/// Why a text is no document of the format asked for.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JsonError {
    /// Not JSON, or not of the format's shape: with line and column.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// The same, with the place in the document: a JSON pointer.
    #[error("{place}: {error}")]
    #[allow(missing_docs)]
    Place { place: String, error: serde_json::Error },
    /// A document of another format.
    #[error("a document of format `{found}`, not `{expected}`")]
    #[allow(missing_docs)]
    Format { found: String, expected: &'static str },
    /// A version that this crate does not read.
    #[error("version {found}, where only version {expected} is read")]
    #[allow(missing_docs)]
    Version { found: u32, expected: u32 },
}

/// A document.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Document<F, T> {
    format: F,
    version: u32,
    content: T,
}

/// The document of `content`, on one line.
///
/// # Errors
/// [`JsonError::Json`]; not for the formats of this crate.
pub fn to_json<T: Format>(content: &T) -> Result<String, JsonError> {
    let document = Document { format: T::NAME, version: T::VERSION, content };
    Ok(serde_json::to_string(&document)?)
}

/// The format that a document names; nothing else of it is read.
///
/// # Errors
/// [`JsonError::Json`] when `text` is not JSON, or names no format and version.
pub fn format_of(text: &str) -> Result<String, JsonError> {
    Ok(head(text)?.format)
}

fn head(text: &str) -> Result<Document<String, IgnoredAny>, JsonError> {
    Ok(serde_json::from_str(text)?)
}

/// The content of a document, read to the letter: objects where objects belong, no key that is
/// unknown or stands twice, nothing deeper than [`DEEPEST`], and nothing behind it.
///
/// # Errors
/// [`JsonError`] when `text` is not a document of this format and version, with the place.
pub fn from_json<T: Format>(text: &str) -> Result<T, JsonError> {
    // First only the head: a document of another version may have any content.
    let head = head(text)?;
    if head.format != T::NAME {
        return Err(JsonError::Format { found: head.format, expected: T::NAME });
    }
    if head.version != T::VERSION {
        return Err(JsonError::Version { found: head.version, expected: T::VERSION });
    }
    let document: Document<String, T> = strict::read(text, T::DEEP)?;
    Ok(document.content)
}

/// The same of a document without a format, whose fields stand beside its `version`: what commands print.
///
/// # Errors
/// [`JsonError`] when `text` is not a document of this form and version, with the place.
pub fn from_printed<T: DeserializeOwned>(text: &str, version: u32) -> Result<T, JsonError> {
    #[derive(Deserialize)]
    struct Head {
        version: u32,
    }
    let Head { version: found } = serde_json::from_str(text)?;
    if found != version {
        return Err(JsonError::Version { found, expected: version });
    }
    strict::read(text, false)
}

/// The schema of the documents of a format.
#[cfg(feature = "schema")]
pub fn schema<T: Format + schemars::JsonSchema>() -> schemars::Schema {
    let mut schema = schemars::schema_for!(Document<String, T>);
    schema.insert("title".into(), T::NAME.into());
    if let Some(properties) = schema.get_mut("properties").and_then(|p| p.as_object_mut()) {
        properties.insert("format".into(), serde_json::json!({ "const": T::NAME }));
        properties.insert("version".into(), serde_json::json!({ "const": T::VERSION }));
    }
    schema
}
