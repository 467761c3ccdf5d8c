//! Which adapter, and whether it can do what the interpreter needs.

use super::gpu::Gpu;
use crate::backend::{BackendName, Device, Unavailable};
use std::panic::catch_unwind;
use std::time::Duration;
use wgpu::{Adapter, Backends, DeviceType, Features};

/// What the interpreter needs beyond WebGPU: cells are `atomic<u64>`.
const FEATURES: Features = Features::SHADER_INT64.union(Features::SHADER_INT64_ATOMIC_ALL_OPS);
/// Storage buffers of one kernel.
const STORAGE_BUFFERS: u32 = 7;

/// Opens the device with `wanted` in its name; see [`Wgpu::with`](super::Wgpu::with).
pub(super) fn find(wanted: Option<&str>, deadline: Duration) -> Result<Gpu, Unavailable> {
    // wgpu's documentation names cases in which a driver's oddities panic.
    catch_unwind(|| pollster::block_on(open(wanted, deadline)))
        .unwrap_or_else(|_| Err("the driver's answers made wgpu panic".to_owned()))
        .map_err(|reason| Unavailable { backend: BackendName::Wgpu, reason })
}

async fn open(wanted: Option<&str>, deadline: Duration) -> Result<Gpu, String> {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.backends = Backends::VULKAN;
    // No validation layers: they are for debugging wgpu, and speak to standard error.
    descriptor.flags = wgpu::InstanceFlags::empty();
    let instance = wgpu::Instance::new(descriptor);
    let adapters = instance.enumerate_adapters(Backends::VULKAN).await;
    let adapter = choose(wanted, adapters)?;
    let limits = adapter.limits();
    let descriptor = wgpu::DeviceDescriptor {
        label: Some("babycuda"),
        required_features: FEATURES,
        // The defaults of WebGPU would allow 256 threads a workgroup and small buffers.
        required_limits: limits.clone(),
        ..wgpu::DeviceDescriptor::default()
    };
    let (device, queue) = adapter
        .request_device(&descriptor)
        .await
        .map_err(|error| format!("{}: {error}", adapter.get_info().name))?;
    Ok(Gpu::new(describe(&adapter), limits, device, queue, deadline))
}

/// The best of the adapters that fit.
fn choose(wanted: Option<&str>, adapters: Vec<Adapter>) -> Result<Adapter, String> {
    let mut refusals = Vec::new();
    let mut fitting = Vec::new();
    for adapter in adapters {
        match refusal(wanted, &adapter) {
            None => fitting.push(adapter),
            Some(reason) => {
                refusals.push(format!("{}: {reason}", adapter.get_info().name));
            }
        }
    }
    fitting.into_iter().min_by_key(|adapter| rank(adapter.get_info().device_type)).ok_or_else(
        || match refusals.is_empty() {
            true => "no Vulkan driver, or one without devices".to_owned(),
            false => refusals.join("; "),
        },
    )
}

/// Why not this one?
fn refusal(wanted: Option<&str>, adapter: &Adapter) -> Option<String> {
    let name = adapter.get_info().name.to_lowercase();
    if let Some(wanted) = wanted
        && !name.contains(&wanted.to_lowercase())
    {
        return Some(format!("its name does not contain `{wanted}`"));
    }
    let lacking = FEATURES.difference(adapter.features());
    if !lacking.is_empty() {
        return Some(format!("it lacks {lacking:?}"));
    }
    let buffers = adapter.limits().max_storage_buffers_per_shader_stage;
    if buffers < STORAGE_BUFFERS {
        return Some(format!("a kernel has {buffers} buffers, not {STORAGE_BUFFERS}"));
    }
    None
}

/// The smaller, the better.
fn rank(kind: DeviceType) -> u8 {
    match kind {
        DeviceType::DiscreteGpu => 0,
        DeviceType::IntegratedGpu => 1,
        DeviceType::VirtualGpu => 2,
        DeviceType::Other => 3,
        DeviceType::Cpu => 4,
    }
}

/// How long Mesa's llvmpipe stays in the loops of a kernel: 65,535 iterations
/// (`LP_MAX_TGSI_LOOP_ITERATIONS`), of which some are kept back for the loops around threads.
const LLVMPIPE_ITERATIONS: u32 = 64_000;

fn describe(adapter: &Adapter) -> Device {
    let (info, limits) = (adapter.get_info(), adapter.limits());
    let name = info.name;
    Device {
        backend: BackendName::Wgpu,
        driver: format!("{} {}", info.driver, info.driver_info).trim().to_owned(),
        workgroup: limits
            .max_compute_invocations_per_workgroup
            .min(limits.max_compute_workgroup_size_x),
        buffer_bytes: limits.max_storage_buffer_binding_size.min(limits.max_buffer_size),
        // wgpu does not tell the size of a heap; a buffer may be at most that large.
        memory_bytes: limits.max_buffer_size,
        iterations: name.contains("llvmpipe").then_some(LLVMPIPE_ITERATIONS),
        cooperative: false,
        name,
    }
}
