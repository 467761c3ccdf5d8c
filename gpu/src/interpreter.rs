//! Images as launches of the interpreters in `kernels`.

use crate::backend::{Device, DeviceError};
use crate::check::check;
use crate::image::{ENTRY_LONGS, Image, Output, THREAD_WORDS};
use crate::text::{Argument, Shape};

/// The name of the kernel.
pub(crate) const ENTRY: &str = "interpret";

/// Runs an image: `run` is given the parameters of the interpreter, in order.
///
/// # Errors
/// The image is bad or too large for the device, or what `run` fails with.
pub(crate) fn launch(
    image: &Image,
    device: &Device,
    run: impl FnOnce(Shape, &mut [Argument<'_>]) -> Result<(), DeviceError>,
) -> Result<Output, DeviceError> {
    check(image)?;
    // Before memory of the host is allocated for the output.
    let (needed, available) = (image.bytes(), device.memory_bytes);
    if needed > available {
        return Err(DeviceError::TooLarge { what: "memory", needed, available });
    }
    let mut output = Output {
        memory: image.memory.clone(),
        log: vec![0; image.log_entries * ENTRY_LONGS],
        threads: vec![0; image.threads * THREAD_WORDS],
    };
    let programs = u32::try_from(image.len()).map_err(|_| DeviceError::Call {
        call: "launch",
        message: format!("{} programs in one image", image.len()),
    })?;
    let mut arguments = [
        Argument::Words(&image.programs),
        Argument::Words(&image.code),
        Argument::Words(&image.arrays),
        Argument::Longs(&image.inputs),
        Argument::LongsInOut(&mut output.memory),
        Argument::LongsOut(&mut output.log),
        Argument::WordsOut(&mut output.threads),
    ];
    run(Shape::line(programs, image.workgroup), &mut arguments)?;
    Ok(output)
}
