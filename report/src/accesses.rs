//! What each access of a kernel rests on: nothing, what the host stored, or other data, and through which reads.

use crate::document::Mode;
use crate::names;
use babycuda::typing::{AccessCertainty, DataFlow, approximate};
use babycuda_core::{Declarations, Name, Program, Site, Span};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;

/// An access, and what decides whether, where and when it happens.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Annotation {
    /// The array.
    pub array: Name,
    /// How.
    pub mode: Mode,
    /// Where it stands.
    pub line: Option<u32>,
    /// Likewise.
    pub column: Option<u32>,
    /// What it rests on.
    pub basis: Basis,
    /// The reads through which it rests on data.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub through: Vec<Read>,
}

/// What an access rests on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Basis {
    /// Nothing: it happens in every run, whatever the arrays hold (LCL22 Theorem 1).
    Independent,
    /// What the host stored in arrays that the kernel only reads (THEORY T11).
    Host,
    /// Other data.
    Data,
}

/// A read whose value decides something.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Read {
    /// The array; null: what the source has no array for.
    pub array: Option<Name>,
    /// Where it stands.
    pub line: Option<u32>,
    /// Likewise.
    pub column: Option<u32>,
}

/// The accesses of a program, in the order of its source. Copies of a statement are one.
pub fn of(program: &Program) -> Vec<Annotation> {
    let (declarations, inputs) = (&program.declarations, program.inputs());
    let mut all: Vec<(Option<Span>, Annotation)> = Vec::new();
    for access in &approximate(program).accesses {
        if !names::is_named(declarations, &access.array) {
            continue;
        }
        let span = span(declarations, access.site);
        let annotation = annotation(declarations, &inputs, access, span);
        let same = |(at, known): &&mut (Option<Span>, Annotation)| {
            *at == span && known.mode == annotation.mode && known.array == annotation.array
        };
        match all.iter_mut().find(same) {
            Some((_, known)) if span.is_some() => {
                known.basis = known.basis.max(annotation.basis);
                known.through.extend(annotation.through);
                known.through.sort();
                known.through.dedup();
            }
            _ => all.push((span, annotation)),
        }
    }
    all.sort_by_key(|(span, _)| span.map(|at| (at.start, at.end)));
    all.into_iter().map(|(_, annotation)| annotation).collect()
}

fn span(declarations: &Declarations, site: Site) -> Option<Span> {
    declarations.sources.spans.get(&site).copied()
}

fn annotation(
    declarations: &Declarations,
    inputs: &BTreeSet<Name>,
    access: &AccessCertainty,
    at: Option<Span>,
) -> Annotation {
    let basis = |flow: &DataFlow| match flow.is_input(inputs) {
        true => Basis::Host,
        false => Basis::Data,
    };
    let read = |flow: &DataFlow| {
        let at = span(declarations, flow.site);
        let array = Some(flow.array.clone()).filter(|array| names::is_named(declarations, array));
        Read { array, line: at.map(|at| at.line), column: at.map(|at| at.column) }
    };
    let through: BTreeSet<Read> = access.flows().map(read).collect();
    Annotation {
        array: access.array.clone(),
        mode: access.mode.into(),
        line: at.map(|at| at.line),
        column: at.map(|at| at.column),
        basis: access.flows().map(basis).max().unwrap_or(Basis::Independent),
        through: through.into_iter().collect(),
    }
}

/// `15:5 wr s: independent of data`
impl fmt::Display for Annotation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let (Some(line), Some(column)) = (self.line, self.column) {
            write!(f, "{line}:{column} ")?;
        }
        write!(f, "{} {}: ", self.mode, self.array)?;
        f.write_str(match self.basis {
            Basis::Independent => return f.write_str("independent of data"),
            Basis::Host => "relative to the host, through ",
            Basis::Data => "rests on data, through ",
        })?;
        let through: Vec<String> = self.through.iter().map(ToString::to_string).collect();
        f.write_str(&through.join(", "))
    }
}

/// `row at 8:14`
impl fmt::Display for Read {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.array {
            Some(array) => write!(f, "{array}")?,
            None => f.write_str("what is not known")?,
        }
        match (self.line, self.column) {
            (Some(line), Some(column)) => write!(f, " at {line}:{column}"),
            _ => Ok(()),
        }
    }
}
