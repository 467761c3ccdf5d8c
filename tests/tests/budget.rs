//! A time limit bounds a whole check, whichever stage is long, and the reason names it.

use babycuda::gpu::emit::{self, Target};
use babycuda::semantics::{self, Instance, RunOptions};
use babycuda::smt::SolverName;
use babycuda::{CheckOptions, Decide, check, typing};
use babycuda_core::budget::Exhausted;
use babycuda_core::parse::parse_program;
use babycuda_core::verdict::Outcome;
use babycuda_core::{Budget, Program};
use babycuda_frontend::parse_cuda;
use std::fmt::Write;
use std::time::{Duration, Instant};

const LIMIT: Duration = Duration::from_millis(500);
/// What ending in good order may take on a busy machine.
const AFTER: Duration = Duration::from_secs(4);

/// Runs something that is long, and says how it ended.
fn timed<T>(what: &str, f: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = f();
    let took = start.elapsed();
    assert!(took < LIMIT + AFTER, "{what} took {took:?}");
    result
}

fn program(text: &str) -> Program {
    parse_program(text).unwrap_or_else(|e| panic!("{e}"))
}

fn outcome(text: &str, decide: Decide) -> Outcome {
    let program = program(text);
    let solvers = vec![SolverName::Builtin];
    let options =
        CheckOptions { decide, solvers, budget: Budget::time(LIMIT), ..CheckOptions::default() };
    timed(&text.chars().take(60).collect::<String>(), || {
        check(&program, &options).unwrap().verdict.outcome
    })
}

fn is_cut_off(text: &str, decide: Decide) {
    let outcome = outcome(text, decide);
    let Outcome::Unknown(why) = &outcome else { panic!("{outcome:?}") };
    assert!(why.contains("time limit of 0.5 s passed"), "{why}");
}

/// `n` copies of a part that knows its number.
fn copies(n: usize, part: impl Fn(usize) -> String) -> String {
    (0..n).map(part).collect()
}

/// Each read's index is the one before: what decides what is looked for again and again.
fn chain(n: usize) -> String {
    let index = |i: usize| if i == 0 { "0".to_owned() } else { format!("x{}", i - 1) };
    let reads = copies(n, |i| format!("let x{i} = A[{}] in ", index(i)));
    format!("threads 2; shared A = any; {reads} A[x{}] := 1", n - 1)
}

#[test]
fn approximation_ends() {
    is_cut_off(&chain(20_000), Decide::Solve);
}

#[test]
fn encoding_and_simplification_end() {
    let mut sum = String::from("tid");
    for i in 1..3_000 {
        let _ = write!(sum, " + (tid * {i}) % (n + {i})");
    }
    is_cut_off(&format!("threads 32; param n; A[{sum}] := 1"), Decide::Solve);
}

#[test]
fn numerals_of_thousands_of_digits_end() {
    for digits in [5_000, 60_000] {
        let nines = "9".repeat(digits);
        // As naturals, the product is what it is: too large for a circuit, or for the time.
        let product = format!("threads *; param n; A[(tid * {nines}) % (n + {nines})] := 1");
        let found = outcome(&product, Decide::Solve);
        assert!(matches!(found, Outcome::Unknown(_)), "{found:?}");
        // In machine arithmetic, 32 bits of them count.
        let machine = format!(
            "threads *; param n: i32; global a; \
             a[select(gt.i32(n, 3), threadIdx.x, mul.u32({nines}, n))] := 1"
        );
        let found = outcome(&machine, Decide::Solve);
        assert!(matches!(found, Outcome::Racy), "{found:?}");
    }
}

#[test]
fn runs_end() {
    let long = "threads 64; shared A = [0]; forU i in 0..100000000 { A[0] := i }";
    let instance = || {
        let program = program(long);
        let launch = program.geometry.launch().unwrap();
        Instance::new(program, launch)
    };
    let limits = semantics::RunLimits { steps: u64::MAX, ..semantics::RunLimits::default() };
    let options = RunOptions { limits, ..RunOptions::default() };
    let budget = Budget::time(LIMIT);
    let by_rules = timed("the rules", || budget.within(|| instance().evaluate(&options)));
    assert_eq!(by_rules.map(|_| ()), Err(Exhausted(LIMIT)));
    let budget = Budget::time(LIMIT);
    let by_machine =
        timed("the machine", || budget.within(|| semantics::vm::run(&instance(), &options)));
    assert_eq!(by_machine.map(|_| ()), Err(Exhausted(LIMIT)));
}

#[test]
fn a_race_is_not_lost_to_a_replay_that_is_cut_off() {
    let long = "threads 32; param n; A[n] := 1; sync; forU i in 0..10000000 { B[tid] := i }";
    let options = CheckOptions {
        decide: Decide::Solve,
        solvers: vec![SolverName::Builtin],
        budget: Budget::time(LIMIT),
        replay_steps: u64::MAX,
        ..CheckOptions::default()
    };
    let checked = timed("the replay", || check(&program(long), &options).unwrap());
    // Theorem 1 needs no run.
    assert_eq!(checked.verdict.outcome, Outcome::Racy);
}

#[test]
fn the_front_end_ends() {
    let kernel = |body: &str| {
        format!("__global__ void k(int *a, int n) {{ int t = threadIdx.x; {body} }}\n")
    };
    let macros = copies(5_000, |i| format!("#define M{i} M{}\n", i + 1));
    for (name, text) in [
        ("macros", format!("{macros}#define M5000 1\n{}", kernel(&"a[t]=M0;".repeat(2_000)))),
        (
            "conditionals",
            kernel(&format!("int x=n; {} a[x]=1;", "if(t>x) x=x*3+1; ".repeat(3_000))),
        ),
        ("variables", kernel(&copies(40_000, |i| format!("int x{i}=n+{i};")))),
        ("syntax errors", kernel(&"@#$ ) ( } { ".repeat(200_000))),
        ("templates", kernel(&"a<b<".repeat(200_000))),
    ] {
        let budget = Budget::time(LIMIT);
        let ended = timed(name, || budget.within(|| parse_cuda(&text, &Default::default())));
        assert_eq!(ended.map(|_| ()), Err(Exhausted(LIMIT)), "{name}");
    }
}

#[test]
fn typing_and_printing_end() {
    let sum = vec!["tid"; 300_000].join(" + ");
    let program = program(&format!("threads 2; A[{sum}] := 1"));
    for (name, f) in [
        (
            "emission",
            &(|| drop(emit::emit(&program, Target::OpenCl, &emit::EmitOptions::default())))
                as &dyn Fn(),
        ),
        ("typing", &(|| drop(typing::type_program(&program)))),
        ("text", &(|| drop(program.to_string()))),
    ] {
        // Fast, or cut off.
        let _ended = timed(name, || Budget::time(LIMIT).within(f));
    }
}
