//! Suggestions as JSON.

use babycuda::repair;
use serde::{Deserialize, Serialize};

/// A suggestion: all its edits together.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Fix {
    /// What to do, in words.
    pub title: String,
    /// The edits, from the first place to the last. No two touch.
    pub edits: Vec<Edit>,
}

/// A part of the file, and what is to stand there.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Edit {
    /// Where the part begins.
    pub start: Position,
    /// Where it ends; where it begins, if the text is inserted.
    pub end: Position,
    /// The new text.
    pub text: String,
}

/// A place in the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Position {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// Bytes of UTF-8 before it.
    pub offset: usize,
}

impl From<&repair::Fix> for Fix {
    fn from(fix: &repair::Fix) -> Fix {
        let edit = |edit: &repair::Edit| {
            let (span, (line, column)) = (edit.span, edit.end);
            Edit {
                start: Position { line: span.line, column: span.column, offset: span.start },
                end: Position { line, column, offset: span.end },
                text: edit.text.clone(),
            }
        };
        Fix { title: fix.title.clone(), edits: fix.edits.iter().map(edit).collect() }
    }
}
