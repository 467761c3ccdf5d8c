//! Requests and answers as lines of text.

use super::answer::{Answer, BlockEnd, Nonsense, Outcome, RaceAt, Refusal};
use super::read::Reader;
use super::request::{Request, Uncovered};
use super::write::Writer;
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

    /// The line of a request, without its end.
    ///
    /// # Errors
    /// What the mechanization does not cover.
    pub fn write(&self, request: &Request) -> Result<String, Uncovered> {
        let mut writer = Writer { array: &self.array, text: String::new() };
        writer.node(request.function(), |w| match request {
            Request::LastWrites { cell, history } => {
                w.cell(cell)?;
                w.history(history)
            }
            Request::Evaluate { history, thread, before, program } => {
                w.history(history)?;
                w.number(*thread)?;
                w.accesses(before)?;
                w.b(program)
            }
            Request::EvaluateParallel { threads, history, program } => {
                w.threads(*threads)?;
                w.history(history)?;
                w.b(program)
            }
            Request::EvaluateSynchronized { threads, history, program } => {
                w.threads(*threads)?;
                w.history(history)?;
                w.s(program)
            }
            Request::EvaluateToBarrier { history, thread, before, program } => {
                w.history(history)?;
                w.number(*thread)?;
                w.accesses(before)?;
                w.k(program)
            }
            Request::EvaluateBlock { phases, threads, history, program } => {
                w.number(*phases)?;
                w.history(history)?;
                w.node("start", |w| {
                    w.threads(*threads)?;
                    w.k(program)
                })
            }
            Request::EvaluateProtocol { protocol } => w.u(protocol),
            Request::EvaluateProtocolOfAll { threads, protocol } => {
                w.threads(*threads)?;
                w.u(protocol)
            }
            Request::EvaluateSynchronizedProtocol { threads, protocol } => {
                w.threads(*threads)?;
                w.list(|w| w.list(|_| Ok(())))?;
                w.p(protocol)
            }
            Request::Infer { variables, program } => {
                w.names(variables)?;
                w.b(program)
            }
            Request::InferSynchronized { variables, program } => {
                w.names(variables)?;
                w.s(program)
            }
            Request::InferAnywhere { variables, program } => {
                w.names(variables)?;
                w.k(program)
            }
            Request::Races { phase } => w.phase(phase),
            Request::Drf { history } => w.history(history),
            Request::Conflicts { accesses } => {
                w.list(|w| accesses.iter().try_for_each(|access| w.access(access)))
            }
        })?;
        Ok(writer.text)
    }

    /// What a line answers to `request`.
    ///
    /// # Errors
    /// [`Nonsense`] when it is no answer to it; an `Err` inside when the oracle refuses it.
    pub fn read(&self, request: &Request, line: &str) -> Result<Result<Answer, Refusal>, Nonsense> {
        let mut reader = Reader { array: &self.array, line, at: 0 };
        if line.starts_with("(error ") {
            return refusal(&mut reader).map(Err);
        }
        let answer = answer(&mut reader, request)?;
        reader.end()?;
        Ok(Ok(answer))
    }
}

fn answer(r: &mut Reader<'_>, request: &Request) -> Result<Answer, Nonsense> {
    Ok(match request {
        Request::LastWrites { .. } => Answer::Values(r.list(Reader::number)?.into_iter().collect()),
        Request::Evaluate { .. } => Answer::Accesses(outcome(r, Reader::accesses)?),
        Request::EvaluateParallel { .. } | Request::EvaluateSynchronized { .. } => {
            Answer::History(outcome(r, Reader::history)?)
        }
        Request::EvaluateToBarrier { .. } => {
            Answer::Stop(outcome(r, |r| r.within(|r| Ok((r.accesses()?, stop(r)?))))?)
        }
        Request::EvaluateBlock { .. } => Answer::Block(outcome(r, block_end)?),
        Request::EvaluateProtocol { .. } => Answer::ThreadAccesses(option(r, |r| {
            r.list(|r| r.within(|r| Ok((r.mode()?, r.cell()?))))
        })?),
        Request::EvaluateProtocolOfAll { .. } => {
            Answer::Lambda(option(r, |r| Ok(vec![r.list(Reader::access)?]))?)
        }
        Request::EvaluateSynchronizedProtocol { .. } => Answer::Lambda(option(r, |r| {
            let mut phases = r.list(|r| r.list(Reader::access))?;
            phases.reverse();
            Ok(phases)
        })?),
        Request::Infer { .. } => Answer::Type(option(r, Reader::u)?),
        Request::InferSynchronized { .. } => Answer::Type(option(r, Reader::p)?),
        Request::InferAnywhere { .. } => Answer::Type(option(r, Reader::q)?),
        Request::Races { .. } => Answer::Races(r.list(race)?.into_iter().collect()),
        Request::Drf { .. } => match r.word() {
            "true" => Answer::Drf(true),
            "false" => Answer::Drf(false),
            _ => return r.expected("true or false"),
        },
        Request::Conflicts { .. } => {
            let pairs = r.list(|r| r.within(|r| Ok((r.access()?, r.access()?))))?;
            Answer::Conflicts(pairs.into_iter().collect())
        }
    })
}

fn outcome<'a, T>(
    r: &mut Reader<'a>,
    item: impl FnOnce(&mut Reader<'a>) -> Result<T, Nonsense>,
) -> Result<Outcome<T>, Nonsense> {
    match r.word() {
        "unbound" => return Ok(Outcome::Unbound),
        "out-of-depth" => return Ok(Outcome::OutOfDepth),
        _ => {}
    }
    r.within(|r| {
        Ok(match r.word() {
            "result" => Outcome::Result(item(r)?),
            "undefined" => Outcome::Undefined(r.cell()?),
            "ambiguous" => {
                let cell = r.cell()?;
                Outcome::Ambiguous(cell, r.list(Reader::number)?.into_iter().collect())
            }
            _ => return r.expected("an outcome"),
        })
    })
}

fn option<'a, T>(
    r: &mut Reader<'a>,
    item: impl FnOnce(&mut Reader<'a>) -> Result<T, Nonsense>,
) -> Result<Option<T>, Nonsense> {
    if r.word() == "none" {
        return Ok(None);
    }
    r.within(|r| match r.word() {
        "some" => item(r).map(Some),
        _ => r.expected("some or none"),
    })
}

fn block_end(r: &mut Reader<'_>) -> Result<BlockEnd, Nonsense> {
    r.within(|r| match r.word() {
        "ends" => Ok(BlockEnd::Ends(r.history()?)),
        "diverges" => {
            let history = r.history()?;
            let first = (r.thread()?, stop(r)?);
            Ok(BlockEnd::Diverges { history, first, second: (r.thread()?, stop(r)?) })
        }
        _ => r.expected("the end of a block"),
    })
}

/// Where a thread stopped. What it has left to run is not looked at.
fn stop(r: &mut Reader<'_>) -> Result<Option<Site>, Nonsense> {
    if r.word() == "finished" {
        return Ok(None);
    }
    r.within(|r| {
        if r.word() != "at" {
            return r.expected("the place of a stop");
        }
        let site = r.site()?;
        r.skip()?;
        Ok(Some(site))
    })
}

fn race(r: &mut Reader<'_>) -> Result<RaceAt, Nonsense> {
    r.within(|r| {
        let (writer, other) = (r.thread()?, r.thread()?);
        Ok(RaceAt { writer, other, cell: r.cell()? })
    })
}

fn refusal(r: &mut Reader<'_>) -> Result<Refusal, Nonsense> {
    r.open()?;
    // `error`
    r.word();
    let reason = r.word().to_owned();
    let Some(at) = r.number()?.to_u64().and_then(|at| usize::try_from(at).ok()) else {
        return r.expected("a position");
    };
    let message = r.string()?;
    r.close()?;
    r.end()?;
    Ok(Refusal { reason, at, message })
}
