//! The race of a technique, replayed in the semantics: its witness speaks of nodes of the typed tree, and becomes one
//! of the statements of the translation that stand at the same places.

use crate::{CheckOptions, Evidence};
use babycuda_core::evidence::{Certainty, Report, Side, Witness};
use babycuda_core::syntax::Tree;
use babycuda_core::{AccessMode, Name, Program, Site, Span, Stmt};

/// How many pairs of statements are tried: a function that is called more than once has its statements as often.
const MOST_PAIRS: usize = 16;

/// The replay of a race whose accesses stand at these places, with its certainty; `None`: no statements stand there, or
/// no run of them shows it.
pub(crate) fn replayed(
    race: &Witness,
    place: &dyn Fn(Site, AccessMode) -> Option<Span>,
    program: &Program,
    options: &CheckOptions,
) -> Option<Report<Witness>> {
    let statements = |side: &Side| {
        // An access has one place: of a component, all of it or the object around it, which begins there.
        let at = place(side.site, side.mode).map(|span| span.start);
        let alike = |(site, array, mode): &(Site, &Name, AccessMode)| {
            at.is_some()
                && program.sources.spans.get(site).map(|span| span.start) == at
                && (*array, *mode) == (&race.cell.array, side.mode)
        };
        let found = program.body.subterms().filter_map(access).filter(alike);
        found.map(|(site, ..)| site).collect::<Vec<_>>()
    };
    let [first, second] = [&race.first, &race.second].map(statements);
    let pairs = first.iter().flat_map(|one| second.iter().map(move |other| [*one, *other]));
    pairs.take(MOST_PAIRS).find_map(|[one, other]| {
        let mut witness = race.clone();
        (witness.first.site, witness.second.site) = (one, other);
        // What led there has sites of the tree, too. Values that were read are those of cells.
        for side in [&mut witness.first, &mut witness.second] {
            side.iteration.clear();
            side.data.retain(|choice| choice.cell.is_some());
        }
        let report = witness.replay(program, options);
        (report.certainty == Certainty::Replayed).then_some(report)
    })
}

/// The access that a statement begins with.
fn access(statement: &Stmt) -> Option<(Site, &Name, AccessMode)> {
    let (mode, array) = statement.head().access()?;
    Some((statement.site()?, array, mode))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check;
    use babycuda_core::parse::parse_program;
    use babycuda_core::syntax::Space;

    #[test]
    fn a_race_is_replayed_at_the_statements_of_its_places() {
        let text = "threads 4; A[tid] := tid; sync; A[tid / 2] := tid";
        let program = parse_program(text).unwrap();
        let options = CheckOptions::default();
        let race = check(&program, &options).unwrap().verdict.races.remove(0);
        let spans = &program.sources.spans;
        // Nodes of another tree stand at the same places.
        let mut witness = race.witness.clone();
        witness.first.site.0 += 100;
        witness.second.site.0 += 100;
        let place = |site: Site, _| spans.get(&Site(site.0 - 100)).copied();
        let found = replayed(&witness, &place, &program, &options).unwrap();
        assert_eq!((&found.witness.first.site, &found.replay), (&race.first.site, &race.replay));
        // At the statement before, nothing races.
        let before = |_, _| spans.values().next().copied();
        assert_eq!(replayed(&witness, &before, &program, &options), None);
        assert_eq!(replayed(&witness, &|_, _| None, &program, &options), None);
        // Blocks have shared arrays of their own.
        let blocks = parse_program("block 2, 1, 1; grid 2, 1, 1; global A; A[tid] := tid").unwrap();
        let race = check(&blocks, &options).unwrap().verdict.races.remove(0).witness;
        let place = |site: Site, _| blocks.sources.spans.get(&site).copied();
        assert!(replayed(&race, &place, &blocks, &options).is_some());
        let mut apart = blocks.clone();
        apart.declarations.arrays[0].space = Space::Shared;
        assert_eq!(replayed(&race, &place, &apart, &options), None);
        let mut reads = witness.clone();
        reads.first.mode = AccessMode::Rd;
        let place = |site: Site, _| spans.get(&Site(site.0 - 100)).copied();
        assert_eq!(replayed(&reads, &place, &program, &options), None);
    }
}
