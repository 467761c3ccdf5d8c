//! babycuda: protocols.
