//! babycuda: core.
