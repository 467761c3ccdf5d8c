//! What is asked about a case, and what the library says to it.

use crate::cases::{ARRAY, Case, has_uniform_bounds, options};
use crate::expected::{self, Expected};
use crate::machine;
use babycuda_core::history::lastwrite;
use babycuda_core::name::reserved::TID;
use babycuda_core::syntax::ForSort;
use babycuda_core::{Cell, LastWrite, Name, Num, Phase, Protocol};
use babycuda_proofs::oracle::{Answer, Codec, Outcome as Answered, Request};
use babycuda_semantics::{
    Derivation, Evaluation, Judgment, Outcome, Reason, ToBarrierJudgment, blocks, parallel, thread,
};
use babycuda_typing::{Context, infer};

/// A request, and what each part of the library expects of the answer.
#[derive(Clone, Debug)]
pub struct Question {
    pub request: Request,
    pub expected: Vec<(&'static str, Expected)>,
}

/// The questions about a case, with the labels under which it is counted.
#[derive(Clone, Debug, Default)]
pub struct Questions {
    pub all: Vec<Question>,
    pub labels: Vec<&'static str>,
}

/// All questions about `case`; none where its run goes beyond the limits.
pub fn questions(case: &Case) -> Questions {
    let mut questions = Questions::default();
    let run = blocks::run(&case.history, &case.program, case.block(), &options());
    let Some(end) = expected::block(&run.outcome) else {
        return Questions { labels: vec!["too long"], ..questions };
    };
    questions.describe(case, &run.outcome);
    questions.block(case, &run, Answer::Block(end));
    if !case.program.has_sync() {
        questions.phase(case);
    }
    questions.synchronized(case, &run.outcome);
    questions.history(case, &run.outcome);
    questions.protocol(case);
    questions
}

impl Questions {
    pub fn ask(&mut self, request: Request, expected: Expected) {
        self.all.push(Question { request, expected: vec![("reference", expected)] });
    }

    fn describe(&mut self, case: &Case, outcome: &Outcome) {
        self.labels.push(match outcome {
            Outcome::Diverged { .. } => "diverges",
            Outcome::Done { history } if history.is_drf() => "ends, DRF",
            Outcome::Done { .. } => "ends, racy",
            Outcome::Stuck { stuck, .. } => match stuck.reason {
                Reason::Undefined { .. } => "stuck on ⊥",
                Reason::Ambiguous { .. } => "stuck on a racy cell",
                _ => "stuck on an unbound variable",
            },
        });
        self.labels.extend((outcome.history().len() > case.history.len()).then_some("barriers"));
        self.labels.extend((!case.is_fresh()).then_some("in a history"));
        self.labels.extend((!case.history.is_drf()).then_some("in a racy history"));
        let paper = case.program.is_paper_fragment();
        self.labels.extend(paper.then_some("of the paper"));
    }

    /// `evaluate_block`, and `evaluate_k` for one of its premises.
    fn block(&mut self, case: &Case, run: &Evaluation, end: Answer) {
        let Case { history, program, threads, .. } = case;
        let intervals = run.outcome.history().len() + 2 - history.len();
        let request = |phases| Request::EvaluateBlock {
            phases,
            threads: *threads,
            history: history.clone(),
            program: program.clone(),
        };
        let mut expected = vec![("reference", Expected::Same(end))];
        if let Some(outcome) = machine::outcome(case)
            && let Some(end) = expected::block(&outcome)
        {
            expected.push(("virtual machine", Expected::Same(Answer::Block(end))));
            self.labels.push("on the virtual machine");
        }
        self.all.push(Question { request: request(intervals as u64), expected });
        if intervals > 2 && case.pick == 0 {
            let too_few = Answer::Block(Answered::OutOfDepth);
            self.ask(request(intervals as u64 - 3), Expected::Same(too_few));
            self.labels.push("too few phases");
        }
        let stops = run.derivation.as_deref().map(stops).unwrap_or_default();
        if program.has_sync()
            && let Some(stop) = stops.get(case.pick % stops.len().max(1))
        {
            let result = (stop.after.as_ref().clone(), stop.stop.site());
            let request = Request::EvaluateToBarrier {
                history: stop.history.as_ref().clone(),
                thread: stop.thread,
                before: stop.before.as_ref().clone(),
                program: stop.program.as_ref().clone(),
            };
            self.ask(request, Expected::Same(Answer::Stop(Answered::Result(result))));
        }
    }

    /// `evaluate_parallel`, and `evaluate` for one thread.
    fn phase(&mut self, case: &Case) {
        let Case { history, program, threads, .. } = case;
        let after = match parallel::run(history, program, case.block(), &options()) {
            Ok((after, _)) => Some(Answered::Result(after)),
            Err(reason) => expected::stuck(&reason),
        };
        if let Some(after) = after {
            let request = Request::EvaluateParallel {
                threads: *threads,
                history: history.clone(),
                program: program.clone(),
            };
            self.ask(request, Expected::Same(Answer::History(after)));
        }
        let Some((head, older)) = history.split() else { return };
        let i = case.pick as u64 % u64::from(*threads);
        let closed = program.subst(&case.block().substitution(i));
        let before = head.get(i);
        let after = match thread::evaluate(&before, &closed, &older, i, &options()) {
            Ok((after, _)) => Some(Answered::Result(after)),
            Err(reason) => expected::stuck(&reason),
        };
        if let Some(after) = after {
            let request = Request::Evaluate { history: older, thread: i, before, program: closed };
            self.ask(request, Expected::Same(Answer::Accesses(after)));
        }
    }

    /// `evaluate_s`, where the program is stratified as the mechanization has it.
    fn synchronized(&mut self, case: &Case, outcome: &Outcome) {
        let request = Request::EvaluateSynchronized {
            threads: case.threads,
            history: case.history.clone(),
            program: case.program.clone(),
        };
        if is_covered(&request) && has_uniform_bounds(&case.program) {
            self.labels.push("stratified");
            self.ask(
                request,
                match outcome {
                    Outcome::Done { history } => {
                        Expected::Same(Answer::History(Answered::Result(history.clone())))
                    }
                    Outcome::Diverged { .. } | Outcome::Stuck { .. } => Expected::NoResult,
                },
            );
        }
    }

    /// `lastwrites`, `races` and `drf_b` of the history that the run leaves.
    fn history(&mut self, case: &Case, outcome: &Outcome) {
        let history = outcome.history();
        let written = history.newest_first().flat_map(|phase| {
            phase.threads().flat_map(|(_, accesses)| accesses.writes.keys().cloned())
        });
        let mut cells: Vec<Cell> = written.collect();
        cells.push(Cell::new(ARRAY, case.pick % 4));
        let cell = cells.swap_remove(case.pick % cells.len());
        let values = match lastwrite(&cell, history) {
            LastWrite::Undefined => Default::default(),
            LastWrite::One(value) => [value].into(),
            LastWrite::Several(possible) => possible.values,
        };
        let request = Request::LastWrites { cell, history: history.clone() };
        self.ask(request, Expected::Same(Answer::Values(values)));

        let request = Request::Drf { history: history.clone() };
        self.ask(request, Expected::Same(Answer::Drf(history.is_drf())));

        let racy = machine::racy_cells(case);
        for (number, phase) in history.chronological() {
            if *phase == Phase::default() {
                continue;
            }
            let mut expected =
                vec![("reference", Expected::Same(expected::races(phase.races(number))))];
            if let Some(racy) = &racy {
                let cells = racy.iter().filter(|(n, _)| *n == number).map(|(_, c)| c.clone());
                expected.push(("virtual machine", Expected::RacyCells(cells.collect())));
            }
            self.all.push(Question { request: Request::Races { phase: phase.clone() }, expected });
        }
    }

    /// `infer`, or `infer_k` and `infer_s`, and what the protocol accesses.
    fn protocol(&mut self, case: &Case) {
        let with_tid: Vec<Name> =
            [Name::new(TID)].into_iter().chain(case.parameters.iter().cloned()).collect();
        let program = || case.program.clone();
        let typed = infer(&Context::from_iter(with_tid.clone()), &case.program);
        let protocol = typed.ok().map(|typed| typed.protocol);
        let request = match case.program.has_sync() {
            true => Request::InferAnywhere { variables: with_tid, program: program() },
            false => Request::Infer { variables: with_tid, program: program() },
        };
        if !is_covered(&request) {
            return;
        }
        self.labels.push(if protocol.is_some() { "typed" } else { "ill-typed" });
        self.ask(request, Expected::Type(protocol.clone()));
        let request =
            Request::InferSynchronized { variables: case.parameters.clone(), program: program() };
        if case.program.has_sync() && is_covered(&request) {
            // The stratified type system types the stratified ones of these, and no other.
            let uniform = has_uniform_bounds(&case.program);
            if !uniform && protocol.is_some() {
                self.labels.push("typed, bounds depend on the thread");
            }
            self.ask(request, Expected::Type(protocol.clone().filter(|_| uniform)));
        }
        // `evaluate_p` has no value for `tid` in the bounds of `forS` loops.
        let of_thread = |bound: &Num| bound.free_vars().contains(&Name::new(TID));
        let is_uniform = |p: &Protocol| match p {
            Protocol::For { sort: ForSort::S, lower, upper, .. } => {
                !of_thread(lower) && !of_thread(upper)
            }
            _ => true,
        };
        if let Some(protocol) = protocol.filter(|p| p.subterms().all(is_uniform)) {
            self.accesses(&protocol, case.threads, case.pick);
        }
    }
}

/// Can the oracle be asked this?
pub fn is_covered(request: &Request) -> bool {
    Codec::new(Name::new(ARRAY)).write(request).is_ok()
}

/// Every run of a thread to its next barrier.
fn stops(derivation: &Derivation) -> Vec<&ToBarrierJudgment> {
    let mut stops = Vec::new();
    let mut next = Some(derivation);
    while let Some(node) = next {
        next = None;
        for child in node.children() {
            match &child.conclusion {
                Judgment::ToBarrier(stop) => stops.push(stop),
                _ => next = Some(child),
            }
        }
    }
    stops
}
