//! Asking about many cases.

use crate::cases::{ARRAY, Case, case};
use crate::differences::{compare, explain};
use crate::questions::{Questions, questions};
use babycuda_core::Name;
use babycuda_proofs::oracle::Oracle;
use babycuda_testkit::{Choices, Distribution};
use proptest::prelude::Rng;
use proptest::test_runner::{RngAlgorithm, TestRng};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// How many cases are asked about at once.
const BATCH: u64 = 100;

/// Starts an oracle for the array of the cases.
pub fn start(program: &Path) -> Oracle {
    Oracle::start(program, Name::new(ARRAY)).unwrap_or_else(|e| panic!("the oracle: {e}"))
}

/// What `generate` makes of a number: the same in every run.
pub fn numbered<T>(number: u64, generate: impl Fn(&mut Choices<'_>) -> T) -> T {
    let mut seed = [0; 32];
    seed[..8].copy_from_slice(&number.to_le_bytes());
    let mut random = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
    let length = 20 + random.next_u32() as usize % 480;
    let numbers: Vec<u16> = (0..length).map(|_| random.next_u32() as u16).collect();
    generate(&mut Choices::new(&numbers))
}

/// What a campaign saw.
#[derive(Default)]
pub struct Seen {
    pub distribution: Distribution,
    pub requests: u64,
}

/// Compares the cases numbered below `cases`, on all processors. The first difference, explained.
pub fn run(program: &Path, cases: u64) -> Result<Seen, String> {
    let next = AtomicU64::new(0);
    let seen = Mutex::new(Seen::default());
    let failed = Mutex::new(None);
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| worker(program, cases, &next, &seen, &failed));
        }
    });
    // Proof: a lock is poisoned by a panic only, which the scope has passed on.
    match failed.into_inner().expect("no panic") {
        Some(explanation) => Err(explanation),
        None => Ok(seen.into_inner().expect("no panic")),
    }
}

fn worker(
    program: &Path,
    cases: u64,
    next: &AtomicU64,
    seen: &Mutex<Seen>,
    failed: &Mutex<Option<String>>,
) {
    let mut oracle = start(program);
    loop {
        let first = next.fetch_add(BATCH, Ordering::Relaxed);
        if first >= cases || failed.lock().expect("no panic").is_some() {
            return;
        }
        let batch: Vec<Case> =
            (first..cases.min(first + BATCH)).map(|n| numbered(n, case)).collect();
        let lists: Vec<Questions> = batch.iter().map(questions).collect();
        let differences = compare(&mut oracle, &lists);
        if let Some(n) = differences.iter().position(|own| !own.is_empty()) {
            let number = first + n as u64;
            let text = format!("case {number}\n{}", explain(&mut oracle, &batch[n]));
            *failed.lock().expect("no panic") = Some(text);
            return;
        }
        let mut seen = seen.lock().expect("no panic");
        for list in lists {
            seen.requests += list.all.len() as u64;
            seen.distribution.case(list.labels);
        }
    }
}
