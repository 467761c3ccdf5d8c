//! Which mutant is on. This module becomes part of every mutated crate.

use std::sync::LazyLock;

/// The environment variable that holds the number of the mutant, from 1; none: the original.
pub const VARIABLE: &str = "BABYCUDA_MUTANT";

/// Is this mutant on? It stays so as long as the process runs.
pub fn is(number: usize) -> bool {
    static ON: LazyLock<Option<usize>> =
        LazyLock::new(|| std::env::var(VARIABLE).ok()?.parse().ok());
    *ON == Some(number)
}

/// A mutant of a file that is no Rust: its number, the text of the file, the place in it, and what
/// the place becomes.
pub type Text = (usize, &'static str, &'static str, &'static str);

/// A text that a device will compile, with the mutant that is on, where it has the mutant's file
/// in it.
pub fn text(original: impl AsRef<str>, mutants: &[Text]) -> String {
    let original = original.as_ref();
    match mutants.iter().find(|(number, ..)| is(*number)) {
        Some((_, file, from, to)) => original.replacen(file, &file.replacen(from, to, 1), 1),
        None => original.to_owned(),
    }
}
