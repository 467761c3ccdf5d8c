//! Statements and blocks of a text, as far as edits need them: words and marks without comments, strings and
//! lines of the preprocessor. That the text is read as it is meant here is not relied on: whatever is made of it is
//! checked.

use std::ops::Range;

/// The words and marks of a text, with their nesting.
#[derive(Debug)]
pub(super) struct Layout<'a> {
    text: &'a str,
    tokens: Vec<Token>,
}

/// A word, a number or a mark.
#[derive(Clone, Copy, Debug)]
struct Token {
    start: usize,
    end: usize,
    /// How many braces are open around it.
    braces: usize,
    /// How many parentheses and brackets are open around it.
    parens: usize,
}

/// A place where a statement may stand.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Gap {
    /// How many braces are open there.
    pub(super) depth: usize,
    /// The place, right behind a semicolon or a brace.
    pub(super) at: usize,
}

impl<'a> Layout<'a> {
    pub(super) fn of(text: &'a str) -> Layout<'a> {
        let (mut tokens, mut braces, mut parens) = (Vec::new(), 0_usize, 0_usize);
        let mut at = 0;
        while let Some(c) = text[at..].chars().next() {
            if let Some(length) = ignored(text, at) {
                at += length;
                continue;
            }
            let word = |c: char| c.is_alphanumeric() || c == '_';
            let rest = &text[at..];
            let end = if word(c) {
                at + rest.find(|c: char| !word(c)).unwrap_or(rest.len())
            } else {
                let pair = [
                    "++", "--", "+=", "-=", "|=", "&=", "^=", "*=", "/=", "->", ":=", "==", "<=",
                    ">=",
                ];
                at + pair.iter().find(|p| rest.starts_with(**p)).map_or(c.len_utf8(), |p| p.len())
            };
            match c {
                '}' => (braces, parens) = (braces.saturating_sub(1), 0),
                ')' | ']' => parens = parens.saturating_sub(1),
                _ => {}
            }
            tokens.push(Token { start: at, end, braces, parens });
            match c {
                '{' => (braces, parens) = (braces + 1, 0),
                '(' | '[' => parens += 1,
                _ => {}
            }
            at = end;
        }
        Layout { text, tokens }
    }

    fn text(&self, token: &Token) -> &'a str {
        &self.text[token.start..token.end]
    }

    /// The number of the first token that begins there or behind.
    fn number(&self, at: usize) -> usize {
        self.tokens.partition_point(|token| token.start < at)
    }

    /// The inside of each pair of braces around a place, outermost first.
    fn around(&self, at: usize) -> Vec<Range<usize>> {
        let here = self.number(at);
        let Some(depth) = self.tokens.get(here).map(|token| token.braces) else {
            return Vec::new();
        };
        let blocks = (0..depth).filter_map(|outer| {
            let opens = |t: &&Token| t.braces == outer && self.text(t) == "{";
            let closes = |t: &&Token| t.braces == outer && self.text(t) == "}";
            let open = self.tokens[..here].iter().rev().find(opens)?;
            let close = self.tokens[here..].iter().find(closes)?;
            Some(open.end..close.start)
        });
        blocks.collect()
    }

    /// The inside of the braces of the function around a place: the outermost ones behind a parenthesis.
    pub(super) fn function(&self, at: usize) -> Option<Range<usize>> {
        self.around(at).into_iter().find(|block| {
            let before = self.number(block.start).checked_sub(2).map(|n| &self.tokens[n]);
            before.is_some_and(|token| self.text(token) == ")")
        })
    }

    /// The places in a block at which a statement may stand, but for blocks that hold none of `near`: behind these
    /// words, too.
    pub(super) fn gaps(
        &self,
        block: &Range<usize>,
        near: &[Range<usize>],
        behind: &[&str],
    ) -> Vec<Gap> {
        let inside = self.number(block.start)..self.number(block.end);
        let mut gaps = Vec::new();
        if block.start > 0 {
            let depth = self.tokens.get(inside.start).map_or(0, |token| token.braces);
            gaps.push(Gap { depth, at: block.start });
        }
        for number in inside {
            let token = &self.tokens[number];
            let next = self.tokens.get(number + 1).map(|token| self.text(token));
            let (depth, at) = match self.text(token) {
                _ if token.parens > 0 => continue,
                word if word == ";" || behind.contains(&word) => (token.braces, token.end),
                "{" => (token.braces + 1, token.end),
                // `else`, and what follows an initialiser.
                "}" if !matches!(next, Some("else" | ";" | ",")) => (token.braces, token.end),
                _ => continue,
            };
            let own = self.around(next_start(&self.tokens, number).unwrap_or(at)).pop();
            let holds = |own: &Range<usize>| {
                near.iter().any(|span| own.start <= span.start && span.end <= own.end)
            };
            if own.is_none_or(|own| holds(&own)) {
                gaps.push(Gap { depth, at });
            }
        }
        gaps
    }

    /// The statement that begins at a place, with its semicolon; `None`: none does.
    pub(super) fn statement(&self, at: usize) -> Option<Range<usize>> {
        let first = self.number(at);
        let token =
            self.tokens.get(first).filter(|token| token.start == at && token.parens == 0)?;
        let before = first.checked_sub(1).map(|n| self.text(&self.tokens[n]));
        if !matches!(before, Some(";" | "{" | "}" | ")" | "else" | "do")) {
            return None;
        }
        let ends = |t: &&Token| {
            t.braces <= token.braces && t.parens == 0 && matches!(self.text(t), ";" | "}")
        };
        let last = self.tokens[first..].iter().find(ends).filter(|t| self.text(t) == ";")?;
        Some(at..last.end)
    }

    /// The words and marks of a part.
    pub(super) fn words(&self, part: Range<usize>) -> impl Iterator<Item = (usize, &'a str)> {
        let tokens = self.tokens[self.number(part.start)..self.number(part.end)].iter();
        tokens.map(|token| (token.start, self.text(token)))
    }

    /// The word or mark before a place.
    pub(super) fn before(&self, at: usize) -> Option<(usize, &'a str)> {
        let token = &self.tokens[self.number(at).checked_sub(1)?];
        Some((token.start, self.text(token)))
    }

    /// The words and marks from a place on.
    pub(super) fn after(&self, at: usize) -> impl Iterator<Item = &'a str> {
        self.tokens[self.number(at)..].iter().map(|token| self.text(token))
    }

    /// Spaces before the first word of the line of a place.
    pub(super) fn indent(&self, at: usize) -> &'a str {
        let line = self.text[..at].rfind('\n').map_or(0, |end| end + 1);
        let rest = &self.text[line..];
        &rest[..rest.find(|c: char| c != ' ' && c != '\t').unwrap_or(0)]
    }

    /// The end of the line of a place, where nothing but a comment is left of it.
    pub(super) fn line_end(&self, at: usize) -> Option<usize> {
        let rest = &self.text[at..];
        let end = rest.find('\n').unwrap_or(rest.len());
        let left = rest[..end].trim();
        let end = rest[..end].trim_end_matches('\r').len();
        (left.is_empty() || left.starts_with("//")).then_some(at + end)
    }
}

fn next_start(tokens: &[Token], number: usize) -> Option<usize> {
    tokens.get(number + 1).map(|token| token.start)
}

/// The length of what begins here and is no word and no mark.
fn ignored(text: &str, at: usize) -> Option<usize> {
    let rest = &text[at..];
    let c = rest.chars().next()?;
    let line = || rest.find('\n').unwrap_or(rest.len());
    if c.is_whitespace() {
        return Some(c.len_utf8());
    }
    if rest.starts_with("//") {
        return Some(line());
    }
    if rest.starts_with("/*") {
        return Some(rest.find("*/").map_or(rest.len(), |end| end + 2));
    }
    if c == '#' && text[..at].rsplit('\n').next().is_some_and(|before| before.trim().is_empty()) {
        let mut end = line();
        while rest[..end].trim_end_matches('\r').ends_with('\\') && end < rest.len() {
            end += 1 + rest[end + 1..].find('\n').unwrap_or(rest.len() - end - 1);
        }
        return Some(end);
    }
    if c == '"' || c == '\'' {
        let mut escaped = false;
        let closes = |(_, d): &(usize, char)| {
            let ends = *d == c && !escaped;
            escaped = *d == '\\' && !escaped;
            ends
        };
        let found = rest.char_indices().skip(1).find(closes);
        return Some(found.map_or(rest.len(), |(end, _)| end + 1));
    }
    None
}
