//! Races in small launches that are drawn, where solvers come to no answer.

use super::CheckOptions;
use crate::draws::Draws;
use babycuda_core::evidence::Witness;
use babycuda_core::syntax::{Domain, Extent};
use babycuda_core::{
    Budget, Configuration, Declarations, Dim3, Launch, Natural, Protocol, Site, Together,
};
use babycuda_protocols::enumerate::{EnumerationLimits, enumerate};
use std::collections::BTreeSet;

/// So many launches are drawn.
const DRAWN: usize = 1024;

/// So much of a launch is enumerated: accesses, iterations and runs of threads.
const MAX_STEPS: u64 = 20_000;

/// Bytes that one enumeration may use.
const MAX_MEMORY: u64 = 1 << 24;

/// Extents of blocks and of grids that are any.
const EXTENTS: [u32; 8] = [1, 1, 2, 2, 3, 4, 6, 8];

/// Values of parameters that are any; those that their type does not have count from its end.
const VALUES: [i64; 16] = [0, 1, 1, 2, 2, 3, 4, 5, 6, 8, 16, -1, -2, -3, -5, -8];

/// The races of one of these launches, between statements of which the race is `open`; none where data decides. All of it
/// has a quarter of the time of one question.
pub(super) fn races(
    protocol: &Protocol,
    declarations: &Declarations,
    open: &BTreeSet<[Site; 2]>,
    options: &CheckOptions,
) -> Vec<Witness> {
    let fixed = declarations.geometry.launch().is_some()
        && declarations.params.iter().all(|param| param.value.is_some());
    if open.is_empty() || fixed || !declarations.contents_assumed.is_empty() {
        return Vec::new();
    }
    let budget = Budget::time(options.budget.at_most(options.timeout / 4));
    let limits =
        EnumerationLimits { steps: MAX_STEPS, memory: MAX_MEMORY, budget, ..options.limits };
    let asked = |witness: &Witness| {
        let mut sites = [witness.first.site, witness.second.site];
        sites.sort();
        open.contains(&sites)
    };
    let mut draws = Draws::new();
    for _ in 0..DRAWN {
        let at = drawn(declarations, &mut draws);
        if !declarations.admits(&at) || Together::of(declarations, protocol, at.launch).is_some() {
            continue;
        }
        match budget.within(|| enumerate(protocol, declarations, &at, &limits)) {
            Ok(Ok(found)) => {
                let races = found.races.into_values().map(|race| race.witness);
                let races: Vec<Witness> = races.filter(asked).collect();
                if !races.is_empty() {
                    return races;
                }
            }
            // Another one may be smaller.
            Ok(Err(_)) => {}
            Err(_) => break,
        }
    }
    Vec::new()
}

/// A small launch with small parameters.
fn drawn(declarations: &Declarations, draws: &mut Draws) -> Configuration {
    let mut extents = |declared: [Extent; 3]| {
        let [x, y, z] = declared.map(|extent| match extent {
            Extent::Known(k) => k,
            Extent::Symbolic => draws.of(&EXTENTS),
        });
        Dim3 { x, y, z }
    };
    let geometry = &declarations.geometry;
    let block = extents(geometry.block);
    let grid = extents(geometry.grid.unwrap_or([Extent::Known(1); 3]));
    let launch = Launch { block, grid, warp: geometry.warp };
    let stops = declarations.stops.clone();
    let at = Configuration { stops, ..Configuration::of_launch(launch) };
    declarations.params.iter().fold(at, |at, param| {
        let drawn = draws.of(&VALUES);
        let value = match (&param.value, param.domain) {
            (Some(value), _) => value.clone(),
            (None, Domain::Natural) => Natural::from(drawn.unsigned_abs()),
            (None, Domain::Machine(t)) => t.pattern(&Natural::from(drawn as u64)).into(),
        };
        at.with(param.name.clone(), value)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use babycuda_core::Stmt;
    use babycuda_core::parse::parse_program;
    use babycuda_typing::approximate;

    fn found(text: &str) -> Vec<Witness> {
        let program = parse_program(text).unwrap_or_else(|e| panic!("{text}: {e}"));
        let protocol = approximate(&program).protocol;
        let sites: Vec<Site> = program.body.subterms().filter_map(Stmt::site).collect();
        let open =
            sites.iter().flat_map(|a| sites.iter().map(|b| [*a.min(b), *a.max(b)])).collect();
        races(&protocol, &program, &open, &CheckOptions::default())
    }

    #[test]
    fn races_of_small_launches_are_found() {
        // Rows of a negative width overlap.
        let rows = "threads *; param w: i32; A[add.i32(mul.i32(tid % 4, w), tid / 4)] := tid";
        let of_rows = found(rows);
        assert!(!of_rows.is_empty() && of_rows.iter().all(|race| race.same_block()), "{of_rows:?}");
        let program = parse_program(rows).expect("a program");
        assert!(of_rows.iter().all(|race| program.admits(&race.configuration)));
    }

    #[test]
    fn what_is_race_free_or_fixed_has_none() {
        for text in [
            "threads *; param w: i32; A[tid] := w",
            "threads *; param w: i32; assume 9 <= w; assume w <= 15; if w == 3 { A[0] := tid } else { skip }",
            "threads 4; A[tid / 2] := tid",
        ] {
            assert_eq!(found(text), [], "{text}");
        }
    }
}
