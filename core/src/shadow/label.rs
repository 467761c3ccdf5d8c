//! What a record of the last accessor tells of an access.

use crate::history::AccessMode;
use crate::syntax::{BarrierScope, Scope};

/// The modes that machines tell apart, in the order of tables. (On one device, an atomic of the
/// system is one of the device.)
pub const MODES: [AccessMode; 4] =
    [AccessMode::Rd, AccessMode::Wr, AccessMode::At(Scope::Block), AccessMode::At(Scope::Device)];

/// The scopes of a device, from the narrowest: what relates two threads, and has barriers.
///
/// Levels count them: 0 is a thread itself, then come the scopes, and the last level is the grid.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Chain {
    scopes: Vec<BarrierScope>,
    grid_barriers: bool,
}

impl Chain {
    /// Of scopes narrower than the grid, in ascending order; the block must be one of them. With
    /// `grid_barriers`, barriers of the grid are seen too (a cooperative grid, or the boundary of two
    /// kernels). `None`: the scopes are not in order, or the block is missing.
    pub fn new(scopes: &[BarrierScope], grid_barriers: bool) -> Option<Chain> {
        let ascend = scopes.windows(2).all(|pair| pair[0] < pair[1]);
        let ends = scopes.last() == Some(&BarrierScope::Block);
        (ascend && ends).then(|| Chain { scopes: scopes.to_vec(), grid_barriers })
    }

    /// The chain of HiRace: warps and blocks, 48 labels.
    pub fn published() -> Chain {
        Chain { scopes: vec![BarrierScope::Warp, BarrierScope::Block], grid_barriers: false }
    }

    /// The level of the grid, the highest one.
    pub fn grid(&self) -> usize {
        self.scopes.len() + 1
    }

    /// The level of the block.
    pub fn block(&self) -> usize {
        self.scopes.len()
    }

    /// The scope of a level; `None`: a thread.
    pub fn scope(&self, level: usize) -> Option<BarrierScope> {
        let scope = level.checked_sub(1)?;
        Some(self.scopes.get(scope).copied().unwrap_or(BarrierScope::Grid))
    }

    /// The level of a scope; `None`: it is not one of the chain's.
    pub fn find(&self, scope: BarrierScope) -> Option<usize> {
        (1..=self.grid()).find(|level| self.scope(*level) == Some(scope))
    }

    /// The highest level whose barriers are seen.
    pub fn widest_barrier(&self) -> usize {
        if self.grid_barriers { self.grid() } else { self.block() }
    }

    /// Every label, in the order of tables.
    pub fn labels(&self) -> impl Iterator<Item = Label> {
        let (syncs, relations) = (0..=self.widest_barrier(), 0..=self.grid());
        let pairs = syncs.flat_map(move |sync| relations.clone().map(move |r| (sync, r)));
        let pairs: Vec<_> = pairs.collect();
        MODES.into_iter().flat_map(move |mode| {
            let label = move |(sync, relation)| Label { mode, sync, relation };
            pairs.clone().into_iter().map(label)
        })
    }

    /// How many labels there are.
    pub fn count(&self) -> usize {
        MODES.len() * (self.widest_barrier() + 1) * (self.grid() + 1)
    }

    /// The place of a label in tables.
    pub(super) fn place(&self, label: Label) -> usize {
        let mode = match label.mode {
            AccessMode::Rd => 0,
            AccessMode::Wr => 1,
            AccessMode::At(Scope::Block) => 2,
            AccessMode::At(_) => 3,
        };
        let sync = label.sync.min(self.widest_barrier());
        let relation = label.relation.min(self.grid());
        (mode * (self.widest_barrier() + 1) + sync) * (self.grid() + 1) + relation
    }

    /// The letter of a level as a relation; as a barrier, a thread's is `U`, "unsynchronized".
    pub fn letter(&self, level: usize, barrier: bool) -> String {
        match self.scope(level) {
            None if barrier => "U".to_owned(),
            None => "S".to_owned(),
            Some(BarrierScope::Tile(threads)) => format!("T{threads}"),
            Some(BarrierScope::Warp) => "W".to_owned(),
            Some(BarrierScope::Block) => "B".to_owned(),
            Some(BarrierScope::Grid) => "G".to_owned(),
        }
    }

    /// The level that a letter names.
    pub(super) fn level(&self, letter: &str, barrier: bool) -> Option<usize> {
        let highest = if barrier { self.widest_barrier() } else { self.grid() };
        (0..=highest).find(|level| self.letter(*level, barrier) == letter)
    }
}

/// An access, as the record of the last one sees it: `R{U,B}` of HiRace Fig. 4.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Label {
    /// How the cell is accessed.
    pub mode: AccessMode,
    /// The level of the widest barrier that the thread passed and the record has not seen; 0: none.
    pub sync: usize,
    /// The level of the narrowest group that holds the thread and the last accessor; 0: they are one.
    pub relation: usize,
}

impl Label {
    /// The label without what it does not tell: clocks of different groups cannot be compared, so of a
    /// barrier narrower than the group that holds both threads nothing is known.
    #[must_use]
    pub fn comparable(self) -> Label {
        let sync = if self.sync < self.relation { 0 } else { self.sync };
        Label { sync, ..self }
    }
}

/// `R`, `W`, `BA` or `GA`, as HiRace names them.
pub fn mode_letter(mode: AccessMode) -> &'static str {
    match mode {
        AccessMode::Rd => "R",
        AccessMode::Wr => "W",
        AccessMode::At(Scope::Block) => "BA",
        AccessMode::At(_) => "GA",
    }
}

impl Chain {
    /// A label as HiRace writes it: `R{U,B}`.
    pub fn show(&self, Label { mode, sync, relation }: Label) -> String {
        let (sync, relation) = (self.letter(sync, true), self.letter(relation, false));
        format!("{}{{{sync},{relation}}}", mode_letter(mode))
    }
}
