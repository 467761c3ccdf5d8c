//! babycuda: semantics.
