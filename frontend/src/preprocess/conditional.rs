//! Conditionals ([cpp.cond]): which text is compiled, and what of it is not certain.

use super::condition::{Decided, evaluate};
use super::macros::Part;
use super::regions::{Branch, Region, state};
use super::token::{Kind, Token};
use super::{Reason, State};
use crate::error::FrontendError;
use std::collections::BTreeSet;
use std::ops::Range;

/// A word for `__global__` stands for it through so many macros.
const CHAIN: usize = 4;

impl State<'_> {
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
                let result = self.on_line(rest, evaluate);
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
    pub(super) fn open(
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
    pub(super) fn next_branch(
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
    pub(super) fn close(&mut self, range: &Range<usize>) -> Result<(), FrontendError> {
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
        if self.begins_kernel(&token.text, CHAIN) {
            if let Some(name) = self.kernel_name() {
                let place = self.place(&token.range);
                self.out.lost.push((name, place, reason));
            }
        } else if crate::resolve::names::named(&token.text).is_none() {
            self.out.names.insert(token.text.clone(), reason);
        }
    }

    /// Is it the word that marks a kernel, or a macro that stands for it?
    fn begins_kernel(&self, name: &str, chain: usize) -> bool {
        let marks = |part: &Part| self.begins_kernel(&part.token.text, chain - 1);
        name == "__global__"
            || chain > 0 && self.macros.get(name).is_some_and(|m| m.body.iter().any(marks))
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
}
