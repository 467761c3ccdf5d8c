//! What statements and protocols have in common: blocks, branches and loops.

use super::cursor::Parser;
use super::error::ParseError;
use super::token::Symbol;
use crate::expr::{Bool, Num};
use crate::name::Name;
use crate::site::{Site, Span};
use crate::syntax::Tree;
use std::sync::Arc;

impl Parser<'_> {
    /// `{ b }`; `{}` is `skip`.
    pub(super) fn braces<T: Tree>(
        &mut self,
        phrase: impl FnOnce(&mut Self) -> Result<T, ParseError>,
    ) -> Result<T, ParseError> {
        self.expect(Symbol::OpenBrace)?;
        if self.eat(Symbol::CloseBrace) {
            return Ok(T::SKIP);
        }
        let inside = self.nested(phrase)?;
        if !self.eat(Symbol::CloseBrace) {
            return Err(self.expected(&["`;`", "`}`"]));
        }
        Ok(inside)
    }

    /// `if c {b} else {b}`. Without `else`, the other branch is `skip`; `else if` nests.
    pub(super) fn alternatives<T: Tree>(
        &mut self,
        start: Span,
        block: impl Fn(&mut Self) -> Result<T, ParseError>,
        branch: impl Fn(&mut Self, Span) -> Result<T, ParseError>,
    ) -> Result<(Site, Bool, Arc<T>, Arc<T>), ParseError> {
        self.advance();
        let site = self.new_site(start)?;
        let condition = self.condition()?;
        self.close_site(site, start);
        let then = block(self)?;
        let otherwise = if !self.eat_word("else") {
            T::SKIP
        } else if self.at_word("if") {
            let start = self.here();
            self.nested(|p| branch(p, start))?
        } else {
            block(self)?
        };
        Ok((site, condition, Arc::new(then), Arc::new(otherwise)))
    }

    /// `for x in n..m {b}`
    pub(super) fn repeated<T: Tree>(
        &mut self,
        start: Span,
        block: impl Fn(&mut Self) -> Result<T, ParseError>,
    ) -> Result<(Site, Name, Num, Num, Arc<T>), ParseError> {
        self.advance();
        let site = self.new_site(start)?;
        let var = self.name("the name of a loop variable")?;
        self.keyword_in()?;
        let lower = self.num()?;
        self.expect(Symbol::Range)?;
        let upper = self.num()?;
        self.close_site(site, start);
        Ok((site, var, lower, upper, Arc::new(block(self)?)))
    }
}
