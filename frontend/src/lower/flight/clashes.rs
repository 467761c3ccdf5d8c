//! What a thread accesses while its own copies are in flight.

use super::super::emit::{Item, fold};
use super::super::{Lowered, refuse};
use super::Walk;
use super::stages::{Flight, both, branch, lost_array};
use crate::arith::{compare_natural, lit, not};
use babycuda_core::deep::grow;
use babycuda_core::expr::Relation;
use babycuda_core::name::reserved::THREAD_IDX;
use babycuda_core::syntax::Tree;
use babycuda_core::{Bool, Name, Num, Site, Stmt};
use std::sync::Arc;

/// An array, and the cell that is accessed of it; does the access write?
pub(super) type Access<'a> = (&'a Name, &'a Num, bool);

impl Walk<'_, '_> {
    /// Tells that the thread accesses what one of its copies in flight accesses, where it may.
    pub(super) fn clashes(
        &mut self,
        flight: &Flight,
        site: Site,
        access: Access<'_>,
    ) -> Lowered<Stmt> {
        // Another thread of a group may make the copy: that is a race without this.
        if self.lower.flight.sites.get(&site) == Some(&false) {
            return Ok(Stmt::Skip);
        }
        let mut lost = flight.stages.iter().flat_map(Stmt::subterms).filter_map(lost_array);
        if lost.any(|array| array == access.0) {
            let why = "an access of an array that the thread copies at the time, to a place that is not known there";
            return refuse(self.at(site), why);
        }
        let all: Vec<Stmt> =
            flight.stages.iter().map(|stage| self.overlap(stage, site, access)).collect();
        Ok(fold(all.into_iter().map(Item::Stmt).collect()))
    }

    fn overlap(&mut self, copies: &Stmt, site: Site, access: Access<'_>) -> Stmt {
        let (accessed, _, writes) = access;
        let of = |s: &Self, stmt: &Stmt| {
            stmt.site().is_some_and(|site| s.lower.flight.sites.get(&site) == Some(&true))
        };
        match copies {
            Stmt::Read { array, index, body, .. } => {
                let read = match writes && of(self, copies) && array == accessed {
                    true => self.clash(index, access, site),
                    false => Stmt::Skip,
                };
                both(read, grow(|| self.overlap(body, site, access)))
            }
            Stmt::Write { array, index, .. } if of(self, copies) && array == accessed => {
                self.clash(index, access, site)
            }
            Stmt::Seq(first, second) => {
                let first = grow(|| self.overlap(first, site, access));
                both(first, grow(|| self.overlap(second, site, access)))
            }
            Stmt::If { condition, then, .. } if self.known.contains(condition) => {
                grow(|| self.overlap(then, site, access))
            }
            Stmt::If { site: of, condition, then, otherwise } => {
                let no = grow(|| self.overlap(otherwise, site, access));
                match self.known.contains(&not(condition.clone())) {
                    true => no,
                    false => branch(*of, condition, grow(|| self.overlap(then, site, access)), no),
                }
            }
            Stmt::For { body, .. } => match grow(|| self.overlap(body, site, access)) {
                Stmt::Skip => Stmt::Skip,
                body => copies.map_children(|_| Arc::new(body.clone())),
            },
            _ => Stmt::Skip,
        }
    }

    /// A write, where both are the same cell.
    fn clash(&mut self, index: &Num, (accessed, cell, _): Access<'_>, site: Site) -> Stmt {
        let same = match index == cell {
            true => Bool::Lit(true),
            false => compare_natural(Relation::Eq, index.clone(), cell.clone()),
        };
        if same == Bool::Lit(false) {
            return Stmt::Skip;
        }
        let told = match self.told.get(accessed) {
            Some((array, _)) => array.clone(),
            None => self.lower.copy_in_flight(accessed),
        };
        self.told.insert(accessed.clone(), (told.clone(), site));
        // Threads store different values, so nobody calls them benign.
        let payload = Num::var(THREAD_IDX[0]);
        let write = Stmt::Write { site, array: told, index: lit(0), payload };
        branch(site, &same, write, Stmt::Skip)
    }

    /// A look at where clashes are told.
    pub(super) fn look(&self) -> Stmt {
        Stmt::sequence(self.told.values().map(|(array, site)| Stmt::Read {
            site: *site,
            var: Name::new("mark"),
            array: array.clone(),
            index: lit(0),
            body: Arc::new(Stmt::Skip),
        }))
    }
}
