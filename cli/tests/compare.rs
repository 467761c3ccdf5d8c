//! `babycuda compare`: techniques beside what is true.

mod support;

use serde_json::Value;
use support::{Folder, Ran, babycuda, has_clang, root, validate};

const RACY: &str = "tests/corpus/reduce_sequential_racy.cu";

/// How a row of the table begins: names are as wide as the longest.
fn row(technique: &str, verdict: &str) -> String {
    format!("{technique:<25} {verdict}")
}

#[test]
fn a_table_has_every_technique_with_its_evidence() {
    let path = root().join(RACY).display().to_string();
    let ran = babycuda(&["compare", &path, "--block", "64"], "");
    for technique in ["truth", "protocols", "hirace"] {
        ran.says(&row(technique, "racy"));
    }
    ran.ends(0);
    ran.says(" in line ").says("the truth is that of: schedules that were tried");
}

#[test]
fn the_document_is_as_its_schema_says() {
    let path = root().join(RACY).display().to_string();
    let ran = babycuda(&["compare", &path, "--block", "64", "--format", "json"], "");
    assert_eq!(validate("cli-compare", &ran.out), Ok(()));
    let answers = &ran.json()["kernels"][0]["answers"];
    let names: Vec<_> =
        answers.as_array().unwrap().iter().map(|a| a["technique"].clone()).collect();
    assert!(names.contains(&"protocols".into()) && names.contains(&"hirace".into()), "{names:?}");
    assert!(answers.as_array().unwrap().iter().all(|a| a["contradicts"].is_null()));
    let wrong = ran.out.replacen("\"rd\"", "\"xx\"", 1).replacen("\"wr\"", "\"xx\"", 1);
    assert!(validate("cli-compare", &wrong).is_err());
}

#[test]
fn a_technique_shows_its_form() {
    let folder = Folder::new("compare-form");
    let kernel = folder.file("k.cu", "__global__ void k(int *a) { a[threadIdx.x] = 1; }");
    let form = "true => (== a1 (store a0 tid.x0 1))\nformulae: 1, conjuncts: 1\n";
    babycuda(&["compare", &kernel, "--show", "two-thread"], "").says(form).ends(0);
    let ran = babycuda(&["compare", &kernel, "--show", "two-thread", "--format", "json"], "");
    assert_eq!(ran.json()["kernels"][0]["form"], form);
    for (technique, says) in [("hirace", "nothing is to be shown"), ("lcl", "two-thread-repaired")]
    {
        let ran = babycuda(&["compare", &kernel, "--show", technique], "");
        assert!(ran.err.contains(says), "{}", ran.err);
        ran.ends(2);
    }
}

#[test]
fn a_machine_that_sees_races_everywhere_raises_false_alarms() {
    let folder = Folder::new("compare-machine");
    // Whoever comes second races, whatever stands between.
    let mut table = "state,access,sync,relation,next\n".to_owned();
    for state in ["INIT", "USED", "RACE"] {
        for access in ["R", "W", "BA", "GA"] {
            for sync in ["U", "W", "B"] {
                for relation in ["S", "W", "B", "G"] {
                    let next = match (state, relation) {
                        ("INIT", _) | ("USED", "S") => "USED",
                        _ => "RACE",
                    };
                    table += &format!("{state},{access},{sync},{relation},{next}\n");
                }
            }
        }
    }
    let table = folder.file("wrong.csv", &table);
    let kernel = "__global__ void k(int *a) { int t = threadIdx.x; a[t] = 1; __syncthreads(); \
                  a[31 - t] = 2; }";
    let kernel = folder.file("k.cu", kernel);
    let right = babycuda(&["compare", &kernel], "");
    right.says(&row("truth", "drf")).says(&row("hirace", "unknown"));
    let wrong = babycuda(&["compare", &kernel, "--machine", &table], "");
    wrong.ends(1).says(&row("hirace-machine", "racy")).says("false alarm, against its claim: a[");
    wrong.says(&row("hirace", "unknown"));
    for (text, why) in [
        ("state\n", "line 1: expected `state,access"),
        ("state,access,sync,relation,next\n", "line 1: there is no state `RACE`"),
    ] {
        let none = folder.file("none.csv", text);
        babycuda(&["compare", &kernel, "--machine", &none], "").ends(2).warns(why);
    }
    let bytes = std::path::Path::new(&table).with_file_name("bytes.csv");
    std::fs::write(&bytes, b"state,access,sync,relation,next\nINIT,R,U,S,INIT\n\xff\n").unwrap();
    let bytes = bytes.display().to_string();
    babycuda(&["compare", &kernel, "--machine", &bytes], "")
        .ends(2)
        .warns("line 3: what is no UTF-8");
}

#[test]
fn what_is_not_known_is_said() {
    let folder = Folder::new("compare-unknown");
    let kernel = "__global__ void k(int *a, int n) { a[n * threadIdx.x] = atomicAdd(a + 99, 1); }";
    let kernel = folder.file("k.cu", kernel);
    let ran = babycuda(&["compare", &kernel], "");
    ran.says("parameter `n` has no value").says("needs --param n=VALUE");
    babycuda(&["compare", &kernel, "--param", "n=1"], "").is_silent_of("--param");
    babycuda(&["compare", "-"], "threads 2; A[tid] := 1").ends(2);
    babycuda(&["compare", &kernel, "--warp", "3"], "").ends(2).warns("must be a power of two");
    babycuda(&["compare", &kernel, "--kernel", "other"], "").ends(2).warns("no kernel `other`");
    let none = folder.file("none.cu", "int nothing;\n");
    babycuda(&["compare", &none], "").ends(0);
    // What no program can be made of has its reason.
    let asm = "__global__ void k(int *a) { asm(\"nop\"); a[0] = threadIdx.x; }";
    let asm = folder.file("asm.cu", asm);
    babycuda(&["compare", &asm], "").says("not supported: inline assembly");
}

/// What is decided when the time is over is said, for each technique and for the whole command.
#[test]
fn a_technique_that_takes_too_long_is_unknown() {
    let folder = Folder::new("compare-time");
    let long = "__global__ void k(unsigned *a) { unsigned x = threadIdx.x; \
                for (unsigned i = 0; i < 10000000u; i++) x = x * 3u + i; a[0] = x; }";
    let long = folder.file("long.cu", long);
    for limit in [["--timeout", "0.2"], ["--time-limit", "1"]] {
        let options = ["compare", &long, "--format", "json", limit[0], limit[1]];
        let ran = babycuda(&options, "");
        let answers = ran.json()["kernels"][0]["answers"].clone();
        let of = |technique: &str| {
            let mut all = answers.as_array().unwrap().iter();
            all.find(|answer| answer["technique"] == technique).unwrap().clone()
        };
        let wanted = format!("time limit of {} s passed", limit[1]);
        let reason = of("hirace")["reason"].as_str().unwrap_or_default().to_owned();
        assert_eq!((of("hirace")["verdict"].as_str(), reason), (Some("unknown"), wanted));
        assert_eq!(of("protocols")["verdict"], "racy");
    }
}

/// No other technique knows barriers of one space. One that may as well order everything is not told from others.
#[test]
fn techniques_refuse_barriers_that_leave_something_out() {
    if !has_clang() {
        return;
    }
    let folder = Folder::new("techniques-barriers");
    let kernel = |behind: &str| {
        let text = format!(
            "kernel void k(global int *o) {{ local int s[32]; int t = get_local_id(0); s[t] = t; \
             o[t] = 1; barrier(CLK_{behind} }}"
        );
        folder.file("k.cl", &text)
    };
    let refusals = |kernel: &str| {
        let ran = babycuda(&["compare", kernel], "");
        ran.out.matches("a barrier that orders one space is not in the language").count()
    };
    assert_eq!(refusals(&kernel("LOCAL_MEM_FENCE); o[31 - t] = 2;")), 6);
    assert_eq!(refusals(&kernel("LOCAL_MEM_FENCE); int x = s[31 - t];")), 0);
    assert_eq!(refusals(&kernel("GLOBAL_MEM_FENCE); o[31 - t] = 2;")), 0);
}

/// The truth of a small launch is what all its interleavings come to, whatever memory holds where that is so.
#[test]
fn small_launches_are_explored() {
    let folder = Folder::new("compare-interleavings");
    for (body, block, truth, how) in [
        ("a[t] = t; __syncthreads(); a[3 - t] = 1;", "4", "drf", "all interleavings ("),
        ("if (t < 2) __syncthreads();", "4", "divergent", "all interleavings ("),
        ("a[t / 2] = t;", "4", "racy", "all interleavings ("),
        ("a[t / 2] = t;", "9", "racy", "schedules that were tried"),
        ("float f = b[t]; b[t] = f * 2.0f; a[t] = 1;", "4", "drf", "all interleavings ("),
        // Only one order of the two updates has the race.
        (
            "if (atomicExch(&s[0], t + 1) == 2 || t == 1) a[0] = 1;",
            "2",
            "racy",
            "all interleavings with these contents of memory (",
        ),
        // No order of them has one: the front end leaves out what it knows, and the technique what it does not.
        (
            "if (t == 0) s[0] = 0; __syncthreads(); int x = atomicAdd(&s[0], 1); if (x == 9) a[0] = t;",
            "3",
            "drf",
            "all interleavings (",
        ),
        // What the host stored decides.
        ("if (d[t] == 7) a[0] = t;", "2", "racy", "check of the translation"),
        (
            "if (d[t] < t) a[t] = 1;",
            "2",
            "drf",
            "all interleavings with these contents of memory (",
        ),
    ] {
        let kernel = format!(
            "__global__ void k(unsigned *a, float *b, const unsigned *d) {{ __shared__ unsigned s[4]; \
             unsigned t = threadIdx.x; {body} }}"
        );
        let kernel = folder.file("k.cu", &kernel);
        let ran = babycuda(&["compare", &kernel, "--block", block, "--format", "json"], "");
        let found = ran.json()["kernels"][0]["truth"].clone();
        assert_eq!(found["verdict"], truth, "{body}: {found:#}");
        assert!(found["technique"].as_str().unwrap().starts_with(how), "{body}: {found:#}");
        assert_eq!(validate("cli-compare", &ran.out), Ok(()));
    }
    // Threads of two blocks are some of all.
    let blocks = "__global__ void k(int *a) { a[threadIdx.x] = 1; }";
    let kernel = folder.file("blocks.cu", blocks);
    for (grid, truth) in [("1", "drf"), ("2", "racy")] {
        let ran = babycuda(&["compare", &kernel, "--block", "2", "--grid", grid], "");
        ran.says(&row("truth", truth)).says("the truth is that of: all interleavings (");
    }
}

/// Runs begin with zeros, whatever a kernel assumes of its contents: a race of theirs is none of the kernel.
#[test]
fn runs_do_not_know_what_is_assumed() {
    let path = root().join("tests/corpus/scatter_injective.cu").display().to_string();
    let ran = babycuda(&["compare", &path, "--block", "4", "--param", "n=4"], "");
    ran.says(&row("truth", "unknown")).says("contents that may not be as assumed");
    ran.says(&row("protocols", "drf")).is_silent_of("misses a race").ends(3);
}

/// A race has its places, what its threads must read, and whether a run has it.
#[test]
fn races_have_their_witness() {
    let folder = Folder::new("compare-witness");
    let kernel = "__global__ void k(int *a) {\n  __shared__ int s[64]; int t = threadIdx.x;\n  \
                  s[t] = 0; __syncthreads();\n  if (s[t] == 1) a[0] = 1; }\n";
    let kernel = folder.file("k.cu", kernel);
    let ran = babycuda(&["compare", &kernel, "--block", "2", "--format", "json"], "");
    assert_eq!(validate("cli-compare", &ran.out), Ok(()));
    let answers = ran.json()["kernels"][0]["answers"].clone();
    let mut all = answers.as_array().unwrap().iter();
    let repaired = all.find(|answer| answer["technique"] == "two-thread-repaired").unwrap();
    let race = &repaired["races"][0];
    assert_eq!((&race["cell"], &race["replayed"]), (&"a[0]".into(), &false.into()), "{race:#}");
    let side = &race["sides"][0];
    assert_eq!((&side["line"], &side["column"]), (&4.into(), &18.into()), "{race:#}");
    assert_eq!(side["reads"].as_array().unwrap().len(), 1, "{race:#}");
    let ran = babycuda(&["compare", &kernel, "--block", "2"], "");
    ran.says("wr in line 4:18 if it reads s[").says("(no run has it)");
    let racy = folder.file("r.cu", "__global__ void k(int *a) { a[0] = threadIdx.x; }");
    let ran = babycuda(&["compare", &racy, "--block", "2"], "");
    ran.is_silent_of("no run has it").says("wr in line 1:29 (replayed)");
    // The races of every technique are replayed in the translation.
    let ran = babycuda(&["compare", &racy, "--block", "2", "--format", "json"], "");
    let answers = ran.json()["kernels"][0]["answers"].clone();
    let mut found = 0;
    for race in answers.as_array().unwrap().iter().flat_map(|a| a["races"].as_array().unwrap()) {
        assert_eq!((&race["replayed"], &race["evaluator"]), (&true.into(), &"reference".into()));
        found += 1;
    }
    assert!(found > 4, "{answers:#}");
}

/// The line, the column and the mode of an access.
type Place = (u64, u64, String);

/// The races that a technique reports of a kernel: lines, columns and modes of both accesses, and whether they were
/// replayed or a run has them.
fn reported(ran: &Ran, technique: &str) -> Vec<(Vec<Place>, Option<bool>)> {
    let answers = ran.json()["kernels"][0]["answers"].clone();
    let mut all = answers.as_array().unwrap().iter();
    let answer = all.find(|answer| answer["technique"] == technique).unwrap();
    let races = answer["races"].as_array().unwrap().iter().map(|race| {
        let sides = race["sides"].as_array().unwrap().iter().map(|side| {
            let number = |of: &str| side[of].as_u64().unwrap();
            (number("line"), number("column"), side["mode"].as_str().unwrap().to_owned())
        });
        let mut sides: Vec<_> = sides.collect();
        sides.sort();
        (sides, race["replayed"].as_bool())
    });
    races.collect()
}

/// A race is told by its statements, their modes, its threads and its cell: another one on the cell between the same
/// threads says nothing of it.
#[test]
fn a_race_is_replayed_at_its_statements() {
    let folder = Folder::new("compare-statements");
    // The two threads race on `a[0]` before the barrier. What is behind it is ordered after that.
    let ordered = [
        "a[0] = t;\n__syncthreads();\nif (t == 1) a[0] = 7;\n",
        "a[0] = t;\n__syncthreads();\nint x = a[0];\nif (x == 9) a[2 + t] = 1;\n",
        // All in one line, by a macro: no place tells the stores apart.
        "BOTH\n",
    ];
    for body in ordered {
        let kernel = format!(
            "#define BOTH a[0] = t; __syncthreads(); if (t == 1) a[0] = 7;\n__global__ void k(int *a) {{ \
             int t = threadIdx.x;\n{body}}}\n"
        );
        let kernel = folder.file("k.cu", &kernel);
        let ran = babycuda(&["compare", &kernel, "--block", "2", "--format", "json"], "");
        // As printed, the technique looks at no barrier.
        let found = reported(&ran, "two-thread");
        let (own, others): (Vec<_>, Vec<_>) =
            found.iter().partition(|(_, replayed)| *replayed == Some(true));
        assert_eq!(own.len(), 1, "{body}: {found:?}");
        let apart = body != "BOTH\n";
        assert!(!apart || own[0].0.iter().all(|(line, ..)| *line == 3), "{body}: {found:?}");
        assert!(!others.is_empty(), "{body}: {found:?}");
        assert!(others.iter().all(|(_, replayed)| *replayed == Some(false)), "{body}: {found:?}");
        // Those of the library are true, and of the schedules that were tried: they are had.
        for technique in ["protocols", "two-thread-repaired"] {
            let found = reported(&ran, technique);
            assert!(
                !found.is_empty() && found.iter().all(|(_, r)| *r == Some(true)),
                "{technique} {found:?}"
            );
        }
    }
}

/// An access has one place, whoever finds it: that of the object, not of the statement around it.
#[test]
fn an_access_has_one_place_in_all_techniques() {
    let folder = Folder::new("compare-places");
    let (rd, wr) = ("rd", "wr");
    for (statement, accesses) in [
        ("++a[0];", vec![(3, rd), (3, wr)]),
        ("a[0]++;", vec![(1, rd), (1, wr)]),
        ("(a[0]) = t;", vec![(2, wr)]),
        ("a[0] += t;", vec![(1, rd), (1, wr)]),
        ("int x = 1 + a[0]; a[0] = x;", vec![(13, rd), (19, wr)]),
        ("if (t == a[0]) a[0] = t + 1;", vec![(10, rd), (16, wr)]),
        ("b[t] = 2 * a[0]; a[0] = t;", vec![(12, rd), (18, wr)]),
    ] {
        let kernel =
            format!("__global__ void k(int *a, int *b) {{ int t = threadIdx.x;\n{statement}\n}}\n");
        let kernel = folder.file("k.cu", &kernel);
        let ran = babycuda(&["compare", &kernel, "--block", "2", "--format", "json"], "");
        let mut techniques = 0;
        let answers = ran.json()["kernels"][0]["answers"].clone();
        for answer in answers.as_array().unwrap() {
            let technique = answer["technique"].as_str().unwrap();
            for (sides, replayed) in reported(&ran, technique) {
                for (line, column, mode) in sides {
                    let known = line == 2 && accesses.contains(&(column, mode.as_str()));
                    assert!(known, "{statement}: {technique} has a {mode} at {line}:{column}");
                }
                assert_eq!(replayed, Some(true), "{statement}: {technique}");
                techniques += 1;
            }
        }
        assert!(techniques > 5, "{statement}: {techniques}");
    }
}

/// What is done when a limit passes is printed, and the rest is said not to be.
#[test]
fn kernels_that_are_done_stay_so() {
    let folder = Folder::new("compare-limits");
    let fast = "__global__ void fast(int *a) { a[0] = threadIdx.x; }\n";
    let long = "__global__ void slow(unsigned *a) { unsigned x = threadIdx.x; \
                for (unsigned i = 0; i < 10000000u; i++) x = x * 3u + i; a[0] = x; }\n";
    let last = "__global__ void last(int *a) { a[threadIdx.x] = 1; }\n";
    let file = folder.file("three.cu", &format!("{fast}{long}{last}"));
    let options = ["compare", &file, "--block", "2", "--time-limit", "2"];
    let ran = babycuda(&[&options[..], &["--format", "json"]].concat(), "");
    assert_eq!(validate("cli-compare", &ran.out), Ok(()));
    let kernels = ran.json()["kernels"].clone();
    let of = |kernel: usize| {
        let truth = &kernels[kernel]["truth"];
        let text = |of: &Value| of.as_str().unwrap_or_default().to_owned();
        [text(&kernels[kernel]["name"]), text(&truth["verdict"]), text(&truth["reason"])]
    };
    assert_eq!(of(0), ["fast", "racy", ""]);
    assert_eq!(of(1)[0], "slow");
    assert_eq!(of(2), ["last", "unknown", "not reached: time limit of 2 s passed"]);
    ran.ends(3).warns("note: time limit of 2 s passed; --time-limit allows more");
    let ran = babycuda(&options, "");
    ran.says("kernel fast")
        .says("kernel slow")
        .says("not reached: time limit of 2 s passed")
        .ends(3);
    // A run of so many accesses is all in memory.
    let big = "__global__ void big(int *a) { for (int i = 0; i < 100000000; i++) a[i] = i; }\n";
    let file = folder.file("big.cu", &format!("{fast}{big}{last}"));
    let options = ["compare", &file, "--block", "2", "--memory-limit", "150", "--timeout", "60"];
    let ran = babycuda(&[&options[..], &["--format", "json"]].concat(), "");
    assert_eq!(validate("cli-compare", &ran.out), Ok(()));
    let kernels = ran.json()["kernels"].clone();
    assert_eq!(kernels[0]["truth"]["verdict"], "racy");
    assert_eq!(kernels[1]["truth"]["reason"], "not done: memory limit of 150 MB passed");
    assert_eq!(kernels[2]["truth"]["reason"], "not reached: memory limit of 150 MB passed");
    ran.ends(3).warns("--memory-limit allows more");
    babycuda(&options, "")
        .says("kernel fast")
        .says("not reached: memory limit of 150 MB passed")
        .ends(3);
    // A contradiction that was found before stays one.
    let loops = "__global__ void loops(int *a) { for (int i = 0; i < 3; i++) __syncthreads(); }\n";
    let file = folder.file("loops.cu", &format!("{loops}{big}"));
    let options = ["compare", &file, "--block", "2", "--memory-limit", "150", "--timeout", "60"];
    babycuda(&options, "").says("false alarm, against its claim").says("not done").ends(1);
}

/// A divergence that is none is a false alarm, too.
#[test]
fn false_divergences_are_marked() {
    let folder = Folder::new("compare-divergence");
    let kernel = "__global__ void k(int *a) { for (int i = 0; i < 3; i++) __syncthreads(); }";
    let kernel = folder.file("k.cu", kernel);
    let ran = babycuda(&["compare", &kernel, "--block", "2"], "");
    ran.says(&row("two-thread", "divergent")).says("false alarm, against its claim: thread ");
    ran.ends(1);
}

/// Divergences, what a verdict assumes, and with which contents schedules agree.
#[test]
fn a_row_says_what_it_rests_on() {
    let folder = Folder::new("compare-rests");
    let diverging =
        "__global__ void k(int *a) { if (threadIdx.x < 3) __syncthreads(); a[threadIdx.x] = 1; }";
    let kernel = folder.file("k.cu", diverging);
    let ran = babycuda(&["compare", &kernel], "");
    ran.says("waits in line 1").says("thread 3 is at its end");
    let ran = babycuda(&["compare", &kernel, "--format", "json"], "");
    assert_eq!(validate("cli-compare", &ran.out), Ok(()));
    assert_eq!(ran.json()["kernels"][0]["answers"][0]["divergences"][0][0]["line"], 1);
    let benign = folder.file("b.cu", "__global__ void k(int *a) { a[0] = 1; }");
    let ran = babycuda(&["compare", &benign, "--block", "2"], "");
    ran.says("with these contents of memory, all schedules leave the same");
    // The published symbolic heaps claim to miss no harmful race: this one is none.
    ran.says("misses a race, which it does not claim; assuming");
}

/// Values are those of the parameters' types, and every value that is printed can be given; a parameter may be one of some
/// kernels of the file.
#[test]
fn parameters_are_read_as_their_types() {
    let folder = Folder::new("compare-parameters");
    let file = folder.file(
        "two.cu",
        "__global__ void one(int *a, int k) { if (k < 0) a[0] = threadIdx.x; }
__global__ void other(int *a, const int *b, unsigned n) { if (threadIdx.x < n) a[0] = b[0]; }
",
    );
    let args = ["compare", &file, "--block", "4", "--param", "k=-3", "--param", "n=2"];
    let ran = babycuda(&args, "");
    ran.says("k = -3")
        .says("n = 2")
        .says("note: different pointer parameters are assumed not to overlap");
    let json = babycuda(&[&args[..], &["--format", "json"]].concat(), "").json();
    let races = |kernel: usize| &json["kernels"][kernel]["answers"][0]["races"][0];
    assert_eq!(races(0)["parameters"]["k"], -3);
    assert_eq!(races(1)["parameters"]["n"], 2);
    assert_eq!(json["kernels"][0]["notes"].as_array().unwrap().len(), 0);
    assert_eq!(json["kernels"][1]["notes"].as_array().unwrap().len(), 1);
    babycuda(&["compare", &file, "--param", "m=1"], "")
        .ends(2)
        .warns("parameter `m`: no kernel has");
}
