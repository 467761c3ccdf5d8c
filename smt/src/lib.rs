//! babycuda: smt.
