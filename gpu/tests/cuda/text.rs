//! Kernels given as CUDA C text.

use super::open;
use super::texts::{self, blocks_of_any_shape, parameters_of_every_kind, refusal};
use babycuda_gpu::cuda::{Cuda, interpreter, ptx};
use babycuda_gpu::text::{Argument, CompileError, Shape};
use babycuda_gpu::{Backend, DeviceError, Image};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// The PTX of a text; `None`, with a message, where there is no NVRTC.
fn compiled(text: &str) -> Option<Result<String, String>> {
    match ptx(text) {
        Ok(ptx) => Some(Ok(ptx)),
        Err(CompileError::Refused { log }) => Some(Err(log)),
        Err(CompileError::NoCompiler { reason }) => {
            eprintln!("skipped: {reason}");
            None
        }
        Err(error) => panic!("{error}, without a device"),
    }
}

#[test]
fn the_interpreter_is_valid_cuda() {
    let Some(result) = compiled(&interpreter()) else { return };
    assert!(result.expect("it compiles").contains(".entry interpret"));
}

/// A file of the workspace, with the files that it includes by relative paths in their places.
fn whole(path: &Path) -> String {
    let text = std::fs::read_to_string(path).expect("a file");
    let line = |line: &str| match line.strip_prefix("#include \"").and_then(|l| l.strip_suffix('"'))
    {
        Some(name) if name.ends_with("_host.h") => String::new(),
        Some(name) => whole(&path.with_file_name(name)),
        None if line == "#pragma once" => String::new(),
        None => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

/// The race monitor for CUDA C++, with the kernels that it is measured with.
#[test]
fn the_race_monitor_is_valid_cuda() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut text = whole(&root.join("benches/monitor/kernels.cuh"));
    text += "using Watched = babycuda::Watched<babycuda::GlobalWords, babycuda::SharedWords>;\n";
    for (kernel, cell) in
        [("Stencil", "float"), ("WarpScan", "int"), ("Transpose", "float"), ("Histogram", "int")]
    {
        for monitor in ["Watched", "babycuda::Off"] {
            let _ = writeln!(
                text,
                "template __global__ void kernel<{kernel}, {monitor}, false>({monitor}, babycuda::array<{monitor}, \
                 const {cell}>, babycuda::array<{monitor}, {cell}>, unsigned);"
            );
        }
    }
    let Some(result) = compiled(&text) else { return };
    let ptx = result.expect("it compiles");
    assert_eq!(ptx.matches(".entry ").count(), 8);
    // Words of global and of shared memory.
    for update in ["atom.global.cas.b64", "atom.shared.cas.b32"] {
        assert!(ptx.contains(update), "{ptx}");
    }
}

#[test]
fn texts_that_are_no_kernels_are_refused_with_the_reason() {
    let Some(result) = compiled("__global__ void run(int *cells) { cells[0] = nothing; }") else {
        return;
    };
    let log = result.expect_err("a name is not declared");
    assert!(log.contains("nothing"), "{log}");
    let log = compiled("\0").expect("NVRTC is there").expect_err("a C text ends there");
    assert!(log.contains("character 0"), "{log}");
}

/// Runs the kernel `run` of a text; `None` where there is no NVRTC.
fn run(
    backend: &mut Cuda,
    text: &str,
    shape: Shape,
    arguments: &mut [Argument<'_>],
) -> Option<Result<(), DeviceError>> {
    compiled(text)?.expect("the text compiles");
    Some(texts::run(backend, text, shape, arguments))
}

const EVERY_KIND: &str = r#"
    typedef unsigned int word_type;
    typedef unsigned long long long_type;
    extern "C" __global__ void run(word_type word, long_type number, const word_type *words,
                                   const long_type *longs, word_type *words_in_out,
                                   long_type *longs_in_out, word_type *words_out,
                                   long_type *longs_out) {
        word_type i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i >= 5) return;
        words_in_out[i] += words[i] + word;
        longs_in_out[i] += longs[i] + number;
        words_out[i] = i;
        longs_out[i] = (long_type)i << 40;
    }"#;

#[test]
fn parameters_of_every_kind_are_bound_in_order() {
    let Some(mut backend) = open() else { return };
    if compiled(EVERY_KIND).is_some() {
        parameters_of_every_kind(&mut backend, EVERY_KIND);
    }
}

const PLACES: &str = r#"
    extern "C" __global__ void run(unsigned int *places) {
        unsigned int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
        unsigned int thread =
            threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
        places[block * blockDim.x * blockDim.y * blockDim.z + thread] =
            threadIdx.x + 10 * threadIdx.y + 100 * threadIdx.z;
    }"#;

#[test]
fn a_kernel_runs_in_blocks_of_any_shape() {
    let Some(mut backend) = open() else { return };
    if compiled(PLACES).is_some() {
        blocks_of_any_shape(&mut backend, PLACES);
    }
}

const FILL: &str = r#"
    extern "C" __global__ void run(const unsigned int *none, unsigned long long *some) {
        some[threadIdx.x] = 7;
    }"#;

#[test]
fn refusals_leave_the_device_usable() {
    let Some(mut backend) = open() else { return };
    let mut some = [1; 2];
    let mut arguments = [Argument::Words(&[]), Argument::LongsInOut(&mut some)];
    let pair = Shape::line(1, 2);
    let Some(ran) = run(&mut backend, FILL, Shape::line(0, 2), &mut arguments) else { return };
    assert_eq!(ran, Ok(()), "an empty grid");
    for shape in [Shape::line(1, u32::MAX), Shape::line(u32::MAX, 2)] {
        let refused = run(&mut backend, FILL, shape, &mut arguments);
        assert!(matches!(refused, Some(Err(DeviceError::Call { .. }))), "{refused:?}");
    }
    assert!(!refusal(&mut backend, FILL, "other").is_empty());
    assert_eq!(run(&mut backend, FILL, pair, &mut arguments), Some(Ok(())));
    assert_eq!(some, [7; 2]);
}

const FAULT: &str = r#"
    extern "C" __global__ void run(unsigned long long *cells) {
        asm volatile("trap;");
    }"#;

#[test]
fn a_kernel_that_faults_loses_the_device() {
    if open().is_none() || compiled(FAULT).is_none() {
        return;
    }
    // The fault stays with the context that all back ends of a process share, and the tests
    // beside this one need it.
    let child = Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", "text::a_fault_in_a_process_of_its_own", "--ignored", "--nocapture"])
        .output()
        .expect("it can be started");
    let words = String::from_utf8_lossy(&child.stdout);
    assert!(child.status.success() && words.contains("1 passed"), "{words}");
}

#[test]
#[ignore = "run by `a_kernel_that_faults_loses_the_device`, in a process of its own"]
fn a_fault_in_a_process_of_its_own() {
    let mut backend = open().expect("there is a device");
    let mut cells = [1];
    let shape = Shape::line(1, 1);
    let mut arguments = [Argument::LongsOut(&mut cells)];
    let lost = run(&mut backend, FAULT, shape, &mut arguments).expect("there is NVRTC");
    assert!(matches!(lost, Err(DeviceError::Lost { .. })), "{lost:?}");
    // It stays lost, with the same reason.
    let image = Image::default();
    assert_eq!(backend.launch(&image).map(|_| ()), lost);
}
