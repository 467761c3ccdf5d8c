//! How many stages of a pipeline were not released.

use super::stages::{Flight, joined};
use crate::arith::not;
use babycuda_core::{Bool, Name, Site, Stmt};

/// Conditions on which a number may depend, one within another.
const MAX_CONDITIONS: usize = 4;

/// The number of stages that were not released, as far as it is known.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Kept {
    Known(usize),
    Unknown,
    /// On each side of a condition another one.
    If(Bool, Box<Kept>, Box<Kept>),
}

impl Kept {
    /// Behind a branch.
    pub(super) fn behind(condition: &Bool, yes: Kept, no: Kept) -> Kept {
        match condition.value() {
            _ if yes == no => yes,
            Ok(true) => yes,
            Ok(false) => no,
            Err(_) if yes.depth().max(no.depth()) >= MAX_CONDITIONS => Kept::Unknown,
            Err(_) => Kept::If(condition.clone(), Box::new(yes), Box::new(no)),
        }
    }

    fn depth(&self) -> usize {
        match self {
            Kept::Known(_) | Kept::Unknown => 0,
            Kept::If(_, yes, no) => 1 + yes.depth().max(no.depth()),
        }
    }

    /// With `f` of the number.
    pub(super) fn map(self, f: &dyn Fn(usize) -> Option<usize>) -> Kept {
        match self {
            Kept::Known(kept) => f(kept).map_or(Kept::Unknown, Kept::Known),
            Kept::Unknown => Kept::Unknown,
            Kept::If(condition, yes, no) => Kept::behind(&condition, yes.map(f), no.map(f)),
        }
    }

    /// Where these conditions hold.
    pub(super) fn knowing(self, known: &[Bool]) -> Kept {
        self.given(&|condition| match known.contains(condition) {
            true => Some(true),
            false => known.contains(&not(condition.clone())).then_some(false),
        })
    }

    /// Where conditions hold, or do not, as `decide` says.
    pub(super) fn given(self, decide: &dyn Fn(&Bool) -> Option<bool>) -> Kept {
        let Kept::If(condition, yes, no) = self else { return self };
        match decide(&condition) {
            Some(true) => yes.given(decide),
            Some(false) => no.given(decide),
            None => Kept::behind(&condition, yes.given(decide), no.given(decide)),
        }
    }

    /// Where a variable is no longer known.
    pub(super) fn without(self, var: &Name) -> Kept {
        let Kept::If(condition, yes, no) = self else { return self };
        let (yes, no) = (yes.without(var), no.without(var));
        match condition.free_vars().contains(var) {
            true => yes.either(&no),
            false => Kept::behind(&condition, yes, no),
        }
    }

    /// What both are, where they are the same.
    pub(super) fn either(self, other: &Kept) -> Kept {
        match self {
            Kept::If(condition, yes, no) => {
                let there = other.clone().knowing(std::slice::from_ref(&condition));
                let elsewhere = other.clone().knowing(&[not(condition.clone())]);
                Kept::behind(&condition, yes.either(&there), no.either(&elsewhere))
            }
            Kept::Known(kept) => {
                other.clone().map(&|other| Some(kept).filter(|kept| *kept == other))
            }
            Kept::Unknown => Kept::Unknown,
        }
    }

    /// Is the number known, and is there something to wait for?
    pub(super) fn may_wait(&self, most: usize) -> bool {
        match self {
            Kept::Known(kept) => (1..most).contains(kept),
            Kept::Unknown => false,
            Kept::If(_, yes, no) => yes.may_wait(most) && no.may_wait(most),
        }
    }
}

impl Flight {
    /// Completes the stage that is released next.
    pub(super) fn oldest_completes(&mut self, kept: &Kept, site: Site) {
        match kept {
            Kept::Known(oldest) => {
                if let Some(stage) = self.stages.get_mut(*oldest) {
                    *stage = Stmt::Skip;
                }
            }
            Kept::Unknown => {}
            Kept::If(condition, yes, no) => {
                let mut other = self.clone();
                self.oldest_completes(yes, site);
                other.oldest_completes(no, site);
                for (stage, other) in self.stages.iter_mut().zip(&other.stages) {
                    *stage = joined(site, condition, stage, other);
                }
            }
        }
    }
}
