//! Files that are no translation unit by themselves: the text around their `#include` is read, and nothing
//! of it is a kernel of theirs.

use super::{kernels, with};
use babycuda_frontend::{Includer, Options};

const KERNEL: &str = "__global__ void k(real *a) { a[threadIdx.x * STEP] = one(); }";

fn part_of(text: &str) -> Options {
    let start = text.find("#include \"k.cu\"").expect("it is included");
    let include = start..start + "#include \"k.cu\"".len();
    Options { includer: Some(Includer::new("main.cu", text, include)), ..with(&[]) }
}

#[test]
fn what_stands_before_counts() {
    assert!(kernels(KERNEL, &with(&[]))[0].contains("not supported"));
    for (step, wanted) in [("1", "a[threadIdx.x] := 0"), ("0", "a[0] := 0")] {
        let main = format!(
            "typedef int real;\n#define STEP {step}\n__device__ real one() {{ return 0; }}\n\
             #include \"k.cu\"\n#undef STEP\n#define STEP 7\n"
        );
        assert_eq!(kernels(KERNEL, &part_of(&main)), [format!("k: {wanted}")]);
    }
}

#[test]
fn kernels_around_are_no_kernels_of_the_file() {
    let main = "__global__ void before(int *a) { a[0] = 1; }\n#ifdef __linux__\n\
        __global__ void perhaps(int *a) { a[0] = 1; }\n#endif\n#include \"k.cu\"\n\
        __global__ void behind(int *a) { a[0] = 1; }\n__global__ void broken(int *a { a[0] = 1; }\n";
    let source = "__global__ void k(int *a) { a[threadIdx.x] = 1; }";
    assert_eq!(kernels(source, &part_of(main)), ["k: a[threadIdx.x] := 1"]);
    // Places are those of the file, with nothing before its first line.
    let found = babycuda_frontend::parse_cuda(source, &part_of(main)).unwrap();
    assert_eq!((found[0].span.line, found[0].span.column), (1, 1));
}

#[test]
fn the_file_may_stand_in_brackets_of_another() {
    let main = "extern \"C\" {\n#include \"k.cu\"\n}\nnamespace other { int k; }\n";
    let source = "__global__ void k(int *a) { a[threadIdx.x] = 1; }";
    assert_eq!(kernels(source, &part_of(main)), ["k: a[threadIdx.x] := 1"]);
}

#[test]
fn what_is_wrong_around_is_said_with_its_file() {
    let main = "#if 1\n#include \"k.cu\"\n#endif\n";
    let source = "__global__ void k(int *a) { a[threadIdx.x] = 1; }";
    let error = babycuda_frontend::parse_cuda(source, &part_of(main)).unwrap_err().to_string();
    assert!(error.contains("`#if` without `#endif` (`main.cu`, line 1)"), "{error}");
}
