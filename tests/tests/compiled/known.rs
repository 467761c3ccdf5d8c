//! Kernels on which the translation was once wrong, or nearly was: the smallest of each kind.

use crate::case::{Array, Case, Setting, Source};
use babycuda_frontend::Overflow;

/// The pointer parameter `int *a`, and the parameters of type `int`; on 4 threads.
fn case(text: &str, call: &str, params: &[(&str, i128)]) -> Case {
    let array = |name: &str, values: Vec<u64>| Array {
        name: name.to_owned(),
        bits: 32,
        global: true,
        constant: false,
        values,
        fill: 0,
    };
    Case {
        seed: 0,
        source: Source::Text(text.to_owned()),
        call: call.to_owned(),
        params: params.iter().map(|(name, _)| (*name).to_owned()).collect(),
        arrays: vec![array("a", vec![3, 1, 2, 0, 5]), array("b", vec![1, 0, 0, 2])],
        settings: vec![Setting {
            grid: [1; 3],
            block: [4, 1, 1],
            params: params.iter().map(|(_, value)| *value).collect(),
        }],
        overflow: Overflow::Wrap,
    }
}

/// A kernel `k(int *a, int n)` with this body, `n` being 3.
fn body(lines: &str, body: &str) -> Case {
    let text = format!("{lines}\n__global__ void k(BC_PTR(int) a, int n) {{\n{body}\n}}\n");
    case(&text, "k(Ptr<int>(\"a\"), (int)rt_param(0))", &[("n", 3)])
}

/// All of them.
pub fn cases() -> Vec<Case> {
    let plain = |text: &str| body("", text);
    let loops = |body: &str| {
        let text =
            format!("__global__ void k(BC_PTR(int) a, BC_CPTR(int) b, int n) {{\n{body}\n}}\n");
        case(&text, "k(Ptr<int>(\"a\"), Ptr<int>(\"b\"), (int)rt_param(0))", &[("n", 3)])
    };
    vec![
        // Limits that are read in each round.
        loops("for (int e = a[threadIdx.x]; e < a[n]; e++) { int x = b[e]; } a[n] = 1;"),
        loops("a[n] = 2; for (int i = 0; i < a[n]; i++) { int x = b[i]; } __syncthreads(); a[n] = 1;"),
        loops("for (int e = b[threadIdx.x]; e < b[n]; e++) a[e] = b[e];"),
        loops("for (int i = 0; i < b[b[n]]; ++i) { a[i] = 1; __syncthreads(); a[i + 1] = n; }"),
        loops("int i = 0; while (i++ < b[0] + b[n]) a[threadIdx.x * i] = b[i];"),
        loops("int i = 4; do a[i] = 1; while (i-- > b[threadIdx.x]); a[i] = 2;"),
        loops("for (int k = 0; k < b[threadIdx.x] + 2 && k < 2; ++k) a[k] = k;"),
        loops("for (int i = b[n]; i < b[0] + 2; ++i) for (int j = b[i]; j <= b[i + 1]; ++j) a[j] = i;"),
        plain("int i = 1; while (i-- > 0) a[threadIdx.x * i] = 1;"),
        plain("int d = 2; do a[threadIdx.x * d] = 1; while (--d >= 0);"),
        plain("int i = 4; while (--i && n < 4) a[threadIdx.x + i] = 1; a[i] = 2;"),
        plain("while (n--) { a[threadIdx.x + n] = n; __syncthreads(); }"),
        plain("unsigned char x = 1; for (int j = 0; j < 256; ++j) x *= 2; a[x] = 1;"),
        plain("unsigned char x = 1; for (int j = 0; j < n * 3; ++j) x *= 2; a[x] = 1;"),
        plain("int x = -1; for (int j = 0; j < n; ++j) x = x / 2u; a[x & 15] = 1;"),
        body("#define FOR(i, n) for (int i = 0; i < n; ++i)", "FOR(i, 3) a[i * threadIdx.x] = 1;"),
        body("#define MINUS(a) -a", "int x = 5; a[-MINUS(x)] = 1;"),
        body("#define INC(x) x++", "int x = 5; INC(x); a[x] = 1;"),
        body("#define ACC(x, y) x += y", "int x = 5; ACC(x, 2); a[x] = 1;"),
        plain("int x = 2; a[3 + -x++] = x; a[~x--] = x; if (!x--) a[7] = x; a[x] = (char)x++;"),
        plain("BC_PTR(int) p = a; *p++ = 1; *++p = 2; a[-*p--] = *p; int y = -*p++; a[y] = y;"),
        body("#define CAT(a, b) a##b", "int CAT(x, 1) = 5; a[x1] = 1;"),
        body("#define SET(p, ...) p[__VA_ARGS__] = 1", "SET(a, threadIdx.x);"),
        body("#define MSG(x) printf(#x)", "MSG(x + y); a[threadIdx.x] = 1;"),
        case(
            "__global__ void k(BC_PTR(int) a, long long q) {
               int w = threadIdx.x - q; if (9 <= (long long)(unsigned)w) a[0] = 1; }",
            "k(Ptr<int>(\"a\"), rt_param(0))",
            &[("q", 9)],
        ),
        // Some threads overflow, and never come to the barrier.
        plain(
            "BC_VAR(int) w = BC_LIT(2147483645); a[threadIdx.x] = 1; w += (int)threadIdx.x; a[5] = w;
             __syncthreads(); a[7] = 1;",
        ),
        plain(
            "BC_VAR(int) x = 2147483646; BC_VAR(short) y = threadIdx.x; a[3] = 1; y = BC_VAL(y + x);
             a[y & 3] = 2; if (y > 0) __syncthreads(); a[y & 1] = 3;",
        ),
        // What changes places, and what goes around.
        plain("int s = 1; for (int i = 0; i < n; i++) { a[s] = i; s = (s + 2) % 3; } a[s + 3] = 1;"),
        plain("unsigned s = 7; for (int i = 0; i < n; i++) { a[s] = i; s = (s + 1) % 4; } a[s] = 1;"),
        plain("int x = 1, y = 2; for (int i = 0; i < n; i++) { a[x] = i; int z = x; x = y; y = z; } a[y + 2] = 1;"),
        plain("int x = 1, y = 2, z = 5; for (int i = 0; i < n; i++) { a[x] = i; int w = x; x = y; y = z; z = w; } a[z] = 1;"),
        plain("BC_PTR(int) p = a; BC_PTR(int) q = a + 3; for (int i = 0; i < n; i++) { p[threadIdx.x] = i; BC_PTR(int) x = p; p = q; q = x; } *q = 7;"),
        plain("int w = 2147483647; if (!a[1]) { int v = w * 2; } else { a[2] = 1; }"),
        plain("BC_VAR(int) x = n; int v = (x) - x % 2; if (v < n || n > (x)) a[v] = 1;"),
        body(
            "__device__ int clamp(BC_PTR(int) p, int x) { p[x] = 1; return 1; }",
            "if (threadIdx.x < 2 && clamp(a, 0)) a[7] = 1;",
        ),
        body(
            "__device__ int dot(BC_PTR(int) p, int x) { return p[x]; }",
            "if (threadIdx.x == 0 || dot(a, 1)) a[threadIdx.x] = 1;",
        ),
    ]
}
