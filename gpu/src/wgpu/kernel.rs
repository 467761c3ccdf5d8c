//! Any WGSL text, compiled, and run with buffers.

use super::gpu::Gpu;
use crate::backend::DeviceError;
use std::sync::mpsc;
use wgpu::{BufferUsages, MapMode, ShaderStages};

/// Bindings have whole elements, and the largest element of a WGSL storage buffer that is in use
/// here, `vec4<u32>`, has 16 bytes.
const GRANULE: u64 = 16;

/// What a kernel does with a storage buffer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Access {
    /// `var<storage, read>`
    Read,
    /// `var<storage, read_write>`; read back after the run.
    ReadWrite,
}

/// A storage buffer for one run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Binding<'a> {
    /// What errors call it.
    pub name: &'static str,
    /// What is in it before the run. The device sees the size rounded up to 16 bytes, and at
    /// least 16, with zeros there.
    pub contents: Contents<'a>,
}

/// What a buffer holds before a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Contents<'a> {
    /// These bytes, in the order of the device (little-endian).
    Bytes(&'a [u8]),
    /// So many bytes, all 0.
    Zeros(u64),
}

impl Contents<'_> {
    fn bytes(self) -> u64 {
        match self {
            Contents::Bytes(bytes) => bytes.len() as u64,
            Contents::Zeros(bytes) => bytes,
        }
    }

    fn padded(self) -> u64 {
        self.bytes().max(1).next_multiple_of(GRANULE)
    }
}

/// An entry point of a WGSL text, compiled for a device.
#[derive(Debug)]
pub struct Kernel {
    accesses: Vec<Access>,
    layout: wgpu::BindGroupLayout,
    pipeline: wgpu::ComputePipeline,
}

impl Gpu {
    /// Compiles the entry point `entry` of `text`.
    ///
    /// `accesses` are those of its storage buffers, which are the bindings 0, 1, … of group 0;
    /// `constants` give the values of its overrides.
    ///
    /// # Errors
    /// The text is not valid WGSL, does not fit to the rest, or the driver refuses it.
    pub fn compile(
        &self,
        text: &str,
        entry: &str,
        accesses: &[Access],
        constants: &[(&str, f64)],
    ) -> Result<Kernel, DeviceError> {
        let entries: Vec<_> = (0..).zip(accesses).map(|(i, access)| layout(i, *access)).collect();
        let module = self.attempt("vkCreateShaderModule", 0, || {
            self.device.create_shader_module(wgpu::ShaderModuleDescriptor {
                label: Some(entry),
                source: wgpu::ShaderSource::Wgsl(text.into()),
            })
        })?;
        let (layout, pipeline) = self.attempt("vkCreateComputePipelines", 0, || {
            let layout = self.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
                label: Some(entry),
                entries: &entries,
            });
            let groups = self.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: Some(entry),
                bind_group_layouts: &[Some(&layout)],
                immediate_size: 0,
            });
            let pipeline = self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(entry),
                layout: Some(&groups),
                module: &module,
                entry_point: Some(entry),
                compilation_options: wgpu::PipelineCompilationOptions {
                    constants,
                    ..wgpu::PipelineCompilationOptions::default()
                },
                cache: None,
            });
            (layout, pipeline)
        })?;
        Ok(Kernel { accesses: accesses.to_vec(), layout, pipeline })
    }

    /// Runs `groups` workgroups of a kernel; returns what it left in each of the buffers that it
    /// may write, in order.
    ///
    /// # Errors
    /// As many bindings as the kernel has are needed; a buffer, or all of them, or the number of
    /// workgroups may be too large for the device; the device may be lost.
    pub fn run(
        &self,
        kernel: &Kernel,
        bindings: &[Binding<'_>],
        groups: [u32; 3],
    ) -> Result<Vec<Vec<u8>>, DeviceError> {
        self.check_sizes(kernel, bindings, groups)?;
        let written = kernel.accesses.iter().map(|access| *access == Access::ReadWrite);
        let needed = bindings.iter().map(|binding| binding.contents.padded()).sum();
        let (buffers, staging) = self.attempt("vkAllocateMemory", needed, || {
            let buffers: Vec<_> = bindings.iter().map(|binding| self.upload(binding)).collect();
            let staging: Vec<_> = written
                .zip(bindings)
                .map(|(written, binding)| written.then(|| self.staging(binding)))
                .collect();
            (buffers, staging)
        })?;
        let submission = self.attempt("vkQueueSubmit", needed, || {
            let group = self.bind(kernel, &buffers);
            let mut encoder = self.device.create_command_encoder(&Default::default());
            let mut pass = encoder.begin_compute_pass(&Default::default());
            pass.set_pipeline(&kernel.pipeline);
            pass.set_bind_group(0, &group, &[]);
            pass.dispatch_workgroups(groups[0], groups[1], groups[2]);
            drop(pass);
            for (buffer, staging) in buffers.iter().zip(&staging) {
                if let Some(staging) = staging {
                    encoder.copy_buffer_to_buffer(buffer, 0, staging, 0, staging.size());
                }
            }
            self.queue.submit([encoder.finish()])
        })?;
        let (sender, answers) = mpsc::channel();
        let mapped: Vec<_> = staging.iter().flatten().collect();
        self.attempt("vkMapMemory", needed, || {
            for buffer in &mapped {
                let sender = sender.clone();
                // The receiver outlives the wait below; an answer after that is for no one.
                buffer.map_async(MapMode::Read, .., move |answer| drop(sender.send(answer)));
            }
        })?;
        self.wait(submission)?;
        let refused = |message: String| DeviceError::Call { call: "vkMapMemory", message };
        if answers.try_iter().filter(Result::is_ok).count() != mapped.len() {
            return Err(refused("a buffer could not be read".to_owned()));
        }
        let sizes = bindings.iter().zip(&staging).filter(|(_, staging)| staging.is_some());
        sizes
            .zip(mapped)
            .map(|((binding, _), buffer)| {
                let view = self
                    .attempt("vkMapMemory", 0, || buffer.get_mapped_range(..))?
                    .map_err(|error| refused(error.to_string()))?;
                // What follows is padding.
                let bytes = view.iter().copied().take(binding.contents.bytes() as usize);
                Ok(bytes.collect())
            })
            .collect()
    }

    fn check_sizes(
        &self,
        kernel: &Kernel,
        bindings: &[Binding<'_>],
        groups: [u32; 3],
    ) -> Result<(), DeviceError> {
        if bindings.len() != kernel.accesses.len() {
            let message =
                format!("{} bindings for {} buffers", bindings.len(), kernel.accesses.len());
            return Err(DeviceError::Call { call: "vkUpdateDescriptorSets", message });
        }
        for binding in bindings {
            let (what, needed) = (binding.name, binding.contents.padded());
            let available = self.description.buffer_bytes;
            if needed > available {
                return Err(DeviceError::TooLarge { what, needed, available });
            }
        }
        let most = self.limits.max_compute_workgroups_per_dimension;
        match groups.iter().find(|groups| **groups > most) {
            Some(groups) => {
                let message = format!("{groups} workgroups, at most {most} in one dimension");
                Err(DeviceError::Call { call: "vkCmdDispatch", message })
            }
            None => Ok(()),
        }
    }

    fn upload(&self, binding: &Binding<'_>) -> wgpu::Buffer {
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        let buffer = self.buffer(binding, usage);
        if let Contents::Bytes(bytes) = binding.contents {
            // A copy has whole words.
            let (words, rest) = bytes.split_at(bytes.len() - bytes.len() % 4);
            self.queue.write_buffer(&buffer, 0, words);
            if !rest.is_empty() {
                let mut last = [0; 4];
                last[..rest.len()].copy_from_slice(rest);
                self.queue.write_buffer(&buffer, words.len() as u64, &last);
            }
        }
        buffer
    }

    fn staging(&self, binding: &Binding<'_>) -> wgpu::Buffer {
        self.buffer(binding, BufferUsages::MAP_READ | BufferUsages::COPY_DST)
    }

    fn buffer(&self, binding: &Binding<'_>, usage: BufferUsages) -> wgpu::Buffer {
        self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some(binding.name),
            size: binding.contents.padded(),
            usage,
            mapped_at_creation: false,
        })
    }

    fn bind(&self, kernel: &Kernel, buffers: &[wgpu::Buffer]) -> wgpu::BindGroup {
        let entries: Vec<_> = (0..)
            .zip(buffers)
            .map(|(binding, buffer)| wgpu::BindGroupEntry {
                binding,
                resource: buffer.as_entire_binding(),
            })
            .collect();
        self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &kernel.layout,
            entries: &entries,
        })
    }
}

fn layout(binding: u32, access: Access) -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry {
        binding,
        visibility: ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer {
            ty: wgpu::BufferBindingType::Storage { read_only: access == Access::Read },
            has_dynamic_offset: false,
            min_binding_size: None,
        },
        count: None,
    }
}
