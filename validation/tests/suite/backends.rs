//! The back ends that are here.

use babycuda_campaign::State;
use babycuda_gpu::{Backend, BackendName, Unavailable, open};
use babycuda_validation::campaign::{self, Outcome, Plan};
use babycuda_validation::watched::Open;
use std::sync::Arc;

/// The names of back ends, separated by commas, whose absence fails a test instead of skipping it.
const REQUIRED: &str = "BABYCUDA_REQUIRE_BACKENDS";

/// Opens the back end, for the simulator with a seed.
pub fn opened(backend: BackendName) -> Result<Box<dyn Backend>, Unavailable> {
    open(backend, 0x5eed)
}

/// Is the back end here? If not, a message says why.
///
/// # Panics
/// Where it is not here and [`REQUIRED`] names it.
pub fn is_here(backend: BackendName) -> bool {
    let names = std::env::var(REQUIRED).unwrap_or_default();
    let required = names.split(',').any(|name| name.trim() == backend.to_string());
    match opened(backend) {
        Ok(_) => true,
        Err(missing) if required => panic!("{missing}, and {REQUIRED} names it"),
        Err(missing) => {
            eprintln!("skipped: {missing}");
            false
        }
    }
}

/// Runs a campaign from its start.
pub fn run(
    plan: &Plan,
    open: impl Fn() -> Result<Box<dyn Backend>, Unavailable> + Send + Sync + 'static,
) -> Result<Outcome, Unavailable> {
    let open: Open = Arc::new(open);
    campaign::run(plan, &open, State::new(&plan.programs), &|_| {})
}
