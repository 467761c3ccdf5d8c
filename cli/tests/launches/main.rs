//! Verdicts under the launches that a file makes of its own kernels, and conditions that nobody states.

mod hosts;
mod inferred;
#[path = "../support/mod.rs"]
mod support;

use serde_json::Value;
use support::babycuda;

const KERNEL: &str = "__global__ void put(float *a, int width) {\n\
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;\n\
    a[y * width + x] = x;\n}\n";

/// The report of the only kernel.
fn kernel(text: &str, args: &[&str]) -> Value {
    let output = babycuda(&[&["check", "-", "--format", "json"], args].concat(), text);
    output.json()["kernels"][0].clone()
}

#[test]
fn a_launch_that_is_race_free_grants_the_verdict() {
    let host = "void run(float *a, int width, int height) {\n\
        dim3 block(16, 16), grid(width / 16, height / 16);\n\
        put<<<grid, block>>>(a, width);\n}\n";
    let text = format!("{KERNEL}{host}");
    babycuda(&["check", "-"], &text)
        .ends(0)
        .says("put: race-free as this file launches it")
        .says("launched at 7:1 (race-free): blocks of 16 x 16 x 1, gridDim.x == width / 16, gridDim.y == host.height / 16")
        .says("without these launches: racy: write-write race on a[")
        .says("assuming a launch as at 7:1");
    let found = kernel(&text, &[]);
    assert_eq!(found["verdict"], "drf");
    assert_eq!(found["contract"]["kind"], "source");
    assert_eq!(found["contract"]["without"]["verdict"], "racy");
    assert_eq!(found["contract"]["launches"][0]["line"], 7);
    // Nothing is assumed where that is not wanted.
    babycuda(&["check", "-", "--contract", "none"], &text)
        .ends(1)
        .says("put: racy")
        .is_silent_of("unless")
        .is_silent_of("launched");
    let inferred = kernel(&text, &["--contract", "infer"]);
    assert_eq!(inferred["verdict"], "racy");
    assert_eq!(inferred["contract"]["kind"], "inferred");
    assert_eq!(inferred["contract"].get("without"), None);
}

#[test]
fn a_kernel_launched_twice_is_racy_where_one_launch_is() {
    let host = "void good(float *a) { put<<<1, dim3(16, 16)>>>(a, 16); }\n\
        void bad(float *a) { put<<<1, dim3(16, 16)>>>(a, 8); }\n";
    let text = format!("{KERNEL}{host}");
    babycuda(&["check", "-"], &text).ends(1).says("racy as launched at 6:").says("launched at 5:");
    let launches = kernel(&text, &[])["contract"]["launches"].clone();
    assert_eq!((&launches[0]["verdict"], &launches[0]["line"]), (&"racy".into(), &6.into()));
    assert_eq!((&launches[1]["verdict"], &launches[1]["line"]), (&"drf".into(), &5.into()));
    // One that only allows a race is said to allow it.
    let some =
        format!("{KERNEL}void some(float *a, int n) {{ put<<<1, dim3(16, 16)>>>(a, n); }}\n");
    babycuda(&["check", "-"], &some).ends(1).says("racy as the launch at 5:");
}

#[test]
fn what_is_not_understood_grants_nothing() {
    for host in [
        "void run(float *a) { put<<<1, dim3(16, 16)>>>(a, 16); other(put); }\n",
        "void run(float *a) { int n = 16; if (a) n = 8; put<<<1, dim3(16, 16)>>>(a, n); }\n",
        "void run(float *a) { int n = 16; int *p = &n; *p = 8; put<<<1, dim3(16, 16)>>>(a, n); }\n",
        "void run(float *a) { for (int n = 16; n > 0; n /= 2) put<<<1, dim3(16, 16)>>>(a, n); }\n",
    ] {
        babycuda(&["check", "-"], &format!("{KERNEL}{host}")).ends(1);
    }
    let fits = "void run(float *a) { put<<<1, dim3(16, 16)>>>(a, 16); }\n";
    babycuda(&["check", "-"], &format!("{KERNEL}{fits}")).ends(0);
    // The command line has another block in mind.
    babycuda(&["check", "-", "--block", "8,8", "--param", "width=4"], &format!("{KERNEL}{fits}"))
        .ends(1)
        .is_silent_of("racy as launched");
}

#[test]
fn an_extent_that_the_kernel_does_not_mention_counts() {
    let text = "__global__ void line(int *a) { a[threadIdx.x] = threadIdx.y; }\n\
        void run(int *a) { line<<<1, dim3(16, 16)>>>(a); }\n";
    babycuda(&["check", "-"], text).ends(1).says("racy as launched at 2:");
    let wide = text.replace("dim3(16, 16)", "dim3(16, 1)");
    babycuda(&["check", "-"], &wide).ends(0);
}

#[test]
fn race_free_kernels_are_launched_in_dimensions_that_they_do_not_mention() {
    let put = "__global__ void put(float *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x; }\n";
    babycuda(&["check", "-"], put).ends(0);
    let launched =
        |launch: &str| format!("{put}void run(float *a, int n) {{ put<<<{launch}>>>(a); }}\n");
    // Two threads with one `threadIdx.x`, and two blocks with one `blockIdx.x`.
    for racy in ["4, dim3(16, 16)", "dim3(4, 2), 64", "4, dim3(16, n)"] {
        babycuda(&["check", "-"], &launched(racy)).ends(1).says("racy as ");
    }
    for fine in ["4, 16", "n, dim3(n, 1)", "dim3(4, 1), dim3(16, 1, 1)"] {
        babycuda(&["check", "-"], &launched(fine)).ends(0);
    }
    // What the command line fixes is what is asked.
    babycuda(&["check", "-", "--block", "64"], &launched("4, dim3(16, 16)")).ends(0);
    // A kernel that mentions no dimension of the grid is meant for one block; its launch is not.
    let line = "__global__ void line(int *a) { a[threadIdx.x] = 1; }\n";
    babycuda(&["check", "-"], line).ends(0);
    let launch = "void run(int *a) { line<<<64, 256>>>(a); }\n";
    babycuda(&["check", "-"], &format!("{line}{launch}")).ends(1).says("racy as launched at 2:");
}

#[test]
fn all_grids_are_meant() {
    let sum = "__global__ void sum(int *a) { if (blockIdx.x < 2) a[threadIdx.x] = blockIdx.x; }\n";
    babycuda(&["check", "-"], sum)
        .ends(1)
        .says("different blocks: no barrier orders them")
        .says("grids of 1..=2147483647 x 1 x 1")
        .says("racy unless gridDim.x == 1");
    babycuda(&["check", "-", "--grid", "1"], sum).ends(0).says("grids of 1 x 1 x 1");
    // Places in the grid do not wrap, and that is said.
    for index in ["blockIdx.x * blockDim.x + threadIdx.x", "threadIdx.x + blockIdx.x * 1024"] {
        let kernel = format!("__global__ void k(int *a) {{ unsigned i = {index}; a[i] = 1; }}\n");
        babycuda(&["check", "-"], &kernel).ends(0).says("assuming gridDim.x");
    }
}

#[test]
fn one_block_is_told_where_all_are_not_decided() {
    // What decides is a float that nobody computes here: whether two blocks get there is not known.
    let text = "__global__ void k(int *a, float *f) { if (sinf(f[blockIdx.x]) > 0.5f) a[threadIdx.x] = 1; }\n";
    babycuda(&["check", "-"], text).ends(3).says("each block by itself is race-free");
    assert_eq!(kernel(text, &[])["one_block"], "drf");
    babycuda(&["check", "-", "--grid", "1"], text).ends(0);
    // Nor is it race-free in a block.
    let text = text.replace("a[threadIdx.x]", "a[0]");
    babycuda(&["check", "-"], &text).ends(3).is_silent_of("each block by itself");
    assert_eq!(kernel(&text, &[]).get("one_block"), None);
}

#[test]
fn header_comments_of_verifiers() {
    let kernel = "__global__ void k(int *a) { a[threadIdx.x % 64] = threadIdx.x; }\n";
    babycuda(&["check", "-"], kernel).ends(1);
    let text = format!("//pass\n//--blockDim=64 --gridDim=1\n{kernel}");
    babycuda(&["check", "-"], &text).ends(0).says("launched at 2:1 (race-free): blocks of 64");
    // Two blocks write the same cells.
    let text = format!("//fail\n//--blockDim=64 --gridDim=2\n{kernel}");
    let ran = babycuda(&["check", "-"], &text);
    ran.ends(1).says("of block (1,0,0) writes").says("grids of 2 x 1 x 1");
    let text = format!("//fail\n//--blockDim=128 --gridDim=2\n{kernel}");
    babycuda(&["check", "-"], &text).ends(1);
}

#[test]
fn strides_over_any_grid_meet_no_other_block() {
    let kernel = "__global__ void k(int *a, int *b, int n, int all) {\n\
        if (all) b[0] = threadIdx.x;\n\
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) a[i] = i;\n}\n\
        void run(int *a, int *b, int n, int grid, int block) { k<<<grid, block>>>(a, b, n, 0); }\n";
    babycuda(&["check", "-"], kernel).ends(0).says("grids of 1..=2147483647 x 1 x 1");
    let near = kernel.replace("i = blockIdx.x * blockDim.x", "i = blockIdx.x * blockDim.x / 2");
    babycuda(&["check", "-"], &near).ends(1).says("racy as the launch at 5:");
}

#[test]
fn what_nobody_states_is_found_and_checked() {
    for (kernel, unless) in [
        ("__global__ void k(int *a) { a[threadIdx.x % 64] = threadIdx.x; }", "blockDim.x <= 64"),
        (
            "__global__ void k(int *a, int n) { int x = threadIdx.x, y = threadIdx.y; a[y * n + x] = x; }",
            "n >= 0 && n >= blockDim.x",
        ),
    ] {
        babycuda(&["check", "-"], &format!("{kernel}\n"))
            .ends(1)
            .says(&format!("racy unless {unless}; race-free then (checked)"));
    }
    // A race that no condition removes.
    let always = "__global__ void k(int *a) { a[0] = threadIdx.x; a[threadIdx.x + 1] = 0; }\n";
    babycuda(&["check", "-"], always)
        .ends(1)
        .says("no contract was found that removes the race")
        .is_silent_of("unless blockDim.x ==");
}

/// A tile of 32 x 32 for each block of 32 x 8.
const TILES: &str = "__global__ void k(float *o, float *i, int width) {\n\
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;\n\
    for (int j = 0; j < 32; j += 8) o[(y + j) * width + x] = i[(y + j) * width + x];\n}";

/// What is found can be stated, and is what was checked: a negative `int` is compared as a large number.
#[test]
fn what_is_found_can_be_stated() {
    let texts = [
        TILES,
        "__global__ void k(int *a) { a[threadIdx.x % 64] = threadIdx.x; }",
        "__global__ void k(int *a, int n) { int x = threadIdx.x, y = threadIdx.y; a[y * n + x] = x; }",
        "__global__ void k(int *a, int n) { int x = blockIdx.x * blockDim.x + threadIdx.x, y = threadIdx.y; a[y * n + x] = x; }",
        "__global__ void k(int *a, unsigned n) { a[threadIdx.x % n] = threadIdx.x; }",
        "__global__ void k(int *a, long n) { a[threadIdx.y * n + threadIdx.x] = threadIdx.x; }",
        "__global__ void k(int *a, int n) { a[threadIdx.x] = 1; if (n % 16) a[0] = threadIdx.x; }",
        "struct V { int *p; int n, pitch; };\n__global__ void k(V v) { if (threadIdx.x < v.n) v.p[threadIdx.y * v.pitch + threadIdx.x] = threadIdx.x; }",
    ];
    for text in texts {
        let found = kernel(&format!("{text}\n"), &["--contract", "infer"]);
        let conditions = found["contract"]["conditions"].as_array().expect(text).clone();
        let mut args = vec!["--contract", "none"];
        for condition in &conditions {
            args.extend(["--assume", condition.as_str().unwrap()]);
        }
        let stated = kernel(&format!("{text}\n"), &args);
        assert_eq!(stated["verdict"], "drf", "{text}: {conditions:?}");
    }
}

/// `n < 64 && m >= 0` holds no template `n<64 && m>`, on the command line or in a comment.
#[test]
fn conditions_hold_no_templates() {
    let text = "__global__ void k(int *a, int n, int m) {\n a[threadIdx.x * n] = m;\n}\n";
    for condition in ["n > 0 && n < 64 && m >= 0", "0 < n && n < 64 && m >> 1 == 0"] {
        let stated = kernel(text, &["--contract", "none", "--assume", condition]);
        assert_eq!(stated["verdict"], "drf", "{condition}");
        let required = format!("//@ requires {condition};\n{text}");
        assert_eq!(kernel(&required, &[])["verdict"], "drf", "{condition}");
    }
}

/// Of a racy launch of the file, what is found speaks of the kernel, not of its host.
#[test]
fn what_is_found_speaks_of_the_kernel() {
    let host =
        "void run(float *a, int n, int h) { put<<<dim3(n / 16, h / 16), dim3(16, 16)>>>(a, h); }\n";
    let found = kernel(&format!("{KERNEL}{host}"), &[]);
    assert_eq!(found["verdict"], "racy");
    let conditions = found["contract"]["conditions"].to_string();
    assert!(!conditions.contains("host."), "{conditions}");
}

/// A fact is said once, and so is a launch that is not understood.
#[test]
fn launches_are_said_once() {
    let host = "void run(float *a, int n, int h) { int w = n * 16; put<<<dim3(n, h / 16), dim3(16, 16)>>>(a, w); }\n";
    let ran = babycuda(&["check", "-", "--format", "json"], &format!("{KERNEL}{host}")).json();
    let said = ran["kernels"][0]["scope"]["assumptions"].as_array().cloned().unwrap_or_default();
    for (i, one) in said.iter().enumerate() {
        assert!(!said[..i].contains(one), "{one} twice in {said:?}");
    }
    let line = "__global__ void line(int *a) { a[threadIdx.x] = 1; }\n";
    let unknown = "void run(int *a) { other(line); }\n";
    babycuda(&["check", "-"], &format!("{line}{unknown}"))
        .ends(0)
        .says("the launch at 2:26 is not understood: it is mentioned otherwise than by a launch");
}

#[test]
fn the_commands_of_the_page_do_what_it_says() {
    let page = std::fs::read_to_string(support::root().join("docs/CONTRACTS.md")).unwrap();
    let commands = page.lines().filter(|line| line.contains("| cargo run --release --"));
    let mut ran = 0;
    for command in commands {
        let (command, expected) = command.split_once("  # exit ").unwrap_or((command, "0"));
        let program = format!("'{}'", env!("CARGO_BIN_EXE_babycuda"));
        let command = command.replace("cargo run --release --", &program);
        let output = std::process::Command::new("sh").args(["-c", &command]).output().unwrap();
        assert_eq!(output.status.code(), expected.trim().parse().ok(), "{command}");
        ran += 1;
    }
    assert!(ran >= 4, "only {ran} commands");
}

#[test]
fn what_a_kernel_requires_is_assumed() {
    let kernel_of = |before: &str, first: &str| {
        format!(
            "{before}__global__ void k(int *a, int n) {{\n{first}int x = threadIdx.x, y = threadIdx.y; a[y * n + x] = 1; }}\n"
        )
    };
    let racy = kernel_of("", "");
    babycuda(&["check", "-", "--contract", "none"], &racy).ends(1);
    for (before, first, at) in [
        ("", "__requires(n >= (int)blockDim.x);\n", "2:12"),
        ("", "__requires(n >= (int)blockDim.x); __requires(n < 5000);\n", "2:12"),
        ("//@ requires n >= (int)blockDim.x;\n", "", "1:1"),
        ("", "//@ requires n >= (int)blockDim.x\n", "2:1"),
        (
            "__global__ void other(int *a) { a[0] = 1; }\n//@ requires n >= (int)blockDim.x\n",
            "",
            "2:1",
        ),
    ] {
        let text = kernel_of(before, first);
        let one = ["check", "-", "--kernel", "k"];
        babycuda(&one, &text)
            .ends(0)
            .says("k: race-free as it requires")
            .says(&format!("assuming n >= (int)blockDim.x (required at {at})"))
            .says("without what it requires: racy: write-write race");
        // The condition stands for nothing where contracts come from elsewhere.
        babycuda(&[&one[..], &["--contract", "none"]].concat(), &text).ends(1);
        let json = babycuda(&[&one[..], &["--format", "json"]].concat(), &text).json();
        let contract = &json["kernels"][0]["contract"];
        assert_eq!(contract["required"][0]["condition"], "n >= (int)blockDim.x");
        assert_eq!(
            (&contract["kind"], &contract["without"]["verdict"]),
            (&"source".into(), &"racy".into())
        );
    }
    for (before, first) in [
        // Too little; of another function; no condition; behind a statement; one that the file defines.
        ("", "__requires(n > 0);\n"),
        ("//@ requires n >= (int)blockDim.x\nvoid host(int n) { n = 1; }\n", ""),
        ("//@ requires a wide image\n", ""),
        ("// requires n >= (int)blockDim.x\n", ""),
        ("", "n = 1; //@ requires n\n"),
        ("__device__ void __requires(bool b) {}\n", "__requires(n >= (int)blockDim.x);\n"),
    ] {
        babycuda(&["check", "-"], &kernel_of(before, first)).ends(1);
    }
    // A launch that does not keep to it is not granted: no thread is meant.
    let text =
        kernel_of("", "__requires(n >= 64);\n") + "void run(int *a) { k<<<1, 64>>>(a, 1); }\n";
    babycuda(&["check", "-"], &text).is_silent_of("k: race-free");
}

/// What is assumed may leave out the part of a kernel that mentions a dimension; that is meant all the same.
#[test]
fn assumptions_leave_no_dimension_out() {
    let dead = "__global__ void k(int *a, int w) { if (w == 3) a[blockIdx.x / 2] = threadIdx.x; if (w == 4) a[threadIdx.x] = 1; }";
    for args in [&["--assume", "w == 4"][..], &["--param", "w=4"]] {
        assert_ne!(kernel(dead, args)["verdict"], "drf", "{args:?}");
    }
    let required = "__global__ void k(int *a, int w) { __requires(w > 3); if (w <= 3) a[blockIdx.x] = 0; a[threadIdx.x] = threadIdx.x; }";
    assert_ne!(kernel(required, &[])["verdict"], "drf");
    let rows = "__global__ void k(int *a, int w) { if (w == 3) a[threadIdx.y] = 0; if (w == 4) a[threadIdx.x] = 1; }";
    assert_ne!(kernel(rows, &["--param", "w=4"])["verdict"], "drf");
}

/// A launch of which all races are benign says nothing of another.
#[test]
fn benign_races_of_one_launch_are_not_those_of_all() {
    let k = "__global__ void k(int *a, int w) { if (w) a[0] = 7; else a[0] = threadIdx.x; }\n";
    let two = "void run(int *a) { k<<<1, 8>>>(a, 1); k<<<1, 8>>>(a, 0); }\n";
    let status = babycuda(&["check", "-", "--ignore-benign"], &format!("{k}{two}")).status;
    assert!([1, 3].contains(&status), "{status}");
    let one = "void run(int *a) { k<<<1, 8>>>(a, 1); }\n";
    babycuda(&["check", "-", "--ignore-benign"], &format!("{k}{one}")).ends(0).says("benign only");
}
