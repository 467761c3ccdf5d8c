//! What cannot be done is a value that says why.

use super::suite::image::{Program, run_one};
use super::suite::{barrier, write_own};
use super::texts::a_log_beyond;
use super::{common, open};
use babycuda_gpu::bytecode::Instruction;
use babycuda_gpu::opencl::OpenCl;
use babycuda_gpu::{Backend, BackendName};

#[test]
fn a_device_of_another_name_is_unavailable() {
    let wanted = "a device that no one has";
    let missing = OpenCl::with(Some(wanted)).expect_err("no one has it");
    assert_eq!(missing.backend, BackendName::OpenCl);
    // Either it says that no name contains this, or that there is no driver at all.
    let reasons = [wanted, "could not be loaded", "no driver"];
    assert!(reasons.iter().any(|reason| missing.reason.contains(reason)), "{missing}");
}

#[test]
fn a_device_is_found_by_a_part_of_its_name() {
    let Some(device) = open() else { return };
    let part = device.device().name.to_uppercase();
    let found = OpenCl::with(Some(&part));
    let found = common::available(BackendName::OpenCl, found).expect("it is there");
    assert_eq!(found.device(), device.device());
    assert!(found.device().workgroup >= 64);
    assert!(found.device().memory_bytes >= found.device().buffer_bytes);
    assert!(!found.device().driver.is_empty());
}

#[test]
fn a_buffer_beyond_the_limit_is_too_large() {
    let Some(mut backend) = open() else { return };
    let most = backend.device().buffer_bytes;
    a_log_beyond(&mut backend, most);
}

#[test]
fn workgroups_larger_than_a_block_of_cuda_run_where_the_device_has_them() {
    let Some(mut backend) = open() else { return };
    let threads = backend.device().workgroup;
    let code = vec![barrier(0), write_own(0, 0), Instruction::Halt];
    let program =
        Program { log: 1, ..Program::new(code, threads, vec![vec![9; threads as usize]]) };
    let run = run_one(&mut backend, &program);
    assert!(run.arrays[0].iter().copied().eq(0..u64::from(threads)));
}

#[test]
fn back_ends_are_opened_and_dropped_by_many_threads() {
    if open().is_none() {
        return;
    }
    let program = Program::new(vec![write_own(0, 0), Instruction::Halt], 4, vec![vec![9; 4]]);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..5 {
                    let mut backend = open().expect("it was there before");
                    assert_eq!(run_one(&mut backend, &program).arrays, [[0, 1, 2, 3]]);
                }
            });
        }
    });
}

/// What the environment lacks, in the variable of that name, and how the reason says so.
#[cfg(target_os = "linux")]
const MISSING: [(&str, &str); 3] = [
    ("LD_LIBRARY_PATH", "the library libOpenCL could not be loaded"),
    ("OCL_ICD_VENDORS", "no driver is installed"),
    ("PATH", "`ld`, which is not on the PATH"),
];

#[test]
#[cfg(target_os = "linux")]
fn what_is_missing_has_a_reason() {
    let folder = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("nothing");
    std::fs::create_dir_all(&folder).expect("the target folder can be written");
    // The first library of this name is taken, and is none.
    std::fs::write(folder.join("libOpenCL.so.1"), "").expect("the target folder can be written");
    let is_pocl = open().is_some_and(|backend| backend.device().driver.contains("PoCL"));
    for (variable, reason) in MISSING {
        if variable != "LD_LIBRARY_PATH" && !is_pocl {
            eprintln!("skipped: without PoCL, {variable} means something else");
            continue;
        }
        let test = "failures::nothing_opens_in_this_environment";
        let child = std::process::Command::new(std::env::current_exe().expect("this program"))
            .args(["--exact", test, "--ignored", "--nocapture"])
            .env(variable, &folder)
            .output()
            .expect("it can be started");
        let words = String::from_utf8_lossy(&child.stdout);
        assert!(child.status.success() && words.contains(reason), "{variable}: {words}");
    }
}

#[test]
#[ignore = "run by `what_is_missing_has_a_reason`, in an environment that lacks something"]
fn nothing_opens_in_this_environment() {
    println!("{}", OpenCl::open().expect_err("something is missing"));
}
