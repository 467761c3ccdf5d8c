//! Which images a device may be given: those that keep every thread within the buffers.
//!
//! Interpreters trust an image (`BYTECODE.md`, Verified programs), and on some devices they run in
//! this process, so every back end checks it first.

use crate::image::{Image, PROGRAM_WORDS};
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
pub enum BadImageKind {
    /// Fewer words than a header has.
    #[error("its header has fewer than 16 words")]
    Header,
    /// Something that the program has lies outside the buffer that it belongs to.
    #[error("its {0} lie outside their buffer")]
    Range(Part),
    /// No threads, or more than a workgroup has.
    #[error("{threads} threads do not fit into a workgroup of {workgroup}")]
    #[allow(missing_docs)]
    Threads { threads: u32, workgroup: u32 },
    /// A block without threads in some dimension.
    #[error("its block is {0:?}")]
    Extent([u32; 3]),
}

/// What a program has in the buffers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Part {
    Instructions,
    Arrays,
    Cells,
    Inputs,
    Log,
    Threads,
}

impl std::fmt::Display for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Part::Instructions => "instructions",
            Part::Arrays => "arrays",
            Part::Cells => "cells",
            Part::Inputs => "inputs",
            Part::Log => "log entries",
            Part::Threads => "threads",
        })
    }
}

/// Checks that every program of the image keeps within the image's buffers, whatever it computes.
///
/// # Errors
/// The first [`BadImage`].
pub fn check(image: &Image) -> Result<(), BadImage> {
    for (program, header) in image.programs.chunks(PROGRAM_WORDS).enumerate() {
        check_program(image, header).map_err(|kind| BadImage { program, kind })?;
    }
    Ok(())
}

fn check_program(image: &Image, header: &[u32]) -> Result<(), BadImageKind> {
    let &[
        code,
        instructions,
        threads,
        array,
        arrays,
        input,
        inputs,
        x,
        y,
        z,
        _fuel,
        capacity,
        log,
        thread,
        _,
        _,
    ] = header
    else {
        return Err(BadImageKind::Header);
    };
    if threads == 0 || threads > image.workgroup {
        return Err(BadImageKind::Threads { threads, workgroup: image.workgroup });
    }
    if x == 0 || y == 0 || z == 0 {
        return Err(BadImageKind::Extent([x, y, z]));
    }
    let entries = u64::from(threads) * u64::from(capacity);
    within(Part::Instructions, code, instructions.into(), image.code.len() / 4)?;
    within(Part::Inputs, input, inputs.into(), image.inputs.len())?;
    within(Part::Log, log, entries, image.log_entries)?;
    within(Part::Threads, thread, threads.into(), image.threads)?;
    let arrays = within(Part::Arrays, array, arrays.into(), image.arrays.len() / 2)?;
    for cells in image.arrays[2 * arrays.start..2 * arrays.end].chunks_exact(2) {
        within(Part::Cells, cells[0], cells[1].into(), image.memory.len())?;
    }
    Ok(())
}

/// The range of `count` items from `first` on, of the `available` ones.
fn within(
    part: Part,
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
