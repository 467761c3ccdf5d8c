//! A grid whose blocks wait for each other, as one block (THEORY §4).
//!
//! Where code has barriers of the grid, the blocks of a launch run together. They run as one block
//! of all their threads, numbered block by block: its warps are the blocks, and its tiles are the
//! warps and the tiles. What the launch gives a thread is said by its number; and each block has
//! cells of its own in a shared array: `S[n]` of block b of B is `S[n * B + b]`. Statements keep
//! their sites. So all that is known of one block is known of such a grid.

use crate::configuration::Configuration;
use crate::deep::grow;
use crate::evidence::{Divergence, Side, Witness};
use crate::expr::{ExprMut, Num, Renaming, tid};
use crate::history::{AccessMode, Cell, HostArray, HostMemory};
use crate::launch::{Dim3, Launch, Thread};
use crate::name::{Name, reserved};
use crate::natural::Natural;
use crate::syntax::{
    ArrayDecl, BarrierScope, Bound, Contents, Declarations, Forall, Geometry, Head, Program, Scope,
    Space, Tree, subterms,
};
use std::sync::Arc;

/// Values that shared arrays are declared to hold, of all blocks.
const MAX_VALUES: u64 = 1 << 20;

/// The blocks of a launch, that run together.
#[derive(Clone, Copy, Debug)]
pub struct Together<'a> {
    declarations: &'a Declarations,
    /// The blocks.
    grid: Launch,
    /// The one that they are.
    launch: Launch,
}

/// Do blocks of the launch wait for each other: are there several, and has `code` barriers of the
/// grid? What one of them does is then no matter of its own.
pub fn waits<T: Tree>(code: &T, launch: Launch) -> bool {
    let of_grid = |node: &T| node.head() == Head::Sync(BarrierScope::Grid);
    launch.grid.count() > 1 && subterms(code).any(of_grid)
}

impl<'a> Together<'a> {
    /// The blocks of `launch`, where `code` has barriers of the grid.
    pub fn of<T: Tree>(
        declarations: &'a Declarations,
        code: &T,
        launch: Launch,
    ) -> Option<Together<'a>> {
        waits(code, launch).then(|| Together::all(declarations, code, launch)).flatten()
    }

    /// The blocks of `launch`, whether or not they wait for each other: their interleavings are those
    /// of the one block. `None` where there are not several, or where they cannot be one block: that
    /// has more threads than can be numbered, shared arrays hold what is open or more than 2^20 values,
    /// or an update of a global array is of the scope of a block.
    pub fn all<T: Tree>(
        declarations: &'a Declarations,
        code: &T,
        launch: Launch,
    ) -> Option<Together<'a>> {
        if launch.grid.count() <= 1 {
            return None;
        }
        let values = |array: &ArrayDecl| match &array.contents {
            Contents::Values(values) if array.space == Space::Shared => values.len() as u64,
            _ => 0,
        };
        let values: u64 = declarations.arrays.iter().map(values).sum();
        if values.saturating_mul(launch.grid.count()) > MAX_VALUES {
            return None;
        }
        let global = |array: &Name| declarations.is_global(array);
        let may_be_one = |node: &T| match node.head().access() {
            _ if node.view().binder.is_some_and(|x| reserved::is_reserved(x)) => false,
            Some((AccessMode::At(Scope::Block), array)) if global(array) => false,
            Some((_, array)) if !global(array) => {
                !matches!(declarations.contents(array), Contents::Any | Contents::Opaque)
            }
            _ => true,
        };
        let threads = launch.grid.count().checked_mul(launch.block.count())?;
        let (threads, warp) =
            (u32::try_from(threads).ok()?, u32::try_from(launch.block.count()).ok()?);
        let one = Launch { warp, ..Launch::threads(threads) };
        let all = Together { declarations, grid: launch, launch: one };
        subterms(code).all(may_be_one).then_some(all)
    }

    /// The one block.
    pub fn launch(self) -> Launch {
        self.launch
    }

    /// The blocks that are one.
    pub fn grid(self) -> Launch {
        self.grid
    }

    /// The number of a thread.
    pub fn number(self, thread: Thread) -> u64 {
        thread.block * self.grid.block.count() + thread.index
    }

    /// The thread with a number.
    pub fn thread(self, number: u64) -> Thread {
        let threads = self.grid.block.count().max(1);
        Thread { block: number / threads, index: number % threads }
    }

    /// The cell of a block, among those of all.
    pub fn cell(self, cell: &Cell, block: u64) -> Cell {
        if self.declarations.is_global(&cell.array) {
            return cell.clone();
        }
        let (blocks, block) = (Natural::from(self.grid.grid.count()), Natural::from(block));
        Cell { array: cell.array.clone(), index: &(&cell.index * &blocks) + &block }
    }

    /// The cell, as its block has it.
    pub fn own(self, cell: &Cell) -> Cell {
        if self.declarations.is_global(&cell.array) {
            return cell.clone();
        }
        let blocks = Natural::from(self.grid.grid.count());
        Cell { array: cell.array.clone(), index: cell.index.div_total(&blocks) }
    }

    /// A witness, of the one block. Phases of a block are not counted there.
    pub fn witness(self, of: &Witness) -> Witness {
        let side = |side: &Side| {
            let thread = Thread { block: 0, index: self.number(side.thread) };
            Side { thread, phase: None, ..side.clone() }
        };
        Witness {
            configuration: self.configuration(&of.configuration),
            cell: self.cell(&of.cell, of.first.thread.block),
            first: side(&of.first),
            second: side(&of.second),
            confirmation: of.confirmation,
        }
    }

    /// The witness of which this is the one of the one block.
    pub fn witness_apart(self, of: Witness) -> Witness {
        let side = |side: Side| {
            let thread = self.thread(side.thread.index);
            Side { thread, phase: None, ..side }
        };
        let (first, second) = (side(of.first), side(of.second));
        let (launch, block) = (self.grid, first.thread.block);
        let configuration = Configuration { launch, block, ..of.configuration };
        Witness { configuration, cell: self.own(&of.cell), first, second, ..of }
    }

    /// Where the one block runs.
    pub fn configuration(self, at: &Configuration) -> Configuration {
        Configuration { launch: self.launch, block: 0, ..at.clone() }
    }

    /// A divergence of the one block, with the scope that its barriers have in `code`, that of the
    /// grid. Threads keep their numbers.
    pub fn divergence<T: Tree>(self, code: &T, divergence: Divergence) -> Divergence {
        // Barriers of several scopes may hold the same threads: those at which threads wait decide.
        let own = [divergence.first.1, divergence.second.1];
        let barriers = subterms(code).filter_map(|node| match node.head() {
            Head::Sync(scope) => Some((!own.contains(&node.view().site), scope)),
            _ => None,
        });
        let scope = barriers.filter(|(_, scope)| self.scope(*scope) == divergence.scope).min();
        Divergence { scope: scope.map_or(BarrierScope::Grid, |(_, scope)| scope), ..divergence }
    }

    /// A divergence with the scope that it has in the grid, and the block of its threads, by their
    /// numbers there. At a barrier of the grid, threads keep their numbers.
    pub fn own_divergence(self, of: Divergence) -> (u64, Divergence) {
        if of.scope == BarrierScope::Grid {
            return (0, of);
        }
        let own = |(number, site)| (self.thread(number).index, site);
        let (first, second) = (own(of.first), own(of.second));
        (self.thread(of.first.0).block, Divergence { first, second, ..of })
    }

    /// What the host stored: in the shared arrays of each block the same.
    pub fn host(self, host: &HostMemory) -> HostMemory {
        let mut all = HostMemory::default();
        for (name, array) in host.arrays() {
            let blocks = 0..self.grid.grid.count();
            let copies = |(index, value): (&Natural, &Natural)| {
                let cell = Cell { array: name.clone(), index: index.clone() };
                let copy = |block| (self.cell(&cell, block).index, value.clone());
                blocks.clone().map(copy).collect::<Vec<_>>()
            };
            let cells = array.cells.iter().flat_map(copies).collect();
            all.insert(name.clone(), HostArray { fill: array.fill.clone(), cells });
        }
        all
    }

    /// The declarations, about the one block.
    pub fn declarations(self) -> Declarations {
        let mut all = self.declarations.clone();
        all.geometry = Geometry::exactly(self.launch);
        let values = self.values();
        all.assumptions.iter_mut().for_each(|c| *c = c.subst(&values));
        all.contents_assumed.iter_mut().for_each(|assumed| put(assumed, &values));
        self.arrays(&mut all.arrays);
        if let Some(stopping) = &mut all.sources.stopping {
            let stopping = Arc::make_mut(stopping);
            stopping.body = self.code(&stopping.body);
            self.arrays(&mut stopping.arrays);
        }
        all
    }

    /// The program of the one block.
    pub fn program(self, program: &Program) -> Program {
        self.declarations().around(self.code(&program.body))
    }

    /// The code of its threads.
    pub fn code<T: Tree>(self, code: &T) -> T {
        self.rewritten(code, &self.values())
    }

    fn arrays(self, arrays: &mut [ArrayDecl]) {
        let blocks = self.grid.grid.count();
        for array in arrays.iter_mut().filter(|a| !self.declarations.is_global(&a.name)) {
            array.length = array.length.take().map(|n| &n * &blocks.into());
            if let Contents::Values(values) = &mut array.contents {
                let copies = |value: Natural| (0..blocks).map(move |_| value.clone());
                *values = std::mem::take(values).into_iter().flat_map(copies).collect();
            }
        }
    }

    /// What the launch gives a thread, by its number.
    fn values(self) -> Renaming {
        let Launch { grid, block, .. } = self.grid;
        let literals = self.grid.uniform_values().into_iter().map(|(x, k)| (x, Num::Lit(k)));
        let (index, place) = (tid() % block.count(), tid() / block.count());
        let positions = (0..3).flat_map(|d| {
            [
                (Name::new(reserved::THREAD_IDX[d]), component(&index, block, d)),
                (Name::new(reserved::BLOCK_IDX[d]), component(&place, grid, d)),
            ]
        });
        let positions: Vec<(Name, Num)> = positions.collect();
        literals.chain(positions).chain([(Name::new(reserved::TID), index)]).collect()
    }

    /// Every expression says what the launch gave, each block has its cells, and barriers hold
    /// together what they did. No binder is in the way: none binds what the launch gives.
    fn rewritten<T: Tree>(self, code: &T, values: &Renaming) -> T {
        let mut new = grow(|| code.map_children(|c| Arc::new(self.rewritten(&**c, values))));
        new.view_mut().exprs.into_iter().flatten().for_each(|e| e.subst(values));
        let shared = code.head().accessed().is_some_and(|a| !self.declarations.is_global(a));
        if let (true, [Some(ExprMut::Num(index)), ..]) = (shared, new.view_mut().exprs) {
            let place = tid() / self.grid.block.count();
            *index = index.clone() * self.grid.grid.count() + place;
        }
        if let Some(scope) = new.scope_mut() {
            *scope = self.scope(*scope);
        }
        new
    }

    fn scope(self, scope: BarrierScope) -> BarrierScope {
        let size = match scope {
            BarrierScope::Grid => return BarrierScope::Block,
            BarrierScope::Block => self.launch.warp,
            BarrierScope::Warp => self.grid.warp,
            BarrierScope::Tile(size) => size.min(self.grid.warp),
        };
        if size < self.launch.warp { BarrierScope::Tile(size) } else { BarrierScope::Warp }
    }
}

/// The component of the position with this linear index.
fn component(linear: &Num, dims: Dim3, d: usize) -> Num {
    let extents = dims.components().map(u64::from);
    let (before, after) = (extents[..d].iter().product::<u64>(), &extents[d + 1..]);
    let rest = if before == 1 { linear.clone() } else { linear.clone() / before };
    if after.iter().all(|n| *n == 1) { rest } else { rest % extents[d] }
}

/// Puts values in for the free variables of an assumption, none of which it binds.
fn put(assumed: &mut Forall, values: &Renaming) {
    for bound in &mut assumed.over {
        match bound {
            Bound::In { lower, upper, .. } => {
                (*lower, *upper) = (lower.subst(values), upper.subst(values));
            }
            Bound::Read { index, .. } => *index = index.subst(values),
        }
    }
    assumed.condition = assumed.condition.subst(values);
}

#[cfg(test)]
mod tests;
