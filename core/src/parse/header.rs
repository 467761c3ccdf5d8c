//! Declarations in front of a program or a protocol.

use super::cursor::Parser;
use super::error::{ParseError, ParseErrorKind};
use super::token::{Symbol, TokenKind};
use crate::machine::IntType;
use crate::name::Name;
use crate::natural::Natural;
use crate::syntax::{
    ArrayDecl, Contents, Declarations, Domain, Expectation, Extent, Geometry, Param, Space,
};
use std::collections::BTreeSet;

impl Parser<'_> {
    /// Every declaration that stands here.
    pub(super) fn header(&mut self) -> Result<Declarations, ParseError> {
        let mut header = Declarations::of_geometry(Geometry::line());
        let mut given = BTreeSet::new();
        while let Some(keyword) = self.declaration_keyword() {
            let start = self.here();
            self.advance();
            let what = match keyword {
                "kernel" => {
                    header.name = self.name("the name of the kernel")?;
                    Some(String::from("the kernel's name"))
                }
                "threads" | "block" => {
                    header.geometry.block = self.extents(if keyword == "block" { 3 } else { 1 })?;
                    Some(String::from("the block's size"))
                }
                "grid" => {
                    header.geometry.grid = Some(self.extents(3)?);
                    Some(String::from("the grid's size"))
                }
                "warp" => {
                    header.geometry.warp = self.extent()?;
                    Some(String::from("the warps' size"))
                }
                "param" => {
                    let param = self.parameter()?;
                    let what = format!("`{}`", param.name);
                    header.params.push(param);
                    Some(what)
                }
                "shared" | "global" => {
                    let space = match keyword {
                        "shared" => Space::Shared,
                        _ => Space::Global,
                    };
                    let array = self.array(space)?;
                    let what = format!("`{}`", array.name);
                    header.arrays.push(array);
                    Some(what)
                }
                "assume" => {
                    let assumption = self.assumption()?;
                    if assumption.over.is_empty() {
                        header.assumptions.push(assumption.condition);
                    } else {
                        header.sources.contents_assumed.push(self.since(start));
                        header.contents_assumed.push(assumption);
                    }
                    None
                }
                _ => {
                    header.expectations.push(self.expectation()?);
                    None
                }
            };
            if let Some(what) = what
                && !given.insert(what.clone())
            {
                return Err(self.error(ParseErrorKind::Twice(what), self.since(start)));
            }
            self.expect(Symbol::Semicolon)?;
        }
        Ok(header)
    }

    /// The word that starts a declaration here, if one does. These words are no keywords: in front
    /// of `[` they name an array.
    fn declaration_keyword(&self) -> Option<&'static str> {
        const DECLARATIONS: [&str; 10] = [
            "kernel", "threads", "block", "grid", "warp", "param", "shared", "global", "assume",
            "expect",
        ];
        let word = self.word()?;
        let store = *self.peek_second() == TokenKind::Symbol(Symbol::OpenBracket);
        DECLARATIONS.into_iter().find(|d| *d == word && !store)
    }

    /// `32`, `32, 4`, `32, 4, 1`; `*` is any extent.
    fn extents(&mut self, most: usize) -> Result<[Extent; 3], ParseError> {
        let mut extents = [Extent::Known(1); 3];
        for (i, extent) in extents.iter_mut().take(most).enumerate() {
            if i > 0 && !self.eat(Symbol::Comma) {
                break;
            }
            *extent = if self.eat(Symbol::Star) {
                Extent::Symbolic
            } else {
                Extent::Known(self.extent()?)
            };
        }
        Ok(extents)
    }

    /// `32`
    fn extent(&mut self) -> Result<u32, ParseError> {
        let start = self.here();
        let value = self.literal()?;
        let small = value.to_u64().and_then(|v| u32::try_from(v).ok());
        small.ok_or_else(|| self.error(ParseErrorKind::Extent, start))
    }

    /// `u32`, …
    pub(super) fn int_type(&mut self) -> Result<IntType, ParseError> {
        let t = self.word().and_then(|word| word.parse().ok());
        let t = t.ok_or_else(|| self.expected(&["a machine type such as `u32`"]))?;
        self.advance();
        Ok(t)
    }

    /// `: u32`, `: nat`, or nothing, which means `nat`.
    fn domain(&mut self) -> Result<Domain, ParseError> {
        if !self.eat(Symbol::Colon) || self.eat_word("nat") {
            return Ok(Domain::Natural);
        }
        self.int_type().map(Domain::Machine)
    }

    /// `M: u32 = 4`
    fn parameter(&mut self) -> Result<Param, ParseError> {
        let name = self.name("the name of a parameter")?;
        let domain = self.domain()?;
        let value = if self.eat(Symbol::Equals) { Some(self.literal()?) } else { None };
        Ok(Param { name, domain, value })
    }

    /// `A[64]: u32 = fill 0`
    fn array(&mut self, space: Space) -> Result<ArrayDecl, ParseError> {
        let name = self.name("the name of an array")?;
        let length = if self.eat(Symbol::OpenBracket) {
            let length = self.literal()?;
            self.expect(Symbol::CloseBracket)?;
            Some(length)
        } else {
            None
        };
        let element = self.domain()?;
        let contents =
            if self.eat(Symbol::Equals) { self.contents()? } else { Contents::Undefined };
        Ok(ArrayDecl { name, space, element, contents, length })
    }

    /// `[1, 2, 3]`, `fill 0`, `any`, `opaque` or `undefined`
    fn contents(&mut self) -> Result<Contents, ParseError> {
        if self.eat(Symbol::OpenBracket) {
            return Ok(Contents::Values(self.values()?));
        }
        if self.eat_word("fill") {
            return Ok(Contents::Fill(self.literal()?));
        }
        for (word, contents) in [
            ("any", Contents::Any),
            ("opaque", Contents::Opaque),
            ("undefined", Contents::Undefined),
        ] {
            if self.eat_word(word) {
                return Ok(contents);
            }
        }
        Err(self.expected(&["`[`", "`fill`", "`any`", "`opaque`", "`undefined`"]))
    }

    /// `1, 2, 3]`
    fn values(&mut self) -> Result<Vec<Natural>, ParseError> {
        let mut values = Vec::new();
        while !self.eat(Symbol::CloseBracket) {
            values.push(self.literal()?);
            if !self.eat(Symbol::Comma) && !self.at_symbol(Symbol::CloseBracket) {
                return Err(self.expected(&["`,`", "`]`"]));
            }
        }
        Ok(values)
    }

    /// `drf`, `racy A[0]`, `ill-typed t-write`, …
    fn expectation(&mut self) -> Result<Expectation, ParseError> {
        for (word, expectation) in [
            ("drf", Expectation::Drf),
            ("divergent", Expectation::Divergent),
            ("unknown", Expectation::Unknown),
            ("stuck", Expectation::Stuck),
            ("typed", Expectation::Typed),
        ] {
            if self.eat_word(word) {
                return Ok(expectation);
            }
        }
        if self.eat_word("racy") {
            return Ok(Expectation::Racy(self.racy_cell()?));
        }
        if self.eat_word("ill") {
            self.expect(Symbol::Minus)?;
            if self.eat_word("typed") {
                return Ok(Expectation::IllTyped(self.rule()?));
            }
            return Err(self.expected(&["`typed`"]));
        }
        Err(self.expected(&[
            "`drf`",
            "`racy`",
            "`divergent`",
            "`unknown`",
            "`stuck`",
            "`typed`",
            "`ill-typed`",
        ]))
    }

    /// Nothing, `A` or `A[0]`
    fn racy_cell(&mut self) -> Result<Option<(Name, Option<Natural>)>, ParseError> {
        let Some(array) = self.peek_name() else {
            return Ok(None);
        };
        self.advance();
        if !self.eat(Symbol::OpenBracket) {
            return Ok(Some((array, None)));
        }
        let index = self.literal()?;
        self.expect(Symbol::CloseBracket)?;
        Ok(Some((array, Some(index))))
    }

    /// Nothing, a rule's id such as `t-write`, or any text between double quotes.
    fn rule(&mut self) -> Result<Option<String>, ParseError> {
        if let TokenKind::Text(text) = self.peek() {
            let text = text.clone();
            self.advance();
            return Ok(Some(text));
        }
        let start = self.here();
        let mut passed = false;
        while !self.at_symbol(Symbol::Semicolon) && *self.peek() != TokenKind::End {
            self.advance();
            passed = true;
        }
        Ok(passed.then(|| self.text_of(self.since(start)).to_owned()))
    }
}
