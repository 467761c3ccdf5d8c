//! Files that are none: no text, or cut off.

use crate::error::FrontendError;
use crate::preprocess::Expanded;
use crate::preprocess::token::{Kind, Token, primary, tokens};
use babycuda_core::Span;
use std::ops::Range;
use tree_sitter::Tree;

fn broken(
    source: &str,
    place: Range<usize>,
    message: impl Into<String>,
) -> Result<(), FrontendError> {
    Err(FrontendError::Broken { span: Span::locate(source, place), message: message.into() })
}

/// Is it a text?
///
/// # Errors
/// [`FrontendError::Broken`] with the place of what is none.
pub(crate) fn is_text(source: &str) -> Result<(), FrontendError> {
    match source.find('\0') {
        Some(at) => broken(source, at..at + 1, "this is no text: it has a character of code 0"),
        None => Ok(()),
    }
}

/// Does what is begun in a text end in it?
///
/// # Errors
/// [`FrontendError::Broken`] with the place of what does not end.
pub(crate) fn is_whole(
    source: &str,
    expanded: &Expanded,
    tree: &Tree,
) -> Result<(), FrontendError> {
    if let Some(comment) = open_comment(source) {
        return broken(source, comment, "a comment that does not end");
    }
    // Where a conditional is open, a bracket may stand in a branch that is not read. Without an error, all are closed.
    if !expanded.doubts.is_empty() || !tree.root_node().has_error() {
        return Ok(());
    }
    match open_bracket(&tokens(&expanded.text)) {
        None => Ok(()),
        Some(token) => {
            let place = expanded.map.original(&token.range);
            broken(
                source,
                place,
                format!("a `{}` that is not closed before the file ends", token.text),
            )
        }
    }
}

/// A comment at the end of the text that does not end.
fn open_comment(source: &str) -> Option<Range<usize>> {
    // What ends after the last place where one may begin ends all. Where lines are joined, that place may be spelt otherwise.
    if !source.contains('\\') {
        let last = source.rfind("/*")?;
        if source[last + 2..].contains("*/") {
            return None;
        }
    }
    let all = tokens(source);
    let last = all.iter().rev().find(|token| token.kind != Kind::End)?;
    let start = last.text.find("/*").filter(|_| last.kind == Kind::Space)?;
    let text = &last.text[start..];
    let ends = text.len() >= 4 && text.ends_with("*/");
    // Lines of it may be joined: the place is that of the last one that begins so.
    let at = source[..last.range.end].rfind("/*").filter(|at| *at >= last.range.start);
    (!ends).then(|| at.unwrap_or(last.range.start)).map(|at| at..at + 2)
}

/// The outermost bracket that nothing closes. A closing bracket of another kind is an error of its own.
fn open_bracket(all: &[Token]) -> Option<&Token> {
    let mut open: Vec<&Token> = Vec::new();
    for token in all.iter().filter(|token| token.kind == Kind::Punctuator) {
        let closes = |opening: &str| open.last().is_some_and(|o| o.is(opening));
        match primary(&token.text) {
            "{" | "(" | "[" => open.push(token),
            "}" if closes("{") => drop(open.pop()),
            ")" if closes("(") => drop(open.pop()),
            "]" if closes("[") => drop(open.pop()),
            "}" | ")" | "]" => return None,
            _ => {}
        }
    }
    open.first().copied()
}
