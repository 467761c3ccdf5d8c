//! Random kernels of what real ones are made of (casts, structures, carved shared memory, objects, templates),
//! translated by the front end and run by the semantics, against the same kernels compiled by the system's C++
//! compiler, which puts a call before each access of memory. Every byte that a thread accesses in a phase is
//! compared, with how it is accessed, and every race. What memory holds decides nothing in these kernels.
//!
//! What the built-in parser refuses is read by clang, if there is one. `BABYCUDA_CASES` sets how many kernels,
//! `BABYCUDA_SEED` the first seed.

mod build;
mod case;
mod compare;
mod generate;
mod log;

use crate::parsers::{has_clang, read, reason};
use babycuda_campaign::{Plan, State, merge_fields, setting};
use babycuda_core::Program;
use babycuda_frontend::{Kernel, Overflow, Parser, Translation};
use babycuda_testkit::Distribution;
use case::Case;
use compare::{Verdict, compare};
use log::Log;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// The least shares of the labels, in percent.
const LEAST: &[(&str, f64)] = &[
    ("?: of pointers", 9.0),
    ("?: of structures", 7.0),
    ("__ldg", 10.0),
    ("aligned structure", 10.0),
    ("array in a structure", 15.0),
    ("array of pointers", 3.0),
    ("array of the thread", 9.0),
    ("assembly", 8.0),
    ("assertion", 5.0),
    ("asynchronous copy", 2.0),
    ("atomic", 10.0),
    ("atomic of a part", 0.5),
    ("barrier", 15.0),
    ("barrier of a coalesced group", 0.6),
    ("barrier of a tile", 4.0),
    ("barrier of a warp", 0.6),
    ("barrier of some lanes", 2.5),
    ("barrier of the grid", 1.5),
    ("barrier that counts", 0.6),
    ("base class", 2.0),
    ("block of two dimensions", 20.0),
    ("built in", 25.0),
    ("byte of an object", 2.0),
    ("carved", 20.0),
    ("cast", 80.0),
    ("coalesced group", 1.2),
    ("component", 50.0),
    ("constructor", 2.0),
    ("cooperative groups", 12.0),
    ("copy", 20.0),
    ("counters that change", 7.0),
    ("difference of pointers", 7.0),
    ("early return", 10.0),
    ("enum class", 10.0),
    ("field", 50.0),
    ("for", 13.0),
    ("functor", 3.0),
    ("generator of random numbers", 6.0),
    ("grid-stride loop", 9.0),
    ("index of another type", 30.0),
    ("indices in a structure", 7.0),
    ("lambda by reference", 1.5),
    ("lambda by value", 1.5),
    ("lambda given to a function", 2.0),
    ("memcpy", 9.0),
    ("memset", 3.0),
    ("methods", 4.0),
    ("nested structure", 15.0),
    ("number in the grid", 1.5),
    ("operators of vectors", 2.0),
    ("overflow is undefined", 20.0),
    ("overload", 3.0),
    ("packed structure", 2.0),
    ("pitched rows", 50.0),
    ("pointer that walks", 7.0),
    ("pointer to a part", 9.0),
    ("pointer to arrays", 2.0),
    ("range-based for", 3.0),
    ("reduction", 7.0),
    ("reduction of a group", 0.8),
    ("reference to a part", 9.0),
    ("shared", 25.0),
    ("short circuit", 7.0),
    ("sizeof", 18.0),
    ("structure", 50.0),
    ("structure as a parameter", 13.0),
    ("structure by value", 3.0),
    ("surface", 4.0),
    ("swapped pointers", 10.0),
    ("switch", 9.0),
    ("table", 20.0),
    ("table of structures", 18.0),
    ("template", 9.0),
    ("texture", 1.5),
    ("union", 12.0),
    ("union of the thread", 2.0),
    ("vector made", 15.0),
    ("warp", 6.0),
    ("while", 6.0),
    ("racy", 20.0),
    ("race across blocks", 5.0),
];

/// What the comparisons came to.
#[derive(Default)]
struct Tally {
    seen: Distribution,
    /// The seeds of each reason for which a case was not compared.
    others: BTreeMap<String, Vec<u64>>,
    failures: Vec<(Case, String)>,
}

merge_fields!(Tally { seen, others, failures });

/// The kernels as clang reads them, all in one file.
fn by_clang(cases: &[&Case]) -> Vec<Kernel> {
    let Some(first) = cases.first() else { return Vec::new() };
    let (mut includes, mut text) = (String::new(), String::new());
    for (i, case) in cases.iter().enumerate() {
        text += &format!("namespace n{i} {{\n");
        for line in case.cuda().lines() {
            let to = if line.starts_with("#include") { &mut includes } else { &mut text };
            *to += &format!("{line}\n");
        }
        text += "}\n";
    }
    let kernels = read(&(includes + &text), None, &first.options(false), Parser::Other);
    assert_eq!(kernels.len(), cases.len(), "{text}");
    kernels
}

/// What a kernel is translated to; where it is not known whom a barrier holds, without that barrier.
fn program(kernel: &Kernel) -> Option<&Program> {
    match &kernel.translation {
        Translation::Program(program) => Some(program),
        Translation::Unsupported(why) => why.freer.as_ref()?.programs.first(),
    }
}

impl Tally {
    /// Notes why a kernel is not translated.
    fn refuse(&mut self, by: &str, kernel: &Kernel, case: &Case) {
        let why = reason(kernel).unwrap_or_default();
        // Without its place.
        let why = why.splitn(3, ':').last().unwrap_or_default();
        self.others.entry(format!("{by}:{why}")).or_default().push(case.seed);
    }

    /// Leaves a case out that only clang can read.
    fn skip(&mut self, case: &Case) {
        self.others.entry("for clang".to_owned()).or_default().push(case.seed);
        self.seen.case(case.labels.iter().copied().chain(["skipped"]));
    }

    /// Counts a case, as this kernel is read, or refused.
    fn add(&mut self, case: &Case, kernel: &Kernel, log: &Log, clang: bool) {
        let mut labels = case.labels.clone();
        labels.insert(if clang { "by clang" } else { "built in" });
        labels.extend((case.overflow == Overflow::AssumeNone).then_some("overflow is undefined"));
        let verdict = match program(kernel) {
            Some(program) => compare(case, program, log),
            None => {
                self.refuse("refused", kernel, case);
                labels.insert("refused");
                return self.seen.case(labels);
            }
        };
        labels.insert(match verdict {
            Verdict::Equal { .. } => "compared",
            Verdict::Open(_) => "open",
            Verdict::Limit => "limit",
            Verdict::Different(_) => "different",
        });
        match verdict {
            Verdict::Equal { races } => labels.extend(races),
            Verdict::Open(what) => {
                self.others.entry(format!("open: {what}")).or_default().push(case.seed);
            }
            Verdict::Limit => self.others.entry("limit".to_owned()).or_default().push(case.seed),
            Verdict::Different(text) => self.failures.push((case.clone(), text)),
        }
        self.seen.case(labels);
    }
}

/// Compares the cases, in one program.
fn batch(cases: &[Case], clang: bool) -> Tally {
    let mut tally = Tally::default();
    let logs = build::run(cases).unwrap_or_else(|e| {
        let wrong = cases.iter().find(|case| e.starts_with(&format!("{}:", case.seed)));
        panic!("{}\n{e}", wrong.map(Case::to_string).unwrap_or_default())
    });
    let mut refused = Vec::new();
    for (case, log) in cases.iter().zip(&logs) {
        let kernels = read(&case.cuda(), None, &case.options(true), Parser::Builtin);
        let [kernel] = &kernels[..] else { panic!("{case}") };
        match program(kernel) {
            None => {
                tally.refuse("built in", kernel, case);
                match clang {
                    true => refused.push((case, log)),
                    false => tally.skip(case),
                }
            }
            // To the built-in parser a union has no parts: to read one is to read all of it.
            _ if clang && case.labels.contains("union") => refused.push((case, log)),
            _ if case.labels.contains("union") => tally.skip(case),
            _ => tally.add(case, kernel, log, false),
        }
    }
    for overflow in [Overflow::Wrap, Overflow::AssumeNone] {
        let again: Vec<_> = refused.iter().filter(|(case, _)| case.overflow == overflow).collect();
        let cases: Vec<&Case> = again.iter().map(|(case, _)| *case).collect();
        for ((case, log), kernel) in again.iter().zip(&by_clang(&cases)) {
            tally.add(case, kernel, log, true);
        }
    }
    tally
}

/// Prints the kernel of `BABYCUDA_SEED`, and what is wrong with it.
#[test]
#[ignore = "a tool"]
fn show_wide() {
    let case = generate::case(setting("BABYCUDA_SEED", 0));
    println!("{case}");
    if std::env::var_os("BABYCUDA_SHOW").is_some() {
        let kernels = read(&case.cuda(), None, &case.options(true), Parser::Builtin);
        if let Translation::Program(program) = &kernels[0].translation {
            println!("{program}\n");
        }
    }
    let tally = batch(std::slice::from_ref(&case), has_clang());
    println!("{:?}\n{:?}", tally.others, tally.failures.first().map(|(_, text)| text));
}

#[test]
fn bytes_of_random_kernels() {
    if !babycuda_testkit::tools::has_cxx() {
        return;
    }
    let clang = has_clang();
    let (first, count) = (setting("BABYCUDA_SEED", 0), setting("BABYCUDA_CASES", 2_000));
    let plan = Plan { first, batch: 100, workers: 2, ..Plan::of(count) };
    let work = |(): &mut (), seeds: std::ops::Range<u64>| {
        let cases: Vec<Case> = seeds.map(generate::case).collect();
        ControlFlow::Continue(batch(&cases, clang))
    };
    let tally: Tally = plan.run(State::new(&plan), || (), work, |_| {}).found;
    println!("{}", tally.seen);
    let mut why: Vec<_> = tally.others.iter().collect();
    why.sort_by_key(|(_, seeds)| std::cmp::Reverse(seeds.len()));
    for (why, seeds) in why.iter().take(40) {
        println!("{:6} {why} (seed {})", seeds.len(), seeds[0]);
    }
    for (case, failure) in &tally.failures {
        println!("seed {}: {}", case.seed, failure.lines().next().unwrap_or_default());
    }
    for (case, failure) in tally.failures.iter().take(setting("BABYCUDA_SHOW", 3)) {
        println!("{case}{failure}\n");
    }
    build::clean();
    assert_eq!(tally.failures.len(), 0);
    if !clang {
        println!("without clang, {} cases are skipped", tally.seen.count("skipped"));
        return;
    }
    tally.seen.assert_share("compared", 0.8..=1.0);
    tally.seen.assert_share("races compared", 0.75..=1.0);
    if count >= 1_000 {
        for (label, least) in LEAST {
            tally.seen.assert_share(label, least / 100.0..=1.0);
        }
    }
}
