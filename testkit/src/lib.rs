//! babycuda: testkit.
