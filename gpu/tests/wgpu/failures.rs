//! What cannot be done is a value that says why.

use super::suite::image::{Program, pack};
use super::texts::a_log_beyond;
use super::{common, open};
use babycuda_gpu::bytecode::Instruction;
use babycuda_gpu::wgpu::{DEADLINE, Wgpu};
use babycuda_gpu::{Backend, BackendName, DeviceError};
use std::process::Command;
use std::time::Duration;

fn endless(threads: u32, fuel: u32) -> Program {
    let code = vec![Instruction::Jump { to: 0 }];
    Program { fuel, ..Program::new(code, threads, Vec::new()) }
}

#[test]
fn a_device_of_another_name_is_unavailable() {
    let wanted = "a device that no one has";
    let missing = Wgpu::with(Some(wanted), DEADLINE).expect_err("no one has it");
    assert_eq!(missing.backend, BackendName::Wgpu);
    // Either it says that no name contains this, or that there is no device at all.
    assert!(missing.reason.contains(wanted) || missing.reason.contains("no Vulkan"), "{missing}");
}

#[test]
fn without_drivers_the_back_end_is_unavailable() {
    // The loader of Vulkan reads these, and a process reads them once: so in another process.
    const DRIVERS: [&str; 2] = ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"];
    const NONE: &str = "/nonexistent";
    if DRIVERS.iter().all(|name| std::env::var_os(name).is_some_and(|value| value == NONE)) {
        let missing = Wgpu::open().expect_err("there is no driver");
        assert!(missing.reason.contains("no Vulkan"), "{missing}");
        return;
    }
    let this = std::env::current_exe().expect("this test has a file");
    let name = "failures::without_drivers_the_back_end_is_unavailable";
    let mut child = Command::new(this);
    child.args(["--exact", name]).envs(DRIVERS.map(|variable| (variable, NONE)));
    let output = child.output().expect("the test runs");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}

#[test]
fn a_device_is_found_by_a_part_of_its_name() {
    let Some(device) = open() else { return };
    let name = device.device().name.to_uppercase();
    let part = name.split(' ').next();
    let found = common::available(BackendName::Wgpu, Wgpu::with(part, DEADLINE));
    let found = found.expect("it is there");
    assert!(found.device().workgroup >= 64);
    assert!(found.device().memory_bytes >= found.device().buffer_bytes);
    assert!(!found.device().driver.is_empty());
}

#[test]
fn a_buffer_beyond_the_limit_is_too_large() {
    let Some(mut backend) = open() else { return };
    let most = backend.device().buffer_bytes;
    let mut image = pack(1, &[endless(1, 10)]);
    image.memory = vec![0; usize::try_from(most / 8 + 1).expect("this machine has 64 bits")];
    let refused = backend.launch(&image);
    assert!(matches!(refused, Err(DeviceError::TooLarge { .. })), "{refused:?}");
    a_log_beyond(&mut backend, most);
}

#[test]
fn a_device_that_does_not_answer_in_time_is_lost() {
    let wanted = std::env::var("WGPU_ADAPTER_NAME").ok();
    let hasty = Wgpu::with(wanted.as_deref(), Duration::from_millis(1));
    let Some(mut backend) = common::available(BackendName::Wgpu, hasty) else { return };
    // Some hundred milliseconds of work on a slow device, more than one on any.
    let image = pack(64, &vec![endless(64, 20_000); 64]);
    let lost = backend.launch(&image);
    assert!(matches!(lost, Err(DeviceError::Lost { .. })), "{lost:?}");
    // It stays lost, with the same reason.
    assert_eq!(backend.launch(&pack(1, &[endless(1, 1)])), lost);
}

#[test]
fn more_programs_than_one_dimension_of_a_grid_are_launched_together() {
    let Some(mut backend) = open() else { return };
    // Each program stops with a fuel of its own, and the usual limit of a dimension is 65,535.
    let programs: Vec<_> = (0..66_000).map(|number| endless(1, number % 7)).collect();
    let image = pack(1, &programs);
    let output = backend.launch(&image).expect("the device runs the image");
    for (number, thread) in output.threads.chunks(8).enumerate() {
        assert_eq!(thread, [2, 0, 0, 0, 0, 0, 0, 0], "program {number}");
    }
}
