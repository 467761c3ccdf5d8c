//! Building statements: blocks of items that end up nested as `let … in …` wants them.

use super::names::Names;
use super::prune::counts;
use super::sites::{Event, SiteTable};
use super::{At, Lower, Lowered};
use crate::arith::{lit, not};
use crate::value::Value;
use babycuda_core::syntax::{AtomicUpdate, ForSort, Note, Param, Scope};
use babycuda_core::{Bool, Name, Num, Site, Stmt};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A statement under construction. What follows a binder in its block is its scope.
#[derive(Clone, Debug)]
pub(super) enum Item {
    /// A complete statement.
    Stmt(Stmt),
    /// `let var = array[index] in …`
    Read { site: Site, var: Name, array: Name, index: Num },
    /// `let var = atomic array[index] ⋆ … in …`
    Atomic {
        site: Site,
        var: Name,
        array: Name,
        index: Num,
        update: AtomicUpdate<Num>,
        scope: Scope,
    },
    /// A stop: nothing further where the condition holds (module [`overflow`](super::overflow)).
    Stop(Stop),
}

/// `if condition {let var = array[0] in skip}`, of an array that no one can have written.
#[derive(Clone, Debug)]
pub(super) struct Stop {
    /// The sites of the branch and of the read.
    pub(super) sites: [Site; 2],
    pub(super) condition: Bool,
    pub(super) var: Name,
    pub(super) array: Name,
}

impl Stop {
    fn statement(self) -> Stmt {
        let [branch, read] = self.sites;
        let then = Stmt::Read {
            site: read,
            var: self.var,
            array: self.array,
            index: lit(0),
            body: Arc::new(Stmt::Skip),
        };
        match self.condition {
            Bool::Lit(true) => then,
            condition => Stmt::If {
                site: branch,
                condition,
                then: Arc::new(then),
                otherwise: Arc::new(Stmt::Skip),
            },
        }
    }
}

/// A point of a translation, to go back to.
pub(super) struct Mark {
    pub(super) values: Vec<Value>,
    used: BTreeSet<Name>,
}

/// What becomes of the program.
#[derive(Debug)]
pub(super) struct Output {
    pub(super) params: Vec<Param>,
    pub(super) notes: Vec<Note>,
    pub(super) names: Names,
    pub(super) sites: SiteTable,
    /// How often the loops run of which nobody knows whether they end.
    pub(super) turns: BTreeSet<Name>,
    /// The statements of the blocks that are being built, innermost last. There is one always.
    blocks: Vec<Vec<Item>>,
}

impl Default for Output {
    fn default() -> Self {
        Output {
            params: Vec::new(),
            notes: Vec::new(),
            names: Names::default(),
            sites: SiteTable::default(),
            turns: BTreeSet::new(),
            blocks: vec![Vec::new()],
        }
    }
}

impl Output {
    /// Forgets all statements.
    pub(super) fn restart(&mut self) {
        self.blocks = vec![Vec::new()];
    }

    /// In how many blocks the translation stands.
    pub(super) fn depth(&self) -> usize {
        self.blocks.len()
    }

    /// Starts a block.
    fn open(&mut self) {
        self.blocks.push(Vec::new());
    }

    /// Ends the innermost block.
    pub(super) fn close(&mut self) -> Stmt {
        let items = self.blocks.pop().unwrap_or_default();
        if self.blocks.is_empty() {
            self.open();
        }
        fold(items)
    }

    /// The statements of the innermost block.
    pub(super) fn items(&self) -> &[Item] {
        self.blocks.last().map_or(&[], |items| items)
    }

    /// The statements of the innermost block, to change them.
    pub(super) fn items_mut(&mut self) -> &mut Vec<Item> {
        let last = self.blocks.len() - 1;
        &mut self.blocks[last]
    }
}

impl<'t> Lower<'t> {
    pub(super) fn site(&mut self, event: Event, at: At) -> Site {
        let calls = self.env.frames.iter().map(|f| f.call).collect();
        let site = self.out.sites.number((event, at, calls));
        self.note_copy(event, site);
        site
    }

    /// Adds a statement to the innermost block.
    pub(super) fn push(&mut self, item: Item) {
        self.out.items_mut().push(item);
    }

    /// Has the innermost block statements that are no stops, and no reads of unknown values?
    pub(super) fn accesses(&self) -> bool {
        !self.out.items().iter().all(|item| self.is_idle(item))
    }

    /// Is it a stop, or a read of an unknown value?
    pub(super) fn is_idle(&self, item: &Item) -> bool {
        match item {
            Item::Read { array, .. } => self.arrays.unknowns().any(|a| a == array),
            item => self.only_stops(item),
        }
    }

    /// Runs `f` in a new block and returns what it produced, with the block's statements.
    pub(super) fn in_block<T>(
        &mut self,
        f: impl FnOnce(&mut Self) -> Lowered<T>,
    ) -> Lowered<(T, Stmt)> {
        self.out.open();
        let facts = self.ranges.facts();
        let result = f(self);
        // What was learned on the way holds only there.
        self.ranges.forget(facts);
        let body = self.out.close();
        Ok((result?, body))
    }

    /// What `f` answers. Where it is refused, nothing else happened.
    pub(super) fn attempt<T>(&mut self, f: impl FnOnce(&mut Self) -> Lowered<T>) -> Lowered<T> {
        let (mark, items, facts) = (self.mark(), self.out.items().len(), self.ranges.facts());
        let result = f(self);
        if result.is_err() {
            self.back_to(mark);
            self.ranges.forget(facts);
            self.out.items_mut().truncate(items);
        }
        result
    }

    /// What variables hold, and the names that are taken.
    pub(super) fn mark(&self) -> Mark {
        Mark { values: self.env.values().to_vec(), used: self.out.names.used() }
    }

    /// Goes back to where the mark was made.
    pub(super) fn back_to(&mut self, mark: Mark) {
        self.env.restore(mark.values);
        self.out.names.restore(mark.used);
    }

    pub(super) fn push_if(&mut self, at: At, condition: Bool, then: Stmt, otherwise: Stmt) {
        let site = self.site(Event::Branch, at);
        let (condition, then, otherwise) = match (&then, &otherwise) {
            (Stmt::Skip, Stmt::Skip) => return,
            (Stmt::Skip, _) => (not(condition), otherwise, then),
            _ => (condition, then, otherwise),
        };
        self.push(Item::Stmt(Stmt::If {
            site,
            condition,
            then: Arc::new(then),
            otherwise: Arc::new(otherwise),
        }));
    }

    pub(super) fn push_for(&mut self, at: At, var: Name, lower: Num, upper: Num, body: Stmt) {
        if matches!(body, Stmt::Skip) && !counts(&upper, &self.out.turns) {
            return;
        }
        let site = self.site(Event::Loop, at);
        let sort = if body.has_sync() { ForSort::S } else { ForSort::U };
        self.push(Item::Stmt(Stmt::For { site, sort, var, lower, upper, body: Arc::new(body) }));
    }
}

/// The statement that a block's items make.
pub(super) fn fold(items: Vec<Item>) -> Stmt {
    let mut rest = Stmt::Skip;
    for item in items.into_iter().rev() {
        rest = match item {
            Item::Stmt(s) => then(s, rest),
            Item::Stop(stop) => then(stop.statement(), rest),
            Item::Read { site, var, array, index } => {
                Stmt::Read { site, var, array, index, body: Arc::new(rest) }
            }
            Item::Atomic { site, var, array, index, update, scope } => {
                Stmt::Atomic { site, var, array, index, update, scope, body: Arc::new(rest) }
            }
        };
    }
    rest
}

/// `s ; rest`, without `skip`.
fn then(s: Stmt, rest: Stmt) -> Stmt {
    match (s, rest) {
        (Stmt::Skip, rest) => rest,
        (s, Stmt::Skip) => s,
        (s, rest) => Stmt::seq(s, rest),
    }
}
