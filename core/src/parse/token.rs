//! The words of the concrete syntax.

use super::operators::barrier_scope;
use crate::natural::Natural;
use crate::site::Span;
use std::fmt;

/// A token, with its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Token<'a> {
    pub kind: TokenKind<'a>,
    pub span: Span,
}

/// What a token is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum TokenKind<'a> {
    /// A keyword or an identifier, as spelt.
    Word(&'a str),
    /// An identifier between backquotes: never a keyword.
    Quoted(String),
    /// A literal.
    Number(Natural),
    /// A text between double quotes.
    Text(String),
    /// Punctuation or an operator.
    Symbol(Symbol),
    /// The end of the text.
    End,
}

impl fmt::Display for TokenKind<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TokenKind::Word(word) => write!(f, "`{word}`"),
            TokenKind::Quoted(name) => write!(f, "the name `{name}`"),
            TokenKind::Number(_) => f.write_str("a number"),
            TokenKind::Text(_) => f.write_str("a text"),
            TokenKind::Symbol(symbol) => write!(f, "`{}`", symbol.text()),
            TokenKind::End => f.write_str("the end of the text"),
        }
    }
}

macro_rules! symbols {
    ($($name:ident $text:literal $(| $also:literal)*;)*) => {
        /// Punctuation and operators; Unicode spellings stand beside the ASCII ones.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(super) enum Symbol { $($name),* }

        impl Symbol {
            /// The ASCII spelling.
            pub(super) fn text(self) -> &'static str {
                match self { $(Symbol::$name => $text),* }
            }

            /// The longest symbol at the start of `rest`, with its length in bytes.
            pub(super) fn starting(rest: &str) -> Option<(Symbol, usize)> {
                let all = [$((Symbol::$name, $text), $((Symbol::$name, $also),)*)*];
                all.into_iter()
                    .filter(|(_, text)| rest.starts_with(text))
                    .map(|(symbol, text)| (symbol, text.len()))
                    .max_by_key(|(_, length)| *length)
            }
        }
    };
}

symbols! {
    OpenParen "(";
    CloseParen ")";
    OpenBracket "[";
    CloseBracket "]";
    OpenBrace "{";
    CloseBrace "}";
    Comma ",";
    Semicolon ";";
    Colon ":";
    Assign ":=" | "≔";
    Range ".." | "…" | "‥";
    Equals "=";
    EqualEqual "==";
    NotEqual "!=" | "≠";
    Less "<";
    LessEqual "<=" | "≤";
    Greater ">";
    GreaterEqual ">=" | "≥";
    Plus "+";
    Minus "-" | "−" | "∸";
    Star "*" | "×" | "·";
    Slash "/" | "÷";
    Percent "%";
    And "&&" | "∧";
    Or "||" | "∨";
    Not "!" | "¬";
    In "∈";
}

/// Words that are no identifiers. All others, `block` and `min` say, have a meaning only where
/// no identifier can stand.
pub(crate) const KEYWORDS: [&str; 17] = [
    "skip",
    "sync",
    "if",
    "else",
    "for",
    "forU",
    "forS",
    "forᵁ",
    "forˢ",
    "let",
    "in",
    "atomic",
    "atomic.block",
    "atomic.device",
    "atomic.system",
    "true",
    "false",
];

/// Is the word none that may name something: a keyword, or a barrier such as `sync.tile4`?
pub(crate) fn is_keyword(word: &str) -> bool {
    KEYWORDS.contains(&word) || word.strip_prefix("sync.").and_then(barrier_scope).is_some()
}

/// May an identifier start with `c`?
pub(crate) fn starts_identifier(c: char) -> bool {
    c.is_alphabetic() || c == '_' || c == '$'
}

/// May an identifier go on with `c`?
pub(crate) fn continues_identifier(c: char) -> bool {
    starts_identifier(c) || c.is_ascii_digit() || c == '\''
}

/// The length in bytes of the identifier or keyword at the start of `text`, 0 when there is none.
/// A dot belongs to it when a letter follows: `threadIdx.x`, but not `x..M`.
pub(crate) fn identifier_length(text: &str) -> usize {
    let mut chars = text.char_indices().peekable();
    match chars.next() {
        Some((_, c)) if starts_identifier(c) => {}
        _ => return 0,
    }
    while let Some((at, c)) = chars.next() {
        let follows = chars.peek().is_some_and(|(_, next)| starts_identifier(*next));
        if !(continues_identifier(c) || c == '.' && follows) {
            return at;
        }
    }
    text.len()
}
