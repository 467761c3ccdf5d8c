//! `scorecard`: techniques compared on random kernels.

use super::{Error, Found, writable};
use crate::args::ScorecardArgs;
use babycuda_validation::scorecard::corpus::corpus;
use babycuda_validation::scorecard::page::{self, Scores};
use babycuda_validation::scorecard::{score, techniques};

pub(crate) fn run(args: &ScorecardArgs) -> Result<Found, Error> {
    writable(args.write.as_ref())?;
    let techniques = techniques();
    let file = |error| Error::File { path: args.corpus.clone(), error };
    let scores = Scores {
        corpus: corpus(&techniques, &args.corpus).map_err(file)?,
        sample: score(&techniques, 0, page::SAMPLE),
        whole: score(&techniques, args.seed, args.kernels),
        seed: args.seed,
    };
    let page = page::page(&techniques, &scores);
    match &args.write {
        Some(path) => {
            std::fs::write(path, page).map_err(|error| Error::File { path: path.clone(), error })?
        }
        None => say!("{page}"),
    }
    Ok(Found::NoFailure)
}
