//! Directives ([cpp.cond], [cpp.include], [cpp.replace]).

use super::condition::{Decided, Questions, evaluate};
use super::expand::{Base, Expander};
use super::file::File;
use super::macros::{BadDefinition, Macros, definition};
use super::regions::{Region, State as Branch, state};
use super::token::{Kind, Token};
use super::{MAX_INCLUDES, MAX_OUTPUT, MAX_TOTAL, MAX_WORK, Reason, State, headers, names};
use crate::error::FrontendError;
use crate::includes::{Included, Request};
use std::collections::BTreeSet;
use std::ops::Range;
use std::rc::Rc;

impl State<'_> {
    /// Carries out the directive that starts at the current token.
    pub(super) fn directive(&mut self) -> Result<(), FrontendError> {
        self.directives += 1;
        let file = self.file();
        let start = file.at;
        let rest = &file.tokens[start..];
        let end = start + rest.iter().position(|t| t.kind == Kind::NewLine).unwrap_or(rest.len());
        let line: Vec<Token> =
            file.tokens[start + 1..end].iter().filter(|t| t.visible()).cloned().collect();
        let range = file.tokens[start].range.start..file.tokens[end - 1].range.end;
        file.at = end;
        let Some((name, rest)) = line.split_first() else {
            return Ok(());
        };
        let branch = state(&self.regions);
        match &*name.text {
            "if" | "ifdef" | "ifndef" => self.open(&name.text, rest, &range),
            "elif" | "else" | "elifdef" | "elifndef" => self.next_branch(&name.text, rest, &range),
            "endif" => self.close(&range),
            "define" | "undef" if branch == Branch::Maybe => {
                if let (Some(name), Some(reason)) = (rest.first(), self.undecided()) {
                    self.doubt_name(&name.text, &reason);
                }
                Ok(())
            }
            "define" | "undef" if branch == Branch::Dead => {
                if let Some(name) = rest.first() {
                    self.assume_as_around(&name.text);
                }
                Ok(())
            }
            "include" | "include_next" | "import" if branch == Branch::Maybe => {
                self.include_perhaps(rest, &range)
            }
            _ if branch != Branch::Live => Ok(()),
            "define" => {
                if let Err((name, message)) = self.define(rest, false) {
                    match name {
                        Some(name) => {
                            self.macros.remove(&name);
                            self.doubt_name(&name, &message.into());
                        }
                        None => return self.error(&range, message),
                    }
                }
                Ok(())
            }
            "undef" => {
                self.undefine(rest);
                Ok(())
            }
            "include" | "include_next" | "import" => self.include(rest, &range),
            "pragma" if rest.first().is_some_and(|t| &*t.text == "once") => {
                let name = self.file().name.clone();
                self.once.insert(name);
                Ok(())
            }
            "error" if self.undecided().is_none() => {
                let text: Vec<&str> = rest.iter().map(|t| &*t.text).collect();
                self.error(&range, format!("#error {}", text.join(" ")))
            }
            _ => Ok(()),
        }
    }

    /// Why it is not certain that the current text is compiled as it stands.
    fn undecided(&self) -> Option<Reason> {
        self.regions.iter().find_map(|r| r.undecided.clone())
    }

    /// Notes that a name may be a macro, or another one, or none.
    pub(super) fn doubt_name(&mut self, name: &Rc<str>, reason: &Reason) {
        if !self.macros.get(name).is_some_and(|m| m.pinned) {
            if let Some(definition) = self.macros.get_mut(name) {
                Rc::make_mut(definition).doubt.get_or_insert_with(|| reason.clone());
            }
            self.doubtful.insert(name.clone(), reason.clone());
            self.out.names.insert(name.clone(), reason.clone());
        }
    }

    /// `#define`, from its name on.
    ///
    /// # Errors
    /// The macro's name, if it is known, and what is wrong.
    pub(super) fn define(&mut self, line: &[Token], pinned: bool) -> Result<(), BadDefinition> {
        let (name, mut definition) = definition(line)?;
        if self.macros.get(&name).is_some_and(|m| m.pinned) {
            return Ok(());
        }
        definition.pinned = pinned;
        match self.undecided() {
            Some(reason) => {
                self.doubt_name(&name, &reason);
                definition.doubt = Some(reason);
            }
            None => {
                self.doubtful.remove(&name);
            }
        }
        self.assumed.remove(&name);
        self.assume_as_around(&name);
        self.macros.insert(name, Rc::new(definition));
        Ok(())
    }

    pub(super) fn undefine(&mut self, line: &[Token]) {
        let Some(name) = line.first().map(|t| t.text.clone()) else {
            return;
        };
        if self.macros.get(&name).is_some_and(|m| m.pinned) {
            return;
        }
        self.macros.remove(&name);
        self.assumed.remove(&name);
        self.assume_as_around(&name);
        match self.undecided() {
            Some(reason) => self.doubt_name(&name, &reason),
            None => {
                self.doubtful.remove(&name);
                self.undefined.insert(name);
            }
        }
    }

    // Conditionals.

    /// Does the branch that starts with this directive hold, and if that is not known: does it
    /// hold when names that may be macros are none?
    fn holds(
        &mut self,
        directive: &str,
        rest: &[Token],
        range: &Range<usize>,
        assumed: &mut BTreeSet<Reason>,
    ) -> Result<(Decided, bool), FrontendError> {
        let name = || rest.first().map_or("", |t| &*t.text).to_owned();
        if directive != "else" {
            assumed.extend(self.assumed_macro(&name()));
        }
        Ok(match directive {
            "else" => (Ok(true), true),
            "ifdef" | "elifdef" => (self.defined(&name()), false),
            "ifndef" | "elifndef" => {
                let decided = self.defined(&name()).map(|d| !d);
                let guard = directive == "ifndef"
                    && !self.doubtful.contains_key(&*name())
                    && self.file().is_guarded_by(&name());
                (if guard { decided.or(Ok(true)) } else { decided }, true)
            }
            _ => {
                let budget =
                    std::mem::replace(&mut self.budget, MAX_TOTAL.min(self.work + MAX_WORK));
                let mut line = Line { state: self, tokens: rest, at: 0 };
                let result = evaluate(&mut line);
                self.budget = budget;
                match (result, &self.missing) {
                    (Ok((decided, rests)), _) => {
                        assumed.extend(rests);
                        (decided, false)
                    }
                    // A macro that is missing may well turn the text into an expression.
                    (Err(message), Some(missing)) => {
                        (Err(format!("{message}; {missing} may help").into()), false)
                    }
                    (Err(message), None) => return self.error(range, message),
                }
            }
        })
    }

    /// `#if`, `#ifdef` and `#ifndef`.
    fn open(
        &mut self,
        directive: &str,
        rest: &[Token],
        range: &Range<usize>,
    ) -> Result<(), FrontendError> {
        let around = state(&self.regions);
        let scope = match self.regions.last() {
            Some(region) if around == Branch::Maybe => region.scope.clone(),
            _ => self.scope.clone(),
        };
        let mut region = Region {
            branch: around,
            taken: around != Branch::Live,
            settled: around == Branch::Dead,
            undecided: None,
            start: range.start,
            output: self.out.text.len(),
            has_text: false,
            assumed: BTreeSet::new(),
            left_out: false,
            outer: scope.clone(),
            scope,
        };
        if around == Branch::Live {
            let (decided, assumed) = self.holds(directive, rest, range, &mut region.assumed)?;
            self.enter(&mut region, decided, assumed);
            if region.undecided.is_some() || !region.assumed.is_empty() {
                // A place in the output that stands for the conditional.
                self.push(" ", range, false);
            }
        }
        self.regions.push(region);
        Ok(())
    }

    /// Starts a branch that is compiled if `decided` says so.
    fn enter(&mut self, region: &mut Region, decided: Decided, assumed: bool) {
        let holds = match decided {
            Ok(holds) => {
                region.settled |= holds;
                holds
            }
            Err(reason) => {
                region.undecided.get_or_insert(reason);
                assumed
            }
        };
        region.branch = match (holds, &region.undecided) {
            (true, _) if !region.taken => Branch::Live,
            (true, Some(_)) => Branch::Maybe,
            (false, Some(_)) if !region.settled => Branch::Maybe,
            _ => Branch::Dead,
        };
        region.taken |= holds;
    }

    /// `#elif` and `#else`.
    fn next_branch(
        &mut self,
        directive: &str,
        rest: &[Token],
        range: &Range<usize>,
    ) -> Result<(), FrontendError> {
        let first = self.file().first_region;
        let Some(mut region) = self.regions.pop().filter(|_| self.regions.len() >= first) else {
            return self.error(range, format!("`#{directive}` without `#if`"));
        };
        region.scope = region.outer.clone();
        let around = state(&self.regions);
        if around == Branch::Live {
            if region.settled {
                region.branch = Branch::Dead;
            } else {
                let (decided, assumed) = self.holds(directive, rest, range, &mut region.assumed)?;
                // A branch that is certainly not compiled cannot be a possibility.
                let never = decided == Ok(false);
                self.enter(&mut region, decided, assumed);
                if never {
                    region.branch = Branch::Dead;
                }
            }
        }
        self.regions.push(region);
        Ok(())
    }

    /// `#endif`
    fn close(&mut self, range: &Range<usize>) -> Result<(), FrontendError> {
        let first = self.file().first_region;
        let Some(region) = self.regions.pop().filter(|_| self.regions.len() >= first) else {
            return self.error(range, "`#endif` without `#if`");
        };
        if let Some(parent) = self.regions.last_mut() {
            parent.has_text |= region.has_text;
            parent.left_out |= region.left_out;
            if parent.branch == Branch::Maybe {
                parent.scope = region.scope;
            }
        }
        let text = region.output..self.out.text.len();
        if region.has_text || region.left_out {
            for reason in &region.assumed {
                self.rests(reason, text.clone());
            }
        }
        if let Some(reason) = region.undecided
            && region.has_text
        {
            self.out.doubts.push((text, reason));
        }
        Ok(())
    }

    /// Takes notice of a token that is not compiled, by assumption.
    pub(super) fn leave_out(&mut self, token: &Token) {
        if let Some(region) = self.regions.iter_mut().find(|r| !r.assumed.is_empty())
            && token.visible()
        {
            region.left_out = true;
            if region.scope.feed(token) {
                for reason in &region.assumed {
                    let resting = self.out.assumptions.entry(reason.clone()).or_default();
                    resting.names.insert(token.text.clone(), reason.clone());
                }
            }
        }
    }

    /// Notes that a part of the output rests on an assumption.
    pub(super) fn rests(&mut self, reason: &Reason, text: Range<usize>) {
        let resting = self.out.assumptions.entry(reason.clone()).or_default();
        resting.text.push((text, reason.clone()));
    }

    /// Notes that what a name is rests on the assumptions by which the text here is compiled.
    fn assume_as_around(&mut self, name: &Rc<str>) {
        if let Some(reason) = self.regions.iter().find_map(|r| r.assumed.first()) {
            self.assumed.insert(name.clone(), reason.clone());
        }
    }

    /// Takes notice of a token that may be compiled, but is taken not to be.
    pub(super) fn overlook(&mut self, token: &Token) {
        let Some(reason) = self.undecided() else {
            return;
        };
        for region in &mut self.regions {
            region.has_text = true;
        }
        let Some(region) = self.regions.last_mut() else {
            return;
        };
        if !region.scope.feed(token) {
            return;
        }
        if &*token.text == "__global__" {
            if let Some(name) = self.kernel_name() {
                let place = self.place(&token.range);
                self.out.lost.push((name, place, reason));
            }
        } else if crate::ctype::named(&token.text).is_none() {
            self.out.names.insert(token.text.clone(), reason);
        }
    }

    /// The name of the kernel that is defined at the current token.
    fn kernel_name(&mut self) -> Option<String> {
        let file = self.file();
        let mut depth = 0usize;
        let mut name: Option<&Token> = None;
        for token in file.tokens[file.at..].iter().filter(|t| t.visible()) {
            if token.is("{") {
                return Some(name.map_or("", |t| &*t.text).to_owned());
            }
            if token.is(";") || token.kind == Kind::End {
                return None;
            }
            depth += usize::from(token.is("("));
            depth = depth.saturating_sub(usize::from(token.is(")")));
            if token.kind == Kind::Identifier && depth == 0 {
                let specifier = matches!(&*token.text, "__launch_bounds__" | "__attribute__");
                name = if specifier { name } else { Some(token) };
            }
        }
        None
    }

    // Includes.

    /// `#include`
    fn include(&mut self, rest: &[Token], range: &Range<usize>) -> Result<(), FrontendError> {
        let Some(written) = self.header(rest, range) else {
            self.not_found("a file", range, "whose name cannot be read");
            return Ok(());
        };
        let name = written[1..written.len() - 1].to_owned();
        let Some(found) = self.find(&written) else {
            self.assert_as_of(&name);
            match headers::known(&name) {
                // The definitions are well-formed lines.
                Some(text) => {
                    let definitions = text.lines().filter_map(|l| l.strip_prefix("#define "));
                    for definition in definitions {
                        let _ = self.define(&super::line(definition), false);
                    }
                }
                None => self.not_found(&format!("`{name}`"), range, "not found"),
            }
            return Ok(());
        };
        if self.once.contains(&*found.path) {
            return Ok(());
        }
        // In it, its guard is defined, whether or not it was before.
        let guarded = |f: &File| f.guard().is_some_and(|name| self.macros.contains_key(name));
        if self.files.iter().any(|f| *f.name == *found.path && guarded(f)) {
            return Ok(());
        }
        if self.in_call {
            self.not_found(&format!("`{name}`"), range, "inside a macro's call");
            return Ok(());
        }
        self.included += found.text.len();
        if self.files.len() > MAX_INCLUDES || self.included > MAX_OUTPUT {
            return self.error(
                range,
                format!(
                    "`{name}` is included too deeply or too often: at most {MAX_INCLUDES} files \
                     deep, and {MAX_OUTPUT} bytes"
                ),
            );
        }
        self.read_included(&found, range)
    }

    /// The file that an `#include` means by a name in quotes or brackets.
    fn find(&mut self, written: &str) -> Option<Included> {
        let name = written.get(1..written.len() - 1)?;
        let from = self.file().name.clone();
        let request = Request { name, angled: written.starts_with('<'), from: &from };
        self.options.includes.find(&request)
    }

    /// `#include` where it is not known whether the text is compiled: what the file may define is in
    /// doubt.
    fn include_perhaps(
        &mut self,
        rest: &[Token],
        range: &Range<usize>,
    ) -> Result<(), FrontendError> {
        let written = self.header(rest, range).unwrap_or_default();
        if let Some(found) = self.find(&written) {
            if self.files.iter().any(|f| *f.name == *found.path) {
                return Ok(());
            }
            self.included += found.text.len();
            if self.files.len() <= MAX_INCLUDES && self.included <= MAX_OUTPUT && !self.in_call {
                return self.read_included(&found, range);
            }
        }
        let name = written.trim_matches(['"', '<', '>']);
        if headers::known(name).is_none() {
            self.not_found("a file", range, "included under a condition");
        } else if let Some(reason) = self.undecided()
            && headers::is_assert(name)
        {
            self.doubt_name(&"assert".into(), &reason);
        }
        Ok(())
    }

    fn read_included(
        &mut self,
        found: &Included,
        range: &Range<usize>,
    ) -> Result<(), FrontendError> {
        let place = self.place(range);
        let mut file = File::new(&found.path, &found.text, Some(place));
        file.first_region = self.regions.len();
        self.read(file)?;
        self.push("\n", range, false);
        Ok(())
    }

    /// The name that an `#include` gives, with its quotes or brackets.
    fn header(&mut self, rest: &[Token], range: &Range<usize>) -> Option<String> {
        let first = rest.first()?;
        let file = self.files.last()?;
        if first.text.starts_with('<') {
            let line = file.text.get(first.range.start..range.end)?;
            return line.find('>').map(|end| line[..=end].to_owned());
        }
        // A name may hold what would be an escape in a string.
        let quoted = |text: &str| text.len() >= 2 && text.starts_with('"') && text.ends_with('"');
        if quoted(&first.text) {
            return Some(first.text.to_string());
        }
        let budget = std::mem::replace(&mut self.budget, MAX_TOTAL.min(self.work + MAX_WORK));
        let mut line = Line { state: self, tokens: rest, at: 0 };
        let mut expander = Expander::default();
        let mut name = String::new();
        while let Ok(token) = expander.get(&mut line, false)
            && token.kind != Kind::End
        {
            if token.white && !name.is_empty() && name.starts_with('<') {
                name.push(' ');
            }
            name.push_str(&token.text);
        }
        self.budget = budget;
        let angled = name.len() > 2 && name.starts_with('<') && name.ends_with('>');
        (expander.doubt.is_none() && (angled || quoted(&name))).then_some(name)
    }

    /// Notes that an include could not be followed.
    fn not_found(&mut self, header: &str, range: &Range<usize>, why: &str) {
        let Some(file) = self.files.last() else {
            return;
        };
        let within = match file.place {
            Some(_) => format!(" of `{}`", file.name),
            None => String::new(),
        };
        let line = file.line(range.start);
        let missing: Reason = format!("{header} (line {line}{within}, {why})").into();
        let missing = self.missing.get_or_insert(missing);
        self.undefined.clear();
        // One assumption for all of them: each is looked up in the whole file.
        let assumption: Reason = format!(
            "headers that are missing, as {missing}, are assumed to leave alone the macros before them"
        )
        .into();
        for (name, _) in self.macros.iter().filter(|(_, m)| !m.pinned) {
            if !names::is_of_compiler(name) {
                self.assumed.entry(name.clone()).or_insert_with(|| assumption.clone());
            }
        }
    }
}

/// The rest of a directive's line.
struct Line<'a, 's> {
    state: &'a mut State<'s>,
    tokens: &'a [Token],
    at: usize,
}

impl Base for Line<'_, '_> {
    fn next(&mut self) -> Result<Token, String> {
        self.at += 1;
        Ok(self.tokens.get(self.at - 1).cloned().unwrap_or(Token::made(Kind::End, "")))
    }

    fn opens(&mut self) -> Result<bool, String> {
        Ok(self.tokens.get(self.at).is_some_and(|t| t.is("(")))
    }

    fn macros(&self) -> &Macros {
        self.state.macros()
    }

    fn assumed(&self, name: &str) -> Option<Reason> {
        self.state.assumed(name)
    }

    fn builtin(&mut self, token: &Token) -> Option<Token> {
        self.state.builtin(token)
    }

    fn spend(&mut self, tokens: usize) -> Result<(), String> {
        self.state.spend(tokens)
    }
}

impl Questions for Line<'_, '_> {
    fn defined(&self, name: &str) -> Decided {
        self.state.defined(name)
    }

    fn assumed_macro(&self, name: &str) -> Option<Reason> {
        self.state.assumed_macro(name)
    }

    fn has_include(&mut self, name: &str) -> Decided {
        let inner = name.get(1..name.len().max(2) - 1).unwrap_or("");
        let from = self.state.file().name.clone();
        let request = Request { name: inner, angled: name.starts_with('<'), from: &from };
        if headers::known(inner).is_some() || self.state.options.includes.find(&request).is_some() {
            return Ok(true);
        }
        Err(format!("conditional on the file {name}, which is not found").into())
    }

    fn doubt(&self, name: &str) -> Option<Reason> {
        self.state.defined(name).err()
    }
}
