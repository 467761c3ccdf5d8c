//! What a caller fixes before a kernel is read or checked: launch, parameters, assumptions.

use crate::launch::{MAX_BLOCK_DIM, MAX_BLOCK_THREADS, MAX_GRID_DIM};
use crate::name::Name;
use crate::name::reserved::{BLOCK_DIM, GRID_DIM};
use crate::parse::{ParseError, parse_assumption};
use crate::syntax::{Declarations, Domain, Extent, Geometry};
use crate::{BigInt, Dim3};
use std::collections::BTreeMap;

/// What a caller fixes; everything else stays as the program declares it. A front end that reads
/// another language takes them, too: with them it translates more exactly.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Settings {
    /// The extents of a block.
    pub block: Option<Dim3>,
    /// The extents of the grid. With them, accesses of different blocks are checked too.
    pub grid: Option<Dim3>,
    /// Where no grid is given: are all grids meant, in the dimensions that a kernel mentions? Otherwise one block is, of
    /// any grid. It is a front end that looks; programs of the calculus declare their grid.
    pub any_grid: bool,
    /// Threads in a warp.
    pub warp: Option<u32>,
    /// Values of parameters. A signed machine parameter may be negative.
    pub params: BTreeMap<Name, BigInt>,
    /// Further assumptions over parameters and extents, in the language of the file, or over what
    /// the host stored.
    pub assumptions: Vec<String>,
}

/// Settings that do not fit the program or any device.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[allow(missing_docs)]
#[non_exhaustive]
pub enum SettingsError {
    #[error("the kernel `{kernel}` has no parameter `{param}`{}", known(.available))]
    NoSuchParameter { kernel: Name, param: Name, available: Vec<Name> },
    #[error("`{value}` is not a value of parameter `{param}`, which is {domain}")]
    OutOfDomain { param: Name, value: BigInt, domain: String },
    #[error("a block of {0} is not launchable: extents must be 1..=1024, 1..=1024, 1..=64")]
    BlockExtent(Dim3),
    #[error("a block of {block} has {threads} threads; at most {MAX_BLOCK_THREADS} are launchable")]
    BlockSize { block: Dim3, threads: u64 },
    #[error(
        "a grid of {0} is not launchable: extents must be 1..=2147483647, 1..=65535, 1..=65535"
    )]
    GridExtent(Dim3),
    #[error(
        "`{kernel}` was translated for {declared}, not for {asked}: say so where its source is translated"
    )]
    Translated { kernel: Name, declared: String, asked: String },
    #[error("assumption `{text}`, column {}: {}", .error.span.column, .error.kind)]
    Unreadable { text: String, error: ParseError },
    #[error("an assumption may only mention parameters, blockDim and gridDim, not `{0}`")]
    Assumption(Name),
}

fn known(available: &[Name]) -> String {
    let names: Vec<String> = available.iter().map(|n| format!("`{n}`")).collect();
    if names.is_empty() {
        " (it has none)".into()
    } else {
        format!(" (it has {})", names.join(", "))
    }
}

impl Settings {
    /// The declarations with the settings applied; assumptions are read as conditions of the
    /// calculus.
    ///
    /// # Errors
    /// [`SettingsError`] when a setting does not fit the program or any CUDA device, or is not what
    /// a translated program was translated for ([`Sources::translated`](crate::syntax::Sources)).
    pub fn apply(&self, declared: &Declarations) -> Result<Declarations, SettingsError> {
        if declared.sources.translated {
            self.agree_with(declared)?;
        }
        let mut declarations = declared.clone();
        if let Some(block) = self.block {
            declarations.geometry.block =
                extents(block, MAX_BLOCK_DIM).ok_or(SettingsError::BlockExtent(block))?;
            let threads = block.count();
            if threads > MAX_BLOCK_THREADS {
                return Err(SettingsError::BlockSize { block, threads });
            }
        }
        if let Some(grid) = self.grid {
            let known = extents(grid, MAX_GRID_DIM).ok_or(SettingsError::GridExtent(grid))?;
            declarations.geometry.grid = Some(known);
        }
        if let Some(warp) = self.warp {
            declarations.geometry.warp = warp;
        }
        for (name, value) in &self.params {
            fix(&mut declarations, name, value)?;
        }
        for text in &self.assumptions {
            let assumption = parse_assumption(text)
                .map_err(|error| SettingsError::Unreadable { text: text.clone(), error })?;
            let stray = assumption.free_vars().into_iter().find(|x| !is_uniform(&declarations, x));
            if let Some(name) = stray {
                return Err(SettingsError::Assumption(name));
            }
            if assumption.over.is_empty() {
                let condition = assumption.condition;
                declarations.sources.stated.push((condition.clone(), text.clone()));
                declarations.assumptions.push(condition);
            } else {
                declarations.contents_assumed.push(assumption);
            }
        }
        Ok(declarations)
    }

    /// Refuses what differs from the launch that a program was translated for.
    fn agree_with(&self, declared: &Declarations) -> Result<(), SettingsError> {
        let Geometry { block, grid, warp } = &declared.geometry;
        let refuse = |declared_as: String, asked: String| {
            let kernel = declared.name.clone();
            Err(SettingsError::Translated { kernel, declared: declared_as, asked })
        };
        let extents = [("block", self.block, Some(block)), ("grid", self.grid, grid.as_ref())];
        for (what, asked, known) in extents {
            let (Some(asked), Some(known)) = (asked, known) else { continue };
            let [x, y, z] = known;
            let mut both = asked.components().into_iter().zip(known);
            if both.any(|(asked, known)| ![Extent::Symbolic, Extent::Known(asked)].contains(known))
            {
                return refuse(
                    format!("a {what} of ({x},{y},{z})"),
                    format!("a {what} of {asked}"),
                );
            }
        }
        if let Some(asked) = self.warp.filter(|asked| asked != warp) {
            return refuse(format!("warps of {warp} threads"), format!("warps of {asked}"));
        }
        for param in &declared.params {
            if let (Some(known), Some(asked)) = (&param.value, self.params.get(&param.name))
                && param.domain.value(asked).is_some_and(|asked| asked != *known)
            {
                return refuse(format!("{} = {known}", param.name), asked.to_string());
            }
        }
        Ok(())
    }
}

fn extents(dims: Dim3, limits: [u32; 3]) -> Option<[Extent; 3]> {
    let fits = dims.components().into_iter().zip(limits).all(|(d, max)| (1..=max).contains(&d));
    fits.then(|| dims.components().map(Extent::Known))
}

fn is_uniform(declarations: &Declarations, name: &Name) -> bool {
    BLOCK_DIM.contains(&name.as_str())
        || GRID_DIM.contains(&name.as_str())
        || declarations.params.iter().any(|p| p.name == *name)
}

fn fix(declarations: &mut Declarations, name: &Name, value: &BigInt) -> Result<(), SettingsError> {
    let available = declarations.params.iter().map(|p| p.name.clone()).collect();
    let Some(param) = declarations.params.iter_mut().find(|p| p.name == *name) else {
        let (kernel, param) = (declarations.name.clone(), name.clone());
        return Err(SettingsError::NoSuchParameter { kernel, param, available });
    };
    param.value = Some(param.domain.value(value).ok_or_else(|| SettingsError::OutOfDomain {
        param: name.clone(),
        value: value.clone(),
        domain: match param.domain {
            Domain::Natural => "a natural".into(),
            Domain::Machine(t) => format!("of type {t}"),
        },
    })?);
    Ok(())
}
