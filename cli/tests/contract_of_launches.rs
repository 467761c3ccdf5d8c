//! Verdicts under the launches that a file makes of its own kernels, and conditions that nobody states.

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
        .says("no contract removes the race")
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
        "__global__ void k(int *a, int n) { if (threadIdx.x < n) a[0] = threadIdx.x; }",
        "__global__ void k(int *a, int n) { a[threadIdx.x] = 1; if (n % 16) a[0] = threadIdx.x; }",
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

/// The host means something else than it seems to: the kernel is racy, or not decided.
#[test]
fn hosts_that_only_seem_to_say_something_grant_nothing() {
    const PUT: &str = "__global__ void put(float *a, int w) {\n\
        int x = threadIdx.x, y = threadIdx.y;\n a[y * w + x] = 0;\n}\n";
    const L: &str = "put<<<1, dim3(16, 16)>>>(a, w);";
    let hosts = [
        // Names of the library that mean something else.
        format!("namespace app {{ void exit(int c) {{ printf(\"%d\", c); }} void run(float *a, int w) {{ if (w < 16) exit(1); {L} }} }}"),
        format!("void run(float *a, int w) {{ auto exit = [](int) {{}}; if (w < 16) exit(1); {L} }}"),
        format!("void abort(const char *); void run(float *a, int w) {{ if (w < 16) abort(\"\"); {L} }}"),
        "struct S { int max(int a, int b) { return a; } void run(float *a, int w) { put<<<1, dim3(16, 16)>>>(a, max(w, 16)); } };".to_owned(),
        "int f() { return 64; } struct Q { int f() { return 2; } void run(float *a) { put<<<1, dim3(16, 16)>>>(a, f()); } };".to_owned(),
        // References.
        format!("void run(float *a) {{ int w = 16; int &r(w); r = 1; {L} }}"),
        format!("int w; int &r = w; void run(float *a) {{ if (w >= 16) {{ r = 1; {L} }} }}"),
        // What objects do where nothing is seen.
        format!("int w; struct X {{ ~X() {{ w = 1; }} }}; void run(float *a) {{ if (w >= 16) {{ {{ X x; }} {L} }} }}"),
        format!("struct X {{}}; int operator+(X, int &w) {{ w = 1; return 0; }} void run(float *a) {{ int w = 16; X s; s + w; {L} }}"),
        // Storage.
        format!("void run(float *a) {{ thread_local int w = 16; {L} w = 1; }}"),
        format!("volatile int w; void run(float *a) {{ if (w >= 16) {L} }}"),
        format!("void run(float *a) {{\n#ifdef __CUDA_ARCH__\nint w = 16;\n#else\nint w = 1;\n#endif\n{L} }}"),
        // Operators that may change something, and functions of a local name.
        format!("struct X {{}}; void operator,(X, int &w) {{ w = 1; }} void run(float *a) {{ int w = 16; X s; s, w; {L} }}"),
        format!("struct X {{}}; __host__ __device__ int operator+(X, int &w) {{ w = 1; return 0; }} void run(float *a) {{ int w = 16; X s; s + w; {L} }}"),
        format!("struct F {{ int operator()(int &w) const {{ w = 1; return 0; }} }}; void run(float *a) {{ int w = 16; F f; f(w); {L} }}"),
        "void run(float *a, int (*max)(int, int), int w) { put<<<1, dim3(16, 16)>>>(a, max(w, 16)); }".to_owned(),
        "void run(float *a, int w) { int max(int, int); put<<<1, dim3(16, 16)>>>(a, max(w, 16)); }".to_owned(),
        // Declarations that hide a name.
        format!("enum {{ w = 16 }}; void run(float *a) {{ enum {{ w = 1 }}; {L} }}"),
        format!("void run(float *a, std::vector<int> v) {{ int w = 16; for (int w : v) {L} }}"),
        format!("void run(float *a, std::vector<int> v) {{ int w = 16; for (int &w : v) {L} }}"),
        format!("void run(float *a, int w) {{ if (w >= 16) try {{ throw 2; }} catch (int w) {{ {L} }} }}"),
        format!("struct P {{ int x, y; }}; void run(float *a, int w) {{ if (w >= 16) {{ auto [w, m] = P{{2, 2}}; {L} }} }}"),
        format!("void run(float *a, int w) {{ if (w >= 16) switch (int w = 2) {{ case 2: {L} }} }}"),
        format!("typedef int T; void run(float *a) {{ typedef unsigned char T; T w = 258; {L} }}"),
        format!("typedef int T; template<class T> void run(float *a) {{ T w = 258; {L} }} template void run<unsigned char>(float *);"),
    ];
    for host in hosts {
        let found = kernel(&format!("{PUT}{host}\n"), &[]);
        assert_ne!(found["verdict"], "drf", "{host}: {found}");
    }
    // Any number of blocks.
    const MANY: &str = "__global__ void k(int *a, int w) { a[threadIdx.x % w] = threadIdx.x; }\n";
    for host in [
        // What lasts from call to call was given its value by the first one.
        "void run(int *a, int w) { static const int s = w; k<<<1, s>>>(a, w); }",
        "void run(int *a, int w) { thread_local const int s = w; k<<<1, s>>>(a, w); }",
        "void run(int *a, int w) { static const dim3 b(w); k<<<1, b>>>(a, w); }",
        // Each of these may have more than one row.
        "const dim3 G(1, 2); void run(int *a) { k<<<G, 64>>>(a, 64); }",
        "constexpr dim3 G(1, 2); void run(int *a) { k<<<G, 64>>>(a, 64); }",
        "void run(int *a) { auto g = dim3(1, 2); k<<<g, 64>>>(a, 64); }",
        "void run(int *a) { const auto &g = dim3(1, 2); k<<<g, 64>>>(a, 64); }",
        "dim3 get(); void run(int *a) { k<<<get(), 64>>>(a, 64); }",
        "dim3 get() { return dim3(1, 2); } void run(int *a) { k<<<get(), 64>>>(a, 64); }",
        "struct C { dim3 g; }; void run(int *a, C c) { k<<<c.g, 64>>>(a, 64); }",
        "void run(int *a) { dim3 g[] = {dim3(1, 2)}; k<<<g[0], 64>>>(a, 64); }",
        "void run(int *a, dim3 *g) { k<<<*g, 64>>>(a, 64); }",
        "void run(int *a, int n) { k<<<n > 3 ? dim3(1, 2) : dim3(1), 64>>>(a, 64); }",
        "void run(int *a) { k<<<(0, dim3(1, 2)), 64>>>(a, 64); }",
        "void run(int *a) { k<<<static_cast<dim3>(dim3(1, 2)), 64>>>(a, 64); }",
        "void run(int *a) { ::dim3 g(1, 2); k<<<g, 64>>>(a, 64); }",
        "void run(int *a) { dim3 g(1); g.y = 1; g.y = 2; k<<<g, 64>>>(a, 64); }",
        "int f(); void run(int *a) { k<<<f(), 64>>>(a, 64); }",
        "namespace q { const int G = 2; } void run(int *a) { k<<<q::G, 64>>>(a, 64); }",
        "void run(int *a, float n) { k<<<ceil(n / 64), 64>>>(a, 64); }",
        "void run(int *a, int n) { int g = 1; k<<<++g, 64>>>(a, 64); }",
        "void run(int *a, int n) { dim3 g = n ? dim3(2) : dim3(3); k<<<g, 64>>>(a, 64); }",
    ] {
        let found = kernel(&format!("{MANY}{host}\n"), &[]);
        assert_ne!(found["verdict"], "drf", "{host}: {found}");
    }
    let one = "void run(int *a) { k<<<1, 64>>>(a, 64); }";
    assert_eq!(kernel(&format!("{MANY}{one}\n"), &[])["verdict"], "drf");
}

/// A verdict that is about one place in a dimension says so where a launch may have more.
#[test]
fn launches_that_say_nothing_of_other_dimensions_are_told() {
    const ONE: &str = "__global__ void k(int *a) { a[threadIdx.x] = 1; }\n";
    for host in [
        "void run(int *a) { dim3 g(1); g.x = 2; k<<<g, 32>>>(a); }",
        "void run(int *a) { auto b = dim3(1, 2); k<<<1, b>>>(a); }",
        "int f(int); void run(int *a, int n) { k<<<f(n), 32>>>(a); }",
        "const dim3 B(32, 2); void run(int *a) { k<<<1, B>>>(a); }",
    ] {
        babycuda(&["check", "-"], &format!("{ONE}{host}\n")).says("1 is meant");
    }
    for host in [
        "void run(int *a) { k<<<1, 32>>>(a); }",
        "void run(int *a) { const dim3 b(32); k<<<dim3(1), b>>>(a); }",
    ] {
        babycuda(&["check", "-"], &format!("{ONE}{host}\n")).ends(0).is_silent_of("1 is meant");
    }
}

/// A launch is one of the instance that it names.
#[test]
fn launches_of_other_instances_say_nothing() {
    let types = "template<class T> __global__ void k(int *a) { a[blockIdx.x * sizeof(T) + threadIdx.x] = 1; }\n\
        void run(int *a) { k<char><<<2, 1>>>(a); k<int><<<2, 4>>>(a); }\n";
    babycuda(&["check", "-"], types).ends(0);
    let values = "template<unsigned N> __global__ void k(int *a) { a[blockIdx.x * N + threadIdx.x] = 1; }\n\
        void run(int *a) { k<1u><<<2, 1>>>(a); k<4u><<<2, 4>>>(a); }\n";
    babycuda(&["check", "-"], values).ends(0);
    let special = "template<int T> __global__ void k(int *a) { a[blockIdx.x * T + threadIdx.x] = 1; }\n\
        template<> __global__ void k<64>(int *a) { a[blockIdx.x * 16 + threadIdx.x] = 1; }\n\
        void run(int *a) { k<64><<<2, 64>>>(a); }\n";
    assert_ne!(kernel(special, &[])["verdict"], "drf");
}

/// What the file says to devices and to its other functions says nothing to the host.
#[test]
fn what_is_not_of_the_host_is_left_out_of_it() {
    const PUT: &str = "__global__ void put(float *a, int w) {\n\
        int x = threadIdx.x, y = threadIdx.y;\n a[y * w + x] = 0;\n}\n";
    const L: &str = "put<<<1, dim3(16, 16)>>>(a, w);";
    for host in [
        format!(
            "void run(float *a) {{\n#ifdef __CUDA_ARCH__\nint w = 1;\n#else\nint w = 16;\n#endif\n{L} }}"
        ),
        format!(
            "struct F {{ __device__ float operator()(float x) {{ return x; }} }}; void run(float *a) {{ int w = 16; {L} }}"
        ),
        format!(
            "__device__ float2 operator+(float2 a, float2 b) {{ a.x += b.x; return a; }} void run(float *a) {{ int w = 16; {L} }}"
        ),
        format!(
            "void check(int code, bool abort = true) {{ if (abort) exit(code); }} void run(float *a, int w) {{ if (w >= 16) {L} }}"
        ),
        format!(
            "float spread(float min, float max) {{ return max - min; }} void run(float *a, int w) {{ if (w >= 16) {L} }}"
        ),
        format!(
            "float spread(float *p) {{ float min = p[0]; return p[1] - min; }} void run(float *a, int w) {{ if (w >= 16) {L} }}"
        ),
    ] {
        let found = kernel(&format!("{PUT}{host}\n"), &[]);
        assert_eq!(found["verdict"], "drf", "{host}: {found}");
    }
    // But for who says what the device's compiler alone defines.
    let text = format!("{PUT}void run(float *a) {{ int w = 16; {L} }}\n");
    assert_ne!(kernel(&text, &["-D", "__CUDA_ARCH__=800"])["verdict"], "drf");
    assert_eq!(kernel(&text, &[])["verdict"], "drf");
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

/// A launch that passes one pointer twice refutes that pointers do not overlap.
#[test]
fn one_pointer_passed_twice_is_not_race_free() {
    let shift =
        "__global__ void shift(float *x, float *y) { y[threadIdx.x + 1] = x[threadIdx.x]; }\n";
    let found = kernel(&format!("{shift}void run(float *a) {{ shift<<<1, 64>>>(a, a); }}\n"), &[]);
    assert_eq!(found["verdict"], "unknown", "{found}");
    assert!(found["reason"].as_str().unwrap().contains("may overlap"), "{found}");
    let found = kernel(
        &format!("{shift}void run(float *a, float *b) {{ shift<<<1, 64>>>(a, b); }}\n"),
        &[],
    );
    assert_eq!(found["verdict"], "drf", "{found}");
}

/// A copy of a pointer is one array; two that are exchanged are two.
#[test]
fn copies_of_pointers_are_one_array() {
    let shift =
        "__global__ void shift(float *x, float *y) { y[threadIdx.x + 1] = x[threadIdx.x]; }\n";
    for host in [
        "void run(float *a) { float *c = a; shift<<<1, 64>>>(a, c); }",
        "void run(float *a, float *c) { c = a; shift<<<1, 64>>>(c, a); }",
        "void run(float *a) { void *v = a; float *c = (float *)v; shift<<<1, 64>>>(a, c); }",
        "void run(float *a) { float *c, *d; c = d = a; shift<<<1, 64>>>(c, a); }",
    ] {
        let found = kernel(&format!("{shift}{host}\n"), &[]);
        assert_eq!(found["verdict"], "unknown", "{host}: {found}");
    }
    for host in [
        "void run(float *a, float *b) { float *c = a; shift<<<1, 64>>>(c, b); }",
        "void run(float *a, float *b) { float *t = a; for (int i = 0; i < 4; i++) { shift<<<1, 64>>>(a, b); t = a; a = b; b = t; } }",
    ] {
        let found = kernel(&format!("{shift}{host}\n"), &[]);
        assert_eq!(found["verdict"], "drf", "{host}: {found}");
    }
    // A launch grants nothing where a pointer begins in the array of another.
    let put = "__global__ void put(float *a, float *b, int w) { a[threadIdx.y * w + threadIdx.x] = b[threadIdx.x]; }\n";
    let host = "void run(float *a) { float *c = a + 8; put<<<1, dim3(16, 16)>>>(a, c, 16); }\n";
    assert_ne!(kernel(&format!("{put}{host}"), &[])["verdict"], "drf");
    let host = "void run(float *a, float *c) { put<<<1, dim3(16, 16)>>>(a, c, 16); }\n";
    assert_eq!(kernel(&format!("{put}{host}"), &[])["verdict"], "drf");
}
