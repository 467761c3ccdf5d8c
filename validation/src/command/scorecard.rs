//! `scorecard`: techniques compared on random kernels.

use super::{Error, Found, writable};
use crate::args::ScorecardArgs;
use babycuda_validation::scorecard::{page, score, techniques};

pub(crate) fn run(args: &ScorecardArgs) -> Result<Found, Error> {
    writable(args.write.as_ref())?;
    let techniques = techniques();
    let sample = score(&techniques, args.seed, page::SAMPLE);
    let whole = score(&techniques, args.seed, args.kernels);
    let page = page::page(&techniques, args.seed, &sample, &whole);
    match &args.write {
        Some(path) => {
            std::fs::write(path, page).map_err(|error| Error::File { path: path.clone(), error })?
        }
        None => say!("{page}"),
    }
    Ok(Found::NoFailure)
}
