//! Cells as small numbers, in the order in which a run touches them.

use super::value::Value;
use std::collections::HashMap;

/// The indices below this are found in a table, the others by hashing.
const DENSE: u64 = 1 << 16;

/// A bijection between the cells touched so far and `0..len`.
#[derive(Default, Debug)]
pub(super) struct Cells {
    /// Array and index of each cell.
    places: Vec<(u32, Value)>,
    /// Per array and index: the cell's number, plus one; 0 when it was not touched.
    dense: Vec<Vec<u32>>,
    sparse: HashMap<(u32, Value), u32>,
}

impl Cells {
    /// Forgets all cells, keeping the memory.
    pub(super) fn clear(&mut self) {
        for (array, index) in self.places.drain(..) {
            if let (Value::Small(index), Some(table)) = (index, self.dense.get_mut(array as usize))
                && let Some(entry) = table.get_mut(index as usize)
            {
                *entry = 0;
            }
        }
        self.sparse.clear();
    }

    /// Array and index of a cell.
    pub(super) fn place(&self, cell: u32) -> &(u32, Value) {
        &self.places[cell as usize]
    }

    /// The number of a cell, and whether it is touched for the first time.
    pub(super) fn number(&mut self, array: u32, index: Value) -> (u32, bool) {
        let fresh = self.places.len() as u32;
        let number = match index {
            Value::Small(small) if small < DENSE => {
                let (array, small) = (array as usize, small as usize);
                if self.dense.len() <= array {
                    self.dense.resize_with(array + 1, Vec::new);
                }
                let table = &mut self.dense[array];
                if table.len() <= small {
                    table.resize((small + 1).next_power_of_two(), 0);
                }
                let entry = &mut table[small];
                if *entry == 0 {
                    *entry = fresh + 1;
                }
                *entry - 1
            }
            _ => *self.sparse.entry((array, index.clone())).or_insert(fresh),
        };
        if number == fresh {
            self.places.push((array, index));
        }
        (number, number == fresh)
    }
}
