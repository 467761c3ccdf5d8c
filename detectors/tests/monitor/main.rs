//! The race monitor for CUDA C++ (`include/babycuda_monitor.cuh`): its table, and its words beside [`Shadow`]'s.
//!
//! [`Shadow`]: babycuda_detectors::hirace::Shadow

mod host;
mod kernels;
mod table;
mod traces;
