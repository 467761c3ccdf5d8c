//! Can threads that decided differently come to one barrier again?
//!
//! One thread, a, takes a side with barriers, and stops at one of them. Another, b, does not, and
//! goes on. Where these barriers stand nowhere else, b can only stop at one of them when it comes
//! to the decision again, in a later iteration of a loop around it, and then decides as a did.

use super::encode::Encoded;
use super::path::{Step, Updated, steps_of};
use super::world::World;
use crate::split::{Binder, decisions};
use babycuda_core::expr::{ArithOp, Relation, Renaming};
use babycuda_core::{Bool, Name, Num, Protocol, Site};
use std::collections::BTreeSet;

/// A way to meet again, which remains to be refuted.
pub(super) struct Meeting {
    /// To the decision, of both.
    together: Vec<Step>,
    /// What a decides there, and b does not.
    side: Side,
    /// b again: the loops around the decision in later iterations, and what a decided.
    again: Vec<Step>,
}

/// What is decided.
#[derive(Clone)]
enum Side {
    /// The condition holds.
    Branch(Bool),
    /// There are more iterations than another thread has.
    More(Num),
}

/// The ways in which threads that decide differently at `decision` may meet again; `None` when
/// that is not understood.
pub(super) fn meetings(protocol: &Protocol, decision: Site) -> Option<Vec<Meeting>> {
    let mut found = Vec::new();
    let barriers = barriers(protocol);
    for (context, part) in decisions(protocol, decision) {
        let sides = match &part {
            Protocol::If { condition, then, otherwise, .. } => vec![
                (Side::Branch(condition.clone()), then),
                (Side::Branch(Bool::not(condition.clone())), otherwise),
            ],
            Protocol::For { lower, upper, body, .. } => {
                let count = Num::arith(ArithOp::Sub, upper.clone(), lower.clone());
                vec![(Side::More(count), body)]
            }
            _ => return None,
        };
        for (side, body) in sides {
            let inside = self::barriers(body);
            let here: BTreeSet<Site> = inside.iter().copied().collect();
            if barriers.iter().filter(|site| here.contains(site)).count() != inside.len() {
                return None;
            }
            if inside.is_empty() {
                continue;
            }
            let again = later(protocol, &context).into_iter().map(|(suffix, map)| {
                let mut again = suffix;
                again.push(Step::Guard(side.decided(&map)));
                again
            });
            found.extend(again.map(|again| Meeting {
                together: steps_of(&context),
                side: side.clone(),
                again,
            }));
        }
    }
    Some(found)
}

impl Side {
    /// What holds of the thread that takes the side, after a renaming.
    fn decided(&self, map: &Renaming) -> Bool {
        match self {
            Side::Branch(c) => c.subst(map),
            Side::More(n) => Bool::compare(Relation::Gt, n.subst(map), Num::lit(0u32)),
        }
    }
}

/// For each loop of a context: the way through a later iteration of it, with names of its own.
fn later(protocol: &Protocol, context: &[Binder]) -> Vec<(Vec<Step>, Renaming)> {
    let mut ways = Vec::new();
    for (k, binder) in context.iter().enumerate() {
        let Binder::For { var: first, .. } = binder else { continue };
        let mut map = Renaming::new();
        let mut steps = Vec::new();
        for step in steps_of(&context[k..]) {
            steps.push(renamed(step, protocol, context, &mut map));
            if let (1, Some(next)) = (steps.len(), map.get(first)) {
                let after = Bool::compare(Relation::Lt, Num::Var(first.clone()), next.clone());
                steps.push(Step::Guard(after));
            }
        }
        ways.push((steps, map));
    }
    ways
}

/// The step of one thread alone, later than the one of the same name.
fn renamed(step: Step, protocol: &Protocol, context: &[Binder], map: &mut Renaming) -> Step {
    let own = |var: &Name, map: &mut Renaming| {
        let used = |x: &Name| {
            x == var
                || protocol.free_vars().contains(x)
                || context.iter().any(|b| b.var() == Some(x))
        };
        let fresh = var.fresh(used);
        map.insert(var.clone(), Num::Var(fresh.clone()));
        fresh
    };
    match step {
        Step::Guard(c) => Step::Guard(c.subst(map)),
        Step::Counter { site, var, lower, upper, .. } => {
            let (lower, upper) = (lower.subst(map), upper.subst(map));
            Step::Counter { site, var: own(&var, map), lower, upper, shared: false }
        }
        Step::Data { site, var, domain, read, update } => {
            let read = read.map(|(array, index)| (array, index.subst(map)));
            let update = update.map(|Updated { array, index, operand }| Updated {
                array,
                index: index.subst(map),
                operand: operand.map(|n| n.subst(map)),
            });
            Step::Data { site, var: own(&var, map), domain, read, update }
        }
    }
}

/// The sites of all barriers, each as often as it occurs.
fn barriers(p: &Protocol) -> Vec<Site> {
    p.subterms().filter(|p| matches!(p, Protocol::Sync { .. })).filter_map(Protocol::site).collect()
}

impl Meeting {
    /// Asserts that two threads meet in this way.
    pub(super) fn state(&self, world: &mut World) -> Encoded<()> {
        let a = world.walk(&self.together, 0)?;
        let b = world.walk(&self.together, 1)?;
        let term = match &self.side {
            Side::Branch(c) => world.bool(c, 1, &b)?.not()?,
            Side::More(n) => world.num(n, 1, &b)?.natural.less(&world.num(n, 0, &a)?.natural)?,
        };
        world.query.assert(&term)?;
        if let Side::Branch(c) = &self.side {
            world.assume(c, 0, &a)?;
        }
        world.walk_on(&self.again, 1, b)?;
        Ok(())
    }
}
