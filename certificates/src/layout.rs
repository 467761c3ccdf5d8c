//! Several arrays in one: the mechanization's calculus has a single array.

use crate::Unsupported;
use crate::document::{list, string};
use crate::expressions::num;
use babycuda_core::{Cell, Name, Natural, Num};
use std::collections::BTreeSet;

/// The arrays, by name. Of `k` of them, the cell `n` of the one at position `p` is the cell
/// `n·k + p` of the one array; so a single array keeps its cells.
pub(crate) struct Layout {
    arrays: Vec<Name>,
}

impl Layout {
    pub(crate) fn new(arrays: BTreeSet<Name>) -> Layout {
        Layout { arrays: arrays.into_iter().collect() }
    }

    /// Are there several arrays?
    pub(crate) fn is_interleaved(&self) -> bool {
        self.arrays.len() > 1
    }

    pub(crate) fn contains(&self, array: &Name) -> bool {
        self.arrays.contains(array)
    }

    fn position(&self, array: &Name) -> Result<usize, Unsupported> {
        let position = self.arrays.iter().position(|other| other == array);
        position.ok_or_else(|| Unsupported::UnknownArray { array: array.clone() })
    }

    /// An index expression of an array.
    pub(crate) fn index(&self, array: &Name, index: &Num) -> Result<String, Unsupported> {
        let position = self.position(array)?;
        Ok(match self.is_interleaved() {
            true => format!("(interleaved {} {position} {})", self.arrays.len(), num(index)),
            false => num(index),
        })
    }

    /// The index of a cell.
    pub(crate) fn cell(&self, cell: &Cell) -> Result<Natural, Unsupported> {
        self.place(&cell.array, &cell.index)
    }

    /// The index of the cell that an index of an array names.
    pub(crate) fn place(&self, array: &Name, index: &Natural) -> Result<Natural, Unsupported> {
        let position = self.position(array)?;
        // Without arrays there is no position, so `k` is at least 1.
        Ok(&(index * &Natural::from(self.arrays.len())) + &Natural::from(position))
    }

    /// The names of the arrays, for the reader; `None` when there is nothing to explain.
    pub(crate) fn definition(&self) -> Option<String> {
        let names = list(self.arrays.iter().map(|array| string(array)));
        let comment = format!(
            "(* Cell n of the array at position p is cell n * {} + p. *)",
            self.arrays.len()
        );
        self.is_interleaved().then(|| format!("{comment}\nDefinition arrays := {names}."))
    }
}
