//! The whole technique: a run, its log, and for what inputs it speaks (LGAGJL12, Proposition 2).

use super::determinism::{CheckError, Conflict, conflicts};
use super::inputs::{Input, inputs};
use super::invariance::{Variance, integrity, invariance};
use super::language::outside;
use crate::execute::{End, Limits, Run, Schedule, run};
use crate::{Claims, Detector, Fragment, Races, Refusal};
use babycuda_core::evidence::{Certainty, Confirmation, Report, Side, Witness};
use babycuda_core::natural::Integer;
use babycuda_core::verdict::{Method, Outcome, ScopeOfVerdict, Verdict};
use babycuda_core::{BigInt, Cell, Configuration, IntType, Name, Natural, Site};
use babycuda_kernel::{Kernel, Type, Var};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// Test amplification: a run under one schedule, its log checked for Φ_Det, and the verdict amplified to all
/// inputs but the property-integrity ones.
#[derive(Clone, Debug)]
pub struct Amplification {
    /// How long the run may be.
    pub limits: Limits,
    /// How many bytes of the log may be in memory at once.
    pub budget: usize,
    /// Where the rest of the log goes.
    pub place: PathBuf,
}

impl Default for Amplification {
    /// 64 MiB of log, and the rest where temporary files go.
    fn default() -> Amplification {
        // A web page has no such place, and asking for it would end the program.
        let place = match cfg!(all(target_family = "wasm", target_os = "unknown")) {
            true => PathBuf::new(),
            false => std::env::temp_dir(),
        };
        Amplification { limits: Limits::default(), budget: 1 << 26, place }
    }
}

impl Detector for Amplification {
    fn name(&self) -> &'static str {
        "amplification"
    }

    fn paper(&self) -> &'static str {
        "LGAGJL12"
    }

    fn claims(&self) -> Claims {
        let fragment = |text| Some(Fragment { text, holds: |kernel| outside(kernel).is_none() });
        Claims {
            misses_no_race: fragment(
                "kernels without atomics, votes, exchanges and groups (§4.2, limitations), for pointers that do \
                 not overlap (§4.1): Proposition 2",
            ),
            raises_no_false_alarm: fragment(
                "the same kernels: a race is one of a run, whatever the order in which threads ran (§2.4)",
            ),
            races: Races::All,
        }
    }

    fn detect(&self, kernel: &Kernel, configuration: &Configuration) -> Result<Verdict, Refusal> {
        crate::detector::accept(kernel)?;
        if let Some((construct, at)) = outside(kernel) {
            return Err(Refusal::unsupported(construct, at));
        }
        let run = run(kernel, configuration, Schedule::InOrder, &self.limits)?;
        let races = match self.races(&run, configuration) {
            Ok(races) => races,
            Err(error) => return Ok(verdict(Outcome::Unknown(error.to_string()), None, vec![])),
        };
        if !races.is_empty() {
            let scope = scope(kernel, configuration, None);
            return Ok(verdict(Outcome::Racy, scope, races));
        }
        let (outcome, scope) = match complete(&run).and_then(|()| amplify(kernel, configuration)) {
            Ok(scope) => (Outcome::Drf, Some(scope)),
            Err(reason) => (Outcome::Unknown(reason), scope(kernel, configuration, None)),
        };
        Ok(verdict(outcome, scope, vec![]))
    }
}

fn verdict(
    outcome: Outcome,
    scope: Option<ScopeOfVerdict>,
    races: Vec<Report<Witness>>,
) -> Verdict {
    Verdict { outcome, scope, method: Method::Run, races, divergences: vec![] }
}

impl Amplification {
    /// The races of a run, one for each two statements of those that are the first conflict of a cell.
    fn races(
        &self,
        run: &Run,
        configuration: &Configuration,
    ) -> Result<Vec<Report<Witness>>, CheckError> {
        let (sweep, arrays) = conflicts(&run.trace, self.budget, &self.place)?;
        let (mut races, mut pairs) = (Vec::new(), BTreeSet::new());
        for conflict in sweep {
            let witness = witness(&conflict?, &arrays, configuration);
            if pairs.insert(witness.pair()) {
                races.push(Report { witness, certainty: Certainty::Provable, replay: None });
            }
        }
        Ok(races)
    }
}

fn witness(conflict: &Conflict, arrays: &[Name], configuration: &Configuration) -> Witness {
    let [first, second] = [&conflict.first, &conflict.second].map(|entry| Side {
        thread: entry.who(),
        phase: usize::try_from(entry.interval).ok(),
        site: entry.site.unwrap_or(Site(0)),
        mode: entry.mode,
        iteration: Vec::new(),
        data: Vec::new(),
    });
    let number = usize::try_from(conflict.first.array).unwrap_or(usize::MAX);
    let array = arrays.get(number).cloned().unwrap_or_else(|| Name::new("?"));
    let configuration = Configuration { block: first.thread.block, ..configuration.clone() };
    let cell = Cell::new(array, conflict.first.index);
    Witness { configuration, cell, first, second, confirmation: Confirmation::Interleaving }
}

/// Did every thread come to its end? A trace that ends before says nothing of what comes next: that is what
/// Theorem 1 as printed lacks ([`model`](super::model)).
fn complete(run: &Run) -> Result<(), String> {
    if let Some(stop) = &run.stop {
        return Err(format!("the run does not end: {stop}"));
    }
    match run.ends.iter().find(|end| **end != End::Returned) {
        Some(End::Halted(halt, _)) => Err(format!("a thread of the run goes no further: {halt}")),
        Some(_) => Err("a thread of the run does not end".to_owned()),
        None => Ok(()),
    }
}

/// For what inputs a clean run speaks: all that decide no access.
fn amplify(kernel: &Kernel, configuration: &Configuration) -> Result<ScopeOfVerdict, String> {
    let variant = |variances: &[Variance]| match variances.first() {
        Some(variance) => variance.describe(kernel),
        None => "the kernel is not access invariant".to_owned(),
    };
    let decide = integrity(kernel).map_err(|variances| variant(&variances))?;
    if let Some(contents) = decide.iter().find(|input| matches!(input, Input::Contents(_))) {
        return Err(variant(&invariance(kernel, &BTreeSet::from([*contents])).variances));
    }
    let others: BTreeSet<Input> =
        inputs(kernel).into_iter().filter(|input| !decide.contains(input)).collect();
    let found = invariance(kernel, &others);
    if !found.holds() {
        return Err(variant(&found.variances));
    }
    let fixed: Vec<Var> = decide.iter().map(|input| input.var()).collect();
    let mut scope = scope(kernel, configuration, Some(&fixed))
        .ok_or_else(|| "a parameter that decides accesses has no value".to_owned())?;
    if !found.loops.is_empty() {
        scope.assumptions.push("loops that data decides end".to_owned());
    }
    Ok(scope)
}

/// The scope in which these parameters are fixed, and those of the template; without a list, all that are given.
/// `None`: one has no value.
fn scope(
    kernel: &Kernel,
    configuration: &Configuration,
    only: Option<&[Var]>,
) -> Option<ScopeOfVerdict> {
    let given = |v: &Var| {
        let variable = &kernel[*v];
        let name = Name::new(variable.name.as_str());
        let value = configuration.parameters.get(&name)?;
        Some((name, as_read(&variable.ty, value)))
    };
    let fixed: BTreeMap<Name, Integer> = match only {
        Some(only) => only.iter().chain(&kernel.template).map(given).collect::<Option<_>>()?,
        None => {
            let all = inputs(kernel).into_iter().map(Input::var);
            let all: Vec<Var> = all.chain(kernel.template.iter().copied()).collect();
            all.iter().filter_map(given).collect()
        }
    };
    let mut assumptions = vec!["no signed overflow".to_owned()];
    if kernel.entry().is_some_and(|entry| {
        entry.parameters.iter().filter(|v| matches!(kernel[**v].ty, Type::Pointer(_))).count() > 1
    }) {
        assumptions.push("pointer parameters do not overlap".to_owned());
    }
    let of_launch = ScopeOfVerdict::of_launch(configuration.launch);
    Some(ScopeOfVerdict { fixed, assumptions, ..of_launch })
}

/// A parameter's pattern as its type reads it.
fn as_read(ty: &Type, value: &Natural) -> Integer {
    match (ty.integer(), ty) {
        (Some(t), Type::Int(_)) => Integer(BigInt::from(IntType::read(t, value.low_u64()))),
        _ => Integer(BigInt::from(value.low_u64())),
    }
}
