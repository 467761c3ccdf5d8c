//! Several solvers as one.

use std::{
    path::{Path, PathBuf},
    str::FromStr,
    thread,
    time::Duration,
};

use babycuda_core::{Budget, clock::Instant, parse::Misspelled};

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
            SolverName::Auto => Box::new(Portfolio::new(installed())),
            #[cfg(feature = "builtin")]
            SolverName::Builtin => Box::new(crate::Builtin),
            #[cfg(feature = "process")]
            SolverName::Z3 if PROCESSES => {
                Box::new(crate::process::External::find(crate::process::Kind::Z3))
            }
            #[cfg(feature = "process")]
            SolverName::Cvc5 if PROCESSES => {
                Box::new(crate::process::External::find(crate::process::Kind::Cvc5))
            }
            _ => Box::new(Absent(self.as_str())),
        }
    }
}

impl FromStr for SolverName {
    type Err = Misspelled;

    fn from_str(name: &str) -> Result<SolverName, Misspelled> {
        let found = SolverName::ALL.into_iter().find(|solver| solver.as_str() == name);
        found.ok_or_else(|| Misspelled::new(name, "no solver: try auto, builtin, z3 or cvc5"))
    }
}

/// Are there processes? In a web page there are none.
#[cfg(feature = "process")]
const PROCESSES: bool = !cfg!(all(target_family = "wasm", target_os = "unknown"));

/// The solvers that are there: the embedded one, then z3 and cvc5.
#[must_use]
pub fn installed() -> Vec<Box<dyn Solver>> {
    let all = [SolverName::Builtin, SolverName::Z3, SolverName::Cvc5];
    all.into_iter().map(SolverName::solver).filter(|solver| solver.is_there()).collect()
}

/// A solver that was not compiled in.
struct Absent(&'static str);

impl Solver for Absent {
    fn name(&self) -> &str {
        self.0
    }

    fn is_there(&self) -> bool {
        false
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
    /// These solvers, in order: the first that decides a query answers for all. Each gets an equal
    /// share of the time that is left.
    #[must_use]
    pub fn new(members: Vec<Box<dyn Solver>>) -> Portfolio {
        Portfolio { members, cross_check: false, save_to: None }
    }

    /// Asks all members at once, each with the whole time limit. When they contradict each other,
    /// the answer is [`Reason::Disagreement`]. With the feature `process`, the query is then saved
    /// as SMT-LIB text in the folder `save_to`, if there is one.
    #[must_use]
    pub fn cross_check(mut self, save_to: Option<PathBuf>) -> Portfolio {
        self.cross_check = true;
        self.save_to = save_to;
        self
    }

    /// What the members say, in their order. Without cross-check, nobody is asked after the first
    /// that decides. Models have been checked.
    #[must_use]
    pub fn ask(&self, query: &Query, limits: &QueryLimits) -> Vec<Opinion> {
        if self.cross_check {
            let budget = Budget::ambient();
            let failed = |member: &dyn Solver, reason, time| {
                let (solver, answer) = (member.name().to_owned(), Answer::Unknown(reason));
                Opinion { solver, answer, time }
            };
            let asked = |member: &dyn Solver| {
                let within = budget.within(|| opinion(member, query, limits));
                within.unwrap_or_else(|over| failed(member, Reason::Timeout(over.0), over.0))
            };
            let panicked = || Reason::Crashed("it panicked".into());
            return thread::scope(|scope| {
                let members = self.members.iter().map(AsRef::as_ref);
                let asked: Vec<_> =
                    members.map(|member| (member, scope.spawn(move || asked(member)))).collect();
                let joined = asked.into_iter().map(|(member, thread)| {
                    thread.join().unwrap_or_else(|_| failed(member, panicked(), Duration::ZERO))
                });
                joined.collect()
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
