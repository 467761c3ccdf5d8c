//! How a generated program uses its arrays.

use babycuda_core::Name;

/// The discipline under which all threads access an array. All but [`Discipline::Free`] make the
/// program race-free on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Discipline {
    /// Every index is `tid + T * n` for `T` threads.
    Private,
    /// Only the thread of this number accesses it.
    Owned(u64),
    /// Nobody writes it.
    ReadOnly,
    /// It is only updated atomically.
    Atomic,
    /// Anything goes.
    Free,
}

/// An array of the program being generated.
#[derive(Clone, Debug)]
pub(super) struct Array {
    pub name: Name,
    pub discipline: Discipline,
}

impl Array {
    pub(super) fn readable(&self) -> bool {
        self.discipline != Discipline::Atomic
    }

    pub(super) fn writable(&self) -> bool {
        !matches!(self.discipline, Discipline::ReadOnly | Discipline::Atomic)
    }

    pub(super) fn updatable(&self) -> bool {
        self.discipline != Discipline::ReadOnly
    }
}
