//! Arguments of kernels as storage buffers.

use super::gpu::Gpu;
use crate::backend::DeviceError;
use crate::text::Argument;
use wgpu::{Buffer, BufferUsages};

/// A binding has whole elements, and the largest element of the buffers here, `vec4<u32>`, has 16
/// bytes.
const GRANULE: u64 = 16;

/// Bytes of the buffer of an argument.
pub(super) fn size(argument: &Argument<'_>) -> u64 {
    let bytes = match argument {
        Argument::Word(_) => 4,
        Argument::Long(_) => 8,
        buffer => buffer.bytes(),
    };
    bytes.max(1).next_multiple_of(GRANULE)
}

/// The buffers of one argument.
#[derive(Debug)]
pub(super) struct Place {
    /// What the kernel sees.
    pub(super) buffer: Buffer,
    /// For what it writes: a copy that the host can map.
    pub(super) copy: Option<Buffer>,
}

impl Place {
    /// A new place with the argument's contents; failures go to the scope of the caller.
    pub(super) fn new(gpu: &Gpu, argument: &Argument<'_>) -> Place {
        let new = |usage| {
            gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size: size(argument),
                usage,
                mapped_at_creation: false,
            })
        };
        let buffer = new(BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST);
        if let Some(contents) = argument.contents() {
            gpu.queue.write_buffer(&buffer, 0, contents);
        }
        let copy =
            argument.is_written().then(|| new(BufferUsages::MAP_READ | BufferUsages::COPY_DST));
        Place { buffer, copy }
    }

    /// Gives the host what the mapped copy holds.
    pub(super) fn read(&self, gpu: &Gpu, argument: &mut Argument<'_>) -> Result<(), DeviceError> {
        let (Some(copy), Some(destination)) = (&self.copy, argument.destination()) else {
            return Ok(());
        };
        let refused = |message| DeviceError::Call { call: "vkMapMemory", message };
        let view = gpu
            .attempt("vkMapMemory", 0, || copy.get_mapped_range(..))?
            .map_err(|error| refused(error.to_string()))?;
        // The rest of the view is padding.
        match view.get(..destination.len()) {
            Some(contents) => destination.copy_from_slice(contents),
            None => return Err(refused("the mapped buffer is too short".to_owned())),
        }
        Ok(())
    }
}
