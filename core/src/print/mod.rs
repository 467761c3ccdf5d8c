//! The printer: `Display` of everything that has a concrete syntax.
//!
//! `{}` prints a statement or a protocol on one line, `{:#}` over several; programs and protocol
//! files are always printed over several. `{:?}` prints on one line, each site as a comment.
//! All of it parses back to the same tree.

mod expr;
mod header;
mod history;
mod name;
mod protocol;
mod stmt;

use crate::deep::grow;
use crate::expr::{Bool, Num};
use crate::name::Name;
use crate::site::Site;
use crate::syntax::{ForSort, Protocol, Stmt};
use name::Spelled;
use std::fmt::{self, Write};

/// A printer of statements or protocols.
struct Printer<'f, 'b> {
    out: &'f mut fmt::Formatter<'b>,
    /// Over several lines?
    tall: bool,
    /// With sites as comments?
    sites: bool,
    indent: usize,
}

impl<'f, 'b> Printer<'f, 'b> {
    fn new(out: &'f mut fmt::Formatter<'b>) -> Self {
        let tall = out.alternate();
        Printer { out, tall, sites: false, indent: 0 }
    }

    /// The comment that shows a site, when wanted.
    fn site(&mut self, site: Site) -> fmt::Result {
        match self.sites {
            true => write!(self.out, "/*{site}*/ "),
            false => Ok(()),
        }
    }

    /// A space, or a new line.
    fn separate(&mut self) -> fmt::Result {
        /// Text deeper than this is not indented further, so that output stays linear in input.
        const MAX_INDENT: usize = 32;
        if !self.tall {
            return self.out.write_char(' ');
        }
        self.out.write_char('\n')?;
        (0..self.indent.min(MAX_INDENT)).try_for_each(|_| self.out.write_str("  "))
    }

    /// `{ … }`
    fn braces(&mut self, content: impl FnOnce(&mut Self) -> fmt::Result) -> fmt::Result {
        self.out.write_char('{')?;
        self.indent += 1;
        self.separate()?;
        grow(|| content(self))?;
        self.indent -= 1;
        self.separate()?;
        self.out.write_char('}')
    }

    /// `if c {…} else {…}`
    fn branch(
        &mut self,
        condition: &Bool,
        then: impl FnOnce(&mut Self) -> fmt::Result,
        otherwise: impl FnOnce(&mut Self) -> fmt::Result,
    ) -> fmt::Result {
        write!(self.out, "if {condition} ")?;
        self.braces(then)?;
        self.out.write_str(" else ")?;
        self.braces(otherwise)
    }

    /// `forU x in n..m {…}`
    fn repetition(
        &mut self,
        sort: ForSort,
        var: &Name,
        (lower, upper): (&Num, &Num),
        body: impl FnOnce(&mut Self) -> fmt::Result,
    ) -> fmt::Result {
        let var = Spelled(var);
        write!(self.out, "{sort} {var} in {lower}..{upper} ")?;
        self.braces(body)
    }
}

impl fmt::Display for ForSort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ForSort::U => "forU",
            ForSort::S => "forS",
        })
    }
}

/// A number of things: `1 phase`, `2 phases`, `3 accesses`, `4 queries`.
pub fn counted(n: u64, thing: &str) -> String {
    match (n, thing.strip_suffix('y')) {
        (1, _) => format!("1 {thing}"),
        (_, Some(start)) => format!("{n} {start}ies"),
        _ if thing.ends_with('s') => format!("{n} {thing}es"),
        _ => format!("{n} {thing}s"),
    }
}

macro_rules! printed {
    ($($tree:ident $print:ident;)*) => {$(
        impl fmt::Display for $tree {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                Printer::new(f).$print(self)
            }
        }

        /// As `Display`, with the sites as comments.
        impl fmt::Debug for $tree {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let mut printer = Printer::new(f);
                printer.sites = true;
                printer.$print(self)
            }
        }
    )*};
}

printed! {
    Stmt stmt;
    Protocol protocol;
}
