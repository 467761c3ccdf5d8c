//! BabyCUDA programs on devices: what really happened, beside what the semantics says.
//!
//! `BYTECODE.md`, beside this crate's manifest, is the contract between compiler, packer and interpreters.

pub mod backend;
pub mod bytecode;
pub mod check;
pub mod image;
pub mod text;
#[cfg(feature = "wgpu")]
pub mod wgpu;

pub use backend::{Backend, BackendName, Device, DeviceError, Unavailable};
pub use image::{Image, Output};
