//! A device whose failures are values.
//!
//! wgpu reports an error to the innermost scope of its kind, else to a handler that panics, and
//! panics itself where a lost device is polled. [`Gpu::attempt`] turns all of these into errors.

use crate::backend::{Device, DeviceError};
use crate::driver::Loss;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;
use wgpu::{ErrorFilter, Limits, PollError, PollType, SubmissionIndex};

/// A Vulkan device, ready to compile and run kernels.
#[derive(Debug)]
pub(super) struct Gpu {
    pub(super) description: Device,
    pub(super) limits: Limits,
    pub(super) device: wgpu::Device,
    pub(super) queue: wgpu::Queue,
    deadline: Duration,
    loss: Loss,
}

impl Gpu {
    pub(super) fn new(
        description: Device,
        limits: Limits,
        device: wgpu::Device,
        queue: wgpu::Queue,
        deadline: Duration,
    ) -> Self {
        let loss = Loss::default();
        let noted = loss.clone();
        device.set_device_lost_callback(move |_, message| noted.note(message));
        // What is reported outside of every scope belongs to no call: trust nothing afterwards.
        let noted = loss.clone();
        device.on_uncaptured_error(Arc::new(move |error| noted.note(error.to_string())));
        Gpu { description, limits, device, queue, deadline, loss }
    }

    /// Does `action`, which asks the driver for `call` and for `bytes` of memory in all.
    ///
    /// # Errors
    /// Whatever wgpu reports meanwhile: too little memory, a refused call, a lost device.
    pub(super) fn attempt<T>(
        &self,
        call: &'static str,
        bytes: u64,
        action: impl FnOnce() -> T,
    ) -> Result<T, DeviceError> {
        self.loss.check()?;
        let scopes = [ErrorFilter::Internal, ErrorFilter::Validation, ErrorFilter::OutOfMemory]
            .map(|filter| self.device.push_error_scope(filter));
        // A device that panicked is not used again: nothing sees what the panic left half done.
        let result = catch_unwind(AssertUnwindSafe(action));
        // The last pushed is the first popped.
        let errors: Vec<_> =
            scopes.into_iter().rev().filter_map(|scope| pollster::block_on(scope.pop())).collect();
        if result.is_err() {
            self.loss.note(format!("wgpu panicked in {call}"));
        }
        if !errors.is_empty() {
            // What is made on a lost device is refused as invalid; the loss itself may be untold.
            let told = catch_unwind(AssertUnwindSafe(|| self.device.poll(PollType::Poll)));
            if told.is_err() {
                self.loss.note(format!("wgpu panicked after {call}"));
            }
        }
        self.loss.check()?;
        match (result, errors.into_iter().next()) {
            (Ok(value), None) => Ok(value),
            (_, Some(wgpu::Error::OutOfMemory { .. })) => Err(DeviceError::TooLarge {
                what: "memory",
                needed: bytes,
                available: self.description.memory_bytes,
            }),
            (_, error) => {
                let message = error.map(|error| error.to_string()).unwrap_or_default();
                Err(DeviceError::Call { call, message })
            }
        }
    }

    /// Waits until the device has done a submission and called back whom it had to.
    ///
    /// # Errors
    /// The device is lost; it is when it does not come back before the deadline.
    pub(super) fn wait(&self, submission: SubmissionIndex) -> Result<(), DeviceError> {
        let poll =
            PollType::Wait { submission_index: Some(submission), timeout: Some(self.deadline) };
        match self.attempt("vkWaitSemaphores", 0, || self.device.poll(poll))? {
            Ok(_) => Ok(()),
            Err(PollError::Timeout) => {
                self.loss.note(format!("no answer within {:?}", self.deadline));
                self.loss.check()
            }
            Err(error) => {
                Err(DeviceError::Call { call: "vkWaitSemaphores", message: error.to_string() })
            }
        }
    }
}
