//! What the nodes of a run conclude, as propositions.

use super::Run;
use crate::Unsupported;
use crate::document::{Sort, list, string};
use babycuda_core::name::reserved::{TID, is_reserved};
use babycuda_core::{Accesses, History, Name, Site, Stmt};
use babycuda_semantics::{
    BlockJudgment, Derivation, Ending, Judgment, ParallelJudgment, ProgramJudgment, Remaining, Stop,
};
use std::sync::Arc;

impl Run {
    /// The judgment that the node concludes.
    pub(super) fn judgment(&mut self, node: &Derivation) -> Result<String, Unsupported> {
        Ok(match &node.conclusion {
            Judgment::Thread(j) => {
                let history = self.history(&j.history, false)?;
                let (before, after) = (self.accesses(&j.before)?, self.accesses(&j.after)?);
                let program = self.program(&j.program)?;
                format!("thread {history} {} {before} {program} {after}", j.thread)
            }
            Judgment::ToBarrier(j) => {
                let history = self.history(&j.history, false)?;
                let (before, after) = (self.accesses(&j.before)?, self.accesses(&j.after)?);
                let (program, stop) = (self.program(&j.program)?, self.stop(&j.stop)?);
                format!("to_barrier {history} {} {before} {program} {after} {stop}", j.thread)
            }
            Judgment::Parallel(j) => self.parallel(j)?,
            Judgment::Block(BlockJudgment { before, remaining, ending, .. }) => {
                let (before, remaining) = (self.history(before, true)?, self.remaining(remaining)?);
                format!("block_run {before} {remaining} {}", self.ending(ending, node)?)
            }
            Judgment::Program(j) => {
                let (before, start) = (self.history(&j.before, true)?, self.start(j)?);
                format!("block_run {before} {start} {}", self.ending(&j.ending, node)?)
            }
        })
    }

    fn parallel(&mut self, j: &ParallelJudgment) -> Result<String, Unsupported> {
        if let Some(variable) = launch_variables(&j.program).into_iter().next() {
            return Err(Unsupported::LaunchVariable { variable });
        }
        let threads = list((0..j.block.len()).map(|i| i.to_string()));
        let (before, after) = (self.history(&j.before, true)?, self.history(&j.after, false)?);
        Ok(format!("parallel {threads} {before} {} {after}", self.program(&j.program)?))
    }

    /// Every thread with its own copy of the program.
    fn start(&mut self, j: &ProgramJudgment) -> Result<String, Unsupported> {
        let code = self.program(&j.program)?;
        let others = launch_variables(&j.program);
        if others.is_empty() {
            let threads = list((0..j.block.len()).map(|i| i.to_string()));
            return Ok(format!("(start {threads} {code})"));
        }
        let values = |i| {
            let value = |x: &Name| j.block.launch.value_of(x, j.block.thread(i));
            let variables = [Name::new(TID)].into_iter().chain(others.iter().cloned());
            list(variables.filter_map(|x| Some(format!("({}, {})", string(&x), value(&x)?))))
        };
        let threads = list((0..j.block.len()).map(|i| format!("({i}, {})", values(i))));
        Ok(format!("(start_launch {threads} {code})"))
    }

    /// What comes of the block of `node`.
    fn ending(&mut self, ending: &Ending, node: &Derivation) -> Result<String, Unsupported> {
        let history = self.history(&ending.history, false)?;
        let Some(divergence) = &ending.divergence else {
            return Ok(format!("(Ends {history})"));
        };
        let (first, second) =
            (self.place(divergence.first, node)?, self.place(divergence.second, node)?);
        Ok(format!("(Diverges {history} {first} {second})"))
    }

    /// A thread and where it stopped, with what it has left there: a divergence does not say, but
    /// the rule that concludes it does.
    fn place(
        &mut self,
        (thread, site): (u64, Option<Site>),
        node: &Derivation,
    ) -> Result<String, Unsupported> {
        let mut node = node;
        while let Some(next) = node.children().find(|child| is_block(child)) {
            node = next;
        }
        let stops = node.children().filter_map(|child| match &child.conclusion {
            Judgment::ToBarrier(j) if j.thread == thread => Some(&j.stop),
            _ => None,
        });
        let stop = match (stops.into_iter().find(|stop| stop.site() == site), site) {
            (Some(stop), _) => self.stop(stop)?,
            (None, None) => "Finished".to_owned(),
            // What no premise concludes has no premise's rest.
            (None, Some(site)) => format!("(AtBarrier {} Skip)", site.0),
        };
        Ok(format!("{thread} {stop}"))
    }

    fn stop(&mut self, stop: &Stop) -> Result<String, Unsupported> {
        Ok(match stop {
            Stop::Done => "Finished".to_owned(),
            Stop::Barrier { site, rest, .. } => {
                format!("(AtBarrier {} {})", site.0, self.program(rest)?)
            }
        })
    }

    /// What each thread has left.
    pub(super) fn remaining(&mut self, remaining: &Remaining) -> Result<String, Unsupported> {
        let mut entries = Vec::new();
        for (i, code) in remaining {
            entries.push(format!("({i}, {})", self.program(code)?));
        }
        Ok(list(entries))
    }

    fn history(&mut self, h: &Arc<History>, open: bool) -> Result<String, Unsupported> {
        self.once((Sort::History, open), &**h, |terms, shape| terms.history(h, open, shape))
    }

    fn accesses(&mut self, a: &Arc<Accesses>) -> Result<String, Unsupported> {
        self.once((Sort::Accesses, false), &**a, |terms, _| terms.accesses(a))
    }

    fn program(&mut self, b: &Arc<Stmt>) -> Result<String, Unsupported> {
        self.once((Sort::Program, false), &**b, |terms, _| terms.program(b))
    }
}

/// The variables that a launch gives meaning to and a program mentions, but for `tid`.
fn launch_variables(program: &Stmt) -> Vec<Name> {
    let free = program.free_vars().into_iter();
    free.filter(|x| is_reserved(x) && x.as_str() != TID).collect()
}

fn is_block(node: &Derivation) -> bool {
    matches!(node.conclusion, Judgment::Block(_))
}
