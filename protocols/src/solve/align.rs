//! Do all threads decide alike where barriers depend on it?

use super::bounds::Bounds;
use super::confirm::Scene;
use super::driver::Driver;
use super::encode::Encoded;
use super::meet::meetings;
use super::path::{Step, steps_of};
use super::world::{Threads, World};
use super::{Cause, Subject};
use crate::relation::Relation;
use crate::split::{Decision, Obligation, may_meet_again};
use babycuda_core::evidence::{Divergence, DivergenceWitness};
use babycuda_core::syntax::BarrierScope;
use babycuda_core::{Bool, Protocol, Site};
use babycuda_smt::{Answer, Model, Term};

impl Driver<'_> {
    /// Do all threads of each group that `relation` holds together decide alike, provably?
    pub(super) fn obligation(&mut self, obligation: &Obligation, relation: Relation) -> bool {
        let site = obligation.site;
        if self.result.divergences.contains_key(&site) {
            return false;
        }
        let steps = steps_of(&obligation.context);
        let threads = Threads::SameBlock(Relation { apart: None, ..relation });
        let answer = self.decide(threads, &|world| differ(world, &steps, obligation));
        let subject = Subject::Divergence(site);
        let undecided = match answer {
            Ok(Answer::Unsat) => return true,
            Ok(Answer::Unknown(reason)) => Some(reason.into()),
            Err(cause) => Some(cause),
            Ok(Answer::Sat(model)) => self.diverging(model, &steps, site),
        };
        if let Some(cause) = undecided {
            self.undecided(subject, cause);
        }
        false
    }

    /// Notes the divergence that a model is; or says why it is none.
    fn diverging(&mut self, model: Model, steps: &[Step], decision: Site) -> Option<Cause> {
        let scene = Scene::of(model, self.declarations, &self.stable, &self.contents);
        let checked = scene.admitted(self.declarations).and_then(|()| {
            scene.divergence(self.protocol, self.declarations, steps, self.options.steps)
        });
        let (stopped, data) = match checked {
            Ok((Some(stopped), data)) => (stopped, data),
            Ok((None, _)) => return Some(Cause::NoDivergence),
            Err(why) => return Some(self.defect(why)),
        };
        let (phase, [first, second]) = stopped;
        let [one, other] = scene.threads;
        let scope = [first, second].into_iter().flatten().filter_map(|site| self.scope(site));
        let scope = scope.min().unwrap_or_default();
        let (first, second) = ((one, first), (other, second));
        let mut divergence = Divergence { phase, first, second, scope };
        // Other threads of the block may diverge before these two do.
        let hosted = scene.hosted(self.protocol, self.declarations, &data);
        let [configuration, _] = hosted.unwrap_or(scene).configurations;
        if let Ok(found) = self.enumerated(&configuration)
            && let Some(earlier) = found.divergences.get(&configuration.block)
            && earlier.phase < phase
        {
            divergence = *earlier;
        }
        let found = DivergenceWitness { configuration, divergence, data };
        self.result.divergences.insert(decision, found);
        None
    }

    /// The scope of a barrier.
    fn scope(&self, barrier: Site) -> Option<BarrierScope> {
        self.protocol.subterms().find_map(|p| match p {
            Protocol::Sync { site, scope } if *site == barrier => Some(*scope),
            _ => None,
        })
    }

    /// Segments say nothing of threads that decided differently and meet again.
    pub(super) fn meetings(&mut self, protocol: &Protocol, relation: Relation) {
        for site in self.open.clone() {
            let subject = Subject::Divergence(site);
            let said = self.result.undecided.iter().any(|u| u.subject == subject);
            if !said
                && may_meet_again(protocol, site)
                && !self.part_for_ever(site, protocol, relation)
            {
                self.undecided(subject, Cause::MeetAgain);
            }
        }
    }

    /// Is there no way to meet again for threads that decide differently?
    fn part_for_ever(&mut self, decision: Site, protocol: &Protocol, relation: Relation) -> bool {
        let threads = Threads::SameBlock(relation);
        meetings(protocol, decision).is_some_and(|ways| {
            ways.iter().all(|way| {
                let answer = self.ask(threads, Bounds::ALL, &|world| way.state(world));
                matches!(answer, Ok(Answer::Unsat))
            })
        })
    }
}

/// Asserts that two threads reach a decision and decide differently.
fn differ(world: &mut World, steps: &[Step], obligation: &Obligation) -> Encoded<()> {
    let locals = [world.walk(steps, 0)?, world.walk(steps, 1)?];
    let term = match &obligation.decision {
        Decision::Branch { condition, then_syncs, otherwise_syncs } => {
            let side = |c: &Bool, thread: usize| world.bool(c, thread, &locals[thread]);
            // The threads are alike, so one order is enough.
            let apart = [side(condition, 0)?, side(condition, 1)?.not()?];
            let syncs = Term::or([side(then_syncs, 0)?, side(otherwise_syncs, 1)?])?;
            Term::and([Term::and(apart)?, syncs])?
        }
        Decision::Count { count } => {
            let [a, b] = [0, 1].map(|t| world.num(count, t, &locals[t]));
            a?.natural.less(&b?.natural)?
        }
    };
    world.query.assert(&term)?;
    Ok(())
}
