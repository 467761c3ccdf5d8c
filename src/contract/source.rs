//! The contract that the launches of a kernel's own file are.

use super::{Contract, Launched};
use crate::{CheckOptions, Checked, check};
use babycuda_core::verdict::Outcome;
use babycuda_core::{Budget, Program};
use babycuda_frontend::Options;
use babycuda_frontend::launches::LaunchSite;
use std::collections::BTreeSet;

/// So many different launches of a kernel are checked; of more, nothing is said.
const MAX_LAUNCHES: usize = 24;

/// The verdict on a kernel as its own file launches it, where `checked` finds it other than race-free: of each launch by
/// itself. Where it is race-free, of those launches that have threads or blocks in dimensions that the kernel does not
/// mention, or pass one pointer twice: `checked` says nothing of them.
///
/// Where every launch is race-free, so is the kernel under the contract, and [`Contract::without`] says what holds
/// without it. Where one is racy, its races are reported; where one is not decided, the verdict is what it was. All of it
/// has the time of one question. Also the program under the launch that is racy.
pub fn from_source(
    checked: Checked,
    kernel: &babycuda_frontend::Kernel,
    sites: &[LaunchSite],
    source: &str,
    read: &Options,
    options: &CheckOptions,
) -> (Checked, Option<Program>) {
    let mut mine: Vec<&LaunchSite> = sites.iter().filter(|site| site.is_of(kernel)).collect();
    let race_free = checked.verdict.outcome == Outcome::Drf;
    let mut checked = checked;
    if race_free {
        let unknown: Vec<&LaunchSite> =
            mine.iter().copied().filter(|site| site.unknown.is_some()).collect();
        if let Some(site) = unknown.first()
            && let Some(why) = &site.unknown
        {
            let more = match unknown.len() {
                1 => String::new(),
                n => format!(" (nor {} more)", n - 1),
            };
            checked.remarks.push(format!(
                "the launch at {} is not understood{more}: {why}; it is taken to have the extent 1 in dimensions that the \
                 kernel does not mention, and to pass no pointer twice",
                site.span
            ));
        }
        let geometry = &checked.declarations.geometry;
        let open = |site: &&&LaunchSite| {
            site.unknown.is_none() && site.may_exceed(geometry, &read.settings)
        };
        checked.remarks.extend(mine.iter().find(open).map(|site| {
            format!(
                "the launch at {} may have extents that are not read here: 1 is meant",
                site.span
            )
        }));
        mine.retain(|site| {
            let exceeds = || site.exceeds(&checked.declarations.geometry, &read.settings);
            site.unknown.is_none() && (exceeds() || site.repeats(kernel))
        });
    }
    if mine.is_empty() {
        return (checked, None);
    }
    let budget = Budget::time(options.budget.at_most(options.timeout));
    let options = CheckOptions { budget, ..options.clone() };
    let mut launches: Vec<Launched> = Vec::new();
    let mut programs: Vec<Program> = Vec::new();
    let mut granted: Vec<Checked> = Vec::new();
    let mut racy: Option<(Launched, Checked, Program)> = None;
    let mut open = Vec::new();
    for site in mine {
        if let Some(why) = &site.unknown {
            open.push(format!("the launch at {} is not understood: {why}", site.span));
            continue;
        }
        let translated = budget.within(|| site.under(kernel, source, read));
        let Ok(Some(under)) = translated else {
            open.push(format!("the kernel cannot be read as launched at {}", site.span));
            continue;
        };
        let same = |known: &Program| {
            (&known.assumptions, &known.params, &known.geometry)
                == (&under.program.assumptions, &under.program.params, &under.program.geometry)
        };
        if let Some(i) = programs.iter().position(same) {
            let again = Launched { span: site.span, ..launches[i].clone() };
            programs.push(programs[i].clone());
            launches.push(again);
            continue;
        }
        if launches.len() >= MAX_LAUNCHES {
            open.push(format!("more than {MAX_LAUNCHES} launches"));
            break;
        }
        if let Some([one, other]) = &under.overlapping {
            open.push(format!("`{one}` and `{other}` may overlap in the launch at {}", site.span));
            continue;
        }
        let Ok(found) = check(&under.program, &options) else {
            open.push(format!("the kernel cannot be checked as launched at {}", site.span));
            continue;
        };
        #[cfg(feature = "runs")]
        let found = match &kernel.tree {
            Some(tree) => crate::run_potential(tree, source, &under.program, found, &options),
            None => found,
        };
        let outcome = found.verdict.outcome.clone();
        let (conditions, program) = (under.conditions, under.program);
        let launched = Launched { span: site.span, conditions, exact: under.exact, outcome };
        match &found.verdict.outcome {
            // It does not happen as the command line has it.
            Outcome::Unknown(why) if why.starts_with("vacuous") => continue,
            // Where the kernel is race-free anyway, it has been said.
            Outcome::Drf
                if !race_free
                    && site.may_exceed(&checked.declarations.geometry, &read.settings) =>
            {
                open.push(format!(
                    "race-free as launched at {} if extents that are not read there are 1",
                    site.span
                ));
            }
            Outcome::Drf => granted.push(found),
            Outcome::Racy | Outcome::Divergent => {
                let worse = racy.as_ref().is_none_or(|(known, ..)| launched.exact && !known.exact);
                if worse {
                    racy = Some((launched.clone(), found, program.clone()));
                }
            }
            Outcome::Unknown(why) => {
                open.push(format!("as launched at {}: {why}", site.span));
            }
        }
        launches.push(launched);
        programs.push(program);
    }
    if let Some((first, found, program)) = racy {
        let place = |launched: &Launched| launched.span != first.span;
        launches.sort_by_key(place);
        let said = match first.exact {
            true => format!("{} as launched at {}", first.outcome.word(), first.span),
            false => {
                format!("{} as the launch at {} allows", first.outcome.word(), first.span)
            }
        };
        // Other launches may have other races.
        let all_races = found.all_races && launches.len() == 1 && open.is_empty();
        let contract = Some(Contract { launches, ..Contract::default() });
        let mut remarks = vec![said];
        remarks.extend(found.remarks);
        return (Checked { contract, remarks, all_races, ..found }, Some(program));
    }
    if race_free {
        if !open.is_empty() {
            checked.verdict.outcome = Outcome::Unknown(open.join("; "));
            let meant = "race-free where a dimension that the kernel does not mention has extent 1, and pointers do not \
                overlap";
            checked.remarks.push(meant.to_owned());
        }
        return (checked, None);
    }
    if !open.is_empty() || granted.is_empty() {
        checked.remarks.extend(open);
        return (checked, None);
    }
    let mut overflows = Vec::new();
    for found in &granted {
        overflows.extend(found.verdict.scope.iter().flat_map(|s| s.no_overflow_at.clone()));
    }
    let places: Vec<String> = launches.iter().map(|l| l.span.to_string()).collect();
    let said = format!("a launch as at {}", places.join(", "));
    let without = checked.verdict.clone();
    let scope = &mut checked.verdict.scope;
    if let Some(scope) = scope {
        overflows.extend(scope.no_overflow_at.iter().copied());
        overflows.sort_by_key(|span| (span.line, span.column));
        overflows.dedup();
        scope.no_overflow_at = overflows;
        scope.grid = Some(std::array::from_fn(|d| {
            let scopes =
                granted.iter().filter_map(|found| found.verdict.scope.as_ref()?.grid.as_ref());
            let extents: BTreeSet<&str> = scopes.map(|grid| grid[d].as_str()).collect();
            extents.into_iter().collect::<Vec<_>>().join(" or ")
        }));
        for found in &granted {
            let other = found.verdict.scope.iter().flat_map(|s| s.ordered_updates.clone());
            scope.ordered_updates.extend(other);
        }
        scope.assumptions.push(said);
    }
    checked.verdict.outcome = Outcome::Drf;
    checked.verdict.races.clear();
    checked.verdict.divergences.clear();
    checked.verdict.method = granted.remove(0).verdict.method;
    checked.contract =
        Some(Contract { launches, without: Some(Box::new(without)), ..Contract::default() });
    (checked, None)
}
