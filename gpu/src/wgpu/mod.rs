//! Vulkan devices, through the crate `wgpu`.
//!
//! [`Wgpu`] runs images with `kernels/interpreter.wgsl`, and kernels given as WGSL text. Mesa's
//! software device `lavapipe` (Debian: `mesa-vulkan-drivers libvulkan1`) is one of those found.
//! A driver that complains about the environment variable `XDG_RUNTIME_DIR` is silent when that
//! names a folder.
//!
//! `lavapipe` leaves the loops of a kernel after 65,535 iterations and tells nobody. Images and
//! compiled mode get no more fuel than that allows ([`Device::iterations`](crate::Device)), and a
//! [`Jitter`](crate::Jitter) has neither delays nor stress there; a kernel given as text must see to it
//! itself.
//!
//! # Kernels given as text
//! Parameter `i` of a kernel is the binding `i` of group 0, a storage buffer whatever it is:
//! `var<storage, read> n: u32` for a [`Word`](crate::text::Argument::Word), `var<storage, read_write>
//! cells: array<u64>` for [`LongsInOut`](crate::text::Argument::LongsInOut), and so on. A buffer has
//! a multiple of 16 bytes, at least 16, so a kernel that must know a length takes it as a parameter.
//! The threads of a block are the values of the overrides `block_x`, `block_y` and `block_z`, or
//! the text's own constants, which must be the same then.
//!
//! Accesses outside a buffer do nothing or hit another place in it: wgpu checks every index.

mod buffers;
mod find;
mod gpu;
mod interpreter;
mod kernel;

pub use interpreter::{DEADLINE, Wgpu, interpreter};
pub use kernel::Kernel;
