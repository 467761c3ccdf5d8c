//! What the reader calls things: cells, counters and values as the source has them.

use babycuda_core::evidence::{Choice, Side};
use babycuda_core::natural::Integer;
use babycuda_core::syntax::{Domain, Shape};
use babycuda_core::{BigInt, Cell, Configuration, Declarations, Name, Natural, Site};
use std::collections::BTreeMap;

/// Is the program its own source? Then its names are the reader's.
fn is_source(declarations: &Declarations) -> bool {
    declarations.sources.shapes.is_empty()
}

/// Has the source this array? What it cannot express is read from others.
pub(crate) fn is_named(declarations: &Declarations, array: &Name) -> bool {
    is_source(declarations) || declarations.sources.shapes.contains_key(array)
}

/// A cell: `As[1][0]`, `in[-3]`, `factor`.
pub(crate) fn cell(declarations: &Declarations, cell: &Cell) -> String {
    let Cell { array, index } = cell;
    let Some(shape) = declarations.sources.shapes.get(array) else { return cell.to_string() };
    // Indices of C are words; far behind is before.
    let Some(word) = index.to_u64() else { return cell.to_string() };
    let at = i128::from(word.cast_signed());
    match shape {
        Shape::Scalar if at == 0 => array.to_string(),
        Shape::Scalar | Shape::Cells => format!("{array}[{at}]"),
        Shape::Array(extents) => {
            let (mut indices, mut rest) = (Vec::new(), at);
            for extent in extents.iter().rev().filter(|extent| **extent > 0) {
                indices.push(rest.rem_euclid(i128::from(*extent)));
                rest = rest.div_euclid(i128::from(*extent));
            }
            indices.push(rest);
            let indices = indices.iter().rev().map(|index| format!("[{index}]"));
            format!("{array}{}", indices.collect::<String>())
        }
    }
}

/// The variables that the loops around an access count, outermost first. A loop that counts none that has a name in the
/// source is left out.
pub(crate) fn counters(
    declarations: &Declarations,
    at: &Configuration,
    side: &Side,
) -> Vec<(String, Integer)> {
    let exact = |k: &Natural| Integer(BigInt::from(k));
    if is_source(declarations) {
        let own = side.iteration.iter();
        return own.map(|counter| (counter.var.to_string(), exact(&counter.value))).collect();
    }
    let counted = &declarations.sources.counted;
    let mut known: BTreeMap<&Name, &Natural> =
        side.data.iter().map(|choice| (&choice.var, &choice.value)).collect();
    for counter in &side.iteration {
        known.insert(&counter.var, &counter.value);
        if let Some(variable) = counted.get(&counter.site) {
            known.insert(&variable.counter, &counter.value);
        }
    }
    let value = |name: &Name| {
        let known = known.get(name).map(|k| (*k).clone());
        let launched = || at.launch.value_of(name.as_str(), side.thread);
        known.or_else(launched).or_else(|| at.parameters.get(name).cloned())
    };
    let named = side.iteration.iter().filter_map(|counter| {
        let variable = counted.get(&counter.site)?;
        let k = variable.value.eval(&value).ok()?;
        Some((variable.name.clone(), Domain::Machine(variable.ty).read(&k)))
    });
    named.collect()
}

/// What a thread has to have read, and where: in a cell, or where that is not known, in the place as the
/// source `text` has it. `None`: it stands for what the source does not say.
pub(crate) fn read(
    declarations: &Declarations,
    text: &str,
    choice: &Choice,
) -> Option<(String, Integer)> {
    let stored = |array: &Name| declarations.read_content(array, &choice.value);
    match &choice.cell {
        Some(at) if !is_named(declarations, &at.array) => None,
        Some(at) => Some((cell(declarations, at), stored(&at.array))),
        None if is_source(declarations) => {
            Some((choice.var.to_string(), Integer((&choice.value).into())))
        }
        None => {
            let place = place(declarations, text, choice.site)?;
            let word = |c: char| c.is_alphanumeric() || c == '_';
            let name = place.split(|c| !word(c)).find(|part| !part.is_empty())?;
            let array = declarations.sources.shapes.keys().find(|array| array.as_str() == name)?;
            Some((place.to_owned(), stored(array)))
        }
    }
}

/// What stands at a site, where that is short.
fn place<'a>(declarations: &Declarations, text: &'a str, site: Site) -> Option<&'a str> {
    const LONGEST: usize = 80;
    let span = declarations.sources.spans.get(&site)?;
    text.get(span.bytes()).filter(|place| place.len() <= LONGEST && !place.contains('\n'))
}
