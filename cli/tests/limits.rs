//! Heavy input: every command ends in time, with a status and a reason, and never by a signal.

mod support;

use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use support::{Ran, babycuda};

/// What a command may take beyond its limit: what is tried in good order, and a busy machine.
const PATIENCE: Duration = Duration::from_secs(8);

/// Runs a command on a text, in at most `seconds` and some patience.
fn run(seconds: u32, args: &[&str], text: &str) -> Ran {
    let start = Instant::now();
    let ran = babycuda(&[args, &["--time-limit", &seconds.to_string()]].concat(), text);
    let took = start.elapsed();
    let limit = Duration::from_secs(seconds.into()) + PATIENCE;
    ran.holds(took < limit, format_args!("within {limit:?}, but after {took:?}"));
    ran.holds((0..=3).contains(&ran.status), "a status of the contract");
    ran.holds(!ran.out.contains("internal") && !ran.err.contains("internal"), "well inside");
    ran
}

fn joined(n: usize, with: &str, part: impl Fn(usize) -> String) -> String {
    (0..n).map(part).collect::<Vec<_>>().join(with)
}

/// Text within text within text.
fn nested(n: usize, open: impl Fn(usize) -> String, inner: &str, close: &str) -> String {
    let opened: String = (0..n).map(open).collect();
    format!("{opened}{inner}{}", close.repeat(n))
}

/// A CUDA kernel with this body.
fn kernel(name: &str, body: &str) -> String {
    let head = "int *a, int *b, int n, unsigned m) { int t = threadIdx.x; ";
    format!("__global__ void {name}({head}{body} }}\n")
}

/// Many guarded accesses: many pairs, each a question to a solver.
fn many_pairs() -> String {
    joined(18, "\n", |i| {
        format!("if (t % {} == n) a[t*{}+n] = b[t]; else b[t+{i}] = a[t];", i + 2, i + 1)
    })
}

/// Programs that are long, deep, or much work for one stage or another.
fn heavy() -> Vec<(&'static str, String)> {
    let squares = joined(12, "\n", |i| {
        format!("x = x * (x + {}) + t; a[(x >> {i}) % 1000003] = {i};", i * 7919 + 1)
    });
    let unrolled = nested(
        5,
        |i| format!("for(int i{i}=0;i{i}<60;i{i}++) {{"),
        "if (i0 % 7 == i1 && (i2*i3) % 5 != i4) __syncthreads(); a[i0*t+i4]=1;",
        "}",
    );
    let guarded = nested(
        18,
        |i| format!("forS i{i} in 0..n {{ A[tid+i{i}] := 1; if m < n+{i} {{ sync }}; "),
        "A[tid] := 2",
        "}",
    );
    let nines = "9".repeat(60_000);
    vec![
        ("a long sequence", format!("threads 2; {}", joined(100_000, ";", |_| "A[tid]:=1".into()))),
        ("a long sequence, symbolic", joined(20_000, ";", |_| "A[tid]:=1".into())),
        ("many barriers", format!("threads 2; {}", joined(50_000, ";", |_| "sync".into()))),
        (
            "many negations",
            format!("threads 2; if {}(tid == 0) {{ A[0] := 1 }}", "!".repeat(100_000)),
        ),
        ("a long sum", format!("threads 2; A[{}] := 1", joined(200_000, "+", |_| "1".into()))),
        ("a long sum, symbolic", format!("A[{}] := 1", joined(20_000, "+", |_| "tid".into()))),
        ("many reads", format!("threads 2; {}A[x] := 1", "let x = A[tid] in ".repeat(50_000))),
        (
            "deep branches",
            format!("threads 2; {}", nested(3000, |_| "if tid == 0 {".into(), "A[0] := 1", "}")),
        ),
        (
            "deep loops",
            format!("threads 2; {}", nested(1000, |_| "forU i in 0..2 {".into(), "A[i] := 1", "}")),
        ),
        (
            "long loops",
            format!(
                "threads 1024; {}",
                nested(3, |_| "forU i in 0..99999999 {".into(), "A[tid] := i", "}")
            ),
        ),
        ("many phases", "threads 1024; forS i in 0..1000000000000 { A[tid+i] := 1; sync }".into()),
        ("many blocks", "threads 1024; grid 60000,60000,1; global A; A[tid] := 1".into()),
        ("a huge product", format!("threads 2; A[{}] := 1", joined(30, "*", |_| nines.clone()))),
        (
            "many accesses",
            format!("param n; {}", joined(1000, ";", |i| format!("A[tid*{i}+n] := 1"))),
        ),
        (
            "many cells",
            format!(
                "threads 4; {}",
                nested(4, |_| "forU i in 0..99999999 {".into(), "A[i*i] := 1", "}")
            ),
        ),
        ("loops with barriers in guards", format!("param n; param m; {guarded}")),
        ("squares", kernel("k", &format!("unsigned long long x = n; {squares}"))),
        ("unrolled loops", kernel("k", &unrolled)),
        ("many pairs", kernel("k", &many_pairs())),
        (
            "doubled expressions",
            kernel("k", &format!("int x=n; {} a[x]=1;", "x = x*x + x;".repeat(40))),
        ),
    ]
}

#[test]
fn checks_end_at_their_limit() {
    for (name, text) in heavy() {
        let ended = run(1, &["check", "-", "--timeout", "1"], &text);
        let explained = match ended.status {
            2 => !ended.err.is_empty(),
            3 => ended.out.contains("unknown: "),
            _ => true,
        };
        ended.holds(explained, format_args!("explained: {name}"));
    }
}

#[test]
fn other_commands_end_at_their_limit() {
    for (name, text) in heavy().iter().filter(|(_, text)| text.starts_with("threads")) {
        for command in ["run", "type", "derive", "emit --target opencl", "gpu --backend sim"] {
            let args: Vec<&str> = command.split(' ').chain(["-"]).collect();
            let ended = run(1, &args, text);
            let explained = match ended.status {
                3 => !ended.err.is_empty() || !ended.out.is_empty(),
                2 => !ended.err.is_empty(),
                _ => true,
            };
            ended.holds(explained, format_args!("explained: {name}"));
        }
    }
}

/// What was decided before the limit stays decided; the rest is unknown, for that reason.
#[test]
fn kernels_that_were_done_keep_their_verdict() {
    let text = [kernel("easy", "a[t] = 1;"), kernel("hard", &many_pairs())].concat();
    let ended = run(
        2,
        &["check", "-", "--array", "b", "--max-races", "1000000", "--format", "json"],
        &text,
    );
    let document = ended.json();
    let kernels = document["kernels"].as_array().unwrap();
    let names: Vec<&str> = kernels.iter().filter_map(|k| k["name"].as_str()).collect();
    assert_eq!(names, ["easy", "hard"], "{document:#}");
    // The library says so as a reason, or the program when the library is too slow to notice; a fast
    // machine may have decided.
    let said = format!("{}{}", ended.err, document["kernels"][1]["reason"]);
    let decided = document["kernels"][1]["reason"].is_null();
    assert!(decided || said.contains("time limit of 2 s passed"), "{said}");
    assert!(document["kernels"][0].to_string().contains("drf"), "{document:#}");
}

#[test]
fn the_limits_have_messages() {
    let loops = nested(3, |_| "forU i in 0..99999999 {".into(), "A[tid] := i", "}");
    let loops = format!("threads 1024; {loops}");
    run(1, &["check", "-"], &loops).ends(3).says("main: unknown: time limit of 1 s passed");
    let cells = nested(4, |_| "forU i in 0..99999999 {".into(), "A[i*i] := 1", "}");
    run(20, &["check", "-", "--memory-limit", "100"], &format!("threads 4; {cells}"))
        .ends(3)
        .says("unknown: memory limit of 100 MB passed")
        .warns("--memory-limit allows more");
    let sums = format!("threads 2; A[{}] := 1", joined(200_000, "+", |_| "tid".into()));
    run(1, &["emit", "--target", "opencl", "-"], &sums)
        .ends(3)
        .warns("error: time limit of 1 s passed");
    let ended = run(20, &["check", "-"], &joined(1_500_000, ";", |_| "skip".into()));
    ended.ends(2);
    let reason = "a text of more than 2000000 words, numbers and symbols";
    ended.warns(reason);
    let digits = joined(40, "*", |_| "7".repeat(60_000));
    run(20, &["check", "-"], &format!("A[{digits}] := 1"))
        .ends(2)
        .warns("the numbers of this text have more than 2000000 digits");
}

/// The smallest memory limit is passed at once; none is no limit.
#[test]
fn a_tiny_memory_limit_is_passed_at_once() {
    for command in ["check", "run", "type", "derive", "emit --target opencl"] {
        let args: Vec<&str> = command.split(' ').chain(["-", "--memory-limit", "1"]).collect();
        run(20, &args, "threads 2; A[tid] := 1").ends(3).warns("memory limit of 1 MB passed");
    }
    run(20, &["check", "-", "--memory-limit", "0"], "threads 2; A[tid] := 1")
        .ends(2)
        .warns("--memory-limit");
}

/// The time that a message names is the one that was given.
#[test]
fn the_time_of_a_question_is_the_one_given() {
    let text = "param n; param m; param k; A[(n * m * k + tid * n * n) % 1000003] := 1; \
                B[(tid * tid * n * m) % (k * n + 7)] := 1";
    let ended = run(60, &["check", "-", "--timeout", "0.3", "--method", "smt"], text);
    let timed_out = ended.out.contains("no answer within");
    assert!(!timed_out || ended.out.contains("no answer within 0.3 s"), "{}", ended.out);
}

/// So many races are reported as are wanted, and a remark says that there may be others.
#[test]
fn as_many_races_are_looked_for_as_are_wanted() {
    let text = "A[0] := 1; A[0] := 2; A[0] := 3";
    let args = ["check", "-", "--method", "smt"];
    let all = run(60, &args, text);
    all.ends(1).says("racy (6 racing pairs");
    assert!(!all.out.contains("were not looked for"), "{}", all.out);
    let two = run(60, &[&args[..], &["--max-races", "2"]].concat(), text);
    two.ends(1).says("racy (2 racing pairs");
    two.says("more than 2 races were not looked for");
    run(60, &[&args[..], &["--max-races", "0"]].concat(), text).ends(2).warns("--max-races");
}

/// Kernels that are too large name the limit.
#[test]
fn size_limits_are_named() {
    let many = kernel("k", &"a[t] = 1;".repeat(60_001));
    let ended = run(60, &["check", "-"], &many);
    ended.ends(3);
    let reason = "a kernel of more than 60000 statements, after inlining and unrolling";
    ended.says(reason);
}

/// Where nobody reads what goes wrong, the status is the same.
#[test]
fn nobody_need_read_the_standard_error() {
    for command in ["check", "check --format github", "run", "verify", "trace check"] {
        let mut program = Command::new(env!("CARGO_BIN_EXE_babycuda"));
        let piped = program.args(command.split(' ')).arg("-").stdin(Stdio::piped());
        let mut child = piped.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stderr.take());
        child.stdin.take().unwrap().write_all(b"threads 2; A[0 := 1").unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(2), "{command}");
    }
}
