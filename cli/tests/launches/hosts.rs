//! What hosts say of launches, and what they only seem to say.

use crate::kernel;
use crate::support::babycuda;
use serde_json::Value;

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
        format!("struct F {{ F(int &w) {{ w = 1; }} }}; void run(float *a) {{ int w = 16; F{{w}}; {L} }}"),
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
        format!("struct F {{ void operator()(int &w) const {{ w = 1; }} }}; void f(int) {{}} void run(float *a) {{ int w = 16; F f; f(w); {L} }}"),
        format!("struct F {{ void operator()(int &w) const {{ w = 1; }} }}; void run(float *a) {{ int w = 16; F free; free(w); {L} }}"),
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

/// Of dimensions that a kernel does not mention, a launch of which nothing is known says no more than others.
#[test]
fn no_race_is_made_up_in_other_dimensions() {
    const ROW: &str = "__global__ void k(int *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = 1; }\n";
    for host in [
        "struct C { dim3 g, b; }; void run(int *a, C c) { k<<<c.g, c.b>>>(a, 64); }",
        "dim3 f(); void run(int *a) { k<<<f(), f()>>>(a, 64); }",
        "void run(int *a, dim3 g, dim3 b) { k<<<g, b>>>(a, 64); }",
        "dim3 f(); void run(int *a, int n) { if (n == 1) k<<<f(), dim3(32, n)>>>(a, 64); }",
    ] {
        babycuda(&["check", "-"], &format!("{ROW}{host}\n")).ends(0).says("1 is meant");
    }
    // What is fixed is what is asked about.
    let host = "void run(int *a, dim3 g, dim3 b) { k<<<g, b>>>(a, 64); }";
    let check =
        |fixed: &[&str]| babycuda(&[&["check", "-"], fixed].concat(), &format!("{ROW}{host}\n"));
    check(&["--block", "32", "--grid", "2"]).ends(0).is_silent_of("1 is meant");
    check(&["--block", "32"]).ends(0).says("1 is meant");
    check(&["--grid", "2"]).ends(0).says("1 is meant");
    const TABLE: &str =
        "__global__ void k(int *a, int w) { a[threadIdx.y * w + threadIdx.x] = 1; }\n";
    let host = "dim3 f(); void run(int *a) { k<<<1, f()>>>(a, 1024); }\n";
    let found = kernel(&format!("{TABLE}{host}"), &[]);
    assert_eq!(
        (&found["verdict"], &found["contract"]["launches"]),
        (&"racy".into(), &Value::Null),
        "{found}"
    );
}

/// Where a block is given as something that is not read, or that only looks like a number, it may have two rows.
#[test]
fn blocks_that_are_not_read_grant_nothing() {
    const ROWS: &str = "__global__ void k(int *a, int w) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (w != 64) a[0] = i; else a[i] = i; }\n";
    let shown = |host: &str| kernel(&format!("{ROWS}{host}\n"), &[])["verdict"].clone();
    for host in [
        "const dim3 B(32, 2); void run(int *a) { k<<<1, B>>>(a, 64); }",
        "const dim3 B(32, 2); void run(int *a) { dim3 b(B); k<<<1, b>>>(a, 64); }",
        "void run(int *a) { auto b = dim3(32, 2); k<<<1, b>>>(a, 64); }",
        "void run(int *a) { auto c = dim3(32, 2); dim3 b(c); k<<<1, b>>>(a, 64); }",
        "dim3 f(); void run(int *a) { k<<<1, f()>>>(a, 64); }",
        "dim3 f(int); int f(float x) { return x; } void run(int *a) { k<<<1, f(1)>>>(a, 64); }",
        "int f() { return 1; } struct F { dim3 operator()() { return dim3(32, 2); } }; void run(int *a) { F f; k<<<1, f()>>>(a, 64); }",
        "struct C { dim3 b; }; void run(int *a, C c) { k<<<1, c.b>>>(a, 64); }",
        "void run(int *a, dim3 *b) { k<<<1, *b>>>(a, 64); }",
        "void run(int *a, dim3 b) { k<<<1, b>>>(a, 64); }",
        "void run(int *a, int n) { k<<<1, n > 3 ? dim3(32, 2) : dim3(32)>>>(a, 64); }",
        "void run(int *a) { k<<<1, (0, dim3(32, 2))>>>(a, 64); }",
        "void run(int *a) { k<<<1, static_cast<dim3>(dim3(32, 2))>>>(a, 64); }",
        "int g = 32; void run(int *a, std::vector<dim3> v) { for (dim3 g : v) k<<<1, g>>>(a, 64); }",
        "int g = 32; void run(int *a) { try { throw dim3(32, 2); } catch (dim3 g) { k<<<1, g>>>(a, 64); } }",
        "int g = 32; namespace q { dim3 g(32, 2); void run(int *a) { k<<<1, g>>>(a, 64); } }",
        "void run(int *a) { auto make_uint3 = [](int x, int y, int z) { return dim3(x, 2 * y, z); }; k<<<1, make_uint3(32, 1, 1)>>>(a, 64); }",
        "#include \"vectors.h\"\nvoid run(int *a, uint3 b) { k<<<1, b + b>>>(a, 64); }",
        "typedef uint3 U; void run(int *a) { U b; b.x = 32; k<<<1, b>>>(a, 64); }",
        "void run(int *a) { uint3 b; b.x = 32; k<<<1, b>>>(a, 64); }",
        "void run(int *a) { uint3 b = make_uint3(32, 2, 1); k<<<1, b>>>(a, 64); }",
        "constexpr dim3 B(32, 2); void run(int *a) { k<<<1, B>>>(a, 64); }",
        "void run(int *a) { const auto &b = dim3(32, 2); k<<<1, b>>>(a, 64); }",
        "dim3 f() { return dim3(32, 2); } void run(int *a) { k<<<1, f()>>>(a, 64); }",
        "void run(int *a) { dim3 b[] = {dim3(32, 2)}; k<<<1, b[0]>>>(a, 64); }",
        "void run(int *a) { ::dim3 b(32, 2); k<<<1, b>>>(a, 64); }",
        "void run(int *a) { dim3 b(32); b.y = 1; b.y = 2; k<<<1, b>>>(a, 64); }",
    ] {
        assert_ne!(shown(host), "drf", "{host}");
    }
    for host in [
        "const int B = 32; void run(int *a) { k<<<1, B>>>(a, 64); }",
        "void run(int *a, int n) { k<<<1, n / 2>>>(a, 64); }",
        "void run(int *a, int n) { k<<<1, std::min(n, 256)>>>(a, 64); }",
        "struct C { int n; }; void run(int *a, C c) { k<<<1, std::min(c.n, 256)>>>(a, 64); }",
        "void run(int *a, float n) { k<<<1, ceil(n / 32.0)>>>(a, 64); }",
        "void run(int *a) { dim3 b(32); k<<<1, b>>>(a, 64); }",
    ] {
        assert_eq!(shown(host), "drf", "{host}");
    }
}

/// What is under `__CUDA_ARCH__` is of devices, and may launch.
#[test]
fn devices_launch_too() {
    const PUT: &str =
        "__global__ void put(float *a, int w) { a[threadIdx.y * w + threadIdx.x] = 0; }\n";
    let host = "void run(float *a) { put<<<1, dim3(16, 16)>>>(a, 16); }\n";
    for device in [
        "__device__ void f(float *a) {\n#ifdef __CUDA_ARCH__\nput<<<1, dim3(16, 16)>>>(a, 1);\n#endif\n}\n",
        "__host__ __device__ void f(float *a) {\nint w = 16;\n#ifdef __CUDA_ARCH__\nw = 1;\n#endif\nput<<<1, dim3(16, 16)>>>(a, w); }\n",
    ] {
        assert_ne!(kernel(&format!("{PUT}{device}{host}"), &[])["verdict"], "drf", "{device}");
    }
    assert_eq!(kernel(&format!("{PUT}{host}"), &[])["verdict"], "drf");
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
    // However its arguments are written.
    let rows = |parameter: &str, argument: &str| {
        format!(
            "template<class T, {parameter}> __global__ void k(T *a) {{ a[threadIdx.x + sizeof(T)] = N; }}\n\
             void run(int *a) {{ k<int, {argument}><<<1, dim3(32, 2)>>>(a); }}\n"
        )
    };
    for (parameter, argument) in [
        ("bool N", "true"),
        ("bool N", "1"),
        ("int N", "010"),
        ("unsigned N", "4294967295u"),
        ("unsigned char N", "200"),
    ] {
        let found = kernel(&rows(parameter, argument), &[]);
        assert_ne!(found["verdict"], "drf", "{parameter} {argument}: {found}");
    }
    let truth = "template<bool F> __global__ void k(int *a, int s) { a[blockIdx.x * (F ? s : 64) + threadIdx.x] = 1; }\n\
        void run(int *a) { k<false><<<2, 64>>>(a, 1); }\n";
    babycuda(&["check", "-"], truth).ends(0);
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
    // Extents of another type.
    let three = "void run(float *a) { uint3 b = make_uint3(16, 16, 1); put<<<1, b>>>(a, 16); }";
    assert_eq!(kernel(&format!("{PUT}{three}\n"), &[])["verdict"], "drf");
    // But for who says what the device's compiler alone defines.
    let text = format!("{PUT}void run(float *a) {{ int w = 16; {L} }}\n");
    assert_ne!(kernel(&text, &["-D", "__CUDA_ARCH__=800"])["verdict"], "drf");
    assert_eq!(kernel(&text, &[])["verdict"], "drf");
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
    // A structure passes what it points to.
    let views = "struct V { float *p; int n; };\n\
        __global__ void shift(V x, V y) { if (threadIdx.x < x.n) y.p[threadIdx.x + 1] = x.p[threadIdx.x]; }\n";
    for (host, verdict) in [
        ("void run(V a) { shift<<<1, 64>>>(a, a); }", "unknown"),
        ("void run(V a, V b) { shift<<<1, 64>>>(a, b); }", "drf"),
    ] {
        let found = kernel(&format!("{views}{host}\n"), &[]);
        assert_eq!(found["verdict"], verdict, "{host}: {found}");
    }
}

/// What may be one pointer, however that is written, is not granted to be two.
#[test]
fn pointers_that_may_be_one_grant_nothing() {
    let rows = "__global__ void k(int *a, const int *b, int w) { \
        a[threadIdx.y * w + threadIdx.x] = b[threadIdx.x + 1]; }\n\
        void by_reference(int *&c, int *a) { c = a; }\n\
        void by_address(int **c, int *a);\n\
        int *same(int *a);\n\
        int *fresh(int n);\n";
    let launched = |declared: &str, passed: &str| {
        let launch = format!("k<<<1, dim3(16, 4)>>>(a, {passed}, 16);");
        format!("{rows}void run(int *a, int *b, int n) {{ {declared} {launch} }}\n")
    };
    for (declared, passed) in [
        ("int *c = a;", "c"),
        ("int *c(a);", "c"),
        ("int *c{a};", "c"),
        ("int *&c = a;", "c"),
        ("int *c = (0, a);", "c"),
        ("int *c = a ?: b;", "c"),
        ("int *c = same(a);", "c"),
        ("int *c = b; int **q = &c; *q = a;", "c"),
        ("int *c = b, *&d = c; d = a;", "c"),
        ("int *c = b; by_reference(c, a);", "c"),
        ("int *c = b; by_address(&c, a);", "c"),
        ("int *c = b; memcpy(&c, &a, 8);", "c"),
        ("", "n ? b : a"),
        ("", "same(a)"),
        ("", "std::min(a, b)"),
        ("if (b == a)", "b"),
        ("int *p[2]; p[0] = a; p[1] = a; int *c = p[1];", "c"),
        ("struct V { int *q; } v; v.q = a; int *c = v.q;", "c"),
    ] {
        let found = kernel(&launched(declared, passed), &[]);
        assert_ne!(found["verdict"], "drf", "{declared} {passed}: {found}");
    }
    for (declared, passed) in [
        ("", "b"),
        ("int *c = b;", "c"),
        ("int *h = (int *)malloc(n); cudaMemcpy(a, h, n, cudaMemcpyHostToDevice);", "b + 1"),
        ("int *h = fresh(n), *c = fresh(n); a = h;", "c"),
        ("struct V { int *q; int n; } v, w; v.q = a; w.q = b; w.n = v.n;", "w.q"),
        // Elements are no pointers.
        ("for (int i = 0; i < n; i++) a[i] = b[i];", "b"),
        ("int sum = a[0] * b[1] + *(a + 1); auto s = *a - b[n]; if (a[0] == b[0]) sum++;", "b"),
    ] {
        let found = kernel(&launched(declared, passed), &[]);
        assert_eq!(found["verdict"], "drf", "{declared} {passed}: {found}");
    }
    let go = "static void go(int *a, int *b) { k<<<1, dim3(16, 4)>>>(a, b, 16); }\n";
    for (call, alike) in [("go(a, a)", true), ("go(a, b)", false)] {
        let found = kernel(&format!("{rows}{go}void run(int *a, int *b) {{ {call}; }}\n"), &[]);
        assert_eq!(found["verdict"] != "drf", alike, "{call}: {found}");
    }
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
