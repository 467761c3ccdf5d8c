//! Statements that clang leaves out of its document: those that use a declaration which it rejects. It says nothing of
//! them, but their text stands in a block between the statements that it has.

use super::Translator;
use super::dropped::{is_word, tokens, without_directives};
use crate::document::Node;

impl Translator<'_> {
    /// The first word that stands in a block of the file and in none of its statements, if clang rejects anything of the file.
    pub(super) fn left_out(&self, block: &Node) -> Option<String> {
        let written = block.place.iter().all(|place| place.spelled.is_none());
        if self.errors.is_empty() || &*block.kind != "CompoundStmt" || !written {
            return None;
        }
        let [open, close] = block.place.each_ref().map(|place| place.token.as_ref());
        let (open, close) = (open?, close?);
        let text = self.source.text_of(&open.file).filter(|_| open.file == close.file)?;
        let mut at = open.end;
        for part in block.parts() {
            let [begin, end] = part.place.each_ref().map(|place| place.token.as_ref());
            let (begin, end) = (begin?, end?);
            // Of what another file makes, the directive stands here.
            if begin.file != open.file || end.file != open.file {
                continue;
            }
            // Several statements of one macro have one place.
            let between = text.get(at..begin.start).unwrap_or_default();
            if let Some(word) = statement_in(between, text) {
                return Some(word);
            }
            at = at.max(end.end);
            // A macro has its arguments behind its name.
            if part.place[1].spelled.is_some() {
                at += arguments(text.get(at..)?);
            }
        }
        statement_in(text.get(at..close.start)?, text)
    }
}

/// The first word of a part of a text that is no macro of it, nor what one is given.
fn statement_in(part: &str, text: &str) -> Option<String> {
    let (mut depth, mut of_macro) = (0usize, false);
    for token in tokens(&without_directives(part.lines())) {
        match &*token {
            "(" if depth > 0 || of_macro => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            word if depth == 0 && is_word(word) && !is_macro(word, text) => return Some(token),
            _ => {}
        }
        of_macro = is_word(&token);
    }
    None
}

/// How long the parentheses are with which a text begins, behind blanks.
fn arguments(text: &str) -> usize {
    let blanks = text.len() - text.trim_start().len();
    let mut depth = 0;
    for (at, c) in text[blanks..].char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return if at == 0 { 0 } else { blanks + at + 1 };
        }
    }
    0
}

/// Does the text define a macro of this name?
fn is_macro(word: &str, text: &str) -> bool {
    text.lines().any(|line| {
        let directive = line.trim_start().strip_prefix('#').map(str::trim_start);
        let rest = directive.and_then(|line| line.strip_prefix("define")).map(str::trim_start);
        let rest = rest.and_then(|rest| rest.strip_prefix(word));
        rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
    })
}
