//! The typed trees of kernels: well formed whatever is read, with every conversion, and with a node for
//! what is not understood.

use babycuda_frontend::{Options, parse_cuda};
use babycuda_kernel::{Graph, Kernel, Node};
use std::fs;
use std::path::{Path, PathBuf};

/// The trees of a file's kernels; each is well formed.
#[track_caller]
fn trees(source: &str) -> Vec<Kernel> {
    let kernels = parse_cuda(source, &Options::default()).unwrap_or_else(|e| panic!("{e}"));
    let trees = kernels.into_iter().filter_map(|kernel| Some((*kernel.tree?).clone()));
    let trees: Vec<Kernel> = trees.collect();
    for tree in &trees {
        if let Err(wrong) = tree.check() {
            panic!("{wrong} at {:?}\n{tree}\n{source}", tree[wrong.at]);
        }
        for function in &tree.functions {
            assert!(!Graph::of(function).reachable().is_empty());
        }
    }
    trees
}

/// The text of the only kernel's tree.
fn text(source: &str) -> String {
    match &trees(source)[..] {
        [tree] => tree.to_string(),
        other => panic!("{} trees", other.len()),
    }
}

fn files() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = ["../tests/corpus", "tests/goldens"].map(|folder| root.join(folder));
    let entries = folders.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten();
    let mut paths: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "cu"));
    paths.sort();
    paths
}

#[test]
fn the_corpus_is_understood() {
    let mut count = 0;
    for path in files() {
        let source = fs::read_to_string(&path).expect("a file");
        for tree in trees(&source) {
            count += 1;
            for function in &tree.functions {
                let unknown = Node::from(&function.body).subterms().find_map(Node::unsupported);
                assert_eq!(unknown, None, "{}", path.display());
            }
        }
    }
    assert!(count > 200, "{count} kernels");
}

/// What is cut out of a file, or put twice, leaves trees that are well formed.
#[test]
fn trees_of_broken_files_are_well_formed() {
    let (mut state, mut whole) = (0x2545_f491_4f6c_dd1d_u64, 0);
    let mut below = |n: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n.max(1)
    };
    let sources: Vec<String> =
        files().into_iter().map(|path| fs::read_to_string(path).expect("a file")).collect();
    for round in 0..400 {
        let source = &sources[round % sources.len()];
        let words: Vec<&str> = source.split_inclusive(|c: char| !c.is_alphanumeric()).collect();
        let (at, other) = (below(words.len()), below(words.len()));
        let mut broken = words.clone();
        match round % 3 {
            0 => broken[at] = " ",
            1 => broken[at] = words[other],
            _ => broken.insert(at, words[other]),
        }
        if let Ok(kernels) = parse_cuda(&broken.concat(), &Options::default()) {
            let trees = kernels.iter().filter_map(|kernel| kernel.tree.as_ref());
            for tree in trees {
                assert_eq!(tree.check(), Ok(()), "{}\n{tree}", broken.concat());
                whole += 1;
            }
        }
    }
    assert!(whole > 200, "{whole} trees");
}

#[test]
fn conversions_and_instances_are_explicit() {
    let source = "
        #define AT(p, i) p[i]
        template <class T, int N> __device__ T scaled(T x, const unsigned &by) {
            __shared__ T kept[N * 2];
            kept[0] = x;
            return x * by;
        }
        enum { FIRST = 3 };
        __constant__ const short table[] = {1, FIRST, -1};
        __global__ void k(float *out, const int *in, unsigned n) {
            unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n && AT(in, i)) out[i] += scaled<short, FIRST + 1>(in[i], i) + table[1];
            for (char c = 0; c < 3; c++) { if (c == 1) continue; out[c] = c; }
        }";
    let wanted = "\
__constant__ const short table[3ul] = (short [3ul]){(short)1, (short)3, (short)-1};
__device__ short scaled(short x, unsigned int &by) {
    __shared__ short kept[8];
    kept[0] = x;
    return (short)(((unsigned int)x) * by);
}
__global__ void k(float *out, int *in, unsigned int n) {
    unsigned int i = (blockIdx.x * blockDim.x) + threadIdx.x;
    if ((i < n) && ((bool)in[i])) {
        out[i] += (float)(((int)scaled((short)in[i], i)) + ((int)table[1]));
    }
    for (signed char c = (signed char)0; ((int)c) < 3; c++) {
        if (((int)c) == 1) {
            continue;
        }
        out[c] = (float)c;
    }
}";
    assert_eq!(text(source), wanted);
}

/// Both operands are converted to their common type, and a comparison is a truth value.
#[test]
fn operators_compute_at_the_common_type() {
    let source = "__global__ void k(int *a, int n, unsigned u, bool b) {
        a[0] = n + u; a[1] = u + n; a[2] = n < u; b = n < 1; }";
    let wanted = "\
__global__ void k(int *a, int n, unsigned int u, bool b) {
    a[0] = (int)(((unsigned int)n) + u);
    a[1] = (int)(u + ((unsigned int)n));
    a[2] = (int)(((unsigned int)n) < u);
    b = n < 1;
}";
    assert_eq!(text(source), wanted);
}

#[test]
fn what_is_not_understood_is_a_node() {
    let source = "__global__ void k(int *a, int n) {
        a[0] = 1;
        if (n && lambda([](int x) { return x; })) goto end;
        a[1] = mystery(a[2]);
        end: a[3] = 4;
    }";
    let tree = text(source);
    for wanted in [
        "a[0] = 1;",
        "if (((bool)n) && /* not understood: call of `lambda`, which is not defined in this file */)",
        "/* not understood: goto */",
        "/* not understood: call of `mystery`, which is not defined in this file */",
    ] {
        assert!(tree.contains(wanted), "{wanted}\n{tree}");
    }
}

/// Each instance of a template is a function, and calls of one instance call the same.
#[test]
fn functions_are_resolved_once_for_each_instance() {
    let source = |calls: &str| {
        format!(
            "template <class T> __device__ T f(T x, int &y) {{ y = 1; return x; }}
             __global__ void k(int *a, short s) {{ int t = a[0]; {calls} }}"
        )
    };
    for (calls, functions) in [
        ("f(1, t); f(t, t);", 1),
        ("f(1, t); f(s, t); f(2, t); f(s, t);", 2),
        ("f<int>(s, t); f(t, a[1]);", 1),
        ("f<int>(1, t); f<long>(1, t);", 2),
    ] {
        let tree = trees(&source(calls)).remove(0);
        assert_eq!(tree.functions.len(), 1 + functions, "{calls}\n{tree}");
    }
}

/// Of what a macro makes, both places are known: that of its use, and that in its definition.
#[test]
fn macros_have_two_places() {
    let source = "#define NEXT(i) ((i) + 1)\n#define AT(p, i) p[NEXT(i) * 2]\n\
        __global__ void k(int *a) { AT(a, 5) = 3; }";
    let tree = trees(source).remove(0);
    let body = &tree.entry().expect("a function").body;
    let both = Node::from(body).subterms().filter_map(|node| {
        let origin = &tree[node.at()];
        Some((&source[origin.bytes.clone()], &source[origin.spelled.clone()?]))
    });
    let both: Vec<(&str, &str)> = both.collect();
    // The place, the product, the sum in it, and the literals: each where it begins.
    let used = "AT(a, 5)";
    let wanted = ["[NEXT(i) * 2]", "((i) + 1)", "(i) + 1", "1", "2"];
    assert!(wanted.iter().all(|text| both.contains(&(used, text))), "{both:?}");
    assert!(both.iter().all(|(at, _)| *at == used), "{both:?}");
}

#[test]
fn structures_have_fields_where_c_puts_them() {
    let source = "typedef struct Node { char c; double d; short s[3]; Node *next; float4 v; } N;
        struct Odd { int bits : 3; };
        __global__ void k(int *a, N *p, Odd *o) {
            N n = p[threadIdx.x];
            a[n.s[1]] = p->next->c + sizeof(N) + o->bits;
        }";
    let tree = trees(source).remove(0);
    let fields: Vec<(&str, u64)> =
        tree.records[0].fields.iter().map(|f| (f.name.as_str(), f.offset)).collect();
    assert_eq!(fields, [("c", 0), ("d", 8), ("s", 16), ("next", 24), ("v", 32)]);
    assert_eq!(tree.records[0].size, 48);
    let wanted = "a[n.s[1]] = (int)((((unsigned long)(*(*p).next).c) + 48ul) + (*o).bits);";
    let text = tree.to_string();
    assert!(text.contains(wanted), "{text}");
}

#[test]
fn what_is_said_of_a_structures_alignment_counts() {
    let size = |before: &str, declared: &str, behind: &str| {
        let source = format!(
            "{before} {declared} {{ float a; char b; }} {behind}; struct Out {{ char c; T t; }};
             __global__ void k(Out *o) {{ o->t.a = 1; }}"
        );
        let tree = trees(&source).remove(0);
        let named =
            |name: &str| tree.records.iter().find(|r| r.name == name && !r.fields.is_empty());
        named("Out").map(|out| (out.size, out.align, out.fields[1].offset))
    };
    assert_eq!(size("", "struct T", ""), Some((12, 4, 4)));
    assert_eq!(size("", "typedef struct", "T"), Some((12, 4, 4)));
    assert_eq!(size("", "struct __align__(16) T", ""), Some((32, 16, 16)));
    assert_eq!(size("", "struct alignas(32) T", ""), Some((64, 32, 32)));
    assert_eq!(size("", "typedef struct __attribute__((aligned(8))) T_", "T"), Some((16, 8, 8)));
    // Less than the fields ask for is nothing.
    assert_eq!(size("", "struct __align__(2) T", ""), Some((12, 4, 4)));
    assert_eq!(size("", "struct __attribute__((packed)) T", ""), Some((6, 1, 1)));
    assert_eq!(size("", "typedef struct __attribute__((__packed__)) T_", "T"), Some((6, 1, 1)));
    // What is not understood is opaque.
    for (declared, behind) in [
        ("struct __align__(N) T", ""),
        ("struct __align__(3) T", ""),
        ("struct T", "__attribute__((packed))"),
        ("struct __attribute__((packed)) __align__(4) T", ""),
        ("struct __attribute__((packed, aligned(8))) T", ""),
        ("struct T", "__attribute__((aligned(16)))"),
        ("typedef struct", "__attribute__((aligned(16))) T"),
    ] {
        assert_eq!(size("", declared, behind), None, "{declared} {behind}");
    }
    assert_eq!(size("typedef float odd __attribute__((aligned(16)));", "struct T", ""), None);
}
