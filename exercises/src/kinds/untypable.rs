//! A race-free program that typing rejects: the type system is sound and not complete.
//!
//! Typing is that of LCL22 Fig. 6, without read-only inputs.

use crate::exercise::{Check, ExerciseError, Source};
use crate::grade::{Fault, Judged};
use crate::limits;
use crate::reading::{launch, program, race_free};
use babycuda::semantics::{Instance, Outcome};
use babycuda::typing::type_program;
use babycuda_core::Program;
use babycuda_core::rules;
use babycuda_core::syntax::Contents;

/// Which rule has to reject the program.
#[derive(Clone, Debug)]
pub struct Untypable {
    rule: Option<&'static str>,
    threads: u64,
    /// May the host store something?
    host: bool,
}

impl Check for Untypable {
    /// Settings: `rule`, the id of a typing rule, or nothing for any; `threads`, the fewest threads; `host: nothing`
    /// where the host may store nothing.
    fn read(source: &Source<'_>) -> Result<Untypable, ExerciseError> {
        let rule = match source.get("rule") {
            None => None,
            Some(id) => {
                let unknown = || ExerciseError::new(format!("there is no rule `{id}`"));
                Some(rules::find(id).ok_or_else(unknown)?.id)
            }
        };
        Ok(Untypable {
            rule,
            threads: source.number("threads")?,
            host: source.get("host") != Some("nothing"),
        })
    }

    fn judge(&self, answer: &str) -> Judged {
        let program = program(answer)?;
        let count = launch(&program)?.block.count();
        if count < self.threads {
            return Err(Fault::wrong(
                "the launch is fixed and small",
                format!("it runs {count} threads"),
            )
            .expecting(format!("at least {}", self.threads)));
        }
        let stored = program.arrays.iter().find(|array| array.contents != Contents::Undefined);
        if let Some(array) = stored.filter(|_| !self.host) {
            let why = format!("it declares contents of `{}`", array.name);
            return Err(Fault::wrong("the host stores nothing", why));
        }
        let rejection = match type_program(&program) {
            Err(rejection) => rejection,
            Ok(typed) => {
                let why = format!("it has a type, the protocol `{}`", typed.protocol);
                return Err(Fault::wrong("typing rejects the program", why));
            }
        };
        let said = rejection.describe(&program.sources);
        if let Some(rule) = self.rule.filter(|rule| *rule != rejection.rule.id()) {
            let fault =
                Fault::wrong("the rule that rejects it", format!("another one does: {said}"));
            let fault = fault.expecting(format!("{rule} rejects it")).by(rule);
            return Err(match rejection.span(&program.sources) {
                Some(span) => fault.at(span),
                None => fault,
            });
        }
        race_free(&program)?;
        ends(&program)?;
        Ok(format!("typing rejects it ({said}), and it is race-free"))
    }
}

/// A program that is stuck has no history, so Definition 1 calls it neither racy nor race-free.
fn ends(program: &Program) -> Result<(), Box<Fault>> {
    let step = "the program runs to its end";
    let at = program.configuration(&program.body.free_vars());
    let at = at.map_err(|open| Fault::wrong(step, open.to_string()))?;
    match Instance::of(program.clone(), at).run(&limits::running()) {
        Outcome::Stuck { stuck, .. } => {
            Err(Fault::wrong(step, stuck.explain(&program.sources)).by("thread/read"))
        }
        Outcome::Done { .. } | Outcome::Diverged { .. } => Ok(()),
    }
}
