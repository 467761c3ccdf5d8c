//! What a mutant is.

use babycuda_core::rules;

/// A small wrong change of one place of the source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mutant {
    /// What is wrong, in English. No two mutants of a file have one name.
    pub name: &'static str,
    /// What it breaks: a rule of the ledger, by its id; or a definition, or an algorithm that is no
    /// judgment, by a name without `/`.
    pub breaks: &'static str,
    /// The file, from the repository's root.
    pub file: &'static str,
    /// A text that occurs exactly once in the file, so that a mutant cannot go stale unnoticed. The
    /// part between `«` and `»` is replaced: an expression, or statements that end in a semicolon;
    /// any text where the file is no Rust.
    pub place: &'static str,
    /// What replaces it: an expression of the same type, or statements.
    pub to: &'static str,
}

impl Mutant {
    /// The rule that it breaks, if it is one of the ledger.
    pub fn rule(&self) -> Option<&'static rules::Rule> {
        rules::find(self.breaks)
    }

    /// Is it one of a text that a device compiles?
    pub(crate) fn is_text(&self) -> bool {
        !self.file.ends_with(".rs")
    }

    /// The text before the part that is replaced, that part, and the text after it.
    pub fn parts(&self) -> Option<(&'static str, &'static str, &'static str)> {
        let (before, rest) = self.place.split_once('«')?;
        let (from, after) = rest.split_once('»')?;
        Some((before, from, after))
    }
}
