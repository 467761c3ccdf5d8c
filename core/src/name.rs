//! Identifiers.

use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// The name of a variable, a parameter or an array. Cheap to clone.
///
/// The names that a launch gives meaning to are in [`reserved`].
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Name(Arc<str>);

impl Ord for Name {
    fn cmp(&self, other: &Self) -> Ordering {
        // Most names that are compared are copies of one.
        if Arc::ptr_eq(&self.0, &other.0) { Ordering::Equal } else { self.0.cmp(&other.0) }
    }
}

impl PartialOrd for Name {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Name {
    /// The name spelt `text`.
    pub fn new(text: impl AsRef<str>) -> Self {
        Name(Arc::from(text.as_ref()))
    }

    /// The spelling.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What a [fresh](Name::fresh) name is a name for: `x` of `x'1`.
    pub fn stem(&self) -> &str {
        self.0.split('\'').next().unwrap_or(&self.0)
    }

    /// A name that starts like `self` and for which `taken` is false:
    /// `x`, then `x'1`, `x'2`, …. Where later ones are free already, it may be one of them.
    pub fn fresh(&self, taken: impl Fn(&Name) -> bool) -> Name {
        if !taken(self) {
            return self.clone();
        }
        let numbered = |n: u64| Name::new(format!("{}'{n}", self.stem()));
        let mut free = 1;
        while taken(&numbered(free)) {
            free *= 2;
        }
        // The one before is taken.
        let mut used = free / 2;
        while free - used > 1 {
            let middle = used + (free - used) / 2;
            match taken(&numbered(middle)) {
                true => used = middle,
                false => free = middle,
            }
        }
        numbered(free)
    }
}

impl Deref for Name {
    type Target = str;
    fn deref(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Name {
    fn from(text: &str) -> Self {
        Name::new(text)
    }
}

impl From<String> for Name {
    fn from(text: String) -> Self {
        Name(Arc::from(text))
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", &self.0)
    }
}

/// The names that a launch gives meaning to.
pub mod reserved {
    /// The paper's thread identifier: the thread's linear index in its block.
    pub const TID: &str = "tid";
    /// CUDA's `threadIdx`, per dimension: private to each thread.
    pub const THREAD_IDX: [&str; 3] = ["threadIdx.x", "threadIdx.y", "threadIdx.z"];
    /// CUDA's `blockIdx`, per dimension: shared by the threads of a block.
    pub const BLOCK_IDX: [&str; 3] = ["blockIdx.x", "blockIdx.y", "blockIdx.z"];
    /// CUDA's `blockDim`, per dimension: the same for all threads.
    pub const BLOCK_DIM: [&str; 3] = ["blockDim.x", "blockDim.y", "blockDim.z"];
    /// CUDA's `gridDim`, per dimension: the same for all threads.
    pub const GRID_DIM: [&str; 3] = ["gridDim.x", "gridDim.y", "gridDim.z"];

    /// The array that tells what threads access of `array` while their own copies are in flight (THEORY §4).
    pub fn in_flight(array: &super::Name) -> super::Name {
        super::Name::new(format!("{array}.in_flight"))
    }

    /// Is `name` given its meaning by the launch?
    pub fn is_reserved(name: &str) -> bool {
        name == TID
            || [THREAD_IDX, BLOCK_IDX, BLOCK_DIM, GRID_DIM]
                .iter()
                .any(|names| names.contains(&name))
    }

    /// Does `name` differ between two threads of one block?
    pub fn is_private(name: &str) -> bool {
        name == TID || THREAD_IDX.contains(&name)
    }
}
