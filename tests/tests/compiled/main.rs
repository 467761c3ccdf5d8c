//! Random kernels, translated by the front end and run by the semantics, against the same kernels
//! compiled by the system's C++ compiler, in which every access of an array is logged.
//!
//! `BABYCUDA_CASES` sets how many kernels, `BABYCUDA_SEED` the first seed.
#![allow(dead_code)]

mod build;
mod case;
mod compare;
mod dialect;
mod known;
mod log;
mod possible;
mod syntax;

use case::{Case, VIEWS};
use compare::{Verdict, compare, translate};

/// The first difference of a case, in any view and setting.
fn difference(case: &Case, outcome: &build::Outcome) -> Option<String> {
    for (setting, runs) in case.settings.iter().zip(outcome) {
        for view in VIEWS {
            let verdict = match translate(case, view, setting) {
                Ok(program) => compare(case, &program, setting, runs),
                Err(verdict) => verdict,
            };
            if let Verdict::Different(text) = verdict {
                return Some(format!("{view:?}, {setting:?}: {text}"));
            }
        }
    }
    None
}

#[test]
fn known_kernels() {
    if !build::available() {
        return;
    }
    let cases = known::cases();
    let outcomes = build::run(&cases).expect("compiled");
    let mut wrong = 0;
    for (case, outcome) in cases.iter().zip(&outcomes) {
        for (setting, runs) in case.settings.iter().zip(outcome) {
            for view in VIEWS {
                let verdict = match translate(case, view, setting) {
                    Ok(program) => compare(case, &program, setting, runs),
                    Err(verdict) => verdict,
                };
                if !matches!(verdict, Verdict::Equal) {
                    wrong += 1;
                    println!("{case}{view:?}: {verdict:?}\n");
                }
            }
        }
    }
    assert_eq!(wrong, 0);
}
