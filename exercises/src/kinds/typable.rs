//! A program that has a type, of which the protocol accesses what a given one does.
//!
//! The two protocols need not be the same text. Their Λ must be, phase by phase, at each of some launches.

use crate::exercise::{Check, ExerciseError, Source};
use crate::grade::{Fault, Judged};
use crate::limits;
use crate::reading::program;
use babycuda::protocols::map::{Ending, Lambda, MapLimits, evaluate};
use babycuda::typing::type_program;
use babycuda_core::parse::parse_map;
use babycuda_core::{Configuration, Name, Protocol, counted};
use std::collections::BTreeSet;

/// A protocol and where it is looked at.
#[derive(Clone, Debug)]
pub struct Typable {
    params: BTreeSet<Name>,
    /// Some launches with values of the parameters, in words, and the Λ there.
    at: Vec<(String, Configuration, Lambda)>,
}

impl Check for Typable {
    /// Its block of `map` is the protocol. Settings: `threads`, the sizes of blocks, as in `1 2 4`; `values`, those of
    /// each parameter.
    fn read(source: &Source<'_>) -> Result<Typable, ExerciseError> {
        let map = parse_map(source.need_block("map")?)
            .map_err(|error| ExerciseError::new(error.to_string()))?;
        let numbers = |name: &str, text: &str| -> Result<Vec<u32>, ExerciseError> {
            let numbers = text.split_whitespace().map(str::parse);
            numbers
                .collect::<Result<_, _>>()
                .map_err(|_| ExerciseError::new(format!("`{name}` is no list of numbers")))
        };
        let values = numbers("values", source.get("values").unwrap_or_default())?;
        let params: Vec<Name> =
            map.declarations.params.iter().map(|param| param.name.clone()).collect();
        let mut at = Vec::new();
        for threads in numbers("threads", source.need("threads")?)? {
            let start = vec![(counted(threads.into(), "thread"), Configuration::threads(threads))];
            let configurations = params.iter().fold(start, |configurations, name| {
                let with = |(said, configuration): (String, Configuration)| {
                    let one = |k: &u32| {
                        (
                            format!("{said}, {name} = {k}"),
                            configuration.clone().with(name.clone(), *k),
                        )
                    };
                    values.iter().map(one).collect::<Vec<_>>()
                };
                configurations.into_iter().flat_map(with).collect()
            });
            for (said, configuration) in configurations {
                let lambda = lambda(&map.protocol, &configuration).map_err(ExerciseError::new)?;
                at.push((said, configuration, lambda));
            }
        }
        Ok(Typable { params: params.into_iter().collect(), at })
    }

    fn judge(&self, answer: &str) -> Judged {
        let program = program(answer)?;
        if let Some(param) = program.params.iter().find(|param| !self.params.contains(&param.name))
        {
            return Err(Fault::wrong(
                "the parameters",
                format!("the protocol has no parameter `{}`", param.name),
            ));
        }
        let typed = type_program(&program).map_err(|rejection| {
            let fault = Fault::wrong("it has a type", rejection.describe(&program.sources));
            let fault = fault.expecting(rejection.premise_text()).by(rejection.rule.id());
            match rejection.span(&program.sources) {
                Some(span) => fault.at(span),
                None => fault,
            }
        })?;
        for (said, configuration, right) in &self.at {
            let step = "its protocol accesses what the given one does";
            let found = lambda(&typed.protocol, configuration)
                .map_err(|why| Fault::wrong(step, format!("with {said}: {why}")))?;
            if let Some(why) = difference(&found, right) {
                let why = format!(
                    "with {said}: {why}; the protocol of the program is `{}`",
                    typed.protocol
                );
                return Err(Fault::wrong(step, why));
            }
        }
        Ok(format!(
            "it has the type `{}`, with the same Λ at {}",
            typed.protocol,
            counted(self.at.len() as u64, "configuration")
        ))
    }
}

fn lambda(protocol: &Protocol, configuration: &Configuration) -> Result<Lambda, String> {
    let limits = MapLimits { steps: limits::STEPS, ..MapLimits::default() };
    evaluate(protocol, configuration, &limits).map_err(|error| error.to_string())
}

/// The first difference of what a program accesses and what it should.
fn difference(found: &Lambda, right: &Lambda) -> Option<String> {
    let phases = found.accesses().into_iter().zip(right.accesses()).enumerate();
    for (phase, (found, right)) in phases {
        if let Some(access) = found.difference(&right).next() {
            return Some(format!("in phase {phase}, thread {access} is too much"));
        }
        if let Some(access) = right.difference(&found).next() {
            return Some(format!("in phase {phase}, thread {access} is missing"));
        }
    }
    if found.phases.len() != right.phases.len() {
        return Some(format!(
            "there are {} phases instead of {}",
            found.phases.len(),
            right.phases.len()
        ));
    }
    let ends = |lambda: &Lambda| lambda.ending == Ending::Done;
    (ends(found) != ends(right)).then(|| "threads diverge in one of both only".to_owned())
}
