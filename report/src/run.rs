//! The run of a block: its history, how it ends, and what was chosen on the way.

use crate::choices::{self, Chosen};
use crate::history;
use babycuda::semantics::{Instance, Outcome};
use babycuda::{Evaluator, Observed, REFERENCE_STEPS};
use babycuda_core::counted;
use babycuda_core::syntax::{ArrayDecl, Space};
use serde_json::{Value, json};

/// A run of a block.
#[derive(Clone, Debug)]
pub struct Run {
    /// What was run.
    pub instance: Instance,
    /// What is left open in it, and how that was settled.
    pub chosen: Chosen,
    /// Why the kernel may have no such run, where values are not known ([`crate::choices::guesses`]).
    pub guesses: Option<String>,
    /// Why no interleaving has this run, where the values that atomic updates yield show that.
    pub unordered: Option<String>,
    /// What the run came to.
    pub observed: Observed,
}

/// How the threads and the cells of blocks are named that run together; `None` where they do not.
pub fn together(instance: &Instance) -> Option<String> {
    let grid = instance.blocks()?.grid();
    let (blocks, threads) = (grid.grid.count(), grid.block.count());
    let shared = |a: &&ArrayDecl| a.space == Space::Shared;
    let cells = instance.program.arrays.iter().find(shared).map(|array| {
        let name = &array.name;
        format!("; cell {name}[n] of block b is {name}[{blocks} * n + b], of each shared array")
    });
    let cells = cells.unwrap_or_default();
    Some(format!("thread i of block b is thread {threads} * b + i{cells}"))
}

impl Run {
    /// Runs the block.
    pub fn of(instance: Instance, chosen: Chosen, guesses: Option<String>) -> Run {
        let observed = babycuda::observe(&instance, &chosen.options());
        let unordered = observed.unordered(&instance);
        let unordered = unordered.map(|(phase, cell)| choices::unordered(&cell, Some(phase)));
        Run { instance, chosen, guesses, unordered, observed }
    }

    /// The exit status: 0 no race, 1 race or divergence, 3 stuck, guessed, not a run of any
    /// interleaving, or a divergence of the calculus alone.
    pub fn status(&self) -> u8 {
        match &self.observed.outcome {
            _ if self.guesses.is_some() || self.unordered.is_some() => 3,
            Outcome::Stuck { history, .. } if history.is_drf() => 3,
            _ if self.lets_pass().is_some() && self.observed.outcome.history().is_drf() => 3,
            Outcome::Done { history } if history.is_drf() => 0,
            _ => 1,
        }
    }

    /// For people: the history phase by phase, racy cells marked.
    pub fn human(&self) -> String {
        let mut out = format!("{}\n", self.heading());
        out.push_str(&history::print(self.observed.outcome.history()));
        out.push_str(&history::unfinished(&self.unfinished()));
        for line in self.closing() {
            out.push_str(&line);
            out.push('\n');
        }
        out
    }

    /// Whose run it is.
    pub(crate) fn heading(&self) -> String {
        let (instance, at) = (&self.instance, &self.instance.configuration);
        let threads = counted(at.launch.block.count(), "thread");
        let which = match (at.launch.grid.count(), instance.blocks()) {
            (0 | 1, _) => format!(": {threads}"),
            (grid, None) => format!(", block {} of {grid}: {threads}", at.block),
            (grid, Some(_)) => format!(", {grid} blocks together, of {threads}"),
        };
        format!("{}{which}", instance.program.name)
    }

    /// How it ends, and what else must be known of it.
    pub(crate) fn closing(&self) -> Vec<String> {
        let Run { instance, observed, .. } = self;
        let ending = match self.ending() {
            ("done", _) => "all threads end".to_owned(),
            ("diverged", why) => format!("barrier divergence: {}", why.unwrap_or_default()),
            (stuck, why) => format!("{stuck}: {}", why.unwrap_or_default()),
        };
        let mut lines = vec![ending];
        lines.extend(together(instance));
        lines.extend(self.guesses.iter().chain(&self.unordered).cloned());
        lines.extend(self.chosen.lines(&instance.program, &observed.choices));
        if observed.evaluator == Evaluator::VirtualMachine {
            lines.push(format!("run by the virtual machine: more than {REFERENCE_STEPS} steps"));
        }
        lines
    }

    /// For programs.
    pub fn document(&self) -> Value {
        let Run { instance, observed, guesses, unordered, .. } = self;
        let history = observed.outcome.history();
        let racy = history.chronological().filter(|(_, phase)| phase.is_racy());
        let racy: Vec<usize> = racy.map(|(number, _)| number).collect();
        let races: Vec<String> = history.races().map(|race| race.to_string()).collect();
        let (ending, why) = self.ending();
        json!({
            "name": instance.program.name, "block": instance.configuration.block,
            "together": together(instance),
            "outcome": ending, "reason": why,
            "evaluator": observed.evaluator,
            "chosen": self.chosen.json(&instance.program, &observed.choices),
            "guesses": guesses, "unordered": unordered, "drf": history.is_drf(),
            "history": history::document(history), "racy_phases": racy, "races": races,
            "unfinished": history::visits(&self.unfinished()),
        })
    }

    /// Why threads that diverge need not be a divergence of the kernel.
    fn lets_pass(&self) -> Option<&'static str> {
        let divergence = self.observed.outcome.divergence()?;
        self.instance.program.sources.lets_pass(divergence.scope)
    }

    /// How it ends, and why.
    fn ending(&self) -> (&'static str, Option<String>) {
        match &self.observed.outcome {
            Outcome::Done { .. } => ("done", None),
            Outcome::Diverged { divergence, .. } => {
                let passes = self.lets_pass().map(|why| format!("; {why}")).unwrap_or_default();
                ("diverged", Some(format!("{divergence}{passes}")))
            }
            Outcome::Stuck { stuck, .. } => {
                ("stuck", Some(stuck.explain(&self.instance.program.sources)))
            }
        }
    }

    /// What was done in the phase in which the run is stuck.
    pub(crate) fn unfinished(&self) -> Vec<babycuda::semantics::vm::Visit> {
        match &self.observed.outcome {
            Outcome::Stuck { .. } => babycuda::unfinished(&self.instance, &self.chosen.options()),
            Outcome::Done { .. } | Outcome::Diverged { .. } => Vec::new(),
        }
    }
}
