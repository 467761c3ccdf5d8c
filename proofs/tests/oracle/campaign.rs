//! Asking about many cases.

use crate::cases::{ARRAY, Case, case};
use crate::differences::{compare, explain};
use crate::questions::{Questions, questions};
use babycuda_campaign::{Plan, State, merge_fields};
use babycuda_core::Name;
use babycuda_proofs::oracle::Oracle;
use babycuda_testkit::{Choices, Distribution};
use proptest::prelude::Rng;
use proptest::test_runner::{RngAlgorithm, TestRng};
use std::ops::{ControlFlow, Range};
use std::path::Path;

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
    differences: Vec<String>,
}

merge_fields!(Seen { distribution, requests, differences });

/// Compares the cases numbered below `cases`, on all processors. The first difference, explained.
pub fn run(program: &Path, cases: u64) -> Result<Seen, String> {
    let plan = Plan { batch: 100, ..Plan::of(cases) };
    let mut seen = plan.run(State::new(&plan), || start(program), compared, |_| {}).found;
    seen.differences.pop().map_or(Ok(seen), Err)
}

fn compared(oracle: &mut Oracle, numbers: Range<u64>) -> ControlFlow<Seen, Seen> {
    let mut seen = Seen::default();
    let batch: Vec<Case> = numbers.clone().map(|n| numbered(n, case)).collect();
    let lists: Vec<Questions> = batch.iter().map(questions).collect();
    let differences = compare(oracle, &lists);
    if let Some((n, case)) = numbers
        .zip(&batch)
        .zip(differences)
        .find_map(|(case, own)| (!own.is_empty()).then_some(case))
    {
        seen.differences.push(format!("case {n}\n{}", explain(oracle, case)));
        return ControlFlow::Break(seen);
    }
    for list in lists {
        seen.requests += list.all.len() as u64;
        seen.distribution.case(list.labels);
    }
    ControlFlow::Continue(seen)
}
