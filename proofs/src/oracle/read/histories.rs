//! Accesses, phases and histories.

use super::{Read, Reader};
use babycuda_core::{Access, AccessMode, Accesses, History, HostMemory, Phase};

impl Reader<'_> {
    pub(crate) fn mode(&mut self) -> Read<AccessMode> {
        match self.word() {
            "rd" => Ok(AccessMode::Rd),
            "wr" => Ok(AccessMode::Wr),
            _ => self.expected("rd or wr"),
        }
    }

    /// `(R, W)`
    pub(crate) fn accesses(&mut self) -> Read<Accesses> {
        let (reads, writes) = self.within(|this| {
            let write = |this: &mut Self| this.within(|this| Ok((this.cell()?, this.number()?)));
            Ok((this.list(Self::cell)?, this.list(write)?))
        })?;
        Ok(Accesses {
            reads: reads.into_iter().collect(),
            writes: writes.into_iter().collect(),
            ..Accesses::default()
        })
    }

    fn phase(&mut self) -> Read<Phase> {
        let threads = |this: &mut Self| this.within(|this| Ok((this.thread()?, this.accesses()?)));
        let threads = self.list(threads)?;
        Ok(threads.into_iter().collect())
    }

    /// Phases, newest first, the oldest of which is what the host stored.
    pub(crate) fn history(&mut self) -> Read<History> {
        let mut phases = self.list(Self::phase)?;
        let Some(stored) = phases.pop() else {
            return self.expected("a history of at least one phase");
        };
        let mut host = HostMemory::default();
        for (i, accesses) in stored.threads() {
            if i != 0 || !accesses.reads.is_empty() {
                return self.expected("a history whose oldest phase only stores");
            }
            for (cell, value) in &accesses.writes {
                host.set(cell.clone(), value.clone());
            }
        }
        Ok(phases.into_iter().rev().fold(History::empty(host), |h, phase| h.push(phase)))
    }

    pub(crate) fn access(&mut self) -> Read<Access> {
        self.within(|this| {
            let (thread, mode) = (this.thread()?, this.mode()?);
            Ok(Access { thread, mode, cell: this.cell()? })
        })
    }
}
