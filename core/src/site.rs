//! Where things stand: program sites and source spans.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Range;

/// The identity of one statement node of a program or protocol: its number in pre-order.
///
/// A barrier's site is the `ℓ` of the run-to-barrier semantics (THEORY §4); an access keeps its
/// site on its way through typing and phases, so that a race can be traced to its source.
/// Copies made by substitution, unrolling or splitting keep the site of their original: two
/// barriers of one site are one barrier, so whoever writes programs gives each its own number.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Site(pub u32);

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}

/// A range of bytes of a source text, with the line and column of its start.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
    /// Line of the first byte, from 1.
    pub line: u32,
    /// Column of the first byte, in characters, from 1.
    pub column: u32,
}

impl Span {
    /// The span of `bytes` in `text`; positions past the end are moved to it.
    pub fn locate(text: &str, bytes: Range<usize>) -> Span {
        let clamp = |at: usize| (0..=at.min(text.len())).rev().find(|&i| text.is_char_boundary(i));
        let start = clamp(bytes.start).unwrap_or(0);
        let end = clamp(bytes.end).unwrap_or(0).max(start);
        let before = &text[..start];
        let line = before.bytes().filter(|&b| b == b'\n').count() + 1;
        let column = before.chars().rev().take_while(|&c| c != '\n').count() + 1;
        Span {
            start,
            end,
            line: u32::try_from(line).unwrap_or(u32::MAX),
            column: u32::try_from(column).unwrap_or(u32::MAX),
        }
    }

    /// The byte range.
    pub fn bytes(&self) -> Range<usize> {
        self.start..self.end
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}
