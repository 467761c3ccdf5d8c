//! Moving through the tokens.

use super::error::{MAX_DEPTH, ParseError, ParseErrorKind};
use super::lexer;
use super::operators::barrier_scope;
use super::token::{Symbol, Token, TokenKind, is_keyword};
use crate::deep::grow;
use crate::name::Name;
use crate::natural::Natural;
use crate::site::{Site, Span};
use crate::syntax::{BarrierScope, Bound};
use std::collections::BTreeMap;

/// A recursive-descent parser over the tokens of a text.
///
/// Functions named after a phrase parse it; functions named `eat_…` report whether their token
/// stood there and move past it if so.
pub(super) struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token<'a>>,
    at: usize,
    depth: usize,
    spans: BTreeMap<Site, Span>,
    /// What the assumption that is being parsed speaks of so far; `None`: expressions read nothing.
    pub(super) assumed: Option<Vec<Bound>>,
}

impl<'a> Parser<'a> {
    pub(super) fn new(text: &'a str) -> Result<Self, ParseError> {
        let tokens = lexer::tokens(text)?;
        Ok(Parser { text, tokens, at: 0, depth: 0, spans: BTreeMap::new(), assumed: None })
    }

    /// Parses all of `text` as one phrase; its spans come with it.
    pub(super) fn whole<T>(
        text: &'a str,
        phrase: impl FnOnce(&mut Self) -> Result<T, ParseError>,
    ) -> Result<(T, BTreeMap<Site, Span>), ParseError> {
        let mut parser = Parser::new(text)?;
        let result = phrase(&mut parser)?;
        if *parser.peek() != TokenKind::End {
            return Err(parser.expected(&["the end of the text"]));
        }
        Ok((result, parser.spans))
    }

    /// The next token. The list ends with `End`, which is never passed.
    pub(super) fn peek(&self) -> &TokenKind<'a> {
        self.tokens.get(self.at).map_or(&TokenKind::End, |t| &t.kind)
    }

    /// The token after the next one.
    pub(super) fn peek_second(&self) -> &TokenKind<'a> {
        self.tokens.get(self.at + 1).map_or(&TokenKind::End, |t| &t.kind)
    }

    /// The span of the next token.
    pub(super) fn here(&self) -> Span {
        let end = self.text.len();
        self.tokens.get(self.at).map_or_else(|| Span::locate(self.text, end..end), |t| t.span)
    }

    /// From the start of `start` to the end of the last token passed.
    pub(super) fn since(&self, start: Span) -> Span {
        let last = self.at.checked_sub(1).and_then(|at| self.tokens.get(at));
        Span { end: last.map_or(start.end, |t| t.span.end.max(start.end)), ..start }
    }

    /// The source text of a span.
    pub(super) fn text_of(&self, span: Span) -> &'a str {
        &self.text[span.bytes()]
    }

    pub(super) fn advance(&mut self) {
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
    }

    pub(super) fn error(&self, kind: ParseErrorKind, span: Span) -> ParseError {
        ParseError::new(kind, self.text, span)
    }

    /// The error that something else should stand here.
    pub(super) fn expected(&self, alternatives: &[&str]) -> ParseError {
        let kind = ParseErrorKind::Unexpected {
            found: self.peek().to_string(),
            expected: alternatives.iter().map(|&a| a.to_owned()).collect(),
        };
        self.error(kind, self.here())
    }

    pub(super) fn at_symbol(&self, symbol: Symbol) -> bool {
        *self.peek() == TokenKind::Symbol(symbol)
    }

    pub(super) fn eat(&mut self, symbol: Symbol) -> bool {
        let found = self.at_symbol(symbol);
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn expect(&mut self, symbol: Symbol) -> Result<(), ParseError> {
        if self.eat(symbol) {
            Ok(())
        } else {
            Err(self.expected(&[&format!("`{}`", symbol.text())]))
        }
    }

    pub(super) fn at_word(&self, word: &str) -> bool {
        *self.peek() == TokenKind::Word(word)
    }

    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        if found {
            self.advance();
        }
        found
    }

    /// The next token, when it is a word, keyword or not.
    pub(super) fn word(&self) -> Option<&'a str> {
        match self.peek() {
            TokenKind::Word(word) => Some(word),
            _ => None,
        }
    }

    /// `sync`, `sync.warp`, …, if it stands here.
    pub(super) fn eat_sync(&mut self) -> Option<BarrierScope> {
        let scope = match self.word()? {
            "sync" => BarrierScope::Block,
            word => barrier_scope(word.strip_prefix("sync.")?)?,
        };
        self.advance();
        Some(scope)
    }

    /// `in` or `∈`.
    pub(super) fn keyword_in(&mut self) -> Result<(), ParseError> {
        if self.eat_word("in") || self.eat(Symbol::In) {
            Ok(())
        } else {
            Err(self.expected(&["`in`"]))
        }
    }

    /// The identifier that stands here, if one does.
    pub(super) fn peek_name(&self) -> Option<Name> {
        match self.peek() {
            TokenKind::Word(word) if !is_keyword(word) => Some(Name::new(word)),
            TokenKind::Quoted(name) => Some(Name::new(name)),
            _ => None,
        }
    }

    /// An identifier; `role` says of what.
    pub(super) fn name(&mut self, role: &str) -> Result<Name, ParseError> {
        let name = self.peek_name().ok_or_else(|| self.expected(&[role]))?;
        self.advance();
        Ok(name)
    }

    /// A literal.
    pub(super) fn literal(&mut self) -> Result<Natural, ParseError> {
        match self.peek() {
            TokenKind::Number(value) => {
                let value = value.clone();
                self.advance();
                Ok(value)
            }
            _ => Err(self.expected(&["a number"])),
        }
    }

    /// Runs `phrase` one level deeper.
    pub(super) fn nested<T>(
        &mut self,
        phrase: impl FnOnce(&mut Self) -> Result<T, ParseError>,
    ) -> Result<T, ParseError> {
        if self.depth >= MAX_DEPTH {
            return Err(self.error(ParseErrorKind::TooDeep, self.here()));
        }
        self.depth += 1;
        let result = grow(|| phrase(self));
        self.depth -= 1;
        result
    }

    /// The next site, in the order in which statements start.
    pub(super) fn new_site(&mut self, span: Span) -> Result<Site, ParseError> {
        let number = u32::try_from(self.spans.len())
            .map_err(|_| self.error(ParseErrorKind::TooLong, span))?;
        self.spans.insert(Site(number), span);
        Ok(Site(number))
    }

    /// Gives `site` the span from its start to here.
    pub(super) fn close_site(&mut self, site: Site, start: Span) {
        let span = self.since(start);
        self.spans.insert(site, span);
    }
}
