//! Codes of OpenCL as errors.

use crate::backend::DeviceError;
use opencl3::error_codes::{
    CL_DEVICE_NOT_AVAILABLE, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
    CL_INVALID_COMMAND_QUEUE, CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_HOST_MEMORY,
    CL_OUT_OF_RESOURCES, error_text,
};
use opencl3::types::cl_int;

/// `cl_khr_terminate_context`: the context is gone.
const CL_CONTEXT_TERMINATED_KHR: cl_int = -1121;

/// The bytes that a launch asks for, and those that there are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Memory {
    pub(super) needed: u64,
    pub(super) available: u64,
}

/// `CL_OUT_OF_MEMORY (-4)`, as in the headers.
pub(super) fn name(code: cl_int) -> String {
    format!("{} ({code})", error_text(code))
}

/// The error of a call that asks for something: it was refused, or there is not enough of it.
pub(super) fn refused(call: &'static str, code: cl_int, memory: Memory) -> DeviceError {
    match code {
        CL_MEM_OBJECT_ALLOCATION_FAILURE | CL_OUT_OF_RESOURCES | CL_OUT_OF_HOST_MEMORY => {
            let Memory { needed, available } = memory;
            DeviceError::TooLarge { what: "memory", needed, available }
        }
        CL_DEVICE_NOT_AVAILABLE | CL_CONTEXT_TERMINATED_KHR => lost(call, code),
        _ => DeviceError::Call { call, message: name(code) },
    }
}

/// The error of a call that waits for a kernel. Where a kernel faults, drivers report resources
/// that ran out, a failed event or an invalid queue, and take no more work; some allocate buffers
/// only when the kernel starts, so the rest is as in [`refused`].
pub(super) fn failed(call: &'static str, code: cl_int, memory: Memory) -> DeviceError {
    match code {
        CL_OUT_OF_RESOURCES
        | CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
        | CL_INVALID_COMMAND_QUEUE => lost(call, code),
        _ => refused(call, code, memory),
    }
}

fn lost(call: &'static str, code: cl_int) -> DeviceError {
    DeviceError::Lost { message: format!("{call}: {}", name(code)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEMORY: Memory = Memory { needed: 2, available: 1 };

    #[test]
    fn too_little_memory_leaves_the_device_usable() {
        for code in [-4, -5, -6] {
            let error = refused("clCreateBuffer", code, MEMORY);
            assert_eq!(
                error,
                DeviceError::TooLarge { what: "memory", needed: 2, available: 1 },
                "{code}"
            );
        }
        assert!(matches!(failed("clFinish", -4, MEMORY), DeviceError::TooLarge { .. }));
    }

    #[test]
    fn a_kernel_that_faults_loses_the_device() {
        for code in [-2, -5, -14, -36, -1121] {
            assert!(matches!(failed("clFinish", code, MEMORY), DeviceError::Lost { .. }), "{code}");
        }
    }

    #[test]
    fn other_codes_are_refusals_with_their_names() {
        let error = refused("clSetKernelArg", -51, MEMORY);
        assert_eq!(error.to_string(), "clSetKernelArg failed: CL_INVALID_ARG_SIZE (-51)");
    }
}
