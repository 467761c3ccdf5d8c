//! `scorecard`: techniques compared on random kernels.

use super::{Error, Found, writable};
use crate::args::ScorecardArgs;
use babycuda_core::shadow::{Chain, Machine};
use babycuda_validation::scorecard::corpus::corpus;
use babycuda_validation::scorecard::page::{self, Scores};
use babycuda_validation::scorecard::{Technique, score, techniques};

pub(crate) fn run(args: &ScorecardArgs) -> Result<Found, Error> {
    writable(args.write.as_ref())?;
    let mut techniques = techniques();
    if let Some(name) = &args.technique {
        let names = techniques.iter().map(|t| t.name).collect::<Vec<_>>().join(", ");
        techniques.retain(|technique| technique.name == name);
        if techniques.is_empty() {
            return Err(Error::Technique { name: name.clone(), names });
        }
    }
    // A test writes the sample's rows again, and has no other machine.
    let sample = score(&techniques, 0, page::SAMPLE);
    if let Some(path) = &args.machine {
        let bytes =
            std::fs::read(path).map_err(|error| Error::File { path: path.clone(), error })?;
        let machine = Machine::read_csv(&bytes, Chain::published())
            .map_err(|error| Error::Machine { path: path.clone(), error })?;
        techniques.push(Technique::of_machine(machine));
    }
    let file = |error| Error::File { path: args.corpus.clone(), error };
    let scores = Scores {
        corpus: corpus(&techniques, &args.corpus).map_err(file)?,
        sample,
        whole: score(&techniques, args.seed, args.kernels),
        seed: args.seed,
    };
    let page = page::page(&techniques, &scores);
    match &args.write {
        Some(path) => {
            let file = |error| Error::File { path: path.clone(), error };
            let page = match &args.technique {
                Some(name) => {
                    page::renewed(&std::fs::read_to_string(path).map_err(file)?, &page, name)
                }
                None => page,
            };
            std::fs::write(path, page).map_err(file)?
        }
        None => say!("{page}"),
    }
    Ok(Found::NoFailure)
}
