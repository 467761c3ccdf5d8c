//! Names and texts, quoted where they have to be.

use crate::name::Name;
use crate::parse::token::{identifier_length, is_keyword};
use std::fmt::{self, Write};

/// A name as it is spelt in a program: between backquotes when it is no identifier.
pub(crate) struct Spelled<'a>(pub &'a Name);

impl fmt::Display for Spelled<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.0.as_str();
        let plain = !name.is_empty() && identifier_length(name) == name.len();
        if plain && !is_keyword(name) {
            f.write_str(name)
        } else {
            write!(f, "{}", Quoted(name, '`'))
        }
    }
}

/// A text between two quotes, escaped so that the lexer reads it back.
pub(crate) struct Quoted<'a>(pub &'a str, pub char);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Quoted(text, quote) = *self;
        f.write_char(quote)?;
        for c in text.chars() {
            match c {
                '\n' => f.write_str("\\n")?,
                '\t' => f.write_str("\\t")?,
                '\r' => f.write_str("\\r")?,
                '\0' => f.write_str("\\0")?,
                c if c == quote || c == '\\' => {
                    f.write_char('\\')?;
                    f.write_char(c)?;
                }
                c => f.write_char(c)?,
            }
        }
        f.write_char(quote)
    }
}
