//! Mutated files and programs: no panic, no signal, no internal error, no limit exceeded.
//!
//! Case `n` is the same everywhere. `BABYCUDA_CASES` says how many cases are tried (5,000 without
//! it), `BABYCUDA_FIRST` with which number they begin. The cases run in worker processes, whose
//! memory is limited; a worker that dies is replaced, and the case at which it died has failed.

mod mutate;
mod pipeline;
mod trees;

use babycuda_campaign::{Plan, State, setting};
use babycuda_tests::Target;
use babycuda_tests::readers::READERS;
use pipeline::Subject;
use std::io::{BufRead, BufReader, Write};
use std::ops::{ControlFlow, Range};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// Time for one case, on a busy machine; most take a few milliseconds.
const TIME: Duration = Duration::from_secs(20);
/// Virtual memory of a worker, in KiB.
const MEMORY: u64 = 3 << 20;
/// How many cases a worker gets at a time.
const BATCH: u64 = 250;
/// The variable that gives a worker its cases.
const CASES: &str = "BABYCUDA_ROBUSTNESS_WORKER";

#[test]
fn mutated_files_and_programs() {
    let (first, cases) = (setting("BABYCUDA_FIRST", 0), setting("BABYCUDA_CASES", 5_000));
    let plan = Plan { first, batch: BATCH, ..Plan::of(cases) };
    let work = |(): &mut (), batch| ControlFlow::Continue(run(batch));
    let failures: Vec<String> = plan.run(State::new(&plan), || (), work, |_| {}).found;
    assert!(
        failures.is_empty(),
        "{} of {} cases failed:\n{}\nTo repeat one: BABYCUDA_FIRST=<case> BABYCUDA_CASES=1",
        failures.len(),
        cases,
        failures.join("\n")
    );
}

/// Runs a batch in workers, a new one after each that dies; what failed.
fn run(batch: Range<u64>) -> Vec<String> {
    let mut failures = Vec::new();
    let mut start = batch.start;
    while start < batch.end {
        let mut child = worker_of(start..batch.end);
        let (last, mut found, why) = watch(&mut child);
        failures.append(&mut found);
        // Before the first case, nothing is known of any.
        let Some(why) = why else { break };
        let at = last.unwrap_or(start);
        failures.push(format!("case {at}: {why}\n{}", pipeline::excerpt(&subject(at))));
        start = at + 1;
    }
    failures
}

fn worker_of(cases: Range<u64>) -> Child {
    let limited = format!("ulimit -v {MEMORY}; exec \"$0\" \"$@\"");
    Command::new("sh")
        .args(["-c", &limited])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "worker", "--ignored", "--nocapture", "--test-threads=1"])
        .env(CASES, format!("{}-{}", cases.start, cases.end))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Follows a worker: its last case, the failures that it survived, and how it died if it did.
fn watch(child: &mut Child) -> (Option<u64>, Vec<String>, Option<String>) {
    let output = BufReader::new(child.stdout.take().unwrap());
    let (send, lines) = channel();
    let reader = std::thread::spawn(move || {
        output
            .lines()
            .map_while(Result::ok)
            .take_while(|line| send.send(line.clone()).is_ok())
            .count()
    });
    let (mut last, mut failures, mut done) = (None, Vec::new(), false);
    let late = loop {
        match lines.recv_timeout(TIME) {
            Ok(line) => {
                if let Some(case) = line.strip_prefix("@case ") {
                    last = case.parse().ok();
                } else if let Some(failure) = line.strip_prefix("@failed ") {
                    failures.push(failure.replace("\\n", "\n"));
                }
                done |= line == "@done";
            }
            Err(RecvTimeoutError::Disconnected) => break false,
            Err(RecvTimeoutError::Timeout) => break true,
        }
    };
    if late {
        child.kill().unwrap();
    }
    let status = child.wait().unwrap();
    let _lines = reader.join().unwrap();
    let why = match (late, done) {
        (true, _) => Some(format!("more than {TIME:?}")),
        (false, false) => Some(format!("the process died: {status}")),
        (false, true) => None,
    };
    (last, failures, why)
}

/// A worker; alone it does nothing.
#[test]
#[ignore = "a worker of the other test"]
fn worker() {
    let Ok(cases) = std::env::var(CASES) else { return };
    let (start, end) = cases.split_once('-').unwrap();
    let say = |line: String| {
        let mut out = std::io::stdout().lock();
        writeln!(out, "\n{line}").unwrap();
        out.flush().unwrap();
    };
    for case in start.parse::<u64>().unwrap()..end.parse().unwrap() {
        say(format!("@case {case}"));
        let subject = subject(case);
        let failure = match catch_unwind(AssertUnwindSafe(|| pipeline::check(&subject, case))) {
            Ok(Ok(())) => continue,
            Ok(Err(why)) => why,
            Err(panic) => {
                let text = panic.downcast_ref::<String>().cloned();
                let text = text.or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned()));
                format!("panic: {}", text.unwrap_or_default())
            }
        };
        let excerpt = pipeline::excerpt(&subject);
        say(format!("@failed case {case}: {failure}\n{excerpt}").replace('\n', "\\n"));
    }
    say("@done".to_owned());
}

/// The mutant of a case: of four, one of the corpus, one of a program's text, two of a tree, which
/// always get past the parser.
fn subject(case: u64) -> Subject {
    let mut noise = mutate::Noise::new(case);
    match case % 5 {
        0 => Subject::Cuda(mutate::cuda(&mut noise)),
        1 => mutate::text(&mut noise),
        2 => mutate::bytes(&mut noise),
        _ => trees::tree(&mut noise),
    }
}

/// Without a mutation every reader accepts all of its seeds, of which only clang's may be missing.
#[test]
fn readers_accept_what_mutants_are_made_of() {
    for Target { name, run, seeds } in READERS {
        let seeds = seeds();
        assert!(!seeds.is_empty() || name == "clang", "{name}");
        for seed in &seeds {
            assert!(run(seed), "{name}: {}", String::from_utf8_lossy(seed));
        }
    }
}

/// Most mutants still are programs: the tests behind the parser see something.
#[test]
fn the_mutants_are_worth_their_time() {
    let reached = (0..300).filter(|case| pipeline::parses(&subject(*case))).count();
    assert!(reached > 120, "only {reached} of 300 mutants parse");
}
