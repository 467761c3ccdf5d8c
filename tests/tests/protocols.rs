//! Λ three ways on random protocols of the whole language: the reference semantics, splitting into
//! parametrised phases (T7), enumeration, and the solver (T8) must agree.

use babycuda_core::syntax::MapFile;
use babycuda_core::{AccessMode, Configuration, Name, Site};
use babycuda_protocols::enumerate::{self, Refusal};
use babycuda_protocols::map::{Ending, Lambda, MapError, MapLimits, evaluate};
use babycuda_protocols::solve::{Cause, SolveOptions, check};
use babycuda_protocols::split::{ByRanges, preserves};
use babycuda_protocols::{enumerate as enumerated, split};
use babycuda_smt::Builtin;
use babycuda_testkit::generators::{Profile, map_file, strategy};
use proptest::prelude::*;
use std::cell::Cell;
use std::collections::BTreeSet;

/// Protocols of the whole language, without data.
const PROFILE: Profile = Profile { data_dependent: false, shadowing: true, ..Profile::ANY };

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

fn maps(profile: Profile) -> impl Strategy<Value = MapFile> {
    strategy(move |choices| map_file(choices, profile))
}

fn configuration(map: &MapFile) -> Option<Configuration> {
    Some(Configuration::of_launch(map.declarations.geometry.launch()?))
}

/// Λ; `None` where it is too long to be compared.
fn lambda(map: &MapFile, at: &Configuration) -> Result<Option<Lambda>, TestCaseError> {
    let limits = MapLimits { steps: 50_000, ..MapLimits::default() };
    match evaluate(&map.protocol, at, &limits) {
        Ok(lambda) => Ok(Some(lambda)),
        Err(MapError::Steps(_)) => Ok(None),
        Err(error) => Err(TestCaseError::fail(format!("{}\n{error}", map.protocol))),
    }
}

type Pairs = BTreeSet<(Name, (Site, AccessMode), (Site, AccessMode))>;

/// The pairs of statements that race, by the definition.
fn pairs(lambda: &Lambda) -> Pairs {
    let mut found = BTreeSet::new();
    for phase in &lambda.phases {
        for (i, e) in phase.events.iter().enumerate() {
            for f in &phase.events[i + 1..] {
                let unordered = e.thread != f.thread && e.mode.conflicts(f.mode, true);
                if unordered && e.cell == f.cell {
                    let mut sides = [(e.site, e.mode), (f.site, f.mode)];
                    sides.sort();
                    found.insert((e.cell.array.clone(), sides[0], sides[1]));
                }
            }
        }
    }
    found
}

#[test]
fn splitting_preserves_lambda_phase_by_phase() {
    let (compared, phases) = (Cell::new(0u32), Cell::new(0u32));
    let cases = 2000;
    proptest!(config(cases), |(map in maps(PROFILE))| {
        let at = configuration(&map).expect("the generator fixes the launch");
        let result = split(
            &map.protocol,
            &mut ByRanges::of(&map.declarations),
        );
        let Some(lambda) = lambda(&map, &at)? else { return Ok(()) };
        if lambda.ending != Ending::Done {
            prop_assert!(!result.obligations.is_empty(), "{}", map.protocol);
        } else if let Ok(split) = &result.phases && result.obligations.is_empty() {
            let same = preserves(&map.protocol, split, &at, &MapLimits::default());
            prop_assert!(same.is_ok(), "{}\n{:?}", map.protocol, same);
            compared.set(compared.get() + 1);
            phases.set(phases.get() + u32::from(lambda.phases.len() > 1));
        }
    });
    assert!(compared.get() > cases / 3, "{} compared", compared.get());
    assert!(phases.get() > cases / 10, "{} of several phases", phases.get());
}

#[test]
fn enumeration_finds_the_races_of_lambda() {
    let (racy, free, diverged) = (Cell::new(0u32), Cell::new(0u32), Cell::new(0u32));
    let cases = 2000;
    proptest!(config(cases), |(map in maps(PROFILE))| {
        let at = configuration(&map).expect("the generator fixes the launch");
        let Some(lambda) = lambda(&map, &at)? else { return Ok(()) };
        let declarations = map.declarations;
        let limits = enumerate::EnumerationLimits::default();
        let result = match enumerated(&map.protocol, &declarations, &at, &limits) {
            Ok(result) => result,
            // Beyond 64 bits the reference semantics alone is exact.
            Err(Refusal::Overflow(_)) => return Ok(()),
            Err(other) => return Err(TestCaseError::fail(format!("{}\n{other}", map.protocol))),
        };
        let found: Pairs =
            result.races.into_keys().map(|k| (k.array, k.first, k.second)).collect();
        prop_assert_eq!(&found, &pairs(&lambda), "{}", map.protocol);
        let diverges = lambda.ending != Ending::Done;
        prop_assert_eq!(!result.divergences.is_empty(), diverges, "{}", map.protocol);
        let counter = if found.is_empty() { &free } else { &racy };
        counter.set(counter.get() + 1);
        diverged.set(diverged.get() + u32::from(diverges));
    });
    // These are mostly free of races; the suites of the crate itself are balanced.
    assert!(racy.get() > cases / 40, "{} racy", racy.get());
    assert!(free.get() > cases / 10, "{} free of races", free.get());
    assert!(diverged.get() > 0, "none diverged");
}

#[test]
fn the_solver_finds_the_races_of_lambda() {
    let (racy, free, undecided) = (Cell::new(0u32), Cell::new(0u32), Cell::new(0u32));
    let cases = 1500;
    let profile = Profile { size: 12, ..PROFILE };
    proptest!(config(cases), |(map in maps(profile))| {
        let at = configuration(&map).expect("the generator fixes the launch");
        let Some(lambda) = lambda(&map, &at)? else { return Ok(()) };
        let mut options = SolveOptions::default();
        options.limits.time = std::time::Duration::from_secs(2);
        let declarations = map.declarations;
        let result = check(&map.protocol, &declarations, &Builtin, &options);
        let diverges = lambda.ending != Ending::Done;
        prop_assert!(diverges || result.divergences.is_empty(), "{}\n{:#?}", map.protocol, result);
        let found: Pairs = result.races.iter().map(|w| {
            let mut sides = [(w.first.site, w.first.mode), (w.second.site, w.second.mode)];
            sides.sort();
            (w.cell.array.clone(), sides[0], sides[1])
        }).collect();
        let expected = pairs(&lambda);
        prop_assert!(found.is_subset(&expected), "{}\n{:?}", map.protocol, found);
        let defect = result.undecided.iter().find(|u| matches!(u.cause, Cause::Model(_)));
        prop_assert!(defect.is_none(), "{}\n{:?}", map.protocol, defect);
        if result.undecided.is_empty() {
            // A race counts up to and including the phase that ends in a divergence.
            prop_assert_eq!(&found, &expected, "{}", map.protocol);
            prop_assert_eq!(diverges, !result.divergences.is_empty(), "{}", map.protocol);
            let counter = if found.is_empty() { &free } else { &racy };
            counter.set(counter.get() + 1);
        } else {
            undecided.set(undecided.get() + 1);
        }
    });
    assert!(racy.get() > cases / 40, "{} racy", racy.get());
    assert!(free.get() > cases / 10, "{} free of races", free.get());
    assert!(undecided.get() < cases / 4, "{} undecided", undecided.get());
}
