//! Witnesses of a protocol, of which there is no program to run: in given contents of the host, Λ is
//! all that there is to know.

use super::CheckOptions;
use super::least::least;
use babycuda_core::Configuration;
use babycuda_core::evidence::{
    Certainty, Confirmation, Divergence, DivergenceWitness, Report, Witness,
};
use babycuda_core::history::HostMemory;
use babycuda_core::syntax::MapFile;
use babycuda_protocols::enumerate::{Enumeration, EnumerationLimits, enumerate};
use std::collections::BTreeSet;

/// Judges the race of a witness. Where it rests on data, all of Λ is evaluated in its contents; the
/// race that is reported is then one in the least contents that have such a race.
pub(super) fn race(map: &MapFile, witness: Witness, options: &CheckOptions) -> Report<Witness> {
    if !witness.depends_on_data() && witness.confirmation != Confirmation::Alone {
        return Report { witness, certainty: Certainty::Provable, replay: None };
    }
    let pair = witness.pair();
    let shown = |mut found: Enumeration| Some(found.races.remove(&pair)?.witness);
    match in_contents(map, &witness.configuration, options, shown) {
        Some((host, mut witness)) => {
            witness.configuration.host = host;
            Report { witness, certainty: Certainty::Provable, replay: None }
        }
        None => Report { witness, certainty: Certainty::Potential, replay: None },
    }
}

/// Judges a divergence likewise.
pub(super) fn divergence(
    map: &MapFile,
    mut witness: DivergenceWitness,
    options: &CheckOptions,
) -> Report<DivergenceWitness> {
    let mut certainty = Certainty::Provable;
    if witness.depends_on_data() {
        let stops = |of: &Divergence| BTreeSet::from([of.first.1, of.second.1]);
        let (block, stopped) = (witness.configuration.block, stops(&witness.divergence));
        let shown = |mut found: Enumeration| {
            found.divergences.remove(&block).filter(|of| stops(of) == stopped)
        };
        match in_contents(map, &witness.configuration, options, shown) {
            Some((host, divergence)) => {
                (witness.configuration.host, witness.divergence) = (host, divergence);
                witness.data = Default::default();
            }
            None => certainty = Certainty::Potential,
        }
    }
    Report { witness, certainty, replay: None }
}

/// What Λ shows in the contents of the configuration, or in the least that were found to show it.
fn in_contents<T>(
    map: &MapFile,
    at: &Configuration,
    options: &CheckOptions,
    shown: impl Fn(Enumeration) -> Option<T>,
) -> Option<(HostMemory, T)> {
    let MapFile { declarations, protocol } = map;
    let steps = options.replay_steps.min(options.limits.steps);
    let limits =
        EnumerationLimits { steps, budget: options.budget, one_race: false, ..options.limits };
    let look = |host: &HostMemory| {
        let at = Configuration { host: host.clone(), ..at.clone() };
        let found = enumerate(protocol, declarations, &at, &limits).ok();
        let found = found.filter(|_| declarations.admits(&at))?;
        let cost = found.accesses;
        Some((cost, shown(found)?))
    };
    let first = look(&at.host)?;
    let budget = (first.0, steps);
    let (host, (_, shown)) = least(declarations, at.host.clone(), first, budget, look);
    Some((host, shown))
}

#[cfg(test)]
mod tests {
    use super::*;
    use babycuda_core::evidence::{Choice, Side};
    use babycuda_core::history::HostArray;
    use babycuda_core::parse::parse_map;
    use babycuda_core::{AccessMode, Cell, Natural, Site, Thread};

    fn map(text: &str) -> MapFile {
        parse_map(text).unwrap_or_else(|e| panic!("{text}: {e}"))
    }

    /// Threads 0 and 1 write `A[0]` at the site of this number.
    fn both(site: u32) -> Witness {
        let side = |index| Side {
            thread: Thread { block: 0, index },
            phase: None,
            site: Site(site),
            mode: AccessMode::Wr,
            iteration: Vec::new(),
            data: Vec::new(),
        };
        let (configuration, cell) = (Configuration::threads(3), Cell::new("A", 0u32));
        let (first, second) = (side(0), side(1));
        Witness { configuration, cell, first, second, confirmation: Confirmation::Path }
    }

    fn read(cell: Option<Cell>) -> Vec<Choice> {
        vec![Choice { site: Site(0), var: "x".into(), value: 7u32.into(), cell }]
    }

    #[test]
    fn all_of_lambda_decides_where_a_witness_alone_does_not() {
        let certainty = |text: &str, witness: &Witness| {
            race(&map(text), witness.clone(), &CheckOptions::default()).certainty
        };
        let mut found = both(0);
        assert_eq!(certainty("threads 3; wr A[0]", &found), Certainty::Provable);
        found.confirmation = Confirmation::Alone;
        assert_eq!(certainty("threads 3; wr A[0]", &found), Certainty::Provable);
        // Others diverge before.
        let mut found = both(2);
        found.confirmation = Confirmation::Alone;
        let diverging = "threads 3; if tid == 2 { sync }; wr A[0]";
        assert_eq!(certainty(diverging, &found), Certainty::Provable, "they stop at the end");
        let diverging = "threads 3; if tid == 2 { sync } else { sync }; wr A[0]";
        found = both(3);
        found.confirmation = Confirmation::Alone;
        assert_eq!(certainty(diverging, &found), Certainty::Potential);
        // Data that nobody knows.
        let mut found = both(2);
        found.first.data = read(None);
        let any = "threads 3; any x { if x == 7 { wr A[0] } }";
        assert_eq!(certainty(any, &found), Certainty::Potential);
    }

    #[test]
    fn a_race_is_shown_in_the_least_contents() {
        let text = "threads 3; global P = any; global A; \
            let x = input P[tid] in if x == 7 { wr A[0] }";
        let mut found = both(2);
        found.first.data = read(Some(Cell::new("P", 0u32)));
        let stored = |cells: &[u32]| {
            let cells = (0u32..).zip(cells).map(|(i, k)| (i.into(), (*k).into()));
            let contents = HostArray { fill: Some(Natural::zero()), cells: cells.collect() };
            let mut at = found.clone();
            at.configuration.host.insert("P".into(), contents);
            race(&map(text), at, &CheckOptions::default())
        };
        let shown = stored(&[7, 7, 7, 3]);
        assert_eq!(shown.certainty, Certainty::Provable);
        let cells = shown.configuration.host.cells().filter(|(_, k)| *k != Natural::zero());
        assert_eq!(cells.count(), 2, "{shown:?}");
        assert_eq!(stored(&[7, 0, 0, 7]).certainty, Certainty::Potential);
        assert_eq!(
            race(&map(text), found.clone(), &CheckOptions::default()).certainty,
            Certainty::Potential
        );
    }

    #[test]
    fn contents_are_as_assumed() {
        let text = "threads 3; global P = any; global A; assume forall i in 0..3: P[i] >= 5; \
            let x = input P[tid] in if x >= 7 { wr A[0] }";
        let judged = |cells: [u32; 3]| {
            let cells = (0u32..).zip(cells).map(|(i, k)| (i.into(), k.into())).collect();
            let mut found = both(2);
            found.first.data = read(Some(Cell::new("P", 0u32)));
            let contents = HostArray { fill: Some(Natural::zero()), cells };
            found.configuration.host.insert("P".into(), contents);
            race(&map(text), found, &CheckOptions::default())
        };
        assert_eq!(judged([7, 7, 4]).certainty, Certainty::Potential);
        let shown = judged([9, 9, 9]);
        assert_eq!(shown.certainty, Certainty::Provable);
        let cells = shown.configuration.host.cells().map(|(_, k)| k);
        assert_eq!(cells.collect::<Vec<_>>(), [5u32, 7, 7].map(Natural::from), "the least of them");
    }
}
