//! The terms of the calculus in the text of the oracle. Here: words, numbers and names.

mod expressions;
mod histories;
mod programs;

use super::request::Uncovered;
use babycuda_core::{Cell, Name, Natural};
use std::fmt::Write;

type Written = Result<(), Uncovered>;

/// Writes terms about one array.
pub(super) struct Writer<'a> {
    pub array: &'a Name,
    pub text: String,
}

impl Writer<'_> {
    /// ` text`, or `text` after an opening parenthesis.
    fn word(&mut self, word: impl std::fmt::Display) -> Written {
        if !self.text.is_empty() && !self.text.ends_with('(') {
            self.text.push(' ');
        }
        // Proof: writing to a string does not fail.
        let _ = write!(self.text, "{word}");
        Ok(())
    }

    /// `(…)`
    pub(super) fn list(&mut self, contents: impl FnOnce(&mut Self) -> Written) -> Written {
        self.word('(')?;
        contents(self)?;
        self.text.push(')');
        Ok(())
    }

    /// `(head …)`
    pub(super) fn node(&mut self, head: &str, parts: impl FnOnce(&mut Self) -> Written) -> Written {
        self.list(|this| {
            this.word(head)?;
            parts(this)
        })
    }

    pub(super) fn number(&mut self, k: impl Into<Natural>) -> Written {
        self.word(k.into())
    }

    pub(super) fn name(&mut self, x: &Name) -> Written {
        let escaped = x.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
        self.word(format_args!("\"{escaped}\""))
    }

    pub(super) fn names(&mut self, names: &[Name]) -> Written {
        self.list(|this| names.iter().try_for_each(|x| this.name(x)))
    }

    /// `{0, …, n-1}`
    pub(super) fn threads(&mut self, n: u32) -> Written {
        self.list(|this| (0..n).try_for_each(|i| this.number(i)))
    }

    fn of_array(&self, array: &Name) -> Written {
        if array == self.array { Ok(()) } else { Err(Uncovered::Array(array.clone())) }
    }

    pub(super) fn cell(&mut self, cell: &Cell) -> Written {
        self.of_array(&cell.array)?;
        self.word(&cell.index)
    }
}
