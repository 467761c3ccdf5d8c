//! Oclgrind, a simulator with a race detector that nobody here wrote. Of the interpreter it reports
//! a data race exactly where the log of what it ran has one; of a text that this crate prints,
//! exactly where the semantics' history of the program has one.

use super::common::{REQUIRED, is_required};
use super::suite::agreement::random_jobs;
use super::{corpus, plain_text};
use babycuda_core::{History, Launch, Natural, Program, Stmt, parse::parse_program};
use babycuda_gpu::emit::{Target, Text};
use babycuda_gpu::opencl::{DEVICE, OpenCl};
use babycuda_gpu::{Job, JobOptions, Runner};
use babycuda_semantics::{Instance, Policy, RunOptions, vm};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Debian's package `oclgrind`.
const LIBRARY: &str = "/usr/lib/oclgrind/liboclgrind-rt-icd.so";

/// Which program the child runs.
const NUMBER: &str = "BABYCUDA_TEST_PROGRAM";

/// How many random programs there are, after those by hand.
const RANDOM: usize = 40;

/// By hand: one for each pair of accesses, with and without a race.
const PROGRAMS: [&str; 11] = [
    "A[tid] := tid; sync; let x = A[(tid + 1) % 4] in B[tid] := x",
    "A[tid] := tid; let x = A[(tid + 1) % 4] in B[tid] := x",
    "A[0] := tid",
    "A[0] := 7",
    "if tid == 2 { A[0] := tid } else { skip }; sync; A[tid] := 1",
    "let x = A[0] in B[tid] := x",
    "let x = atomic A[0] add 1 in B[x] := tid",
    "let x = atomic A[0] add 1 in let y = A[0] in skip",
    "if tid == 0 { A[0] := 3 } else { let x = atomic A[0] exch 1 in skip }",
    "forS i in 0..3 { A[tid] := i; sync; let x = A[3 - tid] in skip; sync }",
    "forS i in 0..3 { A[tid] := i; sync; let x = A[3 - tid] in skip }",
];

fn jobs() -> Vec<Job> {
    let options = JobOptions { length: 8, ..JobOptions::default() };
    let by_hand = PROGRAMS.map(|text| {
        let instance = Instance::new(parse_program(text).expect("it parses"), Launch::threads(4));
        Job::new(&instance, &options).expect("it is small")
    });
    by_hand.into_iter().chain(random_jobs(RANDOM / 3)).collect()
}

/// Updates for which OpenCL C has no function of its own, alone and beside a plain access; and some
/// for which it has one.
const UPDATES: [&str; 8] = [
    "global A[4]; let x = atomic A[0] sub 1 in skip",
    "global A[4]: u32; let x = atomic A[0] inc 5 in let y = atomic A[1] dec 5 in skip",
    "global A[4]: i64; let x = atomic A[0] min.i64 tid in let y = atomic A[0] xor.u64 3 in skip",
    "global A[4]; let x = atomic A[0] sub 1 in A[0] := 1",
    "global A[4]: u32; let x = atomic A[0] inc 5 in if tid == 0 { A[0] := 7 } else { skip }",
    "global A[4]: u32; let x = atomic A[0] inc 5 in skip; sync; if tid == 0 { A[0] := 7 }",
    "global A[4]: u32; let x = atomic A[0] add.u32 1 in skip",
    "global A[4]: u32; let x = atomic A[0] cas tid if 0 in let y = A[1] in A[2] := y",
];

/// Does the program use what an update yields? The order of threads decides that, and the
/// semantics' history rests on one choice.
fn uses_updates(program: &Program) -> bool {
    program.body.subterms().any(|statement| match statement {
        Stmt::Atomic { var, body, .. } => body.free_vars().contains(var),
        _ => false,
    })
}

/// The history of a program in its small launch.
fn history(program: &Program) -> History {
    let options = RunOptions { ambiguous: Policy::Smallest, ..RunOptions::default() };
    vm::run(&plain_text::instance(program), &options).history().clone()
}

/// Are all accesses within the arrays that the kernel is given?
fn stays_inside(program: &Program) -> bool {
    let length = Natural::from(plain_text::LENGTH);
    history(program).chronological().all(|(_, phase)| {
        let mut accesses = phase.threads().flat_map(|(_, accesses)| accesses.iter());
        accesses.all(|(_, cell)| cell.index < length)
    })
}

/// Programs that have a text in OpenCL C, and one history.
fn programs() -> Vec<Program> {
    let by_hand = UPDATES.map(|text| parse_program(text).unwrap_or_else(|e| panic!("{text}: {e}")));
    let of_corpus = corpus::programs().into_iter().step_by(corpus::step()).map(|(_, p)| p);
    let programs = by_hand.into_iter().chain(of_corpus);
    let has_text = |program: &Program| plain_text::text(program, Target::OpenCl).is_some();
    let known = |p: &Program| has_text(p) && !uses_updates(p) && stays_inside(p);
    programs.filter(known).collect()
}

/// Runs a test of this file under Oclgrind: did it report a race, and what did the test print?
fn under_oclgrind(test: &str, number: usize) -> (bool, String) {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("oclgrind");
    let Output { stdout, stderr, .. } =
        Command::new(std::env::current_exe().expect("this program"))
            .args(["--exact", test, "--ignored", "--nocapture"])
            .env("OCL_ICD_VENDORS", folder)
            .env("OCLGRIND_DATA_RACES", "1")
            // Writes of one value to one cell are races too.
            .env("OCLGRIND_UNIFORM_WRITES", "1")
            .env_remove(DEVICE)
            .env(NUMBER, number.to_string())
            .output()
            .expect("it can be started");
    let reported = String::from_utf8_lossy(&stderr).contains("data race");
    (reported, String::from_utf8_lossy(&stdout).into_owned())
}

/// Is Oclgrind here? Then its driver is named in a folder of its own.
fn is_installed() -> bool {
    if !Path::new(LIBRARY).exists() {
        assert!(!is_required("oclgrind"), "there is no {LIBRARY}, and {REQUIRED} names it");
        eprintln!("skipped: there is no {LIBRARY}");
        return false;
    }
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("oclgrind");
    std::fs::create_dir_all(&folder).expect("the target folder can be written");
    // Written once: another test may be reading it.
    let driver = folder.join("oclgrind.icd");
    if !driver.exists() {
        std::fs::write(driver, LIBRARY).expect("the target folder can be written");
    }
    true
}

#[test]
fn an_outside_detector_reports_the_races_of_the_log() {
    if !is_installed() {
        return;
    }
    let (mut racy, mut free) = (0, 0);
    for (number, job) in jobs().iter().enumerate() {
        let test = "oclgrind::one_program_in_a_process_of_its_own";
        let (reported, words) = under_oclgrind(test, number);
        let logged = match (words.contains("the log is racy"), words.contains("the log is free")) {
            (true, false) => true,
            (false, true) => false,
            _ => panic!("program {number}: {words}"),
        };
        assert_eq!(reported, logged, "program {number}:\n{}", job.code());
        *(if logged { &mut racy } else { &mut free }) += 1;
    }
    assert!(racy >= 10 && free >= 10, "{racy} racy, {free} not");
}

#[test]
fn an_outside_detector_reports_the_races_of_printed_texts() {
    if !is_installed() {
        return;
    }
    let (mut racy, mut free) = (0, 0);
    for (number, program) in programs().iter().enumerate() {
        let expected = !history(program).is_drf();
        let test = "oclgrind::one_text_in_a_process_of_its_own";
        let (reported, words) = under_oclgrind(test, number);
        assert!(words.contains("it ran"), "{program}: {words}");
        assert_eq!(reported, expected, "{program}{}", text_of(program).text);
        *(if expected { &mut racy } else { &mut free }) += 1;
    }
    let step = corpus::step();
    assert!(racy * step >= 15 && free * step >= 20, "{racy} racy, {free} not");
}

fn text_of(program: &Program) -> Text {
    plain_text::text(program, Target::OpenCl).expect("it has one")
}

#[test]
#[ignore = "run by `an_outside_detector_reports_the_races_of_printed_texts`, under Oclgrind"]
fn one_text_in_a_process_of_its_own() {
    let number: usize = std::env::var(NUMBER).expect("set").parse().expect("a number");
    let mut backend = OpenCl::open().expect("Oclgrind");
    let program = &programs()[number];
    plain_text::run(&mut backend, &plain_text::instance(program), &text_of(program));
    println!("it ran");
}

#[test]
#[ignore = "run by `an_outside_detector_reports_the_races_of_the_log`, under Oclgrind"]
fn one_program_in_a_process_of_its_own() {
    let number: usize = std::env::var(NUMBER).expect("set").parse().expect("a number");
    let mut backend = OpenCl::open().expect("Oclgrind");
    let report = Runner::new(&mut backend).run_one(&jobs()[number]).expect("a report");
    let racy = report.phases().iter().any(|phase| phase.races(1).count() > 0);
    println!("the log is {}", if racy { "racy" } else { "free" });
}
