//! Memory access protocols (LCL22 Fig. 2).

use super::cursor::Parser;
use super::error::ParseError;
use super::token::Symbol;
use crate::expr::Num;
use crate::history::AccessMode;
use crate::name::Name;
use crate::site::{Site, Span};
use crate::syntax::{DEFAULT_ARRAY, ForSort, Protocol, Scope};
use std::sync::Arc;

const PROTOCOLS: [&str; 10] =
    ["`rd`", "`wr`", "`at`", "`let`", "`if`", "`forU`", "`forS`", "`any`", "`sync`", "`skip`"];

/// A part of a sequence: a protocol, or a `let … in` that scopes over the rest.
enum Item {
    Protocol(Protocol),
    Input { site: Site, var: Name, array: Name, index: Num },
}

impl Item {
    fn followed_by(self, rest: Protocol) -> Protocol {
        let body = Arc::new(rest);
        match self {
            Item::Protocol(p) => Protocol::Seq(Arc::new(p), body),
            Item::Input { site, var, array, index } => {
                Protocol::Input { site, var, array, index, body }
            }
        }
    }
}

impl Parser<'_> {
    /// `p ; … ; p`, a `let` reaching to the end.
    pub(super) fn protocols(&mut self) -> Result<Protocol, ParseError> {
        let mut items = Vec::new();
        let last = loop {
            if self.at_word("let") {
                items.push(self.input()?);
                continue;
            }
            let protocol = self.protocol()?;
            if !self.eat(Symbol::Semicolon) || self.at_end_of_block() {
                break protocol;
            }
            items.push(Item::Protocol(protocol));
        };
        Ok(items.into_iter().rev().fold(last, |rest, item| item.followed_by(rest)))
    }

    fn protocol_block(&mut self) -> Result<Protocol, ParseError> {
        self.braces(Self::protocols)
    }

    fn protocol(&mut self) -> Result<Protocol, ParseError> {
        let start = self.here();
        if let Some(scope) = self.eat_sync() {
            return Ok(Protocol::Sync { site: self.new_site(start)?, scope });
        }
        match self.word() {
            Some("skip") => {
                self.advance();
                Ok(Protocol::Skip)
            }
            Some("rd") => self.access(start, AccessMode::Rd),
            Some("wr") => self.access(start, AccessMode::Wr),
            Some("at" | "at.device") => self.access(start, AccessMode::At(Scope::Device)),
            Some("at.block") => self.access(start, AccessMode::At(Scope::Block)),
            Some("at.system") => self.access(start, AccessMode::At(Scope::System)),
            Some("if") => self.protocol_branch(start),
            Some("forU" | "forᵁ") => self.protocol_repetition(start, ForSort::U),
            Some("forS" | "forˢ") => self.protocol_repetition(start, ForSort::S),
            Some("any") => self.any(start),
            _ if self.at_symbol(Symbol::OpenBrace) => self.protocol_block(),
            _ => Err(self.expected(&PROTOCOLS)),
        }
    }

    /// `rd[n]`, of the paper's array, or `rd B[n]`.
    fn access(&mut self, start: Span, mode: AccessMode) -> Result<Protocol, ParseError> {
        self.advance();
        let site = self.new_site(start)?;
        let array = if self.at_symbol(Symbol::OpenBracket) {
            Name::new(DEFAULT_ARRAY)
        } else {
            self.name("`[` or the name of an array")?
        };
        let index = self.index()?;
        self.close_site(site, start);
        Ok(Protocol::Access { site, mode, array, index })
    }

    fn protocol_branch(&mut self, start: Span) -> Result<Protocol, ParseError> {
        let (site, condition, then, otherwise) =
            self.alternatives(start, Self::protocol_block, Self::protocol_branch)?;
        Ok(Protocol::If { site, condition, then, otherwise })
    }

    fn protocol_repetition(&mut self, start: Span, sort: ForSort) -> Result<Protocol, ParseError> {
        let (site, var, lower, upper, body) = self.repeated(start, Self::protocol_block)?;
        Ok(Protocol::For { site, sort, var, lower, upper, body })
    }

    /// `let x = input A[n] in`. The span is that of the read.
    fn input(&mut self) -> Result<Item, ParseError> {
        self.advance();
        let var = self.name("the name of a variable")?;
        self.expect(Symbol::Equals)?;
        let start = self.here();
        if !self.eat_word("input") {
            return Err(self.expected(&["`input`"]));
        }
        let site = self.new_site(start)?;
        let (array, index) = self.cell()?;
        self.close_site(site, start);
        self.keyword_in()?;
        Ok(Item::Input { site, var, array, index })
    }

    /// `any x: u32 {p}`, or `any x {p}` for all naturals.
    fn any(&mut self, start: Span) -> Result<Protocol, ParseError> {
        self.advance();
        let site = self.new_site(start)?;
        let var = self.name("the name of a variable")?;
        let domain = if self.eat(Symbol::Colon) { Some(self.int_type()?) } else { None };
        self.close_site(site, start);
        Ok(Protocol::Any { site, var, domain, body: Arc::new(self.protocol_block()?) })
    }
}
