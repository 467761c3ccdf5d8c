//! A device: kernels are compiled for it, and run with buffers.

#![allow(unsafe_code)] // Calls of the driver, which trusts handles, pointers and sizes.

use super::error::{Memory, failed, name, refused};
use super::handle::Handle;
use crate::backend::{Device, DeviceError};
use crate::driver::Loss;
use crate::text::{Argument, CompileError, Shape, check_memory};
use opencl3::command_queue::{
    create_command_queue, enqueue_nd_range_kernel, enqueue_read_buffer, finish,
    release_command_queue,
};
use opencl3::context::context::{create_context, release_context};
use opencl3::device::cl_device_id;
use opencl3::error_codes::{CL_BUILD_PROGRAM_FAILURE, CL_INVALID_KERNEL_NAME};
use opencl3::event::release_event;
use opencl3::kernel::{
    CL_KERNEL_NUM_ARGS, CL_KERNEL_WORK_GROUP_SIZE, create_kernel, get_kernel_info,
    get_kernel_work_group_info, release_kernel, set_kernel_arg,
};
use opencl3::memory::{
    CL_MEM_COPY_HOST_PTR, CL_MEM_READ_ONLY, CL_MEM_READ_WRITE, create_buffer, release_mem_object,
};
use opencl3::program::{
    CL_PROGRAM_BUILD_LOG, build_program, create_program_with_source, get_program_build_info,
    release_program,
};
use opencl3::types::{CL_TRUE, cl_int};
use std::ffi::{CStr, CString, c_void};
use std::ptr;

/// How kernels are built: in the language that every driver with 64-bit atomics has.
const OPTIONS: &CStr = c"-cl-std=CL1.2";

/// Oclgrind interprets what its compiler makes, and does not know all that the optimizer makes of
/// that.
const OCLGRIND_OPTIONS: &CStr = c"-cl-std=CL1.2 -cl-opt-disable";

/// An open device.
#[derive(Debug)]
pub(super) struct Driver {
    pub(super) description: Device,
    id: cl_device_id,
    options: &'static CStr,
    // The queue is released before its context.
    queue: Handle,
    context: Handle,
    loss: Loss,
}

/// A kernel of this device's context.
#[derive(Debug)]
pub struct Kernel {
    object: Handle,
    /// Threads that a workgroup of it may have.
    workgroup: u64,
    parameters: usize,
}

impl Kernel {
    /// Threads that a workgroup of it may have.
    pub(super) fn workgroup(&self) -> u64 {
        self.workgroup
    }
}

// SAFETY: a device id is a name for the driver to look up, valid on every thread.
unsafe impl Send for Driver {}

impl Driver {
    pub(super) fn new(description: Device, id: cl_device_id) -> Result<Driver, String> {
        let explain = |call: &str, code| format!("{call}: {}", name(code));
        let context = create_context(&[id], ptr::null(), None, ptr::null_mut())
            .map_err(|code| explain("clCreateContext", code))?;
        // SAFETY: the new context's only reference.
        let context = unsafe { Handle::new(context, release_context) };
        // SAFETY: the context was made for this device.
        let queue = unsafe { create_command_queue(context.get(), id, 0) }
            .map_err(|code| explain("clCreateCommandQueue", code))?;
        // SAFETY: the new queue's only reference.
        let queue = unsafe { Handle::new(queue, release_command_queue) };
        let options = match description.name.starts_with("Oclgrind") {
            true => OCLGRIND_OPTIONS,
            false => OPTIONS,
        };
        Ok(Driver { description, id, options, queue, context, loss: Loss::default() })
    }

    /// Compiles `text` and takes the kernel `entry` from it.
    pub(super) fn compile(
        &mut self,
        text: &str,
        entries: &[&str],
    ) -> Result<Vec<Kernel>, CompileError> {
        self.loss.check()?;
        let result = self.compile_here(text, entries);
        if let Err(CompileError::Device(error)) = &result {
            self.loss.watch(error);
        }
        result
    }

    fn compile_here(&self, text: &str, entries: &[&str]) -> Result<Vec<Kernel>, CompileError> {
        let memory = Memory { needed: 0, available: self.description.memory_bytes };
        let program = create_program_with_source(self.context.get(), &[text])
            .map_err(|code| refused("clCreateProgramWithSource", code, memory))?;
        // SAFETY: the new program's only reference.
        let program = unsafe { Handle::new(program, release_program) };
        build_program(program.get(), &[self.id], self.options, None, ptr::null_mut()).map_err(
            |code| match code {
                CL_BUILD_PROGRAM_FAILURE => CompileError::Refused { log: self.log(&program) },
                _ => refused("clBuildProgram", code, memory).into(),
            },
        )?;
        entries.iter().map(|entry| self.kernel(&program, entry, memory)).collect()
    }

    fn kernel(
        &self,
        program: &Handle,
        entry: &str,
        memory: Memory,
    ) -> Result<Kernel, CompileError> {
        let missing = || CompileError::Refused { log: format!("there is no kernel `{entry}`") };
        // No kernel's name has a character 0.
        let name = CString::new(entry).map_err(|_| missing())?;
        let object = create_kernel(program.get(), &name).map_err(|code| match code {
            CL_INVALID_KERNEL_NAME => missing(),
            _ => refused("clCreateKernel", code, memory).into(),
        })?;
        // SAFETY: the new kernel's only reference; it holds the program.
        let object = unsafe { Handle::new(object, release_kernel) };
        let workgroup =
            get_kernel_work_group_info(object.get(), self.id, CL_KERNEL_WORK_GROUP_SIZE)
                .map_err(|code| refused("clGetKernelWorkGroupInfo", code, memory))?
                .to_size();
        let parameters = get_kernel_info(object.get(), CL_KERNEL_NUM_ARGS)
            .map_err(|code| refused("clGetKernelInfo", code, memory))?
            .to_uint();
        Ok(Kernel { object, workgroup: workgroup as u64, parameters: parameters as usize })
    }

    fn log(&self, program: &Handle) -> String {
        match get_program_build_info(program.get(), self.id, CL_PROGRAM_BUILD_LOG) {
            Ok(log) => String::from(log).trim().to_owned(),
            Err(code) => format!("for a reason that clGetProgramBuildInfo hides: {}", name(code)),
        }
    }

    /// Runs a kernel to its end.
    ///
    /// # Safety
    /// As [`TextBackend::run`](crate::text::TextBackend::run).
    pub(super) unsafe fn run(
        &mut self,
        kernel: &Kernel,
        shape: Shape,
        arguments: &mut [Argument<'_>],
    ) -> Result<(), DeviceError> {
        self.loss.check()?;
        check_memory(&self.description, arguments)?;
        let refusal = |message| Err(DeviceError::Call { call: "clEnqueueNDRangeKernel", message });
        let (threads, most) = (shape.threads(), kernel.workgroup);
        if threads > most {
            return refusal(format!("a workgroup of {threads} threads, at most {most}"));
        }
        // A kernel keeps what was bound by an earlier run, so none may be left out.
        let (given, parameters) = (arguments.len(), kernel.parameters);
        if given != parameters {
            return refusal(format!("{given} arguments for {parameters} parameters"));
        }
        if shape.is_empty() {
            return Ok(());
        }
        let memory = Memory {
            needed: arguments.iter().map(Argument::bytes).sum(),
            available: self.description.memory_bytes,
        };
        // SAFETY: the caller's promise.
        let result = unsafe { self.run_here(kernel, shape, arguments, memory) };
        result.inspect_err(|error| self.loss.watch(error))
    }

    /// # Safety
    /// As [`Self::run`].
    unsafe fn run_here(
        &self,
        kernel: &Kernel,
        shape: Shape,
        arguments: &mut [Argument<'_>],
        memory: Memory,
    ) -> Result<(), DeviceError> {
        let mut buffers = Vec::with_capacity(arguments.len());
        for (number, argument) in (0..).zip(&*arguments) {
            let buffer = self.buffer(argument, memory)?;
            bind(kernel, number, argument, buffer.as_ref())
                .map_err(|code| refused("clSetKernelArg", code, memory))?;
            buffers.push(buffer);
        }
        let sizes = |side: usize| shape.grid[side] as usize * shape.block[side] as usize;
        let (global, local) = ([sizes(0), sizes(1), sizes(2)], shape.block.map(|n| n as usize));
        // SAFETY: three sizes each, all at least 1; every argument is bound, and the buffers live
        // until the queue is finished; the kernel keeps within them, says the caller.
        let event = unsafe {
            let (queue, kernel) = (self.queue.get(), kernel.object.get());
            let (global, local) = (global.as_ptr(), local.as_ptr());
            enqueue_nd_range_kernel(queue, kernel, 3, ptr::null(), global, local, 0, ptr::null())
        };
        let event = event.map_err(|code| refused("clEnqueueNDRangeKernel", code, memory))?;
        // SAFETY: the new event's only reference.
        drop(unsafe { Handle::new(event, release_event) });
        finish(self.queue.get()).map_err(|code| failed("clFinish", code, memory))?;
        for (argument, buffer) in arguments.iter_mut().zip(&buffers) {
            if let (Some(bytes), Some(buffer)) = (argument.destination(), buffer) {
                self.read(buffer, bytes)
                    .map_err(|code| failed("clEnqueueReadBuffer", code, memory))?;
            }
        }
        Ok(())
    }

    /// A buffer in the device's memory, with what the argument holds; none for a number.
    fn buffer(
        &self,
        argument: &Argument<'_>,
        memory: Memory,
    ) -> Result<Option<Handle>, DeviceError> {
        if let Argument::Word(_) | Argument::Long(_) = argument {
            return Ok(None);
        }
        let access = if argument.is_written() { CL_MEM_READ_WRITE } else { CL_MEM_READ_ONLY };
        // The driver reads from the contents, and only during the call.
        let (flags, contents) = match argument.contents().filter(|bytes| !bytes.is_empty()) {
            Some(bytes) => (access | CL_MEM_COPY_HOST_PTR, bytes.as_ptr().cast_mut().cast()),
            None => (access, ptr::null_mut()),
        };
        // There are no buffers without bytes, so one long stands for nothing. The slice is in
        // memory, so its size is a usize.
        let bytes = match argument.bytes() as usize {
            0 => size_of::<u64>(),
            bytes => bytes,
        };
        // SAFETY: where there are contents, they are a slice of so many bytes.
        let object = unsafe { create_buffer(self.context.get(), flags, bytes, contents) };
        let object = object.map_err(|code| refused("clCreateBuffer", code, memory))?;
        // SAFETY: the new buffer's only reference.
        Ok(Some(unsafe { Handle::new(object, release_mem_object) }))
    }

    fn read(&self, buffer: &Handle, bytes: &mut [u8]) -> Result<(), cl_int> {
        let (start, size) = (bytes.as_mut_ptr().cast(), bytes.len());
        // SAFETY: the buffer was made for this slice, and the call returns when all is read.
        let event = unsafe {
            let (queue, buffer) = (self.queue.get(), buffer.get());
            enqueue_read_buffer(queue, buffer, CL_TRUE, 0, size, start, 0, ptr::null())?
        };
        // SAFETY: the new event's only reference.
        drop(unsafe { Handle::new(event, release_event) });
        Ok(())
    }
}

/// Binds a parameter to a number, or to its buffer.
fn bind(
    kernel: &Kernel,
    number: u32,
    argument: &Argument<'_>,
    buffer: Option<&Handle>,
) -> Result<(), cl_int> {
    let object = buffer.map(Handle::get);
    let (value, size): (*const c_void, _) = match (&object, argument.contents()) {
        (Some(object), _) => (ptr::from_ref(object).cast(), size_of_val(object)),
        (None, contents) => {
            let number = contents.unwrap_or_default();
            (number.as_ptr().cast(), number.len())
        }
    };
    // SAFETY: `value` points to `size` bytes, which the driver copies; it refuses a number or a
    // size that the kernel does not have.
    unsafe { set_kernel_arg(kernel.object.get(), number, size, value) }
}
