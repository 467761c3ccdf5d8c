//! Objects of the driver, released when dropped.

#![allow(unsafe_code)] // A driver counts references, and a handle is one of them.

use opencl3::types::cl_int;
use std::ffi::c_void;

/// A reference to an object of the driver: a context, queue, program, kernel, buffer or event.
///
/// `opencl3` has types for these too, but they panic when a lost device refuses to release them.
#[derive(Debug)]
pub(super) struct Handle {
    object: *mut c_void,
    release: unsafe fn(*mut c_void) -> Result<(), cl_int>,
}

impl Handle {
    /// Takes over one reference to `object`.
    ///
    /// # Safety
    /// `object` is an object of the kind that `release` releases, and nobody else releases this
    /// reference.
    pub(super) unsafe fn new(
        object: *mut c_void,
        release: unsafe fn(*mut c_void) -> Result<(), cl_int>,
    ) -> Handle {
        Handle { object, release }
    }

    /// The object, for calls while the handle lives.
    pub(super) fn get(&self) -> *mut c_void {
        self.object
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: whoever made the handle said that this is the reference to release. Where the
        // driver refuses, the object is lost with its device.
        let _ = unsafe { (self.release)(self.object) };
    }
}

// SAFETY: OpenCL 1.2, appendix A.2: all calls are thread-safe but clSetKernelArg on one kernel;
// the kernel of a handle is used by one thread at a time, as handles are not `Sync`.
unsafe impl Send for Handle {}
