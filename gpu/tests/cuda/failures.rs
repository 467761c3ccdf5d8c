//! What cannot be done is a value that says why.

use super::open;
use super::texts::a_log_beyond;
use babycuda_gpu::cuda::Cuda;
use babycuda_gpu::{Backend, BackendName};

#[test]
fn a_device_of_another_number_is_unavailable() {
    for device in [1_000_000, usize::MAX] {
        let missing = Cuda::with(device).expect_err("no one has so many");
        assert_eq!(missing.backend, BackendName::Cuda);
        // No such device, or no driver at all.
        let reasons = [&device.to_string(), "libcuda", "cuInit"];
        assert!(reasons.iter().any(|reason| missing.reason.contains(*reason)), "{missing}");
    }
}

#[test]
fn a_buffer_beyond_the_memory_is_too_large() {
    let Some(mut backend) = open() else { return };
    let most = backend.device().memory_bytes;
    a_log_beyond(&mut backend, most);
}
