//! Images as launches of the interpreters in `kernels`.

use crate::backend::{Device, DeviceError};
use crate::check::admit;
use crate::image::{Image, Output, PROGRAM_WORDS};
use crate::jitter::Jitter;
use crate::numbers::header::{FUEL, JITTER, SEED};
use crate::text::{Argument, Shape};
use std::borrow::Cow;

/// The name of the kernel.
pub(crate) const ENTRY: &str = "interpret";

/// The iterations that a unit of fuel pays for: one for an instruction, and one for a phase, of
/// which there are no more; and those of a program in turns, of which nearly all are drawn so that
/// a thread makes an access in every fourth.
const COST: u32 = 2;
const COST_IN_TURNS: u32 = 10;

/// Runs an image: `run` is given the parameters of the interpreter, in order.
///
/// # Errors
/// The image is bad or too large for the device, or what `run` fails with.
pub(crate) fn launch(
    image: &Image,
    device: &Device,
    run: impl FnOnce(Shape, &mut [Argument<'_>]) -> Result<(), DeviceError>,
) -> Result<Output, DeviceError> {
    let mut output = admit(image, device)?;
    let programs = u32::try_from(image.len()).map_err(|_| DeviceError::Call {
        call: "launch",
        message: format!("{} programs in one image", image.len()),
    })?;
    let headers = affordable(&image.programs, device);
    let mut arguments = [
        Argument::Words(&headers),
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

/// The programs' headers, with no more fuel than the device lets a thread use, and nobody spinning:
/// a program that needs more runs out of fuel, rather than being cut off.
fn affordable<'a>(headers: &'a [u32], device: &Device) -> Cow<'a, [u32]> {
    let mut headers = Cow::Borrowed(headers);
    if device.iterations.is_some() {
        for header in headers.to_mut().chunks_exact_mut(PROGRAM_WORDS) {
            // Proof: the image was checked.
            let jitter = Jitter::read([header[SEED], header[JITTER]]).expect("a jitter");
            let cost = if jitter.turn > 0 { COST_IN_TURNS } else { COST };
            header[FUEL] = device.affordable(header[FUEL], cost);
            let jitter = Jitter { delay: 0, stress: 0, ..jitter };
            [header[SEED], header[JITTER]] = jitter.words();
        }
    }
    headers
}
