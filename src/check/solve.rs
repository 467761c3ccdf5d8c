//! Deciding symbolic launches and parameters by solver.

use super::{CheckOptions, Findings, guess, report};
use babycuda_core::evidence::Witness;
use babycuda_core::verdict::Method;
use babycuda_core::{Budget, Declarations, Protocol, Site, counted};
use babycuda_protocols::solve::{self, Cause, Subject, Undecided};
use babycuda_protocols::split::Unaligned;
use babycuda_smt::{Answer, Portfolio, Query, QueryLimits, Solver, SolverName, installed};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

/// A kernel has the time of so many questions for all of them.
const QUESTIONS: u32 = 12;

/// Every race that solvers find, and what they leave open.
pub(super) fn find(
    protocol: &Protocol,
    declarations: &Declarations,
    options: &CheckOptions,
) -> Findings {
    let answered = Answered::default();
    let portfolio = portfolio(options, &answered);
    let all = options.timeout.saturating_mul(QUESTIONS);
    let options_of_all = solve::SolveOptions {
        limits: QueryLimits::time(options.timeout),
        // The shorter one, whose limit is the reason.
        budget: match options.budget.at_most(all) < all {
            true => options.budget,
            false => Budget::time(all),
        },
        races: options.races,
        ..solve::SolveOptions::default()
    };
    let mut found = solve::check(protocol, declarations, &portfolio, &options_of_all);
    let asked = |u: &&Undecided| match &u.subject {
        Subject::Race { array, .. } => options.asks_for(array),
        _ => true,
    };
    let mut guessed = Vec::new();
    if found.races.iter().all(Witness::depends_on_data) {
        let open = found.undecided.iter().filter(asked).filter_map(|u| u.subject.race());
        guessed = guess::races(protocol, declarations, &open.collect(), options);
    }
    let drawn = (!guessed.is_empty()).then(|| {
        format!("{} found in a small launch that was drawn", counted(guessed.len() as u64, "race"))
    });
    found.races.extend(guessed);
    // Assumptions on so much are believed; but what is said may be about nothing.
    let believed =
        |u: &&Undecided| u.subject == Subject::Launches && matches!(u.cause, Cause::Unevaluated(_));
    let open = found.undecided.iter().filter(asked).filter(|u| !believed(u));
    let open = open.map(|u| undecided(u, declarations)).collect();
    let statistics = found.statistics;
    let remark = format!(
        "{}, {} of accesses, {} decided by intervals, {}",
        counted(statistics.phases as u64, "phase"),
        counted(statistics.pairs as u64, "pair"),
        statistics.trivial,
        counted(statistics.queries as u64, "query"),
    );
    let enough = found.undecided.iter().find(|u| matches!(u.cause, Cause::Enough(_)));
    let enough = enough.map(|u| u.cause.to_string());
    let remarks = std::iter::once(remark).chain(drawn).chain(enough).collect();
    let believed = found.undecided.iter().find(believed);
    let assumed = believed.map(|u| format!("some contents are as assumed ({})", u.cause));
    Findings {
        races: found.races,
        alarms: found.alarms,
        divergences: found.divergences.into_values().collect(),
        open,
        remarks,
        assumed,
        method: Method::Solver { solvers: answered.names() },
        ordered: found.ordered,
    }
}

/// The solvers that the options name, each noting its name when it decides a query.
fn portfolio(options: &CheckOptions, answered: &Answered) -> Portfolio {
    let noted = |solver: Box<dyn Solver>| -> Box<dyn Solver> {
        Box::new(Noted { solver, answered: answered.clone() })
    };
    match options.solvers.as_slice() {
        [] | [SolverName::Auto] => Portfolio::new(installed().into_iter().map(noted).collect()),
        names => {
            let members = names.iter().map(|name| noted(name.solver())).collect();
            let portfolio = Portfolio::new(members);
            match names {
                [_] => portfolio,
                _ => portfolio.cross_check(Some(PathBuf::from("babycuda-disagreements"))),
            }
        }
    }
}

/// The names of the solvers that decided something.
#[derive(Clone, Default)]
struct Answered(Arc<Mutex<BTreeSet<String>>>);

impl Answered {
    fn note(&self, name: &str) {
        if let Ok(mut names) = self.0.lock() {
            names.insert(name.to_owned());
        }
    }

    fn names(&self) -> Vec<String> {
        self.0.lock().map(|names| names.iter().cloned().collect()).unwrap_or_default()
    }
}

/// A solver whose decisions are noted.
struct Noted {
    solver: Box<dyn Solver>,
    answered: Answered,
}

impl Solver for Noted {
    fn name(&self) -> &str {
        self.solver.name()
    }

    fn check(&self, query: &Query, limits: &QueryLimits) -> Answer {
        let answer = self.solver.check(query, limits);
        if answer.is_decided() {
            self.answered.note(self.solver.name());
        }
        answer
    }
}

fn undecided(undecided: &Undecided, declarations: &Declarations) -> String {
    let at = |site: &Site| declarations.sources.place(*site);
    let cause = match &undecided.cause {
        Cause::Unaligned(Unaligned::SomeIterations { site, .. }) => {
            format!("the loop at {} reaches a barrier only in some iterations", at(site))
        }
        Cause::Unaligned(Unaligned::Data { site, var }) => {
            format!("whether a barrier is reached depends on {var}, read at {}", at(site))
        }
        Cause::Unaligned(Unaligned::Scope { site, scope }) => {
            format!(
                "`sync.{scope}` at {} is not understood: not all blocks reach it alike",
                at(site)
            )
        }
        cause => cause.to_string(),
    };
    match &undecided.subject {
        Subject::Launches if undecided.cause == Cause::Vacuous => {
            report::no_launch(declarations, &declarations.assumptions)
        }
        Subject::Launches => format!("whether anything is as assumed: {cause}"),
        Subject::Rest => cause.to_string(),
        Subject::Phases => format!("the phases of the protocol: {cause}"),
        Subject::Race { array, first, second, same_block } => {
            let who = if *same_block { "" } else { " by different blocks" };
            let (first, second) = (at(first), at(second));
            format!("accesses of {array} at {first} and {second}{who}: {cause}")
        }
        Subject::Divergence(site) => format!("barriers that depend on {}: {cause}", at(site)),
    }
}
