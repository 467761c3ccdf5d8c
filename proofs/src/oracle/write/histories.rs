//! Accesses, phases and histories.

use super::{Writer, Written};
use crate::oracle::request::Uncovered;
use babycuda_core::{Access, AccessMode, Accesses, Cell, History, HostMemory, Phase};

impl Writer<'_> {
    /// `(R, W)`
    pub(crate) fn accesses(&mut self, accesses: &Accesses) -> Written {
        if let Some(cell) = accesses.atomics.keys().next() {
            return Err(Uncovered::AtomicAccess(cell.clone()));
        }
        self.list(|this| {
            this.list(|this| accesses.reads.iter().try_for_each(|cell| this.cell(cell)))?;
            this.list(|this| {
                accesses.writes.iter().try_for_each(|(cell, value)| {
                    this.list(|this| {
                        this.cell(cell)?;
                        this.word(value)
                    })
                })
            })
        })
    }

    pub(crate) fn phase(&mut self, phase: &Phase) -> Written {
        self.list(|this| {
            phase.threads().try_for_each(|(i, accesses)| {
                this.list(|this| {
                    this.number(i)?;
                    this.accesses(accesses)
                })
            })
        })
    }

    /// The phases, newest first, and what the host stored.
    pub(crate) fn history(&mut self, history: &History) -> Written {
        self.list(|this| {
            history.newest_first().try_for_each(|phase| this.phase(phase))?;
            this.host(history.host())
        })
    }

    fn host(&mut self, host: &HostMemory) -> Written {
        let mut written = Accesses::default();
        for (name, array) in host.arrays() {
            self.of_array(name)?;
            if array.fill.is_some() {
                return Err(Uncovered::Fill(name.clone()));
            }
            for (index, value) in &array.cells {
                written = written.write(Cell::new(name.clone(), index.clone()), value.clone());
            }
        }
        self.phase(&Phase::singleton(0, written))
    }

    pub(crate) fn access(&mut self, access: &Access) -> Written {
        if let AccessMode::At(_) = access.mode {
            return Err(Uncovered::AtomicAccess(access.cell.clone()));
        }
        self.list(|this| {
            this.number(access.thread)?;
            this.word(access.mode)?;
            this.cell(&access.cell)
        })
    }
}
