//! Includes ([cpp.include]).

use super::condition::Decided;
use super::expand::Expander;
use super::file::File;
use super::token::{Kind, Token};
use super::{MAX_INCLUDES, MAX_OUTPUT, Reason, State, headers, names};
use crate::error::FrontendError;
use crate::includes::{Included, Request};
use std::ops::Range;

impl State<'_> {
    pub(super) fn include(
        &mut self,
        rest: &[Token],
        range: &Range<usize>,
    ) -> Result<(), FrontendError> {
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
        let name = written.get(1..written.len().checked_sub(1)?)?;
        let from = self.file().name.clone();
        let request = Request { name, angled: written.starts_with('<'), from: &from };
        self.options.includes.find(&request)
    }

    /// Can this header be included? The name is in quotes or angle brackets.
    pub(super) fn has_include(&mut self, written: &str) -> Decided {
        let name = written.trim_matches(['"', '<', '>']);
        if headers::known(name).is_some() || self.find(written).is_some() {
            return Ok(true);
        }
        Err(format!("conditional on the file {written}, which is not found").into())
    }

    /// `#include` where it is not known whether the text is compiled: what the file may define is in
    /// doubt.
    pub(super) fn include_perhaps(
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
        let (mut expander, mut name) = (Expander::default(), String::new());
        self.on_line(rest, |state| {
            while let Ok(token) = expander.get(state, false)
                && token.kind != Kind::End
            {
                if token.white && name.starts_with('<') {
                    name.push(' ');
                }
                name.push_str(&token.text);
            }
        });
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
