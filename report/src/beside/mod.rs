//! A run beside its source: the program on the left, and at each line what threads have read and written since the
//! last barrier, phase by phase; as Aquascope shows the permissions of Rust programs.

mod html;
mod source;
mod svg;
mod text;

pub use html::html;
pub use svg::svg;
pub use text::text;

use crate::history::{Partners, partners, short};
use crate::names;
use crate::run::Run;
use babycuda::semantics::vm::Visit;
use babycuda::semantics::{Reason, Stuck};
use babycuda_core::history::{Cell, Phase};
use babycuda_core::{Declarations, Natural};
use source::Source;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// So many threads are shown at most, those that race first.
const THREADS: usize = 8;
/// So many accesses of a thread at a line, the last ones.
const ACCESSES: usize = 6;

/// A run beside its source.
#[derive(Clone, Debug)]
pub struct Beside {
    title: String,
    /// The threads that may be shown, and how many others made accesses.
    threads: Vec<u64>,
    hidden: usize,
    /// Their places, those first that race.
    order: Vec<usize>,
    phases: Vec<Part>,
    notes: Vec<String>,
}

/// The lines that run in a phase.
#[derive(Clone, Debug)]
struct Part {
    heading: String,
    racy: bool,
    lines: Vec<Line>,
}

#[derive(Clone, Debug)]
struct Line {
    number: usize,
    text: String,
    /// What each thread that is shown did so far.
    so_far: Vec<SoFar>,
}

/// What a thread did in the phase up to its last access on a line; nothing, where it made none there.
#[derive(Clone, Debug, Default)]
struct SoFar {
    /// Accesses that are not shown, and does one of them race?
    before: usize,
    racy_before: bool,
    done: Vec<Done>,
}

#[derive(Clone, Debug)]
struct Done {
    /// `r A[1]`, `w A[1]=5`, `a A[1]`
    text: String,
    racy: bool,
    /// Is it made by this line?
    here: bool,
}

impl Done {
    /// The text, with a mark where there is a race, and one where the line made it.
    fn marked(&self) -> String {
        let here = if self.here { "+" } else { "" };
        let racy = if self.racy { "!" } else { "" };
        format!("{here}{}{racy}", self.text)
    }
}

impl SoFar {
    /// What was done; those of the line stand last. Where there are many, those of the line are kept, then those that
    /// race, then the last ones.
    fn of(done: &[Done], racy: &BTreeSet<usize>, here: &BTreeSet<usize>) -> SoFar {
        // The last ones of each kind are enough to choose from.
        let last = |places: &BTreeSet<usize>| places.iter().rev().take(ACCESSES).copied().collect();
        let both: BTreeSet<usize> = here.intersection(racy).copied().collect();
        let ends: Vec<usize> = (0..done.len()).rev().take(ACCESSES).collect();
        let kinds: [Vec<usize>; 4] = [last(&both), last(here), last(racy), ends];
        let (own, earlier): (BTreeSet<usize>, BTreeSet<usize>) =
            kinds.into_iter().flatten().partition(|n| here.contains(n));
        let before = done.len() - own.len() - earlier.len();
        let racy_before = racy.iter().any(|n| !own.contains(n) && !earlier.contains(n));
        let earlier = earlier.iter().map(|n| done[*n].clone());
        let own = own.iter().map(|n| Done { here: true, ..done[*n].clone() });
        SoFar { before, racy_before, done: earlier.chain(own).collect() }.at_most(ACCESSES)
    }

    fn at_most(mut self, most: usize) -> SoFar {
        let mut order: Vec<usize> = (0..self.done.len()).collect();
        order.sort_by_key(|n| (!self.done[*n].here, !self.done[*n].racy, Reverse(*n)));
        let left_out: BTreeSet<usize> = order.into_iter().skip(most).collect();
        self.before += left_out.len();
        self.racy_before |= left_out.iter().any(|n| self.done[*n].racy);
        let kept = self.done.into_iter().enumerate().filter(|(n, _)| !left_out.contains(n));
        SoFar { done: kept.map(|(_, done)| done).collect(), ..self }
    }

    /// What is not shown, in words.
    fn more(&self) -> Option<String> {
        let mark = if self.racy_before { "!" } else { "" };
        (self.before > 0).then(|| format!("{} more{mark}", self.before))
    }

    fn marked(&self) -> String {
        let all: Vec<String> =
            self.more().into_iter().chain(self.done.iter().map(Done::marked)).collect();
        all.join("  ")
    }

    /// The same in so many columns, where that is possible.
    fn marked_within(&self, columns: usize) -> String {
        let fits = |most: &usize| self.clone().at_most(*most).marked().chars().count() <= columns;
        let most = (2..=self.done.len()).rev().find(fits).unwrap_or(1);
        self.clone().at_most(most).marked()
    }
}

/// What the marks mean.
const LEGEND: &str = "r: read, w=5: wrote 5, a: updated atomically, since the last barrier; +: on this line, !: in a race";

/// The accesses of a phase.
struct Visited<'a> {
    declarations: &'a Declarations,
    visits: Vec<&'a Visit>,
    phase: Option<&'a Phase>,
    partners: Partners,
}

impl Visited<'_> {
    fn races(&self, visit: &Visit) -> bool {
        let Some(phase) = self.phase else { return false };
        let stage = phase.stage(visit.passed, visit.thread);
        let access = (visit.cell.clone(), (stage, visit.thread), visit.mode.keyword());
        self.partners.contains_key(&access)
    }

    /// What a thread did up to its last access on each line.
    fn so_far(
        &self,
        source: &Source,
        thread: u64,
        stuck: Option<&Stuck>,
    ) -> BTreeMap<usize, SoFar> {
        let own: Vec<&Visit> = self.visits.iter().copied().filter(|v| v.thread == thread).collect();
        let line = |visit: &Visit| source.at.get(&visit.site).copied();
        let last: BTreeMap<Option<usize>, usize> =
            own.iter().enumerate().map(|(n, visit)| (line(visit), n)).collect();
        let mut done: Vec<Done> = Vec::new();
        let mut places: BTreeMap<(&str, &Cell), usize> = BTreeMap::new();
        // Which of them each line made.
        let mut made: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        let mut racy_places = BTreeSet::new();
        let mut so_far = BTreeMap::new();
        for (n, visit) in own.iter().enumerate() {
            let next = done.len();
            let place = *places.entry((visit.mode.keyword(), &visit.cell)).or_insert(next);
            let racy = self.races(visit) || done.get(place).is_some_and(|before| before.racy);
            if racy {
                racy_places.insert(place);
            }
            let now = Done { text: self.text(visit), racy, here: false };
            match done.get_mut(place) {
                Some(before) => *before = now,
                None => done.push(now),
            }
            let Some(line) = line(visit) else { continue };
            let here = made.entry(line).or_default();
            here.insert(place);
            if last.get(&Some(line)) == Some(&n) {
                so_far.insert(line, SoFar::of(&done, &racy_places, here));
            }
        }
        // The access that was not made.
        let stuck = stuck.filter(|stuck| stuck.thread == thread);
        let line = stuck.and_then(|stuck| source.at.get(&stuck.site?));
        if let (Some(stuck), Some(line)) = (stuck, line) {
            let text = match &stuck.reason {
                Reason::Undefined { cell } => {
                    format!("stuck at r {}", names::cell(self.declarations, cell))
                }
                _ => "stuck".to_owned(),
            };
            let nothing = BTreeSet::new();
            let here = made.get(line).unwrap_or(&nothing);
            let of_line =
                so_far.entry(*line).or_insert_with(|| SoFar::of(&done, &racy_places, here));
            of_line.done.push(Done { text, racy: false, here: true });
        }
        so_far
    }

    fn text(&self, visit: &Visit) -> String {
        let Visit { mode, cell, written, .. } = visit;
        let name = names::cell(self.declarations, cell);
        let stored = |k: &Natural| self.declarations.read_content(&cell.array, k).to_string();
        let value = written.as_ref().map(stored).unwrap_or_default();
        let value = short(&value);
        match mode.keyword() {
            "wr" => format!("w {name}={value}"),
            "at" => format!("a {name}"),
            _ => format!("r {name}"),
        }
    }
}

impl Beside {
    /// A run beside the text that its program was read from.
    pub fn of(run: &Run, text: &str) -> Beside {
        let declarations: &Declarations = &run.instance.program;
        let source = Source::of(&run.instance.program, text);
        let (visits, all) = babycuda::visits(&run.instance, &run.chosen.options());
        let history = run.observed.outcome.history();
        let mut by_phase: BTreeMap<usize, Visited<'_>> = BTreeMap::new();
        for (number, phase) in history.chronological() {
            let partners = partners(phase);
            let visits = Vec::new();
            by_phase.insert(number, Visited { declarations, visits, phase: Some(phase), partners });
        }
        for visit in visits.iter().filter(|v| names::is_named(declarations, &v.cell.array)) {
            let (visits, partners) = (Vec::new(), Partners::new());
            let open = || Visited { declarations, visits, phase: None, partners };
            by_phase.entry(visit.phase).or_insert_with(open).visits.push(visit);
        }
        let stuck = run.observed.outcome.stuck();
        let (threads, order, hidden) = threads(&by_phase, stuck.map(|stuck| stuck.thread));
        let parts = ranges(&source, &by_phase);
        let parts = by_phase.iter().zip(parts).map(|((number, visited), range)| {
            let racy = !visited.partners.is_empty();
            let heading = match (visited.phase, racy) {
                (None, _) => format!("phase {number}, not completed (its races are not marked)"),
                (Some(_), true) => format!("phase {number}: RACY"),
                (Some(_), false) => format!("phase {number}: DRF"),
            };
            let here = stuck.filter(|stuck| stuck.phase == *number);
            let columns: Vec<_> =
                threads.iter().map(|i| visited.so_far(&source, *i, here)).collect();
            let line = |n: usize| Line {
                number: n + 1,
                text: source.lines.get(n).cloned().unwrap_or_default(),
                so_far: columns
                    .iter()
                    .map(|own| own.get(&n).cloned().unwrap_or_default())
                    .collect(),
            };
            Part { heading, racy, lines: range.map(line).collect() }
        });
        let phases = parts.collect();
        let cut = (!all).then(|| format!("only the first {} accesses are shown", visits.len()));
        let notes = cut.into_iter().chain(run.closing()).collect();
        Beside { title: run.heading(), threads, hidden, order, phases, notes }
    }

    /// The same with more to be known beside.
    #[must_use]
    pub fn with_notes(mut self, notes: impl IntoIterator<Item = String>) -> Beside {
        self.notes.extend(notes);
        self
    }

    /// The places of the threads that are shown, those first that race, as long as they fit; one at least.
    fn shown(&self, mut fits: impl FnMut(usize) -> bool) -> Vec<usize> {
        let order = self.order.iter().enumerate();
        let shown = order.take_while(|(n, place)| fits(**place) || *n == 0);
        let mut shown: Vec<usize> = shown.map(|(_, place)| *place).collect();
        shown.sort_unstable();
        shown
    }

    /// What is not shown of so many threads, in words.
    fn rest(&self, shown: usize) -> Option<String> {
        let hidden = self.hidden + self.threads.len() - shown;
        (hidden > 0).then(|| format!("not shown: {hidden} more threads"))
    }
}

/// The threads that may be shown; their places, those first that race with each other or are stuck; and how many others
/// there are.
fn threads(
    phases: &BTreeMap<usize, Visited<'_>>,
    stuck: Option<u64>,
) -> (Vec<u64>, Vec<usize>, usize) {
    let mut first: Vec<u64> = stuck.into_iter().collect();
    let partners = phases.values().flat_map(|visited| &visited.partners);
    for ((_, (_, thread), _), others) in partners {
        first.extend([Some(*thread), others.first().copied()].into_iter().flatten());
    }
    // Where accesses are too many, the history has threads that none of those listed is of.
    let made = |visited: &Visited<'_>| -> Vec<u64> {
        let listed = visited.visits.iter().map(|visit| visit.thread);
        listed.chain(visited.phase.iter().flat_map(|p| p.threads().map(|(i, _)| i))).collect()
    };
    let all: BTreeSet<u64> = phases.values().flat_map(made).collect();
    let mut known = BTreeSet::new();
    let ranked = first.into_iter().chain(all.iter().copied());
    let ranked: Vec<u64> = ranked.filter(|thread| known.insert(*thread)).take(THREADS).collect();
    let mut some = ranked.clone();
    some.sort_unstable();
    let order = ranked.iter().filter_map(|thread| some.binary_search(thread).ok()).collect();
    let hidden = all.iter().filter(|thread| some.binary_search(thread).is_err()).count();
    (some, order, hidden)
}

/// The text, or its first characters and `…`.
fn cut(text: &str, most: usize) -> String {
    match text.chars().count() > most {
        true => text.chars().take(most.saturating_sub(1)).chain(['…']).collect(),
        false => text.to_owned(),
    }
}

/// The lines of each phase: those that make its accesses, and what stands between them and the next one's.
fn ranges(source: &Source, phases: &BTreeMap<usize, Visited<'_>>) -> Vec<std::ops::Range<usize>> {
    let of = |visited: &Visited<'_>| {
        let lines = visited.visits.iter().filter_map(|visit| source.at.get(&visit.site).copied());
        let lines: BTreeSet<usize> = lines.collect();
        Some((*lines.first()?, *lines.last()?))
    };
    let used: Vec<Option<(usize, usize)>> = phases.values().map(of).collect();
    let mut next = source.first;
    let count = used.len();
    let range = |(n, used_by): (usize, &Option<(usize, usize)>)| {
        // A phase without accesses has the lines up to the next one's.
        let (first, last) = used_by.unwrap_or((next, next));
        let start = if first >= next { next } else { first };
        let later = used.iter().skip(n + 1).flatten().next();
        let end = match later {
            None if n + 1 == count => source.last + 1,
            Some((later, _)) if *later > last && used_by.is_some() => *later,
            _ => last + 1,
        };
        next = end;
        start..end.min(source.lines.len()).max(start)
    };
    used.iter().enumerate().map(range).collect()
}
