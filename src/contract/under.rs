//! Programs of a kernel under conditions and launches, checked together.

use super::candidates::Candidate;
use crate::{CheckOptions, Checked, check};
use babycuda_core::evidence::Certainty;
use babycuda_core::name::reserved::{BLOCK_DIM, GRID_DIM};
use babycuda_core::syntax::Extent;
use babycuda_core::verdict::Outcome;
use babycuda_core::{Configuration, Program};

/// What is found of the first of these programs that is not race-free, or of the last one.
pub(super) fn check_all(
    programs: impl Iterator<Item = Program>,
    options: &CheckOptions,
) -> Option<Checked> {
    let mut last = None;
    for program in programs {
        let found = check(&program, options).ok()?;
        if found.verdict.outcome != Outcome::Drf {
            return Some(found);
        }
        last = Some(found);
    }
    last
}

/// The launches of the races that are certain.
pub(super) fn races(found: &Checked) -> Vec<Configuration> {
    let races = found.verdict.races.iter();
    let sure = races.filter(|race| race.certainty != Certainty::Potential);
    sure.map(|race| race.configuration.clone()).collect()
}

/// The program where these hold.
pub(super) fn under(program: &Program, parts: &[&Candidate]) -> Program {
    let mut narrowed = program.clone();
    for part in parts {
        narrowed.sources.stated.push((part.condition.clone(), part.text.clone()));
        narrowed.assumptions.push(part.condition.clone());
    }
    fixed(narrowed, parts)
}

/// The program where extents and parameters are what these parts, which it assumes, say.
pub(super) fn fixed(mut program: Program, parts: &[&Candidate]) -> Program {
    for (name, value) in parts.iter().filter_map(|part| part.equation()) {
        let extent = |all: [&str; 3]| all.iter().position(|d| name.as_str() == *d);
        let number = value.to_u64().and_then(|k| u32::try_from(k).ok());
        match (extent(BLOCK_DIM), extent(GRID_DIM), number) {
            (Some(d), _, Some(k)) => program.geometry.block[d] = Extent::Known(k),
            (_, Some(d), Some(k)) => {
                if let Some(grid) = &mut program.geometry.grid {
                    grid[d] = Extent::Known(k);
                }
            }
            _ => {
                let own =
                    program.params.iter_mut().filter(|p| p.name == *name && p.value.is_none());
                own.for_each(|param| param.value = Some(value.clone()));
            }
        }
    }
    program
}
