//! Statements (LCL22 Fig. 5, with the extensions of THEORY §4).

use super::cursor::Parser;
use super::error::ParseError;
use super::token::{Symbol, TokenKind};
use crate::expr::Num;
use crate::name::Name;
use crate::site::Span;
use crate::syntax::{AtomicUpdate, ForSort, Scope, Stmt};
use std::sync::Arc;

const STATEMENTS: [&str; 7] =
    ["an array access `A[n]`", "`let`", "`if`", "`forU`", "`forS`", "`sync`", "`skip`"];

impl Parser<'_> {
    /// `b ; … ; b`, a `let` reaching to the end.
    pub(super) fn statements(&mut self) -> Result<Stmt, ParseError> {
        let mut items = Vec::new();
        let last = loop {
            if self.at_word("let") {
                items.push((true, self.binding()?));
                continue;
            }
            let stmt = self.statement()?;
            if !self.eat(Symbol::Semicolon) || self.at_end_of_block() {
                break stmt;
            }
            items.push((false, stmt));
        };
        Ok(items.into_iter().rev().fold(last, |rest, (binds, mut item)| match &mut item {
            Stmt::Read { body, .. } | Stmt::Atomic { body, .. } if binds => {
                *body = Arc::new(rest);
                item
            }
            _ => Stmt::seq(item, rest),
        }))
    }

    pub(super) fn at_end_of_block(&self) -> bool {
        self.at_symbol(Symbol::CloseBrace) || *self.peek() == TokenKind::End
    }

    fn block(&mut self) -> Result<Stmt, ParseError> {
        self.braces(Self::statements)
    }

    /// Any statement but a `let`.
    fn statement(&mut self) -> Result<Stmt, ParseError> {
        let start = self.here();
        if let Some(scope) = self.eat_sync() {
            return Ok(Stmt::Sync { site: self.new_site(start)?, scope });
        }
        match self.word() {
            Some("skip") => {
                self.advance();
                Ok(Stmt::Skip)
            }
            Some("if") => self.branch(start),
            Some("forU" | "forᵁ") => self.repetition(start, ForSort::U),
            Some("forS" | "forˢ") => self.repetition(start, ForSort::S),
            _ if self.at_symbol(Symbol::OpenBrace) => self.block(),
            _ if self.peek_name().is_some() => self.store(start),
            _ => Err(self.expected(&STATEMENTS)),
        }
    }

    /// `A[n] := m`
    fn store(&mut self, start: Span) -> Result<Stmt, ParseError> {
        let site = self.new_site(start)?;
        let (array, index) = self.cell()?;
        self.expect(Symbol::Assign)?;
        let payload = self.num()?;
        self.close_site(site, start);
        Ok(Stmt::Write { site, array, index, payload })
    }

    /// `A[n]`
    pub(super) fn cell(&mut self) -> Result<(Name, Num), ParseError> {
        let array = self.name("the name of an array")?;
        Ok((array, self.index()?))
    }

    /// `[n]`
    pub(super) fn index(&mut self) -> Result<Num, ParseError> {
        self.expect(Symbol::OpenBracket)?;
        let index = self.num()?;
        self.expect(Symbol::CloseBracket)?;
        Ok(index)
    }

    fn branch(&mut self, start: Span) -> Result<Stmt, ParseError> {
        let (site, condition, then, otherwise) =
            self.alternatives(start, Self::block, Self::branch)?;
        Ok(Stmt::If { site, condition, then, otherwise })
    }

    fn repetition(&mut self, start: Span, sort: ForSort) -> Result<Stmt, ParseError> {
        let (site, var, lower, upper, body) = self.repeated(start, Self::block)?;
        Ok(Stmt::For { site, sort, var, lower, upper, body })
    }

    /// `let x = A[n] in` or `let x = atomic A[n] ⋆ m in`, with `skip` for what follows. The span is
    /// that of the access.
    fn binding(&mut self) -> Result<Stmt, ParseError> {
        self.advance();
        let var = self.name("the name of a variable")?;
        self.expect(Symbol::Equals)?;
        let start = self.here();
        let scope = match self.word() {
            Some("atomic" | "atomic.device") => Some(Scope::Device),
            Some("atomic.block") => Some(Scope::Block),
            Some("atomic.system") => Some(Scope::System),
            _ => None,
        };
        let site = self.new_site(start)?;
        if scope.is_some() {
            self.advance();
        } else if self.peek_name().is_none()
            || *self.peek_second() != TokenKind::Symbol(Symbol::OpenBracket)
        {
            return Err(self.expected(&["an array access `A[n]` or `atomic`"]));
        }
        let (array, index) = self.cell()?;
        let body = Arc::new(Stmt::Skip);
        let access = match scope {
            None => {
                self.close_site(site, start);
                Stmt::Read { site, var, array, index, body }
            }
            Some(scope) => {
                let update = self.update()?;
                self.close_site(site, start);
                Stmt::Atomic { site, var, array, index, update, scope, body }
            }
        };
        self.keyword_in()?;
        Ok(access)
    }

    /// `add m`, `add.u32 m`, `cas m if n`, …
    fn update(&mut self) -> Result<AtomicUpdate<Num>, ParseError> {
        let op = self.word().and_then(|word| word.parse().ok()).ok_or_else(|| {
            self.expected(&["an atomic operator such as `add`, `add.u32` or `cas`"])
        })?;
        self.advance();
        let operand = self.num()?;
        let expected = if self.eat_word("if") { Some(self.num()?) } else { None };
        Ok(AtomicUpdate { op, operand, expected })
    }
}
