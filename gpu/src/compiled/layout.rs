//! Where the numbers of a compiled run are.

use super::error::CompiledError;
use crate::emit::Text;
use crate::job::{Job, JobArray, JobOptions};
use babycuda_core::syntax::Space;
use babycuda_core::{Launch, Name};
use babycuda_semantics::Instance;
use std::collections::BTreeMap;

/// Where the arrays and parameters of a compiled run are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout {
    launch: Launch,
    arrays: Vec<Placed>,
    /// Positions in `arrays`, in the order of the text's.
    order: Vec<usize>,
    parameters: Vec<u64>,
    /// Cells of `memory`.
    longs: usize,
    /// Cells of all arrays, shared ones counted once.
    cells: u64,
}

/// An array and its place.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Placed {
    name: Name,
    before: JobArray,
    /// Its first cell in `memory`.
    base: usize,
    /// Its first cell in a digest.
    first: u64,
}

impl Layout {
    /// The layout of the grid to which a job's block belongs.
    ///
    /// # Errors
    /// [`CompiledError::TooLarge`].
    pub fn new(job: &Job) -> Result<Layout, CompiledError> {
        let launch = job.block().launch;
        let blocks = usize::try_from(launch.grid.count()).map_err(|_| CompiledError::TooLarge)?;
        let (mut longs, mut cells) = (0usize, 0u64);
        let mut arrays = Vec::new();
        for (name, before) in job.code().arrays().iter().zip(job.arrays()) {
            let copies = if before.space == Space::Shared { blocks } else { 1 };
            let own = before.cells.len().checked_mul(copies);
            let placed =
                Placed { name: name.clone(), before: before.clone(), base: longs, first: cells };
            longs = own.and_then(|own| longs.checked_add(own)).ok_or(CompiledError::TooLarge)?;
            cells += before.cells.len() as u64;
            arrays.push(placed);
        }
        let (order, parameters) = (Vec::new(), Vec::new());
        Ok(Layout { launch, arrays, order, parameters, longs, cells })
    }

    /// The layout with the inputs in the order of `text`.
    pub(super) fn with_inputs(
        mut self,
        text: &Text,
        instance: &Instance,
    ) -> Result<Layout, CompiledError> {
        for name in &text.arrays {
            let position = self.arrays.iter().position(|array| array.name == *name);
            self.order.push(position.ok_or_else(|| CompiledError::Unbound(name.clone()))?);
        }
        let used = instance.program.body.free_vars();
        for name in &text.parameters {
            let Some(value) = instance.configuration.parameters.get(name) else {
                if used.contains(name) {
                    return Err(CompiledError::Unbound(name.clone()));
                }
                self.parameters.push(0);
                continue;
            };
            let too_large =
                || CompiledError::ParameterTooLarge { name: name.clone(), value: value.clone() };
            self.parameters.push(value.to_u64().ok_or_else(too_large)?);
        }
        Ok(self)
    }

    /// The launch.
    pub fn launch(&self) -> Launch {
        self.launch
    }

    /// Threads of the grid.
    pub fn threads(&self) -> u64 {
        self.launch.grid.count().saturating_mul(self.launch.block.count())
    }

    /// Cells of a digest's phase: those of all arrays, shared ones counted once.
    pub fn cells(&self) -> u64 {
        self.cells
    }

    /// The number of a cell in a digest; the blocks' own cells of a shared array have the same.
    pub fn cell(&self, array: &Name, index: u64) -> Option<u64> {
        let array = self.arrays.iter().find(|known| known.name == *array)?;
        (index < array.before.cells.len() as u64).then(|| array.first + index)
    }

    /// The arrays, in the order of reports.
    pub(super) fn arrays(&self) -> impl Iterator<Item = (&Name, Space, usize)> {
        self.arrays.iter().map(|a| (&a.name, a.before.space, a.before.cells.len()))
    }

    /// The lengths of the arrays.
    pub(super) fn lengths(&self) -> BTreeMap<Name, u64> {
        self.arrays().map(|(name, _, length)| (name.clone(), length as u64)).collect()
    }

    /// What the kernel finds in `memory`; never empty.
    pub(super) fn memory(&self) -> Vec<u64> {
        let mut memory = Vec::with_capacity(self.longs.max(1));
        for array in &self.arrays {
            let blocks = match array.before.space {
                Space::Shared => self.launch.grid.count(),
                Space::Global => 1,
            };
            for _ in 0..blocks {
                memory.extend_from_slice(&array.before.cells);
            }
        }
        memory.resize(memory.len().max(1), 0);
        memory
    }

    /// The cells of an array, as a block sees it.
    pub(super) fn cells_of<'m>(&self, memory: &'m [u64], array: usize, block: usize) -> &'m [u64] {
        let placed = &self.arrays[array];
        let length = placed.before.cells.len();
        let own = match placed.before.space {
            Space::Shared => placed.base + block * length,
            Space::Global => placed.base,
        };
        &memory[own..own + length]
    }

    /// The inputs of the kernel.
    pub(super) fn inputs(&self, options: &JobOptions, capacity: u64) -> Vec<u64> {
        let fuel = u64::from(options.fuel);
        let mut inputs = vec![fuel, fuel, capacity, self.cells];
        for &position in &self.order {
            let array = &self.arrays[position];
            inputs.extend([array.base as u64, array.before.cells.len() as u64, array.first]);
        }
        inputs.extend(&self.parameters);
        inputs
    }
}
