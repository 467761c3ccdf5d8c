//! `replay`: recordings, held to the claims again.

use super::{Error, Found};
use crate::args::ReplayArgs;
use babycuda_core::json::from_json;
use babycuda_validation::recording::Recording;

pub(crate) fn run(args: &ReplayArgs) -> Result<Found, Error> {
    let mut failed = false;
    for path in &args.files {
        let text = std::fs::read_to_string(path)
            .map_err(|error| Error::File { path: path.clone(), error })?;
        let recording: Recording =
            from_json(&text).map_err(|error| Error::Json { path: path.clone(), error })?;
        let no_replay = |e| Error::Replay { path: path.clone(), error: Box::new(e) };
        let backend = recording.backend().map_err(no_replay)?;
        for (number, verdict) in recording.replay().map_err(no_replay)?.iter().enumerate() {
            let failure = verdict.failure(backend);
            failed |= failure.is_some();
            let found = match (failure, verdict.beyond_interleavings()) {
                (Some((claim, why)), _) => format!("does not hold: {claim}: {why}"),
                (None, Some(why)) => format!("beyond interleavings: {why}"),
                (None, None) => "every claim holds".to_owned(),
            };
            println!("{}, run {number}: {}: {found}", path.display(), verdict.class);
        }
    }
    Ok(Found::failure_if(failed))
}
