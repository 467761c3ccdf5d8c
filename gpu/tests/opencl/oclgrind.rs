//! The interpreter under Oclgrind, a simulator with a race detector that nobody here wrote: it
//! reports a data race exactly where the log of what it ran has one.

use super::common::{REQUIRED, is_required};
use super::suite::agreement::random_jobs;
use babycuda_core::{Launch, parse::parse_program};
use babycuda_gpu::opencl::{DEVICE, OpenCl};
use babycuda_gpu::{Job, JobOptions, Runner};
use babycuda_semantics::Instance;
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

fn run(folder: &Path, number: usize) -> Output {
    let test = "oclgrind::one_program_in_a_process_of_its_own";
    Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", test, "--ignored", "--nocapture"])
        .env("OCL_ICD_VENDORS", folder)
        .env("OCLGRIND_DATA_RACES", "1")
        // Writes of one value to one cell are races too.
        .env("OCLGRIND_UNIFORM_WRITES", "1")
        .env_remove(DEVICE)
        .env(NUMBER, number.to_string())
        .output()
        .expect("it can be started")
}

#[test]
fn an_outside_detector_reports_the_races_of_the_log() {
    if !Path::new(LIBRARY).exists() {
        assert!(!is_required("oclgrind"), "there is no {LIBRARY}, and {REQUIRED} names it");
        eprintln!("skipped: there is no {LIBRARY}");
        return;
    }
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("oclgrind");
    std::fs::create_dir_all(&folder).expect("the target folder can be written");
    std::fs::write(folder.join("oclgrind.icd"), LIBRARY).expect("the target folder can be written");
    let (mut racy, mut free) = (0, 0);
    let jobs = jobs();
    for (number, job) in jobs.iter().enumerate() {
        let output = run(&folder, number);
        let words = String::from_utf8_lossy(&output.stdout);
        let reported = String::from_utf8_lossy(&output.stderr).contains("data race");
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
#[ignore = "run by `an_outside_detector_reports_the_races_of_the_log`, under Oclgrind"]
fn one_program_in_a_process_of_its_own() {
    let number: usize = std::env::var(NUMBER).expect("set").parse().expect("a number");
    let mut backend = OpenCl::open().expect("Oclgrind");
    let report = Runner::new(&mut backend).run_one(&jobs()[number]).expect("a report");
    let racy = report.phases().iter().any(|phase| phase.races(1).count() > 0);
    println!("the log is {}", if racy { "racy" } else { "free" });
}
