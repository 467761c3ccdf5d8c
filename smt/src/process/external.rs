//! z3 and cvc5 as solvers.

use std::{
    collections::BTreeMap,
    env,
    ffi::{OsStr, OsString},
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use babycuda_core::clock::Instant;
use smtlib::{
    backend::Backend,
    lowlevel::{
        self, Storage,
        ast::{self, Attribute, AttributeValue, Command, Identifier, QualIdentifier, SpecConstant},
        lexicon::{Keyword, Numeral, Symbol},
    },
};

use super::{pipe::Pipe, reply};
use crate::{
    answer::{Answer, Reason},
    model::Model,
    query::Query,
    quote::quote,
    script::commands,
    solver::{QueryLimits, Solver},
};

/// Which program, and how to talk to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Z3; 4.15 or later is preferred, older ones work.
    Z3,
    /// cvc5.
    Cvc5,
}

impl Kind {
    /// The name of the solver and of its program.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Kind::Z3 => "z3",
            Kind::Cvc5 => "cvc5",
        }
    }

    /// The environment variable that names the program to use instead of the one on the path.
    #[must_use]
    pub fn variable(self) -> &'static str {
        match self {
            Kind::Z3 => "BABYCUDA_Z3",
            Kind::Cvc5 => "BABYCUDA_CVC5",
        }
    }

    fn arguments(self) -> &'static [&'static str] {
        match self {
            Kind::Z3 => &["-smt2", "-in"],
            Kind::Cvc5 => &["--lang=smt2", "--quiet"],
        }
    }

    /// The option that limits the milliseconds of one question.
    fn time_limit(self) -> &'static str {
        match self {
            Kind::Z3 => ":timeout",
            Kind::Cvc5 => ":tlimit-per",
        }
    }
}

/// A solver process, started at the first query, reset between queries, and started afresh after
/// anything unexpected. cvc5, which starts in 4 ms and forgets to acknowledge `reset`, is started
/// afresh for every query.
#[derive(Debug)]
pub struct External {
    kind: Kind,
    program: Result<(PathBuf, String), String>,
    /// The running process, between queries.
    idle: Mutex<Option<Pipe>>,
}

impl External {
    /// The solver that [`Kind::variable`] names, or else the one on the path. When there is none,
    /// every query is answered `Unknown(Unavailable)`.
    #[must_use]
    pub fn find(kind: Kind) -> External {
        let program = match env::var_os(kind.variable()) {
            Some(program) => PathBuf::from(program),
            None => PathBuf::from(kind.name()),
        };
        External::at(kind, program)
    }

    /// The solver at a path, or of a name on the path. It is started once for its version: what it said is remembered,
    /// that it is not there is not.
    pub fn at(kind: Kind, program: impl Into<PathBuf>) -> External {
        let program = program.into();
        External {
            kind,
            program: known(&program).map(|version| (program, version)),
            idle: Mutex::new(None),
        }
    }

    /// A program that is taken for a solver without asking it for its version.
    pub fn unprobed(kind: Kind, program: impl Into<PathBuf>) -> External {
        External { kind, program: Ok((program.into(), String::new())), idle: Mutex::new(None) }
    }

    /// The first line the program prints about its version, or why it cannot be used.
    ///
    /// # Errors
    /// The reason, when it cannot be used.
    pub fn version(&self) -> Result<&str, &str> {
        match &self.program {
            Ok((_, version)) => Ok(version),
            Err(reason) => Err(reason),
        }
    }

    fn take(&self) -> Option<Pipe> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn keep(&self, pipe: Pipe) {
        *self.idle.lock().unwrap_or_else(PoisonError::into_inner) = Some(pipe);
    }

    fn run(&self, program: &Path, query: &Query, deadline: Instant) -> Result<Answer, Failure> {
        let reused = self.take();
        let fresh = reused.is_none();
        let mut pipe = match reused {
            Some(pipe) => pipe,
            None => Pipe::start(program, self.kind.arguments().iter().map(OsStr::new))?,
        };
        pipe.set_deadline(deadline);
        let result = match self.converse(&mut pipe, query, fresh, deadline) {
            // An idle process may have died since its last query: that says nothing about this
            // one.
            Err(Failure::Ended(_)) if !fresh => return self.run(program, query, deadline),
            result => result,
        };
        // Only after a regular conversation is the process in a known state.
        if result.is_ok() && self.kind == Kind::Z3 {
            self.keep(pipe);
        }
        result
    }

    /// Puts one query to the solver.
    fn converse(
        &self,
        pipe: &mut Pipe,
        query: &Query,
        fresh: bool,
        deadline: Instant,
    ) -> Result<Answer, Failure> {
        let storage = Storage::new();
        // Late answers are not waited for. This ends a solver that outlives a program that was killed.
        let left = deadline.saturating_duration_since(Instant::now()).as_millis();
        let most = Numeral::from_u128((2 * left + 1000).min(u32::MAX.into()));
        let most = AttributeValue::SpecConstant(SpecConstant::Numeral(most));
        let limit = Attribute::WithValue(Keyword(self.kind.time_limit()), most);
        if !fresh {
            command(pipe, Command::Reset)?;
        }
        command(pipe, Command::SetOption(ast::Option::PrintSuccess(true)))?;
        command(pipe, Command::SetOption(ast::Option::ProduceModels(true)))?;
        command(pipe, Command::SetOption(ast::Option::Attribute(limit)))?;
        for line in commands(&storage, query) {
            command(pipe, line)?;
        }
        let reply = pipe.exec(Command::CheckSat)?;
        match reply.trim() {
            "unsat" => Ok(Answer::Unsat),
            "unknown" => Ok(Answer::Unknown(Reason::Incomplete("no reason given".into()))),
            "sat" => model(pipe, &storage, query),
            other => Err(Failure::Nonsense(excerpt(other))),
        }
    }
}

impl Solver for External {
    fn name(&self) -> &str {
        self.kind.name()
    }

    fn is_there(&self) -> bool {
        self.program.is_ok()
    }

    fn check(&self, query: &Query, limits: &QueryLimits) -> Answer {
        let program = match &self.program {
            Ok((program, _)) => program,
            Err(reason) => return Answer::Unknown(Reason::Unavailable(reason.clone())),
        };
        match self.run(program, query, Instant::now() + limits.time) {
            Ok(answer) => answer,
            Err(failure) => Answer::Unknown(match failure {
                Failure::Late => Reason::Timeout(limits.time),
                Failure::Ended(why) => Reason::Crashed(why),
                Failure::Nonsense(what) => Reason::Nonsense(what),
                Failure::Missing(why) => Reason::Unavailable(why),
            }),
        }
    }
}

/// Why a conversation broke off.
enum Failure {
    Late,
    Ended(String),
    Nonsense(String),
    Missing(String),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::TimedOut => Failure::Late,
            io::ErrorKind::InvalidData => Failure::Nonsense(error.to_string()),
            io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied => {
                Failure::Missing(error.to_string())
            }
            _ => Failure::Ended(error.to_string()),
        }
    }
}

impl From<lowlevel::Error> for Failure {
    fn from(error: lowlevel::Error) -> Failure {
        match error {
            lowlevel::Error::IO(error) => error.into(),
            lowlevel::Error::Parse(error) => Failure::Nonsense(error.to_string()),
        }
    }
}

/// Sends a command that has no other reply than `success`.
fn command(pipe: &mut Pipe, command: Command<'_>) -> Result<(), Failure> {
    let reply = pipe.exec(command)?;
    match reply.trim() {
        "success" => Ok(()),
        other => Err(Failure::Nonsense(excerpt(other))),
    }
}

fn model(pipe: &mut Pipe, storage: &Storage, query: &Query) -> Result<Answer, Failure> {
    let constants: Vec<_> =
        query.declarations().iter().map(|d| (Arc::clone(&d.name), d.sort)).collect();
    if constants.is_empty() {
        return Ok(Answer::from_model(query, Model::new()));
    }
    let names: Vec<&ast::Term<'_>> = constants
        .iter()
        .map(|(name, _)| {
            let symbol = Symbol(storage.alloc_str(&quote(name)));
            let identifier = QualIdentifier::Identifier(Identifier::Simple(symbol));
            storage.alloc_term(ast::Term::Identifier(identifier))
        })
        .collect();
    let reply = pipe.exec(Command::GetValue(&names))?;
    match reply::values(&reply, &constants) {
        Some(values) => Ok(Answer::from_model(query, values.into_iter().collect())),
        None => Err(Failure::Nonsense(excerpt(&reply))),
    }
}

/// The start of a reply, for people.
fn excerpt(reply: &str) -> String {
    let line: String = reply.trim().chars().take(200).collect();
    format!("{line:?}")
}

/// What programs said about their versions, by name and by the folders in which names are looked for.
static KNOWN: Mutex<BTreeMap<(PathBuf, Option<OsString>), String>> = Mutex::new(BTreeMap::new());

/// The version of a program, which is asked for it where it is not known. To start a solver takes as long as many
/// questions to the embedded one, and most verdicts ask no other.
fn known(program: &Path) -> Result<String, String> {
    let key = (program.to_owned(), env::var_os("PATH"));
    let said = KNOWN.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
    if let Some(version) = said {
        return Ok(version);
    }
    let version = probe(program)?;
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner).insert(key, version.clone());
    Ok(version)
}

/// Asks a program for its version, within two seconds.
fn probe(program: &Path) -> Result<String, String> {
    let shown = program.display();
    let mut pipe = Pipe::start(program, ["--version"])
        .map_err(|error| format!("cannot run `{shown}`: {error}"))?;
    pipe.set_deadline(Instant::now() + Duration::from_secs(2));
    match pipe.line() {
        Ok(line) => Ok(line),
        Err(error) => Err(format!("`{shown} --version`: {error}")),
    }
}
