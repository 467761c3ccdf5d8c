//! The semantics, and what decides races of one launch, each implementation by itself.

use super::{Inside, Make, TIME, told, unsupported};
use crate::tool::{Answer, Divergence};
use babycuda::core::verdict::Outcome;
use babycuda::{CheckOptions, Decide, check};
use babycuda_core::Budget;
use babycuda_semantics::Instance;
use babycuda_semantics::interleavings::{EndKind, ExplorationLimits, Reduction, explore};
use babycuda_validation::scorecard::truth::{Truth, instance, truth_by};
use babycuda_validation::scorecard::{About, Case};

/// Steps of all interleavings of a kernel, at most.
const STEPS: u64 = 20_000;

pub(super) const ALL: [(&str, Make); 4] = [
    ("reference", |_| Ok(of_run("reference", reference))),
    ("interleavings", |_| Ok(of_run("interleavings", interleavings))),
    ("enumeration", |_| Ok(deciding("enumeration", Decide::Enumerate))),
    ("solvers", |_| Ok(deciding("solvers", Decide::Solve))),
];

fn of_run(name: &'static str, ask: fn(&Case, u32) -> Answer) -> Inside {
    Inside { name, about: About::Run, divergence: Divergence::Apart, ask: Box::new(ask) }
}

/// The rules of the big-step semantics, one by one.
fn reference(case: &Case, contents: u32) -> Answer {
    let run = |block: &Instance, options: &_| block.run(options);
    truth_by(&case.program, contents, run).map_or_else(|| unsupported("no run to its end"), told)
}

/// The small-step semantics: all interleavings.
fn interleavings(case: &Case, contents: u32) -> Answer {
    let Some(instance) = instance(&case.program, contents) else {
        return unsupported("no fixed launch");
    };
    if instance.configuration.launch.grid.count() > 1 && instance.blocks().is_none() {
        return unsupported("several blocks");
    }
    let limits = ExplorationLimits { steps: STEPS, ..ExplorationLimits::default() };
    match explore(&instance, Reduction::SleepSets, &limits) {
        Err(why) => unsupported(why),
        Ok(all) if all.first_racy_interval().is_some() => told(Truth::Racy),
        Ok(all) if all.ends.iter().any(|end| matches!(end.kind, EndKind::Stuck(_))) => {
            unsupported("a read of what nobody wrote")
        }
        Ok(all) if all.ends.iter().any(|end| end.kind == EndKind::Diverged) => {
            told(Truth::Divergent)
        }
        Ok(_) => told(Truth::Clean),
    }
}

/// The protocol, one way.
fn deciding(name: &'static str, decide: Decide) -> Inside {
    let ask = move |case: &Case, _| {
        let budget = Budget::time(TIME);
        let options = CheckOptions { decide, budget, verdict_only: true, ..Default::default() };
        match check(&case.program, &options).map(|checked| checked.verdict.outcome) {
            Ok(Outcome::Drf) => told(Truth::Clean),
            Ok(Outcome::Racy) => told(Truth::Racy),
            Ok(Outcome::Divergent) => told(Truth::Divergent),
            Ok(Outcome::Unknown(why)) => unsupported(format_args!("unknown: {why}")),
            Err(why) => unsupported(why),
        }
    };
    Inside { name, about: About::Inputs, divergence: Divergence::Apart, ask: Box::new(ask) }
}
