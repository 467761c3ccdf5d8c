//! Machines as tables: `state,access,sync,relation,next`, a line for each state and label, in the
//! letters of HiRace. The state of the first line is where the machine starts, `RACE` is the race.

use super::label::{Chain, Label, MODES, mode_letter};
use super::machine::{Machine, State};
use std::collections::HashMap;
use std::fmt::Write;

const HEADER: &str = "state,access,sync,relation,next";
const RACE: &str = "RACE";

/// A table that is no machine.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct TableError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there.
    pub problem: String,
}

impl Machine {
    /// Reads the file of a table: [`Machine::from_csv`] of its text.
    ///
    /// # Errors
    /// Those of the text, and the line with the first byte that is none of UTF-8.
    pub fn read_csv(bytes: &[u8], chain: Chain) -> Result<Machine, TableError> {
        let text = std::str::from_utf8(bytes).or_else(|error| {
            let before = bytes[..error.valid_up_to()].iter();
            let line = 1 + before.filter(|byte| **byte == b'\n').count();
            fail(line, "what is no UTF-8".to_owned())
        })?;
        Machine::from_csv(text, chain)
    }

    /// Reads a table of a chain. The first line is of the state in which a cell starts, the others may stand in any
    /// order; each state needs one for each label.
    ///
    /// # Errors
    /// The first line that is no cell of a table, or that says again what another one says; a table
    /// that lacks a cell (with the last line of that state), a race, or has more than 2^16 - 1 states; a race that one access alone makes, or that does
    /// not stay one.
    pub fn from_csv(text: &str, chain: Chain) -> Result<Machine, TableError> {
        let mut lines = text.lines().map(str::trim).zip(1..).filter(|(line, _)| !line.is_empty());
        let header = match lines.next() {
            Some((HEADER, line)) => line,
            Some((_, line)) => return fail(line, format!("expected `{HEADER}`")),
            None => return fail(1, "the table is empty".to_owned()),
        };
        let mut table = Table { last: header, ..Table::default() };
        for (text, line) in lines {
            table.read(text, line, &chain)?;
        }
        table.machine(chain)
    }

    /// The table: what [`Machine::from_csv`] reads.
    pub fn to_csv(&self) -> String {
        let mut out = format!("{HEADER}\n");
        for (state, name) in (0..).zip(self.names()) {
            for label in self.chain().labels() {
                let sync = self.chain().letter(label.sync, true);
                let relation = self.chain().letter(label.relation, false);
                let next = &self.names()[usize::from(self.next(state, label))];
                let _ =
                    writeln!(out, "{name},{},{sync},{relation},{next}", mode_letter(label.mode));
            }
        }
        out
    }
}

/// What was read of a table.
#[derive(Default)]
struct Table<'t> {
    names: Vec<String>,
    places: HashMap<&'t str, State>,
    /// The next state, and the line that says so.
    cells: HashMap<(State, Label), (usize, &'t str)>,
    /// The last line of each state.
    ends: Vec<usize>,
    last: usize,
}

impl<'t> Table<'t> {
    fn read(&mut self, text: &'t str, line: usize, chain: &Chain) -> Result<(), TableError> {
        self.last = line;
        let [state, mode, sync, relation, next] = text.split(',').collect::<Vec<_>>()[..] else {
            return fail(line, "expected five fields".to_owned());
        };
        for name in [state, next] {
            if !is_name(name) {
                return fail(line, format!("`{name}` is no name of a state"));
            }
        }
        let known = MODES.into_iter().find(|known| mode_letter(*known) == mode);
        let Some(mode) = known else { return fail(line, format!("no access is `{mode}`")) };
        let Some(sync) = chain.level(sync, true) else {
            return fail(line, format!("no barrier is `{sync}`"));
        };
        let Some(relation) = chain.level(relation, false) else {
            return fail(line, format!("no relation is `{relation}`"));
        };
        let fresh = State::try_from(self.names.len());
        let Ok(number) = self.places.get(state).copied().map_or(fresh, Ok) else {
            return fail(line, MANY.to_owned());
        };
        if self.places.insert(state, number).is_none() {
            self.names.push(state.to_owned());
            self.ends.push(line);
        }
        self.ends[usize::from(number)] = line;
        let cell = (number, Label { mode, sync, relation });
        match self.cells.insert(cell, (line, next)) {
            Some((before, _)) => {
                fail(line, format!("line {before} is of the same state and label"))
            }
            None => Ok(()),
        }
    }

    /// The machine, if each state has a cell for each label.
    fn machine(self, chain: Chain) -> Result<Machine, TableError> {
        let Some(race) = self.places.get(RACE).copied() else {
            return fail(self.last, format!("there is no state `{RACE}`"));
        };
        for (state, name) in (0..).zip(&self.names) {
            for label in chain.labels() {
                match self.cells.get(&(state, label)) {
                    None => {
                        let label = chain.show(label);
                        let last = self.ends[usize::from(state)];
                        return fail(last, format!("{name} has no line for {label}"));
                    }
                    Some((line, next)) if !self.places.contains_key(next) => {
                        return fail(*line, format!("no line is of the state `{next}`"));
                    }
                    Some((line, next)) if state == race && *next != RACE => {
                        return fail(*line, "a race stays one".to_owned());
                    }
                    Some((line, RACE)) if state == 0 => {
                        return fail(*line, "one access alone is no race".to_owned());
                    }
                    Some(_) => {}
                }
            }
        }
        let next = |state, label| {
            let next = self.cells.get(&(state, label)).and_then(|(_, next)| self.places.get(next));
            next.copied().unwrap_or(race)
        };
        let machine = Machine::new(chain.clone(), self.names.clone(), race, next);
        machine.map_or_else(|| fail(self.last, MANY.to_owned()), Ok)
    }
}

/// Is it something, and no part of a table that is written in another way: with quotes, or spaces around commas?
fn is_name(name: &str) -> bool {
    let strange = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '"' | '\'' | ';');
    !name.is_empty() && !name.contains(strange)
}

const MANY: &str = "more than 65535 states";

fn fail<T>(line: usize, problem: String) -> Result<T, TableError> {
    Err(TableError { line, problem })
}
