//! The back end: images, run by `kernels/interpreter.wgsl`.

use super::find::Options;
use super::gpu::Gpu;
use super::kernel::{Access, Binding, Contents, Kernel};
use crate::backend::{Backend, Device, DeviceError, Unavailable};
use crate::image::{ENTRY_LONGS, Image, Output, THREAD_WORDS};
use std::collections::HashMap;

/// The text of the interpreter.
pub const INTERPRETER: &str = include_str!("../../kernels/interpreter.wgsl");

/// The storage buffers of the interpreter.
const ACCESSES: [Access; 7] = [
    Access::Read,
    Access::Read,
    Access::Read,
    Access::Read,
    Access::ReadWrite,
    Access::ReadWrite,
    Access::ReadWrite,
];

/// The back end `wgpu`.
#[derive(Debug)]
pub struct Wgpu {
    gpu: Gpu,
    /// By the threads of a workgroup, a power of two or the device's most.
    kernels: HashMap<u32, Kernel>,
}

impl Wgpu {
    /// Opens the device that the environment asks for, or else the best.
    ///
    /// # Errors
    /// There is none that fits.
    pub fn open() -> Result<Self, Unavailable> {
        Options::from_environment().open().map(Wgpu::from)
    }
}

impl From<Gpu> for Wgpu {
    fn from(gpu: Gpu) -> Self {
        Wgpu { gpu, kernels: HashMap::new() }
    }
}

impl Backend for Wgpu {
    fn device(&self) -> &Device {
        self.gpu.device()
    }

    fn launch(&mut self, image: &Image) -> Result<Output, DeviceError> {
        if image.is_empty() {
            return Ok(Output { memory: image.memory.clone(), ..Output::default() });
        }
        let groups = self.groups(image)?;
        let log = (image.log_entries as u64).saturating_mul(8 * ENTRY_LONGS as u64);
        let threads = (image.threads as u64).saturating_mul(4 * THREAD_WORDS as u64);
        let bindings = [
            ("programs", Contents::Bytes(bytemuck::cast_slice(&image.programs))),
            ("code", Contents::Bytes(bytemuck::cast_slice(&image.code))),
            ("arrays", Contents::Bytes(bytemuck::cast_slice(&image.arrays))),
            ("inputs", Contents::Bytes(bytemuck::cast_slice(&image.inputs))),
            ("memory", Contents::Bytes(bytemuck::cast_slice(&image.memory))),
            ("log", Contents::Zeros(log)),
            ("threads", Contents::Zeros(threads)),
        ]
        .map(|(name, contents)| Binding { name, contents });
        let kernel = compiled(&self.gpu, &mut self.kernels, image.workgroup)?;
        let mut buffers = self.gpu.run(kernel, &bindings, groups)?.into_iter();
        let mut next = || buffers.next().unwrap_or_default();
        Ok(Output {
            memory: bytemuck::pod_collect_to_vec(&next()),
            log: bytemuck::pod_collect_to_vec(&next()),
            threads: bytemuck::pod_collect_to_vec(&next()),
        })
    }
}

impl Wgpu {
    /// One workgroup a program, in two dimensions where one is too short.
    fn groups(&self, image: &Image) -> Result<[u32; 3], DeviceError> {
        let most = self.gpu.limits.max_compute_workgroups_per_dimension;
        let refused = |message| DeviceError::Call { call: "vkCmdDispatch", message };
        let programs = u32::try_from(image.len())
            .map_err(|_| refused(format!("{} programs in one launch", image.len())))?;
        let width = programs.min(most);
        Ok([width, programs.div_ceil(width), 1])
    }
}

/// The interpreter for workgroups of at least `workgroup` threads; compiled once for each power
/// of two, since the idle threads cost little and compiling takes long.
fn compiled<'a>(
    gpu: &Gpu,
    kernels: &'a mut HashMap<u32, Kernel>,
    workgroup: u32,
) -> Result<&'a Kernel, DeviceError> {
    use std::collections::hash_map::Entry;
    let most = gpu.device().workgroup;
    if workgroup > most {
        let message = format!("a workgroup of {workgroup} threads, at most {most}");
        return Err(DeviceError::Call { call: "vkCreateComputePipelines", message });
    }
    let size = workgroup.max(1).checked_next_power_of_two().map_or(most, |size| size.min(most));
    Ok(match kernels.entry(size) {
        Entry::Occupied(entry) => entry.into_mut(),
        Entry::Vacant(entry) => {
            let constants = [("WORKGROUP", f64::from(size))];
            entry.insert(gpu.compile(INTERPRETER, "interpret", &ACCESSES, &constants)?)
        }
    })
}
