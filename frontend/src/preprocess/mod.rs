//! The C++ preprocessor ([cpp] of C++17, with GNU's variadic macros and `__VA_OPT__`), and
//! definitions from the command line, which no `#define` of the file overrides.
//!
//! Includes are followed where [`Includes`](crate::Includes) finds them. A header that is neither
//! found nor [known](headers) may define any name that the file has not defined so far, so
//! conditionals on such names are undecided. So are those on [names] of the compiler, the platform
//! and the command line. What an undecided conditional decides is in [`Expanded::doubts`] and
//! [`Expanded::names`], and so are macros that are used wrongly; all else keeps its meaning. A
//! missing header is assumed to leave alone the macros that the file has defined before it, and
//! some names to have a certain value: what rests on that is in [`Expanded::assumptions`].

mod condition;
mod conditional;
mod directive;
mod expand;
mod file;
mod headers;
mod include;
mod macros;
mod names;
mod reader;
mod regions;
mod scope;
mod source_map;
mod substitute;
pub(crate) mod token;

pub(crate) use source_map::SourceMap;

use crate::error::FrontendError;
use crate::options::Options;
use babycuda_core::Span;
use babycuda_kernel::Includer;
use expand::Expander;
use file::File;
use macros::Macros;
use reader::BUILTIN;
use regions::{Branch, Region};
use scope::Scope;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::Range;
use std::rc::Rc;
use token::{Kind, Token, tokens};

/// Why something may be otherwise than it was read.
pub(crate) type Reason = Rc<str>;

/// Preprocessed text, where it comes from, and what is not certain about it.
pub(crate) struct Expanded {
    pub(crate) text: String,
    pub(crate) map: SourceMap,
    /// Bytes of the text that may be others, and why.
    pub(crate) doubts: Vec<(Range<usize>, Reason)>,
    /// Names that may be macros or be declared otherwise, and why.
    pub(crate) names: BTreeMap<Rc<str>, Reason>,
    /// What was assumed, and what rests on it.
    pub(crate) assumptions: BTreeMap<Reason, Resting>,
    /// Kernels in branches of undecided conditionals: name, bytes of the main file, and why.
    pub(crate) lost: Vec<(String, Range<usize>, Reason)>,
    /// The first include that was not found.
    pub(crate) missing: Option<Reason>,
    /// A macro of the command line that the file defines, too, in words.
    pub(crate) overridden: Option<Reason>,
    /// Does a `#pragma pack` say how structures are laid out?
    pub(crate) packs: bool,
}

/// What rests on an assumption.
#[derive(Default)]
pub(crate) struct Resting {
    /// Bytes of the text.
    pub(crate) text: Vec<(Range<usize>, Reason)>,
    /// Names that are declared otherwise without it.
    pub(crate) names: BTreeMap<Rc<str>, Reason>,
}

impl Expanded {
    /// Puts parentheses around a range of the text.
    pub(crate) fn parenthesise(&mut self, range: &Range<usize>) {
        self.insert(range.end, ")");
        self.insert(range.start, "(");
    }

    /// Puts `word`, of ASCII, before a place of the text.
    pub(crate) fn insert(&mut self, at: usize, word: &str) {
        self.text.insert_str(at, word);
        for _ in word.chars() {
            self.map.insert(at);
        }
        let resting = self.assumptions.values_mut().flat_map(|resting| &mut resting.text);
        for (doubt, _) in self.doubts.iter_mut().chain(resting) {
            doubt.start += if doubt.start >= at { word.len() } else { 0 };
            doubt.end += if doubt.end > at { word.len() } else { 0 };
        }
    }

    /// Blanks the parentheses at both ends of a range of the text.
    pub(crate) fn unparenthesise(&mut self, range: &Range<usize>) {
        for at in [range.start, range.end - 1] {
            self.text.replace_range(at..at + 1, " ");
        }
    }
}

/// Output may not grow beyond this many bytes, nor may included text.
const MAX_OUTPUT: usize = 8 << 20;
/// An expansion may not have more tokens.
const MAX_TOKENS: usize = 200_000;
/// Nor may one read more tokens, those of its arguments included.
const MAX_WORK: usize = 2_000_000;
/// Nor may all of a file.
const MAX_TOTAL: usize = 20_000_000;
/// Includes may not nest deeper than this.
const MAX_INCLUDES: usize = 64;

/// Preprocesses `source` under `options`.
///
/// # Errors
/// [`FrontendError::Preprocessor`] with the place, or [`FrontendError::Define`].
pub(crate) fn preprocess(source: &str, options: &Options) -> Result<Expanded, FrontendError> {
    let mut state = State {
        source,
        options,
        macros: Macros::new(),
        doubtful: BTreeMap::new(),
        assumed: BTreeMap::new(),
        undefined: BTreeSet::new(),
        own: BTreeSet::new(),
        missing: None,
        files: Vec::new(),
        regions: Vec::new(),
        once: BTreeSet::new(),
        scope: Scope::default(),
        counter: 0,
        included: 0,
        work: 0,
        budget: 0,
        directives: 0,
        in_call: false,
        line: None,
        out: Expanded {
            text: String::new(),
            map: SourceMap::default(),
            doubts: Vec::new(),
            names: BTreeMap::new(),
            assumptions: BTreeMap::new(),
            lost: Vec::new(),
            missing: None,
            overridden: None,
            packs: false,
        },
    };
    state.predefine();
    for (head, body) in &options.defines {
        state
            .pin(&line(&format!("{head} {body}")))
            .map_err(|(_, message)| FrontendError::Define { name: head.clone(), message })?;
    }
    // CUDA's compiler includes `assert.h` first.
    state.include_assert();
    let around = options.includer.as_ref();
    if let Some(Includer { path, before, .. }) = around {
        state.read(File::new(path, before, Some(0..0)))?;
    }
    state.read(File::new("", source, None))?;
    if let Some(Includer { path, after, .. }) = around {
        state.read(File::new(path, after, Some(source.len()..source.len())))?;
    }
    state.out.missing = state.missing;
    Ok(state.out)
}

/// The visible tokens of one line.
fn line(text: &str) -> Vec<Token> {
    tokens(text).into_iter().filter(Token::visible).collect()
}

struct State<'a> {
    /// The main file.
    source: &'a str,
    options: &'a Options,
    macros: Macros,
    /// Names of which it is not certain whether or how they are macros now.
    doubtful: BTreeMap<Rc<str>, Reason>,
    /// Names of which it is assumed whether or how they are macros now.
    assumed: BTreeMap<Rc<str>, Reason>,
    /// Names that are no macros since the last missing include: an `#undef` says so.
    undefined: BTreeSet<Rc<str>>,
    /// Names that the files define somewhere.
    own: BTreeSet<Rc<str>>,
    /// The first include that was not found, in words.
    missing: Option<Reason>,
    /// The files that are open, the main file first.
    files: Vec<File>,
    /// The open conditionals of all open files.
    regions: Vec<Region>,
    /// Files that say `#pragma once`.
    once: BTreeSet<Rc<str>>,
    /// Where in the declarations the output stands.
    scope: Scope,
    /// The next value of `__COUNTER__`.
    counter: u64,
    /// Bytes included so far.
    included: usize,
    /// Tokens that macros have read.
    work: usize,
    /// How many they may have read at the end of this expansion.
    budget: usize,
    /// Directives so far.
    directives: usize,
    /// Are arguments being read?
    in_call: bool,
    /// The rest of a directive's line, while that is read and not the file.
    line: Option<VecDeque<Token>>,
    out: Expanded,
}

impl State<'_> {
    /// The file that is read. There is one while there are tokens.
    fn file(&mut self) -> &mut File {
        let last = self.files.len().saturating_sub(1);
        &mut self.files[last]
    }

    /// The place of a range of the current file in the main file.
    fn place(&self, range: &Range<usize>) -> Range<usize> {
        let include = self.files.last().and_then(|f| f.place.clone());
        include.unwrap_or_else(|| range.clone())
    }

    fn error<T>(
        &self,
        range: &Range<usize>,
        message: impl Into<String>,
    ) -> Result<T, FrontendError> {
        let mut message = message.into();
        if let Some(file) = self.files.last().filter(|f| f.place.is_some()) {
            message += &format!(" (`{}`, line {})", file.name, file.line(range.start));
        }
        let span = Span::locate(self.source, self.place(range));
        Err(FrontendError::Preprocessor { span, message })
    }

    /// Reads a file to its end.
    fn read(&mut self, file: File) -> Result<(), FrontendError> {
        let outer = self.regions.len();
        self.own.extend(file.defines());
        self.files.push(file);
        while let Some(token) = self.file().current() {
            if token.first && token.is("#") {
                self.directive()?;
                continue;
            }
            match regions::state(&self.regions) {
                Branch::Live => self.emit(&token)?,
                branch => {
                    self.file().at += 1;
                    if token.kind == Kind::NewLine {
                        self.copy(&token);
                    } else if branch == Branch::Maybe {
                        self.overlook(&token);
                    } else {
                        self.leave_out(&token);
                    }
                }
            }
            if self.out.text.len() > MAX_OUTPUT {
                let reason = format!("the preprocessed text has more than {MAX_OUTPUT} bytes");
                return self.error(&token.range, reason);
            }
        }
        if let Some(open) = self.regions.get(outer) {
            let start = open.start;
            return self.error(&(start..start + 1), "`#if` without `#endif`");
        }
        self.files.pop();
        Ok(())
    }

    /// Adds text that stands for `range` of the current file.
    fn push(&mut self, text: &str, range: &Range<usize>, copied: bool) {
        let start = self.out.text.len();
        self.out.text.push_str(text);
        let expanded = start..self.out.text.len();
        match self.files.last() {
            Some(File { place: Some(place), name, .. }) => {
                let line = self.files[self.files.len() - 1].line(range.start);
                self.out.map.push_included(expanded, place.clone(), name, line);
            }
            _ => self.out.map.push(expanded, range.clone(), copied),
        }
    }

    fn copy(&mut self, token: &Token) {
        self.scope.feed(token);
        for region in self.regions.iter_mut().filter(|_| token.visible()) {
            region.has_text = true;
        }
        match token::primary(&token.text) {
            text if token.kind == Kind::Punctuator && text.len() != token.text.len() => {
                self.push(text, &token.range, false);
            }
            text => self.push(text, &token.range, text.len() == token.range.len()),
        }
        if let Some(spelled) = &token.spelled {
            self.out.map.spell(spelled);
        }
    }

    /// Emits the current token, expanded when it is a macro.
    fn emit(&mut self, token: &Token) -> Result<(), FrontendError> {
        let special = |name: &str| BUILTIN.contains(&name) || name == "_Pragma";
        let is_macro = token.kind == Kind::Identifier
            && (self.macros.contains_key(&token.text) || special(&token.text));
        if !is_macro {
            self.file().at += 1;
            self.copy(token);
            return Ok(());
        }
        let (start, directives) = (self.file().at, self.directives);
        let mut expander = Expander::default();
        self.budget = MAX_TOTAL.min(self.work + MAX_WORK);
        self.in_call = true;
        let result = self.expansion(&mut expander);
        self.in_call = false;
        match result {
            Ok(expansion) => {
                let end = self.file().at - 1;
                let range = token.range.start..self.file().tokens[end].range.end;
                let from = self.out.text.len();
                for piece in &expansion {
                    self.push(" ", &range, false);
                    self.copy(&Token { range: range.clone(), ..piece.clone() });
                }
                self.push(" ", &range, false);
                let text = from..self.out.text.len();
                for reason in expander.assumed {
                    self.rests(&reason, text.clone());
                }
                if let Some(reason) = expander.doubt {
                    let use_of = format!("macro `{}`: {reason}", token.text);
                    self.out.doubts.push((from..self.out.text.len(), use_of.into()));
                }
                Ok(())
            }
            Err(message) if directives == self.directives => {
                self.file().at = start + 1;
                let from = self.out.text.len();
                self.copy(token);
                self.out.doubts.push((from..self.out.text.len(), message.into()));
                Ok(())
            }
            Err(message) => self.error(&token.range, message),
        }
    }

    /// The expansion that starts at the current token. Its tokens stand at no place, so that none
    /// is copied.
    fn expansion(&mut self, expander: &mut Expander) -> Result<Vec<Token>, String> {
        let mut out = Vec::new();
        loop {
            let token = expander.get(self, false)?;
            if token.visible() && token.kind != Kind::End {
                out.push(token);
            }
            if out.len() > MAX_TOKENS {
                return Err(format!("macro expansion is too large: more than {MAX_TOKENS} tokens"));
            }
            if expander.is_done() {
                return Ok(out);
            }
        }
    }
}

#[cfg(test)]
mod tests;
