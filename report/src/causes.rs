//! Races that a reader takes for one.

use babycuda::Checked;
use babycuda_core::evidence::{Certainty, Report, Side, Witness};
use babycuda_core::{Declarations, counted};

/// Races with one cause: between the same two lines, of the same array, as sure as the first, and as benign, or in the statement of one
/// update.
pub(crate) fn groups<'a>(
    checked: &Checked,
    races: &'a [Report<Witness>],
) -> Vec<Vec<&'a Report<Witness>>> {
    let line =
        |side: &Side| checked.declarations.sources.spans.get(&side.site).map(|span| span.line);
    let cause = |race: &Report<Witness>| {
        let mut lines = [line(&race.first), line(&race.second)];
        lines.sort();
        let potential = race.certainty == Certainty::Potential;
        let benign = checked.same_value_of(race).is_some();
        (race.cell.array.clone(), race.same_block(), lines, potential, benign)
    };
    let mut groups: Vec<Vec<&Report<Witness>>> = Vec::new();
    for race in races {
        match groups.iter_mut().find(|group| cause(group[0]) == cause(race)) {
            Some(group) if line(&race.first).is_some() => group.push(race),
            _ => groups.push(vec![race]),
        }
    }
    groups
}

/// The other races of a group, in one line.
pub(crate) fn alike(declarations: &Declarations, others: &[&Report<Witness>]) -> String {
    let place = |side: &Side| declarations.sources.place(side.site);
    let said = |race: &&Report<Witness>| {
        let (first, second) = (place(&race.first), place(&race.second));
        let places = if first == second { first } else { format!("{first} and {second}") };
        format!("{} at {places}", race.kind().description())
    };
    let shown: Vec<String> = others.iter().take(4).map(said).collect();
    let more = if others.len() > 4 { ", …" } else { "" };
    format!(
        "{} of these lines: {}{more}",
        counted(others.len() as u64, "more race"),
        shown.join(", ")
    )
}
