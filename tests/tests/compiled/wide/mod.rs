//! Random kernels of what real ones are made of (casts, structures, carved shared memory, objects, templates),
//! translated by the front end and run by the semantics, against the same kernels compiled by the system's C++
//! compiler, which puts a call before each access of memory. Every byte that a thread accesses in a phase is
//! compared, with how it is accessed, and every race. What memory holds decides nothing in these kernels.
//!
//! What the built-in parser refuses is read by clang, if there is one. `BABYCUDA_CASES` sets how many kernels,
//! `BABYCUDA_SEED` the first seed.

pub(crate) mod build;
pub(crate) mod case;
pub(crate) mod compare;
mod generate;
pub(crate) mod log;
pub(crate) mod tally;

use crate::parsers::{has_clang, read};
use babycuda_campaign::setting;
use babycuda_core::Program;
use babycuda_frontend::{Kernel, Overflow, Parser, Translation};
use build::Workshop;
use case::Case;
use compare::compare;
use log::Log;
use tally::{Tally, campaign};

/// The least shares of the labels, in percent.
const LEAST: &[(&str, f64)] = &[
    ("?: of pointers", 9.0),
    ("?: of structures", 5.0),
    ("__ldg", 10.0),
    ("aligned structure", 10.0),
    ("array in a structure", 15.0),
    ("array of pointers", 3.0),
    ("array of the thread", 9.0),
    ("assembly", 8.0),
    ("assertion", 5.0),
    ("asynchronous copy", 2.0),
    ("atomic", 10.0),
    ("atomic of a part", 0.1),
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
    ("byte of an object", 1.0),
    ("carved", 20.0),
    ("cast", 75.0),
    ("coalesced group", 1.2),
    ("component", 50.0),
    ("constructor", 2.0),
    ("cooperative groups", 12.0),
    ("copy", 20.0),
    ("counters that change", 5.5),
    ("difference of pointers", 6.0),
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
    ("memcpy", 8.0),
    ("memset", 3.0),
    ("methods", 4.0),
    ("nested structure", 15.0),
    ("number in the grid", 1.5),
    ("operators of vectors", 2.0),
    ("overflow is undefined", 20.0),
    ("overload", 3.0),
    ("packed structure", 2.0),
    ("pitched rows", 50.0),
    ("pointer that walks", 6.0),
    ("pointer to a part", 9.0),
    ("pointer to arrays", 2.0),
    ("range-based for", 3.0),
    ("reduction", 6.0),
    ("reduction of a group", 0.8),
    ("reference to a part", 9.0),
    ("shared", 25.0),
    ("short circuit", 5.5),
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

/// Leaves a case out that only clang can read.
fn skip(tally: &mut Tally, case: &Case) {
    tally.leave("for clang".to_owned(), case);
    tally.seen.case(["skipped"]);
}

/// Counts a case, as this kernel is read, or refused.
fn add(tally: &mut Tally, case: &Case, kernel: &Kernel, log: &Log, by: &'static str) {
    match program(kernel) {
        Some(program) => tally.judge(case, &[by], compare(case, program, log)),
        None => {
            tally.refuse("refused", kernel, case);
            tally.seen.case([by, "refused"]);
        }
    }
}

/// Compares the cases, in one program.
fn batch(workshop: &Workshop, cases: &[Case], clang: bool) -> Tally {
    let mut tally = Tally::default();
    let logs = workshop.run(cases).unwrap_or_else(|e| {
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
                    false => skip(&mut tally, case),
                }
            }
            // To the built-in parser a union has no parts: to read one is to read all of it.
            _ if clang && case.labels.contains("union") => refused.push((case, log)),
            _ if case.labels.contains("union") => skip(&mut tally, case),
            _ => add(&mut tally, case, kernel, log, "built in"),
        }
    }
    for overflow in [Overflow::Wrap, Overflow::AssumeNone] {
        let again: Vec<_> = refused.iter().filter(|(case, _)| case.overflow == overflow).collect();
        let cases: Vec<&Case> = again.iter().map(|(case, _)| *case).collect();
        for ((case, log), kernel) in again.iter().zip(&by_clang(&cases)) {
            add(&mut tally, case, kernel, log, "by clang");
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
    batch(&Workshop::new("show"), std::slice::from_ref(&case), has_clang()).show();
}

#[test]
fn bytes_of_random_kernels() {
    if babycuda_testkit::tools::has_cxx() {
        let clang = has_clang();
        let workshop = Workshop::new("wide");
        campaign(generate::case, |cases| batch(&workshop, cases, clang), LEAST);
    }
}
