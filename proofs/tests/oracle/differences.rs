//! Answers that are not what was expected, and the smallest cases that have them.

use crate::cases::{ARRAY, Case, with_host};
use crate::expected::Expected;
use crate::questions::{Question, Questions, questions};
use babycuda_core::{History, HostMemory, Name, Program};
use babycuda_proofs::oracle::{Answer, Codec, Oracle, Refusal, Request};
use babycuda_proofs::{Situation, Subject};
use babycuda_testkit::shrink::minimise;
use std::fmt;
use std::time::Duration;

/// How long a batch may take.
const TIME: Duration = Duration::from_secs(120);

/// How many smaller programs are tried.
const SHRINKING: usize = 4_000;

/// An answer that is not what was expected.
#[derive(Clone, Debug)]
pub struct Difference {
    question: Question,
    who: &'static str,
    answer: Result<Answer, Refusal>,
}

/// Asks all questions; for each list, its differences.
pub fn compare(oracle: &mut Oracle, lists: &[Questions]) -> Vec<Vec<Difference>> {
    let all = || lists.iter().flat_map(|questions| &questions.all);
    let requests: Vec<Request> = all().map(|question| question.request.clone()).collect();
    let answers = oracle.ask(&requests, TIME).unwrap_or_else(|e| panic!("the oracle: {e}"));
    let mut answers = answers.into_iter();
    let own = |questions: &Questions| {
        questions.all.iter().zip(answers.by_ref()).flat_map(|(q, a)| differences(q, &a)).collect()
    };
    lists.iter().map(own).collect()
}

/// Everyone who expected another answer.
pub fn differences(question: &Question, answer: &Result<Answer, Refusal>) -> Vec<Difference> {
    let disagrees =
        |expected: &Expected| !answer.as_ref().is_ok_and(|answer| expected.agrees(answer));
    let who = question.expected.iter().filter(|(_, expected)| disagrees(expected));
    let difference = |who| Difference { question: question.clone(), who, answer: answer.clone() };
    who.map(|(who, _)| difference(*who)).collect()
}

/// The smallest case near `case` that has a difference.
pub fn smallest(oracle: &mut Oracle, case: &Case) -> Case {
    let mut least = case.clone();
    let mut differs = |case: &Case| !compare(oracle, &[questions(case)]).concat().is_empty();
    loop {
        let program = Program::of_body(least.program.clone());
        let smaller = minimise(&program, |p| differs(&with_program(&least, p)), SHRINKING);
        least = with_program(&least, &smaller);
        match shorter(&least).into_iter().find(|case| differs(case)) {
            Some(case) => least = case,
            None => return least,
        }
    }
}

/// The smallest case near `case` that has a difference, with its differences.
pub fn explain(oracle: &mut Oracle, case: &Case) -> String {
    let least = smallest(oracle, case);
    let found = compare(oracle, &[questions(&least)]).concat();
    let found: Vec<String> = found.iter().map(Difference::to_string).collect();
    format!("{}\n{}", text(&least), found.join("\n"))
}

fn with_program(case: &Case, program: &Program) -> Case {
    Case { program: program.body.clone(), ..case.clone() }
}

/// The case without a phase, and without host contents.
fn shorter(case: &Case) -> Vec<Case> {
    let history = &case.history;
    let mut shorter = Vec::new();
    for left_out in 0..history.len() {
        if history.len() > 1 {
            let phases = history.chronological().filter(|(number, _)| *number != left_out);
            let empty = History::empty(history.host().clone());
            let history = phases.fold(empty, |h, (_, phase)| h.push(phase.clone()));
            shorter.push(Case { history, ..case.clone() });
        }
    }
    if *history.host() != HostMemory::default() {
        let history = with_host(history, HostMemory::default());
        shorter.push(Case { history, ..case.clone() });
    }
    shorter
}

/// The case as a program that can be run.
fn text(case: &Case) -> String {
    let subject = Subject::new(case.program.clone(), case.threads);
    Situation::new(case.history.clone(), subject).to_program().to_string()
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { question, who, answer } = self;
        let line = Codec::new(Name::new(ARRAY)).write(&question.request);
        writeln!(f, "asked            {}", line.unwrap_or_else(|uncovered| uncovered.to_string()))?;
        match answer {
            Ok(answer) => writeln!(f, "Coq              {answer:?}")?,
            Err(refusal) => writeln!(f, "Coq              {refusal}")?,
        }
        for (name, expected) in question.expected.iter().filter(|(name, _)| name == who) {
            writeln!(f, "{name:16} {expected:?}")?;
        }
        Ok(())
    }
}
