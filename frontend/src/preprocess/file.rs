//! A file that is being read.

use super::token::{Kind, Token, tokens};
use std::ops::Range;
use std::rc::Rc;

pub(super) struct File {
    /// Its name; empty for the main file.
    pub(super) name: Rc<str>,
    pub(super) text: Rc<str>,
    pub(super) tokens: Vec<Token>,
    /// The index of the current token.
    pub(super) at: usize,
    /// For an included file: where in the main file its `#include` stands, or the one that led
    /// to it.
    pub(super) place: Option<Range<usize>>,
    /// How many conditionals were open where it starts.
    pub(super) first_region: usize,
    /// For each token whether it is a `(` with a `)`.
    closed: Vec<bool>,
    /// Where lines end.
    line_ends: Vec<usize>,
    /// The name that guards it against being read twice.
    guard: Option<Rc<str>>,
}

impl File {
    pub(super) fn new(name: &str, text: &str, place: Option<Range<usize>>) -> File {
        let tokens = tokens(text);
        File {
            name: Rc::from(name),
            at: 0,
            place,
            text: Rc::from(text),
            first_region: 0,
            closed: closed(&tokens),
            line_ends: text.match_indices('\n').map(|(at, _)| at).collect(),
            guard: guard(&tokens),
            tokens,
        }
    }

    /// The names that its directives define, wherever they stand.
    pub(super) fn defines(&self) -> Vec<Rc<str>> {
        let defined = directives(&self.tokens).filter_map(|line| match line[..] {
            [word, name, ..] if &*word.text == "define" => Some(name.text.clone()),
            _ => None,
        });
        defined.collect()
    }

    /// The current token.
    pub(super) fn current(&self) -> Option<Token> {
        self.tokens.get(self.at).cloned()
    }

    /// The line of a byte, from 1.
    pub(super) fn line(&self, at: usize) -> u32 {
        let before = self.line_ends.partition_point(|end| *end < at);
        u32::try_from(before + 1).unwrap_or(u32::MAX)
    }

    /// Is the next visible token a `(`, and has it its `)`?
    pub(super) fn next_opens(&self) -> Option<bool> {
        let next = (self.at..self.tokens.len()).find(|&i| self.tokens[i].visible())?;
        self.tokens[next].is("(").then(|| self.closed[next])
    }

    /// The name that guards it against being read twice.
    pub(super) fn guard(&self) -> Option<&str> {
        self.guard.as_deref()
    }

    /// Is the directive that was read last this file's include guard, on `name`?
    pub(super) fn is_guarded_by(&self, name: &str) -> bool {
        let first = self.tokens.iter().find(|t| t.visible());
        let lines = self.tokens[..self.at.min(self.tokens.len())].iter().filter(|t| t.first);
        self.guard.as_deref() == Some(name) && first.is_some() && lines.count() == 1
    }
}

/// The visible tokens of each directive, `#` left out.
fn directives(tokens: &[Token]) -> impl Iterator<Item = Vec<&Token>> {
    let starts = (0..tokens.len()).filter(|&i| tokens[i].first && tokens[i].is("#"));
    starts.map(|start| {
        let line = tokens[start + 1..].iter().take_while(|t| t.kind != Kind::NewLine);
        line.filter(|t| t.visible()).collect()
    })
}

/// The name `X` of a file that is `#ifndef X`, `#define X`, …, `#endif` and nothing else.
fn guard(tokens: &[Token]) -> Option<Rc<str>> {
    let starts_so = tokens.iter().find(|t| t.visible())?.is("#");
    let mut depth = 0usize;
    let mut name = None;
    for (i, line) in directives(tokens).enumerate() {
        let word = line.first().map_or("", |t| &*t.text);
        let argument = line.get(1).map(|t| t.text.clone());
        match (i, word) {
            (0, "ifndef") => name = argument,
            (1, "define") if argument == name => {}
            (0 | 1, _) => return None,
            (_, "elif" | "else" | "elifdef" | "elifndef") if depth == 1 => return None,
            _ if depth == 0 => return None,
            _ => {}
        }
        depth += usize::from(word.starts_with("if"));
        depth = depth.saturating_sub(usize::from(word == "endif"));
    }
    let last = tokens.iter().rev().find(|t| t.first)?;
    let ends_so = last.is("#") && depth == 0;
    if starts_so && ends_so { name } else { None }
}

/// For each token whether it is a `(` with its `)`; directives do not count.
fn closed(tokens: &[Token]) -> Vec<bool> {
    let mut out = vec![false; tokens.len()];
    let mut open = Vec::new();
    let mut directive = false;
    for (i, token) in tokens.iter().enumerate() {
        directive = (directive || (token.first && token.is("#"))) && token.kind != Kind::NewLine;
        if directive {
            continue;
        }
        if token.is("(") {
            open.push(i);
        } else if token.is(")")
            && let Some(start) = open.pop()
        {
            out[start] = true;
        }
    }
    out
}
