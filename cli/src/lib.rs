//! babycuda: cli.
