//! What a verdict prints of its witness is true, and the command line takes it back.

mod support;

use serde_json::Value;
use support::{Folder, babycuda};

/// Programs with a race, each with the number of races whose witness can be run alone.
const RACY: [&str; 8] = [
    "threads 2; param n: i32; assume lt.i32(n, 0); A[n] := tid",
    "threads *; param n: i8; param m: u64; assume lt.i8(n, 0); assume 18446744073709551000 < m; \
     if tid < m { A[n] := 1 } else { skip }",
    "threads 3; param n: i64; assume n == 9223372036854775808; A[n] := tid",
    "threads 4; param n; assume n * n == 49; A[tid / n] := 1",
    "threads 4; shared A; global B: i32 = any; param k: u32; let x = B[tid] in \
     if lt.i32(x, 0) { A[0] := tid } else { A[1 + tid] := k }",
    "threads 4; shared A; global B = any; let x = B[tid + 5] in \
     if x == 7 { A[x / 100] := 1 } else { A[tid + 1000] := 1 }",
    "threads 2; A[0] := 1",
    "threads 2; param n; assume 1361129467683753853853498429727072845824 < n; A[n] := 1",
];

fn documents(text: &str, args: &[&str]) -> Vec<Value> {
    let document = babycuda(&[&["check", "-", "--format", "json"], args].concat(), text).json();
    document["kernels"].as_array().unwrap_or_else(|| panic!("{text}: {document}")).clone()
}

/// The options that bring a witness about.
fn options(race: &Value) -> (Vec<String>, Vec<String>) {
    let dims: Vec<String> =
        race["launch"]["block"].as_array().unwrap().iter().map(Value::to_string).collect();
    let mut launch = vec!["--block".to_owned(), dims.join(",")];
    let number = |v: &Value| v.as_str().map_or_else(|| v.to_string(), str::to_owned);
    for (name, value) in race["parameters"].as_object().unwrap() {
        launch.extend(["--param".to_owned(), format!("{name}={}", number(value))]);
    }
    let mut contents = Vec::new();
    for (array, cells) in race["host"].as_object().unwrap() {
        for (index, value) in cells.as_object().unwrap() {
            contents
                .extend(["--contents".to_owned(), format!("{array}[{index}]={}", number(value))]);
        }
    }
    (launch, contents)
}

#[test]
fn every_witness_can_be_given_back() {
    let (mut negative, mut stored) = (0, 0);
    for text in RACY {
        for method in ["auto", "smt"] {
            for kernel in documents(text, &["--method", method]) {
                assert_eq!(kernel["verdict"], "racy", "{text}: {kernel}");
                for race in kernel["races"].as_array().unwrap() {
                    assert_eq!(race["certainty"], "replayed", "{text}: {race}");
                    let (launch, contents) = options(race);
                    negative += usize::from(launch.iter().any(|o| o.contains("=-")));
                    stored += contents.len();
                    let cell = format!(
                        "on {}[{}]",
                        race["array"].as_str().unwrap(),
                        race["index"].to_string().trim_matches('"')
                    );
                    let phase = format!("phase {}:", race["phase"]);
                    let given: Vec<&str> =
                        launch.iter().chain(&contents).map(String::as_str).collect();
                    let output =
                        babycuda(&[&["run", "-", "--format", "json"], &given[..]].concat(), text);
                    output.ends(1);
                    let run = output.json();
                    let races = run["runs"][0]["races"].as_array().unwrap();
                    let same = |r: &Value| {
                        r.as_str().is_some_and(|r| r.starts_with(&phase) && r.ends_with(&cell))
                    };
                    assert!(races.iter().any(same), "{text} {given:?}: {cell} is not in {races:?}");
                    // And `check` of the one launch has the race too.
                    let launch: Vec<&str> = launch.iter().map(String::as_str).collect();
                    let again = documents(text, &[&["--method", method], &launch[..]].concat());
                    let cells = again.iter().flat_map(|k| k["races"].as_array().unwrap());
                    assert!(
                        cells.clone().any(|r| r["array"] == race["array"]),
                        "{text} {launch:?}"
                    );
                    // The same in text.
                    let human = babycuda(
                        &[&["check", "-", "--method", method], &launch[..]].concat(),
                        text,
                    )
                    .out;
                    for (name, value) in race["parameters"].as_object().unwrap() {
                        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                        assert!(human.contains(&format!("{name} = {value}")), "{text}: {human}");
                    }
                }
            }
        }
    }
    assert!(negative >= 4 && stored >= 4, "{negative} {stored}");
}

#[test]
fn contents_that_do_not_fit_are_refused() {
    let text = "threads 2; shared A; global B[4]: i8 = any; global C = fill 3; \
        let x = B[tid] in let y = C[0] in A[tid] := x + y";
    for (contents, status_, said) in [
        ("B[1]=-128", 0, "-128 in cell 1"),
        ("B[0x1]=1", 2, "is not of the form ARRAY[INDEX]=VALUE"),
        // A cell beyond the declared length, which a witness may name.
        ("B[4]=1", 0, "1 in cell 4"),
        ("B[1]=128", 2, "128 is not of its type"),
        ("C[0]=1", 2, "no array that the kernel uses and whose contents are open"),
        ("D[0]=1", 2, "no array that the kernel uses and whose contents are open"),
        ("B=1", 2, "is not of the form ARRAY[INDEX]=VALUE"),
    ] {
        let output = babycuda(&["run", "-", "--contents", contents], text);
        let text = format!("{}{}", output.out, output.err);
        output.ends(status_);
        assert!(text.contains(said), "{contents}: {text}");
    }
    let args = ["derive", "-", "--format", "json", "--contents", "B[1]=-128"];
    let document = babycuda(&args, text).out;
    assert!(document.contains(r#""1":128"#), "{document}");
    babycuda(&["verify", "-"], &document).ends(0);
}

#[test]
fn a_verdict_says_what_ran_its_witness() {
    for (text, evaluator, said) in [
        ("threads 2; A[0] := 1", "reference", "replayed: the reference semantics runs into it"),
        (
            "threads 2; forU x in 0..60000 { A[x] := 1 }",
            "virtual-machine",
            "replayed: the virtual machine runs into it",
        ),
    ] {
        for method in ["auto", "enumerate", "smt"] {
            babycuda(&["check", "-", "--method", method], text).says(said);
            let kernels = documents(text, &["--method", method]);
            assert_eq!(kernels[0]["races"][0]["evaluator"], evaluator, "{method} {text}");
        }
    }
    let divergent = "threads 2; if tid == 0 { sync } else { skip }; A[tid] := 1";
    assert!(
        babycuda(&["check", "-"], divergent)
            .out
            .contains("the reference semantics runs into it; data")
    );
    assert_eq!(documents(divergent, &[])[0]["divergences"][0]["evaluator"], "reference");
    let long =
        format!("threads 2; forU x in 0..60000 {{ A[x * 2 + tid] := 1 }}; {}", &divergent[11..]);
    assert!(
        babycuda(&["check", "-"], &long).out.contains("the virtual machine runs into it; data")
    );
}

#[test]
fn the_method_reported_is_the_one_that_decided() {
    let ill_typed = "threads 2; shared A = [0, 1]; let x = A[tid] in A[x] := 1";
    let method = |args: &[&str]| documents(ill_typed, args)[0]["method"].clone();
    assert_eq!(method(&[]), "run");
    assert_ne!(method(&["--method", "enumerate"]), "run");
    let text = "threads 2; A[tid] := 1";
    assert_eq!(documents(text, &["--method", "enumerate"])[0]["method"], "enumeration");
    assert_eq!(documents(text, &[])[0]["method"], "enumeration");
    // Nothing that can be enumerated is decided by nothing.
    let open = documents("threads *; A[0] := 1", &["--method", "enumerate"]);
    assert_eq!((&open[0]["method"], &open[0]["verdict"]), (&"none".into(), &"unknown".into()));
}

/// Rows of a negative width overlap, which solvers take long to see.
#[test]
fn a_race_of_a_small_launch_is_found_where_solvers_find_none() {
    let text = "__global__ void k(unsigned *a, int w, int h) {\n\
        size_t x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;\n\
        for (; x < w && y < h; x += gridDim.x * blockDim.x, y += gridDim.y * blockDim.y) a[y * w + x] = y;\n}\n";
    let args = [
        "check",
        "-",
        "--solver",
        "builtin",
        "--timeout",
        "1",
        "--contract",
        "none",
        "--fix-time",
        "0",
    ];
    babycuda(&args, text).ends(1).says("write-write race on a[");
}

#[test]
fn a_run_that_is_stuck_prints_what_was_done() {
    let text = "threads 2; A[tid] := 0; sync; C[tid] := 5 + tid; if tid == 1 { let x = B[0] in A[0] := 1 }";
    let output = babycuda(&["run", "-"], text);
    let expected = "phase 0: DRF\n  thread 0: wr A[0] := 0\n  thread 1: wr A[1] := 0\n\
                    phase 1, not completed:\n  thread 0: wr C[0] := 5\n  thread 1: wr C[1] := 6\n\
                    stuck: phase 1, thread 1";
    output.says(expected).ends(3);
    let run = babycuda(&["run", "-", "--format", "json"], text).json();
    let unfinished = run["runs"][0]["unfinished"].as_array().unwrap();
    assert_eq!(unfinished.len(), 2);
    assert_eq!(
        unfinished[1],
        serde_json::json!({ "thread": 1, "mode": "wr", "cell": "C[1]", "written": 6 })
    );
    // A limit: all accesses up to it, each line once.
    let endless = "threads 1; A[0] := 1; sync; forU x in 0..9999999 { A[x / 999999] := 2 }";
    babycuda(&["run", "-"], endless)
        .says("phase 0: DRF\n  thread 0: wr A[0] := 1\n")
        .says("phase 1, not completed:\n  thread 0: wr A[0] := 2\n");
    // A run that ends has nothing unfinished.
    babycuda(&["run", "-"], "threads 1; A[0] := 1").is_silent_of("not completed");
}

#[test]
fn one_thing_is_no_plural() {
    let one = ["threads 1; A[0] := 1", "threads 1; global B = any; let x = B[0] in A[0] := x"];
    for text in one {
        for args in [
            &["check", "-"][..],
            &["check", "-", "--method", "smt"],
            &["run", "-"],
            &["gpu", "-", "--backend", "sim"],
        ] {
            let said = babycuda(args, text).out;
            let words: Vec<&str> = said.split_whitespace().collect();
            let plurals = ["accesses", "phases", "threads", "queries", "pairs", "races", "choices"];
            let wrong = words.windows(2).find(|w| {
                w[0] == "1" && plurals.contains(&w[1].trim_end_matches([',', ';', '.', ':']))
            });
            assert_eq!(wrong, None, "{args:?} {text}: {said}");
        }
    }
}

#[test]
fn a_text_of_another_kind_is_named() {
    let folder = Folder::new("kinds");
    let (program, protocol) = ("threads 2; A[tid] := tid", "threads 2; wr[tid]");
    let cuda = "__global__ void k(int *a) { a[threadIdx.x] = 1; }";
    let json = "{\"format\":\"babycuda/program\"}";
    let expected = [
        "a BabyCUDA program such as",
        "a memory access protocol such as",
        "CUDA C with a `__global__`",
    ];
    for (name, text, wants, is) in [
        ("a.map", program, 1, "this looks like a BabyCUDA program"),
        ("a.bcuda", protocol, 0, "this looks like a memory access protocol"),
        ("b.bcuda", cuda, 0, "this looks like CUDA C"),
        ("b.map", cuda, 1, "this looks like CUDA C"),
        ("a.cu", program, 2, "this looks like a BabyCUDA program"),
        ("b.cu", protocol, 2, "this looks like a memory access protocol"),
        ("c.bcuda", json, 0, "this looks like JSON"),
        ("c.map", json, 1, "this looks like JSON"),
    ] {
        let path = folder.file(name, text);
        for command in [&["check"][..], &["run"], &["type"], &["derive"]] {
            let output = babycuda(&[command, &[&path]].concat(), "");
            let said = &output.err;
            output.ends(2);
            assert!(
                said.contains(is) && said.contains(expected[wants]),
                "{command:?} {name}: {said}"
            );
        }
    }
    babycuda(&["check", "-"], json).ends(2).warns("missing field `version`");
    for text in ["something else", "void f(int *a) { a[0] = 1; }"] {
        let said = babycuda(&["check", "-"], text).err;
        assert!(said.contains("expected a BabyCUDA program such as"), "{text}: {said}");
    }
    // A protocol given to `run`, and no derivation given to `verify`.
    let said = babycuda(&["run", "-"], protocol).err;
    assert!(said.contains("a protocol has no runs") && said.contains(expected[0]), "{said}");
    for text in [program, cuda, json, ""] {
        let said = babycuda(&["verify", "-"], text).err;
        assert!(
            said.contains("expected a document as `babycuda derive --format json` prints it"),
            "{text}: {said}"
        );
    }
    let said = babycuda(&["check", &folder.file("a.txt", program)], "").err;
    assert!(expected.iter().all(|kind| said.contains(kind)), "{said}");
}
