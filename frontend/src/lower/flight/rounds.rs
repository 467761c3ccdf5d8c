//! What loops have in flight: what the iterations before left there.

use super::stages::{both, branch, sequence};
use crate::arith::{as_lit, compare_natural, lit, natural};
use babycuda_core::deep::grow;
use babycuda_core::expr::{ArithOp, Relation};
use babycuda_core::syntax::{ForSort, Tree};
use babycuda_core::{Name, Num, Site, Stmt};
use std::sync::Arc;

/// The copies in flight at the head of a loop, by their place: an array that there is not.
pub(super) const HEAD: &str = "async::head";

/// The place at the head of the loop that a statement stands for.
fn head_place(stmt: &Stmt) -> Option<usize> {
    match stmt {
        Stmt::Read { array, index, .. } if array.as_str() == HEAD => {
            as_lit(index).and_then(|place| usize::try_from(place).ok())
        }
        _ => None,
    }
}

/// `stmt` with these statements for the places at the head.
fn landed(stmt: &Stmt, heads: &[Stmt]) -> Stmt {
    match head_place(stmt) {
        Some(place) => heads.get(place).cloned().unwrap_or(Stmt::Skip),
        None => stmt.map_children(|child| Arc::new(grow(|| landed(child, heads)))),
    }
}

/// A loop, and what an iteration leaves in flight.
pub(super) struct Rounds<'a> {
    pub(super) site: Site,
    pub(super) var: &'a Name,
    pub(super) lower: &'a Num,
    /// What was in flight before the loop.
    pub(super) entry: &'a [Stmt],
    /// What an iteration leaves.
    pub(super) end: &'a [Stmt],
}

impl Rounds<'_> {
    /// What is in flight at the head of iteration `k - back`, at this place; `None`: that needs more names than `fresh`.
    pub(super) fn at_head(
        &self,
        place: usize,
        (k, back): (&Num, u64),
        fresh: &[Name],
    ) -> Option<Stmt> {
        let entry = self.entry.get(place).cloned().unwrap_or(Stmt::Skip);
        let end = self.end.get(place)?;
        let (var, fresh) = fresh.split_first()?;
        let mut parts = Vec::new();
        sequence(end, &mut parts);
        let stays = |part: &&&Stmt| head_place(part) == Some(place);
        // What was there stays, and each iteration adds some.
        if parts.iter().any(|part| stays(&part)) {
            let added = parts.iter().filter(|part| !stays(part)).map(|part| (*part).clone());
            let added = Stmt::sequence(added);
            if added == Stmt::Skip {
                return Some(entry);
            }
            let added = self.iteration(&added, (&Num::Var(var.clone()), 0), fresh)?;
            let all = Stmt::For {
                site: self.site,
                sort: ForSort::U,
                var: var.clone(),
                lower: self.lower.clone(),
                upper: before(k, back),
                body: Arc::new(added),
            };
            return Some(both(entry, all));
        }
        let first = natural(ArithOp::Add, self.lower.clone(), lit(back));
        let behind = compare_natural(Relation::Lt, first, k.clone());
        Some(branch(self.site, &behind, self.iteration(end, (k, back + 1), fresh)?, entry))
    }

    /// What a statement of the body's end is in iteration `k - back`.
    fn iteration(&self, end: &Stmt, (k, back): (&Num, u64), fresh: &[Name]) -> Option<Stmt> {
        let mut heads = vec![Stmt::Skip; self.end.len()];
        for needed in end.subterms().filter_map(head_place) {
            heads[needed] = self.at_head(needed, (k, back), fresh)?;
        }
        Some(landed(&end.subst(&[(self.var.clone(), before(k, back))].into()), &heads))
    }
}

/// The number of the iteration that is `back` before `k`.
fn before(k: &Num, back: u64) -> Num {
    natural(ArithOp::Sub, k.clone(), lit(back))
}
