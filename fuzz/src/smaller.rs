//! Disagreements made small: the statements, the launch, `n`, what statements are made of, and the contents of `d`, as long as
//! the answer comes to the same. A race of more than writes of one value stays one: many tools do not report the others.

mod lines;
mod terms;

use crate::evidence::values_differ;
use crate::judge::{Asking, Class, Judged, judge_beside, worst_near};
use crate::kernels::Worst;
use crate::tool::Tool;
use babycuda_campaign::reduce;
use babycuda_core::Launch;
use babycuda_core::launch::Dim3;
use babycuda_validation::scorecard::kernel::Small;
use babycuda_validation::scorecard::truth::cells;
use babycuda_validation::scorecard::{About, Case};
use std::cell::RefCell;
use std::collections::BTreeSet;
use terms::below;

/// A kernel that a tool may be asked about.
struct Candidate {
    case: Case,
    contents: u32,
    worst: Worst,
}

/// The least kernel that is found of which the tool's answer comes to the same, by asking it at most so often.
pub(crate) fn least(
    tool: &dyn Tool,
    case: &Case,
    judged: Judged,
    asking: &Asking,
    steps: usize,
) -> (Case, Judged) {
    let class = judged.class;
    let differ = class == Class::MissedRace && values_differ(case, judged.contents);
    let keeps = |case: &Case, contents| !differ || values_differ(case, contents);
    let first = Candidate { case: case.clone(), contents: judged.contents, worst: Worst::new() };
    let tried = RefCell::new(BTreeSet::from([key(case, judged.contents)]));
    let tried = &tried;
    let smaller = |from: &Candidate| {
        let fits = move |(case, contents): (Case, u32)| {
            let new = tried.borrow_mut().insert(key(&case, contents));
            let fitting = new.then(|| fitting(class, tool, case, contents))??;
            keeps(&fitting.case, fitting.contents).then_some(fitting)
        };
        smaller_than(&from.case, from.contents, tool.about()).filter_map(fits)
    };
    let again = |Candidate { case, contents, worst }: &Candidate| {
        let judged = judge_beside(tool, case, worst, *contents, asking);
        (judged.class == class).then_some(judged)
    };
    let (Candidate { case, .. }, mut judged) = reduce((first, judged), smaller, again, steps);
    let harmful = asking.ignore_benign && class == Class::MissedRace;
    let shows = |contents| {
        let is_same = case.truth(contents) == judged.truth && keeps(&case, contents);
        is_same && (!harmful || case.is_harmful(contents))
    };
    judged.contents = plain_contents(&case, judged.contents, tool.about(), shows);
    (without_parameter(case), judged)
}

/// What tells kernels with their contents apart.
fn key(case: &Case, contents: u32) -> String {
    format!("{:?} {contents} {} {}", case.launch(), case.small.n, case.small)
}

/// With what is true of it, where an answer may come to this class then.
fn fitting(class: Class, tool: &dyn Tool, case: Case, contents: u32) -> Option<Candidate> {
    let worst = Worst::new();
    let Some(wanted) = class.truths(tool.divergence()) else {
        return Some(Candidate { case, contents, worst });
    };
    let (truth, contents) = match tool.about() {
        About::Inputs => *worst.get_or_init(|| worst_near(&case, contents)),
        About::Run => case.truth(contents).map(|truth| (truth, contents)),
    }?;
    wanted.contains(&truth).then_some(Candidate { case, contents, worst })
}

/// The kernels that are a step smaller and are understood, each with the contents of `d` that it is looked at with.
fn smaller_than(
    case: &Case,
    contents: u32,
    about: About,
) -> impl Iterator<Item = (Case, u32)> + use<> {
    let (fragment, launch, small) = (case.fragment, case.launch(), case.small.clone());
    let with = |bodies: Vec<_>| {
        let small = small.clone();
        bodies.into_iter().map(move |body| Small { body, ..small.clone() })
    };
    let fewer = small.smaller().into_iter().chain(with(lines::unrolled(&small.body)));
    let numbers = small.mentions("n").then(|| below(small.n)).into_iter().flatten();
    let numbers = numbers.map({
        let small = small.clone();
        move |n| Small { n, ..small.clone() }
    });
    let simpler = with(lines::smaller(&small.body)).chain(with(lines::moved(&small.body)));
    let at = move |(small, launch)| Case::read_at(fragment, small, launch);
    let kernels = fewer
        .map(move |small| (small, launch))
        .chain(smaller_launches(launch).map(move |launch| (small.clone(), launch)))
        .chain(numbers.chain(simpler).map(move |small| (small, launch)))
        .filter_map(at)
        .map(move |case| (case, contents));
    // Who speaks of all contents is asked about none in particular.
    let runs = about == About::Run && case.depends_on_contents();
    let own = case.clone();
    let others = runs.then(|| smaller_contents(contents)).into_iter().flatten();
    kernels.chain(others.map(move |contents| (own.clone(), contents)))
}

/// Fewer blocks, and fewer threads in them.
fn smaller_launches(launch: Launch) -> impl Iterator<Item = Launch> {
    let some = |extent: Dim3| below(extent.x).filter(|x| *x > 0).map(Dim3::line);
    let grids = some(launch.grid).map(move |grid| Launch { grid, ..launch });
    grids.chain(some(launch.block).map(move |block| Launch { block, ..launch }))
}

/// With a smaller number in one of the cells of `d`.
fn smaller_contents(contents: u32) -> impl Iterator<Item = u32> {
    (0..).zip(cells(contents)).flat_map(move |(index, cell)| {
        below(cell).map(move |less| contents - ((cell - less) << (2 * index)))
    })
}

/// The least contents found that show the same. Those of a run were asked about; elsewhere the tool is not told of any.
fn plain_contents(case: &Case, contents: u32, about: About, shows: impl Fn(u32) -> bool) -> u32 {
    match about {
        _ if !case.depends_on_contents() => 0,
        About::Run => contents,
        About::Inputs => {
            let judge = |contents: &u32| shows(*contents).then_some(());
            reduce((contents, ()), |contents| smaller_contents(*contents), judge, usize::MAX).0
        }
    }
}

/// The kernel with 0 for a parameter that it does not mention.
fn without_parameter(case: Case) -> Case {
    if case.small.mentions("n") {
        return case;
    }
    let small = Small { n: 0, ..case.small.clone() };
    Case::read_at(case.fragment, small, case.launch()).unwrap_or(case)
}
