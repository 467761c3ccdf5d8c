//! Programs as text: what people read, what parses back, what compilers take.

#[cfg(feature = "opencl")]
#[path = "../common/mod.rs"]
mod common;
mod compilers;
mod corpus;
#[path = "../common/expressions.rs"]
mod expressions;
mod goldens;
mod refusals;
mod roundtrip;
mod wgsl;
