//! Building statements: blocks of items that end up nested as `let … in …` wants them, and the
//! sites that lead back to the source.

use super::Lower;
use super::overflow::is_stop;
use crate::unit::Unit;
use babycuda_core::syntax::{ArrayDecl, AtomicUpdate, ForSort, Scope, Sources, Stopping};
use babycuda_core::{Bool, Name, Num, Site, Span, Stmt};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
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
            index: crate::arith::lit(0),
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

/// What happens at a site: together with the place, its identity.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Event {
    Read,
    Write,
    Atomic,
    Unknown,
    Branch,
    Loop,
    Sync,
    /// A stop on overflow: its branch.
    MayOverflow,
    /// A stop on overflow: its read.
    Overflow,
    /// Another stop: its branch.
    MayStop,
    /// Another stop: its read.
    Stop,
}

/// The identity of a site: what happens, where in the preprocessed text, called from where.
type Key = (Event, Range<usize>, Vec<usize>);

/// The sites of a kernel. Copies of a statement that unrolling makes share their original's.
#[derive(Clone, Default, Debug)]
pub(super) struct SiteTable {
    numbers: BTreeMap<(Event, usize, usize, Vec<usize>), u32>,
    ranges: Vec<Range<usize>>,
    /// The operations that each stop stands for.
    overflows: BTreeMap<Site, BTreeSet<(usize, usize)>>,
    /// Why a thread goes no further at the other stops.
    stops: BTreeMap<Site, &'static str>,
}

impl SiteTable {
    /// Notes that the stop whose read is `site` stands for the operation at `range`.
    pub(super) fn overflow(&mut self, site: Site, range: &Range<usize>) {
        self.overflows.entry(site).or_default().insert((range.start, range.end));
    }

    /// Notes why a thread goes no further at the stop whose read is `site`.
    pub(super) fn stop(&mut self, site: Site, why: &'static str) {
        self.stops.insert(site, why);
    }

    fn number(&mut self, (event, range, calls): Key) -> Site {
        let next = self.ranges.len() as u32;
        let key = (event, range.start, range.end, calls);
        let number = *self.numbers.entry(key).or_insert(next);
        if number == next {
            self.ranges.push(range);
        }
        Site(number)
    }

    /// The place in the file of a range of the preprocessed text.
    pub(super) fn span(&self, unit: &Unit<'_>, range: &Range<usize>) -> Span {
        Span::locate(unit.source, unit.expanded.map.original(range))
    }

    /// Renumbers the sites of `body` from 0 in pre-order, and says where each stands. `whole` is the
    /// body before it was pruned, `stopping` the same without the stops that cannot be said;
    /// `declared` are the arrays of a body.
    pub(super) fn finish(
        &self,
        [whole, stopping, body]: [&Stmt; 3],
        declared: impl Fn(&Stmt) -> Vec<ArrayDecl>,
        unit: &Unit<'_>,
    ) -> (Stmt, Sources) {
        let mut order: BTreeMap<Site, Site> = BTreeMap::new();
        let renumbered = |body: &Stmt, order: &mut BTreeMap<Site, Site>| {
            body.map_sites(&mut |site| {
                let next = Site(order.len() as u32);
                *order.entry(site).or_insert(next)
            })
        };
        let body = renumbered(body, &mut order);
        let mut all = order.clone();
        let stopping = renumbered(stopping, &mut all);
        let spans = all
            .iter()
            .filter_map(|(old, new)| {
                let range = self.ranges.get(old.0 as usize)?;
                Some((*new, self.span(unit, range)))
            })
            .collect();
        let places = |ranges: &BTreeSet<(usize, usize)>| {
            let mut spans: Vec<Span> =
                ranges.iter().map(|(start, end)| self.span(unit, &(*start..*end))).collect();
            spans.dedup();
            spans
        };
        let overflows = |order: &BTreeMap<Site, Site>| {
            let overflows = self.overflows.iter();
            overflows.filter_map(|(old, at)| Some((*order.get(old)?, places(at)))).collect()
        };
        let stopping = (stopping != body).then(|| {
            let (arrays, overflows) = (declared(&stopping), overflows(&all));
            Arc::new(Stopping { body: stopping, arrays, overflows })
        });
        let pruned = whole.subterms().filter_map(Stmt::site).filter(|old| !order.contains_key(old));
        let unstopped: BTreeSet<Span> =
            pruned.filter_map(|old| self.overflows.get(&old)).flat_map(places).collect();
        let unstopped = unstopped.into_iter().collect();
        let stops = self.stops.iter();
        let stops = stops.filter_map(|(old, why)| Some((*order.get(old)?, (*why).to_owned())));
        let stops = stops.collect();
        let overflows = overflows(&order);
        (body, Sources { file: None, spans, overflows, unstopped, stops, stopping })
    }
}

impl<'t> Lower<'t> {
    pub(super) fn site(&mut self, event: Event, node: tree_sitter::Node<'_>) -> Site {
        let calls = self.frames.iter().map(|f| f.call).collect();
        self.sites.number((event, node.byte_range(), calls))
    }

    /// Adds a statement to the innermost block.
    pub(super) fn push(&mut self, item: Item) {
        if let Some(block) = self.blocks.last_mut() {
            block.push(item);
        }
    }

    /// Has the innermost block statements that are no stops, and no reads of unknown values?
    pub(super) fn accesses(&self) -> bool {
        let unknown = |array: &Name| self.arrays.iter().any(|a| a.unknown && a.decl.name == *array);
        let idle = |item: &Item| match item {
            Item::Read { array, .. } => unknown(array),
            item => self.only_stops(item),
        };
        !self.blocks.last().is_none_or(|items| items.iter().all(idle))
    }

    /// Runs `f` in a new block and returns what it produced, with the block's statements.
    pub(super) fn in_block<T>(
        &mut self,
        f: impl FnOnce(&mut Self) -> crate::error::Lowered<T>,
    ) -> crate::error::Lowered<(T, Stmt)> {
        self.blocks.push(Vec::new());
        let facts = self.ranges.facts();
        let result = f(self);
        // What was learned on the way holds only there.
        self.ranges.forget(facts);
        let items = self.blocks.pop().unwrap_or_default();
        Ok((result?, fold(items)))
    }

    /// What `f` answers. Where it is refused, nothing else happened.
    pub(super) fn attempt<T>(
        &mut self,
        f: impl FnOnce(&mut Self) -> crate::error::Lowered<T>,
    ) -> crate::error::Lowered<T> {
        let (values, used, depth) = (self.values.clone(), self.used.clone(), self.depth);
        let items = self.blocks.last().map_or(0, Vec::len);
        let facts = self.ranges.facts();
        let result = f(self);
        if result.is_err() {
            self.restore(values);
            self.restore_used(used);
            self.depth = depth;
            self.ranges.forget(facts);
            if let Some(block) = self.blocks.last_mut() {
                block.truncate(items);
            }
        }
        result
    }

    pub(super) fn push_if(
        &mut self,
        node: tree_sitter::Node<'_>,
        condition: Bool,
        then: Stmt,
        otherwise: Stmt,
    ) {
        let site = self.site(Event::Branch, node);
        let (condition, then, otherwise) = match (&then, &otherwise) {
            (Stmt::Skip, Stmt::Skip) => return,
            (Stmt::Skip, _) => (crate::arith::not(condition), otherwise, then),
            _ => (condition, then, otherwise),
        };
        self.push(Item::Stmt(Stmt::If {
            site,
            condition,
            then: Arc::new(then),
            otherwise: Arc::new(otherwise),
        }));
    }

    pub(super) fn push_for(
        &mut self,
        node: tree_sitter::Node<'_>,
        var: Name,
        lower: Num,
        upper: Num,
        body: Stmt,
    ) {
        if matches!(body, Stmt::Skip) && !counts(&upper, &self.turns) {
            return;
        }
        let site = self.site(Event::Loop, node);
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

/// What [`prune`] removes.
#[derive(Default)]
pub(super) struct Idle {
    /// Arrays of unknown values: their reads go when nobody uses the variable.
    pub(super) unknown: BTreeSet<Name>,
    /// The array of stops, when there is one.
    pub(super) overflow: Option<Name>,
    /// Variables that hold data and decide no access: stops that depend on them go.
    pub(super) payload: BTreeSet<Name>,
    /// How often the loops run of which nobody knows whether they end: these stay.
    pub(super) turns: BTreeSet<Name>,
}

/// Is the bound that of a loop of which nobody knows whether it ends?
fn counts(upper: &Num, turns: &BTreeSet<Name>) -> bool {
    matches!(upper, Num::Var(x) if turns.contains(x))
}

/// Removes what is idle, with what that leaves empty.
pub(super) fn prune(body: &Stmt, idle: &Idle) -> Stmt {
    pruned(body, idle).0
}

/// `prune`, with the free variables of the result.
fn pruned(body: &Stmt, idle: &Idle) -> (Stmt, BTreeSet<Name>) {
    babycuda_core::deep::grow(|| pruned_node(body, idle))
}

fn pruned_node(body: &Stmt, idle: &Idle) -> (Stmt, BTreeSet<Name>) {
    let mut vars = BTreeSet::new();
    let result = match body {
        Stmt::Skip | Stmt::Sync { .. } => body.clone(),
        Stmt::Write { index, payload, .. } => {
            index.collect_vars(&mut vars);
            payload.collect_vars(&mut vars);
            body.clone()
        }
        Stmt::Read { site, var, array, index, body } => {
            let (body, free) = pruned(body, idle);
            if idle.unknown.contains(array) && !free.contains(var) {
                return (body, free);
            }
            vars = free;
            vars.remove(var);
            index.collect_vars(&mut vars);
            Stmt::Read {
                site: *site,
                var: var.clone(),
                array: array.clone(),
                index: index.clone(),
                body: Arc::new(body),
            }
        }
        Stmt::Atomic { site, var, array, index, update, scope, body } => {
            let (body, free) = pruned(body, idle);
            vars = free;
            vars.remove(var);
            index.collect_vars(&mut vars);
            update.operand.collect_vars(&mut vars);
            if let Some(expected) = &update.expected {
                expected.collect_vars(&mut vars);
            }
            Stmt::Atomic {
                site: *site,
                var: var.clone(),
                array: array.clone(),
                index: index.clone(),
                update: update.clone(),
                scope: *scope,
                body: Arc::new(body),
            }
        }
        Stmt::Seq(b, c) => {
            let (b, mut left) = pruned(b, idle);
            let (c, right) = pruned(c, idle);
            left.extend(right);
            vars = left;
            match (&b, &c) {
                (Stmt::Skip, _) => c,
                (_, Stmt::Skip) => b,
                _ => Stmt::seq(b, c),
            }
        }
        Stmt::If { site, condition, then, otherwise } => {
            let (then, left) = pruned(then, idle);
            let (otherwise, right) = pruned(otherwise, idle);
            let stop = idle.overflow.as_ref().is_some_and(|array| is_stop(body, array));
            let uses_payload = || condition.free_vars().iter().any(|x| idle.payload.contains(x));
            let goes = stop && uses_payload();
            if goes || matches!((&then, &otherwise), (Stmt::Skip, Stmt::Skip)) {
                Stmt::Skip
            } else {
                vars = left;
                vars.extend(right);
                condition.collect_vars(&mut vars);
                Stmt::If {
                    site: *site,
                    condition: condition.clone(),
                    then: Arc::new(then),
                    otherwise: Arc::new(otherwise),
                }
            }
        }
        Stmt::For { site, sort, var, lower, upper, body } => {
            let (body, free) = pruned(body, idle);
            if matches!(body, Stmt::Skip) && !counts(upper, &idle.turns) {
                Stmt::Skip
            } else {
                vars = free;
                vars.remove(var);
                lower.collect_vars(&mut vars);
                upper.collect_vars(&mut vars);
                Stmt::For {
                    site: *site,
                    sort: *sort,
                    var: var.clone(),
                    lower: lower.clone(),
                    upper: upper.clone(),
                    body: Arc::new(body),
                }
            }
        }
    };
    (result, vars)
}
