//! Reports call things what the source calls them, and say no more than is read.

mod support;

use support::babycuda;

fn corpus(name: &str, options: &[&str]) -> support::Ran {
    let path = format!("tests/corpus/{name}.cu");
    babycuda(&[&["check", &path, "--fix-time", "0"], options].concat(), "")
}

#[test]
fn cells_are_those_of_the_source() {
    let rows = "__global__ void k(int (*a)[3], int n) {\n  __shared__ int s[4][8][2], one;\n  \
                s[1][n & 7][1] = threadIdx.x;\n  one = threadIdx.x;\n  a[2][1] = threadIdx.x;\n}";
    let options = ["check", "-", "--fix-time", "0", "--block", "2", "--param", "n=5"];
    babycuda(&options, rows)
        .ends(1)
        .says("write-write race on s[1][5][1]\n")
        .says("write-write race on one\n")
        .says("write-write race on a[2][1]\n")
        .says("wr s[1][5][1] := 1   <-- race");
    let json = babycuda(&[&options[..], &["--format", "json"]].concat(), rows).json();
    let races = json["kernels"][0]["races"].as_array().unwrap();
    assert!(races.iter().any(|race| race["cell"] == "a[2][1]" && race["index"] == 7), "{json}");
    corpus("negative_index_racy", &[]).ends(1).says("race on a[-1]\n");
    // A program is its own source.
    babycuda(&["check", "-"], "threads 2; A[18446744073709551615] := 1")
        .says("race on A[18446744073709551615]\n");
}

#[test]
fn counters_are_the_variables_that_loops_count() {
    let down = "__global__ void k(int *a, int n) {\n  for (int i = 10; i > 2; i -= 4)\n    for (int j = i; j < 12; j += 5)\n      \
                if (i == 6 && j == 11) a[0] = threadIdx.x;\n}";
    let options = ["check", "-", "--fix-time", "0", "--block", "2"];
    babycuda(&options, down).ends(1).is_silent_of("_k");
    let one = "__global__ void k(int *a, int n) {\n  for (int i = n; i > 2; i -= 4)\n    if (i == 6) a[0] = threadIdx.x;\n}";
    babycuda(&options, one).ends(1).says("first access at i = 6\n");
    let json = babycuda(&[&options[..], &["--format", "json"]].concat(), one).json();
    assert_eq!(json["kernels"][0]["races"][0]["first"]["iteration"], serde_json::json!({ "i": 6 }));
}

#[test]
fn what_the_source_does_not_have_is_not_shown() {
    for name in
        ["matmul_tiled_racy", "reduce_sequential_racy", "bfs_level_racy", "copy_vectors_racy"]
    {
        for format in ["human", "json", "short", "sarif"] {
            let output = corpus(name, &["--format", format]);
            for word in
                ["unknown[", "unknown.", "_k", "'1", "level_ ", "18446744073709551615", ".i32("]
            {
                output.is_silent_of(word);
            }
        }
    }
    // What was read has its place and its sign.
    corpus("bfs_level_racy", &[]).says("-2147483648 read from level[w]");
}

#[test]
fn an_assumption_is_echoed_as_it_was_stated() {
    let kernel =
        "__global__ void k(int *a, int n, int m) { if (threadIdx.x < n) a[threadIdx.x * m] = 1; }";
    let options = ["check", "-", "--assume", "m > 0 && m <= 8", "--param", "n=4"];
    babycuda(&options, kernel).says("assuming m > 0 && m <= 8").is_silent_of(".i32(");
}

#[test]
fn races_of_the_same_lines_are_one_report() {
    let output = corpus("histogram_racy", &[]);
    output
        .ends(1)
        .says("1 more race of these lines: write-write at 20:9")
        .says("racy (2 racing pairs)");
    assert_eq!(output.out.matches("error[BC00").count(), 1, "{}", output.out);
    let json = corpus("histogram_racy", &["--format", "json"]).json();
    assert_eq!(json["kernels"][0]["races"].as_array().map(Vec::len), Some(2));
}

#[test]
fn ten_reports_are_shown_and_the_others_counted() {
    let lines: Vec<String> = (0..14).map(|i| format!("  a[{i}] = threadIdx.x;")).collect();
    let kernel = format!("__global__ void k(int *a) {{\n{}\n}}", lines.join("\n"));
    let output = babycuda(&["check", "-", "--block", "2", "--fix-time", "0"], &kernel);
    output.ends(1).says("\nand 4 more races\n").says("racy (14 racing pairs)");
    assert_eq!(output.out.matches("error[BC001]").count(), 10);
}

#[test]
fn colours_are_asked_for() {
    let racy = "threads 2; A[0] := 1";
    babycuda(&["check", "-", "--color", "always"], racy).says("\x1b[");
    for when in ["auto", "never"] {
        babycuda(&["check", "-", "--color", when], racy).is_silent_of("\x1b");
    }
}

#[test]
fn every_access_says_what_it_rests_on() {
    let kernel = "__global__ void k(int *a, const int *b, int *c) {\n  a[threadIdx.x] = 1;\n  a[b[threadIdx.x]] = 2;\n  \
                  c[c[threadIdx.x]] = 3;\n}";
    babycuda(&["check", "-", "--certainty", "--fix-time", "0"], kernel)
        .says("    2:3 wr a: independent of data\n")
        .says("    3:3 wr a: relative to the host, through b at 3:5\n")
        .says("    4:3 wr c: rests on data, through c at 4:5\n");
    let json = ["check", "-", "--certainty", "--fix-time", "0", "--format", "json"];
    let document = babycuda(&json, kernel).json();
    let accesses = document["kernels"][0]["accesses"].as_array().unwrap();
    let of = |line: u64| accesses.iter().find(|a| a["line"] == line && a["mode"] == "wr").unwrap();
    let basis = [2, 3, 4].map(|line| of(line)["basis"].as_str().unwrap().to_owned());
    assert_eq!(basis, ["independent", "host", "data"]);
    assert_eq!(of(4)["through"], serde_json::json!([{ "array": "c", "line": 4, "column": 5 }]));
    babycuda(&["check", "-"], kernel).is_silent_of("accesses:");
}
