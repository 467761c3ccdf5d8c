//! What can be wrong with a text.

use crate::site::Span;
use crate::syntax::MAX_BOUND;
use std::fmt;

/// A text that is not in the language: what is wrong, where, and the line it stands in.
///
/// `Display` shows all of it, with a caret, over several lines.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseError {
    /// What is wrong.
    pub kind: ParseErrorKind,
    /// Where.
    pub span: Span,
    /// The line in which it starts.
    excerpt: Box<str>,
}

/// A text that spells none of the values asked for.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{text}` is {wrong}")]
pub struct Misspelled {
    text: String,
    wrong: &'static str,
}

impl Misspelled {
    /// The `text`, and what it is instead, as `not a cell`.
    pub fn new(text: impl Into<String>, wrong: &'static str) -> Misspelled {
        Misspelled { text: text.into(), wrong }
    }
}

/// What is wrong with a text.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ParseErrorKind {
    /// Something else was expected here.
    #[error("expected {}, found {found}", one_of(expected))]
    #[allow(missing_docs)]
    Unexpected { found: String, expected: Vec<String> },
    /// No token starts with this character.
    #[error("unexpected character {0:?}")]
    Character(char),
    /// A comment that does not end.
    #[error("this comment does not end")]
    OpenComment,
    /// A quoted name or text that does not end in its line, or has an unknown escape.
    #[error("this quotation does not end in its line, or has an unknown escape")]
    OpenQuote,
    /// A number with letters in it, or with too many digits.
    #[error("not a number, or one of more than {limit} digits", limit = MAX_DIGITS)]
    Number,
    /// Parentheses, braces and operators nest too deeply.
    #[error("nested more than {limit} deep", limit = MAX_DEPTH)]
    TooDeep,
    /// A condition where a number should stand.
    #[error("expected a number, found a condition")]
    NotANumber,
    /// A number where a condition should stand.
    #[error("expected a condition, found a number")]
    NotACondition,
    /// A declaration that may be given once is given again.
    #[error("{0} is declared twice")]
    Twice(String),
    /// An extent of a block or a grid beyond 2^32 - 1.
    #[error("an extent is at most 4294967295")]
    Extent,
    /// All numbers of a text together have too many digits.
    #[error("the numbers of this text have more than {limit} digits", limit = MAX_ALL_DIGITS)]
    Digits,
    /// An assumption with too many variables and reads.
    #[error("an assumption of more than {MAX_BOUND} variables and reads")]
    LongAssumption,
    /// The text is too long.
    #[error("a text of more than {limit} words, numbers and symbols", limit = MAX_TOKENS)]
    TooLong,
}

/// How deep parentheses, braces and prefix operators may nest. Sequences, `let` chains and chains
/// of one operator are flat in the text and may be of any length.
pub const MAX_DEPTH: usize = 10_000;

/// How many digits a literal may have.
pub const MAX_DIGITS: usize = 65_536;

/// How many digits all literals of a text may have together: their product has as many, and
/// numbers that long are multiplied in moderate time.
pub const MAX_ALL_DIGITS: usize = 2_000_000;

/// How many words, numbers and symbols a text may have.
pub const MAX_TOKENS: usize = 2_000_000;

impl ParseError {
    /// An error at `span` of `text`.
    pub(super) fn new(kind: ParseErrorKind, text: &str, span: Span) -> ParseError {
        let start = text[..span.start].rfind('\n').map_or(0, |at| at + 1);
        let line = text[start..].lines().next().unwrap_or("");
        ParseError { kind, span, excerpt: line.into() }
    }

    /// The line in which the error starts.
    pub fn excerpt(&self) -> &str {
        &self.excerpt
    }

    /// A hint for mistakes that are often made.
    fn help(&self) -> Option<&'static str> {
        let ParseErrorKind::Unexpected { found, expected } = &self.kind else {
            return None;
        };
        let wants = |what: &str| expected.iter().any(|e| e == what);
        match found.as_str() {
            "`=`" if wants("`:=`") => Some("a store is written `A[n] := m`"),
            "`for`" => Some("a loop is written `forU x in n..m { … }` or `forS x in n..m { … }`"),
            _ if wants("an array access `A[n]` or `atomic`") => {
                Some("`let` reads an array; write any other expression where its value is used")
            }
            _ => None,
        }
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// Longer lines are shown around the error only.
        const WIDTH: usize = 120;
        let column = self.span.column as usize - 1;
        let skipped = if column < WIDTH { 0 } else { column - WIDTH / 2 };
        let shown: String = self
            .excerpt
            .chars()
            .skip(skipped)
            .take(WIDTH)
            .map(|c| if c.is_control() { ' ' } else { c })
            .collect();
        let room = shown.chars().count().saturating_sub(column - skipped);
        let carets = (self.span.end - self.span.start).clamp(1, room.max(1));
        let number = self.span.line.to_string();
        let margin = " ".repeat(number.len());
        writeln!(f, "error: {}", self.kind)?;
        writeln!(f, "{margin}--> {}:{}", self.span.line, self.span.column)?;
        writeln!(f, "{margin} |")?;
        writeln!(f, "{number} | {shown}")?;
        write!(f, "{margin} | {}{}", " ".repeat(column - skipped), "^".repeat(carets))?;
        match self.help() {
            Some(help) => write!(f, "\n{margin} = help: {help}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for ParseError {}

/// `a`, `a or b`, `a, b or c`.
fn one_of(alternatives: &[String]) -> String {
    match alternatives {
        [] => String::from("nothing"),
        [one] => one.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}
