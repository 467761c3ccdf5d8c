//! The techniques that are compared.

use super::case::Case;
use super::truth::cells;
use babycuda::core::verdict::Outcome;
use babycuda::{CheckOptions, check};
use babycuda_core::{Cell, Natural};
use babycuda_detectors::{Claims, Detector, Fragment, Refusal};
use std::time::{Duration, Instant};

/// What a technique says of a kernel.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Answer {
    /// No race and no divergence.
    Clean,
    /// A race or a divergence.
    Wrong,
    /// It does not know.
    Unknown,
    /// The kernel has a construct that is not in its language.
    Unsupported,
}

/// Of what a technique speaks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum About {
    /// Of what happens with the contents that the kernel was run with.
    Run,
    /// Of what may happen with any contents.
    Inputs,
}

/// A technique.
pub struct Technique {
    /// Its name.
    pub name: &'static str,
    /// What its paper claims.
    pub claims: Claims,
    /// Of what it speaks.
    pub about: About,
    judge: Judge,
}

enum Judge {
    /// The protocols of the calculus.
    Protocols,
    Detector(Box<dyn Detector>),
}

/// All techniques: the protocols of the calculus, and the four of `babycuda-detectors`.
pub fn techniques() -> Vec<Technique> {
    let protocols = Technique {
        name: "protocols",
        claims: Claims {
            misses_no_race: Some(Fragment {
                text: "Every kernel that has a verdict: a protocol that is race-free is of a kernel that is, \
                       also where typing only approximates (THEORY T2, T7)",
                holds: |_| true,
            }),
            raises_no_false_alarm: Some(Fragment {
                text: "Every kernel that has a verdict: LCL22 Theorem 1 for alarms that are independent of data, \
                       a replayed run for all others (THEORY T5)",
                holds: |_| true,
            }),
        },
        about: About::Inputs,
        judge: Judge::Protocols,
    };
    let others = babycuda_detectors::all().into_iter().map(|detector| Technique {
        name: detector.name(),
        claims: detector.claims(),
        about: match detector.name() {
            // Their verdicts rest on what the host stored.
            "hirace" | "symbolic-heap" | "symbolic-heap-two-threads" => About::Run,
            _ => About::Inputs,
        },
        judge: Judge::Detector(detector),
    });
    std::iter::once(protocols).chain(others).collect()
}

impl Technique {
    /// What it says of a kernel with these contents of `d`, and how long it took.
    pub fn judge(&self, case: &Case, contents: u32) -> (Answer, Duration) {
        let start = Instant::now();
        let answer = match &self.judge {
            Judge::Protocols => {
                let options = CheckOptions { budget: super::budget(), ..CheckOptions::default() };
                match check(&case.program, &options) {
                    Ok(checked) => Answer::of(&checked.verdict.outcome),
                    Err(_) => Answer::Unsupported,
                }
            }
            Judge::Detector(detector) => {
                let mut configuration = case.configuration.clone();
                for (index, value) in (0_u32..).zip(cells(contents)) {
                    let cell = Cell::new("d", Natural::from(index));
                    configuration.host.set(cell, Natural::from(value));
                }
                match super::budget().within(|| detector.detect(&case.tree, &configuration)) {
                    Ok(Ok(verdict)) => Answer::of(&verdict.outcome),
                    Ok(Err(Refusal::Unsupported { .. })) => Answer::Unsupported,
                    Ok(Err(_)) | Err(_) => Answer::Unknown,
                }
            }
        };
        (answer, start.elapsed())
    }
}

impl Answer {
    fn of(outcome: &Outcome) -> Answer {
        match outcome {
            Outcome::Drf => Answer::Clean,
            Outcome::Racy | Outcome::Divergent => Answer::Wrong,
            Outcome::Unknown(_) => Answer::Unknown,
        }
    }
}
