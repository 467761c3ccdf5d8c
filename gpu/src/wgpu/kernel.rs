//! Any WGSL text, compiled, and run with arguments.

use super::buffers::{Place, size};
use super::gpu::Gpu;
use crate::backend::DeviceError;
use crate::text::{Argument, CompileError, Shape, check_memory};
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::mpsc;
use wgpu::naga::front::wgsl;
use wgpu::naga::{EntryPoint, ShaderStage};
use wgpu::{ComputePipeline, MapMode, ShaderModule, ShaderStages};

/// The overrides that the threads of a block are the values of.
const BLOCK: [&str; 3] = ["block_x", "block_y", "block_z"];

/// An entry point of a WGSL text.
#[derive(Debug)]
pub struct Kernel {
    module: ShaderModule,
    entry: String,
    /// The threads of a block, per dimension where the text itself says it.
    block: [Option<u32>; 3],
    /// Which of [`BLOCK`] the text declares; a pipeline must not be given others.
    declared: [bool; 3],
    /// A pipeline fixes the block and which buffers are written.
    pipelines: RefCell<HashMap<Interface, ComputePipeline>>,
}

/// What a pipeline is compiled for.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Interface {
    /// Which buffers are `read_write`.
    written: Vec<bool>,
    block: [u32; 3],
}

impl Gpu {
    /// Compiles a text as far as that can be done without knowing the threads of a block.
    pub(super) fn compile(
        &self,
        text: &str,
        entries: &[&str],
    ) -> Result<Vec<Kernel>, CompileError> {
        let parsed = wgsl::parse_str(text)
            .map_err(|error| CompileError::Refused { log: error.emit_to_string(text) })?;
        let module = self
            .attempt("vkCreateShaderModule", 0, || {
                self.device.create_shader_module(wgpu::ShaderModuleDescriptor {
                    label: entries.first().copied(),
                    source: wgpu::ShaderSource::Wgsl(text.into()),
                })
            })
            .map_err(|error| match error {
                DeviceError::Call { message, .. } => CompileError::Refused { log: message },
                error => CompileError::Device(error),
            })?;
        entries.iter().map(|entry| kernel(&parsed, module.clone(), entry)).collect()
    }

    /// Runs a kernel to its end.
    pub(super) fn run(
        &self,
        kernel: &Kernel,
        shape: Shape,
        arguments: &mut [Argument<'_>],
    ) -> Result<(), DeviceError> {
        if shape.is_empty() {
            return Ok(());
        }
        self.check_shape(kernel, shape)?;
        check_memory(&self.description, arguments)?;
        let needed = arguments.iter().map(size).sum();
        let written = arguments.iter().map(Argument::is_written).collect();
        let pipeline = self.pipeline(kernel, Interface { written, block: shape.block })?;
        let places: Vec<_> = self.attempt("vkAllocateMemory", needed, || {
            arguments.iter().map(|argument| Place::new(self, argument)).collect()
        })?;
        let submission =
            self.attempt("vkQueueSubmit", needed, || self.submit(&pipeline, shape.grid, &places))?;
        let (sender, answers) = mpsc::channel();
        let copies = || places.iter().filter_map(|place| place.copy.as_ref());
        self.attempt("vkMapMemory", needed, || {
            for copy in copies() {
                let sender = sender.clone();
                // Only after a failed wait is there no one left to hear it.
                copy.map_async(MapMode::Read, .., move |answer| drop(sender.send(answer)));
            }
        })?;
        self.wait(submission)?;
        if answers.try_iter().filter(Result::is_ok).count() != copies().count() {
            let message = "a buffer could not be mapped".to_owned();
            return Err(DeviceError::Call { call: "vkMapMemory", message });
        }
        places.iter().zip(arguments).try_for_each(|(place, argument)| place.read(self, argument))
    }

    fn check_shape(&self, kernel: &Kernel, shape: Shape) -> Result<(), DeviceError> {
        let refused = |message| Err(DeviceError::Call { call: "vkCmdDispatch", message });
        let most = self.limits.max_compute_workgroups_per_dimension;
        if let Some(blocks) = shape.grid.into_iter().find(|blocks| *blocks > most) {
            return refused(format!("{blocks} blocks, at most {most} in one dimension"));
        }
        let most = u64::from(self.description.workgroup);
        if shape.threads() > most {
            return refused(format!("a block of {} threads, at most {most}", shape.threads()));
        }
        let differs = |side: usize| kernel.block[side].is_some_and(|own| own != shape.block[side]);
        if (0..3).any(differs) {
            return refused(format!("the text is for blocks of {:?}", kernel.block));
        }
        Ok(())
    }

    fn pipeline(
        &self,
        kernel: &Kernel,
        interface: Interface,
    ) -> Result<ComputePipeline, DeviceError> {
        if let Some(pipeline) = kernel.pipelines.borrow().get(&interface) {
            return Ok(pipeline.clone());
        }
        let pipeline =
            self.attempt("vkCreateComputePipelines", 0, || self.new_pipeline(kernel, &interface))?;
        kernel.pipelines.borrow_mut().insert(interface, pipeline.clone());
        Ok(pipeline)
    }

    fn new_pipeline(&self, kernel: &Kernel, interface: &Interface) -> ComputePipeline {
        let entries: Vec<_> =
            (0..).zip(&interface.written).map(|(i, written)| binding(i, *written)).collect();
        let bindings = self.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some(&kernel.entry),
            entries: &entries,
        });
        let layout = self.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some(&kernel.entry),
            bind_group_layouts: &[Some(&bindings)],
            immediate_size: 0,
        });
        let values = BLOCK.into_iter().zip(interface.block.map(f64::from)).zip(kernel.declared);
        let constants: Vec<_> =
            values.filter_map(|(value, declared)| declared.then_some(value)).collect();
        self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(&kernel.entry),
            layout: Some(&layout),
            module: &kernel.module,
            entry_point: Some(&kernel.entry),
            compilation_options: wgpu::PipelineCompilationOptions {
                constants: &constants,
                ..wgpu::PipelineCompilationOptions::default()
            },
            cache: None,
        })
    }

    fn submit(
        &self,
        pipeline: &ComputePipeline,
        grid: [u32; 3],
        places: &[Place],
    ) -> wgpu::SubmissionIndex {
        let entries: Vec<_> = (0..)
            .zip(places)
            .map(|(binding, place)| wgpu::BindGroupEntry {
                binding,
                resource: place.buffer.as_entire_binding(),
            })
            .collect();
        let group = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &entries,
        });
        let mut encoder = self.device.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(grid[0], grid[1], grid[2]);
        drop(pass);
        for place in places {
            if let Some(copy) = &place.copy {
                encoder.copy_buffer_to_buffer(&place.buffer, 0, copy, 0, copy.size());
            }
        }
        self.queue.submit([encoder.finish()])
    }
}

fn binding(binding: u32, written: bool) -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry {
        binding,
        visibility: ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer {
            ty: wgpu::BufferBindingType::Storage { read_only: !written },
            has_dynamic_offset: false,
            min_binding_size: None,
        },
        count: None,
    }
}

/// The kernel of this name.
fn kernel(
    parsed: &wgpu::naga::Module,
    module: ShaderModule,
    entry: &str,
) -> Result<Kernel, CompileError> {
    let is_entry = |point: &&EntryPoint| point.name == entry && point.stage == ShaderStage::Compute;
    let point = parsed.entry_points.iter().find(is_entry).ok_or_else(|| CompileError::Refused {
        log: format!("there is no compute kernel `{entry}`"),
    })?;
    let overrides = point.workgroup_size_overrides.unwrap_or_default();
    let block =
        [0, 1, 2].map(|side| overrides[side].is_none().then_some(point.workgroup_size[side]));
    let declared = BLOCK.map(|name| {
        parsed.overrides.iter().any(|(_, declared)| declared.name.as_deref() == Some(name))
    });
    let pipelines = RefCell::default();
    Ok(Kernel { module, entry: entry.to_owned(), block, declared, pipelines })
}
