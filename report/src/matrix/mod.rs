//! Histories as matrices: a row for each thread, a column for each cell, phase by phase. What races
//! is marked. Barriers of narrower scopes than the block part a phase into bands.

mod html;
mod svg;
mod text;

pub use html::html;
pub use svg::svg;
pub use text::text;

use crate::history::{Partners, partners, short};
use crate::run::Run;
use babycuda::semantics::vm::Visit;
use babycuda_core::history::{Accesses, Cell, Phase, Place, Stage};
use std::collections::{BTreeMap, BTreeSet};

/// So many threads and cells of a band are shown, those that race first.
const THREADS: usize = 128;
const CELLS: usize = 64;

/// A run, as matrices.
#[derive(Clone, Debug)]
pub struct Matrix {
    title: String,
    phases: Vec<Band>,
    notes: Vec<String>,
}

/// What is between two barriers of a scope.
#[derive(Clone, Debug, Default)]
struct Band {
    heading: String,
    racy: bool,
    columns: Vec<Column>,
    rows: Vec<Row>,
    /// Threads and cells that are not shown.
    hidden: (usize, usize),
    /// Bands of narrower scopes, in the order of their barriers, and what is behind them.
    inner: Vec<Band>,
}

#[derive(Clone, Debug)]
struct Column {
    cell: String,
    racy: bool,
}

#[derive(Clone, Debug)]
struct Row {
    thread: u64,
    entries: Vec<Entry>,
}

/// What a thread did with a cell.
#[derive(Clone, Debug, Default)]
struct Entry {
    /// `r`, `w=5`, `a`; nothing, where it did nothing.
    text: String,
    /// The threads that it races with.
    races: BTreeSet<u64>,
}

impl Entry {
    /// The text, with a mark where there is a race.
    fn marked(&self) -> String {
        let mark = if self.races.is_empty() { "" } else { "!" };
        format!("{}{mark}", self.text)
    }

    /// The race in words.
    fn spoken(&self) -> Option<String> {
        let shown: Vec<String> = self.races.iter().take(4).map(u64::to_string).collect();
        let more = if self.races.len() > 4 { ", …" } else { "" };
        (!shown.is_empty()).then(|| format!("race with thread {}{more}", shown.join(", ")))
    }
}

/// Who did what with which cell.
type Done = BTreeMap<(u64, Cell), Entry>;

fn add(done: &mut Done, thread: u64, cell: &Cell, text: &str, races: Option<&BTreeSet<u64>>) {
    let entry = done.entry((thread, cell.clone())).or_default();
    if !entry.text.is_empty() {
        entry.text.push(' ');
    }
    entry.text.push_str(text);
    entry.races.extend(races.into_iter().flatten());
}

fn accesses(done: &mut Done, place: Place, accesses: &Accesses, partners: &Partners) {
    let thread = place.1;
    let races = |cell: &Cell, mode| partners.get(&(cell.clone(), place, mode));
    for cell in &accesses.reads {
        add(done, thread, cell, "r", races(cell, "rd"));
    }
    for (cell, value) in &accesses.writes {
        let value = short(&value.to_string());
        add(done, thread, cell, &format!("w={value}"), races(cell, "wr"));
    }
    for cell in accesses.atomics.keys() {
        add(done, thread, cell, "a", races(cell, "at"));
    }
}

impl Band {
    fn of(heading: String, done: &Done) -> Band {
        let mut cells: BTreeMap<&Cell, bool> = BTreeMap::new();
        let mut threads: BTreeMap<u64, bool> = BTreeMap::new();
        for ((thread, cell), entry) in done {
            let racy = !entry.races.is_empty();
            *cells.entry(cell).or_default() |= racy;
            *threads.entry(*thread).or_default() |= racy;
        }
        let shown = first(&cells, CELLS);
        let shown_threads = first(&threads, THREADS);
        let hidden = (threads.len() - shown_threads.len(), cells.len() - shown.len());
        let columns =
            shown.iter().map(|(cell, racy)| Column { cell: cell.to_string(), racy: *racy });
        let columns = columns.collect();
        let rows = shown_threads.iter().map(|(thread, _)| {
            let entry = |cell: &Cell| done.get(&(*thread, cell.clone())).cloned();
            let entries = shown.iter().map(|(cell, _)| entry(cell).unwrap_or_default()).collect();
            Row { thread: *thread, entries }
        });
        let racy = cells.values().any(|racy| *racy);
        Band { heading, racy, columns, rows: rows.collect(), hidden, inner: Vec::new() }
    }

    /// What a group did: behind barriers of narrower ones, where there are some.
    fn around(heading: String, inner: Vec<Band>, done: &Done) -> Band {
        if inner.is_empty() {
            return Band::of(heading, done);
        }
        let behind = Band::of("behind these barriers".to_owned(), done);
        let inner: Vec<Band> = inner.into_iter().chain([behind]).collect();
        let racy = inner.iter().any(|band| band.racy);
        Band { heading, racy, inner, ..Band::default() }
    }

    /// What is not shown, in words.
    fn rest(&self) -> Option<String> {
        let (threads, cells) = self.hidden;
        (threads + cells > 0)
            .then(|| format!("not shown: {threads} more threads and {cells} more cells"))
    }
}

/// So many of them, those that race first; in their order.
fn first<K: Ord + Copy>(all: &BTreeMap<K, bool>, most: usize) -> Vec<(K, bool)> {
    let mut some: Vec<(K, bool)> = all.iter().map(|(key, racy)| (*key, *racy)).collect();
    some.sort_by_key(|(key, racy)| (!*racy, *key));
    some.truncate(most);
    some.sort_by_key(|(key, _)| *key);
    some
}

fn phase(number: usize, phase: &Phase) -> Band {
    let partners = partners(phase);
    let verdict = if partners.is_empty() { "DRF" } else { "RACY" };
    let heading = format!("phase {number}: {verdict}");
    let mut parts: Vec<Done> = vec![Done::new(); phase.stages().count() + 1];
    for (place, own) in phase.places() {
        if let Some(done) = parts.get_mut(place.0) {
            accesses(done, place, own, &partners);
        }
    }
    let mut open: Vec<(&Stage, Band)> = Vec::new();
    for (stage, done) in phase.stages().zip(&parts) {
        let within = within(&mut open, stage);
        let (first, last) = (stage.first, stage.end.saturating_sub(1));
        let heading = format!("threads {first} to {last}, up to their barrier");
        open.push((stage, Band::around(heading, within, done)));
    }
    let all = open.into_iter().map(|(_, band)| band).collect();
    let behind = parts.last().unwrap_or(&parts[0]);
    Band { racy: !partners.is_empty(), ..Band::around(heading, all, behind) }
}

/// The bands of narrower groups since the last barrier of this one or of a wider one: they stand in its own.
fn within(open: &mut Vec<(&Stage, Band)>, stage: &Stage) -> Vec<Band> {
    let apart = |other: &Stage| other.end <= stage.first || stage.end <= other.first;
    let narrower = |other: &Stage| {
        stage.first <= other.first
            && other.end <= stage.end
            && (other.first, other.end) != (stage.first, stage.end)
    };
    let bar = open.iter().rposition(|(other, _)| !apart(other) && !narrower(other));
    let start = bar.map_or(0, |bar| bar + 1);
    let (inner, others): (Vec<_>, Vec<_>) =
        open.drain(start..).partition(|(other, _)| narrower(other));
    open.extend(others);
    inner.into_iter().map(|(_, band)| band).collect()
}

fn unfinished(visits: &[Visit]) -> Option<Band> {
    let number = visits.first()?.phase;
    let mut done = Done::new();
    for Visit { thread, mode, cell, written, .. } in visits {
        let text = match (mode.keyword(), written) {
            ("wr", Some(value)) => format!("w={value}"),
            ("wr", None) => "w".to_owned(),
            ("at", _) => "a".to_owned(),
            _ => "r".to_owned(),
        };
        let entry = done.entry((*thread, cell.clone())).or_default();
        if !entry.text.split(' ').any(|known| known == text) {
            add(&mut done, *thread, cell, &text, None);
        }
    }
    Some(Band::of(format!("phase {number}, not completed (its races are not marked)"), &done))
}

impl Matrix {
    /// The history of a run, with how it ends.
    pub fn of(run: &Run) -> Matrix {
        let history = run.observed.outcome.history();
        let mut phases: Vec<Band> = history.chronological().map(|(n, p)| phase(n, p)).collect();
        phases.extend(unfinished(&run.unfinished()));
        Matrix { title: run.heading(), phases, notes: run.closing() }
    }

    /// The same with more to be known beside.
    #[must_use]
    pub fn with_notes(mut self, notes: impl IntoIterator<Item = String>) -> Matrix {
        self.notes.extend(notes);
        self
    }
}

/// What the marks mean.
const LEGEND: &str = "r: reads, w=5: writes 5, a: updates atomically; !: in a race";
