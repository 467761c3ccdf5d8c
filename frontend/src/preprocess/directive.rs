//! Directives, and those that define macros ([cpp.pre], [cpp.replace]).

use super::macros::{BadDefinition, definition};
use super::regions::{Branch, state};
use super::token::{Kind, Spelled, Token};
use super::{Reason, State};
use crate::error::FrontendError;
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
            "pragma" if rest.first().is_some_and(|t| &*t.text == "pop_macro") => {
                let line: String = rest.iter().map(|t| &*t.text).collect();
                self.set_back(&line, branch);
                Ok(())
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
            "pragma" => {
                self.out.packs |= rest.iter().any(|t| &*t.text == "pack");
                Ok(())
            }
            "error" if self.undecided().is_none() => {
                let text: Vec<&str> = rest.iter().map(|t| &*t.text).collect();
                self.error(&range, format!("#error {}", text.join(" ")))
            }
            _ => Ok(()),
        }
    }

    /// `pop_macro("NAME")` in a pragma: what `push_macro` kept is not known here.
    pub(super) fn set_back(&mut self, pragma: &str, branch: Branch) {
        let Some((_, name)) = pragma.split_once("pop_macro") else { return };
        let name = name.trim_matches(|c: char| !c.is_alphanumeric() && c != '_');
        let reason = format!("`{name}`, which `#pragma pop_macro` sets back");
        match branch {
            Branch::Dead => self.assume_as_around(&name.into()),
            Branch::Live | Branch::Maybe => self.doubt_name(&name.into(), &reason.into()),
        }
    }

    /// Why it is not certain that the current text is compiled as it stands.
    pub(super) fn undecided(&self) -> Option<Reason> {
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
        let in_main = !pinned && self.files.last().is_some_and(|file| file.place.is_none());
        let start = line.first().map(|name| name.range.start).filter(|_| in_main);
        let spelled = |token: &Token| {
            let range = token.range.clone();
            let spelled = start.map(|definition| Spelled { definition, range });
            Token { spelled, ..token.clone() }
        };
        let line: Vec<Token> = line.iter().map(spelled).collect();
        let (name, mut definition) = definition(&line)?;
        if self.macros.get(&name).is_some_and(|m| m.pinned) {
            self.overrides(&name);
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

    /// Notes that the file says of a macro of the command line what it is.
    fn overrides(&mut self, name: &str) {
        let reason = format!("`{name}`, which the command line and the file define");
        self.out.overridden.get_or_insert_with(|| reason.into());
    }

    pub(super) fn undefine(&mut self, line: &[Token]) {
        let Some(name) = line.first().map(|t| t.text.clone()) else {
            return;
        };
        if self.macros.get(&name).is_some_and(|m| m.pinned) {
            return self.overrides(&name);
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

    /// Notes that what a name is rests on the assumptions by which the text here is compiled.
    pub(super) fn assume_as_around(&mut self, name: &Rc<str>) {
        if let Some(reason) = self.regions.iter().find_map(|r| r.assumed.first()) {
            self.assumed.insert(name.clone(), reason.clone());
        }
    }
}
