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

use crate::deep::grow;
use crate::history::History;
use crate::syntax::{MapFile, Program, Protocol, Stmt};
use crate::trace::Trace;
use crate::verdict::Verdict;
use serde::de::{DeserializeOwned, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// The version of all formats of this crate. It changes when an old reader would misread a new
/// document; a new optional field does not change it.
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
    Verdict = "verdict";
    Trace = "trace";
}

/// Why a text is no document of the format asked for.
#[derive(Debug, thiserror::Error)]
pub enum JsonError {
    /// Not JSON, or not of the format's shape: with line and column.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
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

/// The format that a document names.
///
/// # Errors
/// [`JsonError::Json`] when `text` is not JSON, names a key of an object twice, nests deeper than
/// [`DEEPEST`], or is not a document.
pub fn format_of(text: &str) -> Result<String, JsonError> {
    Ok(head(text, true)?.format)
}

fn head(text: &str, deep: bool) -> Result<Document<String, serde::de::IgnoredAny>, JsonError> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    deserializer.disable_recursion_limit();
    Strict { room: DEEPEST }.deserialize(&mut deserializer)?;
    Ok(parse(text, deep)?)
}

/// The content of a document.
///
/// # Errors
/// [`JsonError`] when `text` is not a document of this format and version.
pub fn from_json<T: Format>(text: &str) -> Result<T, JsonError> {
    // First only the head: a document of another version may have any content.
    let head = head(text, T::DEEP)?;
    if head.format != T::NAME {
        return Err(JsonError::Format { found: head.format, expected: T::NAME });
    }
    if head.version != T::VERSION {
        return Err(JsonError::Version { found: head.version, expected: T::VERSION });
    }
    let document: Document<serde::de::IgnoredAny, T> = parse(text, T::DEEP)?;
    Ok(document.content)
}

fn parse<T: DeserializeOwned>(text: &str, deep: bool) -> Result<T, serde_json::Error> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    if deep {
        deserializer.disable_recursion_limit();
    }
    let value = T::deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(value)
}

/// Any JSON that nests at most `room` deep and in which no object has a key twice: two readers
/// could take such an object for different things.
struct Strict {
    room: usize,
}

impl Strict {
    fn inside<E: serde::de::Error>(&self) -> Result<Strict, E> {
        let room = self.room.checked_sub(1);
        let deeper = || E::custom(format!("nested more than {DEEPEST} deep"));
        Ok(Strict { room: room.ok_or_else(deeper)? })
    }
}

impl<'de> DeserializeSeed<'de> for Strict {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        grow(|| deserializer.deserialize_any(self))
    }
}

impl<'de> Visitor<'de> for Strict {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(self.inside()?)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        let mut keys = HashSet::new();
        while let Some(key) = entries.next_key::<String>()? {
            if keys.contains(&key) {
                return Err(serde::de::Error::custom(format!("the key `{key}` stands twice")));
            }
            keys.insert(key);
            entries.next_value_seed(self.inside()?)?;
        }
        Ok(())
    }
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
