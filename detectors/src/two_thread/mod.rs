//! The two-threaded model of Sarkar, Kandelwal, Bandyopadhyay and Giese, "Analysis of GPGPU Programs for
//! Data-race and Barrier Divergence" (SKBG18).
//!
//! A kernel becomes formulae `predicate => action` in static single assignment form ([`translate`]). Two copies
//! of them are two arbitrary threads. Two operations on one array, at least one of them a store, race if a
//! solver finds values with which both are reached at the same index (Algorithm 1); a barrier diverges if it
//! finds some with which one thread gets there and the other does not (Algorithm 2). All pairs and barriers
//! are looked at in one run ([`TwoThread::findings`]).
//!
//! # What it claims
//! That it "does not have any false positive results" (§1, §7, Theorems 2 and 3): each race and each
//! divergence that it reports is one. It claims not to report all (§5.1, §7), so where it finds nothing the
//! verdict is unknown. Theorem 1 says the opposite, that what has no model has no execution.
//!
//! # What is true
//! Neither holds as printed; [`claims`] has the statements as functions, and the tests the smallest kernels
//! on which they fail. For no false alarm one would have to drop all that is arbitrary in the formulae:
//! an array's contents, other than what the host stored; the iteration of a loop, other than those before it
//! allow; statements that a barrier orders, which Φ does not look at ([`Intervals`]); threads of two blocks
//! that meet in a block's own array ([`Threads`]); iterations in which two threads are at one barrier
//! ([`Barriers`]). For Theorem 1 one would have to say less: that two threads have one array in SSA form
//! ([`Arrays::Shared`]) contradicts any kernel that counts an element up, and what a loop assigns is not what
//! it was before ([`Loops`]). [`Reading::REPAIRED`] does what formulae of two threads and one iteration can; it
//! misses no race of the kernels that are translated, as far as counters do not wrap, and still raises false
//! alarms on data. Its alarms are [`Potential`](babycuda_core::evidence::Certainty::Potential).

mod arrays;
pub mod claims;
mod divergence;
mod encode;
mod findings;
mod formula;
pub mod inject;
mod intervals;
mod question;
mod races;
mod reading;
mod terms;
mod translate;
mod world;

pub use findings::{Diverging, Finding, Findings, Undecided, locate};
pub use formula::{
    Action, Age, Array, ArrayId, Formula, Interval, Kind, LoopId, Node, Role, Space, Symbol,
    SymbolId, Translated, Turns, Wff,
};
pub use races::{Operation, conflicts, operations};
pub use reading::{Arrays, Barriers, Intervals, Loops, Reading, Threads};
pub use translate::translate;
pub use world::Fixed;

use crate::{Claims, Detector, Fragment, Refusal};
use babycuda_core::Configuration;
use babycuda_core::evidence::{Certainty, Report};
use babycuda_core::natural::Integer;
use babycuda_core::verdict::{Method, Outcome, ScopeOfVerdict, Verdict};
use babycuda_kernel::Kernel;
use babycuda_smt::{Builtin, QueryLimits, Solver};
use std::collections::BTreeMap;
use std::time::Duration;
use world::World;

/// SKBG18's technique.
#[derive(Clone, Debug)]
pub struct TwoThread {
    /// How the paper is read.
    pub reading: Reading,
    /// Is the launch the configuration's, or any?
    pub launch: Fixed,
    /// Are the parameters the configuration's, or any? The paper has symbolic inputs (§5).
    pub parameters: Fixed,
    /// What each question may cost.
    pub limits: QueryLimits,
}

impl Default for TwoThread {
    /// The paper to the letter, at the configuration's launch, for all parameters.
    fn default() -> TwoThread {
        let limits = QueryLimits::time(Duration::from_secs(5));
        let (launch, parameters) = (Fixed::Given, Fixed::Symbolic);
        TwoThread { reading: Reading::PRINTED, launch, parameters, limits }
    }
}

impl TwoThread {
    /// A reading, at the configuration's launch and parameters.
    pub fn reading(reading: Reading) -> TwoThread {
        TwoThread { reading, parameters: Fixed::Given, ..TwoThread::default() }
    }

    /// Algorithms 1 and 2 on a kernel.
    ///
    /// # Errors
    /// [`Refusal`]: a construct outside of the language of §4.1, or an empty launch.
    pub fn findings(
        &self,
        kernel: &Kernel,
        configuration: &Configuration,
    ) -> Result<Findings, Refusal> {
        let all = self.translated(kernel, configuration)?;
        Ok(self.found(&all, &World::new(configuration, [self.launch, self.parameters], &all)))
    }

    fn translated(
        &self,
        kernel: &Kernel,
        configuration: &Configuration,
    ) -> Result<Translated, Refusal> {
        let launch = configuration.launch;
        if launch.block.count() == 0 || launch.grid.count() == 0 {
            return Err(Refusal::Configuration("the launch has no thread".to_owned()));
        }
        translate(kernel, self.reading)
    }

    fn found(&self, all: &Translated, world: &World) -> Findings {
        let (formulae, conjuncts) = (all.formulae.len(), all.conjuncts());
        let mut findings = Findings { formulae, conjuncts, ..Findings::default() };
        let asked = question::Asked { solver: &Builtin, limits: &self.limits };
        races::detect(all, world, self.reading, asked, &mut findings);
        divergence::detect(all, world, self.reading, asked, &mut findings);
        findings
    }

    fn scope(
        &self,
        kernel: &Kernel,
        configuration: &Configuration,
        all: &Translated,
        world: &World,
    ) -> ScopeOfVerdict {
        let extents = |of_block: bool| {
            world.extents(of_block).map(|(low, high)| match low == high {
                true => low.to_string(),
                false => format!("{low}..={high}"),
            })
        };
        let mut fixed = BTreeMap::new();
        for symbol in &all.symbols {
            let Role::Parameter(name) = &symbol.role else { continue };
            if let (Some(bits), Kind::Int(t)) = (world.parameter(name), symbol.kind) {
                fixed.insert(name.as_str().into(), Integer(t.read(bits).into()));
            }
        }
        let mut assumptions: Vec<String> =
            kernel.assumptions.iter().map(|a| a.text.clone()).collect();
        assumptions.push("signed arithmetic does not overflow".to_owned());
        ScopeOfVerdict {
            block: extents(true),
            grid: Some(extents(false)),
            fixed,
            assumptions,
            ..ScopeOfVerdict::of_launch(configuration.launch)
        }
    }
}

fn is_translated(kernel: &Kernel) -> bool {
    translate(kernel, Reading::PRINTED).is_ok()
}

impl Detector for TwoThread {
    fn name(&self) -> &'static str {
        match self.reading {
            Reading::REPAIRED => "two-thread-repaired",
            _ => "two-thread",
        }
    }

    fn paper(&self) -> &'static str {
        "Sarkar, Kandelwal, Bandyopadhyay, Giese: Analysis of GPGPU Programs for Data-race and Barrier \
        Divergence (2018)"
    }

    fn claims(&self) -> Claims {
        let text = "all kernels that are translated (§1, §5.3, Theorems 2 and 3)";
        let raises_no_false_alarm = Some(Fragment { text, holds: is_translated });
        match self.reading {
            Reading::REPAIRED => Claims::default(),
            _ => Claims { raises_no_false_alarm, ..Claims::default() },
        }
    }

    /// `predicate => action`, line by line (§4.1), and how many there are (Table 1).
    fn form(&self, kernel: &Kernel) -> Option<Result<String, Refusal>> {
        let form = |all: Translated| {
            let (formulae, conjuncts) = (all.formulae.len(), all.conjuncts());
            format!("{all}formulae: {formulae}, conjuncts: {conjuncts}\n")
        };
        Some(translate(kernel, self.reading).map(form))
    }

    fn detect(&self, kernel: &Kernel, configuration: &Configuration) -> Result<Verdict, Refusal> {
        let all = self.translated(kernel, configuration)?;
        let world = World::new(configuration, [self.launch, self.parameters], &all);
        let scope = self.scope(kernel, configuration, &all, &world);
        let findings = self.found(&all, &world);
        let outcome = if !findings.races.is_empty() {
            Outcome::Racy
        } else if !findings.divergences.is_empty() {
            Outcome::Divergent
        } else if let Some(Undecided { why, .. }) = findings.undecided.first() {
            Outcome::Unknown(why.clone())
        } else {
            let why = "no pair of threads was found to race, which the technique does not take for a proof";
            Outcome::Unknown(why.to_owned())
        };
        let certainty = Certainty::Potential;
        let races = findings.races.into_iter();
        let divergences = findings.divergences.into_iter();
        Ok(Verdict {
            outcome,
            scope: Some(scope),
            method: Method::Solver { solvers: vec![Builtin.name().to_owned()] },
            races: races.map(|f| Report { witness: f.witness, certainty, replay: None }).collect(),
            divergences: divergences
                .map(|d| Report { witness: d.witness, certainty, replay: None })
                .collect(),
        })
    }
}
