//! Answers that nobody meant well: each gets a grade that is not `passed`, within seconds, and nothing panics.

use babycuda_exercises::{Exercise, catalogue, limits};
use std::time::{Duration, Instant};

/// Long, deep, malformed, or expensive, whatever the kind.
fn answers() -> Vec<(String, Vec<u8>)> {
    let text = |name: &str, text: String| (name.to_owned(), text.into_bytes());
    let mut answers = vec![
        text("nothing", String::new()),
        text("ten megabytes", "A[tid] := 1; ".repeat(800_000)),
        text("one long line", "x".repeat(limits::BYTES)),
        text("a number of many digits", format!("threads 2; A[{}] := 1", "9".repeat(60_000))),
        text("many threads", "threads 4294967295; A[tid] := 1".to_owned()),
        text("many blocks", "threads 1024; grid 65535, 65535, 1; A[tid] := 1".to_owned()),
        text("a long loop", "threads 2; forU i in 0..99999999999999999999 { A[tid] := i }".to_owned()),
        text("loops in loops", format!("threads 2; {}A[tid] := 1{}", "forU i in 0..1000 { ".repeat(20), " }".repeat(20))),
        text("a number that doubles", "threads 2; shared A = [3, 3]; forU i in 0..40000 { let x = A[tid] in A[tid] := x * x }".to_owned()),
        text("many reads", "threads 2; ".to_owned() + &"let x = A[0] in ".repeat(3000) + "skip"),
        text("a long sequence", "threads 2; ".to_owned() + &"A[tid] := 1; ".repeat(4900) + "skip"),
        text("a long difference", format!("threads 2; A[{}1] := 0", "1 - ".repeat(12_000))),
        text("a long negation", format!("threads 2; if {}true {{ A[0] := 0 }} else {{ skip }}", "!".repeat(50_000))),
        text("macros in macros", macros()),
        text("many kernels", "__global__ void k(int *a) { a[0] = 1; }\n".repeat(1500)),
        text("a deep outline", (0..300).map(|n| " ".repeat(n) + "skip (∅, ∅), skip ↓ (∅, ∅)\n").collect()),
        text("many phases", (0..5000).map(|n| format!("phase {n}\n")).collect()),
        text("many threads of a phase", "phase 0\n".to_owned() + &(0..4000).map(|n| format!("thread {n}: nothing\n")).collect::<String>()),
        text("control characters", "threads 2; A[0] := 1 \u{1b}[31m\0".to_owned()),
    ];
    for bracket in ["(", "[", "{", "((", "if true {", "!("] {
        answers.push(text(&format!("100,000 times `{bracket}`"), bracket.repeat(100_000)));
        answers.push(text(
            &format!("as many `{bracket}` as fit"),
            bracket.repeat(limits::BYTES / bracket.len()),
        ));
    }
    // Numbers as any generator makes them, from a fixed seed.
    let mut seed = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed
    };
    for n in 0..8 {
        let bytes = (0..4000).map(|_| (next() >> 32) as u8).collect();
        answers.push((format!("random bytes {n}"), bytes));
        let letters = b"threads 2; let x = A[tid] in { sync; } forU if else := 019 phase reads |- |> => ( ) \n";
        let bytes = (0..3000).map(|_| letters[(next() >> 33) as usize % letters.len()]).collect();
        answers.push((format!("random words {n}"), bytes));
    }
    answers
}

/// Each macro is twice the one before.
fn macros() -> String {
    let defined = (1..60).map(|n| format!("#define M{n} M{0} + M{0}\n", n - 1));
    let defined: String = defined.collect();
    format!("#define M0 1\n{defined}__global__ void k(int *a) {{ a[threadIdx.x] = M59; }}\n")
}

/// One exercise of each checker: those of a kind share it.
fn exercises() -> Vec<Exercise> {
    let ids = [
        "predict-shift",
        "derive-type",
        "derive-run",
        "typable-parameter",
        "untypable-index",
        "repair-shift",
        "repair-exchange",
        "warp-broadcast",
        "refute-typed",
        "refute-invariance",
        "refute-barriers",
        "refute-determinism",
        "refute-theorem-1",
        "refute-theorem-1-hypothesis",
        "refute-distinct",
        "refute-winner",
        "refute-warp",
        "mutant-two-writes",
        "mutant-distance",
        "mutant-oldest-phase",
        "mutant-first-iteration",
        "tool-two-thread",
    ];
    ids.map(|id| catalogue::find(id).unwrap()).into()
}

#[test]
fn no_hostile_answer_passes_or_takes_long() {
    let answers = answers();
    let judge = |exercise: &Exercise| {
        for (name, answer) in &answers {
            let start = Instant::now();
            let grade = exercise.grade(answer);
            let took = start.elapsed();
            let human = grade.human();
            assert!(
                grade.status() != "passed" || is_legitimate(exercise),
                "{}: {name} passes: {human}",
                exercise.id
            );
            assert!(
                took < limits::TIME + Duration::from_secs(10),
                "{}: {name}: {took:?}: {human}",
                exercise.id
            );
            assert!(
                human.len() < 10_000,
                "{}: {name}: a message of {} bytes",
                exercise.id,
                human.len()
            );
            if answer.len() > limits::BYTES {
                assert_eq!(grade.status(), "refused", "{}: {name}", exercise.id);
                assert!(took < Duration::from_secs(2), "{}: {name}: {took:?}", exercise.id);
            }
        }
    };
    let exercises = exercises();
    let halves: Vec<Vec<&Exercise>> =
        (0..2).map(|half| exercises.iter().skip(half).step_by(2).collect()).collect();
    std::thread::scope(|scope| {
        for half in &halves {
            scope.spawn(|| half.iter().for_each(|exercise| judge(exercise)));
        }
    });
}

/// An assumption that is false of every launch would make any kernel race-free.
#[test]
fn an_answer_assumes_nothing() {
    let kernel =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/wrong/repair-shift-1.cu"))
            .unwrap();
    let cases = [
        ("untypable-index", "threads 4; assume 1 == 2; let x = A[tid] in A[x] := tid".to_owned()),
        ("repair-shift", format!("// babycuda: assume blockDim.x == 1\n{kernel}")),
        ("repair-shift", format!("//@ requires blockDim.x == 1\n{kernel}")),
        ("repair-shift", kernel.replace("{\n", "{ __requires(blockDim.x == 1);\n")),
    ];
    for (id, answer) in cases {
        let grade = catalogue::find(id).unwrap().grade(answer.as_bytes());
        assert!(
            grade.result.as_ref().is_err_and(|fault| fault.step == "the answer assumes nothing"),
            "{}",
            grade.human()
        );
    }
}

/// Some of these programs are what these ask for: they have a type and a race, or tell semantics apart.
fn is_legitimate(exercise: &Exercise) -> bool {
    ["refute-typed", "mutant-distance", "mutant-oldest-phase"].contains(&exercise.id.as_str())
}
