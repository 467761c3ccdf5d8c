//! Abduction: the weakest simple condition under which a racy kernel is race-free.
//!
//! Launches as people make them are checked one by one, as far as the time allows: each is an example of what the condition
//! should allow or must exclude. Among the sets of candidates that exclude all races known so far, the one that allows most
//! is checked; a race of it is the next example. Where no set is found so, a launch that is race-free is made weaker, part
//! by part.

use super::contents;
use super::samples::{Label, label, smallest};
use super::search::{Search, texts};
use crate::{CheckOptions, Checked};
use babycuda_core::clock::Instant;
use babycuda_core::verdict::Outcome;
use babycuda_core::{Configuration, Program};

/// So many launches are checked by themselves, in a quarter of the time.
const MAX_LAUNCHES: usize = 64;
/// And so many while none of them is race-free.
const MORE_LAUNCHES: usize = 96;
/// Where so many launches are not decided, and more than half of those that were checked, no more of them are.
const SLOW: usize = 4;
/// Where so many launches as people make them were checked and all of them race, and the smallest ones do, too, no
/// condition is looked for.
const HOPELESS: usize = 24;
/// A useful condition allows one realistic launch in so many.
const RARE: usize = 400;

/// What was found out about a racy kernel.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Inferred {
    /// What is to hold for it to be race-free, in C. Together they are checked, and launches as people make them satisfy
    /// them. Empty: none was found.
    pub conditions: Vec<String>,
    /// So many launches as people make them were checked, and all of them race; so do the smallest ones. 0: that is not so.
    pub racy_at: usize,
}

/// What reads a kernel again, with conditions that its user states.
pub type Stated<'a> = dyn Fn(&[String]) -> Option<Vec<Program>> + 'a;

/// Looks for what is to hold for a kernel, which `checked` found racy, to be race-free, in the time of a few questions and
/// no more than a few seconds. The kernel is race-free where all of `programs` are, of which the first one has all that it
/// does. `stated` reads it again: nothing is found that does not make that race-free, too. `examples` are programs of it
/// under launches that somebody makes.
pub fn infer(
    programs: &[Program],
    examples: &[Program],
    checked: &Checked,
    options: &CheckOptions,
    stated: &Stated<'_>,
) -> Inferred {
    let found = |conditions| Inferred { conditions, racy_at: 0 };
    let Some(program) = programs.first() else { return Inferred::default() };
    let mut search = Search::new(program, programs, examples, checked, options, stated);
    if checked.verdict.outcome != Outcome::Racy || search.bad.is_empty() {
        return Inferred::default();
    }
    let contents = contents::matter(checked);
    if contents && let Some(conditions) = search.contents() {
        return found(conditions);
    }
    if let Some(parts) = search.quickly() {
        return found(texts(&parts));
    }
    let launches = search.launches.clone();
    let known = Labelled::of(&launches, &mut search);
    if known.racy >= HOPELESS && known.racy == known.tried {
        let sure = |at| label(programs, at, &search.quick, true) == Label::Racy;
        let sure = || search.bad.iter().rev().take(HOPELESS).all(sure);
        let racy_at = if known.hopeless && !contents && sure() { HOPELESS } else { 0 };
        return Inferred { racy_at, ..Inferred::default() };
    }
    let enough = known.open.len() / RARE;
    let parts = search.sets(&known.free, &known.open, enough);
    let parts = parts.or_else(|| search.weakest(&known.free));
    found(texts(&parts.unwrap_or_default()))
}

/// What is known of launches.
#[derive(Default)]
struct Labelled<'a> {
    free: Vec<&'a Configuration>,
    /// Those that are not decided, or were not checked.
    open: Vec<&'a Configuration>,
    /// How many were checked, and how many of these race.
    tried: usize,
    racy: usize,
    /// Do the smallest ones race, too?
    hopeless: bool,
}

impl<'a> Labelled<'a> {
    /// Checks them as far as that is of use. Those that race are remembered.
    fn of(launches: &'a [Configuration], search: &mut Search<'_>) -> Labelled<'a> {
        let (mut known, begin) = (Labelled::default(), Instant::now());
        for at in launches {
            if known.tried == HOPELESS && known.racy == HOPELESS && !known.hopeless {
                known.hopeless = search.all_race(&smallest(search.program, launches));
            }
            let most = if known.free.is_empty() { MORE_LAUNCHES } else { MAX_LAUNCHES };
            let slow = known.open.len() > SLOW + known.tried / 2;
            let late = begin.elapsed() > search.time / 4;
            if known.hopeless || known.tried >= most || slow || late {
                known.open.push(at);
                continue;
            }
            known.tried += 1;
            match label(search.programs, at, &search.quick, false) {
                Label::Free => known.free.push(at),
                Label::Racy => {
                    known.racy += 1;
                    search.bad.push(at.clone());
                }
                Label::Open => known.open.push(at),
            }
        }
        known
    }
}
