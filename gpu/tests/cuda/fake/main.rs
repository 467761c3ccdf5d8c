//! The back end on a driver that is not there: `driver.c`, built as `libcuda.so`, which a process
//! of its own loads. It has no device, but all that the host does is real, and the interpreter's
//! text runs on threads that the system interleaves.

use super::suite::image::{Program, pack};
use super::suite::write_own;
use babycuda_gpu::bytecode::Instruction;
use babycuda_gpu::cuda::Cuda;
use babycuda_gpu::{Backend, DeviceError};
use std::path::PathBuf;
use std::process::{Command, Output};

/// Builds the driver, with options of the compiler, into a folder of this name.
fn build(name: &str, options: &[&str]) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("the target folder can be written");
    let crate_folder = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let text = babycuda_gpu::cuda::interpreter();
    let rest = text.strip_prefix(include_str!("../../../kernels/interpreter.cu"));
    let table = rest.and_then(|rest| rest.split_once(include_str!("../../../kernels/numbers.h")));
    let (table, _) = table.expect("the numbers stand between prelude and interpreter");
    std::fs::write(folder.join("table.h"), table).expect("the folder can be written");
    let built = Command::new("cc")
        .args(["-std=gnu11", "-O1", "-shared", "-fPIC", "-pthread"])
        .args(options)
        .arg("-I")
        .arg(crate_folder.join("kernels"))
        .arg("-I")
        .arg(&folder)
        .arg("-o")
        .arg(folder.join("libcuda.so"))
        .arg(crate_folder.join("tests/cuda/fake/driver.c"))
        .output()
        .expect("the C compiler that Rust links with");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    folder
}

/// Runs tests of this program on the driver in `folder`, which fails as it is told.
fn run(folder: &PathBuf, failure: &str, arguments: &[&str]) -> Output {
    Command::new(std::env::current_exe().expect("this program"))
        .args(arguments)
        .env("LD_LIBRARY_PATH", folder)
        .env("FAKE_CUDA", failure)
        .env("BABYCUDA_REQUIRE_BACKENDS", "cuda")
        .env_remove(babycuda_gpu::cuda::DEVICE)
        .output()
        .expect("it can be started")
}

/// Runs one of the ignored tests below.
fn run_one(folder: &PathBuf, failure: &str, test: &str) {
    let output = run(folder, failure, &["--exact", &format!("fake::{test}"), "--ignored"]);
    let words = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && words.contains("1 passed"), "{failure}: {words}");
}

#[test]
fn the_suite_passes_on_it() {
    let folder = build("fake", &[]);
    // Kernels from text need a compiler for what runs them.
    let output = run(&folder, "", &["--skip", "fake::", "--skip", "text::"]);
    let words = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{words}");
    assert!(words.contains("random_programs_do_what_they_do_on_the_simulator ... ok"), "{words}");
}

#[test]
fn its_failures_are_values() {
    let folder = build("fake-failures", &[]);
    let unavailable = "what_is_missing_has_a_reason";
    for failure in ["no driver", "no device", "old device", "old driver"] {
        run_one(&folder, failure, unavailable);
    }
    run_one(&build("fake-incomplete", &["-DINCOMPLETE"]), "incomplete", unavailable);
    run_one(&folder, "fault", "a_fault_loses_the_device");
    run_one(&folder, "little memory", "memory_that_is_not_there_is_too_large");
    run_one(&folder, "no pools", "it_works_without_pools_of_memory");
}

fn program() -> Program {
    Program::new(vec![write_own(0, 0), Instruction::Halt], 4, vec![vec![9; 4]])
}

#[test]
#[ignore = "run by `its_failures_are_values`, on the driver that fails"]
fn what_is_missing_has_a_reason() {
    let failure = std::env::var("FAKE_CUDA").expect("it is told");
    let reason = match failure.as_str() {
        "no driver" => "cuInit: CUDA_ERROR_NO_DEVICE",
        "no device" => "there is no device 0 among 0",
        "old device" => "compute capability 7.0, 7.5 is needed",
        "old driver" => "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
        "incomplete" => "Missing symbol cuDeviceGetCount",
        other => panic!("{other}"),
    };
    let missing = Cuda::open().expect_err("something is missing");
    assert!(missing.reason.contains(reason), "{missing}");
}

#[test]
#[ignore = "run by `its_failures_are_values`, on the driver that fails"]
fn a_fault_loses_the_device() {
    let mut backend = Cuda::open().expect("it opens");
    let image = pack(4, &[program()]);
    let lost = backend.launch(&image).expect_err("the kernel faults");
    let DeviceError::Lost { message } = &lost else { panic!("{lost}") };
    assert!(message.contains("CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access"), "{message}");
    // It stays lost, with the same reason.
    assert_eq!(backend.launch(&image), Err(lost));
}

#[test]
#[ignore = "run by `its_failures_are_values`, on the driver that fails"]
fn memory_that_is_not_there_is_too_large() {
    let mut backend = Cuda::open().expect("it opens");
    let mut image = pack(4, &[program()]);
    let whole = backend.device().memory_bytes;
    image.memory.resize((2 << 20) / 8, 0);
    let words = image.programs.len() + image.code.len() + image.arrays.len() + 8 * image.threads;
    let longs = image.inputs.len() + image.memory.len() + 3 * image.log_entries;
    let needed = (4 * words + 8 * longs) as u64;
    assert!(needed < whole);
    let error = backend.launch(&image).expect_err("there is less than the driver said");
    // What was allocated before the refusal is given back by now, or not yet.
    let DeviceError::TooLarge { what: "memory", needed: told, available } = error else {
        panic!("{error}")
    };
    assert!(told == needed && available <= whole, "{told} {available}");
    image.memory.truncate(4);
    assert_eq!(backend.launch(&image).expect("this fits").memory, [0, 1, 2, 3]);
    // The device keeps its buffers as long as it is open.
    drop(backend);
    assert_eq!(Cuda::open().expect("it opens").device().memory_bytes, whole, "all is given back");
}

#[test]
#[ignore = "run by `its_failures_are_values`, on the driver that fails"]
fn it_works_without_pools_of_memory() {
    let mut backend = Cuda::open().expect("it opens");
    let output = backend.launch(&pack(4, &[program()])).expect("it runs");
    assert_eq!(output.memory, [0, 1, 2, 3]);
}
