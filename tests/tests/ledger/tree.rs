//! The source tree, as far as the ledger names places in it.

use babycuda_core::rules::{Item, Test};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The files of the repository, as far as they are asked for.
#[derive(Default)]
pub struct Tree {
    files: BTreeMap<&'static str, Option<String>>,
}

impl Tree {
    /// The text of a file.
    pub fn read(&mut self, file: &'static str) -> Option<&str> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let text =
            self.files.entry(file).or_insert_with(|| fs::read_to_string(root.join(file)).ok());
        text.as_deref()
    }

    /// What is wrong with a reference to an item.
    pub fn item(&mut self, item: Item) -> Option<String> {
        match self.read(item.file) {
            None => Some(format!("there is no file {}", item.file)),
            Some(text) if !has_word(text, item.text) => {
                Some(format!("{} does not contain {}", item.file, item.text))
            }
            Some(_) => None,
        }
    }

    /// What is wrong with a reference to a test.
    pub fn test(&mut self, test: Test) -> Option<String> {
        let Some(text) = self.read(test.file) else {
            return Some(format!("there is no file {}", test.file));
        };
        let found = text.find(&format!("fn {}()", test.name)).is_some_and(|at| {
            // The attribute stands between the previous item and the function.
            let before = &text[..at];
            before[before.rfind('}').unwrap_or(0)..].contains("#[test]")
        });
        (!found).then(|| format!("{} has no test {}", test.file, test.name))
    }
}

/// Does `text` contain `word`, not as a part of a longer word?
fn has_word(text: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        !before.is_some_and(part) && !after.is_some_and(part)
    })
}
