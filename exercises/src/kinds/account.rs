//! An account of a history, as people write it:
//!
//! ```text
//! memory: A[0] = 5, A[1] = 6               what the host stored, where that is asked for
//! phase 0
//!   thread 0: reads A[0], A[1]; writes B[0] = 11
//!   thread 1: nothing                      the same as no line
//! racy: phase 0 B[0]                       one line for each racy cell of a phase; or `racy: none`
//! ends: done                               or `diverged`, or `stuck, thread 1 at A[3]`
//! ```

use crate::grade::{Fault, Place};
use babycuda_core::history::HostMemory;
use babycuda_core::{Accesses, Cell, History, Natural, Phase};
use std::collections::{BTreeMap, BTreeSet};

/// What threads accessed in a phase, each with its line.
type Threads = BTreeMap<u64, (u32, Accesses)>;

/// What was written, with the lines where it stands.
#[derive(Clone, Debug, Default)]
pub(crate) struct Account {
    /// What the host stored.
    pub(crate) memory: HostMemory,
    /// The phases, oldest first: each with its line, and the threads with theirs.
    pub(crate) phases: Vec<(u32, Threads)>,
    /// The racy cells of phases; `None`: nothing is said.
    pub(crate) racy: Option<BTreeSet<(usize, Cell)>>,
    /// The line that says so first.
    pub(crate) racy_line: u32,
    /// How the run ends, with its line.
    pub(crate) ends: Option<(u32, Ends)>,
}

/// How a run ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Ends {
    Done,
    Diverged,
    Stuck(u64, Cell),
}

impl std::fmt::Display for Ends {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Ends::Done => f.write_str("done"),
            Ends::Diverged => f.write_str("diverged"),
            Ends::Stuck(thread, cell) => write!(f, "stuck, thread {thread} at {cell}"),
        }
    }
}

/// The most phases and threads of an account.
const MANY: usize = 256;

/// The lines of a text that say something, with their numbers, from 1.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = (u32, &str)> {
    let lines = (1..).zip(text.lines());
    lines.filter(|(_, line)| !line.trim().is_empty() && !line.trim_start().starts_with("//"))
}

/// A line that cannot be read.
pub(crate) fn unreadable(line: u32, why: impl Into<String>) -> Box<Fault> {
    Fault::refused("the answer can be read", why).at(line)
}

impl Account {
    /// Reads an account.
    ///
    /// # Errors
    /// [`Fault`]: a line is none.
    pub(crate) fn read(text: &str) -> Result<Account, Box<Fault>> {
        let mut account = Account::default();
        for (number, line) in lines(text) {
            let line = line.trim();
            let fail = |why: &str| unreadable(number, format!("`{line}`: {why}"));
            let (head, rest) = line.split_once(':').unwrap_or((line, ""));
            let (word, of) = head.split_once(' ').unwrap_or((head, ""));
            match word {
                "phase" if rest.is_empty() => {
                    if of.trim().parse() != Ok(account.phases.len()) || account.phases.len() >= MANY
                    {
                        return Err(fail(&format!("expected `phase {}`", account.phases.len())));
                    }
                    account.phases.push((number, BTreeMap::new()));
                }
                "thread" => {
                    let thread = of.trim().parse().map_err(|_| fail("expected `thread N: …`"))?;
                    let Some((_, threads)) = account.phases.last_mut() else {
                        return Err(fail("a `phase` must stand before it"));
                    };
                    let accesses = accesses(rest).map_err(|why| fail(&why))?;
                    if threads.insert(thread, (number, accesses)).is_some() {
                        return Err(fail("the thread has a line in this phase already"));
                    }
                }
                "racy" => {
                    if account.racy.is_none() {
                        account.racy_line = number;
                    }
                    let racy = account.racy.get_or_insert_default();
                    if rest.trim() != "none" {
                        racy.insert(racy_cell(rest).map_err(|why| fail(&why))?);
                    }
                }
                "ends" => account.ends = Some((number, ends(rest).map_err(|why| fail(&why))?)),
                "memory" => {
                    for (cell, k) in values(rest).map_err(|why| fail(&why))? {
                        account.memory.set(cell, k);
                    }
                }
                _ => {
                    return Err(fail(
                        "expected `phase N`, `thread N: …`, `racy: …`, `ends: …` or `memory: …`",
                    ));
                }
            }
        }
        Ok(account)
    }

    /// The history.
    pub(crate) fn history(&self) -> History {
        let phase = |threads: &Threads| -> Phase {
            threads.iter().map(|(thread, (_, accesses))| (*thread, accesses.clone())).collect()
        };
        let empty = History::empty(self.memory.clone());
        self.phases.iter().fold(empty, |history, (_, threads)| history.push(phase(threads)))
    }
}

/// `reads A[0], A[1]; writes B[0] = 11`
fn accesses(text: &str) -> Result<Accesses, String> {
    let mut accesses = Accesses::default();
    for part in text.split(';').map(str::trim) {
        match part.split_once(' ').unwrap_or((part, "")) {
            ("nothing", "") => {}
            ("reads", cells) => {
                for text in cells.split(',') {
                    accesses = accesses.read(cell(text)?);
                }
            }
            ("writes", stored) => {
                for (cell, k) in values(stored)? {
                    accesses = accesses.write(cell, k);
                }
            }
            _ => {
                return Err(
                    "expected `reads A[0], A[1]; writes B[0] = 11`, or `nothing`".to_owned()
                );
            }
        }
    }
    Ok(accesses)
}

/// `A[0] = 5, A[1] = 6`
fn values(text: &str) -> Result<Vec<(Cell, Natural)>, String> {
    let value = |text: &str| {
        let (left, right) = text.split_once('=').ok_or("expected `A[0] = 5`")?;
        Ok((cell(left)?, number(right)?))
    };
    text.split(',').map(value).collect()
}

/// A number of at most 100 digits.
pub(crate) fn number(text: &str) -> Result<Natural, String> {
    let text = text.trim();
    let digits = (1..=100).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    let number = if digits { text.parse().ok() } else { None };
    number.ok_or_else(|| format!("`{text}` is not a number"))
}

/// `A[0]`
pub(crate) fn cell(text: &str) -> Result<Cell, String> {
    let text = text.trim();
    if text.len() > 200 {
        return Err("a cell of so many letters".to_owned());
    }
    let (array, index) = text.split_once('[').unwrap_or(("", text));
    let name = array.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.');
    match text.parse::<Cell>() {
        Ok(cell) if name && !array.is_empty() && !index.is_empty() => Ok(cell),
        _ => Err(format!("`{text}` is not a cell, such as `A[0]`")),
    }
}

/// `phase 0 A[1]`
fn racy_cell(text: &str) -> Result<(usize, Cell), String> {
    let wrong = "expected `racy: none`, or `racy: phase 0 A[1]`";
    let rest = text.trim().strip_prefix("phase ").ok_or(wrong)?;
    let (phase, of) = rest.split_once(' ').ok_or(wrong)?;
    Ok((phase.parse().map_err(|_| wrong)?, cell(of)?))
}

/// `done`, `diverged`, or `stuck, thread 1 at A[3]`
fn ends(text: &str) -> Result<Ends, String> {
    let wrong = "expected `done`, `diverged`, or `stuck, thread 1 at A[3]`";
    match text.trim() {
        "done" => Ok(Ends::Done),
        "diverged" => Ok(Ends::Diverged),
        text => {
            let rest = text.strip_prefix("stuck, thread ").ok_or(wrong)?;
            let (thread, at) = rest.split_once(" at ").ok_or(wrong)?;
            Ok(Ends::Stuck(thread.parse().map_err(|_| wrong)?, cell(at)?))
        }
    }
}

/// Where the accesses of a thread stand in an account; where they do not, its phase.
pub(crate) fn place(account: &Account, phase: usize, thread: u64) -> Option<Place> {
    let (line, threads) = account.phases.get(phase)?;
    Some(threads.get(&thread).map_or(*line, |(line, _)| *line).into())
}
