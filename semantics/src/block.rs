//! The threads of one block: the paper's `T`.

use babycuda_core::expr::Renaming;
use babycuda_core::instance::Values;
use babycuda_core::{Launch, Num, Thread};
use serde::{Deserialize, Serialize};
use std::fmt;

/// One block of a launch. Its threads are the set `T` of LCL22 Fig. 5, rule par.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Block {
    /// The launch.
    pub launch: Launch,
    /// The linear index of the block in the grid.
    pub index: u64,
}

impl Block {
    /// The paper's `T = {0, …, n-1}`.
    pub fn threads(n: u32) -> Block {
        Block { launch: Launch::threads(n), index: 0 }
    }

    /// How many threads.
    pub fn len(self) -> u64 {
        self.launch.block.count()
    }

    /// No threads at all?
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The thread with identifier `i`.
    pub fn thread(self, i: u64) -> Thread {
        Thread { block: self.index, index: i }
    }

    /// What rule par substitutes for thread `i`: `[tid := i]`, and the values that CUDA gives
    /// `threadIdx`, `blockIdx`, `blockDim` and `gridDim`.
    pub fn substitution(self, i: u64) -> Renaming {
        self.values(i).into_iter().map(|(x, k)| (x, Num::Lit(k))).collect()
    }

    /// The same as values of variables.
    pub fn values(self, i: u64) -> Values {
        let private = self.launch.thread_values(self.thread(i));
        private.into_iter().chain(self.launch.uniform_values()).collect()
    }
}

impl fmt::Display for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "block {} of {}×{}", self.index, self.launch.grid, self.launch.block)
    }
}
