//! What is in flight: statements, and how they are joined.

use super::super::emit::{Item, fold};
use super::kept::Kept;
use super::rounds::HEAD;
use crate::arith::{lit, not};
use babycuda_core::deep::grow;
use babycuda_core::{Bool, Name, Site, Stmt};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Copies of which it is not known where they are made: an array that there is not, with theirs as the variable.
const LOST: &str = "async::lost";

/// What is in flight. The copies of a stage are a statement, with [`HEAD`] for what a loop has in flight at its head.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Flight {
    /// The copies of no stage yet, then those of the stages, the latest first.
    pub(super) stages: Vec<Stmt>,
    /// The stages that were not released.
    pub(super) kept: Kept,
}

impl Default for Flight {
    fn default() -> Self {
        Flight { stages: vec![Stmt::Skip], kept: Kept::Known(0) }
    }
}

impl Flight {
    /// What is in flight at the head of a loop, as far as it is known in its body: at these places, something.
    pub(super) fn head(some: &[bool], kept: Kept) -> Flight {
        let head = |(place, some): (usize, &bool)| match some {
            true => placeholder(HEAD, place as u64),
            false => Stmt::Skip,
        };
        Flight { stages: some.iter().enumerate().map(head).collect(), kept }
    }

    /// Counts stages that are committed or released.
    pub(super) fn count(&mut self, f: &dyn Fn(usize) -> Option<usize>) {
        let kept = std::mem::replace(&mut self.kept, Kept::Unknown);
        self.kept = kept.map(f);
    }

    /// Of what rests on a variable, it is no longer known how many there are.
    pub(super) fn count_without(&mut self, var: &Name) {
        let kept = std::mem::replace(&mut self.kept, Kept::Unknown);
        self.kept = kept.without(var);
    }

    /// Forgets stages that are complete.
    pub(super) fn trimmed(mut self) -> Flight {
        while self.stages.len() > 1 && self.stages.last() == Some(&Stmt::Skip) {
            self.stages.pop();
        }
        self
    }

    /// What is in flight behind a branch.
    pub(super) fn join(self, other: Flight, site: Site, condition: &Bool) -> Flight {
        let yes = self.kept.clone().knowing(std::slice::from_ref(condition));
        let no = other.kept.clone().knowing(&[not(condition.clone())]);
        let kept = Kept::behind(condition, yes, no);
        let places = self.stages.len().max(other.stages.len());
        let of =
            |flight: &Flight, place: usize| flight.stages.get(place).cloned().unwrap_or(Stmt::Skip);
        let stages = (0..places).map(|p| joined(site, condition, &of(&self, p), &of(&other, p)));
        Flight { stages: stages.collect(), kept }.trimmed()
    }
}

/// A statement that stands for others until they are known.
fn placeholder(array: &str, place: u64) -> Stmt {
    Stmt::read("mark", array, lit(place), Stmt::Skip)
}

/// `first`, then `second`.
pub(super) fn both(first: Stmt, second: Stmt) -> Stmt {
    let (mut parts, mut all) = (Vec::new(), Vec::new());
    sequence(&first, &mut parts);
    all.extend(parts.into_iter().cloned().chain([second]).map(Item::Stmt));
    fold(all)
}

/// What the branches of a condition begin with alike, and then the branches.
pub(super) fn joined(site: Site, condition: &Bool, yes: &Stmt, no: &Stmt) -> Stmt {
    let (yes, no) = (where_holds(yes, condition), where_holds(no, &not(condition.clone())));
    let [mut yeses, mut noes] = [Vec::new(), Vec::new()];
    sequence(&yes, &mut yeses);
    sequence(&no, &mut noes);
    let alike = yeses.iter().zip(&noes).take_while(|(yes, no)| yes == no).count();
    let all = |parts: &[&Stmt]| Stmt::sequence(parts.iter().map(|part| (*part).clone()));
    let rest = branch(site, condition, all(&yeses[alike..]), all(&noes[alike..]));
    both(all(&yeses[..alike]), rest)
}

/// What a statement is where a condition holds.
fn where_holds(stmt: &Stmt, condition: &Bool) -> Stmt {
    match stmt {
        Stmt::Seq(first, second) => {
            both(grow(|| where_holds(first, condition)), grow(|| where_holds(second, condition)))
        }
        Stmt::If { condition: of, then, .. } if of == condition => {
            grow(|| where_holds(then, condition))
        }
        Stmt::If { condition: of, otherwise, .. } if not(of.clone()) == *condition => {
            grow(|| where_holds(otherwise, condition))
        }
        other => other.clone(),
    }
}

/// A branch, unless its condition is known or both sides are alike.
pub(super) fn branch(site: Site, condition: &Bool, yes: Stmt, no: Stmt) -> Stmt {
    match condition.value() {
        _ if yes == no => yes,
        Ok(true) => yes,
        Ok(false) => no,
        Err(_) => Stmt::If {
            site,
            condition: condition.clone(),
            then: Arc::new(yes),
            otherwise: Arc::new(no),
        },
    }
}

/// The statements of a sequence.
pub(super) fn sequence<'a>(stmt: &'a Stmt, out: &mut Vec<&'a Stmt>) {
    match stmt {
        Stmt::Seq(first, second) => {
            sequence(first, out);
            sequence(second, out);
        }
        Stmt::Skip => {}
        other => out.push(other),
    }
}

/// Copies to and from these arrays, of which it is not known where they are made.
pub(super) fn lost(arrays: BTreeSet<Name>) -> Stmt {
    Stmt::sequence(arrays.into_iter().map(|array| Stmt::read(array, LOST, lit(0), Stmt::Skip)))
}

/// The array of copies of which it is not known where they are made.
pub(super) fn lost_array(stmt: &Stmt) -> Option<&Name> {
    match stmt {
        Stmt::Read { var, array, .. } if array.as_str() == LOST => Some(var),
        _ => None,
    }
}
