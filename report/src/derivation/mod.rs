//! Derivations, drawn. A derivation of whatever judgment becomes a [`Drawing`], and that is shown as
//! text, indented or as inference rules, as HTML, as SVG or as a LaTeX document.
//!
//! Histories are long and the same in most places, so judgments of runs name them `H0`, `H1`, … and a
//! legend says what they are.

mod compact;
mod drawing;
mod family;
mod formula;
mod html;
mod latex;
mod layout;
mod legend;
mod letter;
mod names;
mod notation;
mod outline;
mod protocol;
mod run;
mod share;
mod stopped;
mod svg;
mod texts;
mod tree;
mod types;

pub use compact::compact;
pub use drawing::Drawing;
pub use html::html;
pub use latex::{Style, latex};
pub use stopped::{stopped_document, stopped_map, stopped_run, stopped_type};
pub use svg::{PAGE, svg};
pub use tree::tree;

use babycuda::{protocols::map, semantics, typing};
use drawing::Source;
use notation::Notation;

/// Rule instances that are drawn: those nearest to the root. Indented text has all.
pub const DRAWN: usize = 400;

/// Rule instances that are looked at: threads that do the same are drawn once.
const LOOKED_AT: usize = 40_000;

/// The derivation of a run, all of it, for indented text.
pub fn run_in_full(derivation: &semantics::Derivation) -> Drawing {
    in_full(derivation)
}

/// Likewise the derivation of a type.
pub fn type_in_full(derivation: &typing::Derivation) -> Drawing {
    Drawing { brief: true, bare: true, ..in_full(derivation) }
}

/// Likewise the derivation of a protocol's accesses.
pub fn map_in_full(derivation: &map::Derivation) -> Drawing {
    Drawing { bare: true, ..in_full(derivation) }
}

fn in_full<S: Source>(derivation: &S) -> Drawing {
    Drawing::of(derivation, usize::MAX, &mut Notation::spelled())
}

/// The derivation of a run, to be drawn.
pub fn of_run(derivation: &semantics::Derivation) -> Drawing {
    drawn(derivation)
}

/// Likewise the derivation of a type.
pub fn of_type(derivation: &typing::Derivation) -> Drawing {
    drawn(derivation)
}

/// Likewise the derivation of a protocol's accesses.
pub fn of_map(derivation: &map::Derivation) -> Drawing {
    drawn(derivation)
}

fn drawn<S: Source>(derivation: &S) -> Drawing {
    let mut drawing = Drawing::of(derivation, LOOKED_AT, &mut Notation::default());
    finish(&mut drawing);
    drawing
}

/// Equal parts, and threads that do the same, are one; what is too far from the root is left out, and
/// so are names that only it has.
fn finish(drawing: &mut Drawing) {
    share::equal(drawing);
    family::together(drawing);
    drawing.cut(DRAWN);
    legend::only_met(drawing);
}
