//! T8: the race formula of a pair of accesses is satisfiable iff they race.
//!
//! ```text
//! φ(s, s') is satisfiable  ⟺  some parameters, threads and iterations that the declarations admit
//!                             let statements s and s' access one cell in one phase, in conflict
//! ```
//!
//! Source: LCL22 §2, which refers the formulae to its CAV'21 predecessor. Checked by brute force
//! over domains that the declarations bound: every launch and every value of the parameters.

use crate::hypotheses::lambda;
use crate::statement::{Checked, Counterexample, Proof, Statement, Vacuous, test};
use babycuda_core::rules::Item;
use babycuda_core::syntax::Extent;
use babycuda_core::{Configuration, Declarations, Launch, Name, Natural, Program, Protocol, Site};
use babycuda_protocols::map::{AccessEvent, Ending, PhaseAccesses};
use babycuda_protocols::solve::{Cause, SolveOptions, check as solve};
use babycuda_smt::{QueryLimits, Solver};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// What one query may cost. Division of 64 bits may be too hard: that is undecided.
const TIME: Duration = Duration::from_secs(2);

/// T8.
pub static STATEMENT: Statement = Statement {
    id: "T8",
    name: "race_formulae_are_exact",
    source: "LCL22 §2",
    text: "two statements have a satisfiable race formula in some phase iff they race for some \
           parameters, threads and iterations; where a block may diverge, at least if they race in \
           blocks that end, and only if they race.",
    rust: Item { file: "proofs/src/race_formulae_are_exact.rs", text: "pub fn check" },
    proof: Proof::NotMechanized("it is about formulae and solvers, which are not mechanized"),
    tests: &[
        test("proofs/tests/statements/formulae.rs", "t8_holds_by_the_embedded_solver"),
        test("proofs/tests/statements/formulae.rs", "t8_holds_of_every_operator_at_its_edges"),
        test("proofs/tests/statements/formulae.rs", "t8_refutes_a_solver_that_denies_every_race"),
        test("proofs/tests/statements/formulae.rs", "t8_holds_by_z3"),
        test("proofs/tests/statements/formulae.rs", "t8_holds_by_cvc5"),
    ],
    holds: true,
};

/// Two statements, the one with the smaller site first.
type Pair = (Site, Site);

/// What both sides say.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Evidence {
    /// The pairs of statements that race in some configuration, up to where its block diverges.
    pub racing: BTreeSet<Pair>,
    /// Those that race in some configuration whose block does not diverge.
    pub racing_to_the_end: BTreeSet<Pair>,
    /// Do the threads of some block diverge?
    pub diverges: bool,
    /// How many configurations were tried.
    pub configurations: usize,
}

/// The bounded domain of a brute-force search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Domain {
    /// Blocks of at most so many threads, in one dimension.
    pub threads: u32,
    /// The values of each parameter.
    pub values: Vec<Natural>,
}

/// Checks T8 for `protocol`; `declarations` must not admit anything beyond the domain.
///
/// Where no block can diverge, the pairs that race are the same. Where some can, both sides say so,
/// the solver finds every pair that races in a configuration without divergence, and no pair that
/// races in none before its divergence. (Its phases are right where the obligations of the split
/// are met.)
///
/// # Errors
/// [`Failure`](crate::Failure)
pub fn check(
    protocol: &Protocol,
    declarations: &Declarations,
    domain: &Domain,
    solver: &dyn Solver,
) -> Checked<Evidence> {
    let expected = brute_force(protocol, declarations, domain)?;
    let options = SolveOptions { limits: QueryLimits::time(TIME), ..SolveOptions::default() };
    let found = solve(protocol, declarations, solver, &options);
    let wrong_model = found.undecided.iter().find(|u| matches!(u.cause, Cause::Model(_)));
    if let Some(undecided) = found.undecided.first()
        && wrong_model.is_none()
    {
        return Err(Vacuous::Undecided(undecided.cause.to_string()).into());
    }
    let diverges = !found.divergences.is_empty();
    let racing: BTreeSet<Pair> =
        found.races.iter().map(|w| ordered(w.first.site, w.second.site)).collect();
    // A model that the protocol does not bear out is a formula that is satisfiable without a race.
    let agree = wrong_model.is_none()
        && diverges == expected.diverges
        && racing.is_subset(&expected.racing)
        && expected.racing_to_the_end.is_subset(&racing);
    if agree {
        return Ok(expected);
    }
    let why = format!(
        "The protocol is `{protocol:?}`. By brute force over {} configurations the pairs {:?} \
         race, {:?} of them where no thread diverges, and threads diverge: {}. By {} the pairs \
         {racing:?} race, and threads diverge: {diverges}; a model that is no race: {:?}.",
        expected.configurations,
        expected.racing,
        expected.racing_to_the_end,
        expected.diverges,
        solver.name(),
        wrong_model.map(|u| u.cause.to_string())
    );
    let mut program = Program::of_body(crate::render::program_of_protocol(protocol));
    program.params = declarations.params.clone();
    program.geometry = declarations.geometry;
    program.assumptions = declarations.assumptions.clone();
    Err(Counterexample::refutes(&STATEMENT, program, why))
}

fn ordered(s: Site, t: Site) -> Pair {
    if s <= t { (s, t) } else { (t, s) }
}

/// Every configuration of the domain that the declarations admit.
fn brute_force(
    protocol: &Protocol,
    declarations: &Declarations,
    domain: &Domain,
) -> Checked<Evidence> {
    let mut evidence = Evidence {
        racing: BTreeSet::new(),
        racing_to_the_end: BTreeSet::new(),
        diverges: false,
        configurations: 0,
    };
    for threads in 1..=domain.threads {
        if matches!(declarations.geometry.block[0], Extent::Known(k) if k != threads) {
            continue;
        }
        for parameters in values(declarations, &domain.values) {
            let launch = Launch::threads(threads);
            let at = Configuration { parameters, ..Configuration::of_launch(launch) };
            if !declarations.admits(&at) {
                continue;
            }
            evidence.configurations += 1;
            let lambda = lambda(protocol, &at)?;
            let mut racing = BTreeSet::new();
            lambda.phases.iter().for_each(|phase| pairs(phase, &mut racing));
            evidence.racing.extend(racing.iter().copied());
            match lambda.ending {
                Ending::Done => evidence.racing_to_the_end.extend(racing),
                _ => evidence.diverges = true,
            }
        }
    }
    if evidence.configurations == 0 {
        return Err(Vacuous::NoConfiguration.into());
    }
    Ok(evidence)
}

/// Every valuation of the parameters by these values.
fn values(declarations: &Declarations, values: &[Natural]) -> Vec<BTreeMap<Name, Natural>> {
    let mut all = vec![BTreeMap::new()];
    for param in &declarations.params {
        let with = |valuation: &BTreeMap<Name, Natural>| {
            let valuation = valuation.clone();
            values.iter().map(move |k| {
                let mut next = valuation.clone();
                next.insert(param.name.clone(), k.clone());
                next
            })
        };
        all = all.iter().flat_map(with).collect();
    }
    all
}

/// The definition of a race (LCL22 Def. 1), with the statements.
fn pairs(phase: &PhaseAccesses, racing: &mut BTreeSet<Pair>) {
    let race = |a: &AccessEvent, b: &AccessEvent| {
        a.thread != b.thread && a.cell == b.cell && a.mode.conflicts(b.mode, true)
    };
    for (n, a) in phase.events.iter().enumerate() {
        let others = phase.events[n + 1..].iter().filter(|b| race(a, b));
        racing.extend(others.map(|b| ordered(a.site, b.site)));
    }
}
