//! What is true of a small launch: all interleavings of its threads (THEORY T6).

use crate::check::has_opaque_data;
use crate::compare::{Answer, Found};
use babycuda_core::evidence::{Confirmation, Side, Witness};
use babycuda_core::history::{HostMemory, Race};
use babycuda_core::{
    AccessMode, Cell, Configuration, Name, Natural, Program, Site, Thread, Together,
};
use babycuda_semantics::Instance;
use babycuda_semantics::interleavings::{
    EndKind, Exploration, ExplorationLimits, Reduction, explore,
};
use babycuda_typing::type_program;
use std::time::Duration;

/// Threads of a launch whose interleavings are visited, at most.
const MAX_THREADS: u64 = 8;

/// Steps of all of them, at most.
const MAX_STEPS: u64 = 200_000;

/// What all interleavings of a launch come to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Interleaved {
    /// How many were visited: at least one of each class that differ in the order of independent steps.
    pub executions: u64,
    /// Is it so whatever the host stored? Otherwise cells that nobody named hold 0.
    pub any_contents: bool,
    /// The races, one for each cell and two threads. Their statements are not known.
    pub races: Vec<Witness>,
    /// Does some interleaving end with threads of a block that wait for others?
    pub diverges: bool,
}

/// Visits them. `None`: the launch is too large, a parameter has no value, or some interleaving comes to no end.
pub(crate) fn interleaved(program: &Program, at: &Configuration) -> Option<Interleaved> {
    let launch = at.launch;
    let threads = launch.grid.count().checked_mul(launch.block.count())?;
    let value = |x: &Name| at.value_of(x, 0);
    let assumed = program.assumptions.iter().all(|c| c.eval(&value).unwrap_or(false));
    if threads > MAX_THREADS || !assumed || !program.contents_assumed.is_empty() {
        return None;
    }
    // An execution of the source ends at a signed overflow.
    let program = program.stopping().unwrap_or_else(|| program.clone());
    let fixed = HostMemory::fixed(&program);
    let at_first = Configuration { block: 0, ..at.clone() };
    let instance = Instance::of(program, at_first).with_host(fixed);
    let blocks = Together::all(&instance.program, &instance.program.body, launch);
    let one = match blocks {
        Some(blocks) => instance.in_one(blocks),
        None if launch.grid.count() == 1 => instance.clone(),
        None => return None,
    };
    let (all, any_contents) = visited(&one, &instance.program, at)?;
    let mut races: Vec<Witness> = Vec::new();
    for race in all.ends.iter().flat_map(|end| end.races()) {
        let witness = witness(race, blocks, at);
        let known = |w: &Witness| {
            let threads = |w: &Witness| [w.first.thread, w.second.thread];
            w.cell == witness.cell && threads(w) == threads(&witness)
        };
        if !races.iter().any(known) {
            races.push(witness);
        }
    }
    let diverges = all.ends.iter().any(|end| end.kind == EndKind::Diverged);
    // CUDA is laxer at barriers of narrower groups.
    if diverges && instance.program.body.scoped_barrier().is_some() {
        return None;
    }
    Some(Interleaved { executions: all.executions, any_contents, races, diverges })
}

/// All executions that end, and whether they are those with any contents: where none reads a cell that the host
/// stored, or no access depends on data (T5).
fn visited(one: &Instance, program: &Program, at: &Configuration) -> Option<(Exploration, bool)> {
    let limits = ExplorationLimits { steps: MAX_STEPS, ..ExplorationLimits::default() };
    let visit = |instance: &Instance| {
        let all = explore(instance, Reduction::SleepSets, &limits).ok()?;
        let is_stuck = |kind: &EndKind| matches!(kind, EndKind::Stuck(_));
        (!all.ends.iter().any(|end| is_stuck(&end.kind))).then_some(all)
    };
    // Nothing is said of contents that are open yet.
    if let (Some(all), false) = (visit(one), has_opaque_data(program)) {
        return Some((all, true));
    }
    let any_contents = type_program(program).is_ok();
    // What is opaque has no value that would be that of a run.
    if !any_contents && has_opaque_data(program) {
        return None;
    }
    let mut zeros = one.clone().defined_everywhere(&Natural::zero());
    for (array, held) in at.host.arrays() {
        for (index, value) in &held.cells {
            let cell = Cell { array: array.clone(), index: index.clone() };
            zeros.configuration.host.set(cell, value.clone());
        }
    }
    Some((visit(&zeros)?, any_contents))
}

/// A race of the one block as one of the launch.
fn witness(race: Race, blocks: Option<Together<'_>>, at: &Configuration) -> Witness {
    let side = |(number, mode): (u64, AccessMode)| Side {
        thread: blocks.map_or(Thread { block: 0, index: number }, |all| all.thread(number)),
        phase: blocks.is_none().then_some(race.phase),
        site: Site::default(),
        mode,
        iteration: Vec::new(),
        data: Vec::new(),
    };
    let (first, second) = (side(race.first), side(race.second));
    let cell = blocks.map_or(race.cell.clone(), |all| all.own(&race.cell));
    let configuration = Configuration { block: first.thread.block, ..at.clone() };
    Witness { configuration, cell, first, second, confirmation: Confirmation::Interleaving }
}

/// What is true where all interleavings were visited.
pub(crate) fn of_all(all: &Interleaved, own: &Answer, ran: Answer, time: Duration) -> Answer {
    let contents = if all.any_contents { "" } else { " with these contents of memory" };
    let technique = format!(
        "all interleavings{contents} ({}, up to the order of independent steps)",
        all.executions
    );
    let verdict = match (all.races.is_empty(), all.diverges) {
        (false, _) => "racy",
        (true, true) => "divergent",
        (true, false) => "drf",
    };
    let (races, divergences) = (Vec::new(), Vec::new());
    let here = Answer { technique, verdict: Some(verdict), reason: None, time, ..own.clone() };
    match (verdict, own.verdict) {
        // A run and a witness say where the accesses stand.
        ("racy", _) if !ran.races.is_empty() => Answer { races: ran.races, divergences, ..here },
        (same, Some(own)) if same == own => here,
        ("racy", _) => {
            let found = |witness: &Witness| Found {
                witness: witness.clone(),
                parameters: Vec::new(),
                places: [None; 2],
                same_value: None,
                evaluator: None,
                replayed: None,
            };
            Answer { races: all.races.iter().map(found).collect(), divergences, ..here }
        }
        // A run has what its translation has not.
        _ if ran.verdict == Some("racy") => ran,
        _ if all.any_contents => Answer { races, divergences, ..here },
        // With other contents there may be more.
        (_, Some("racy" | "divergent")) => {
            Answer { technique: "check of the translation".to_owned(), ..own.clone() }
        }
        ("divergent", _) => Answer { races, divergences, ..here },
        _ => {
            let reason = Some("no race in any; others were not tried".to_owned());
            Answer { verdict: Some("unknown"), reason, races, divergences, ..here }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use babycuda_core::parse::parse_program;
    use babycuda_core::{Dim3, Launch};

    /// Whether it races, and diverges; and whether that is so with any contents.
    fn of(program: &str, [blocks, threads]: [u32; 2]) -> Option<(bool, bool, bool)> {
        let program = parse_program(program).unwrap_or_else(|e| panic!("{program}: {e}"));
        let launch = Launch::new(Dim3::line(blocks), Dim3::line(threads));
        let all = interleaved(&program, &Configuration::of_launch(launch))?;
        Some((!all.races.is_empty(), all.diverges, all.any_contents))
    }

    #[test]
    fn blocks_are_interleaved_together() {
        let one = "global A; A[threadIdx.x] := 1";
        assert_eq!(of(one, [1, 2]), Some((false, false, true)));
        assert_eq!(of(one, [2, 2]), Some((true, false, true)));
        let own = "shared S; S[threadIdx.x] := 1; sync; S[1 - threadIdx.x] := 2";
        assert_eq!(of(own, [2, 2]), Some((false, false, true)));
        let apart = "global A; if threadIdx.x == 0 { sync } else { skip }";
        assert_eq!(of(apart, [2, 2]), Some((false, true, true)));
        let races = "global A; shared S; A[threadIdx.x] := 1; S[0] := threadIdx.x";
        let program = parse_program(races).unwrap();
        let at = Configuration::of_launch(Launch::new(Dim3::line(2), Dim3::line(2)));
        let found = interleaved(&program, &at).unwrap().races;
        let found: Vec<String> = found
            .iter()
            .map(|w| format!("{} {} {}", w.cell, w.first.thread, w.second.thread))
            .collect();
        assert_eq!(found.len(), 4, "{found:?}");
    }

    #[test]
    fn contents_may_decide() {
        let decides =
            "global A; global B = any; let x = B[tid] in if x == 7 { A[0] := 1 } else { skip }";
        assert_eq!(of(decides, [1, 2]), Some((false, false, false)));
        // No access depends on what is read (T5).
        let copies = "global A; global B = any; let x = B[tid] in A[tid] := x";
        assert_eq!(of(copies, [1, 2]), Some((false, false, true)));
        let opaque = decides.replace("any", "opaque");
        assert_eq!(of(&opaque, [1, 2]), None);
        // What is read was written before.
        let inside = "global A; shared S; S[tid] := tid; sync; let x = S[1 - tid] in A[x] := x";
        assert_eq!(of(inside, [1, 2]), Some((false, false, true)));
        let given = "global A; global B = any; let x = B[0] in A[tid * x] := 1";
        let program = parse_program(given).unwrap();
        let mut at = Configuration::threads(2);
        for (value, racy) in [(0u32, true), (1, false)] {
            at.host.set(Cell::new("B", 0u64), value.into());
            assert_eq!(interleaved(&program, &at).map(|all| !all.races.is_empty()), Some(racy));
        }
    }

    #[test]
    fn what_is_too_large_is_left_to_others() {
        assert_eq!(of("global A; A[tid] := 1", [1, 8]), Some((false, false, true)));
        assert_eq!(of("global A; A[tid] := 1", [1, 9]), None);
        assert_eq!(of("global A; A[tid] := 1", [3, 3]), None);
        assert_eq!(of("param n; global A; A[tid * n] := 1", [1, 2]), None);
        let many = "global A; forU x in 0..20 { A[x] := tid }";
        assert_eq!(of(many, [1, 8]), None);
        let lax = "global A; if tid == 0 { sync.warp } else { skip }";
        assert_eq!(of(lax, [1, 2]), None);
    }
}
