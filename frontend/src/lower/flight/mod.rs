//! Copies of a pipeline that are in flight while barriers pass.
//!
//! A copy may be made at any time between its call and the wait for its stage (CUDA's manual: as if by another thread).
//! It is translated as one at the place of its call, and as one more behind each barrier that it may pass: so it is made
//! in each phase in which it may be, and a race with it is a race in one of them.
//!
//! What is in flight is followed through the statements of the kernel once they are made. Calls that commit or wait are
//! [marks](Mark) in them until then. The copies of a stage are a statement: those of an iteration are those of the loop's
//! body for the number of that iteration, and what is in flight at the head of a loop is what the iteration before left
//! there, or what was there before the loop. What rests on what was read in a block that has ended is refused, and what a
//! loop keeps in flight on a condition, however often it runs.
//!
//! What a thread itself accesses while its own copy is in flight is no access of two threads. Where it may be of the same
//! cell, the thread writes to an array that all threads read in each phase: the race is there, where there are two
//! threads.

mod clashes;
mod kept;
mod rounds;
mod stages;

use super::emit::{Item, fold};
use super::sites::Event;
use super::{At, Lower, Lowered, refuse};
use crate::arith::{as_lit, lit, machine, not};
use crate::ctype::CType;
use babycuda_core::deep::grow;
use babycuda_core::expr::{CompareOp, NumOp, Relation};
use babycuda_core::name::reserved::in_flight;
use babycuda_core::syntax::{Contents, Domain, Space, Tree};
use babycuda_core::{Bool, MachineOp, Name, Num, Site, Stmt};
use kept::Kept;
use rounds::Rounds;
use stages::{Flight, both, branch, lost, lost_array};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The stages of a pipeline that are told apart: earlier ones are as one.
const MAX_STAGES: usize = 8;
/// Iterations of a loop that commits a number of stages that is known.
const MAX_ITERATIONS: u64 = 16;

/// What commits or waits: a read of an array that there is not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mark {
    /// What was copied since is a stage.
    Commit,
    /// A wait for all stages but so many.
    Prior,
    /// A wait for the stage that is released next.
    Wait,
    /// That stage is released.
    Release,
}

impl Mark {
    const ALL: [Mark; 4] = [Mark::Commit, Mark::Prior, Mark::Wait, Mark::Release];

    /// The name of its array.
    fn name(self) -> &'static str {
        match self {
            Mark::Commit => "async::commit",
            Mark::Prior => "async::prior",
            Mark::Wait => "async::wait",
            Mark::Release => "async::release",
        }
    }
}

/// The accesses of copies that a pipeline waits for. Of a group, any thread may make them.
#[derive(Default, Debug)]
pub(super) struct Copied {
    sites: BTreeMap<Site, bool>,
    /// Is one being made, and is it the thread's own?
    now: Option<bool>,
    /// The arrays that tell what threads access of others while their own copies are in flight.
    told: BTreeMap<Name, Name>,
}

impl Copied {
    /// Is a copy being made for which a pipeline waits?
    pub(super) fn is_being_made(&self) -> bool {
        self.now.is_some()
    }
}

impl<'t> Lower<'t> {
    /// A mark in the statements.
    pub(super) fn mark_copies(&mut self, mark: Mark, number: u64, at: At) {
        let site = self.site(Event::Read, at);
        let var = self.fresh("mark");
        self.push(Item::Read { site, var, array: Name::new(mark.name()), index: lit(number) });
    }

    /// The accesses that `f` makes are those of a copy that a pipeline waits for.
    pub(super) fn as_copy<T>(&mut self, own: bool, f: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.flight.now.replace(own);
        let result = f(self);
        self.flight.now = before;
        result
    }

    /// Notes the site of an access of a copy.
    pub(super) fn note_copy(&mut self, event: Event, site: Site) {
        if let (Some(own), Event::Read | Event::Write) = (self.flight.now, event) {
            self.flight.sites.insert(site, own);
        }
    }

    /// The array that tells what threads access of this one while their own copies of it are in flight.
    fn copy_in_flight(&mut self, array: &Name) -> Name {
        if let Some(known) = self.flight.told.get(array) {
            return known.clone();
        }
        let (domain, contents) = (Domain::Natural, Contents::Any);
        let of = in_flight(array);
        let told = self.add_array(of.as_str(), Space::Global, domain, contents, CType::Void);
        let name = self.arrays[told].decl.name.clone();
        self.flight.told.insert(array.clone(), name.clone());
        let told = format!(
            "a thread that accesses a cell of `{array}` before its own copy there is complete"
        );
        let read = format!(
            "writes to `{name}`, which all threads read: a race is there only with two threads"
        );
        self.note(format!("{told} {read}"), None);
        name
    }

    /// The kernel with what copies do behind barriers, and without marks.
    pub(super) fn in_flight(&mut self, body: Stmt) -> Lowered<Stmt> {
        if self.flight.sites.is_empty() && !body.subterms().any(|b| marked(b).is_some()) {
            return Ok(body);
        }
        let told = body.subterms().filter_map(marked).map(|(mark, number)| match mark {
            Mark::Commit | Mark::Release => 1,
            Mark::Prior => usize::try_from(number).map_or(MAX_STAGES, |n| n + 1),
            Mark::Wait => MAX_STAGES,
        });
        let apart = told.max().unwrap_or(1).min(MAX_STAGES);
        let earlier = (0..=MAX_STAGES + 1).map(|_| self.fresh("earlier")).collect();
        let (read, known, told) = Default::default();
        let mut walk = Walk { apart, earlier, lower: self, read, known, told };
        let made = walk.statement(&body, &mut Flight::default())?;
        if walk.told.is_empty() {
            return Ok(made);
        }
        // Once more: all threads read what a clash writes, in each phase.
        let made = walk.statement(&body, &mut Flight::default())?;
        Ok(both(walk.look(), made))
    }
}

struct Walk<'l, 't> {
    lower: &'l mut Lower<'t>,
    /// How many of the latest stages are told apart from the earlier ones: as many as something waits for, and one.
    apart: usize,
    /// The numbers of earlier iterations.
    earlier: Vec<Name>,
    /// The reads in whose scope the statement is.
    read: Vec<Stmt>,
    /// The conditions that hold there.
    known: Vec<Bool>,
    /// Where accesses of what is in flight are told, if there may be some, by the arrays; and the place of one.
    told: BTreeMap<Name, (Name, Site)>,
}

impl Walk<'_, '_> {
    /// The statement with what is in flight behind its barriers.
    fn statement(&mut self, stmt: &Stmt, flight: &mut Flight) -> Lowered<Stmt> {
        grow(|| self.node(stmt, flight))
    }

    fn node(&mut self, stmt: &Stmt, flight: &mut Flight) -> Lowered<Stmt> {
        match stmt {
            Stmt::Read { site, body, .. } if let Some((mark, number)) = marked(stmt) => {
                self.passes(mark, number, *site, flight)?;
                self.statement(body, flight)
            }
            Stmt::Read { site, var, array, index, body } => {
                let clashes = self.clashes(flight, *site, (array, index, false))?;
                self.starts(stmt, flight);
                self.read.push(stmt.map_children(|_| Arc::new(Stmt::Skip)));
                let body = self.statement(body, flight);
                self.read.pop();
                self.leaves(var, flight);
                let body = body?;
                Ok(both(clashes, stmt.map_children(|_| Arc::new(body.clone()))))
            }
            Stmt::Atomic { site, var, array, index, body, .. } => {
                let clashes = self.clashes(flight, *site, (array, index, true))?;
                let body = self.statement(body, flight)?;
                self.leaves(var, flight);
                Ok(both(clashes, stmt.map_children(|_| Arc::new(body.clone()))))
            }
            Stmt::Write { site, array, index, .. } => {
                let clashes = self.clashes(flight, *site, (array, index, true))?;
                self.starts(stmt, flight);
                Ok(both(clashes, stmt.clone()))
            }
            Stmt::Seq(first, second) => {
                let first = self.statement(first, flight)?;
                Ok(both(first, self.statement(second, flight)?))
            }
            Stmt::If { site, condition, then, otherwise } => {
                let mut other = flight.clone();
                let yes = self.knowing(condition.clone(), |s| s.statement(then, flight))?;
                let no =
                    self.knowing(not(condition.clone()), |s| s.statement(otherwise, &mut other))?;
                let joined = std::mem::take(flight).join(other, *site, condition);
                *flight = joined;
                Ok(branch(*site, condition, yes, no))
            }
            Stmt::For { .. } => self.repeated(stmt, flight),
            Stmt::Sync { site, .. } => {
                let mut out = vec![stmt.clone(), self.look()];
                if flight.stages.iter().flat_map(Stmt::subterms).any(|s| lost_array(s).is_some()) {
                    let why = "a barrier that an asynchronous copy passes, to a place that is not known there";
                    return refuse(self.at(*site), why);
                }
                out.extend(flight.stages.iter().rev().cloned());
                Ok(fold(out.into_iter().map(Item::Stmt).collect()))
            }
            Stmt::Skip => Ok(Stmt::Skip),
        }
    }

    fn knowing<T>(&mut self, condition: Bool, f: impl FnOnce(&mut Self) -> T) -> T {
        self.known.push(condition);
        let result = f(self);
        self.known.pop();
        result
    }

    fn at(&self, site: Site) -> At {
        self.lower.out.sites.place(site)
    }

    /// What a call does that commits or waits.
    fn passes(&self, mark: Mark, number: u64, site: Site, flight: &mut Flight) -> Lowered<()> {
        match mark {
            Mark::Commit => {
                flight.stages.insert(0, Stmt::Skip);
                if flight.stages.len() > self.apart + 1 {
                    let earlier = flight.stages.pop().unwrap_or(Stmt::Skip);
                    let last = &mut flight.stages[self.apart];
                    *last = both(earlier, std::mem::replace(last, Stmt::Skip));
                }
                flight.count(&|kept| Some(kept + 1));
            }
            Mark::Prior => {
                let stays = usize::try_from(number).unwrap_or(usize::MAX);
                if stays >= self.apart {
                    return refuse(self.at(site), "a wait for all but so many stages");
                }
                flight.stages.truncate(stays.saturating_add(1));
                flight.kept = Kept::Unknown;
            }
            Mark::Wait => {
                let kept = flight.kept.clone().knowing(&self.known);
                if !kept.may_wait(usize::MAX) {
                    let why = "a wait for a stage of which it is not known which it is";
                    return refuse(self.at(site), why);
                }
                if !kept.may_wait(self.apart) {
                    return refuse(self.at(site), "a pipeline of so many stages");
                }
                flight.oldest_completes(&kept, site);
                flight.kept = kept;
            }
            Mark::Release => flight.count(&|kept| kept.checked_sub(1)),
        }
        *flight = std::mem::take(flight).trimmed();
        Ok(())
    }

    /// From an access of a copy on, it is in flight.
    fn starts(&mut self, stmt: &Stmt, flight: &mut Flight) {
        let Some(own) = stmt.site().and_then(|site| self.lower.flight.sites.get(&site)).copied()
        else {
            return;
        };
        let made = match stmt {
            // What decides where something is copied is read at once, what is stored by one thread with the write.
            Stmt::Read { var, body, .. } if decides(var, body) || (own && is_stored(var, body)) => {
                return;
            }
            Stmt::Write { payload, .. } => {
                let mut made = stmt.clone();
                for read in self.read.iter().rev() {
                    let Stmt::Read { site, var, array, .. } = read else { continue };
                    let copied = self.lower.flight.sites.contains_key(site)
                        || self.lower.arrays.unknowns().any(|unknown| unknown == array);
                    if copied && payload.free_vars().contains(var) {
                        made = read.map_children(|_| Arc::new(made.clone()));
                    }
                }
                made
            }
            other => other.map_children(|_| Arc::new(Stmt::Skip)),
        };
        let open = std::mem::replace(&mut flight.stages[0], Stmt::Skip);
        flight.stages[0] = both(open, made);
    }

    /// Of copies that rest on a variable, it is no longer known what they are.
    fn leaves(&self, var: &Name, flight: &mut Flight) {
        flight.count_without(var);
        for stage in &mut flight.stages {
            if stage.free_vars().contains(var) {
                let arrays = stage.subterms().filter_map(|s| lost_array(s).or(s.accessed()));
                *stage = lost(arrays.cloned().collect());
            }
        }
    }

    fn repeated(&mut self, stmt: &Stmt, flight: &mut Flight) -> Lowered<Stmt> {
        let Stmt::For { site, var, lower, upper, body, .. } = stmt else {
            return Ok(stmt.clone());
        };
        let commits = body.subterms().any(|s| matches!(marked(s), Some((Mark::Commit, _))));
        if let (true, Some(lower), Some(upper)) = (commits, as_lit(lower), as_lit(upper))
            && upper.saturating_sub(lower) <= MAX_ITERATIONS
        {
            let mut out = Stmt::Skip;
            for k in lower..upper {
                let body = body.subst_value(var, &k.into());
                out = both(out, self.statement(&body, flight)?);
            }
            return Ok(out);
        }
        // What the conditions are in all iterations but the last one, and in that.
        let next = |runs: bool| move |c: &Bool| goes_on(c, var, upper).then_some(runs);
        // At the other places nothing is in flight, before the loop and behind each iteration.
        let mut some: Vec<bool> = flight.stages.iter().map(|stage| *stage != Stmt::Skip).collect();
        let mut kept = flight.kept.clone();
        let end = loop {
            let mut end = Flight::head(&some, kept.clone());
            let told = self.told.clone();
            self.statement(body, &mut end)?;
            self.told = told;
            let (some_before, kept_before) = (some.clone(), kept.clone());
            some.resize(some.len().max(end.stages.len()), false);
            end.stages.resize(some.len(), Stmt::Skip);
            for (some, stage) in some.iter_mut().zip(&end.stages) {
                *some |= *stage != Stmt::Skip;
            }
            kept = kept.either(&end.kept.clone().given(&next(true)).without(var));
            if (&some, &kept) == (&some_before, &kept_before) {
                break end;
            }
        };
        let places = some.len();
        let rounds = Rounds { site: *site, var, lower, entry: &flight.stages, end: &end.stages };
        let at_head = |k: &Num| -> Option<Vec<Stmt>> {
            (0..places).map(|place| rounds.at_head(place, (k, 0), &self.earlier)).collect()
        };
        let Some((inside, behind)) = at_head(&Num::Var(var.clone())).zip(at_head(upper)) else {
            return refuse(self.at(*site), "copies in flight that a loop keeps on a condition");
        };
        let mut inside = Flight { stages: inside, kept: kept.clone() };
        let body = self.statement(body, &mut inside)?;
        let last = end.kept.given(&next(false)).without(var);
        *flight = Flight { stages: behind, kept: flight.kept.clone().either(&last) }.trimmed();
        Ok(stmt.map_children(|_| Arc::new(body.clone())))
    }
}

/// Does the condition hold in all iterations of a loop but the last one: is it `var + 1 < n`, or `var < n - 1`?
fn goes_on(condition: &Bool, var: &Name, upper: &Num) -> bool {
    let Bool::Compare(CompareOp { relation: Relation::Lt, machine: Some(t) }, left, right) =
        condition
    else {
        return false;
    };
    let (one, var) = (lit(1), Num::Var(var.clone()));
    let behind = |n: &Num| {
        (**left == machine(MachineOp::Add, *t, var.clone(), one.clone()) && **right == *n)
            || (**left == var && **right == machine(MachineOp::Sub, *t, n.clone(), one.clone()))
    };
    match upper {
        // A signed number that may be negative: no iteration then.
        Num::Binary(NumOp::Machine(MachineOp::Max, of), n, zero) if as_lit(zero) == Some(0) => {
            of == t && behind(n)
        }
        n => !t.signed && behind(n),
    }
}

/// Does a variable decide what is accessed, or whether it is?
fn decides(var: &Name, body: &Stmt) -> bool {
    body.subterms().any(|stmt| match stmt {
        Stmt::Write { index, .. } => index.free_vars().contains(var),
        other => other.view().variables().contains(var),
    })
}

/// Is it stored?
fn is_stored(var: &Name, body: &Stmt) -> bool {
    let stores = |stmt: &Stmt| matches!(stmt, Stmt::Write { payload, .. } if payload.free_vars().contains(var));
    body.subterms().any(stores)
}

/// What a statement marks.
fn marked(stmt: &Stmt) -> Option<(Mark, u64)> {
    match stmt {
        Stmt::Read { array, index, .. } => {
            let mark = Mark::ALL.into_iter().find(|mark| array.as_str() == mark.name())?;
            Some((mark, as_lit(index)?))
        }
        _ => None,
    }
}
