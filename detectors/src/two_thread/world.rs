//! Of which launches and parameters a query is.

use babycuda_core::launch::{Launch as Extents, MAX_BLOCK_DIM, MAX_GRID_DIM};
use babycuda_core::{Configuration, Name};
use babycuda_kernel::Launch;

use super::formula::{Role, Translated};

/// What is fixed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fixed {
    /// What the configuration says.
    Given,
    /// Nothing: all values.
    Symbolic,
}

/// The launches and parameters of a query.
#[derive(Clone, Debug)]
pub(super) struct World {
    pub(super) configuration: Configuration,
    launch: Fixed,
    parameters: Fixed,
    /// Which dimensions of block and grid the kernel mentions: all others are 1.
    mentioned: [[bool; 3]; 2],
}

impl World {
    pub(super) fn new(
        configuration: &Configuration,
        [launch, parameters]: [Fixed; 2],
        all: &Translated,
    ) -> World {
        let mut mentioned = [[false; 3]; 2];
        for symbol in &all.symbols {
            let Role::Launch(which, d) = symbol.role else { continue };
            let of_block = matches!(which, Launch::ThreadIdx | Launch::BlockDim);
            if let Some(place) = mentioned[usize::from(!of_block)].get_mut(d) {
                *place = true;
            }
        }
        World { configuration: configuration.clone(), launch, parameters, mentioned }
    }

    pub(super) fn is_symbolic(&self) -> bool {
        self.launch == Fixed::Symbolic
    }

    pub(super) fn launch(&self) -> Extents {
        self.configuration.launch
    }

    /// The value of a parameter, where it is fixed.
    pub(super) fn parameter(&self, name: &str) -> Option<u64> {
        let value = self.configuration.parameters.get(&Name::from(name))?;
        (self.parameters == Fixed::Given).then(|| value.low_u64())
    }

    /// The least and the greatest extents of block and grid.
    pub(super) fn extents(&self, of_block: bool) -> [(u32, u32); 3] {
        let launch = self.launch();
        let given = if of_block { launch.block } else { launch.grid }.components();
        let most = if of_block { MAX_BLOCK_DIM } else { MAX_GRID_DIM };
        std::array::from_fn(|d| match self.launch {
            Fixed::Given => (given[d], given[d]),
            Fixed::Symbolic if self.mentioned[usize::from(!of_block)][d] => (1, most[d]),
            // A second thread in a dimension that the kernel does not mention.
            Fixed::Symbolic if d == 0 => (1, if of_block { 2 } else { 1 }),
            Fixed::Symbolic => (1, 1),
        })
    }

    /// The least and the greatest value of a variable of the launch.
    pub(super) fn bounds(&self, which: Launch, d: usize) -> (i128, i128) {
        let of_block = matches!(which, Launch::ThreadIdx | Launch::BlockDim);
        let (low, high) = self.extents(of_block).get(d).copied().unwrap_or((1, 1));
        match which {
            Launch::ThreadIdx | Launch::BlockIdx => (0, i128::from(high) - 1),
            Launch::BlockDim | Launch::GridDim => (i128::from(low), i128::from(high)),
        }
    }
}
