//! Random kernels, translated by the front end and run by the semantics, against the same kernels
//! compiled by the system's C++ compiler, in which every access of an array is logged.
//!
//! `BABYCUDA_CASES` sets how many kernels, `BABYCUDA_SEED` the first seed.

mod boxed;
mod build;
mod case;
mod compare;
mod dialect;
mod features;
mod generate;
mod interpret;
mod known;
mod layout;
mod log;
mod opencl;
mod parsers;
mod possible;
mod seen;
mod shrink;
mod syntax;
mod wide;

use babycuda_campaign::{Plan, State, merge_fields, setting};
use babycuda_frontend::Overflow;
use babycuda_testkit::Distribution;
use case::{Case, Setting, VIEWS, View};
use compare::{Verdict, compare, translate};
use log::End;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// What each comparison of a case comes to: in each setting, each view.
fn verdicts<'a>(
    case: &'a Case,
    outcome: &'a build::Outcome,
) -> impl Iterator<Item = (View, &'a Setting, Verdict)> {
    let settings = case.settings.iter().zip(outcome);
    settings.flat_map(move |(setting, runs)| {
        VIEWS.into_iter().map(move |view| {
            let verdict = match translate(case, view, setting) {
                Ok(program) => compare(case, &program, setting, runs),
                Err(verdict) => verdict,
            };
            (view, setting, verdict)
        })
    })
}

/// The first difference of a case, in any view and setting.
fn difference(case: &Case, outcome: &build::Outcome) -> Option<String> {
    verdicts(case, outcome).find_map(|(view, setting, verdict)| match verdict {
        Verdict::Different(text) => Some(format!("{view:?}, {setting:?}: {text}")),
        _ => None,
    })
}

#[test]
fn kernels_do_what_their_translations_do() {
    if babycuda_testkit::tools::has_cxx() {
        known_kernels();
        random_kernels();
        build::clean();
    }
}

fn known_kernels() {
    let mut wrong = 0;
    for overflow in [Overflow::Wrap, Overflow::AssumeNone] {
        let cases: Vec<Case> =
            known::cases().into_iter().map(|case| Case { overflow, ..case }).collect();
        let outcomes = build::run(&cases).expect("compiled");
        for (case, outcome) in cases.iter().zip(&outcomes) {
            for (view, _, verdict) in verdicts(case, outcome) {
                if verdict != Verdict::Equal {
                    wrong += 1;
                    println!("{case}{overflow:?}, {view:?}: {verdict:?}\n");
                }
            }
        }
    }
    assert_eq!(wrong, 0);
}

/// What the comparisons came to.
#[derive(Default)]
struct Tally {
    seen: Distribution,
    /// The seeds of each construct that was not supported.
    unsupported: BTreeMap<String, Vec<u64>>,
    failures: Vec<(Case, String)>,
}

merge_fields!(Tally { seen, unsupported, failures });

/// Compares the cases of these seeds, of each kind of overflow in one program.
fn batch(seeds: std::ops::Range<u64>) -> Tally {
    let mut tally = Tally::default();
    for overflow in [Overflow::Wrap, Overflow::AssumeNone] {
        let of_kind = seeds.clone().filter(|seed| generate::overflow(*seed) == overflow);
        compare_all(of_kind.map(generate::case).collect(), &mut tally);
    }
    tally
}

/// Compares the cases, in one program.
fn compare_all(cases: Vec<Case>, tally: &mut Tally) {
    let outcomes = build::run(&cases).unwrap_or_else(|e| {
        // The compiler names a file by its case's seed.
        let wrong = cases.iter().find(|case| e.starts_with(&format!("{}: ", case.seed)));
        panic!("{}\n{e}", wrong.map(Case::to_string).unwrap_or_default())
    });
    for (case, outcome) in cases.into_iter().zip(outcomes) {
        let (mut labels, mut failure) = (features::labels(&case, &outcome), None);
        let overflow = outcome.iter().flatten().any(|run| run.end == End::Overflow);
        for (view, setting, verdict) in verdicts(&case, &outcome) {
            match verdict {
                Verdict::Equal if overflow => labels.push(format!("{view:?} stopped, equal")),
                Verdict::Possible if overflow => labels.push(format!("{view:?} stopped, possible")),
                Verdict::Equal => labels.push(format!("{view:?} equal")),
                Verdict::Possible => labels.push(format!("{view:?} possible")),
                Verdict::Limit => labels.push(format!("{view:?} limit")),
                Verdict::Unsupported(why) => {
                    labels.push(format!("{view:?} unsupported"));
                    tally.unsupported.entry(why).or_default().push(case.seed);
                }
                Verdict::Different(text) => {
                    labels.push(format!("{view:?} different"));
                    failure.get_or_insert(format!("{view:?}, {setting:?}: {text}"));
                }
            }
        }
        labels.sort();
        labels.dedup();
        tally.seen.case(labels);
        tally.failures.extend(failure.map(|f| (case, f)));
    }
}

/// Prints the kernel of `BABYCUDA_SEED`, and what is wrong with it.
#[test]
#[ignore = "a tool"]
fn show() {
    let case = generate::case(setting("BABYCUDA_SEED", 0));
    println!("{case}");
    let outcome = build::run(std::slice::from_ref(&case)).expect("compiled").remove(0);
    for (view, setting, verdict) in verdicts(&case, &outcome) {
        println!("{view:?}, {:?}: {verdict:?}", setting.params);
        if std::env::var_os("BABYCUDA_SHOW").is_some()
            && let Ok(program) = translate(&case, view, setting)
        {
            println!("{program}\n");
        }
    }
}

fn random_kernels() {
    let (first, count) = (setting("BABYCUDA_SEED", 0), setting("BABYCUDA_CASES", 2_000));
    let plan = Plan { first, batch: 100, workers: 2, ..Plan::of(count) };
    let work = |(): &mut (), seeds| ControlFlow::Continue(batch(seeds));
    let mut tally: Tally = plan.run(State::new(&plan), || (), work, |_| {}).found;
    println!("{}", tally.seen);
    let mut why: Vec<_> = tally.unsupported.iter().collect();
    why.sort_by_key(|(_, seeds)| std::cmp::Reverse(seeds.len()));
    for (why, seeds) in why.iter().take(20) {
        println!("{:6} {why} (seed {})", seeds.len(), seeds[0]);
    }
    let shown = setting("BABYCUDA_SHOW", 3);
    tally.failures.sort_by_key(|(_, text)| text.contains("not read"));
    for (case, failure) in &tally.failures {
        println!("seed {}: {}", case.seed, failure.lines().next().unwrap_or_default());
    }
    for (case, failure) in tally.failures.iter().take(shown) {
        let (case, failure) = shrink::minimise(case, failure.clone(), difference, 60);
        println!("{case}{failure}\n");
    }
    assert_eq!(tally.failures.len(), 0);
    if count < 1_000 {
        return;
    }
    for (label, least) in features::LEAST {
        tally.seen.assert_share(label, least / 100.0..=1.0);
    }
    for t in generate::TYPES {
        tally.seen.assert_share(t, 0.02..=1.0);
    }
    // Most comparisons are exact, and little is left out.
    for (view, exact) in [("Concrete", 0.65), ("Parametric", 0.55), ("Symbolic", 0.5)] {
        tally.seen.assert_share(&format!("{view} equal"), exact..=1.0);
        tally.seen.assert_share(&format!("{view} unsupported"), 0.0..=0.05);
        tally.seen.assert_share(&format!("{view} limit"), 0.0..=0.15);
    }
}
