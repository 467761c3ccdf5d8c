//! Random kernels of OpenCL C (address spaces, vectors, barriers of one memory, images, copies of work-groups, atomic
//! functions of both generations), translated as clang reads them and run by the semantics, against the same kernels
//! compiled as C++. As in [`wide`](crate::wide), every byte that a work-item accesses between barriers is compared, and
//! every race. What memory holds decides nothing in these kernels.
//!
//! Where the translation takes a kernel apart (a barrier does not order an array that is accessed before and behind it),
//! each part is compared with the accesses of its memory, in the phases of the barriers that order it.
//!
//! There is no other parser for OpenCL C than clang: without it, nothing is compared. `BABYCUDA_CASES` sets how many
//! kernels, `BABYCUDA_SEED` the first seed.

mod dialect;
mod generate;
mod read;
mod spaces;

pub use dialect::opencl;

use crate::parsers::has_clang;
use crate::wide::build::Workshop;
use crate::wide::case::Case;
use crate::wide::compare::{Verdict, compare};
use crate::wide::log::Log;
use crate::wide::tally::{Tally, campaign};
use babycuda_campaign::setting;
use babycuda_core::syntax::Space;
use babycuda_core::{Name, Program};
use babycuda_frontend::{Kernel, Translation};

/// The least shares of the labels, in percent.
const LEAST: &[(&str, f64)] = &[
    ("array in a structure", 7.0),
    ("arrow", 7.0),
    ("as_type of a vector", 4.0),
    ("atomic", 16.0),
    ("atomic function of OpenCL 1", 9.0),
    ("atomic function of OpenCL 2", 7.0),
    ("atomic of a work-group", 2.0),
    ("atomic of local memory", 3.0),
    ("barrier", 22.0),
    ("barrier of a sub-group", 8.0),
    ("barrier of global memory", 8.0),
    ("barrier of local memory", 10.0),
    ("barrier of no memory", 4.0),
    ("cast", 50.0),
    ("choice", 6.0),
    ("compare-exchange", 0.5),
    ("comparison of vectors", 7.0),
    ("component", 43.0),
    ("constant parameter", 14.0),
    ("conversion of a vector", 15.0),
    ("copy", 17.0),
    ("copy of a group", 5.0),
    ("early return", 14.0),
    ("exchange", 3.5),
    ("exchange of a group", 0.5),
    ("fence", 3.0),
    ("field", 35.0),
    ("for", 18.0),
    ("function", 7.0),
    ("function of integers", 11.0),
    ("function of vectors", 6.0),
    ("generic pointer", 3.0),
    ("halves", 9.0),
    ("image", 14.0),
    ("image read and written", 1.5),
    ("index of another type", 16.0),
    ("linear", 13.0),
    ("list of events", 1.0),
    ("literal of a vector", 16.0),
    ("local array", 24.0),
    ("local parameter", 27.0),
    ("nested structure", 8.0),
    ("operator of vectors", 12.0),
    ("overflow is undefined", 16.0),
    ("pitched rows", 44.0),
    ("pixel", 6.0),
    ("pointer that walks", 5.0),
    ("prefetch", 3.0),
    ("private array", 7.0),
    ("race across blocks", 19.0),
    ("racy", 45.0),
    ("reduction", 4.0),
    ("several components", 14.0),
    ("several components stored", 19.0),
    ("sizeof", 11.0),
    ("staged", 3.5),
    ("strided copy of a group", 2.0),
    ("strided loop", 10.0),
    ("structure", 46.0),
    ("switch", 10.0),
    ("table", 20.0),
    ("taken apart", 9.0),
    ("two dimensions", 21.0),
    ("union", 11.0),
    ("vector parameter", 11.0),
    ("vload", 12.0),
    ("vstore", 18.0),
    ("while", 5.0),
    ("work-item function", 18.0),
];

/// Compares a program of which every barrier orders all memory, so that they may as well.
fn whole(case: &Case, program: &Program, log: &Log) -> Verdict {
    let shared = |name: &str| {
        program.array(&Name::new(name)).is_some_and(|array| array.space == Space::Shared)
    };
    match spaces::beside_a_barrier(log, case.tile.into(), &shared) {
        Some(race) => Verdict::Different(format!("missing race beside a barrier: {race:?}")),
        None => compare(case, program, log),
    }
}

/// Compares the programs of a kernel that is taken apart, until one of them is not equal.
fn parts(case: &Case, programs: &[Program], log: &Log) -> Verdict {
    let [all, global, shared] = programs else {
        return Verdict::Different(format!("{} parts", programs.len()));
    };
    let mut found = Vec::new();
    // Each part also has what nobody writes.
    let logs = spaces::FLAGS.into_iter().zip([shared, global]).map(|(flag, program)| {
        let known = |name: &str| program.array(&Name::new(name)).is_some();
        (program, spaces::part(log, flag, known))
    });
    for (program, log) in [(all, log.clone())].into_iter().chain(logs) {
        match compare(case, program, &log) {
            Verdict::Equal { races } => found.extend(races),
            other => return other,
        }
    }
    Verdict::Equal { races: found }
}

fn add(tally: &mut Tally, case: &Case, kernel: &Kernel, log: &Log) {
    match &kernel.translation {
        Translation::Program(program) => tally.judge(case, &[], whole(case, program, log)),
        Translation::Unsupported(why) if !why.apart.is_empty() => {
            tally.judge(case, &["taken apart"], parts(case, &why.apart, log));
        }
        Translation::Unsupported(_) => {
            tally.refuse("refused", kernel, case);
            tally.seen.case(["refused"]);
        }
    }
}

/// Compares the cases, in one program.
fn batch(workshop: &Workshop, cases: &[Case]) -> Tally {
    let mut tally = Tally::default();
    let logs = workshop.run(cases).unwrap_or_else(|e| {
        let wrong = cases.iter().find(|case| e.starts_with(&format!("{}:", case.seed)));
        panic!("{}\n{e}", wrong.map(Case::to_string).unwrap_or_default())
    });
    for ((case, log), kernel) in cases.iter().zip(&logs).zip(&read::read(cases)) {
        add(&mut tally, case, kernel, log);
    }
    tally
}

/// Prints the kernel of `BABYCUDA_SEED`, and what is wrong with it.
#[test]
#[ignore = "a tool"]
fn show_opencl() {
    let case = generate::case(setting("BABYCUDA_SEED", 0));
    println!("{case}");
    if std::env::var_os("BABYCUDA_SHOW").is_some() {
        for kernel in read::read(std::slice::from_ref(&case)) {
            match &kernel.translation {
                Translation::Program(program) => println!("{program}\n"),
                Translation::Unsupported(why) => {
                    println!("{why}");
                    why.apart.iter().for_each(|program| println!("{program}\n"));
                }
            }
        }
    }
    batch(&Workshop::new("show"), std::slice::from_ref(&case)).show();
}

#[test]
fn bytes_of_random_opencl_kernels() {
    if babycuda_testkit::tools::has_cxx() && has_clang() {
        let workshop = Workshop::new("opencl");
        campaign(generate::case, |cases| batch(&workshop, cases), LEAST);
    }
}
