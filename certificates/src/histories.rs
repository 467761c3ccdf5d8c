//! Access pairs, phases and histories (`Histories.v`).

use crate::Unsupported;
use crate::document::{Sort, list, string};
use crate::programs::Terms;
use babycuda_core::{Accesses, Cell, History, HostMemory, Natural, Phase};
use std::collections::{BTreeMap, BTreeSet};

/// A cell: its array and its index.
pub(crate) fn place(cell: &Cell) -> String {
    format!("({}, {})", string(&cell.array), cell.index)
}

/// What histories of one derivation have in common.
pub(crate) struct Shape {
    /// The phases that a run produced, by number from 0, are those from this one on. They mention
    /// all its threads, as the mechanization's rules do, also those that accessed nothing.
    pub(crate) produced_from: usize,
    /// The threads of the run, in order.
    pub(crate) threads: Vec<u64>,
    /// Of an array that the host filled, the cells that the run looks up.
    pub(crate) looked_up: BTreeSet<Cell>,
}

impl Terms {
    /// `A = (R, W)`: both sorted by index.
    pub(crate) fn accesses(&mut self, accesses: &Accesses) -> Result<String, Unsupported> {
        let (reads, writes) = Self::reads_and_writes(accesses)?;
        Ok(self.document.term(Sort::Accesses, format!("({reads}, {writes})")))
    }

    fn reads_and_writes(accesses: &Accesses) -> Result<(String, String), Unsupported> {
        if !accesses.atomics.is_empty() {
            return Err(Unsupported::Atomic { site: None });
        }
        let entry = |(j, k): (&Cell, &Natural)| format!("({}, {k})", place(j));
        Ok((list(accesses.reads.iter().map(place)), list(accesses.writes.iter().map(entry))))
    }

    /// The phase with the threads that accessed something, or with all of `threads`.
    fn phase(&mut self, phase: &Phase, threads: Option<&[u64]>) -> Result<String, Unsupported> {
        let mut mentioned: BTreeSet<u64> = phase.threads().map(|(i, _)| i).collect();
        mentioned.extend(threads.unwrap_or_default());
        let mut entries = Vec::new();
        for i in mentioned {
            entries.push(format!("({i}, {})", self.accesses(&phase.get(i))?));
        }
        Ok(self.document.term(Sort::Phase, list(entries)))
    }

    /// The history. Its newest phase is as the rules leave it, or `open`: as the run finds it.
    pub(crate) fn history(
        &mut self,
        history: &History,
        open: bool,
        shape: &Shape,
    ) -> Result<String, Unsupported> {
        let newest = history.len().saturating_sub(1);
        let mut phases = Vec::new();
        for (age, phase) in history.newest_first().enumerate() {
            let produced = newest - age >= shape.produced_from && !(open && age == 0);
            let threads = produced.then_some(shape.threads.as_slice());
            phases.push(self.phase(phase, threads)?);
        }
        phases.extend(self.host(history.host(), shape));
        Ok(self.document.term(Sort::History, list(phases)))
    }

    /// What the host stored, as the oldest phase; `None`: nothing that matters.
    fn host(&mut self, host: &HostMemory, shape: &Shape) -> Option<String> {
        let mut contents = BTreeMap::new();
        for (name, array) in host.arrays() {
            let cell = |(index, k): (&Natural, &Natural)| {
                (Cell { array: name.clone(), index: index.clone() }, k.clone())
            };
            contents.extend(array.cells.iter().map(cell));
        }
        let value = |cell: &Cell| Some((cell.clone(), host.get(cell)?.clone()));
        contents.extend(shape.looked_up.iter().filter_map(value));
        let entries = list(contents.iter().map(|(j, k)| format!("({}, {k})", place(j))));
        let some = !contents.is_empty();
        some.then(|| self.document.term(Sort::Phase, format!("host_contents {entries}")))
    }
}
