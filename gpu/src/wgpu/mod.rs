//! Vulkan devices, through the crate `wgpu`.
//!
//! [`Wgpu`] runs images with `kernels/interpreter.wgsl`; [`Gpu`] compiles and runs any other WGSL
//! text. Mesa's software device `lavapipe` (Debian: `mesa-vulkan-drivers libvulkan1`) is one of
//! those found. A driver that complains about the environment variable `XDG_RUNTIME_DIR` is
//! silent when it names a folder.

mod find;
mod gpu;
mod interpreter;
mod kernel;

pub use find::Options;
pub use gpu::Gpu;
pub use interpreter::{INTERPRETER, Wgpu};
pub use kernel::{Access, Binding, Contents, Kernel};
