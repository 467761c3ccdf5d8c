//! Runs, types and derivations.

use crate::support::babycuda;
use crate::{EQ2, FIG3, FIG4};

/// 1: a race, between blocks too, or a divergence; 3: nothing like it, and threads are stuck or the
/// run had to guess.
#[test]
fn the_exit_status_of_a_run_is_what_it_found() {
    let guess = "global U = opaque; global A; let x = U[0] in A[x + tid]";
    for (text, wanted) in [
        ("threads 2; A[tid] := 1", 0),
        ("threads 2; A[0] := tid", 1),
        ("threads 2; if tid == 0 { sync }", 1),
        ("threads 2; let x = B[0] in skip", 3),
        ("threads 2; A[0] := tid; sync; let x = B[0] in skip", 1),
        ("grid 2; threads 1; global A; A[0] := 1", 1),
        ("grid 2; threads 1; global A; A[blockIdx.x] := 1", 0),
        ("grid 2; threads 1; shared A; A[0] := 1", 0),
        ("grid 2; threads 1; global A; A[blockIdx.x] := 1; sync.grid; A[0] := 1", 1),
        ("grid 2; threads 1; global A; A[blockIdx.x] := 1; sync.grid; A[1 - blockIdx.x] := 1", 0),
        ("grid 2; threads 1; if blockIdx.x == 0 { sync.grid }", 1),
        // What a guess decides is no evidence, between blocks neither.
        (&format!("threads 2; {guess} := 1"), 3),
        (&format!("grid 2; threads 1; {guess} := 1"), 3),
    ] {
        for format in ["human", "json"] {
            babycuda(&["run", "-", "--format", format], text).ends(wanted);
        }
    }
}

#[test]
fn a_type_or_the_premise_that_rejects() {
    let output = babycuda(&["type", "-"], FIG3);
    output.ends(0);
    output.says("forU x in 0..M { rd[x]; wr[x] }");
    babycuda(&["type", "-"], EQ2)
        .ends(1)
        .says("t-write, premise 1: index mentions x, which is data")
        .says("`x` became data here");
}

#[test]
fn a_run_marks_racy_cells() {
    babycuda(&["run", "-"], FIG3)
        .ends(1)
        .says("phase 0: RACY")
        .says("thread 1: wr A[0] := 8   <-- race with 0");
    let document = babycuda(&["run", "-", "--format", "json"], FIG4).json();
    assert_eq!(document["runs"][0]["drf"], true);
}

#[test]
fn derivations_print_in_every_format() {
    for (format, needle) in
        [("text", "thread/write"), ("latex", "\\inferrule"), ("html", "<html"), ("json", "nodes")]
    {
        babycuda(&["derive", "-", "--format", format], FIG4).ends(0).says(needle);
    }
    babycuda(&["derive", "-", "--judgment", "type"], FIG4).says("t-write");
    // A read of ⊥ has no derivation.
    babycuda(&["derive", "-"], "threads 1; let x = A[0] in A[1] := x")
        .ends(2)
        .warns("nobody wrote");
}

/// Whatever has no derivation: the tree up to where it stops in each format, the error beside it.
#[test]
fn what_has_no_derivation_says_where_it_stops() {
    let data = "threads 2; A[tid] := tid; let x = A[tid] in A[x] := 9";
    let unwritten = "threads 3; A[tid] := 1; sync; let x = A[7] in A[x] := 1";
    let cases = [
        ("run", unwritten, "nobody wrote", "run"),
        ("run", "threads 2; A[x] := 1", "unbound variable `x`", "run"),
        ("type", data, "mentions x, which is data", "type"),
        ("type", "threads 2; A[x] := 1", "unbound variable `x`", "type"),
        // A program's accesses are those of its type.
        ("map", data, "mentions x, which is data", "type"),
        ("map", "threads 2; wr[0]; wr[x]", "unbound variable `x`", "map"),
        ("map", "threads 2; wr[0]; forU y in 0..x { wr[y] }", "unbound variable `x`", "map"),
    ];
    for (judgment, text, why, stops) in cases {
        let derive = |format: &str| {
            let args = ["derive", "-", "--judgment", judgment, "--format", format];
            let output = babycuda(&args, text);
            output.ends(2).warns(why);
            output
        };
        for (format, part) in [
            ("text", "✗ premise "),
            ("tree", "✗ "),
            ("latex", "\\color{red}"),
            ("html", "class=\"side fails\""),
            ("svg", "class=\"stop\""),
        ] {
            derive(format).says(part);
        }
        let document = derive("json").json();
        assert_eq!(document["format"], "babycuda/stopped-derivation", "{judgment} {text}");
        assert_eq!(document["content"]["judgment"], stops, "{judgment} {text}");
        let nodes = document["content"]["nodes"].as_array().unwrap();
        let premises = nodes.iter().flat_map(|node| node["premises"].as_array().unwrap());
        assert_eq!(premises.filter(|premise| premise["fails"].is_string()).count(), 1, "{text}");
        // It is no derivation.
        babycuda(&["verify", "-"], &document.to_string()).ends(2).warns("stopped-derivation");
        assert!(derive("coq").out.is_empty(), "{judgment} {text}");
    }
}

/// A loop that waits may take any number of turns: a run takes some, and decides nothing.
#[test]
fn a_run_that_rests_on_what_is_not_known_says_so() {
    let spin = "__global__ void k(volatile int *f) {
        if (threadIdx.x == 0) f[0] = 1; else while (f[0] == 0) f[2] = 1; }";
    let says = "decided by values that are not known (at 2:46): the kernel may have no such run";
    let output = babycuda(&["run", "-", "--block", "2"], spin);
    output.ends(3).says(says);
    // Every execution reads what it waits for.
    output.says("thread 1: rd f[0]");
    let output = babycuda(&["run", "-", "--block", "2", "--format", "json"], spin);
    let json = output.json();
    assert_eq!((output.status, json["runs"][0]["guesses"].as_str()), (3, Some(says)));
    babycuda(&["derive", "-", "--block", "2"], spin).says(says);
    let output = babycuda(&["derive", "-", "--block", "2", "--format", "json"], spin);
    babycuda(&["verify", "-"], &output.out).says(" with the values chosen for `unknown`");
    // Unknown values that decide no access do not matter.
    let float = "__global__ void k(float *a) { a[threadIdx.x] = sinf(a[threadIdx.x]) + 1; }";
    babycuda(&["run", "-", "--block", "2"], float).ends(0);
}

#[test]
fn a_run_that_stops_says_why() {
    for (statement, why) in [
        ("assert(threadIdx.x == 0);", "thread 1 at 1:32: an assertion fails"),
        ("if (threadIdx.x) __trap();", "thread 1 at 1:49: the thread traps"),
        ("while (threadIdx.x) {}", "thread 1 at 1:32: a loop does not end"),
    ] {
        let kernel = format!("__global__ void k(int *a) {{    {statement} a[0] = 1; }}");
        babycuda(&["run", "-", "--block", "2"], &kernel).ends(3).says(why);
        babycuda(&["check", "-", "--block", "2"], &kernel).ends(0);
        for command in [["emit", "--target=cuda"], ["gpu", "--backend=sim"]] {
            babycuda(&[command[0], "-", "--block", "2", command[1]], &kernel)
                .ends(2)
                .warns("a thread may stop here");
        }
    }
}

/// What is left open is what is asked for.
#[test]
fn an_open_launch_says_what_to_give() {
    for (head, given, wanted) in [
        ("threads *; grid *", &[][..], "give --block and --grid\n"),
        ("threads *; grid *", &["--block", "4"], "give --grid\n"),
        ("threads *; grid *", &["--grid", "4"], "give --block\n"),
        ("threads *", &[], "give --block\n"),
    ] {
        for command in ["run", "derive", "gpu"] {
            let ran = babycuda(&[&[command, "-"], given].concat(), &format!("{head}; A[0] := 1"));
            ran.ends(2).warns("the launch is not fixed").warns(wanted);
        }
    }
}
