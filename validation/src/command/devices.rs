//! `devices`: which back ends there are.

use super::{Error, Found};
use babycuda_gpu::{BackendName, Device, open};

pub(crate) fn run() -> Result<Found, Error> {
    for backend in BackendName::ALL {
        match open(backend, 0) {
            Ok(opened) => {
                let Device { name, driver, workgroup, memory_bytes, .. } = opened.device();
                let mebibytes = memory_bytes >> 20;
                say!("{backend}: {name}; {driver}; {workgroup} threads, {mebibytes} MiB");
            }
            Err(missing) => say!("{backend}: not available: {}", missing.reason),
        }
    }
    Ok(Found::NoFailure)
}
