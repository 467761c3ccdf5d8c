//! What can be done with a witness: replay it, shrink it, certify it.

use super::{CheckOptions, diverge, replay};
use babycuda_core::evidence::{Certainty, DivergenceWitness, Evaluator, Report, Witness};
use babycuda_core::syntax::Program;
use babycuda_core::{Configuration, Declarations, Dim3, Launch, Natural};
use babycuda_protocols::enumerate::{Enumeration, EnumerationLimits, enumerate};
use babycuda_semantics::{Instance, Rejected, RunEvidence, RunOptions, Stuck, check_run};
use babycuda_typing::approximate;

/// A witness of a race or a divergence, and what runs of its program prove of it.
///
/// ```
/// use babycuda::{Evidence, CheckOptions, check, core::parse::parse_program};
///
/// let program = parse_program("threads 64; A[tid / 4] := tid")?;
/// let (options, checked) = (CheckOptions::default(), check(&program, &CheckOptions::default())?);
/// for race in checked.verdict.races {
///     println!("{}, {:?}", race.witness, race.certainty);
///     assert!(race.witness.replay(&program, &options).replay.is_some());
///     let derivations = race.witness.certify(&program, &options)?;
///     println!("{}", babycuda::core::json::to_json(&derivations[0])?);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Evidence: Clone {
    /// The launch, the block and the parameters.
    fn configuration(&self) -> &Configuration;

    /// The witness of the same race or divergence among what an enumeration found.
    fn among(&self, found: Enumeration, at: &Configuration) -> Option<Self>;

    /// Runs the witness: how sure is it, and what shows it?
    fn replay(&self, program: &Program, options: &CheckOptions) -> Report<Self>;

    /// The runs that [`Evidence::replay`] makes, one for each block of its threads.
    fn runs(&self, program: &Program, options: &CheckOptions) -> Vec<(Instance, RunOptions)>;

    /// The derivations of the runs that show it. A checker that trusts no evaluator ([`check_run`])
    /// has accepted them.
    ///
    /// # Errors
    /// [`NotCertified`]
    fn certify(
        &self,
        program: &Program,
        options: &CheckOptions,
    ) -> Result<Vec<RunEvidence>, NotCertified> {
        let replay = self.replay(program, options).replay;
        if replay.is_none_or(|replay| replay.evaluator != Evaluator::Reference) {
            return Err(NotCertified::NotReplayed);
        }
        let runs = self.runs(program, options);
        runs.iter().map(|(instance, options)| certify(instance, options)).collect()
    }

    /// A witness of the same race or divergence, as sure, with a smaller launch and smaller
    /// parameters that the program allows, in the same contents; itself where none is found, as
    /// wherever data that is not the host's decides what the program accesses.
    #[must_use]
    fn shrink(&self, program: &Program, options: &CheckOptions) -> Report<Self> {
        let protocol = approximate(program).protocol;
        let stops = program.unwritten();
        let declarations = Declarations { stops, ..program.declarations.clone() };
        let limits =
            EnumerationLimits { budget: options.budget, one_race: false, ..options.limits };
        let again = |best: &Report<Self>, at: &Configuration| {
            let found = enumerate(&protocol, &declarations, at, &limits).ok()?;
            let found = best.witness.among(found, at)?.replay(program, options);
            (found.certainty <= best.certainty).then_some(found)
        };
        let mut best = self.replay(program, options);
        loop {
            let smaller = smaller(best.configuration()).into_iter();
            let mut smaller = smaller.filter(|at| declarations.admits(at));
            match smaller.find_map(|at| again(&best, &at)) {
                Some(found) => best = found,
                None => return best,
            }
        }
    }
}

/// Why there is no certificate.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NotCertified {
    /// The reference semantics has no such run, or a longer one than it may make.
    #[error("no run of the reference semantics within its limits shows it")]
    NotReplayed,
    /// The run is stuck later: only a run that ends or diverges has a derivation.
    #[error("there is no derivation: {0}")]
    Stuck(Stuck),
    /// A defect of this library.
    #[error("internal: the checker rejects the derivation: {0}")]
    Rejected(#[from] Rejected),
}

/// The run of an instance with its derivation, which the checker has accepted.
fn certify(instance: &Instance, options: &RunOptions) -> Result<RunEvidence, NotCertified> {
    let evaluation = instance.evaluate(options);
    let Some(derivation) = evaluation.derivation else {
        let stuck = evaluation.outcome.stuck().cloned();
        return Err(stuck.map_or(NotCertified::NotReplayed, NotCertified::Stuck));
    };
    let derivation = std::sync::Arc::unwrap_or_clone(derivation);
    let evidence = RunEvidence::new(instance, &evaluation.choices, derivation);
    check_run(&evidence)?;
    Ok(evidence)
}

impl Evidence for Witness {
    fn configuration(&self) -> &Configuration {
        &self.configuration
    }

    fn among(&self, mut found: Enumeration, _: &Configuration) -> Option<Witness> {
        found.races.remove(&self.pair()).map(|pair| pair.witness)
    }

    fn replay(&self, program: &Program, options: &CheckOptions) -> Report<Witness> {
        let judged =
            replay::judge(program, &approximate(program), self, options, &Default::default());
        judged.report(program, self.clone())
    }

    fn runs(&self, program: &Program, options: &CheckOptions) -> Vec<(Instance, RunOptions)> {
        replay::runs(program, self, options).unwrap_or_default()
    }
}

impl Evidence for DivergenceWitness {
    fn configuration(&self) -> &Configuration {
        &self.configuration
    }

    fn among(&self, found: Enumeration, at: &Configuration) -> Option<DivergenceWitness> {
        let (block, divergence) = found.divergences.into_iter().next()?;
        let configuration = Configuration { block, ..at.clone() };
        Some(DivergenceWitness { configuration, divergence, data: Default::default() })
    }

    fn replay(&self, program: &Program, options: &CheckOptions) -> Report<DivergenceWitness> {
        let approximation = approximate(program);
        let judge = || diverge::judge(program, &approximation, self.clone(), options).0;
        options.budget.within(judge).unwrap_or_else(|_| Report {
            witness: self.clone(),
            certainty: Certainty::Potential,
            replay: None,
        })
    }

    fn runs(&self, program: &Program, options: &CheckOptions) -> Vec<(Instance, RunOptions)> {
        vec![diverge::run(program, self, options)]
    }
}

/// The configurations that are smaller in one number: the least, the half, and one less.
fn smaller(at: &Configuration) -> Vec<Configuration> {
    let launch = at.launch;
    let blocks = smaller_extents(launch.block).map(|block| Launch { block, ..launch });
    let grids = smaller_extents(launch.grid).map(|grid| Launch { grid, ..launch });
    let of = |launch| Configuration { launch, block: 0, ..at.clone() };
    let mut found: Vec<Configuration> = blocks.chain(grids).map(of).collect();
    for (name, value) in &at.parameters {
        let half = value.div_total(&Natural::from(2u32));
        for less in [Natural::zero(), half, value.monus(&Natural::from(1u32))] {
            if less < *value {
                found.push(at.clone().with(name.clone(), less));
            }
        }
    }
    found
}

fn smaller_extents(dims: Dim3) -> impl Iterator<Item = Dim3> {
    (0..3).flat_map(move |d| {
        let extent = dims.components()[d];
        let less = [1, extent / 2, extent.saturating_sub(1)].into_iter();
        less.filter(move |less| (1..extent).contains(less)).map(move |less| {
            let mut components = dims.components();
            components[d] = less;
            let [x, y, z] = components;
            Dim3 { x, y, z }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check;
    use babycuda_core::parse::parse_program;

    fn program(text: &str) -> Program {
        parse_program(text).unwrap_or_else(|e| panic!("{text}: {e}"))
    }

    fn race(text: &str) -> Report<Witness> {
        let checked = check(&program(text), &CheckOptions::default()).unwrap();
        checked.verdict.races.into_iter().next().unwrap_or_else(|| panic!("{text}: no race"))
    }

    #[test]
    fn a_witness_shrinks_to_the_smallest_launch_that_has_its_race() {
        // Known extents stay; what is left open shrinks.
        let text = "threads 8; param n = 5; A[tid / n] := tid";
        assert_eq!(race(text).witness.shrink(&program(text), &CheckOptions::default()), race(text));
        let text = "threads *; param n: u32; assume 3 <= n; if tid < n { A[tid / 3] := tid }";
        let open = program(text);
        let mut witness = race(
            "threads 64; param n: u32 = 40; assume 3 <= n; \
            if tid < n { A[tid / 3] := tid }",
        )
        .witness;
        let small = witness.shrink(&open, &CheckOptions::default());
        assert_eq!(small.certainty, Certainty::Replayed);
        assert_eq!(small.pair(), witness.pair());
        assert_eq!(small.configuration.launch.block, Dim3::line(2));
        assert_eq!(small.configuration.parameters[&"n".into()], Natural::from(3u32));
        // One of another program is not replayed, and does not shrink to one that is.
        witness.first.site.0 += 7;
        assert_eq!(witness.shrink(&open, &CheckOptions::default()).certainty, Certainty::Potential);
    }

    #[test]
    fn a_divergence_shrinks_and_is_certified() {
        let text = "threads 16; if tid < 5 { sync } else { skip }";
        let checked = check(&program(text), &CheckOptions::default()).unwrap();
        let found = &checked.verdict.divergences[0];
        let open = program("threads *; if tid < 5 { sync } else { skip }");
        let small = found.witness.shrink(&open, &CheckOptions::default());
        assert_eq!(small.configuration.launch.block, Dim3::line(6));
        let derivations = small.witness.certify(&open, &CheckOptions::default()).unwrap();
        assert!(derivations[0].summary().contains("diverge"), "{}", derivations[0].summary());
    }

    #[test]
    fn a_certificate_is_of_a_run_with_the_race() {
        let text = "threads 3; shared A; global B = any; \
            let x = B[tid] in if x == 7 { A[0] := tid } else { A[1 + tid] := x }";
        let found = race(text);
        let derivations = found.witness.certify(&program(text), &CheckOptions::default()).unwrap();
        assert_eq!(derivations.len(), 1);
        // The host's contents are those that the race needs.
        let stored = |(cell, value): &(_, _)| derivations[0].host.get(cell) == Some(value);
        assert!(found.replay.unwrap().contents.iter().all(stored));
        // The run is stuck behind the race.
        let text = "threads 2; A[0] := tid; sync; let x = B[0] in skip";
        let stuck = race(text).witness.certify(&program(text), &CheckOptions::default());
        assert!(matches!(stuck, Err(NotCertified::Stuck(_))), "{stuck:?}");
        // Two blocks, two runs.
        let text = "threads 2; blocks 2; global A; A[tid] := blockIdx.x";
        let text = text.replace("blocks 2;", "grid 2;");
        let between = race(&text);
        assert!(!between.same_block());
        let derivations =
            between.witness.certify(&program(&text), &CheckOptions::default()).unwrap();
        assert_eq!(derivations.len(), 2);
    }
}
