//! The techniques that are compared.

use super::case::Case;
use babycuda::core::verdict::Outcome;
use babycuda::{CheckOptions, Subject, check};
use babycuda_core::shadow::Machine;
use babycuda_detectors::hirace::HiRace;
use babycuda_detectors::{Claims, Detector, Fragment, Races, Refusal};
use std::time::{Duration, Instant};

/// What a technique says of a kernel.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Answer {
    /// No race and no divergence.
    Clean,
    /// A race or a divergence.
    Wrong,
    /// It does not know: why.
    Unknown(String),
    /// The kernel has a construct that is not in its language: which.
    Unsupported(String),
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
            races: Races::All,
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
    /// Is it this library's own?
    pub fn is_own(&self) -> bool {
        matches!(self.judge, Judge::Protocols)
    }

    /// HiRace with a machine that is not the derived one, such as the published one: it claims what HiRace claims.
    pub fn of_machine(machine: Machine) -> Technique {
        let detector: Box<dyn Detector> = Box::new(HiRace::new(machine));
        let (name, claims) = ("hirace (published)", detector.claims());
        Technique { name, claims, about: About::Run, judge: Judge::Detector(detector) }
    }

    /// What it says of a kernel with these contents of `d`, and how long it took.
    pub fn judge(&self, case: &Case, contents: u32) -> (Answer, Duration) {
        self.asked(&Subject {
            source: "",
            tree: Some(&case.tree),
            program: Ok(&case.program),
            configuration: &case.with(contents),
        })
    }

    /// What it says of a kernel at a launch, and how long it took.
    pub fn asked(&self, subject: &Subject<'_>) -> (Answer, Duration) {
        let start = Instant::now();
        let answer = match (&self.judge, subject.tree, subject.program) {
            (Judge::Protocols, _, Ok(program)) => {
                let options = CheckOptions { budget: super::budget(), ..CheckOptions::default() };
                match check(program, &options) {
                    Ok(checked) => Answer::of(&checked.verdict.outcome),
                    Err(why) => Answer::Unsupported(why.to_string()),
                }
            }
            (Judge::Detector(detector), Some(tree), _) => {
                let detect = || detector.detect(tree, subject.configuration);
                match super::budget().within(detect) {
                    Ok(Ok(verdict)) => Answer::of(&verdict.outcome),
                    Ok(Err(Refusal::Unsupported { construct, .. })) => {
                        Answer::Unsupported(construct)
                    }
                    Ok(Err(why)) => Answer::Unknown(why.to_string()),
                    Err(why) => Answer::Unknown(why.to_string()),
                }
            }
            _ => Answer::Unsupported("no kernel".to_owned()),
        };
        (answer, start.elapsed())
    }
}

impl Answer {
    /// What a verdict comes to.
    pub fn of(outcome: &Outcome) -> Answer {
        match outcome {
            Outcome::Drf => Answer::Clean,
            Outcome::Racy | Outcome::Divergent => Answer::Wrong,
            Outcome::Unknown(why) => Answer::Unknown(why.clone()),
        }
    }
}
