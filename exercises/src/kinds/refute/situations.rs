//! Wrong theorems about a history and a program that goes on from it. An answer is an account of the history, a line
//! `program`, and below it the program; its head phase is the last one of the account.

use super::super::account::Account;
use super::{holds, vacuous};
use crate::grade::{Fault, Judged};
use crate::reading::{launch, program};
use babycuda_core::history::Race;
use babycuda_core::{History, Program};
use babycuda_proofs::{Failure, Situation, Subject, corrected_theorem_1, printed_theorem_1};

/// A wrong theorem about a situation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Situations {
    /// LCL22 Theorem 1 as printed: from a race-free H, H' is DRF iff Λ is.
    PrintedTheorem1,
    /// From an empty head phase, H' is DRF iff Λ is, whatever the phases before are.
    WithoutDrf,
}

impl Situations {
    /// The theorem of this name.
    pub fn named(name: &str) -> Option<Situations> {
        Some(match name {
            "printed-theorem-1" => Situations::PrintedTheorem1,
            "theorem-1-without-drf" => Situations::WithoutDrf,
            _ => return None,
        })
    }

    /// Does the answer refute it?
    pub(crate) fn judge(self, answer: &str) -> Judged {
        let (history, program) = read(answer)?;
        let threads = launch(&program)?.block.count();
        let threads = u32::try_from(threads).map_err(|_| vacuous("so many threads"))?;
        if let Some(param) = program.params.first() {
            return Err(vacuous(format!(
                "the statement is about programs without parameters, such as `{}`",
                param.name
            )));
        }
        if history.is_empty() {
            return Err(
                vacuous("the history has no phase: rule par needs a head phase").by("parallel/par")
            );
        }
        let outside = |thread: u64| thread >= u64::from(threads);
        if history.newest_first().any(|phase| phase.threads().any(|(thread, _)| outside(thread))) {
            return Err(vacuous("a thread of the history is none of the program"));
        }
        let situation = Situation::new(history, Subject::new(program.body.clone(), threads));
        match self {
            Situations::PrintedTheorem1 => match printed_theorem_1::check(&situation) {
                Err(Failure::Refuted(counterexample)) => Ok(counterexample.to_string()),
                Err(failure) => Err(unmet(&failure)),
                Ok(evidence) => Err(holds(format!("H' and Λ are both {}", word(&evidence.lambda)))),
            },
            Situations::WithoutDrf => without_drf(&situation),
        }
    }
}

fn without_drf(situation: &Situation) -> Judged {
    // It computes what both sides are; the corrected statement itself holds.
    let evidence =
        corrected_theorem_1::check_from_empty_head(situation).map_err(|failure| unmet(&failure))?;
    let typed = situation.subject.typed().map_err(|why| vacuous(why.to_string()))?;
    match evidence.history.is_empty() == typed.races.is_empty() {
        true => Err(holds(format!("H' and Λ are both {}", word(&typed.races)))),
        false => Ok(format!("H' is {}, and Λ is {}", word(&evidence.history), word(&typed.races))),
    }
}

fn unmet(failure: &Failure) -> Box<Fault> {
    match failure {
        Failure::Undecided(why) => {
            Fault::refused("the answer is within the limits", why.to_string())
        }
        Failure::Vacuous(why) => vacuous(why.to_string()),
        Failure::Refuted(counterexample) => vacuous(counterexample.to_string()),
    }
}

fn word(races: &[Race]) -> &'static str {
    if races.is_empty() { "race-free" } else { "racy" }
}

/// The history, and the program with lines as in the answer.
fn read(answer: &str) -> Result<(History, Program), Box<Fault>> {
    let mut account = String::new();
    let mut lines = answer.lines();
    for line in lines.by_ref() {
        if line.trim() == "program" {
            break;
        }
        account += line;
        account.push('\n');
    }
    let code: Vec<&str> = lines.collect();
    if code.is_empty() {
        return Err(Fault::refused(
            "the answer can be read",
            "it has no line `program` with a program below",
        ));
    }
    let account_lines = account.matches('\n').count() + 1;
    let text = "\n".repeat(account_lines) + &code.join("\n");
    Ok((Account::read(&account)?.history(), program(&text)?))
}
