//! Texts that are almost programs.

use crate::choices::Choices;

/// Words and characters that a parser treats specially.
const FRAGMENTS: [&str; 32] = [
    ";",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ":=",
    "..",
    "let ",
    " in ",
    "if ",
    " else ",
    "forU ",
    "forS ",
    "sync",
    "skip",
    "atomic ",
    "`",
    "\"",
    "\\",
    "/*",
    "*/",
    "//",
    "\n",
    "\u{feff}",
    "0x",
    "é",
    "∈",
    "≔",
    "99999999999999999999999",
    "\0",
];

/// `text` with a few characters removed, repeated, exchanged or inserted.
pub fn mutate_text(choices: &mut Choices<'_>, text: &str) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..1 + choices.below(4) {
        let at = choices.below(chars.len() + 1);
        let length = 1 + choices.below(6);
        let end = (at + length).min(chars.len());
        match choices.below(4) {
            0 => drop(chars.drain(at..end)),
            1 => {
                let copy: Vec<char> = chars[at..end].to_vec();
                chars.splice(at..at, copy);
            }
            2 => {
                let other = choices.below(chars.len().max(1));
                if at < chars.len() {
                    chars.swap(at, other);
                }
            }
            _ => {
                let fragment = *choices.pick(&FRAGMENTS);
                chars.splice(at..at, fragment.chars());
            }
        }
    }
    chars.into_iter().collect()
}
