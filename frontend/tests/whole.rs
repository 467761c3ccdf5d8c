//! Files that are no text, or that end too early, are errors with their places; all other files are read.

use babycuda_frontend::{FrontendError, Kernel, Options, Translation, parse_cuda};

fn broken(source: &str) -> Option<(u32, u32, String)> {
    match parse_cuda(source, &Options::default()) {
        Err(FrontendError::Broken { span, message }) => Some((span.line, span.column, message)),
        Err(other) => panic!("{other}\n{source}"),
        Ok(_) => None,
    }
}

const KERNEL: &str = "__global__ void k(int *a) { a[threadIdx.x] = 1; }\n";

#[test]
fn what_is_cut_off_is_an_error() {
    for (source, line, column, what) in [
        ("int f(int x) {\n  return x", 1, 14, "`{`"),
        ("int t[] = {1,\n 2", 1, 11, "`{`"),
        ("int f(int", 1, 6, "`(`"),
        ("// text\n  /* never ends", 2, 3, "comment"),
        ("/* one */ /* another", 1, 11, "comment"),
    ] {
        let found = broken(source).unwrap_or_else(|| panic!("{source}"));
        assert!(
            (found.0, found.1) == (line, column) && found.2.contains(what),
            "{found:?}\n{source}"
        );
        // Also behind a kernel.
        let found = broken(&format!("{KERNEL}{source}")).unwrap_or_else(|| panic!("{source}"));
        assert_eq!((found.0, found.1), (line + 1, column), "{source}");
    }
    // A kernel that is cut off is unknown.
    let cut = parse_cuda("__global__ void k(int *a) {\n  a[0] = 1;\n", &Options::default());
    let unknown = |kernel: &Kernel| matches!(kernel.translation, Translation::Unsupported(_));
    assert!(cut.is_ok_and(|kernels| kernels.len() == 1 && unknown(&kernels[0])));
}

#[test]
fn what_is_no_text_is_an_error() {
    let found = broken("\u{7f}ELF\u{2}\n\u{1}\0\0\0").expect("no text");
    assert_eq!((found.0, found.1), (2, 2));
    assert!(broken(&format!("{KERNEL}\0")).is_some());
}

#[test]
fn other_files_are_whole() {
    for source in [
        "",
        "\n",
        "// text without an end",
        "/**/",
        "/* a */",
        "char c = '{'; const char *s = \"(\"; // {\n",
        "#define OPEN {\n",
        "#define OPEN {\nvoid f() OPEN }\n",
        "#if 0\n{\n#endif\n",
        "#ifdef __linux__\nvoid f() {\n#else\nvoid f(int) {\n#endif\n}\n",
        // The bracket may stand in a branch that is not read.
        "void f() {\n#ifdef _WIN32\n}\n#endif\n",
        "#ifndef NDEBUG\nvoid f() {\n#endif\n",
        "auto s = R\"x({)x\";",
        "int a<::> = <% 1 %>;",
        // Something else is wrong with it.
        "}",
        "void f() { ( }",
    ] {
        assert_eq!(broken(source), None, "{source}");
    }
}

/// An explicit instantiation defines no kernel; the template does.
#[test]
fn explicit_instantiations_are_no_kernels() {
    let template = "template <int N> __global__ void k(int *a) { a[threadIdx.x % N] = 1; }\n";
    for (behind, others) in [
        ("template __global__ void k<4>(int *a);\ntemplate __global__ void k<8>(int *);\n", 0),
        ("extern template __global__ void k<4>(int *a);\n", 0),
        // Not what has a body, or a macro for one.
        ("template <> __global__ void k<4>(int *a) { a[0] = 1; }\n", 1),
        ("/* a template */ __global__ void l(int *a) BODY;\n", 1),
        // Nor what no template of the file is made of: a header may have it.
        ("template __global__ void other<4>(int *a);\n", 1),
    ] {
        let kernels = parse_cuda(&format!("{template}{behind}"), &Options::default()).unwrap();
        assert_eq!(kernels.len(), 1 + others, "{behind}: {kernels:?}");
    }
}

/// CUDA's words for how a callback is called say nothing of the kernels of a file.
#[test]
fn callbacks_are_functions() {
    let source = format!(
        "#ifdef _WIN32\ntypedef void *T;\n#else\ntypedef long T;\n#endif\n\
         void CUDART_CB called(cudaStream_t s, cudaError_t status, void *a) {{ T t = 0; use(t, a); }}\n{KERNEL}"
    );
    let kernels = parse_cuda(&source, &Options::default()).unwrap();
    assert!(matches!(kernels[0].translation, Translation::Program(_)), "{:?}", kernels[0]);
}
