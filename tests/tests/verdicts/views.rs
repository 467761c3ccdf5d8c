//! Arrays that are accessed at several types: accesses overlap where they share a byte.

use super::*;
use proptest::strategy::ValueTree;

/// The outcome for a kernel of these statements, in blocks of 64 threads.
fn outcome(statements: &str) -> Outcome {
    let source = format!(
        "struct pair {{ char tag; int first; double second; }};
         struct deep {{ pair p[2]; float w; }};
         __global__ void k(float *f, float4 *v, float3 *t, pair *p, deep *d, char *c, double *w, int2 *e, void *o) {{
             int i = threadIdx.x;
             {statements}
         }}"
    );
    kernel(&source, &Settings::default(), Some(Dim3::line(64))).verdict.outcome
}

fn all(cases: &[(&str, bool)]) {
    let wanted = |racy: bool| if racy { Outcome::Racy } else { Outcome::Drf };
    let found =
        cases.iter().map(|(statements, racy)| (*statements, outcome(statements), wanted(*racy)));
    let wrong: Vec<_> = found.filter(|(_, found, wanted)| found != wanted).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn accesses_overlap_where_they_share_a_byte() {
    all(&[
        // A vector's view of scalars, aligned and shifted.
        ("((float4 *)f)[i] = v[i];", false),
        ("((float4 *)f)[i] = v[i]; f[4 * i + 3] = 0;", false),
        ("((float4 *)f)[i] = v[i]; f[4 * i + 4] = 0;", true),
        ("*(float4 *)(f + 4 * i) = v[i];", false),
        ("*(float4 *)(f + 3 * i) = v[i];", true),
        ("float4 x = ((float4 *)f)[i]; f[i + 256] = x.x;", false),
        ("float4 x = ((float4 *)f)[i]; f[i + 255] = x.x;", true),
        ("((float2 *)v)[2 * i + 1] = ((float2 *)v)[2 * i];", false),
        ("((float2 *)v)[2 * i + 1] = ((float2 *)v)[2 * i + 3];", true),
        ("((double *)f)[i] = f[2 * i];", false),
        ("((double *)f)[i] = f[i];", true),
        ("for (char *q = (char *)v, *r = q + 3; q != r; ++q) *q = 1;", true),
        ("for (char *q = (char *)&v[i], *r = q + 3; q != r; ++q) *q = 1;", false),
        // Narrower than what is declared.
        ("((char *)w)[i] = 1;", false),
        ("((char *)w)[8 * i + 7] = 1; w[i] = 0;", false),
        ("((char *)w)[8 * i + 8] = 1; w[i] = 0;", true),
        ("((short *)c)[i] = c[2 * i];", false),
        ("((short *)c)[i] = c[2 * i + 2];", true),
        // Of no type at all.
        ("((int *)o)[i] = 1;", false),
        ("((int *)o)[i] = ((short *)o)[2 * i + 1];", false),
        ("((int *)o)[i] = ((short *)o)[i];", true),
        // Components.
        ("v[i].x = v[i].y;", false),
        ("v[0].x = i;", true),
        ("v[i].x = 1; f[i] = v[i + 1].y;", false),
        ("v[i].x = 1; f[i] = v[i + 1].x;", true),
        ("v[i].z = 1; v[i + 64] = v[i];", false),
        ("v[i].z = 1; v[i + 63] = v[i];", true),
        ("t[i].z = t[i].x;", false),
        ("((float *)t)[3 * i + 2] = t[i].x;", false),
        ("((float *)t)[2 * i + 2] = t[i].x;", true),
        ("e[i].x = e[i + 1].y;", false),
        ("(&e[i])->x = (&e[i] + 1)->x;", true),
        ("float *q = &v[i].x; q[3] = 1;", false),
        ("float *q = &v[i].x; q[4] = q[0];", true),
        // Fields, with what C leaves empty between them.
        ("p[i].tag = 1; ((char *)p)[16 * i + 4] = 0;", false),
        ("p[i].tag = 1; ((char *)p)[8 * i + 8] = 0;", true),
        ("p[i].first = p[i].second;", false),
        ("p[i].first = p[i + 1].first;", true),
        ("p[i].first = 1; ((int *)p)[4 * i + 1] = 0;", false),
        ("p[i].first = 1; ((int *)p)[4 * i + 5] = 0;", true),
        ("pair x = p[i]; p[i + 64] = x;", false),
        ("pair x = p[i]; p[i + 1].tag = 1;", true),
        ("d[i].p[0].first = d[i].p[1].first;", false),
        ("d[i].p[0].first = d[i + 1].p[0].first;", true),
        ("d[i].p[1].first = d[i].w; d[i].p[i & 1].tag = 1;", false),
        ("d[i].p[i & 1].first = d[i + 1].p[0].first;", true),
        ("d[0].p[i].first = 1;", false),
        ("d[0].p[i & 1].first = 1;", true),
        // What was read decides.
        ("int j = p[i].first; w[j] = p[i].second;", true),
        ("unsigned j = d[i].p[0].first; f[j] = d[i].w;", true),
        ("int j = e[i].x; f[j] = 1;", true),
    ]);
}

#[test]
fn shared_memory_is_carved() {
    all(&[
        ("extern __shared__ char s[]; ((float *)s)[i] = 1; ((int *)(s + 256))[i] = 2;", false),
        ("extern __shared__ char s[]; ((float *)s)[i] = 1; ((int *)(s + 252))[i] = 2;", true),
        (
            "extern __shared__ char s[]; float *a = (float *)s; double *b = (double *)&a[64]; a[i] = b[i] = 1;",
            false,
        ),
        (
            "extern __shared__ char s[]; float *a = (float *)s; double *b = (double *)&a[62]; a[i] = b[i] = 1;",
            true,
        ),
        (
            "extern __shared__ float x[]; x[i] = 1; { extern __shared__ double y[]; y[i + 32] = 1; }",
            false,
        ),
        (
            "extern __shared__ float x[]; x[i] = 1; { extern __shared__ double y[]; y[i + 31] = 1; }",
            true,
        ),
        ("__shared__ char s[256]; ((int *)s)[i] = 1;", false),
        ("__shared__ char s[256]; ((int *)s)[i] = s[0];", true),
        ("__shared__ float4 s[8]; ((float *)s)[i] = 1; __syncthreads(); v[i] = s[i & 7];", false),
        ("__shared__ float4 s[8]; ((float *)s)[i] = 1; v[i] = s[i & 7];", true),
    ]);
}

/// Bytes that are copied or filled are accessed, all of them and no others; what they are is unknown then.
#[test]
fn ranges_of_bytes_are_accesses() {
    all(&[
        ("memcpy(&f[4 * i], &v[i], 16);", false),
        ("memcpy(&f[3 * i], &v[i], 4 * sizeof(float));", true),
        ("memcpy(&f[4 * i], &w[i], 8); w[i] = 1;", false),
        ("memcpy(&f[4 * i], &w[i], 9); w[i] = 1;", true),
        ("memmove(&w[i], &w[i + 1], sizeof(double));", true),
        ("memset(&f[2 * i], 0, 8);", false),
        ("memset(&f[2 * i], 0, 9);", true),
        ("int x = i; memcpy(&x, &f[i], 4); f[i] = x;", false),
        ("memset(&f[128 * i], 0, 512);", false),
        ("memset(&f[128 * i], 0, 513);", true),
        ("memcpy(&f[127 * i], v, 512);", true),
        // Of a number that values decide.
        ("const int n = gridDim.x; memset(&f[n * i], 0, n * sizeof(float));", false),
        ("const int n = i % 3; memset(&f[2 * i], 0, n * sizeof(float));", false),
        ("const int n = 2 - i % 3; memset(&f[i], 0, n * sizeof(float));", true),
        ("const int n = 4 - i % 5; memset(&f[i], 0, n);", false),
        ("const unsigned n = 5 - i % 6; memset(&f[i], 0, n);", true),
        ("const int n = i % 3; memcpy(&v[i], f, 16 * (n - 1));", false),
        (
            "const int n = i % 3; float4 x[3]; memcpy(x, &v[i], sizeof(float4) * n); v[i] = x[0];",
            true,
        ),
    ]);
}

/// Which part of a thread's own variable is changed does not matter: nothing is known of it then.
#[test]
fn parts_of_own_variables() {
    all(&[
        ("float4 x = v[i]; float *q = &x.x; q[2] = 1; v[i] = x;", false),
        ("float4 x = v[i]; ((float *)&x)[2] = 1; v[i] = x;", false),
        ("int x = i; *(char *)&x = 0; f[i] = x;", false),
        ("pair x; x.first = i; f[i] = x.first;", false),
        ("deep x; x.p[i & 1].first = 1; f[i] = x.p[0].first;", false),
        ("deep x; x.w = 1; d[0] = x;", true),
    ]);
    all(&[("const int table[4] = {0, 1, 2, 3}; f[4 * i + ((const char *)table)[4]] = 1;", false)]);
    // The value of `x` is not known any more: it is no race that it is `i / 2`. A `char` may be any byte of an object.
    for data in [
        "int x = i / 2; *(short *)&x = 7; f[x] = 1;",
        "pair x; x.first = i; for (int j = 0; j < 200 + i; j++) ((char *)&x)[j & 15] = 0; f[x.first] = i;",
        "pair x; x.tag = x.first = i; f[((char *)&x)[i & 7]] = i;",
        "deep x; x.p[0].tag = i; char *y = (char *)&x; y[i & 31] = 0; f[x.p[0].tag] = i;",
    ] {
        let found = outcome(data);
        assert!(matches!(found, Outcome::Unknown(_)), "{data}: {found:?}");
    }
}

/// A view: its type, its size, and the bytes from the beginning of the array of a thread's access.
type View = (&'static str, u64, Box<dyn Fn(u64) -> u64>);

/// Any two views of one array, against a count of bytes.
#[test]
fn overlaps_are_those_of_bytes() {
    let sizes = [
        ("char", 1),
        ("short", 2),
        ("float", 4),
        ("float3", 12),
        ("int2", 8),
        ("float4", 16),
        ("tri", 6),
    ];
    let views = (0..sizes.len(), 0..40u64, 0..5u64, 0..4u64);
    let declared = prop::sample::select(vec!["char", "short", "int", "float4", "void", "tri"]);
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let (mut racy, mut free) = (0, 0);
    for _ in 0..400 {
        let mut view = || -> (String, View) {
            let tree = views.new_tree(&mut runner).expect("a view");
            let (kind, base, step, skip) = tree.current();
            let (name, size) = sizes[kind];
            let text = format!("(({name} *)((char *)a + {base}))[{step} * i + {skip}]");
            (text, (name, size, Box::new(move |i| base + (step * i + skip) * size)))
        };
        let ((read, r), (write, w)) = (view(), view());
        let declared = declared.new_tree(&mut runner).expect("a type").current();
        let touches = |v: &View, i: u64, byte: u64| (v.2(i)..v.2(i) + v.1).contains(&byte);
        let overlap =
            |v: &View, i: u64, j: u64| (w.2(i)..w.2(i) + w.1).any(|byte| touches(v, j, byte));
        let pairs = || (0..6).flat_map(|i| (0..6).map(move |j| (i, j))).filter(|(i, j)| i != j);
        let wanted = pairs().any(|(i, j)| overlap(&r, i, j) || overlap(&w, i, j));
        let source = format!(
            "struct tri {{ short x[3]; }};
             __global__ void k({declared} *a) {{
                 int i = threadIdx.x; {} x = {read}; {} y; {write} = y;
             }}",
            r.0, w.0
        );
        let settings = Settings { block: Some(Dim3::line(6)), ..Settings::default() };
        let checked = kernel(&source, &settings, settings.block);
        let wanted_outcome = if wanted { Outcome::Racy } else { Outcome::Drf };
        assert_eq!(checked.verdict.outcome, wanted_outcome, "{source}");
        if wanted { racy += 1 } else { free += 1 }
    }
    assert!(racy >= 60 && free >= 60, "{racy} racy, {free} race-free");
}

/// A structure of 12 bytes whose alignment is said as a whole is laid out with it: a write behind the fields
/// meets nobody.
#[test]
fn an_alignment_that_is_said_is_kept() {
    for structure in [
        "struct __align__(16) S { float x, y, z; };",
        "typedef struct __align__(16) { float x, y, z; } S;",
        "struct __attribute__((aligned(16))) S { float x, y, z; };",
        "struct alignas(16) S { float x, y, z; };",
    ] {
        for (place, wanted) in [(12, Outcome::Drf), (16, Outcome::Racy), (24, Outcome::Drf)] {
            let source = format!(
                "{structure}
                 __global__ void k(S *s) {{
                     int t = threadIdx.x;
                     s[t].x = 1;
                     if (t == 2) ((char *)s)[{place}] = 1;
                 }}"
            );
            let block = Some(Dim3::line(3));
            let checked = kernel(&source, &Settings { block, ..Settings::default() }, block);
            assert_eq!(checked.verdict.outcome, wanted, "{source}");
        }
    }
}

/// A structure whose layout is said in any other way has another one than its fields say: the built-in parser
/// looks no further.
#[test]
fn a_layout_that_is_said_is_not_guessed() {
    for structure in [
        "struct S { float x; __align__(16) float y; };",
        "struct S { float x; alignas(16) float y; };",
        "struct S { char c; float x __attribute__((packed)); };",
        "typedef int wide __attribute__((aligned(16))); struct S { float x; wide y; };",
        "using wide = int __attribute__((aligned(16))); struct S { float x; wide y; };",
        "#pragma pack(push, 1)\nstruct S { char c; float x; };\n#pragma pack(pop)",
        "_Pragma(\"pack(1)\")\nstruct S { char c; float x; };",
        "struct S { char c; void (*f)(int); float x; };",
        "struct S { char c; void ( * f[2])(int); float x; };",
    ] {
        let source = format!(
            "{structure}
             __global__ void k(S *s) {{
                 s[threadIdx.x].x = 1;
                 ((char *)s)[4 * threadIdx.x + 200] = 1;
             }}"
        );
        let kernels = parse_cuda(&source, &Settings::default().into()).expect("readable");
        assert!(matches!(kernels[0].translation, Translation::Unsupported(_)), "{structure}");
    }
}

/// What the host stored in several cells is the same whoever reads it.
#[test]
fn a_long_field_beside_short_ones_is_one_number() {
    let structure = "struct S { int n; long at; short v[4]; };";
    let racy = |statement: &str| {
        let source = format!("{structure} __global__ void k(S *s, int *a) {{ {statement} }}");
        let block = Some(Dim3::line(3));
        let checked = kernel(&source, &Settings { block, ..Settings::default() }, block);
        checked.verdict.outcome
    };
    assert_eq!(racy("a[s[blockIdx.x].at + threadIdx.x + s[0].v[1]] = s[1].n;"), Outcome::Drf);
    assert_eq!(racy("a[s[threadIdx.x].at] = s[1].n + s[0].v[1];"), Outcome::Racy);
    // The highest cells count, too.
    assert_eq!(racy("if (s[0].at >> 40 == 3) a[s[0].v[1]] = s[1].n;"), Outcome::Racy);
    // Written by the kernel, it is data.
    let written = racy("a[s[blockIdx.x].at + threadIdx.x] = 1; s[threadIdx.x].v[1] = s[4].n;");
    assert!(matches!(written, Outcome::Unknown(_)), "{written:?}");
}

/// Nothing is known of where a pointer points that is compared with none.
#[test]
fn null_pointers_are_compared() {
    let outcome = |statements: &str| {
        let source = format!(
            "__global__ void k(int *a, int *b, int n) {{ int t = threadIdx.x; {statements} }}"
        );
        let block = Some(Dim3::line(3));
        kernel(&source, &Settings { block, ..Settings::default() }, block).verdict.outcome
    };
    assert_eq!(outcome("if (a != NULL) a[t] = 1;"), Outcome::Drf);
    assert_eq!(outcome("if (nullptr == a && t == 0) b[0] = 1;"), Outcome::Drf);
    assert!(matches!(outcome("if (a != NULL) a[0] = 1;"), Outcome::Unknown(_)));
    assert_eq!(outcome("int *p = NULL; p = n ? b + t : b + t; *p = 1;"), Outcome::Drf);
    assert_eq!(outcome("int *p = NULL; p = b; p[0] = t;"), Outcome::Racy);
}
