//! Back ends that may be missing.

use babycuda_gpu::{BackendName, Unavailable};

/// The names of back ends, separated by commas, whose absence fails a test instead of skipping it.
pub const REQUIRED: &str = "BABYCUDA_REQUIRE_BACKENDS";

/// The back end that was looked for; `None`, with a message, where it is missing and may be.
///
/// # Panics
/// Where it is missing and [`REQUIRED`] names it.
pub fn available<B>(backend: BackendName, probed: Result<B, Unavailable>) -> Option<B> {
    let names = std::env::var(REQUIRED).unwrap_or_default();
    let required = names.split(',').any(|name| name.trim() == backend.to_string());
    match probed {
        Ok(backend) => Some(backend),
        Err(missing) if required => panic!("{missing}, and {REQUIRED} names it"),
        Err(missing) => {
            eprintln!("skipped: {missing}");
            None
        }
    }
}
