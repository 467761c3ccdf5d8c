//! Suggestions: edits of the source after which a racy kernel is race-free. Each is applied to a copy and
//! checked before it is made.
//!
//! | module | contents |
//! |---|---|
//! | `patch` | edits of a text |
//! | `layout` | statements and blocks of a text, as far as edits need them |
//! | `candidates` | what may repair a race: barriers, atomic updates, a guard |

mod candidates;
mod layout;
mod patch;

pub use patch::{Edit, Fix};

use crate::Checked;
use babycuda_core::evidence::{Certainty, Report, Witness};
use babycuda_core::verdict::Outcome;
use babycuda_core::{Budget, Configuration, Site};
use candidates::Race;
use patch::Patch;

/// What a source is written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    /// CUDA C.
    Cuda,
    /// OpenCL C.
    OpenCl,
    /// BabyCUDA.
    BabyCuda,
}

/// More edits are no suggestion but another kernel.
const MAX_EDITS: usize = 3;

/// So many candidates are looked at for one race.
const MAX_CANDIDATES: usize = 24;

/// The likeliest edit is checked at so many launches of known races before it is checked as a whole.
const MAX_KNOWN: usize = 4;

/// After each edit, so many candidates are checked as a whole.
const MAX_WHOLE: usize = 3;

/// How far to look.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Search {
    /// The likeliest edit alone, which is checked once: as much work as the verdict was, or less.
    First,
    /// Every edit, and several together.
    All,
}

/// What a changed text is judged by.
pub trait Judge {
    /// The verdict on the kernel in this text, at the launch and parameters of a witness, or where there is none in
    /// the whole scope of the first verdict. `None`: the text cannot be read, another kernel of it has changed, or time
    /// is over.
    fn judge(&mut self, text: &str, at: Option<&Configuration>) -> Option<Checked>;
}

/// The fewest edits of `text` that were found after which the kernel is race-free, as a whole and with no
/// divergence. `None`: none was found within `budget`, or the kernel is not racy.
pub fn repair(
    text: &str,
    language: Language,
    checked: &Checked,
    judge: &mut dyn Judge,
    (search, budget): (Search, &Budget),
) -> Option<Fix> {
    if checked.verdict.outcome != Outcome::Racy {
        return None;
    }
    if search == Search::First {
        let (_, race) = first_race(checked, text, &Patch::default(), language)?;
        let candidate = candidates::of(text, &race).into_iter().next()?;
        let patch = Patch::default().with(&candidate.edits)?;
        let changed = patch.apply(text);
        // Most edits that are no repair leave one of the races that are known.
        let sure = checked.verdict.races.iter().filter(is_sure);
        let mut known: Vec<&Configuration> = sure.map(|race| &race.configuration).collect();
        known.dedup_by_key(|at| (at.launch, &at.parameters));
        for at in known.into_iter().take(MAX_KNOWN) {
            let remains = |found: Checked| {
                matches!(found.verdict.outcome, Outcome::Racy | Outcome::Divergent)
            };
            if judge.judge(&changed, Some(at)).is_some_and(remains) {
                return None;
            }
        }
        let whole = judge.judge(&changed, None)?;
        let fits = whole.verdict.outcome == Outcome::Drf;
        return fits.then(|| patch.fix(text, vec![candidate.title]));
    }
    let mut patch = Patch::default();
    let mut current = checked.clone();
    let mut titles: Vec<String> = Vec::new();
    while titles.len() < MAX_EDITS {
        let (report, race) = first_race(&current, text, &patch, language)?;
        let mut wholes: Vec<(usize, Patch, String, Checked)> = Vec::new();
        for candidate in candidates::of(text, &race).into_iter().take(MAX_CANDIDATES) {
            budget.check().ok()?;
            let Some(next) = patch.with(&candidate.edits) else { continue };
            let changed = next.apply(text);
            let Some(quick) = judge.judge(&changed, Some(&report.configuration)) else { continue };
            // A race that is still there, or a divergence, is enough to see that this is no repair.
            if !is_better(&quick, &report, &current) {
                continue;
            }
            let Some(whole) = judge.judge(&changed, None) else { continue };
            match whole.verdict.outcome {
                Outcome::Drf => {
                    titles.push(candidate.title);
                    return Some(smallest(text, next, titles, judge));
                }
                Outcome::Racy if whole.verdict.divergences.is_empty() => {
                    wholes.push((whole.verdict.races.len(), next, candidate.title, whole));
                }
                _ => {}
            }
            if wholes.len() >= MAX_WHOLE {
                break;
            }
        }
        let best = wholes.into_iter().min_by_key(|(races, ..)| *races)?;
        let (_, next, title, whole) = best;
        (patch, current) = (next, whole);
        titles.push(title);
    }
    None
}

fn is_sure(report: &&Report<Witness>) -> bool {
    report.certainty != Certainty::Potential
}

/// The first race of a verdict that is sure, with the witness that shows it and where it stands in the text before the
/// patch.
fn first_race(
    checked: &Checked,
    text: &str,
    patch: &Patch,
    language: Language,
) -> Option<(Report<Witness>, Race)> {
    let report = checked.verdict.races.iter().find(is_sure)?;
    let declarations = &checked.declarations;
    let span = |site: Site| {
        let span = declarations.sources.spans.get(&site)?;
        let (start, end) = (patch.original(span.start), patch.original(span.end));
        (start < end && text.is_char_boundary(start) && text.is_char_boundary(end))
            .then_some(start..end)
    };
    let race = Race {
        language,
        spans: [span(report.first.site)?, span(report.second.site)?],
        modes: [report.first.mode, report.second.mode],
        array: report.cell.array.clone(),
        element: declarations.array(&report.cell.array)?.element,
        same_block: report.same_block(),
        block: declarations.geometry.block,
        params: declarations.params.iter().map(|p| p.name.to_string()).collect(),
    };
    Some((report.clone(), race))
}

/// Is the race gone at the launch of its witness, with no divergence?
fn is_better(quick: &Checked, race: &Report<Witness>, before: &Checked) -> bool {
    if !quick.verdict.divergences.is_empty() {
        return false;
    }
    let place = |checked: &Checked, report: &Report<Witness>| {
        let spans = &checked.declarations.sources.spans;
        let place = |site: Site| spans.get(&site).map(|at| at.end - at.start);
        let mut sides = [&report.first, &report.second].map(|s| (place(s.site), s.mode));
        sides.sort();
        (report.cell.array.clone(), sides)
    };
    let known = place(before, race);
    // Edits move places, and keep what an access is written as: another race of the same kind may be taken for
    // this one, which then is a candidate less.
    let remains = quick.verdict.races.iter().filter(|r| place(quick, r) == known).count();
    let had = before.verdict.races.iter().filter(|r| place(before, r) == known).count();
    remains < had
}

/// The patch without the edits that are not needed.
fn smallest(text: &str, patch: Patch, titles: Vec<String>, judge: &mut dyn Judge) -> Fix {
    let (mut patch, mut titles) = (patch, titles);
    let mut at = 0;
    while titles.len() > 1 && at < titles.len() {
        let fewer = patch.without(at);
        let whole = judge.judge(&fewer.apply(text), None);
        if whole.is_some_and(|whole| whole.verdict.outcome == Outcome::Drf) {
            patch = fewer;
            titles.remove(at);
        } else {
            at += 1;
        }
    }
    patch.fix(text, titles)
}
