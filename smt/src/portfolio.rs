//! Several solvers as one.

use std::{
    path::{Path, PathBuf},
    str::FromStr,
    thread,
    time::{Duration, Instant},
};

use babycuda_core::Budget;

use crate::{
    answer::{Answer, Reason},
    query::Query,
    solver::{QueryLimits, Solver},
};

/// The solvers the crate knows, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum SolverName {
    /// The embedded one, then z3, then cvc5, as far as they are there.
    Auto,
    /// The embedded one.
    Builtin,
    /// The program z3.
    Z3,
    /// The program cvc5.
    Cvc5,
}

impl SolverName {
    /// Every name.
    pub const ALL: [SolverName; 4] =
        [SolverName::Auto, SolverName::Builtin, SolverName::Z3, SolverName::Cvc5];

    /// As written on a command line.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            SolverName::Auto => "auto",
            SolverName::Builtin => "builtin",
            SolverName::Z3 => "z3",
            SolverName::Cvc5 => "cvc5",
        }
    }

    /// The solver of that name. One that is not there, or not compiled in, answers every query
    /// with [`Reason::Unavailable`].
    #[must_use]
    pub fn solver(self) -> Box<dyn Solver> {
        match self {
            SolverName::Auto => Box::new(Portfolio::auto()),
            #[cfg(feature = "builtin")]
            SolverName::Builtin => Box::new(crate::Builtin),
            #[cfg(feature = "process")]
            SolverName::Z3 => Box::new(crate::process::External::find(crate::process::Kind::Z3)),
            #[cfg(feature = "process")]
            SolverName::Cvc5 => {
                Box::new(crate::process::External::find(crate::process::Kind::Cvc5))
            }
            #[allow(unreachable_patterns, reason = "reached when a feature is off")]
            _ => Box::new(Absent(self.as_str())),
        }
    }
}

/// A name that no solver has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no solver is called `{0}`: try auto, builtin, z3 or cvc5")]
pub struct UnknownSolver(pub String);

impl FromStr for SolverName {
    type Err = UnknownSolver;

    fn from_str(name: &str) -> Result<SolverName, UnknownSolver> {
        SolverName::ALL
            .into_iter()
            .find(|solver| solver.as_str() == name)
            .ok_or_else(|| UnknownSolver(name.to_owned()))
    }
}

/// A solver that was not compiled in.
struct Absent(&'static str);

impl Solver for Absent {
    fn name(&self) -> &str {
        self.0
    }

    fn check(&self, _: &Query, _: &QueryLimits) -> Answer {
        Answer::Unknown(Reason::Unavailable("not compiled in".into()))
    }
}

/// What one member said.
#[derive(Clone, Debug)]
pub struct Opinion {
    /// The member's name.
    pub solver: String,
    /// Its answer.
    pub answer: Answer,
    /// How long it took.
    pub time: Duration,
}

/// A list of solvers: asked in order until one decides, or all asked and compared with each other.
pub struct Portfolio {
    members: Vec<Box<dyn Solver>>,
    cross_check: bool,
    save_to: Option<PathBuf>,
}

impl Portfolio {
    /// These solvers, in order; the first that decides a query answers for all. The time limit is
    /// shared out evenly, and what one leaves goes to those after it.
    #[must_use]
    pub fn new(members: Vec<Box<dyn Solver>>) -> Portfolio {
        Portfolio { members, cross_check: false, save_to: None }
    }

    /// The embedded solver, then z3 and cvc5 as far as they are there.
    #[must_use]
    pub fn auto() -> Portfolio {
        Portfolio::new(embedded().into_iter().chain(external()).collect())
    }

    /// Asks every member every query, with the full time limit each and side by side, and turns a
    /// contradiction into [`Reason::Disagreement`]. The query is then saved in `save_to`, if
    /// given, as SMT-LIB text (with the feature `process`).
    #[must_use]
    pub fn cross_check(mut self, save_to: Option<PathBuf>) -> Portfolio {
        self.cross_check = true;
        self.save_to = save_to;
        self
    }

    /// What the members say, in their order; without cross-check, up to the first that decides.
    /// Models have been checked.
    #[must_use]
    pub fn ask(&self, query: &Query, limits: &QueryLimits) -> Vec<Opinion> {
        if self.cross_check {
            let budget = Budget::ambient();
            let asked = |member: &dyn Solver| {
                budget.within(|| opinion(member, query, limits)).unwrap_or_else(|exhausted| {
                    Opinion {
                        solver: member.name().to_owned(),
                        answer: Answer::Unknown(Reason::Timeout(exhausted.0)),
                        time: exhausted.0,
                    }
                })
            };
            return thread::scope(|scope| {
                let asked: Vec<_> = self
                    .members
                    .iter()
                    .map(|member| (member, scope.spawn(|| asked(member.as_ref()))))
                    .collect();
                asked
                    .into_iter()
                    .map(|(member, thread)| {
                        thread.join().unwrap_or_else(|_| Opinion {
                            solver: member.name().to_owned(),
                            answer: Answer::Unknown(Reason::Crashed("it panicked".into())),
                            time: Duration::ZERO,
                        })
                    })
                    .collect()
            });
        }
        let deadline = Instant::now() + limits.time;
        let mut opinions = Vec::new();
        for (i, member) in self.members.iter().enumerate() {
            let left = u32::try_from(self.members.len() - i).unwrap_or(u32::MAX);
            let share = deadline.saturating_duration_since(Instant::now()) / left;
            let limits = QueryLimits { time: share, ..limits.clone() };
            let opinion = opinion(member.as_ref(), query, &limits);
            let decided = opinion.answer.is_decided();
            opinions.push(opinion);
            if decided {
                break;
            }
        }
        opinions
    }

    /// One answer out of many.
    fn conclude(&self, query: &Query, opinions: Vec<Opinion>) -> Answer {
        let names = |wanted: fn(&Answer) -> bool| -> Vec<String> {
            let said = opinions.iter().filter(|o| wanted(&o.answer));
            said.map(|o| o.solver.clone()).collect()
        };
        let sat = names(|answer| matches!(answer, Answer::Sat(_)));
        let unsat = names(|answer| matches!(answer, Answer::Unsat));
        if !sat.is_empty() && !unsat.is_empty() {
            let saved = self.save_to.as_deref().and_then(|folder| save(query, folder));
            return Answer::Unknown(Reason::Disagreement {
                query: query.name().to_owned(),
                sat,
                unsat,
                saved,
            });
        }
        let mut reason = Reason::Unavailable("no solver".into());
        for opinion in opinions {
            match opinion.answer {
                Answer::Unknown(why) => {
                    // The most telling reason: one from a solver that was there, the first such.
                    if matches!(reason, Reason::Unavailable(_)) {
                        reason = why;
                    }
                }
                decided => return decided,
            }
        }
        Answer::Unknown(reason)
    }
}

impl Solver for Portfolio {
    fn name(&self) -> &str {
        match self.members.as_slice() {
            [only] => only.name(),
            _ => "portfolio",
        }
    }

    fn check(&self, query: &Query, limits: &QueryLimits) -> Answer {
        let opinions = self.ask(query, limits);
        match self.conclude(query, opinions) {
            // Of the whole question, not of one member.
            Answer::Unknown(Reason::Timeout(_)) => Answer::Unknown(Reason::Timeout(limits.time)),
            answer => answer,
        }
    }
}

#[cfg(feature = "builtin")]
fn embedded() -> Option<Box<dyn Solver>> {
    Some(Box::new(crate::Builtin))
}

#[cfg(not(feature = "builtin"))]
fn embedded() -> Option<Box<dyn Solver>> {
    None
}

/// The programs that are there.
#[cfg(feature = "process")]
fn external() -> Vec<Box<dyn Solver>> {
    use crate::process::{External, Kind};

    let found = [Kind::Z3, Kind::Cvc5].map(External::find).into_iter();
    found.filter(External::is_available).map(|s| Box::new(s) as Box<dyn Solver>).collect()
}

#[cfg(not(feature = "process"))]
fn external() -> Vec<Box<dyn Solver>> {
    Vec::new()
}

/// Asks one solver, and believes no model unchecked.
fn opinion(solver: &dyn Solver, query: &Query, limits: &QueryLimits) -> Opinion {
    let start = Instant::now();
    let answer = match solver.check(query, limits) {
        Answer::Sat(model) => Answer::from_model(query, model),
        other => other,
    };
    Opinion { solver: solver.name().to_owned(), answer, time: start.elapsed() }
}

/// Writes the query to a file named after it and its text. `None` when that fails.
#[cfg(feature = "process")]
fn save(query: &Query, folder: &Path) -> Option<PathBuf> {
    use std::hash::{DefaultHasher, Hash, Hasher};

    let text = crate::script::to_smtlib(query);
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    let name: String = query
        .name()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .take(80)
        .collect();
    let path = folder.join(format!("disagreement-{name}-{:016x}.smt2", hasher.finish()));
    std::fs::create_dir_all(folder).ok()?;
    std::fs::write(&path, text).ok()?;
    Some(path)
}

#[cfg(not(feature = "process"))]
fn save(_: &Query, _: &Path) -> Option<PathBuf> {
    None
}
