//! From characters to tokens.

use super::error::{MAX_ALL_DIGITS, MAX_DIGITS, MAX_TOKENS, ParseError, ParseErrorKind};
use super::token::{Symbol, Token, TokenKind, continues_identifier, identifier_length};
use crate::site::Span;
use num_bigint::BigUint;

/// The tokens of `text`; the last is [`TokenKind::End`].
pub(super) fn tokens(text: &str) -> Result<Vec<Token<'_>>, ParseError> {
    let mut lexer = Lexer { text, at: Place::START, digits: 0 };
    let mut tokens = Vec::new();
    loop {
        lexer.skip_blanks()?;
        let start = lexer.at;
        let kind = lexer.token()?;
        let end = kind == TokenKind::End;
        tokens.push(Token { kind, span: lexer.span_from(start) });
        if end {
            return Ok(tokens);
        }
        if tokens.len() >= MAX_TOKENS {
            return Err(lexer.error(ParseErrorKind::TooLong, start));
        }
    }
}

/// A position in the text.
#[derive(Clone, Copy)]
struct Place {
    byte: usize,
    line: u32,
    column: u32,
}

impl Place {
    const START: Place = Place { byte: 0, line: 1, column: 1 };
}

struct Lexer<'a> {
    text: &'a str,
    at: Place,
    /// How many digits the numbers so far had.
    digits: usize,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at.byte..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Moves past `length` bytes, which end at a character boundary.
    fn advance(&mut self, length: usize) -> &'a str {
        let passed = &self.rest()[..length];
        for c in passed.chars() {
            if c == '\n' {
                self.at.line = self.at.line.saturating_add(1);
                self.at.column = 1;
            } else {
                self.at.column = self.at.column.saturating_add(1);
            }
        }
        self.at.byte += length;
        passed
    }

    fn span_from(&self, start: Place) -> Span {
        Span { start: start.byte, end: self.at.byte, line: start.line, column: start.column }
    }

    fn error(&self, kind: ParseErrorKind, start: Place) -> ParseError {
        ParseError::new(kind, self.text, self.span_from(start))
    }

    /// Moves past white space and comments.
    fn skip_blanks(&mut self) -> Result<(), ParseError> {
        loop {
            let rest = self.rest();
            let blanks = rest.len() - rest.trim_start_matches(is_blank).len();
            if blanks > 0 {
                self.advance(blanks);
            } else if rest.starts_with("//") {
                self.advance(rest.find('\n').unwrap_or(rest.len()));
            } else if let Some(comment) = rest.strip_prefix("/*") {
                let start = self.at;
                match comment.find("*/") {
                    Some(length) => {
                        self.advance(length + 4);
                    }
                    None => {
                        self.advance(2);
                        return Err(self.error(ParseErrorKind::OpenComment, start));
                    }
                }
            } else {
                return Ok(());
            }
        }
    }

    fn token(&mut self) -> Result<TokenKind<'a>, ParseError> {
        let start = self.at;
        let Some(first) = self.peek() else {
            return Ok(TokenKind::End);
        };
        if first.is_ascii_digit() {
            return self.number();
        }
        let length = identifier_length(self.rest());
        if length > 0 {
            return Ok(TokenKind::Word(self.advance(length)));
        }
        if first == '`' {
            return self.quoted('`').map(TokenKind::Quoted);
        }
        if first == '"' {
            return self.quoted('"').map(TokenKind::Text);
        }
        match Symbol::starting(self.rest()) {
            Some((symbol, length)) => {
                self.advance(length);
                Ok(TokenKind::Symbol(symbol))
            }
            None => {
                self.advance(first.len_utf8());
                Err(self.error(ParseErrorKind::Character(first), start))
            }
        }
    }

    /// Decimal or, after `0x`, hexadecimal digits.
    fn number(&mut self) -> Result<TokenKind<'a>, ParseError> {
        let start = self.at;
        let rest = self.rest();
        let length = rest.find(|c| !continues_identifier(c)).unwrap_or(rest.len());
        let spelling = self.advance(length);
        let (digits, radix) = match spelling.strip_prefix("0x") {
            Some(digits) => (digits, 16),
            None => (spelling, 10),
        };
        // `_` between digits is read by `parse_bytes`, but is not of the language.
        let plain = digits.len() <= MAX_DIGITS && digits.chars().all(|c| c.is_digit(radix));
        self.digits = self.digits.saturating_add(digits.len());
        if self.digits > MAX_ALL_DIGITS {
            return Err(self.error(ParseErrorKind::Digits, start));
        }
        match plain.then(|| BigUint::parse_bytes(digits.as_bytes(), radix)).flatten() {
            Some(value) => Ok(TokenKind::Number(value.into())),
            None => Err(self.error(ParseErrorKind::Number, start)),
        }
    }

    /// What stands between two `quote`s of one line; `\n`, `\t`, `\r`, `\0`, `\\` and the escaped
    /// quote mean what they mean in C.
    fn quoted(&mut self, quote: char) -> Result<String, ParseError> {
        let start = self.at;
        let mut content = String::new();
        self.advance(quote.len_utf8());
        loop {
            let c = match self.peek() {
                Some(c) if c != '\n' => c,
                _ => return Err(self.error(ParseErrorKind::OpenQuote, start)),
            };
            self.advance(c.len_utf8());
            if c == quote {
                return Ok(content);
            }
            if c != '\\' {
                content.push(c);
                continue;
            }
            let escaped = self.peek();
            self.advance(escaped.map_or(0, char::len_utf8));
            content.push(match escaped {
                Some('n') => '\n',
                Some('t') => '\t',
                Some('r') => '\r',
                Some('0') => '\0',
                Some(c) if c == quote || c == '\\' => c,
                _ => return Err(self.error(ParseErrorKind::OpenQuote, start)),
            });
        }
    }
}

/// White space, and the byte order mark that some editors write.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == '\u{feff}'
}
