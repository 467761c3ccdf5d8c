//! Declarations, programs and protocol files.

use super::name::{Quoted, Spelled};
use crate::launch::WARP_SIZE;
use crate::parse::token::identifier_length;
use crate::syntax::{
    ArrayDecl, Contents, Declarations, Domain, Expectation, Extent, Geometry, MapFile, Note, Param,
    Program, Space,
};
use std::fmt;

/// The declarations, then a line without text, then the body. A program of the paper has no
/// declarations but its parameters. Notes are printed as comments.
impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}\n{:#}", self.declarations, self.body)
    }
}

impl fmt::Display for MapFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}\n{:#}", self.declarations, self.protocol)
    }
}

impl fmt::Display for Declarations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for note in &self.notes {
            writeln!(f, "{note}")?;
        }
        writeln!(f, "kernel {};", Spelled(&self.name))?;
        geometry(f, &self.geometry)?;
        for param in &self.params {
            writeln!(f, "{param};")?;
        }
        for array in &self.arrays {
            writeln!(f, "{array};")?;
        }
        for assumption in &self.assumptions {
            writeln!(f, "assume {assumption};")?;
        }
        for assumption in &self.contents_assumed {
            writeln!(f, "assume {assumption};")?;
        }
        for expectation in &self.expectations {
            writeln!(f, "expect {expectation};")?;
        }
        Ok(())
    }
}

fn geometry(f: &mut fmt::Formatter<'_>, geometry: &Geometry) -> fmt::Result {
    match geometry.block {
        [x, Extent::Known(1), Extent::Known(1)] => writeln!(f, "threads {x};")?,
        [x, y, z] => writeln!(f, "block {x}, {y}, {z};")?,
    }
    if let Some([x, y, z]) = geometry.grid {
        writeln!(f, "grid {x}, {y}, {z};")?;
    }
    match geometry.warp {
        WARP_SIZE => Ok(()),
        warp => writeln!(f, "warp {warp};"),
    }
}

impl fmt::Display for Extent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Extent::Known(extent) => write!(f, "{extent}"),
            Extent::Symbolic => f.write_str("*"),
        }
    }
}

impl fmt::Display for Param {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "param {}{}", Spelled(&self.name), Typed(self.domain))?;
        match &self.value {
            None => Ok(()),
            Some(value) => write!(f, " = {value}"),
        }
    }
}

/// `: T`, or nothing for naturals.
struct Typed(Domain);

impl fmt::Display for Typed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Domain::Natural => Ok(()),
            Domain::Machine(t) => write!(f, ": {t}"),
        }
    }
}

impl fmt::Display for ArrayDecl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let space = match self.space {
            Space::Shared => "shared",
            Space::Global => "global",
        };
        write!(f, "{space} {}", Spelled(&self.name))?;
        if let Some(length) = &self.length {
            write!(f, "[{length}]")?;
        }
        write!(f, "{}", Typed(self.element))?;
        match &self.contents {
            Contents::Undefined => Ok(()),
            contents => write!(f, " = {contents}"),
        }
    }
}

impl fmt::Display for Contents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Contents::Undefined => f.write_str("undefined"),
            Contents::Values(values) => f.debug_list().entries(values).finish(),
            Contents::Fill(value) => write!(f, "fill {value}"),
            Contents::Any => f.write_str("any"),
            Contents::Opaque => f.write_str("opaque"),
        }
    }
}

impl fmt::Display for Expectation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expectation::Drf => f.write_str("drf"),
            Expectation::Racy(None) => f.write_str("racy"),
            Expectation::Racy(Some((array, None))) => write!(f, "racy {}", Spelled(array)),
            Expectation::Racy(Some((array, Some(index)))) => {
                write!(f, "racy {}[{index}]", Spelled(array))
            }
            Expectation::Divergent => f.write_str("divergent"),
            Expectation::Unknown => f.write_str("unknown"),
            Expectation::Stuck => f.write_str("stuck"),
            Expectation::Typed => f.write_str("typed"),
            Expectation::IllTyped(None) => f.write_str("ill-typed"),
            Expectation::IllTyped(Some(rule)) if is_rule_id(rule) => write!(f, "ill-typed {rule}"),
            Expectation::IllTyped(Some(rule)) => write!(f, "ill-typed {}", Quoted(rule, '"')),
        }
    }
}

/// Does a text look like `t-write` or `type/t-write`?
fn is_rule_id(text: &str) -> bool {
    text.split(['-', '/']).all(|word| !word.is_empty() && identifier_length(word) == word.len())
}

/// A comment of one line.
impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let message = self.message.replace(['\n', '\r'], " ");
        match self.span {
            None => write!(f, "// note: {message}"),
            Some(span) => write!(f, "// note at {span}: {message}"),
        }
    }
}
