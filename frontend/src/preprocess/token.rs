//! Splitting C text into preprocessing tokens.

use std::ops::Range;

/// What a token is, as far as the preprocessor cares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// A name.
    Identifier,
    /// A preprocessing number: `0x1F`, `1.5e-3f`.
    Number,
    /// A string or character literal.
    Literal,
    /// Blanks and comments without a line end.
    Space,
    /// The end of a line.
    NewLine,
    /// Any other character.
    Punctuator,
}

/// A token: its kind and where it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) range: Range<usize>,
}

/// Two-character operators that the preprocessor's expressions use.
const PAIRS: [&str; 10] = ["&&", "||", "==", "!=", "<=", ">=", "<<", ">>", "##", "->"];

/// The tokens of `text`, which cover it without gaps. Every text has some: what is unfinished
/// (a comment, a literal) ends with the text or, for literals, with the line.
pub(crate) fn tokens(text: &str) -> Vec<Token> {
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let (kind, len) = if first == '\n' {
            (Kind::NewLine, 1)
        } else if rest.starts_with("\\\n") {
            (Kind::Space, 2)
        } else if rest.starts_with("\\\r\n") {
            (Kind::Space, 3)
        } else if first.is_whitespace() {
            (Kind::Space, first.len_utf8())
        } else if rest.starts_with("//") {
            (Kind::Space, rest.find('\n').unwrap_or(rest.len()))
        } else if let Some(comment) = rest.strip_prefix("/*") {
            (Kind::Space, comment.find("*/").map_or(rest.len(), |n| n + 4))
        } else if first == '_' || first.is_alphabetic() {
            (Kind::Identifier, prefix(rest, |c| c == '_' || c.is_alphanumeric()))
        } else if first.is_ascii_digit()
            || (first == '.' && rest[1..].starts_with(|c: char| c.is_ascii_digit()))
        {
            (Kind::Number, number(rest))
        } else if first == '"' || first == '\'' {
            (Kind::Literal, literal(rest, first))
        } else if let Some(pair) = PAIRS.iter().find(|p| rest.starts_with(**p)) {
            (Kind::Punctuator, pair.len())
        } else {
            (Kind::Punctuator, first.len_utf8())
        };
        out.push(Token { kind, range: at..at + len });
        at += len;
    }
    out
}

/// The length of the longest prefix of characters that satisfy `accept`.
fn prefix(text: &str, accept: impl Fn(char) -> bool) -> usize {
    text.find(|c| !accept(c)).unwrap_or(text.len())
}

/// The length of the preprocessing number at the start of `text`.
fn number(text: &str) -> usize {
    let mut previous = ' ';
    for (at, c) in text.char_indices() {
        let exponent_sign = matches!(c, '+' | '-') && matches!(previous, 'e' | 'E' | 'p' | 'P');
        let hexadecimal = text.starts_with("0x") || text.starts_with("0X");
        let sign = exponent_sign && (!hexadecimal || matches!(previous, 'p' | 'P'));
        if !(c.is_alphanumeric() || matches!(c, '.' | '_' | '\'') || sign) {
            return at;
        }
        previous = c;
    }
    text.len()
}

/// The length of the literal at the start of `text`, which starts with `quote`.
fn literal(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '\n' => return at,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_cover_the_text() {
        let text = "a+=0x1Fu // c\n\"s\\\"t\" 'x' 1.5e-3f /* \n */ é ## \\\n..2";
        let tokens = tokens(text);
        let joined: String = tokens.iter().map(|t| &text[t.range.clone()]).collect();
        assert_eq!(joined, text);
        let numbers: Vec<&str> = tokens
            .iter()
            .filter(|t| t.kind == Kind::Number)
            .map(|t| &text[t.range.clone()])
            .collect();
        assert_eq!(numbers, ["0x1Fu", "1.5e-3f", ".2"]);
    }
}
