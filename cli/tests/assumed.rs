//! Assumptions over what the host stored, from every command.

mod support;

use serde_json::Value;
use support::{Folder, babycuda};

const SCATTER: &str = "threads 4; global p[4]: u8 = any; global A;\n\
                       let x = p[tid] in A[x] := tid";
const INJECTIVE: &str = "forall i in 0..4: forall j in 0..4: i == j || p[i] != p[j]";
const LOW: &str = "forall i in 0..4: p[i] < 3";

fn contents(text: &str, args: &[&str]) -> Vec<(String, u64)> {
    let output = babycuda(&[&["check", "-", "--format", "json"], args].concat(), text);
    let host = output.json()["kernels"][0]["races"][0]["host"].clone();
    let arrays = host.as_object().unwrap_or_else(|| panic!("{text}: {}", output.out)).clone();
    let cells = arrays.into_iter().flat_map(|(array, cells)| {
        let cells = cells.as_object().unwrap().clone();
        cells.into_iter().map(move |(index, k)| (format!("{array}[{index}]"), k.as_u64().unwrap()))
    });
    cells.collect()
}

#[test]
fn an_assumption_decides_and_is_said() {
    babycuda(&["check", "-"], SCATTER).ends(1).says("main: racy");
    babycuda(&["check", "-", "--assume", INJECTIVE], SCATTER)
        .ends(0)
        .says("main: race-free")
        .says(&format!("assuming {INJECTIVE}"));
    // The same in the header, of a program and of a protocol.
    let stated = SCATTER.replace("\n", &format!("\nassume {INJECTIVE};\n"));
    babycuda(&["check", "-"], &stated).ends(0);
    let map = "threads 4; global p[4]: u8 = any; global A; let x = input p[tid] in wr A[x]";
    babycuda(&["check", "-"], map)
        .ends(1)
        .says("provable: the protocol's accesses in these contents");
    babycuda(&["check", "-", "--assume", INJECTIVE], map).ends(0);
    // Both exclude everything.
    let both = ["check", "-", "--assume", INJECTIVE, "--assume", LOW];
    babycuda(&both, SCATTER)
        .ends(3)
        .says(&format!("unknown: vacuous: no launch satisfies `{INJECTIVE}` and `{LOW}`"));
}

#[test]
fn what_is_no_assumption_has_its_place() {
    for (text, said) in [
        ("forall i in 0..4: A[i] < 3", "`A` is no read-only input"),
        ("forall i in 0..4: q[i] < 3", "undeclared array `q`"),
        ("forall i in 0..4: p[i] < tid", "not `tid`"),
        ("forall i in 0..4 p[i] < 3", "column 18: expected `:`"),
        ("forall i in 0..4: p[i]", "column 19: expected a condition, found a number"),
    ] {
        babycuda(&["check", "-", "--assume", text], SCATTER).ends(2).warns(said);
    }
    let stated = SCATTER.replace("\n", "\nassume forall i in 0..4: A[i] < 3;\n");
    babycuda(&["check", "-"], &stated).ends(2).warns("-:2:1").warns("`A` is no read-only input");
}

#[test]
fn the_contents_of_a_witness_are_the_least_and_are_given_back() {
    // The cells by which two threads come to the cell of the race, of many that are read.
    let cells = contents(&SCATTER.replace("4", "16"), &[]);
    assert!(cells.len() == 2 && cells[0].1 == cells[1].1 && cells[0].1 > 0, "{cells:?}");
    let positive = "forall i in 0..4: 0 < p[i] && p[i] < 9";
    let cells = contents(SCATTER, &["--assume", positive]);
    assert_eq!(cells.len(), 4, "{cells:?}");
    assert!(cells.iter().all(|(_, value)| (1..9).contains(value)), "{cells:?}");
    let needed = SCATTER.replace("A[x] := tid", "if x == 200 { A[0] := tid }");
    let cells = contents(&needed, &[]);
    assert_eq!(cells.iter().map(|(_, value)| *value).collect::<Vec<_>>(), [200, 200]);
    // They are as assumed, and `run` has the race.
    let stated = SCATTER.replace("\n", &format!("\nassume {positive};\n"));
    let cells = contents(&stated, &[]);
    let given: Vec<String> =
        cells.iter().flat_map(|(c, k)| ["--contents".to_owned(), format!("{c}={k}")]).collect();
    let given: Vec<&str> = given.iter().map(String::as_str).collect();
    babycuda(&[&["run", "-"], &given[..]].concat(), &stated).ends(1);
    // Others are not.
    for command in [&["run", "-"][..], &["derive", "-"], &["run", "-", "--contents", "p[0]=1"]] {
        babycuda(command, &stated)
            .ends(2)
            .warns("-:2:1")
            .warns(&format!("vacuous: in these contents `{positive}` does not hold for i = "));
    }
    // Nor is a derivation in other contents.
    let derive = [&["derive", "-", "--format", "json"], &given[..]].concat();
    let mut document: Value = serde_json::from_str(&babycuda(&derive, &stated).out).unwrap();
    babycuda(&["verify", "-"], &document.to_string()).ends(0);
    document["content"]["program"]["declarations"]["contents_assumed"][0]["condition"] =
        serde_json::json!({ "lit": false });
    let wrong = babycuda(&["verify", "-"], &document.to_string());
    wrong.ends(1).says("contents as assumed: `forall i in 0..4: false` does not hold for i = 0");
}

#[test]
fn lambda_is_derived_in_given_contents() {
    let map = "threads 2; global P: u8 = any; global A; assume forall i in 0..2: P[i] < 9; \
        let x = input P[tid] in if x == 7 { wr A[0] }";
    let derive = |contents: &[&str]| {
        babycuda(
            &[&["derive", "-", "--judgment", "map", "--format", "json"], contents].concat(),
            map,
        )
    };
    let nobody = derive(&[]);
    nobody.ends(0);
    babycuda(&["verify", "-"], &nobody.out).ends(0);
    let one = derive(&["--contents", "P[1]=7"]);
    one.ends(0);
    babycuda(&["verify", "-"], &one.out).ends(0);
    let text = ["derive", "-", "--judgment", "map", "--contents", "P[1]=7"];
    babycuda(&text, map).ends(0).says("1:wr A[0]");
    derive(&["--contents", "P[1]=9"]).ends(2).warns("does not hold for i = 1");
    derive(&["--contents", "Q[1]=9"]).ends(2).warns("no array that the kernel uses");
    // The type of a program, relative to its inputs.
    let program = "threads 2; global P = any; global A; let x = P[tid] in A[x] := 1";
    let text = ["derive", "-", "--judgment", "map", "--contents", "P[1]=3"];
    babycuda(&text, program).ends(0).says("1:wr A[3]").says("0:wr A[0]");
}

#[test]
fn kernels_take_assumptions_in_their_own_language() {
    let kernel = "__global__ void writes(int *p) { p[threadIdx.x] = 1; }\n\
        __global__ void k(const int *row, int *out, const int *p, int n)\n{\n\
        int i = threadIdx.x;\nif (i < n) out[p[i]] = row[i];\n}\n";
    let folder = Folder::new("assumed");
    let path = folder.file("k.cu", kernel);
    let check = |assume: &str| babycuda(&["check", &path, "--kernel", "k", "--assume", assume], "");
    check("n < 100").ends(1).says("k: racy");
    let injective = "forall i in 0..n: forall j in 0..n: i == j || p[i] != p[j]";
    check(injective).ends(0).says(&format!("assuming {injective}"));
    // Differences are signed, and so is what is less than 0.
    check("forall i in 0..n: forall j in i+1..n : p[j] - p[i] >= j - i").ends(0);
    check("forall i in 0..n: p[i] == i - 1").ends(0);
    check("forall i in 0..(n > 7 ? n : 7): p[i] == i - 1").ends(0);
    check("forall i in 0..n - 1: p[i] == i - 1").ends(1);
    check("p[0] == 3 && p[1] != 3").ends(1);
    for (assume, said) in [
        ("forall i in 0..n: out[i] == 1", "`out` is no read-only input"),
        ("forall i in 0..n: p[i] == threadIdx.x", "only parameters, blockDim, gridDim"),
        ("forall i in 0..n p[i] == 1", "not a C expression"),
        ("forall i in 0), (5..n: p[i] == 1", "not a C expression"),
        ("forall i in 0..n: p[i] == 1, p[i] == 2", "not a C expression"),
        ("forall i in -3..0: p[i] <= p[i + 1]", "a range that may begin below 0"),
        ("forall i in p[0]..n: p[i] == 1", "a range that may begin below 0"),
        ("forall i in 0..n: p[i] = 1", "an assumption must not assign"),
        ("forall i in 0..n: q[i] == 1", "q"),
        ("forall i in 0..n: (i == 0 ? p[1] : p[2]) == 1", "only parameters, blockDim, gridDim"),
    ] {
        check(assume).ends(2).warns(said);
    }
}
