//! S-expressions: the text that the oracle speaks.

use super::read::Read;
use babycuda_core::deep::grow;
use std::fmt::{self, Display};

/// An expression.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Sexp {
    /// A word or a number.
    Word(String),
    /// A name, which stands in double quotes.
    Name(String),
    List(Vec<Sexp>),
}

pub(super) fn word(word: impl Display) -> Sexp {
    Sexp::Word(word.to_string())
}

pub(super) fn list(items: impl IntoIterator<Item = Sexp>) -> Sexp {
    Sexp::List(items.into_iter().collect())
}

/// `(head part …)`
pub(super) fn node(head: &str, parts: impl IntoIterator<Item = Sexp>) -> Sexp {
    list([word(head)].into_iter().chain(parts))
}

impl Sexp {
    /// The head and the parts of `(head part …)`; a word has no parts. Anything else has no head.
    pub(super) fn view(&self) -> (&str, &[Sexp]) {
        match self {
            Sexp::Word(word) => (word, &[]),
            Sexp::List(items) => match &items[..] {
                [Sexp::Word(head), parts @ ..] if !parts.is_empty() => (head, parts),
                _ => ("", &[]),
            },
            Sexp::Name(_) => ("", &[]),
        }
    }

    /// The expression that a line is.
    pub(super) fn parse(line: &str) -> Read<Sexp> {
        let (mut open, mut rest) = (Vec::new(), line);
        loop {
            rest = rest.trim_start_matches(' ');
            let done = match rest.chars().next() {
                Some('(') => {
                    rest = &rest[1..];
                    open.push(Vec::new());
                    continue;
                }
                Some(')') if let Some(items) = open.pop() => {
                    rest = &rest[1..];
                    Sexp::List(items)
                }
                Some('"') => Sexp::Name(name(&mut rest)?),
                _ => {
                    let part =
                        |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || ".-_".contains(c);
                    let (word, after) =
                        rest.split_at(rest.find(|c| !part(c)).unwrap_or(rest.len()));
                    if word.is_empty() {
                        return Err(("an expression", rest.to_owned()));
                    }
                    rest = after;
                    Sexp::Word(word.to_owned())
                }
            };
            match open.last_mut() {
                Some(items) => items.push(done),
                None if rest.trim_matches(' ').is_empty() => return Ok(done),
                None => return Err(("the end of the line", rest.to_owned())),
            }
        }
    }
}

/// What stands between double quotes, without escapes; `rest` moves past it.
fn name(rest: &mut &str) -> Read<String> {
    let wrong = || Err(("a name", (*rest).to_owned()));
    let (mut chars, mut contents) = (rest[1..].chars(), String::new());
    loop {
        contents.push(match chars.next() {
            Some('"') => break,
            Some('\\') => match chars.next() {
                Some('n') => '\n',
                Some(c @ ('"' | '\\')) => c,
                _ => return wrong(),
            },
            Some(c) => c,
            None => return wrong(),
        });
    }
    *rest = chars.as_str();
    Ok(contents)
}

impl Display for Sexp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sexp::Word(word) => f.write_str(word),
            Sexp::Name(name) => {
                let escaped = name.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
                write!(f, "\"{escaped}\"")
            }
            Sexp::List(items) => {
                f.write_str("(")?;
                for (n, item) in items.iter().enumerate() {
                    f.write_str(if n == 0 { "" } else { " " })?;
                    grow(|| item.fmt(f))?;
                }
                f.write_str(")")
            }
        }
    }
}

/// However deep it is.
impl Drop for Sexp {
    fn drop(&mut self) {
        let Sexp::List(items) = self else { return };
        let mut open = std::mem::take(items);
        while let Some(mut next) = open.pop() {
            if let Sexp::List(items) = &mut next {
                open.append(items);
            }
        }
    }
}
