//! The test of the test: a wrong answer is a difference.

use crate::campaign::{numbered, start};
use crate::cases::{ARRAY, Case, case};
use crate::differences::{compare, differences, explain, smallest};
use crate::expected::Expected;
use crate::questions::{Question, questions};
use babycuda_core::{Access, AccessMode, Accesses, Cell, History, Name, Natural, Phase, Protocol};
use babycuda_proofs::oracle::{Answer, BlockEnd, Codec, Oracle, Outcome, Process, RaceAt};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// No case accesses it.
fn elsewhere() -> Cell {
    Cell::new(ARRAY, u128::MAX)
}

/// Answers that are wrong where `answer` is right.
fn corruptions(answer: &Answer) -> Vec<Answer> {
    match answer {
        Answer::Values(values) => sets(values, Natural::from(u128::MAX), Answer::Values),
        Answer::Accesses(o) => outcomes(o, accesses, Answer::Accesses),
        Answer::History(o) => outcomes(o, histories, Answer::History),
        Answer::Stop(o) => {
            let stops = |(after, stop): &(Accesses, Option<_>)| {
                let mut wrong: Vec<_> =
                    accesses(after).into_iter().map(|after| (after, *stop)).collect();
                wrong.extend(stop.map(|_| (after.clone(), None)));
                wrong
            };
            outcomes(o, stops, Answer::Stop)
        }
        Answer::Block(o) => outcomes(o, ends, Answer::Block),
        Answer::ThreadAccesses(None) => vec![Answer::ThreadAccesses(Some(Vec::new()))],
        Answer::ThreadAccesses(Some(list)) => {
            let more = [&list[..], &[(AccessMode::Rd, elsewhere())]].concat();
            let less = list.split_last().map(|(_, rest)| rest.to_vec());
            let lists = [Some(more), less].into_iter().flatten();
            let mut wrong: Vec<_> = lists.map(|l| Answer::ThreadAccesses(Some(l))).collect();
            wrong.push(Answer::ThreadAccesses(None));
            wrong
        }
        Answer::Lambda(None) => vec![Answer::Lambda(Some(Vec::new()))],
        Answer::Lambda(Some(phases)) => {
            let mut wrong = vec![Answer::Lambda(None)];
            for (number, phase) in phases.iter().enumerate() {
                let mut other = phases.clone();
                let access = Access { thread: 0, mode: AccessMode::Wr, cell: elsewhere() };
                other[number].push(access);
                wrong.push(Answer::Lambda(Some(other.clone())));
                if !phase.is_empty() {
                    other[number] = phase[1..].to_vec();
                    wrong.push(Answer::Lambda(Some(other.clone())));
                }
                other.remove(number);
                wrong.push(Answer::Lambda(Some(other)));
            }
            wrong
        }
        Answer::Type(None) => vec![Answer::Type(Some(Protocol::Skip))],
        Answer::Type(Some(protocol)) => {
            let twice = Protocol::Seq(Arc::new(protocol.clone()), Arc::new(protocol.clone()));
            vec![Answer::Type(None), Answer::Type(Some(twice))]
        }
        Answer::Races(races) => {
            let race = RaceAt { cell: elsewhere(), writer: 0, other: 1 };
            sets(races, race, Answer::Races)
        }
        Answer::Drf(drf) => vec![Answer::Drf(!drf)],
        Answer::Conflicts(pairs) => {
            let access = |thread| Access { thread, mode: AccessMode::Wr, cell: elsewhere() };
            sets(pairs, (access(0), access(1)), Answer::Conflicts)
        }
    }
}

/// One element more, and one less.
fn sets<T: Ord + Clone>(
    set: &BTreeSet<T>,
    other: T,
    answer: impl Fn(BTreeSet<T>) -> Answer,
) -> Vec<Answer> {
    let mut more = set.clone();
    more.insert(other);
    let mut less = set.clone();
    let popped = less.pop_first().is_some();
    [Some(more), popped.then_some(less)].into_iter().flatten().map(answer).collect()
}

fn outcomes<T: Clone>(
    outcome: &Outcome<T>,
    results: impl Fn(&T) -> Vec<T>,
    answer: impl Fn(Outcome<T>) -> Answer,
) -> Vec<Answer> {
    let wrong = match outcome {
        Outcome::Result(result) => {
            let mut wrong: Vec<_> = results(result).into_iter().map(Outcome::Result).collect();
            wrong.extend([Outcome::Undefined(elsewhere()), Outcome::Unbound, Outcome::OutOfDepth]);
            wrong
        }
        Outcome::Undefined(cell) => {
            let values = [Natural::zero(), Natural::from(1u32)].into();
            vec![Outcome::Undefined(elsewhere()), Outcome::Ambiguous(cell.clone(), values)]
        }
        Outcome::Ambiguous(cell, values) => {
            let mut fewer = values.clone();
            fewer.pop_last();
            vec![Outcome::Undefined(cell.clone()), Outcome::Ambiguous(cell.clone(), fewer)]
        }
        Outcome::Unbound => vec![Outcome::Undefined(elsewhere()), Outcome::OutOfDepth],
        Outcome::OutOfDepth => vec![Outcome::Unbound],
    };
    wrong.into_iter().map(answer).collect()
}

/// Another read, another write, and every value written one larger.
fn accesses(accesses: &Accesses) -> Vec<Accesses> {
    let mut wrong = vec![accesses.read(elsewhere()), accesses.write(elsewhere(), Natural::zero())];
    for (cell, value) in &accesses.writes {
        wrong.push(accesses.write(cell.clone(), value.successor()));
    }
    for cell in &accesses.reads {
        let reads = accesses.reads.without(cell);
        wrong.push(Accesses { reads, ..accesses.clone() });
    }
    wrong
}

/// One phase more, one less, and a thread of the newest with other accesses.
fn histories(history: &History) -> Vec<History> {
    let mut wrong = vec![history.push(Phase::default())];
    let Some((head, older)) = history.split() else { return wrong };
    for (i, before) in head.threads() {
        for after in accesses(before) {
            let mut phase = head.clone();
            phase.insert(i, after);
            wrong.push(older.push(phase));
        }
    }
    wrong.push(older);
    wrong
}

fn ends(end: &BlockEnd) -> Vec<BlockEnd> {
    match end {
        BlockEnd::Ends(history) => {
            let mut wrong: Vec<_> = histories(history).into_iter().map(BlockEnd::Ends).collect();
            let (first, second) = ((0, None), (1, None));
            wrong.push(BlockEnd::Diverges { history: history.clone(), first, second });
            wrong
        }
        BlockEnd::Diverges { history, first, second } => vec![
            BlockEnd::Ends(history.clone()),
            BlockEnd::Diverges { history: history.clone(), first: *second, second: *first },
        ],
    }
}

/// Every corruption of every answer, of each function.
pub fn all_are_noticed(program: &Path) {
    let mut oracle = start(program);
    let cases = (0..1_500).map(|n| numbered(n, case));
    let all: Vec<Question> = cases.flat_map(|case| questions(&case).all).collect();
    let requests: Vec<_> = all.iter().map(|question| question.request.clone()).collect();
    let answers = oracle.ask(&requests, Duration::from_secs(60)).expect("answers");
    let codec = Codec::new(Name::new(ARRAY));
    let mut noticed: BTreeMap<String, usize> = BTreeMap::new();
    for (question, answer) in all.iter().zip(answers) {
        let answer = answer.expect("no refusal");
        assert!(differences(question, &Ok(answer.clone())).is_empty());
        let line = codec.write(&question.request).expect("covered");
        let function = line[1..].split(' ').next().unwrap_or_default();
        let wrong = match question.expected[..] {
            // Any stop will do, but a result will not.
            [(_, Expected::NoResult)] => {
                vec![Answer::History(Outcome::Result(History::default()))]
            }
            _ => corruptions(&answer),
        };
        for wrong in wrong {
            assert!(!differences(question, &Ok(wrong.clone())).is_empty(), "{wrong:?}");
            *noticed.entry(function.to_owned()).or_default() += 1;
        }
    }
    println!("{noticed:?}");
    assert_eq!(noticed.len(), 15, "{noticed:?}");
    assert!(noticed.values().all(|count| *count >= 20), "{noticed:?}");
}

/// An oracle that says `rd` for `wr` in types is found out, with a smallest program.
pub fn a_wrong_oracle_is_found_out(program: &Path) {
    let script = r#""$0" | sed -u 's/(wr /(rd /'"#;
    let arguments = [Path::new("-c"), Path::new(script), program];
    let process = Process::start("sh", arguments).expect("sh");
    let mut oracle = Oracle::over(process, Name::new(ARRAY));
    let cases: Vec<Case> = (0..100).map(|n| numbered(n, case)).collect();
    let lists: Vec<_> = cases.iter().map(questions).collect();
    let found = compare(&mut oracle, &lists);
    let first = found.iter().position(|differences| !differences.is_empty()).expect("found out");
    let least = smallest(&mut oracle, &cases[first]);
    assert_eq!(least.program.to_string(), "A[0] := 0");
    assert!(least.is_fresh() && least.history.host().arrays().next().is_none());
    let text = explain(&mut oracle, &least);
    for part in [
        "A[0] := 0",
        "asked            (infer (\"tid\") (write 0 0))",
        "Coq              Type(Some(/*#0*/ rd[0]))",
        "reference        Type(Some(/*#0*/ wr[0]))",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}
