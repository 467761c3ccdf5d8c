//! Every small program with barriers of tiles, warps and blocks: the reference semantics, the
//! checker of derivations, the virtual machine and all interleavings (T6) say the same of it.

use babycuda_campaign::{Counts, shards};
use babycuda_core::Program;
use babycuda_core::parse::parse_program;
use babycuda_proofs::Failure;
use babycuda_proofs::adequacy;
use babycuda_semantics::interleavings::{ExplorationLimits, Reduction};
use babycuda_semantics::{Instance, Outcome, Policy, RunOptions, check_derivation, vm};

/// What threads 0 to 3, in two warps of two, may do one after the other.
const PARTS: [&str; 12] = [
    "if tid == 0 { A[0] := 1 }",
    "if tid == 1 { A[0] := 2 }",
    "if tid == 2 { A[0] := 3 }",
    "if tid == 1 { let x = A[0] in A[1] := x }",
    "if tid % 2 == 0 { let x = atomic A[0] add 1 in skip }",
    "if tid == 1 { let x = atomic A[0] add 2 in skip }",
    "sync",
    "sync.warp",
    "sync.tile1",
    "if tid / 2 == 0 { sync.warp }",
    "if tid == 0 { sync.warp }",
    "forS x in 0..2 { if tid / 2 == 1 { sync.warp }; if tid == 3 { A[x] := 4 } }",
];

fn program(parts: &[usize]) -> Program {
    let body: Vec<&str> = parts.iter().map(|part| PARTS[*part]).collect();
    let text = format!("threads 4; warp 2; shared A = fill 0; {}", body.join("; "));
    parse_program(&text).unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// What threads 0 and 1 of blocks 0 and 1 may do one after the other.
const GRID_PARTS: [&str; 11] = [
    "if tid + blockIdx.x == 0 { A[0] := 1 }",
    "if tid + blockIdx.x == 2 { A[0] := 2 }",
    "if tid == 1 { S[0] := 3 }",
    "if tid == 0 { let x = S[0] in A[blockIdx.x] := x }",
    "if blockIdx.x == 1 { let x = A[1 - tid] in A[2 + tid] := x }",
    "if tid == 0 { let x = atomic A[0] add 1 in skip }",
    "sync.grid",
    "sync",
    "if blockIdx.x == 0 { sync }",
    "if blockIdx.x == 1 { sync.grid }",
    "forS x in 0..2 { if x == blockIdx.x { sync }; if tid == 0 { A[x] := 4 }; sync.grid }",
];

fn grid(parts: &[usize]) -> Program {
    let body: Vec<&str> = parts.iter().map(|part| GRID_PARTS[*part]).collect();
    let text = format!(
        "grid 2; threads 2; warp 1; global A = fill 0; shared S = fill 5; {}",
        body.join("; ")
    );
    parse_program(&text).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn check(counts: &mut Counts<&'static str>, program: Program) {
    // Proof: both kinds of programs declare their launch.
    let launch = program.geometry.launch().expect("a launch");
    let instance = Instance::new(program, launch);
    if launch.grid.count() > 1 {
        let Some(blocks) = instance.blocks() else { return };
        counts.add("blocks together");
        assert_eq!(blocks.launch().block.count(), 4);
    }
    let instance = instance.together().into_owned();
    let text = &instance.program.body;
    let options = RunOptions { ambiguous: Policy::Smallest, ..RunOptions::default() };
    let evaluation = instance.evaluate(&options);
    counts.add("programs");
    if let Some(derivation) = &evaluation.derivation {
        check_derivation(derivation).unwrap_or_else(|e| panic!("{text}: {e}"));
    }
    let code = vm::Code::compile(text);
    let mut machine = vm::Machine::default();
    let run = machine.run(&code, &instance, &options);
    assert_eq!(run.outcome(), evaluation.outcome, "{text}");
    let history = evaluation.outcome.history();
    assert_eq!(run.is_racy(), !history.is_drf(), "{text}");
    counts.add(match &evaluation.outcome {
        Outcome::Done { .. } => "end",
        Outcome::Diverged { .. } => "diverge",
        Outcome::Stuck { .. } => "stuck",
    });
    counts.add(if history.is_drf() { "race-free" } else { "racy" });
    if text.scoped_barrier().is_some() {
        counts.add("scoped");
    }
    match adequacy::check(&instance, Reduction::SleepSets, &ExplorationLimits::default()) {
        Ok(_) => counts.add("T6 holds"),
        Err(Failure::Refuted(counterexample)) => panic!("{counterexample}"),
        Err(_) => counts.add("T6 is vacuous"),
    }
}

#[test]
fn all_semantics_agree_on_every_small_program_with_scopes() {
    let most = 3 + babycuda_proofs::small_scope::raise();
    let counts = shards(|shard| {
        let (mut counts, mut number) = (Counts::default(), 0u64);
        for length in 1..=most {
            for code in 0..PARTS.len().pow(length as u32) {
                number += 1;
                if shard.takes(number) {
                    let digit = |n| code / PARTS.len().pow(n as u32) % PARTS.len();
                    let parts: Vec<usize> = (0..length).map(digit).collect();
                    check(&mut counts, program(&parts));
                    if parts.iter().all(|part| *part < GRID_PARTS.len()) {
                        check(&mut counts, grid(&parts));
                    }
                }
            }
        }
        counts
    });
    println!("{counts}");
    for (what, least) in [
        ("programs", 1_884),
        ("racy", 300),
        ("race-free", 300),
        ("diverge", 300),
        ("blocks together", 300),
        ("T6 holds", 1_500),
    ] {
        assert!(counts.get(&what) >= least, "{what}: {counts}");
    }
}
