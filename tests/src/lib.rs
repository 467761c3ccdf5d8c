//! babycuda: tests.
