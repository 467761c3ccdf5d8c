//! Requests and answers as lines of text.

use super::answer::{Answer, BlockEnd, Nonsense, Outcome, RaceAt, Refusal};
use super::read::{Read, Reader, each, mode, number, pair, site, thread, wrong};
use super::request::{Request, Uncovered};
use super::sexp::{Sexp, node, word};
use super::write::{Writer, all, names, threads};
use babycuda_core::{Name, Site};

/// Writes requests about one array, and reads the answers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Codec {
    array: Name,
}

impl Codec {
    /// For requests about `array`.
    pub fn new(array: Name) -> Codec {
        Codec { array }
    }

    /// The line of a request, without its end: a function's name in Coq with its arguments.
    ///
    /// # Errors
    /// What the mechanization does not cover.
    pub fn write(&self, request: &Request) -> Result<String, Uncovered> {
        let w = Writer { array: &self.array };
        let (function, arguments) = match request {
            Request::LastWrites { cell, history } => {
                ("lastwrites", vec![w.cell(cell)?, w.history(history)?])
            }
            Request::Evaluate { history, thread, before, program } => {
                let (before, program) = (w.accesses(before)?, w.b(program)?);
                ("evaluate", vec![w.history(history)?, word(thread), before, program])
            }
            Request::EvaluateParallel { threads: n, history, program } => {
                ("evaluate_parallel", vec![threads(*n), w.history(history)?, w.b(program)?])
            }
            Request::EvaluateSynchronized { threads: n, history, program } => {
                ("evaluate_s", vec![threads(*n), w.history(history)?, w.s(program)?])
            }
            Request::EvaluateToBarrier { history, thread, before, program } => {
                let (before, program) = (w.accesses(before)?, w.k(program)?);
                ("evaluate_k", vec![w.history(history)?, word(thread), before, program])
            }
            Request::EvaluateBlock { phases, threads: n, history, program } => {
                let start = node("start", [threads(*n), w.k(program)?]);
                ("evaluate_block", vec![word(phases), w.history(history)?, start])
            }
            Request::EvaluateProtocol { protocol } => ("evaluate_u", vec![w.u(protocol)?]),
            Request::EvaluateProtocolOfAll { threads: n, protocol } => {
                ("evaluate_u_all", vec![threads(*n), w.u(protocol)?])
            }
            Request::EvaluateSynchronizedProtocol { threads: n, protocol } => {
                let start = Sexp::List(vec![Sexp::List(Vec::new())]);
                ("evaluate_p", vec![threads(*n), start, w.p(protocol)?])
            }
            Request::Infer { variables, program } => {
                ("infer", vec![names(variables), w.b(program)?])
            }
            Request::InferSynchronized { variables, program } => {
                ("infer_s", vec![names(variables), w.s(program)?])
            }
            Request::InferAnywhere { variables, program } => {
                ("infer_k", vec![names(variables), w.k(program)?])
            }
            Request::Races { phase } => ("races", vec![w.phase(phase)?]),
            Request::Drf { history } => ("drf_b", vec![w.history(history)?]),
            Request::Conflicts { accesses } => {
                ("conflicts", vec![all(accesses.iter().map(|access| w.access(access)))?])
            }
        };
        Ok(node(function, arguments).to_string())
    }

    /// What a line answers to `request`.
    ///
    /// # Errors
    /// [`Nonsense`] when it is no answer to it; an `Err` inside when the oracle refuses it.
    pub fn read(&self, request: &Request, line: &str) -> Result<Result<Answer, Refusal>, Nonsense> {
        let answer = Sexp::parse(line).and_then(|s| match s.view() {
            ("error", [reason, at, message]) => refusal(reason, at, message).map(Err),
            _ => self.answer(request, &s).map(Ok),
        });
        answer.map_err(|(expected, found)| Nonsense { line: line.to_owned(), expected, found })
    }

    fn answer(&self, request: &Request, s: &Sexp) -> Read<Answer> {
        let r = Reader { array: &self.array };
        let accesses = |s: &Sexp| each(s, |s| r.access(s));
        Ok(match request {
            Request::LastWrites { .. } => Answer::Values(each(s, number)?),
            Request::Evaluate { .. } => Answer::Accesses(outcome(&r, s, |s| r.accesses(s))?),
            Request::EvaluateParallel { .. } | Request::EvaluateSynchronized { .. } => {
                Answer::History(outcome(&r, s, |s| r.history(s))?)
            }
            Request::EvaluateToBarrier { .. } => {
                Answer::Stop(outcome(&r, s, |s| pair(s, |s| r.accesses(s), stop))?)
            }
            Request::EvaluateBlock { .. } => Answer::Block(outcome(&r, s, |s| block_end(&r, s))?),
            Request::EvaluateProtocol { .. } => {
                Answer::ThreadAccesses(option(s, |s| each(s, |s| pair(s, mode, |s| r.cell(s))))?)
            }
            Request::EvaluateProtocolOfAll { .. } => {
                Answer::Lambda(option(s, |s| Ok(vec![accesses(s)?]))?)
            }
            Request::EvaluateSynchronizedProtocol { .. } => Answer::Lambda(option(s, |s| {
                let mut phases: Vec<_> = each(s, accesses)?;
                phases.reverse();
                Ok(phases)
            })?),
            Request::Infer { .. } => Answer::Type(option(s, |s| r.u(s))?),
            Request::InferSynchronized { .. } => Answer::Type(option(s, |s| r.p(s))?),
            Request::InferAnywhere { .. } => Answer::Type(option(s, |s| r.q(s))?),
            Request::Races { .. } => Answer::Races(each(s, |s| race(&r, s))?),
            Request::Drf { .. } => match s.view() {
                ("true", []) => Answer::Drf(true),
                ("false", []) => Answer::Drf(false),
                _ => return wrong("true or false", s),
            },
            Request::Conflicts { .. } => {
                Answer::Conflicts(each(s, |s| pair(s, |s| r.access(s), |s| r.access(s)))?)
            }
        })
    }
}

fn outcome<T>(r: &Reader<'_>, s: &Sexp, item: impl FnOnce(&Sexp) -> Read<T>) -> Read<Outcome<T>> {
    match s.view() {
        ("unbound", []) => Ok(Outcome::Unbound),
        ("out-of-depth", []) => Ok(Outcome::OutOfDepth),
        ("result", [result]) => item(result).map(Outcome::Result),
        ("undefined", [j]) => r.cell(j).map(Outcome::Undefined),
        ("ambiguous", [j, values]) => Ok(Outcome::Ambiguous(r.cell(j)?, each(values, number)?)),
        _ => wrong("an outcome", s),
    }
}

fn option<T>(s: &Sexp, item: impl FnOnce(&Sexp) -> Read<T>) -> Read<Option<T>> {
    match s.view() {
        ("none", []) => Ok(None),
        ("some", [some]) => item(some).map(Some),
        _ => wrong("some or none", s),
    }
}

fn block_end(r: &Reader<'_>, s: &Sexp) -> Read<BlockEnd> {
    match s.view() {
        ("ends", [history]) => r.history(history).map(BlockEnd::Ends),
        ("diverges", [history, i, at, j, other]) => Ok(BlockEnd::Diverges {
            history: r.history(history)?,
            first: (thread(i)?, stop(at)?),
            second: (thread(j)?, stop(other)?),
        }),
        _ => wrong("the end of a block", s),
    }
}

/// Where a thread stopped. What it has left to run is not looked at.
fn stop(s: &Sexp) -> Read<Option<Site>> {
    match s.view() {
        ("finished", []) => Ok(None),
        ("at", [place, _]) => site(place).map(Some),
        _ => wrong("the place of a stop", s),
    }
}

fn race(r: &Reader<'_>, s: &Sexp) -> Read<RaceAt> {
    match s {
        Sexp::List(items) if let [i, other, j] = &items[..] => {
            Ok(RaceAt { writer: thread(i)?, other: thread(other)?, cell: r.cell(j)? })
        }
        _ => wrong("a race", s),
    }
}

fn refusal(reason: &Sexp, at: &Sexp, message: &Sexp) -> Read<Refusal> {
    match (reason, message, usize::try_from(thread(at)?)) {
        (Sexp::Word(reason), Sexp::Name(message), Ok(at)) => {
            Ok(Refusal { reason: reason.clone(), at, message: message.clone() })
        }
        _ => wrong("a reason, a position and a message", reason),
    }
}
