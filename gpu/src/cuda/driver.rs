//! A device: kernels are loaded into it, and run with buffers.

#![allow(unsafe_code)] // A launch trusts that the kernel has these parameters.

use super::error::{Needed, classify};
use super::unwinding;
use crate::backend::{Device, DeviceError};
use crate::driver::Loss;
use crate::text::{Argument, CompileError, Shape, check_memory};
use cudarc::driver::{
    CudaContext, CudaFunction, CudaSlice, CudaStream, DriverError, LaunchConfig, PushKernelArg,
};
use cudarc::nvrtc::Ptx;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

/// An open device.
#[derive(Debug)]
pub(super) struct Driver {
    pub(super) description: Device,
    context: Arc<CudaContext>,
    /// That of the thread which uses the device: devices opened by several threads run side by side.
    stream: Arc<CudaStream>,
    /// Buffers that nobody uses now, by their size, a power of two.
    pool: RefCell<BTreeMap<usize, Vec<CudaSlice<u8>>>>,
    loss: Loss,
}

/// A kernel that a device has loaded.
#[derive(Clone, Debug)]
pub struct Kernel {
    function: CudaFunction,
    /// Threads that a block of it may have.
    block: u64,
}

impl Kernel {
    /// Threads that a block of it may have.
    pub(super) fn block(&self) -> u64 {
        self.block
    }
}

/// A parameter, on its way to the device.
enum Parameter {
    Word(u32),
    Long(u64),
    Buffer(CudaSlice<u8>),
}

impl Driver {
    pub(super) fn new(description: Device, context: Arc<CudaContext>) -> Driver {
        let stream = context.per_thread_stream();
        let (pool, loss) = (RefCell::default(), Loss::default());
        Driver { description, context, stream, pool, loss }
    }

    /// Loads a module and takes a kernel from it for each of the entries.
    pub(super) fn load(&mut self, ptx: Ptx, entries: &[&str]) -> Result<Vec<Kernel>, CompileError> {
        if entries.iter().any(|entry| entry.contains('\0')) {
            let log = "the kernel's name has a character 0".to_owned();
            return Err(CompileError::Refused { log });
        }
        let refused = |error| match error {
            DeviceError::Call { call, message } => {
                CompileError::Refused { log: format!("{call}: {message}") }
            }
            other => CompileError::Device(other),
        };
        self.attempt(|driver| {
            let call = |name| move |error| driver.error(name, error, Needed(0));
            let module = driver.context.load_module(ptx).map_err(call("cuModuleLoadData"))?;
            let kernel = |entry: &&str| {
                let function = module.load_function(entry).map_err(call("cuModuleGetFunction"))?;
                let block = function.max_threads_per_block().map_err(call("cuFuncGetAttribute"))?;
                Ok(Kernel { function, block: u64::try_from(block).unwrap_or(0) })
            };
            entries.iter().map(kernel).collect()
        })
        .map_err(refused)
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
        if shape.threads() > kernel.block {
            let message =
                format!("a block of {} threads, at most {}", shape.threads(), kernel.block);
            return Err(DeviceError::Call { call: "cuLaunchKernel", message });
        }
        if shape.is_empty() {
            return Ok(());
        }
        // SAFETY: the caller's promise.
        self.attempt(|driver| unsafe { driver.run_here(kernel, shape, arguments) })
    }

    /// # Safety
    /// As [`Self::run`].
    unsafe fn run_here(
        &self,
        kernel: &Kernel,
        shape: Shape,
        arguments: &mut [Argument<'_>],
    ) -> Result<(), DeviceError> {
        let needed = Needed(arguments.iter().map(Argument::bytes).sum());
        let call = |name| move |error| self.error(name, error, needed);
        let parameters = arguments
            .iter()
            .map(|argument| self.upload(argument))
            .collect::<Result<Vec<_>, _>>()
            .map_err(call("cuMemAlloc, cuMemcpyHtoD"))?;
        let mut launch = self.stream.launch_builder(&kernel.function);
        for parameter in &parameters {
            match parameter {
                Parameter::Word(word) => launch.arg(word),
                Parameter::Long(long) => launch.arg(long),
                Parameter::Buffer(bytes) => launch.arg(bytes),
            };
        }
        let ([x, y, z], [i, j, k]) = (shape.grid, shape.block);
        let sizes = LaunchConfig { grid_dim: (x, y, z), block_dim: (i, j, k), shared_mem_bytes: 0 };
        // SAFETY: the kernel has these parameters and keeps within the buffers, says the caller;
        // they live until the stream is synchronized, below.
        unsafe { launch.launch(sizes) }.map_err(call("cuLaunchKernel"))?;
        // A kernel's faults come to light here, and not as those of the copies.
        self.stream.synchronize().map_err(call("cuStreamSynchronize"))?;
        for (argument, parameter) in arguments.iter_mut().zip(&parameters) {
            self.download(argument, parameter).map_err(call("cuMemcpyDtoH"))?;
        }
        self.stream.synchronize().map_err(call("cuStreamSynchronize"))?;
        // Nothing uses them any more.
        for parameter in parameters {
            if let Parameter::Buffer(buffer) = parameter {
                self.pool.borrow_mut().entry(buffer.len()).or_default().push(buffer);
            }
        }
        Ok(())
    }

    /// A buffer of at least so many bytes, with any contents.
    fn buffer(&self, bytes: usize) -> Result<CudaSlice<u8>, DriverError> {
        // There are no buffers without bytes, so one stands for none. A slice has at most
        // isize::MAX bytes.
        let size = bytes.next_power_of_two();
        if let Some(buffer) = self.pool.borrow_mut().get_mut(&size).and_then(Vec::pop) {
            return Ok(buffer);
        }
        // SAFETY: bytes are numbers whatever their bits are, and only the kernel reads them before
        // they are written: `Argument` says that they begin with anything.
        let alloc = |size| unsafe { self.stream.alloc(size) };
        alloc(size).or_else(|_| {
            self.pool.borrow_mut().clear();
            alloc(bytes.max(1))
        })
    }

    fn upload(&self, argument: &Argument<'_>) -> Result<Parameter, DriverError> {
        match argument {
            Argument::Word(word) => return Ok(Parameter::Word(*word)),
            Argument::Long(long) => return Ok(Parameter::Long(*long)),
            _ => {}
        }
        let mut buffer = self.buffer(argument.bytes() as usize)?;
        if let Some(contents) = argument.contents().filter(|contents| !contents.is_empty()) {
            self.stream.memcpy_htod(contents, &mut buffer.slice_mut(..contents.len()))?;
        }
        Ok(Parameter::Buffer(buffer))
    }

    fn download(
        &self,
        argument: &mut Argument<'_>,
        parameter: &Parameter,
    ) -> Result<(), DriverError> {
        match (argument.destination(), parameter) {
            (Some(bytes), Parameter::Buffer(buffer)) => {
                self.stream.memcpy_dtoh(&buffer.slice(..bytes.len()), bytes)
            }
            _ => Ok(()),
        }
    }

    fn error(&self, call: &'static str, error: DriverError, needed: Needed) -> DeviceError {
        classify(call, error, needed, || {
            self.context.mem_get_info().map_or(0, |(free, _)| free as u64)
        })
    }

    /// Does `action`, unless the device is lost. A function that the driver's library does not
    /// have makes `cudarc` panic; nobody can tell what was done before.
    fn attempt<T>(
        &mut self,
        action: impl FnOnce(&Driver) -> Result<T, DeviceError>,
    ) -> Result<T, DeviceError> {
        self.loss.check()?;
        let result =
            unwinding(|| action(self)).unwrap_or_else(|message| Err(DeviceError::Lost { message }));
        result.inspect_err(|error| self.loss.watch(error))
    }
}
