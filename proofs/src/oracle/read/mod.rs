//! The text of the oracle, read as terms of the calculus. Here: words, numbers and names.

mod histories;
mod terms;

use super::answer::Nonsense;
use babycuda_core::{Cell, Name, Natural, Site};

type Read<T> = Result<T, Nonsense>;

/// Reads terms about one array from a line.
pub(super) struct Reader<'a> {
    pub array: &'a Name,
    pub line: &'a str,
    /// How many bytes are read.
    pub at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&mut self) -> &'a str {
        let rest = self.line[self.at..].trim_start_matches(' ');
        self.at = self.line.len() - rest.len();
        rest
    }

    pub(super) fn expected<T>(&self, what: &'static str) -> Read<T> {
        Err(Nonsense { line: self.line.to_owned(), at: self.at, expected: what })
    }

    /// The next character, left there.
    fn peek(&mut self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn open(&mut self) -> Read<()> {
        self.character('(', "an opening parenthesis")
    }

    pub(super) fn close(&mut self) -> Read<()> {
        self.character(')', "a closing parenthesis")
    }

    fn character(&mut self, c: char, name: &'static str) -> Read<()> {
        if self.peek() != Some(c) {
            return self.expected(name);
        }
        self.at += c.len_utf8();
        Ok(())
    }

    /// The end of the line.
    pub(super) fn end(&mut self) -> Read<()> {
        if self.rest().is_empty() { Ok(()) } else { self.expected("the end of the line") }
    }

    /// A word, in lower case; empty where there is none.
    pub(super) fn word(&mut self) -> &'a str {
        let rest = self.rest();
        let is_part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || ".-_".contains(c);
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// Does a list end here?
    fn ends(&mut self) -> bool {
        self.peek() == Some(')')
    }

    /// `(item)`
    pub(super) fn within<T>(&mut self, item: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        self.open()?;
        let item = item(self)?;
        self.close()?;
        Ok(item)
    }

    /// `(item item …)`
    pub(super) fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Read<T>) -> Read<Vec<T>> {
        self.open()?;
        let mut items = Vec::new();
        while !self.ends() {
            items.push(item(self)?);
        }
        self.close()?;
        Ok(items)
    }

    /// Passes over one expression, whatever it is.
    pub(super) fn skip(&mut self) -> Read<()> {
        let mut depth = 0u32;
        loop {
            match self.peek() {
                Some('(') => {
                    self.open()?;
                    depth += 1;
                }
                Some(')') => {
                    self.close()?;
                    let Some(less) = depth.checked_sub(1) else {
                        return self.expected("an expression");
                    };
                    depth = less;
                }
                Some('"') => drop(self.string()?),
                _ => {
                    if self.word().is_empty() {
                        return self.expected("an expression");
                    }
                }
            }
            if depth == 0 {
                return Ok(());
            }
        }
    }

    pub(super) fn number(&mut self) -> Read<Natural> {
        let before = self.at;
        let word = self.word();
        let digits = !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
        match word.parse() {
            Ok(k) if digits => Ok(k),
            _ => {
                self.at = before;
                self.expected("a number")
            }
        }
    }

    /// The number of a thread.
    pub(super) fn thread(&mut self) -> Read<u64> {
        match self.number()?.to_u64() {
            Some(i) => Ok(i),
            None => self.expected("the number of a thread"),
        }
    }

    pub(super) fn site(&mut self) -> Read<Site> {
        match self.number()?.to_u64().map(u32::try_from) {
            Some(Ok(site)) => Ok(Site(site)),
            _ => self.expected("the number of a site"),
        }
    }

    pub(super) fn cell(&mut self) -> Read<Cell> {
        Ok(Cell { array: self.array.clone(), index: self.number()? })
    }

    /// What stands between double quotes, without escapes.
    pub(super) fn string(&mut self) -> Read<String> {
        self.character('"', "a name")?;
        let mut contents = String::new();
        let mut rest = self.line[self.at..].chars();
        loop {
            contents.push(match rest.next() {
                Some('"') => break,
                Some('\\') => match rest.next() {
                    Some('n') => '\n',
                    Some(c @ ('"' | '\\')) => c,
                    _ => return self.expected("an escape"),
                },
                Some(c) => c,
                None => return self.expected("the end of the name"),
            });
        }
        self.at = self.line.len() - rest.as_str().len();
        Ok(contents)
    }

    pub(super) fn name(&mut self) -> Read<Name> {
        self.string().map(Name::from)
    }
}
