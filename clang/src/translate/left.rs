//! Statements that clang leaves out of its document: those that use a declaration which it rejects. It says nothing of
//! them, but their text stands in a block between the statements that it has.

use super::Translator;
use crate::document::Node;

impl Translator<'_> {
    /// What stands in a block of the file and is in none of its statements.
    pub(super) fn left_out(&self, block: &Node) -> Option<String> {
        if &*block.kind != "CompoundStmt" || block.place.iter().any(|place| place.spelled.is_some())
        {
            return None;
        }
        let [open, close] = block.place.each_ref().map(|place| place.token.as_ref());
        let (open, close) = (open?, close?);
        let text = self.source.text_of(&open.file).filter(|_| open.file == close.file)?;
        let mut at = open.end;
        for part in block.parts() {
            let [begin, end] = part.place.each_ref().map(|place| place.token.as_ref());
            let (begin, end) = (begin?, end?);
            // What another file or a macro makes of several statements has no place of its own.
            if begin.file != open.file || end.file != open.file {
                return None;
            }
            if let Some(word) =
                text.get(at..begin.start).and_then(|gap| self.statement_in(gap, text))
            {
                return Some(word);
            }
            at = at.max(end.end);
            // A macro has its arguments behind its name.
            if part.place[1].spelled.is_some() {
                at += arguments(text.get(at..)?);
            }
        }
        text.get(at..close.start).and_then(|gap| self.statement_in(gap, text))
    }

    /// The first word in a text that belongs to no statement and is none of the preprocessor's.
    fn statement_in(&self, gap: &str, text: &str) -> Option<String> {
        let mut rest = gap;
        while let Some(c) = rest.chars().next() {
            let skip = |found: Option<usize>, more: usize| found.map_or(rest.len(), |at| at + more);
            let length = if rest.starts_with("//") || c == '#' {
                skip(line_end(rest), 0)
            } else if rest.starts_with("/*") {
                skip(rest.find("*/"), 2)
            } else if c.is_alphabetic() || c == '_' {
                let end = skip(rest.find(|c: char| !(c.is_alphanumeric() || c == '_')), 0);
                let word = &rest[..end];
                if !is_macro(word, text) && !word.starts_with("__attribute") {
                    return Some(word.to_owned());
                }
                end + arguments(&rest[end..])
            } else {
                c.len_utf8()
            };
            rest = rest.get(length..).unwrap_or_default();
        }
        None
    }
}

/// The end of a line, or of the last of several that go on.
fn line_end(text: &str) -> Option<usize> {
    let mut from = 0;
    loop {
        let end = from + text[from..].find('\n')?;
        if !text[..end].trim_end_matches('\r').ends_with('\\') {
            return Some(end);
        }
        from = end + 1;
    }
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
