//! babycuda: frontend.
