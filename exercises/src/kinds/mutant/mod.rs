//! Find the mutant: a changed semantics is described, and a program is to be found that tells it from the right one.
//!
//! | module | changes |
//! |---|---|
//! | [`races`] | Definition 1 |
//! | [`terms`] | what operators, loops and protocols mean: the right semantics runs a term with another meaning |
//! | [`memory`] | `lastwrite`, by a small evaluator of its own |

pub mod memory;
pub mod races;
pub mod terms;

use crate::exercise::{Check, ExerciseError, Source};
use crate::grade::{Fault, Judged};
use crate::limits;
use crate::reading::{launch, program};
use babycuda::protocols::map::{MapLimits, evaluate};
use babycuda::semantics::{Instance, Outcome};
use babycuda::typing::type_program;
use babycuda_core::{Configuration, History, Program};
use memory::Memory;
use races::Races;
use terms::{Protocols, Terms};

/// A changed semantics.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mutation {
    /// Another Definition 1.
    Races(Races),
    /// Programs mean something else.
    Terms(Terms),
    /// Another `lastwrite`.
    Memory(Memory),
    /// Protocols mean something else.
    Protocols(Protocols),
}

/// A changed semantics, and what must be seen of it.
#[derive(Clone, Debug)]
pub struct Mutant {
    mutation: Mutation,
    verdict: bool,
}

impl Mutation {
    /// The change of this name.
    pub fn named(name: &str) -> Option<Mutation> {
        let races = Races::named(name).map(Mutation::Races);
        let terms = || Terms::named(name).map(Mutation::Terms);
        let memory = || Memory::named(name).map(Mutation::Memory);
        let protocols = || Protocols::named(name).map(Mutation::Protocols);
        races.or_else(terms).or_else(memory).or_else(protocols)
    }
}

impl Check for Mutant {
    /// Settings: `mutant`, its name; `observe: verdict` where another history is not enough.
    fn read(source: &Source<'_>) -> Result<Mutant, ExerciseError> {
        let name = source.need("mutant")?;
        let unknown = || ExerciseError::new(format!("there is no mutant `{name}`"));
        let verdict = match source.get("observe") {
            None | Some("history") => false,
            Some("verdict") => true,
            Some(_) => return Err(ExerciseError::new("`observe` is `history` or `verdict`")),
        };
        Ok(Mutant { mutation: Mutation::named(name).ok_or_else(unknown)?, verdict })
    }

    fn judge(&self, answer: &str) -> Judged {
        let program = program(answer)?;
        let launch = launch(&program)?;
        let step = "the program runs to its end";
        if launch.grid.count() > 1 {
            return Err(Fault::wrong(step, "there are several blocks; the mutant runs one"));
        }
        let at = program.configuration(&program.body.free_vars());
        let at = at.map_err(|open| Fault::wrong(step, open.to_string()))?;
        if let Mutation::Protocols(mutation) = self.mutation {
            return protocols(&program, &at, mutation);
        }
        let right = history(&program, &at).map_err(|why| Fault::wrong(step, why))?;
        let changed = match self.mutation {
            Mutation::Races(mutation) => {
                let (is, says) = (!right.is_drf(), mutation.is_racy(&right));
                return told(is, says, "the history");
            }
            Mutation::Terms(mutation) => {
                let body = mutation
                    .of(&program.body)
                    .map_err(|why| Fault::refused("the answer is within the limits", why))?;
                history(&program.declarations.clone().around(body), &at)
            }
            Mutation::Memory(memory) => memory::run(&Instance::of(program, at), memory),
            Mutation::Protocols(_) => Ok(right.clone()),
        };
        match changed {
            Err(why) => Ok(format!("the program runs to its end; of the mutant: {why}")),
            Ok(changed) if self.verdict => told(!right.is_drf(), !changed.is_drf(), "the history"),
            Ok(changed) if changed == right => Err(Fault::wrong(
                "the mutant is seen",
                format!("the program has the history {right} in both semantics"),
            )),
            Ok(changed) => Ok(format!("the history is {right}, and {changed} of the mutant")),
        }
    }
}

/// What is racy, by the right semantics and by the mutant.
fn told(is: bool, says: bool, what: &str) -> Judged {
    let word = |racy| if racy { "racy" } else { "race-free" };
    match is == says {
        false => Ok(format!("{what} is {}, and the mutant calls it {}", word(is), word(says))),
        true => Err(Fault::wrong(
            "the mutant is seen",
            format!("{what} is {}, and the mutant says so, too", word(is)),
        )),
    }
}

/// The history of a run that ends.
fn history(program: &Program, at: &Configuration) -> Result<History, String> {
    if program.body.has_atomics() || program.body.scoped_barrier().is_some() {
        return Err(
            "it has an atomic update, or a barrier of another scope than a block".to_owned()
        );
    }
    match Instance::of(program.clone(), at.clone()).run(&limits::running()) {
        Outcome::Done { history } => Ok(history),
        Outcome::Diverged { .. } => Err("threads diverge".to_owned()),
        Outcome::Stuck { stuck, .. } => Err(stuck.explain(&program.sources)),
    }
}

/// Λ of the protocol of a program, by the right semantics and by the mutant.
fn protocols(program: &Program, at: &Configuration, mutation: Protocols) -> Judged {
    let typed = type_program(program)
        .map_err(|rejection| Fault::wrong("it has a type", rejection.describe(&program.sources)))?;
    let limits = MapLimits { steps: limits::STEPS, ..MapLimits::default() };
    let racy = |protocol| {
        let lambda = evaluate(protocol, at, &limits);
        lambda
            .map(|lambda| !lambda.races().is_empty())
            .map_err(|error| Fault::wrong("its protocol has a Λ", error.to_string()))
    };
    told(racy(&typed.protocol)?, racy(&mutation.of(&typed.protocol))?, "Λ")
}
