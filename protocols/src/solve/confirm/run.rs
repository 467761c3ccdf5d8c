//! The threads of a model, run by the reference semantics.

use super::Scene;
use crate::map::{
    AccessEvent, Configured, Ending, Lambda, MapError, MapLimits, Oracle, evaluate_threads,
};
use crate::solve::path::Step;
use babycuda_core::evidence::{Choice, Confirmation, Counter, Side, Witness};
use babycuda_core::machine::IntType;
use babycuda_core::{Declarations, Name, Natural, Protocol, Site};
use im::Vector;

/// The phase at whose end two threads stopped, and where each did.
pub(in crate::solve) type Stopped = (usize, [Option<Site>; 2]);

impl Scene {
    /// Runs both threads by the reference semantics, and takes phases and iterations from there.
    pub(super) fn run(
        &self,
        protocol: &Protocol,
        witness: &mut Witness,
        chosen: &[Vec<Choice>],
        steps: u64,
    ) -> Result<(), String> {
        let mut oracle = Chosen { threads: self.threads, choices: chosen.to_vec(), data: false };
        let fits = |e: &AccessEvent, side: &Side| {
            (e.thread, e.site, e.mode) == (side.thread.index, side.site, side.mode)
                && e.cell == witness.cell
        };
        let found = if witness.same_block() {
            let lambda = match self.lambda(protocol, [0, 1].as_slice(), &mut oracle, steps) {
                Ok(lambda) => lambda,
                Err(MapError::Steps(_)) => return Ok(()),
                Err(error) => return Err(error.to_string()),
            };
            let pair = lambda.phases.iter().enumerate().find_map(|(number, phase)| {
                let at = |side| phase.events.iter().filter(move |e| fits(e, side));
                let first = at(&witness.first);
                let mut pairs = first.flat_map(|a| at(&witness.second).map(move |b| (a, b)));
                let (a, b) = pairs.find(|(a, b)| phase.race(a, b))?;
                Some(((number, a.iteration.clone()), (number, b.iteration.clone())))
            });
            if pair.is_none() && lambda.ending != Ending::Done && !oracle.data {
                return Err("the block diverges before".to_owned());
            }
            pair
        } else {
            let mut sides = Vec::new();
            for (t, side) in [&witness.first, &witness.second].into_iter().enumerate() {
                oracle.threads = [self.threads[t]; 2];
                oracle.choices = vec![chosen[t].clone()];
                let lambda = match self.lambda(protocol, &[t], &mut oracle, steps) {
                    Ok(lambda) => lambda,
                    Err(MapError::Steps(_)) => return Ok(()),
                    Err(error) => return Err(error.to_string()),
                };
                sides.push(lambda.phases.iter().enumerate().find_map(|(number, phase)| {
                    let event = phase.events.iter().find(|e| fits(e, side))?;
                    Some((number, event.iteration.clone()))
                }));
            }
            let second = sides.pop().flatten();
            sides.pop().flatten().zip(second)
        };
        match found {
            Some((first, second)) => {
                for (side, (phase, iteration)) in
                    [(&mut witness.first, first), (&mut witness.second, second)]
                {
                    side.phase = Some(phase);
                    side.iteration = iteration.into_iter().collect();
                }
                witness.confirmation = Confirmation::Run;
                Ok(())
            }
            // With data, one choice for each read is not all that a thread may have read.
            None if oracle.data => Ok(()),
            None => Err("the reference semantics finds no such race".to_owned()),
        }
    }

    /// Λ of some of the threads; all are of one block.
    fn lambda(
        &self,
        protocol: &Protocol,
        threads: &[usize],
        oracle: &mut Chosen,
        steps: u64,
    ) -> Result<Lambda, MapError> {
        let configuration = &self.configurations[threads.first().copied().unwrap_or(0)];
        let indices = threads.iter().map(|t| self.threads[*t]);
        let limits = MapLimits { steps, ..MapLimits::default() };
        evaluate_threads(Configured { protocol, configuration }, indices, oracle, &limits)
    }

    /// Follows the ways of both threads to a decision, and runs them: where do they stop?
    pub(in crate::solve) fn divergence(
        &self,
        protocol: &Protocol,
        declarations: &Declarations,
        context: &[Step],
        steps: u64,
    ) -> Result<(Option<Stopped>, [Vec<Choice>; 2]), String> {
        let data = [self.follow(context, 0)?.data, self.follow(context, 1)?.data];
        let mut oracle = Chosen { threads: self.threads, choices: data.to_vec(), data: false };
        let scene = self.hosted(protocol, declarations, &data)?;
        match scene.lambda(protocol, &[0, 1], &mut oracle, steps) {
            Ok(Lambda { phases, ending: Ending::Divergence { first, second } }) => {
                let phase = phases.len().saturating_sub(1);
                Ok((Some((phase, [first.1, second.1])), data))
            }
            Ok(_) | Err(MapError::Steps(_)) => Ok((None, data)),
            Err(error) => Err(error.to_string()),
        }
    }
}

/// The oracle that chooses what a model says for each read, and 0 for reads it does not mention.
struct Chosen {
    threads: [u64; 2],
    choices: Vec<Vec<Choice>>,
    /// Was it asked at all?
    data: bool,
}

impl Oracle for Chosen {
    fn choose(
        &mut self,
        thread: u64,
        site: Site,
        _: &Name,
        _: Option<IntType>,
        _: &Vector<Counter>,
    ) -> Option<Natural> {
        self.data = true;
        let mut chosen = self.threads.iter().zip(&self.choices);
        let choices = chosen.find(|(t, _)| **t == thread).map(|(_, c)| c);
        let choice = choices.and_then(|c| c.iter().rev().find(|c| c.site == site));
        Some(choice.map(|c| c.value.clone()).unwrap_or_default())
    }
}
