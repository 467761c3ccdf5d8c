//! What is evaluated, how often, and in which order; and what is not.

mod common;

use babycuda_core::syntax::Contents;
use babycuda_frontend::{Options, Translation, parse_cuda};
use common::{Mode, accesses, body, check, program, refusal};

/// A function of the file is what the file says, whatever CUDA's function of that name is.
#[test]
fn functions_of_the_file_are_pure_only_when_they_have_no_effect() {
    for name in ["clamp", "dot", "make_pair", "min", "round", "helper"] {
        let source = format!(
            "__device__ int {name}(int *A, int i) {{ A[i] = 1; return 1; }}
            __global__ void k(int *A, int n) {{
                int t = threadIdx.x;
                if (n > 0 && {name}(A, t)) A[10 + t] = 1;
                bool x = n <= 0 || {name}(A, 20 + t);
                int y = n > 1 ? {name}(A, 30 + t) : 0;
                A[40 + x + y] = 1; }}"
        );
        let written =
            |n| accesses(&source, &[("n", n)], 2, false, Mode::Write).expect(name)[1].clone();
        assert_eq!(written(0), [41], "{name}");
        assert_eq!(written(1), [1, 11, 21, 41], "{name}");
        assert_eq!(written(2), [1, 11, 21, 31, 42], "{name}");
    }
}

/// Where C++ leaves the order of operands open, nothing may depend on it.
#[test]
fn no_order_of_operands_is_made_up() {
    let source = |index: &str| {
        format!(
            "__device__ int f(int a, int b) {{ return b; }}
            __device__ int set(int &a, int v) {{ a = v; return 0; }}
            __device__ int get(int &a) {{ return a; }}
            __device__ int put(int *p, int v) {{ int *q = p + 1; *q = v; return 0; }}
            __device__ int load(const int *p, int i) {{ return p[i]; }}
            __global__ void k(int *s) {{ int t = threadIdx.x; int v = 0, w = 0; s[{index}] = 1; }}"
        )
    };
    for index in [
        "f(set(v, t), get(v))",
        "set(v, t) + get(v)",
        "f(v = t, v)",
        "max((w = t), w)",
        "v++ * v",
        "v + (w + ++v)",
        "f(put(s, 1), load(s, 0))",
        "atomicAdd(&s[0], 1) + s[0]",
        "atomicAdd(s, 1) == load(s, 1)",
    ] {
        let kernels = parse_cuda(&source(index), &Options::default()).unwrap();
        let Translation::Unsupported(why) = &kernels[0].translation else { panic!("{index}") };
        assert!(why.to_string().contains("C++ leaves open which comes first"), "{index}: {why}");
    }
    for index in [
        "f(v++, w++)",
        "v++ + t",
        "(v = t) << v",
        "v++ ? v : t",
        "(v++ > 0 && v > 1) + t",
        "load(s, 0) + load(s, 1)",
        "__ldg(&s[t]) + s[0]",
        "__ldg(&s[t]) + __ldcs(&s[1])",
        "set(v, t) + get(w)",
        "set(v, w) + w",
        "atomicAdd(&s[t], 1) + t",
        "atomicCAS(s + t, t, w) == t",
        "put(s + v, 1) + v",
    ] {
        let kernels = parse_cuda(&source(index), &Options::default()).unwrap();
        assert!(matches!(kernels[0].translation, Translation::Program(_)), "{index}");
    }
}

#[test]
fn functions_that_change_variables_keep_their_guard() {
    let source = "__device__ int dot(int &x) { x += 5; return x; }
        __global__ void k(int *A, int n) {
            int x = 1;
            if (n > 0 && dot(x) > 3) A[x] = 1;
            A[10 + x] = 1;
            if (n > 5 || dot(x) > 100) A[x] = 1;
            A[20 + x] = 1; }";
    let written =
        |n| accesses(source, &[("n", n)], 1, false, Mode::Write).expect("known")[0].clone();
    assert_eq!(written(0), [11, 26]);
    assert_eq!(written(1), [6, 16, 31]);
    assert_eq!(written(6), [6, 16, 6, 26]);
}

/// A function that changes nothing and accesses nothing is a part of the condition.
#[test]
fn functions_without_effects_need_no_guard() {
    let source =
        "__device__ bool inside(int i, int n) { int m = n; m /= 2; return 0 <= i && i <= m; }
        __global__ void k(int *A, int n) {
            int i = threadIdx.x;
            if (i != 3 && inside(i, n)) A[i] = 1; else A[i] = 2; }";
    assert_eq!(common::body(source).matches("if ").count(), 1, "{}", common::body(source));
}

/// An effect is one even where another undoes it, in a case.
#[test]
fn effects_that_may_be_undone() {
    check(
        "int x = 0; bool c = t > 5 && ((t > 0 && x++ >= 0), (t > 9 && x-- >= 0)); A[x + c] = 1;",
        &[],
        &[0],
    );
    check(
        "int x = 0; if (n > 5 && ((n > 6 && x++ >= 0), 1)) A[9] = 1; A[x] = 1;",
        &[("n", 7)],
        &[9, 1],
    );
}

#[test]
fn operands_are_evaluated_once_and_in_order() {
    check("int i = 0; A[i++] += 5; A[10 + i] = 1;", &[], &[0, 11]);
    check("int i = 0; A[i++]++; A[10 + i] = 1;", &[], &[0, 11]);
    check("int i = 0, j = 0; A[i++ * 10 + j++] -= 1; A[i + j] = 1;", &[], &[0, 2]);
    check("int i = 2; int j = (i++, i * 2); A[i * 10 + j] = 1;", &[], &[36]);
    check("int i = 1; i += i++ * 2; A[i] = 1;", &[], &[4]);
    check("int i = 1, j; j = i = 5; A[i * 10 + j] = 1;", &[], &[55]);
    check("int i = 4; int j = t ? i-- : i++; A[i * 10 + j] = 1;", &[], &[34]);
    check("int i = 4; A[n > 3 ? i++ : i--] = i; A[10 + i] = 1;", &[("n", 3)], &[4, 13]);
    check("int i = 0; if ((i = 3) && i++) A[i] = 1;", &[], &[4]);
    check(
        "int i = 0, x = 0; bool b = (i++ || x++) && (i-- || x--); A[x * 10 + i + 5 * b] = 1;",
        &[],
        &[11],
    );
    check(
        "unsigned char c = 255; c++; A[c] = 1; c--; A[c] = 1; c += 2; A[c] = 1;",
        &[],
        &[0, 255, 1],
    );
    check("int *p = A + 4; *p++ = 1; *++p = 2; p[-1] = 3; *(p -= 2) = 4;", &[], &[4, 6, 5, 4]);
}

#[test]
fn a_place_whose_value_nobody_wants_is_not_read() {
    let reads = |statements: &str| {
        let source = format!("__global__ void k(int *A) {{ int i = 1; {statements} A[i] = 1; }}");
        accesses(&source, &[], 1, true, Mode::Read).expect("known").remove(0)
    };
    assert!(reads("A[i]; (A[2], A[i++]); *A;").is_empty());
    assert_eq!(reads("A[A[i]];"), [1]);
    assert_eq!(reads("i = (A[2], A[3]);"), [3]);
    assert_eq!(reads("volatile int *p = A; p[3];"), [3]);
}

#[test]
fn switches_fall_through_inside_of_loops() {
    check(
        "for (int i = 0; i < 5; i++) { switch (i) { case 0: A[0] = 1; case 1: A[1] = 1; break;
         case 3: continue; default: A[2] = 1; case 4: A[4] = 1; } A[10 + i] = 1; }",
        &[],
        &[0, 1, 10, 1, 11, 2, 4, 12, 4, 14],
    );
    check(
        "int i = 0; while (1) { switch (i++) { case 2: break; case 4: if (t) break; default: A[i] = 1; }
         if (i > 4) break; }",
        &[],
        &[1, 2, 4],
    );
    check(
        "switch (n) { default: A[0] = 1; case 1: A[1] = 1; break; case 2: A[2] = 1; }",
        &[("n", 2)],
        &[2],
    );
    check(
        "switch (n) { default: A[0] = 1; case 1: A[1] = 1; break; case 2: A[2] = 1; }",
        &[("n", 7)],
        &[0, 1],
    );
}

#[test]
fn functions_return_early_and_change_what_they_refer_to() {
    let source = "__device__ int find(int *A, int &left, int n) {
            for (int i = 0; i < 6; i++) { left--; if (i == n) return i; A[i] = 1; }
            return 40; }
        __global__ void k(int *A, int n) {
            int left = 20;
            int i = find(A, left, n);
            A[i] = 1;
            A[left] = 1; }";
    let written =
        |n| accesses(source, &[("n", n)], 1, true, Mode::Write).expect("known")[0].clone();
    assert_eq!(written(2), [0, 1, 2, 17]);
    assert_eq!(written(9), [0, 1, 2, 3, 4, 5, 40, 14]);
}

/// The contents of the only array besides `A`.
fn contents(table: &str, local: bool) -> Contents {
    let (global, local) = if local { ("", table) } else { (table, "") };
    let source = format!(
        "{global}\n__global__ void k(int *A, int n) {{ {local} A[((const int *)T)[n]] = 1; }}"
    );
    let program = program(&source, &Options::default());
    program.arrays.iter().find(|a| a.name.as_str() == "T").expect("a table").contents.clone()
}

#[test]
fn tables_hold_what_the_file_says() {
    let values = |v: &[i64]| {
        Contents::Values(
            v.iter().map(|v| (*v as u32).into()).collect::<Vec<babycuda_core::Natural>>(),
        )
    };
    for (table, wanted) in [
        ("const int T[4] = {1, 2, -3};", values(&[1, 2, -3, 0])),
        ("static const int T[] = {1, 1 + 1, 'a'};", values(&[1, 2, 97])),
        ("__constant__ const int T[2][2] = {{1}, {2, 3}};", values(&[1, 0, 2, 3])),
        ("__device__ const int T[][3] = {1, 2, 3, 4};", values(&[1, 2, 3, 4, 0, 0])),
        ("constexpr int T[3] = {};", values(&[0, 0, 0])),
        ("__constant__ int T[4] = {1, 2, 3};", Contents::Any),
        ("__constant__ int T[4];", Contents::Any),
        ("__device__ int T[4] = {1, 2, 3};", Contents::Any),
        ("const int T[4] = {[2] = 1};", Contents::Opaque),
        ("const int T[2][2] = {{1, 2}, 3};", Contents::Opaque),
        ("const int T[2] = {(int)1.5f, 2};", values(&[1, 2])),
        ("const int T[2] = {(int)(1.5f / 3), 2};", Contents::Opaque),
    ] {
        assert_eq!(contents(table, false), wanted, "{table}");
    }
    for table in ["const int T[4] = {1, 2, -3};", "static const int T[4] = {1, 2, -3};"] {
        assert_eq!(contents(table, true), values(&[1, 2, -3, 0]), "{table}");
    }
}

/// A pointer of the file is an array, unless something of the file may set it.
#[test]
fn pointers_of_the_file_are_set_by_the_host() {
    let kernel = "__global__ void k(int n) { p[n] = 1; }";
    let reads = "__device__ int f(int *q) { return q[0]; } __device__ int g(int i) { int *q = p; return f(p) + p[i] + *p; } \
                 void host(int *q) { cudaMemcpyToSymbol(p, &q, sizeof(q)); }";
    for declared in ["__device__ int *p;", "__device__ int *p = nullptr;", "__constant__ int *p;"] {
        let source = format!("{declared} {reads} {kernel}");
        let program = program(&source, &Options::default());
        assert_eq!(program.body.to_string(), "p[cast.i32.u64(n)] := 1", "{declared}");
        let said: Vec<&str> = program.notes.iter().map(|n| n.message.as_str()).collect();
        let wanted =
            "what `p` points to, as the host sets it, is assumed not to overlap with other arrays";
        assert_eq!(said, [wanted]);
    }
    for sets in [
        "__device__ int b[9]; __device__ int *p = b;",
        "__device__ int *p; __device__ void s(int *q) { p = q; }",
        "__device__ int *p; __device__ void s() { p++; }",
        "__device__ int *p; __device__ void f(int **q); __device__ void s() { f(&p); }",
        "__device__ int *p; __device__ void f(int *&q) { q = 0; } __device__ void s() { f(p); }",
        "__device__ int *p; __device__ void s(int *r) { int *&q = p; q = r; }",
        "__device__ int *p; __device__ int *q; __device__ void s() { std::swap(p, q); }",
    ] {
        let said = refusal(&format!("{sets} {kernel}"));
        let wanted = "a pointer of the file that not only the host sets";
        assert!(said.ends_with(wanted), "{sets}: {said}");
    }
}

/// Bytes are accessed in loops: by elements, where their number is seen to be one of those.
#[test]
fn many_bytes_are_loops() {
    for (statement, wanted) in [
        (
            "memset(f, 0, n * sizeof(float));",
            "if lt.i32(n, 0) { let o = stop[0] in skip } else { skip }; forU element in 0..n { let u = unknown[0] in f[element] := u }",
        ),
        ("memset(f, 0, 1024);", "forU element in 0..256 { let u = unknown[0] in f[element] := u }"),
        (
            "memcpy(f, g, 8 * (size_t)m);",
            "forU element in 0..mul.u64(m, 2) { let g_ = g[element] in f[element] := g_ }",
        ),
        (
            "memcpy(c, c + m, m);",
            "forU byte in 0..m { let c_ = c[add.u64(m, byte)] in c[byte] := c_ }",
        ),
        // What wraps around is the number that it is.
        (
            "memset(f, 0, z * 4);",
            "if lt.i64(mul.u64(z, 4), 0) { let o = stop[0] in skip } else { skip }; forU element in 0..rem.u64(z, 4611686018427387904) { let u = unknown[0] in f[element] := u }",
        ),
        ("memset(f, 0, 0);", "skip"),
    ] {
        let source = format!(
            "__global__ void k(float *f, const float *g, char *c, int n, unsigned m, size_t z) {{ {statement} }}"
        );
        assert_eq!(body(&source), wanted, "{statement}");
    }
}

/// What the host may set need not be what the file initializes it with, which a note says.
#[test]
fn tables_that_the_host_may_set() {
    let notes = |index: &str| {
        let source = format!(
            "__constant__ int T[2] = {{1, 2}};
            __global__ void k(int *A) {{ A[{index}] = 1; }}"
        );
        program(&source, &Options::default()).notes.iter().map(|n| n.message.clone()).collect()
    };
    let said: Vec<String> = notes("T[threadIdx.x]");
    assert_eq!(said, ["the host may set `T`: its initializer is not assumed"]);
    assert_eq!(notes("1"), Vec::<String>::new());
}

/// An element whose index is known is a constant.
#[test]
fn elements_of_tables() {
    let source = "__constant__ const short T[2][3] = {{4, -5}, {7, 8, 9}};
        const int N[] = {2, 3};
        __global__ void k(int *A) {
            for (int i = 0; i < N[1]; i++) A[10 + T[0][i]] = 1;
            A[sizeof(N) / sizeof(N[0])] = 1; }";
    let written = accesses(source, &[], 1, true, Mode::Write).expect("known");
    assert_eq!(written, [[14, 5, 10, 2]]);
}

/// Variables that are declared in one case are in scope in the next, and are no others.
#[test]
fn variables_of_cases() {
    check(
        "int x = 50; switch (t) { case 0: int x; x = 1; A[x] = 1; break;
         case 1: x = 2; A[x] = 1; break; default: int y = 3; A[y] = 1; } A[x] = 1;",
        &[],
        &[2, 50],
    );
    let source = "__global__ void k(int *A, int n) {
        switch (n) { case 0: int x = 1; A[x] = 1; break; case 1: A[2] = 1; } }";
    assert!(common::refusal(source).contains("variable that a case before the last initializes"));
}

#[test]
fn references_bind_places_or_copies() {
    let source =
        "__device__ void up(int &x, const long long &y, const int &z) { x = 7; x += y + z; }
        __global__ void k(int *A, int n) {
            int i = 1, j = 2;
            up(i, i, j);
            A[i] = 1;
            up(j, j + 1, j);
            A[j] = 1;
            int &r = i; r = 4; const int &s = r; r++; A[s] = 1; }";
    let written = accesses(source, &[("n", 0)], 1, false, Mode::Write).expect("known");
    assert_eq!(written, [[10, 17, 5]]);
}

#[test]
fn functions_that_are_only_declared_are_not_known() {
    let source = "__device__ float clamp(float x, float a, float b);
        __global__ void k(float *A) { A[0] = clamp(A[1], 0.0f, 1.0f); }";
    assert!(common::refusal(source).contains("`clamp`, which is not defined in this file"));
}

#[test]
fn operators_of_the_file_may_have_effects() {
    let kernel = |operator: &str| {
        format!(
            "struct V {{ float x; }}; __device__ int counter;
            __device__ float half_of(float x) {{ return x / 2; }}
            __device__ void log(float x) {{ counter = 1; }}
            __device__ V operator+(V a, V b) {{ {operator} }}
            __global__ void k(V *A) {{ A[threadIdx.x] = A[1] + A[2]; }}"
        )
    };
    for effect in
        ["log(a.x); return a;", "counter++; return a;", "atomicAdd(&counter, 1); return a;"]
    {
        assert!(
            common::refusal(&kernel(effect)).contains("operator that the file defines"),
            "{effect}"
        );
    }
    let pure = "V c; c.x = half_of(a.x) * b.x + fabsf(b.x); return c;";
    assert!(common::body(&kernel(pure)).contains("A[1]"));
}

/// A loop that is never entered evaluates its condition once.
#[test]
fn loops_that_are_never_entered() {
    check("int i = 0; while (i++ > 0 && A[5]) A[9] = 1; A[i] = 1;", &[], &[1]);
    check("do { A[0] = 1; } while (0); for (int i = 5; i < 4; i++) A[i] = 1;", &[], &[0]);
}

/// A negation at its edge, and a flag that either side of a branch may have raised.
#[test]
fn conditions_are_negated_and_joined() {
    let cells = |source: &str, n, thread: usize| {
        let source =
            format!("__global__ void k(int *A, int n) {{ int t = threadIdx.x; {source} }}");
        accesses(&source, &[("n", n)], 2, false, Mode::Write).expect("a kernel")[thread].clone()
    };
    let negated = "bool c = t < n; if (!c) A[t] = 1;";
    assert_eq!(cells(negated, 1, 0), Vec::<i64>::new());
    assert_eq!(cells(negated, 1, 1), [1]);
    let joined = "bool f = n > 5; if (t > 0) f = true; A[f] = 1;";
    assert_eq!([cells(joined, 5, 0), cells(joined, 5, 1)], [[0], [1]]);
    assert_eq!([cells(joined, 6, 0), cells(joined, 6, 1)], [[1], [1]]);
    let nested = "if (n > 5) A[0] = 1; else if (n > 3) A[1] = 1; else A[2] = 1;";
    assert_eq!([2, 4, 6].map(|n| cells(nested, n, 0)), [[2], [1], [0]]);
    assert_eq!(cells("int m = n - 6; if (m) A[t] = 1;", 5, 0), [0]);
}

/// Loops that divide what is negative, or that a parameter switches off.
#[test]
fn loops_that_divide_below_zero_or_never_run() {
    let cells = |source: &str, n| {
        let source = format!("__global__ void k(int *A, int n) {{ {source} }}");
        accesses(&source, &[("n", n)], 1, false, Mode::Write).expect("a kernel")[0].clone()
    };
    assert_eq!(
        cells("int x = n - 9; for (int i = 0; i < 2; i++) x = x / 2; A[x + 10] = 1;", 2),
        [9]
    );
    let switched = "for (int i = 0; i < 3 && n > 5; i++) A[i] = 1;";
    assert_eq!(cells(switched, 5), Vec::<i64>::new());
    assert_eq!(cells(switched, 6), [0, 1, 2]);
}

#[test]
fn a_warp_barrier_is_one_of_the_calculus() {
    let kernel = |call: &str| {
        format!(
            "__global__ void k(int *a) {{ a[threadIdx.x] = 1; {call}; a[0] = warpSize; return; }}"
        )
    };
    for call in ["__syncwarp()", "__syncwarp(0xffffffff)", "__syncwarp(-1)", "__syncwarp(~0u)"] {
        let body = body(&kernel(call));
        assert!(body.contains("sync.warp"), "{call}: {body}");
        assert!(!body.contains("sync;"), "{call}: {body}");
    }
    let of_warps = |warp| babycuda_core::Settings { warp: Some(warp), ..Default::default() };
    // A mask names all lanes of a warp of this size, or it is not of all.
    for (warp, mask, all) in [
        (4, "0xf", true),
        (4, "0x7", false),
        (16, "0xffff", true),
        (64, "0xffffffff", true),
        (64, "0xfffffffe", false),
        (64, "0xffffffffffffffffull", true),
        (128, "0xffffffffffffffffull", false),
    ] {
        let kernels = parse_cuda(&kernel(&format!("__syncwarp({mask})")), &of_warps(warp).into());
        let is_program = matches!(kernels.unwrap()[0].translation, Translation::Program(_));
        assert_eq!(is_program, all, "{warp}: {mask}");
    }
    let program = program(&kernel("__syncwarp()"), &of_warps(4).into());
    assert_eq!(program.geometry.warp, 4);
    assert!(program.body.to_string().contains("a[0] := 4"), "{}", program.body);
}
