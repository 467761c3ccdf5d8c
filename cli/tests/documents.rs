//! What `run`, `type`, `derive` and `verify` print for programs is what the schemas describe.

mod support;

use babycuda_core::History;
use babycuda_core::json::from_json;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use support::{babycuda, root, validate};

const PROGRAMS: [&str; 9] = [
    "threads 2; A[tid] := tid; sync; let x = A[1 - tid] in B[tid] := x",
    "threads 3; A[0] := tid; sync; let x = A[0] in A[1 + tid] := x",
    "threads 2; shared A = fill 0; let x = atomic A[0] add 1 in A[1 + x] := tid",
    "threads 2; if tid == 0 { sync } else { skip }; A[tid] := 1",
    "threads 2; shared A; global B = any; let x = B[tid] in A[x] := 1",
    "threads 2; shared A; global B = opaque; let x = B[tid] in A[x] := 340282366920938463463374607431768211456",
    "threads 2; let x = A[0] in A[1] := x",
    "threads 2; forU x in 0..3 { A[x] := x }",
    "threads 1; forU x in 0..60000 { A[0] := x }",
];

const MAPS: [&str; 2] = [
    "threads 2; param M = 2; forU x in 0..M { rd[x]; wr[x + tid] }",
    "threads 2; forS x in 0..2 { if tid == x { wr[x] } else { rd[tid] }; sync }",
];

/// As [`held`], where the input may be refused.
fn held_whatever(schema: &str, args: &[&str], input: &str) {
    let text = babycuda(args, input).out;
    if !text.is_empty()
        && let Err(error) = validate(schema, &text)
    {
        panic!("{args:?} {input}: {error}\n{text}");
    }
}

/// Runs the program and holds its document to the schema; the document.
fn held(schema: &str, args: &[&str], input: &str) -> String {
    let output = babycuda(args, input);
    let text = output.out;
    assert!(output.status != 2, "{args:?} {input}: {}", output.err);
    if let Err(error) = validate(schema, &text) {
        panic!("{args:?} {input}: {error}\n{text}");
    }
    text
}

/// What reads histories reads those of runs, and sees the same races.
fn has_histories(printed: &str) {
    let document: Value = serde_json::from_str(printed).unwrap();
    for run in document["runs"].as_array().unwrap() {
        let text = run["history"].to_string();
        validate("history", &text).unwrap();
        let history: History = from_json(&text).unwrap();
        let racy = history.chronological().filter(|(_, phase)| phase.is_racy());
        let racy: Vec<usize> = racy.map(|(number, _)| number).collect();
        let races: Vec<String> = history.races().map(|race| race.to_string()).collect();
        assert_eq!((&run["racy_phases"], &run["races"]), (&json!(racy), &json!(races)), "{run:#}");
        assert_eq!(json!(history), run["history"]["content"]);
    }
}

#[test]
fn runs_are_as_described() {
    for text in PROGRAMS {
        for choose in ["smallest", "first", "seed:3"] {
            let args = ["run", "-", "--format", "json", "--choose", choose];
            has_histories(&held("cli-run", &args, text));
        }
    }
    held("cli-run", &["run", "-", "--format", "json", "--grid", "2"], PROGRAMS[0]);
    let staged =
        "threads 12; A[tid] := tid; sync.tile4; let x = A[0] in B[tid] := x; sync; B[1] := 2";
    has_histories(&held("cli-run", &["run", "-", "--format", "json"], staged));
    let between = held(
        "cli-run",
        &["run", "-", "--format", "json", "--grid", "2"],
        "threads 2; global A; A[tid] := 1",
    );
    assert!(between.contains("block 0, thread 0 wr / block 1, thread 0 wr on A[0]"), "{between}");
}

#[test]
fn checks_are_as_described() {
    for text in PROGRAMS.into_iter().chain(MAPS).chain(["threads *; A[0] := 1", "threads"]) {
        for method in ["auto", "smt"] {
            held_whatever("verdict", &["check", "-", "--format", "json", "--method", method], text);
        }
    }
    let kernels = "__global__ void f(int *a, int n) { a[threadIdx.x * n] = 1; }\n\
                   __global__ void g(int *a) { __syncwarp(7); a[0] = atomicAdd(a, 1); }";
    held("verdict", &["check", "-", "--format", "json"], kernels);
}

/// A report of a device, a history and a class of answers have one description each.
#[test]
fn schemas_share_what_they_describe() {
    let read = |name: &str| -> Value {
        let path = format!("{}/../schemas/{name}.json", env!("CARGO_MANIFEST_DIR"));
        serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
    };
    let all = |of: &str| -> Vec<String> {
        read(of)["$defs"].as_object().unwrap().keys().cloned().collect()
    };
    for (of, name, parts, least) in [
        ("device-report", "cli-gpu", all("device-report"), 15),
        ("history", "cli-run", all("history"), 10),
        ("fuzz-finding", "cli-fuzz-replay", vec!["Class".to_owned()], 1),
    ] {
        let (original, copy) = (read(of), read(name));
        assert!(parts.len() >= least);
        for part in parts {
            let described = &original["$defs"][&part];
            assert_eq!(copy["$defs"][&part], *described, "{part} of {name}, as {of} has it");
        }
    }
    let (history, run) = (read("history"), read("cli-run"));
    assert_eq!(run["$defs"]["HistoryDocument"]["properties"], history["properties"]);
}

#[test]
fn what_devices_do_is_as_described() {
    let gpu = ["gpu", "-", "--backend", "sim", "--format", "json"];
    for text in &PROGRAMS[..8] {
        held_whatever("cli-gpu", &gpu, text);
    }
    let tiles =
        "threads 4; A[tid] := tid; sync.tile2; let x = A[tid / 2 * 2] in B[tid] := x; sync.warp";
    held("cli-gpu", &gpu, tiles);
    let racy = "threads 3; A[tid] := tid; let x = A[(tid + 1) % 3] in A[tid] := x + 5";
    for seed in ["1", "2", "3"] {
        held("cli-gpu", &[&gpu[..], &["--seed", seed, "--grid", "2"]].concat(), racy);
    }
}

#[test]
fn types_are_as_described() {
    for text in PROGRAMS.into_iter().chain(MAPS) {
        held("cli-type", &["type", "-", "--format", "json"], text);
    }
    let unsupported = "__global__ void k(int *a) { __syncwarp(7); a[0] = 1; }";
    held("cli-type", &["type", "-", "--format", "json"], unsupported);
}

#[test]
fn derivations_and_their_verification_are_as_described() {
    let derive = |judgment: &str, text: &str| {
        let args = ["derive", "-", "--judgment", judgment, "--format", "json"];
        let output = babycuda(&args, text);
        (output.status == 0).then_some(output.out)
    };
    let mut verified = 0;
    for text in PROGRAMS.into_iter().chain(MAPS) {
        for judgment in ["run", "type", "map"] {
            let Some(document) = derive(judgment, text) else { continue };
            if let Err(error) = validate(&format!("{judgment}-derivation"), &document) {
                panic!("{judgment} {text}: {error}");
            }
            let report = held("cli-verify", &["verify", "-", "--format", "json"], &document);
            assert!(report.contains("\"verified\":true"), "{judgment} {text}: {report}");
            verified += 1;
        }
    }
    assert!(verified >= 18, "{verified}");
    let document = derive("run", PROGRAMS[0]).unwrap();
    let wrong = document.replacen("thread/write", "thread/skip", 1);
    let report = held("cli-verify", &["verify", "-", "--format", "json"], &wrong);
    assert!(report.contains("\"rule\":\"thread/skip\""), "{report}");
}

#[test]
fn a_schema_refuses_what_it_does_not_describe() {
    let output = babycuda(&["run", "-", "--format", "json"], PROGRAMS[1]);
    let text = &output.out;
    for (from, to) in [
        ("\"drf\":", "\"dr\":"),
        ("\"version\":2", "\"version\":1"),
        ("babycuda/history", "babycuda/trace"),
        ("\"smallest\"", "\"largest\""),
        ("\"reference\"", "\"other\""),
        ("\"made\":", "\"more\":1,\"made\":"),
    ] {
        output.says(from);
        assert!(validate("cli-run", &text.replacen(from, to, 1)).is_err(), "{to}");
    }
}

/// What there is to say of verdicts: each field of their documents says something in one of these.
const VERDICTS: [(&[&str], &str); 16] = [
    (
        &["--warp", "4"],
        "grid 2; threads 4; param n = 3; global A; sync; A[tid] := n; let x = A[1] in A[0] := x",
    ),
    (
        &["--block", "8", "--warp", "4", "--param", "n=2", "--certainty", "--array", "a"],
        "__global__ void k(int *a, const int *p, int n) {\n  if (threadIdx.x > 2 && p[threadIdx.x] == 7)\n    __syncwarp();\n  a[p[threadIdx.x] + n] = 1; }",
    ),
    (
        &[],
        "grid *; threads 4; global A; global P = any; param n; forU i in 1..n { let x = P[i + tid] in A[x * i + n] := blockIdx.x }",
    ),
    (
        &["--grid", "1"],
        "//@ requires n > 0;\n__global__ void k(int *a, int n) { a[threadIdx.x * n + n * n] = 1; }",
    ),
    (
        &[],
        "__global__ void k(int *a, int n) { a[threadIdx.x * n] = 1; }\nint main() { k<<<1, 32>>>(0, 3); }",
    ),
    (
        &[],
        "__global__ void k(int *a, float *f) { if (sinf(f[blockIdx.x]) > 0.5f) a[threadIdx.x] = 1; }",
    ),
    (&[], "__global__ void k(int *a, int n) { a[threadIdx.x * n] = threadIdx.x; }"),
    (&[], "__global__ void k(char *a, int n) { if (threadIdx.x == 0) memset(a, 0, n); }"),
    (&[], "__global__ void k(int *a) { __shared__ int s[64]; goto end; end: s[0] = 1; }"),
    (&["--fix-time", "60"], "threads 2; A[tid] := 1; let x = A[1 - tid] in B[tid] := x"),
    (&[], "threads 2; A[0] := 1"),
    (&[], "threads 2; shared A = fill 0; shared B; let x = atomic A[0] add 1 in B[x] := 1"),
    (&[], "threads 4; global U: i32 = any; let k = U[0] in if k == 7 { if tid == 0 { sync } }"),
    (&[], "grid 2; threads 8; if blockIdx.x == 1 { sync; if tid == 0 { sync } }"),
    (
        &[],
        "threads 2; global A; global B: i32 = any; let x = B[tid] in if eq.i32(x, 4294967291) { A[0] := 1 }",
    ),
    (&[], "threads 2; A[0 := 1"),
];

/// Nothing is said by null, false, 0, and what has nothing else in it.
fn says(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::Array(values) => values.iter().any(says),
        Value::Object(fields) => fields.values().any(says),
        Value::Bool(true) | Value::String(_) => true,
    }
}

/// Calls `visit` for the fields of what a schema describes, and of all that is in it: with the name, and the value of each
/// that has one. The two sides of a race or divergence are told apart.
fn fields(
    schema: &Value,
    (name, of): (&str, &Value),
    values: &[&Value],
    visit: &mut dyn FnMut(String, &[&Value]),
) {
    for (field, about) in of["properties"].as_object().into_iter().flatten() {
        let inner: Vec<&Value> = values.iter().filter_map(|value| value.get(field)).collect();
        visit(format!("{name}.{field}"), &inner);
        let any = about["anyOf"].as_array().into_iter().flatten();
        let mut places = [about, &about["items"]].into_iter().chain(any);
        let Some(other) = places.find_map(|place| place["$ref"].as_str()) else { continue };
        let (defined, name) = (&schema.pointer(&other[1..]).unwrap(), other.rsplit('/').next());
        let side = if ["first", "second"].contains(&&**field) { &**field } else { "" };
        let each = inner.iter().flat_map(|value| match value {
            Value::Array(values) => values.iter().collect(),
            value => vec![*value],
        });
        let each: Vec<&Value> = each.collect();
        fields(schema, (&format!("{}{side}", name.unwrap()), defined), &each, visit);
    }
}

/// A field that always were empty would be as described, too.
#[test]
fn every_field_of_a_verdict_says_something() {
    let schema = std::fs::read_to_string(root().join("schemas/verdict.json")).unwrap();
    let schema: Value = serde_json::from_str(&schema).unwrap();
    let check = |(args, text): &(&[&str], &str)| {
        babycuda(
            &[&["check", "-", "--format", "json", "--parser", "builtin"], *args].concat(),
            text,
        )
        .json()
    };
    let documents: Vec<Value> = VERDICTS.iter().map(check).collect();
    let (mut all, mut said) = (BTreeSet::new(), BTreeSet::new());
    let values: Vec<&Value> = documents.iter().collect();
    fields(&schema, ("", &schema), &values, &mut |name, values| {
        said.extend(values.iter().any(|value| says(value)).then(|| name.clone()));
        all.insert(name);
    });
    // Another parser is asked in `parsers.rs`.
    said.insert("Kernel.parser".to_owned());
    assert_eq!(all.difference(&said).collect::<Vec<_>>(), [""; 0]);
    assert!(all.len() > 90, "{}", all.len());
}
