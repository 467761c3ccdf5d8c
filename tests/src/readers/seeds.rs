//! What each reader accepts: the corpus, and what our own writers write.

use babycuda::clang::{Clang, Source};
use babycuda::frontend::Language;
use babycuda::gpu::{BackendName, Job, JobOptions, Runner, open};
use babycuda::protocols::map::{self, MapEvidence, MapLimits};
use babycuda::semantics::{Instance, Policy, RunEvidence, RunOptions};
use babycuda::traces::{Format as LogFormat, read_trace, write_trace};
use babycuda::typing::{TypeEvidence, type_program};
use babycuda_core::json::{Format, to_json};
use babycuda_core::parse::{parse_map, parse_program};
use babycuda_core::shadow::Machine;
use babycuda_core::syntax::MapFile;
use babycuda_core::{Configuration, Launch, Program};
use babycuda_files::check::{Asked, check};
use babycuda_files::input::File;
use babycuda_report::document::Document as Verdict;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

/// Programs that say much in few words.
const PROGRAMS: [&str; 4] = [
    "threads 2; shared A = fill 3; forS x in 0..2 { let y = A[x] in A[tid] := y + x; sync }",
    "threads 2; param N: u32 = 3; if tid == 0 { A[N] := 1 } else { skip }; sync; B[tid % 2] := N",
    "threads 2; shared A = fill 3; let x = atomic A[0] cas 1 if 3 in { sync; A[0] := x }",
    "threads 4; forU i in 0..3 { A[4 * tid + i] := i }; sync.tile2; let z = A[4 * tid] in B[z % 4] := 7",
];

const MAPS: [&str; 2] = [
    "threads 2; param n = 2; forU x in 0..n { wr[x * 2 + tid] }; sync; rd[tid]",
    "threads 1; forU x in 0..3 { wr[x] }; forS y in 0..2 { sync; if y > 0 { at[0] } else { skip } }",
];

const LOG: &str = r#"{"format":"babycuda/trace-lines","version":1,"launch":{"grid":{"x":2,"y":1,"z":1},"block":{"x":8,"y":1,"z":1},"warp":4}}
{"array":{"name":"A"}}
{"array":{"name":"s","shared":true}}
{"place":{"site":1,"file":"mine.cu","line":3}}
{"access":{"thread":{"block":0,"index":3},"mode":"rd","cell":{"array":"A","index":7},"site":1}}
{"warp-barrier":{"block":0,"warp":0}}
{"access":{"thread":{"block":1,"index":4},"mode":"wr","cell":{"array":"s","index":70000},"site":1}}
{"block-barrier":{"block":0}}
{"access":{"thread":{"block":0,"index":0},"mode":"rd","cell":{"array":"A","index":7},"site":1}}
{"end":{"accesses":3,"barriers":2}}
"#;

/// A kernel that clang reads.
pub(super) const CLANG: &str =
    "template <class T> struct add { T by; __device__ T operator()(T x) { return x + by; } };
__global__ void k(int *a, float4 *v, unsigned n) {
    __shared__ int s[32];
    add<int> more{3};
    for (int i = threadIdx.x; i < n; i += 32) {
        switch (i) { case 1: s[i] = more(a[i]); break; default: v[i].x = 1; }
        __syncthreads();
    }
}";

/// The files with one of these endings, of the corpus and of the other tests.
pub fn files(endings: &[&str]) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folders = ["tests/corpus", "frontend/tests/goldens", "proofs/counterexamples"];
    let mut paths: Vec<_> = folders
        .iter()
        .flat_map(|folder| {
            std::fs::read_dir(root.join(folder)).expect("a folder of this repository")
        })
        .map(|entry| entry.expect("an entry").path())
        .filter(|p| p.extension().is_some_and(|e| endings.iter().any(|k| e == *k)))
        .collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read_to_string(path).expect("a text")).collect()
}

fn bytes(texts: impl IntoIterator<Item = impl Into<String>>) -> Vec<Vec<u8>> {
    texts.into_iter().map(|text| text.into().into_bytes()).collect()
}

pub(super) fn programs() -> Vec<Vec<u8>> {
    bytes(files(&["bcuda"]).into_iter().chain(PROGRAMS.map(str::to_owned)))
}

pub(super) fn maps() -> Vec<Vec<u8>> {
    bytes(MAPS)
}

pub(super) fn assumptions() -> Vec<Vec<u8>> {
    bytes([
        "n >= 2 && n % 4 == 0",
        "forall i in 0..3: A[i] < n",
        "forall i in 0..n: forall j in 0..i: A[i] != A[j]",
    ])
}

pub(super) fn kernels() -> Vec<Vec<u8>> {
    bytes(files(&["cu"]))
}

pub(super) fn documents() -> Vec<Vec<u8>> {
    let programs = PROGRAMS.map(parsed);
    let mut documents: Vec<String> = programs.iter().map(document).collect();
    documents.extend(programs.iter().map(|p| document(&p.body)));
    documents.extend(programs.iter().map(run));
    documents.extend(programs.iter().filter_map(typed));
    for text in MAPS {
        let map = parse_map(text).expect("a protocol");
        documents.extend([document(&map), document(&map.protocol), derived(map)]);
    }
    documents.push(document(&read_trace(LOG.as_bytes(), 100).expect("a log")));
    documents.push(device());
    bytes(documents)
}

fn parsed(text: &str) -> Program {
    parse_program(text).expect("a program").without_sources()
}

fn document(value: &impl Format) -> String {
    to_json(value).expect("a document")
}

fn instance(program: &Program) -> Instance {
    let launch = program.geometry.launch().unwrap_or(Launch::threads(2));
    Instance::new(program.clone(), launch)
}

fn run(program: &Program) -> String {
    let instance = instance(program);
    let options = RunOptions { ambiguous: Policy::Smallest, ..RunOptions::default() };
    let evaluation = instance.evaluate(&options);
    let derivation = evaluation.derivation.expect("no thread is stuck");
    document(&RunEvidence::new(&instance, &evaluation.choices, (*derivation).clone()))
}

fn typed(program: &Program) -> Option<String> {
    let derivation = type_program(program).ok()?.derivation;
    Some(document(&TypeEvidence { program: program.clone(), derivation }))
}

fn derived(map: MapFile) -> String {
    let mut configuration = Configuration::threads(2);
    configuration.parameters.insert("n".into(), 2u64.into());
    let choose = |_: &_, _| 0u64.into();
    let derivation = map::derive(&map.protocol, &configuration, &choose, &MapLimits::default());
    document(&MapEvidence { map, configuration, derivation: derivation.expect("a derivation") })
}

fn device() -> String {
    let mut simulator = open(BackendName::Sim, 1).expect("the simulator is always there");
    let job = Job::new(&instance(&parsed(PROGRAMS[0])), &JobOptions::default()).expect("a job");
    let mut reports = Runner::new(&mut *simulator).run(&[job]);
    document(&reports.remove(0).expect("a report"))
}

/// Kernels whose verdicts have something each: races with what the host stored and with suggestions, a divergence,
/// contracts, and what is not decided.
const JUDGED: [(&str, &str); 5] = [
    ("k.bcuda", "threads 4; shared A; global B = any; let x = B[tid] in A[x] := tid"),
    ("k.bcuda", "threads 2; if tid == 0 { sync } else { skip }; A[tid] := 1"),
    ("k.map", MAPS[0]),
    (
        "k.cu",
        "__global__ void k(int *a, int w) { a[threadIdx.y * w + threadIdx.x] = 0; }
         __global__ void m(int *a) { __syncwarp(1); a[0] = 1; }
         void run(int *a) { k<<<1, dim3(16, 16)>>>(a, 16); }",
    ),
    (
        "k.cu",
        "__global__ void k(int *a, int w) { a[threadIdx.x * w] = 7; }
         __global__ void l(int *a, int *b) { __shared__ int s; if (threadIdx.x == 0) s = a[0]; b[threadIdx.x] = s; }",
    ),
];

pub(super) fn verdicts() -> Vec<Vec<u8>> {
    let asked = Asked { certainty: true, ..Asked::default() };
    let printed = JUDGED.map(|(path, text)| {
        let file = File::new(path, text.to_owned()).expect("a file");
        Verdict::from(&check(file, &asked).expect("verdicts")).json()
    });
    bytes(printed.into_iter().chain([Verdict::failure("k.cu", "no such file").json()]))
}

/// None where there is no clang.
pub(super) fn clang() -> Vec<Vec<u8>> {
    let source = Source::new(CLANG, Language::Cuda);
    let document =
        Clang::find().ok().and_then(|c| c.document(&source, Duration::from_secs(60)).ok());
    document.into_iter().map(|(document, ..)| only_what_is_used(&document).into_bytes()).collect()
}

/// The document of clang with the declarations of the kernel's own file, and of the headers only those that these
/// mention: the whole one has megabytes, of which libFuzzer reads no more than the first.
fn only_what_is_used(document: &str) -> String {
    let mut document: Value = serde_json::from_str(document).expect("a document of JSON");
    let all: Vec<Value> = document["inner"].as_array().expect("declarations").clone();
    let ids: Vec<BTreeSet<&str>> = all.iter().map(ids).collect();
    let mut used = vec![false; all.len()];
    let own = all.iter().position(|it| it["loc"]["file"] == "<stdin>").expect("a kernel");
    let mut pending: Vec<usize> = (own..all.len()).collect();
    while let Some(next) = pending.pop() {
        if !std::mem::replace(&mut used[next], true) {
            // What is mentioned was declared where its id comes first.
            pending
                .extend(ids[next].iter().filter_map(|id| ids.iter().position(|i| i.contains(id))));
        }
    }
    let kept = all.iter().zip(&used).filter(|(_, used)| **used).map(|(it, _)| it.clone());
    document["inner"] = kept.collect();
    document.to_string()
}

/// The ids of a declaration and of those that it mentions.
fn ids(of: &Value) -> BTreeSet<&str> {
    match of {
        Value::String(text) if text.starts_with("0x") => BTreeSet::from([text.as_str()]),
        Value::Array(parts) => parts.iter().flat_map(ids).collect(),
        Value::Object(parts) => parts.values().flat_map(ids).collect(),
        _ => BTreeSet::new(),
    }
}

pub(super) fn logs() -> Vec<Vec<u8>> {
    let trace = read_trace(LOG.as_bytes(), 100).expect("a log");
    let binary = write_trace(Vec::new(), LogFormat::Binary, &trace).expect("a log");
    vec![LOG.as_bytes().to_vec(), binary]
}

pub(super) fn tables() -> Vec<Vec<u8>> {
    bytes([Machine::exact().to_csv()])
}

pub(super) fn npy() -> Vec<Vec<u8>> {
    let file = |descr: &str, shape: &str, data: &[u8]| {
        let header =
            format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n");
        let length = (header.len() as u16).to_le_bytes();
        [b"\x93NUMPY\x01\0", &length[..], header.as_bytes(), data].concat()
    };
    vec![
        file("<i4", "(3,)", &[1, 0, 0, 0, 2, 0, 0, 0, 255, 255, 255, 255]),
        file("|u1", "(2, 2)", &[1, 2, 3, 4]),
        file(">u8", "()", &[0, 0, 0, 0, 0, 0, 1, 0]),
    ]
}

pub(super) fn answers() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../exercises/solutions");
    let mut answers: Vec<_> = std::fs::read_dir(folder)
        .expect("a folder of this repository")
        .map(|entry| entry.expect("an entry").path())
        .map(|path| {
            let id = path.file_stem().expect("a name").to_string_lossy().into_owned();
            [id.as_bytes(), b"\n", &std::fs::read(&path).expect("a file")].concat()
        })
        .collect();
    answers.sort();
    answers
}
