//! What every back end must do.

use crate::{backend_suite, suite};
use babycuda_gpu::sim::{Schedule, Sim};

fn open() -> Option<Sim> {
    Some(Sim::new(Schedule::Random(7)))
}

backend_suite!(open);
