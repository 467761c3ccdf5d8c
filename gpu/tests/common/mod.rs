//! Back ends that may be missing.

use babycuda_gpu::{BackendName, Unavailable};

/// The names of back ends, separated by commas, whose absence fails a test instead of skipping it.
pub const REQUIRED: &str = "BABYCUDA_REQUIRE_BACKENDS";

/// The back end that was looked for; `None`, with a message, where it is missing and may be.
///
/// # Panics
/// Where it is missing and [`REQUIRED`] names it.
pub fn available<B>(backend: BackendName, probed: Result<B, Unavailable>) -> Option<B> {
    match probed {
        Ok(backend) => Some(backend),
        Err(missing) if is_required(&backend.to_string()) => {
            panic!("{missing}, and {REQUIRED} names it")
        }
        Err(missing) => {
            eprintln!("skipped: {missing}");
            None
        }
    }
}

/// Does [`REQUIRED`] name it?
pub fn is_required(wanted: &str) -> bool {
    let names = std::env::var(REQUIRED).unwrap_or_default();
    names.split(',').any(|name| name.trim() == wanted)
}
