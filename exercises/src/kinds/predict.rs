//! Predict the history: what each thread reads and writes in each phase, which cells race, and how the run ends.
//!
//! The account is compared with the run of the reference semantics, in the order in which the run goes: phase by
//! phase, thread by thread, reads before writes; then the races, then the end.

use super::account::{Account, Ends, place};
use crate::exercise::{Check, ExerciseError, Source};
use crate::grade::{Fault, Judged};
use crate::limits;
use crate::reading::material;
use babycuda::semantics::{Instance, Outcome, Reason};
use babycuda_core::{Accesses, Cell, Natural, counted};
use std::collections::BTreeSet;

/// The run that is to be predicted.
#[derive(Clone, Debug)]
pub struct Predict {
    outcome: Outcome,
    threads: u64,
    ends: Ends,
}

impl Check for Predict {
    /// Its block of `bcuda` is a program with all of its launch, whose run leaves nothing open.
    fn read(source: &Source<'_>) -> Result<Predict, ExerciseError> {
        let program = material(source.need_block("bcuda")?)?;
        let at = program.configuration(&program.body.free_vars());
        let at = at.map_err(|open| ExerciseError::new(open.to_string()))?;
        let threads = at.launch.block.count();
        let outcome = Instance::of(program, at).run(&limits::running());
        let ends = match &outcome {
            Outcome::Done { .. } => Ends::Done,
            Outcome::Diverged { .. } => Ends::Diverged,
            Outcome::Stuck { stuck, .. } => match &stuck.reason {
                Reason::Undefined { cell } => Ends::Stuck(stuck.thread, cell.clone()),
                other => return Err(ExerciseError::new(format!("its run: {other}"))),
            },
        };
        let atomics = |accesses: &Accesses| !accesses.atomics.is_empty();
        if outcome
            .history()
            .newest_first()
            .any(|phase| phase.is_staged() || phase.threads().any(|(_, a)| atomics(a)))
        {
            return Err(ExerciseError::new(
                "its run has atomic updates, or barriers of narrow scopes",
            ));
        }
        Ok(Predict { outcome, threads, ends })
    }

    fn judge(&self, answer: &str) -> Judged {
        let account = Account::read(answer)?;
        let history = self.outcome.history();
        for (number, phase) in history.chronological() {
            if account.phases.len() <= number {
                return Err(Fault::wrong(
                    "the phases",
                    format!("the run has {}", counted(history.len() as u64, "phase")),
                )
                .expecting(format!(
                    "a line `phase {number}`: each barrier of the block begins one"
                )));
            }
            for thread in 0..self.threads {
                self.thread(&account, number, thread, &phase.get(thread))?;
            }
            let strange =
                account.phases[number].1.iter().find(|(thread, _)| **thread >= self.threads);
            if let Some((thread, (line, _))) = strange {
                let why = format!(
                    "the program has {}: there is no thread {thread}",
                    counted(self.threads, "thread")
                );
                return Err(Fault::wrong(format!("phase {number}, threads"), why).at(*line));
            }
        }
        if let Some((line, _)) = account.phases.get(history.len()) {
            let complete =
                if self.ends == Ends::Done { "the run has" } else { "the run completes" };
            let why = format!("{complete} {}", counted(history.len() as u64, "phase"));
            return Err(Fault::wrong("the phases", why).at(*line));
        }
        self.races(&account)?;
        let Some((line, ends)) = &account.ends else {
            return Err(Fault::wrong("the end", "it does not say how the run ends")
                .expecting("a line `ends: …`"));
        };
        if *ends != self.ends {
            let why = match &self.ends {
                Ends::Done => "every thread comes to its end".to_owned(),
                Ends::Diverged => {
                    "threads stop at different barriers, or some end while others wait".to_owned()
                }
                Ends::Stuck(thread, cell) => format!(
                    "thread {thread} reads {cell}, which nobody wrote: `lastwrite` is ⊥, and no rule applies"
                ),
            };
            let fault =
                Fault::wrong("the end", why).expecting(format!("ends: {}", self.ends)).at(*line);
            return Err(if matches!(self.ends, Ends::Stuck(..)) {
                fault.by("thread/read")
            } else {
                fault
            });
        }
        let races: Vec<_> = history.races().collect();
        Ok(format!(
            "the history is right: {}, {}, and the run ends {}",
            counted(history.len() as u64, "phase"),
            counted(races.len() as u64, "race"),
            self.ends
        ))
    }
}

impl Predict {
    /// One thread of one phase.
    fn thread(
        &self,
        account: &Account,
        phase: usize,
        thread: u64,
        right: &Accesses,
    ) -> Result<(), Box<Fault>> {
        let empty = Accesses::default();
        let said = account.phases[phase].1.get(&thread).map_or(&empty, |(_, accesses)| accesses);
        let fault = |what: &str, why: String, expected: String, rule: &str| {
            let fault = Fault::wrong(format!("phase {phase}, thread {thread}, {what}"), why);
            let fault = fault.expecting(format!("thread {thread} {expected}")).by(rule);
            match place(account, phase, thread) {
                Some(at) => fault.at(at),
                None => fault,
            }
        };
        if said.reads != right.reads {
            let more = said.reads.iter().find(|cell| !right.reads.contains(*cell));
            let less = right.reads.iter().find(|cell| !said.reads.contains(*cell));
            let why = match (more, less) {
                (Some(cell), _) => format!("it does not read {cell} in this phase"),
                (None, Some(cell)) => format!("it reads {cell}, too: the rule adds the cell to R"),
                (None, None) => String::new(),
            };
            return Err(fault("reads", why, reads(right), "thread/read"));
        }
        if said.writes == right.writes {
            return Ok(());
        }
        let wrong = said.writes.iter().find_map(|(cell, k)| match right.writes.get(cell) {
            None => Some(format!("it does not write {cell} in this phase")),
            Some(right) if right != k => Some(other_value(cell, k)),
            Some(_) => None,
        });
        let missing = right.writes.keys().find(|cell| !said.writes.contains_key(*cell));
        let why =
            wrong.or(missing.map(|cell| format!("it writes {cell}, too"))).unwrap_or_default();
        Err(fault("writes", why, writes(right), "thread/write"))
    }

    fn races(&self, account: &Account) -> Result<(), Box<Fault>> {
        let right: BTreeSet<(usize, Cell)> =
            self.outcome.history().races().map(|race| (race.phase, race.cell)).collect();
        let step = "the races";
        let Some(said) = &account.racy else {
            return Err(Fault::wrong(step, "it does not say which cells race")
                .expecting("`racy: none`, or a line for each racy cell"));
        };
        if let Some((phase, cell)) = said.difference(&right).next() {
            let why = format!(
                "phase {phase} is not racy on {cell}: no two threads access it there, one of them writing (Def. 1)"
            );
            return Err(Fault::wrong(step, why).at(account.racy_line));
        }
        match right.difference(said).next() {
            Some((phase, cell)) => {
                let race = self
                    .outcome
                    .history()
                    .races()
                    .find(|race| race.phase == *phase && race.cell == *cell);
                let race = race.map_or(String::new(), |race| race.to_string());
                Err(Fault::wrong(step, format!("there is one more racy cell: {race}"))
                    .expecting(format!("racy: phase {phase} {cell}"))
                    .at(account.racy_line))
            }
            None => Ok(()),
        }
    }
}

/// Why a written value is another one.
fn other_value(cell: &Cell, said: &Natural) -> String {
    format!(
        "it does not leave {said} in {cell}: the payload is evaluated with what the thread has read, of earlier phases \
         and of itself, and the last write of a thread counts"
    )
}

fn reads(accesses: &Accesses) -> String {
    match accesses.reads.is_empty() {
        true => "reads nothing".to_owned(),
        false => {
            let cells: Vec<String> = accesses.reads.iter().map(Cell::to_string).collect();
            format!("reads {}", cells.join(", "))
        }
    }
}

fn writes(accesses: &Accesses) -> String {
    match accesses.writes.is_empty() {
        true => "writes nothing".to_owned(),
        false => {
            let cells: Vec<String> =
                accesses.writes.iter().map(|(cell, k)| format!("{cell} = {k}")).collect();
            format!("writes {}", cells.join(", "))
        }
    }
}
