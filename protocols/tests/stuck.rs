//! Reads of what no one can have written stop a thread (THEORY §4): in the reference Λ, in the
//! enumeration, in the phases of a split, and for the solver.

mod common;

use babycuda_core::parse::parse_protocol;
use babycuda_core::syntax::Geometry;
use babycuda_core::{Configuration, Declarations, Name, Protocol, Site};
use babycuda_protocols::map::{Ending, Lambda, MapLimits, evaluate};
use babycuda_protocols::split::{ByRanges, preserves, split_stopping};
use common::{Control, STOPS, protocol, with_stops};
use proptest::prelude::*;
use std::cell::Cell;
use std::collections::BTreeSet;

fn stops() -> BTreeSet<Name> {
    BTreeSet::from([STOPS.into()])
}

fn at(threads: u32) -> Configuration {
    Configuration { stops: stops(), ..Configuration::threads(threads) }
}

fn lambda(text: &str, at: &Configuration) -> Lambda {
    let protocol = parse_protocol(text).unwrap_or_else(|e| panic!("{e}"));
    evaluate(&protocol, at, &MapLimits::default()).unwrap_or_else(|e| panic!("{text}: {e}"))
}

#[test]
fn what_follows_a_stop_does_not_happen() {
    let stuck = lambda("wr[tid]; if tid == 1 { rd S[0] }; wr[0]", &at(3));
    assert!(matches!(stuck.ending, Ending::Stuck { thread: 1, .. }), "{stuck:?}");
    let by = |i| stuck.phases[0].events.iter().filter(|e| e.thread == i).count();
    assert_eq!((by(0), by(1), by(2)), (2, 1, 2));
}

#[test]
fn the_block_does_not_get_past_its_next_barrier() {
    let stuck = lambda("sync; wr[tid]; if tid == 1 { rd S[0] }; wr[0]; sync; wr[0]", &at(3));
    assert_eq!(stuck.phases.len(), 2);
    assert_eq!(stuck.phases[1].events.len(), 5);
    assert!(!stuck.races().is_empty());
}

#[test]
fn a_stop_comes_before_a_divergence() {
    let text = "if tid == 0 { rd S[0] } else { if tid == 1 { sync } }";
    assert!(matches!(lambda(text, &at(3)).ending, Ending::Stuck { thread: 0, .. }));
    assert!(matches!(lambda(text, &Configuration::threads(3)).ending, Ending::Divergence { .. }));
}

/// T7 where threads are stuck: the phases up to the one in which a thread is.
#[test]
fn splitting_preserves_the_phases_up_to_a_stop() {
    let (stuck, later) = (Cell::new(0u32), Cell::new(0u32));
    let cases = 2000;
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(p in protocol(Control::Uniform, 4))| {
        let p = with_stops(&p);
        let mut prover = ByRanges::of(&Declarations::of_geometry(Geometry::line()));
        let Ok(phases) = split_stopping(&p, &stops(), &mut prover).phases else { return Ok(()) };
        for n in 0u32..3 {
            let at = at(3).with("n", n).with("m", 2u32);
            let lambda = preserves(&p, &phases, &at, &MapLimits::default());
            prop_assert!(lambda.is_ok(), "{p}\nn = {n}: {lambda:?}\n{phases:#?}");
            if let Ok(Lambda { phases, ending: Ending::Stuck { .. } }) = lambda {
                stuck.set(stuck.get() + 1);
                later.set(later.get() + u32::from(phases.len() > 1));
            }
        }
    });
    assert!(stuck.get() > cases / 2, "{} stuck", stuck.get());
    assert!(later.get() > cases / 10, "{} stuck in a later phase", later.get());
}

#[cfg(feature = "smt")]
mod by_solver {
    use super::*;
    use babycuda_core::parse::parse_bool;
    use babycuda_core::syntax::{Domain, Extent};
    use babycuda_protocols::enumerate;
    use babycuda_protocols::solve::{Cause, Checked, SolveOptions, check};
    use babycuda_smt::Builtin;

    fn declarations(threads: u32) -> Declarations {
        let block = [Extent::Known(threads), Extent::Known(1), Extent::Known(1)];
        let mut declarations = Declarations::of_geometry(Geometry { block, ..Geometry::line() })
            .with_param("n", Domain::Natural)
            .with_param("m", Domain::Natural);
        declarations.assumptions = vec![parse_bool("n < 3").unwrap(), parse_bool("m < 3").unwrap()];
        Declarations { stops: stops(), ..declarations }
    }

    fn solved(text: &str, threads: u32) -> Checked {
        let protocol = parse_protocol(text).unwrap_or_else(|e| panic!("{e}"));
        check(&protocol, &declarations(threads), &Builtin, &SolveOptions::default())
    }

    #[test]
    fn accesses_behind_a_stop_do_not_race() {
        assert!(solved("rd S[0]; wr[0]", 4).is_drf());
        assert!(solved("if n < tid + 1 { rd S[0] }; sync; if n == 0 { wr[0] }", 4).is_drf());
        assert!(
            !solved("if n < tid { rd S[0] }; sync; if n == 3 { wr[0] } else { wr[0] }", 2).is_drf()
        );
        // In the first and in the last iteration.
        assert!(solved("forU i in 0..n { if i == 0 { rd S[0] } }; if n > 1 { wr[0] }", 4).is_drf());
        assert!(
            solved("forU i in 0..n { if i + 1 == n { rd S[0] } }; if n > 1 { wr[0] }", 4).is_drf()
        );
    }

    #[test]
    fn accesses_before_a_stop_race() {
        assert!(!solved("wr[0]; rd S[0]", 4).races.is_empty());
        assert!(!solved("wr[0]; if tid == 0 { rd S[0] }; wr[tid + 1]", 4).races.is_empty());
        assert!(!solved("sync; wr[0]; if tid == 2 { rd S[0] }; sync; wr[tid]", 4).races.is_empty());
        // A thread that stopped does not decide at a barrier, but its accesses count.
        let text = "sync; wr[0]; if tid == 0 { rd S[0] }; if tid == 0 { skip } else { sync }";
        assert!(!solved(text, 2).is_drf());
    }

    type Pairs = BTreeSet<(Name, Site, Site)>;

    /// The races of all configurations, by enumeration; is one of them divergent?
    fn brute_force(p: &Protocol, d: &Declarations, threads: u32) -> (Pairs, bool) {
        let (mut pairs, mut diverges) = (Pairs::new(), false);
        for n in 0u32..3 {
            for m in 0u32..3 {
                let at = at(threads).with("n", n).with("m", m);
                let limits = enumerate::EnumerationLimits::default();
                let found = enumerate::enumerate(p, d, &at, &limits).expect("small");
                diverges |= !found.divergences.is_empty();
                let keys = found.races.into_keys();
                pairs.extend(keys.map(|k| (k.array, k.first.0, k.second.0)));
            }
        }
        (pairs, diverges)
    }

    fn agrees(control: Control, threads: u32, cases: u32) -> Result<[u32; 2], TestCaseError> {
        let counts = [Cell::new(0u32), Cell::new(0u32)];
        let config =
            ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
        proptest!(config, |(p in protocol(control, 3))| {
            let p = with_stops(&p);
            let d = declarations(threads);
            let (expected, diverges) = brute_force(&p, &d, threads);
            let mut options = SolveOptions::default();
            options.limits.time = std::time::Duration::from_secs(2);
            let result = check(&p, &d, &Builtin, &options);
            let found: Pairs = result.races.iter().map(|w| {
                let mut sides = [(w.first.site, w.first.mode), (w.second.site, w.second.mode)];
                sides.sort();
                (w.cell.array.clone(), sides[0].0, sides[1].0)
            }).collect();
            if diverges {
                prop_assert!(!result.is_drf(), "{p}");
                return Ok(());
            }
            if result.is_drf() {
                prop_assert!(expected.is_empty(), "{p}: {expected:?}");
                counts[0].set(counts[0].get() + 1);
            }
            prop_assert!(
                result.undecided.iter().all(|u| !matches!(u.cause, Cause::Model(_))),
                "{p}\n{:?}", result.undecided
            );
            if result.undecided.is_empty() && result.divergences.is_empty() && threads == 2 {
                // With two threads no third one can be stuck.
                prop_assert_eq!(&found, &expected, "{}", p);
            }
            counts[1].set(counts[1].get() + u32::from(!expected.is_empty()));
        });
        Ok(counts.map(|c| c.get()))
    }

    #[test]
    fn the_solver_agrees_with_the_enumeration() {
        for (control, threads) in
            [(Control::Uniform, 2), (Control::Free, 2), (Control::Uniform, 3), (Control::Free, 3)]
        {
            let [free, racy] = agrees(control, threads, 300).unwrap();
            assert!(free > 30, "{control:?}, {threads} threads: {free} free of races");
            assert!(racy > 30, "{control:?}, {threads} threads: {racy} racy");
        }
    }
}
