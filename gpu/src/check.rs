//! Which images a device may be given: those that keep every thread within the buffers.
//!
//! Interpreters trust an image (`BYTECODE.md`, Verified programs), and on some devices they run in
//! this process, so every back end checks it first.

use crate::backend::{Device, DeviceError};
use crate::batch::Footprint;
use crate::bytecode::{DecodeErrorKind, Faulty, VerifyErrorKind, decode, verify};
use crate::image::{ENTRY_LONGS, INSTRUCTION_WORDS, Image, Output, PROGRAM_WORDS, THREAD_WORDS};
use crate::jitter::Jitter;
use crate::numbers::header::*;
use babycuda_core::syntax::BarrierScope;
use std::ops::Range;

/// An image that no device may be given: which program, and what is wrong with it.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("program {program}: {kind}")]
pub struct BadImage {
    /// The number of the program.
    pub program: usize,
    /// What is wrong.
    pub kind: BadImageKind,
}

/// Why no device may be given an image.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BadImageKind {
    /// Fewer words than a header has.
    #[error("its header has fewer than {PROGRAM_WORDS} words")]
    Header,
    /// Something that the program has lies outside the buffer that it belongs to.
    #[error("its {0} lie outside their buffer")]
    Range(&'static str),
    /// No threads, or more than a workgroup has.
    #[error("{threads} threads do not fit into a workgroup of {workgroup}")]
    #[allow(missing_docs)]
    Threads { threads: u32, workgroup: u32 },
    /// A block without threads in some dimension.
    #[error("its block is {0:?}")]
    Extent([u32; 3]),
    /// Warps without threads.
    #[error("its warps have no threads")]
    Warp,
    /// Its grid does not stand in the image block by block.
    #[error("it is block {block} of {blocks}, and those before and behind it are not the others")]
    #[allow(missing_docs)]
    Grid { block: u32, blocks: u32 },
    /// A word that is no jitter, or a stressed program without cells for that.
    #[error("{0:#x} is no jitter that it can have")]
    Jitter(u32),
    /// Words that are no instruction.
    #[error(transparent)]
    Decode(#[from] Faulty<DecodeErrorKind>),
    /// Instructions that no interpreter may be given.
    #[error(transparent)]
    Verify(#[from] Faulty<VerifyErrorKind>),
}

/// Checks that every program of the image keeps within the image's buffers, whatever it computes.
///
/// # Errors
/// The first [`BadImage`].
pub fn check(image: &Image) -> Result<(), BadImage> {
    for (program, header) in image.programs.chunks(PROGRAM_WORDS).enumerate() {
        check_program(image, header).map_err(|kind| BadImage { program, kind })?;
    }
    check_grids(image)
}

/// The blocks of each grid follow one another.
fn check_grids(image: &Image) -> Result<(), BadImage> {
    let mut expected = (0, None);
    let headers =
        image.programs.chunks(PROGRAM_WORDS).map(|header| (header[BLOCK], header[BLOCKS]));
    for (program, (block, blocks)) in headers.enumerate() {
        let last = program + 1 == image.len();
        let (next, of) = expected;
        let follows = block == next && of.is_none_or(|of| of == blocks) && block < blocks;
        if !follows || last && block + 1 != blocks {
            return Err(BadImage { program, kind: BadImageKind::Grid { block, blocks } });
        }
        expected = if block + 1 == blocks { (0, None) } else { (block + 1, Some(blocks)) };
    }
    Ok(())
}

/// Is there a barrier of a grid of several blocks?
fn needs_cooperation(image: &Image) -> bool {
    image.programs.chunks_exact(PROGRAM_WORDS).filter(|header| header[BLOCKS] > 1).any(|header| {
        let code = image.code[INSTRUCTION_WORDS * header[CODE] as usize..]
            .chunks_exact(INSTRUCTION_WORDS)
            .take(header[INSTRUCTIONS] as usize);
        let mut code = code.filter_map(|words| decode(words).ok()).flatten();
        code.any(|instruction| instruction.barrier() == Some(BarrierScope::Grid))
    })
}

/// The output of an image before the device has run it: every back end begins with this.
///
/// # Errors
/// The image is bad, or too large for the device.
pub(crate) fn admit(image: &Image, device: &Device) -> Result<Output, DeviceError> {
    check(image)?;
    if !device.cooperative && needs_cooperation(image) {
        return Err(DeviceError::NotCooperative);
    }
    let (what, needed) = ("threads of a workgroup", image.workgroup.into());
    let available = device.workgroup.into();
    if needed > available {
        return Err(DeviceError::TooLarge { what, needed, available });
    }
    Footprint::of_image(image).fits(device)?;
    Ok(Output {
        memory: image.memory.clone(),
        log: vec![0; image.log_entries * ENTRY_LONGS],
        threads: vec![0; image.threads * THREAD_WORDS],
    })
}

fn check_program(image: &Image, header: &[u32]) -> Result<(), BadImageKind> {
    let Ok(header) = <[u32; PROGRAM_WORDS]>::try_from(header) else {
        return Err(BadImageKind::Header);
    };
    let [code, instructions] = [header[CODE], header[INSTRUCTIONS]];
    let (threads, arrays) = (header[THREADS], header[ARRAYS]);
    let [x, y, z] = [header[X], header[Y], header[Z]];
    let (seed, jitter) = (header[SEED], header[JITTER]);
    if threads == 0 || threads > image.workgroup {
        return Err(BadImageKind::Threads { threads, workgroup: image.workgroup });
    }
    if x == 0 || y == 0 || z == 0 {
        return Err(BadImageKind::Extent([x, y, z]));
    }
    if header[WARP] == 0 {
        return Err(BadImageKind::Warp);
    }
    let entries = u64::from(threads) * u64::from(header[CAPACITY]);
    let code =
        within("instructions", code, instructions.into(), image.code.len() / INSTRUCTION_WORDS)?;
    let instructions =
        decode(&image.code[INSTRUCTION_WORDS * code.start..][..INSTRUCTION_WORDS * code.len()])?;
    verify(&instructions, arrays as usize, header[INPUTS] as usize)?;
    within("inputs", header[INPUT], header[INPUTS].into(), image.inputs.len())?;
    within("log entries", header[LOG], entries, image.log_entries)?;
    within("threads", header[THREAD], threads.into(), image.threads)?;
    let bad_jitter = BadImageKind::Jitter(jitter);
    let stressed = Jitter::read([seed, jitter]).ok_or(bad_jitter.clone())?.stress > 0;
    // The cells for stress come after the program's arrays.
    let arrays = u64::from(arrays) + u64::from(stressed);
    let arrays = within("arrays", header[ARRAY], arrays, image.arrays.len() / 2)?;
    let arrays = image.arrays[2 * arrays.start..2 * arrays.end].chunks_exact(2);
    for cells in arrays.clone() {
        within("cells", cells[0], cells[1].into(), image.memory.len())?;
    }
    match stressed && arrays.last().is_some_and(|cells| cells[1] == 0) {
        true => Err(bad_jitter),
        false => Ok(()),
    }
}

/// The range of `count` items from `first` on, of the `available` ones.
fn within(
    part: &'static str,
    first: u32,
    count: u64,
    available: usize,
) -> Result<Range<usize>, BadImageKind> {
    let outside = BadImageKind::Range(part);
    let end = u64::from(first).checked_add(count).ok_or(outside.clone())?;
    let end = usize::try_from(end).ok().filter(|&end| end <= available).ok_or(outside)?;
    // At most `end`, which is a usize.
    Ok(first as usize..end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytecode::{Instruction, Register, encode};

    /// Two programs of two threads that write to an array of two cells and log that.
    fn image() -> Image {
        let write = Instruction::Write { array: 0, index: Register::TID, value: Register::TID };
        let header = |program: u32| {
            [0, 2, 2, program, 1, 0, 1, 2, 1, 1, 10, 1, 2 * program, 2 * program, 0, 0, 32, 0, 1]
        };
        Image {
            workgroup: 2,
            programs: [header(0), header(1)].concat(),
            code: [encode(write), encode(Instruction::Halt)].concat(),
            arrays: vec![0, 2, 2, 2],
            inputs: vec![7],
            memory: vec![0; 4],
            log_entries: 4,
            threads: 4,
        }
    }

    /// Changes one word of the second program's header.
    fn with_header(word: usize, value: u32) -> Image {
        let mut image = image();
        image.programs[PROGRAM_WORDS + word] = value;
        image
    }

    fn kind(image: &Image) -> BadImageKind {
        let bad = check(image).unwrap_err();
        assert_eq!(bad.program, 1);
        bad.kind
    }

    #[test]
    fn an_image_that_fills_its_buffers_is_good() {
        assert_eq!(check(&image()), Ok(()));
        assert_eq!(check(&Image::default()), Ok(()));
    }

    #[test]
    fn what_lies_outside_its_buffer_is_named() {
        let parts = [
            (0, 1, "instructions"),
            (1, 3, "instructions"),
            (3, 2, "arrays"),
            (3, u32::MAX, "arrays"),
            (5, 1, "inputs"),
            (6, 2, "inputs"),
            (11, 2, "log entries"),
            (11, u32::MAX, "log entries"),
            (12, 3, "log entries"),
            (13, 3, "threads"),
        ];
        for (word, value, part) in parts {
            assert_eq!(kind(&with_header(word, value)), BadImageKind::Range(part), "word {word}");
        }
        let mut cells = image();
        cells.arrays[3] = 3;
        assert_eq!(kind(&cells), BadImageKind::Range("cells"));
    }

    #[test]
    fn threads_and_blocks_have_bounds() {
        let threads = |threads| BadImageKind::Threads { threads, workgroup: 2 };
        assert_eq!(kind(&with_header(2, 0)), threads(0));
        assert_eq!(kind(&with_header(2, 3)), threads(3));
        assert_eq!(kind(&with_header(8, 0)), BadImageKind::Extent([2, 0, 1]));
    }

    #[test]
    fn a_header_and_an_instruction_are_whole() {
        let mut half = image();
        half.programs.truncate(PROGRAM_WORDS + 3);
        assert_eq!(kind(&half), BadImageKind::Header);
        let mut half = image();
        half.code.truncate(7);
        assert_eq!(check(&half).unwrap_err().kind, BadImageKind::Range("instructions"));
    }

    #[test]
    fn jitter_is_jitter_and_stress_has_its_cells() {
        let stress = Jitter { stress: 3, delay: 1, ..Jitter::default() }.words()[1];
        let stressed = || with_header(JITTER, stress);
        assert_eq!(kind(&stressed()), BadImageKind::Range("arrays"));
        let mut image = stressed();
        image.arrays.extend([0, 0]);
        assert_eq!(kind(&image), BadImageKind::Jitter(stress));
        image.arrays[5] = 5;
        assert_eq!(kind(&image), BadImageKind::Range("cells"));
        image.arrays[5] = 4;
        assert_eq!(check(&image), Ok(()));
        assert_eq!(kind(&with_header(JITTER, u32::MAX)), BadImageKind::Jitter(u32::MAX));
    }

    #[test]
    fn instructions_are_decoded_and_verified() {
        let unknown = Faulty { pc: 0, kind: DecodeErrorKind::Operation(99) };
        let mut image = image();
        image.code[0] = 99;
        assert_eq!(check(&image).unwrap_err().kind, BadImageKind::Decode(unknown));
        let no_array = Faulty { pc: 0, kind: VerifyErrorKind::Array(0) };
        assert_eq!(kind(&with_header(4, 0)), BadImageKind::Verify(no_array));
        let falls = Faulty { pc: 0, kind: VerifyErrorKind::FallsThrough };
        assert_eq!(kind(&with_header(1, 1)), BadImageKind::Verify(falls));
        let empty = Faulty { pc: 0, kind: VerifyErrorKind::Empty };
        assert_eq!(kind(&with_header(1, 0)), BadImageKind::Verify(empty));
    }
}
