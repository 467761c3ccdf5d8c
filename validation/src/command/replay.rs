//! `replay`: recordings, held to the claims again.

use super::{Error, Found};
use crate::args::ReplayArgs;
use babycuda_core::json::from_json;
use babycuda_validation::recording::Recording;
use std::path::Path;

pub(crate) fn run(args: &ReplayArgs) -> Result<Found, Error> {
    let (mut failed, mut unread) = (false, None);
    for path in &args.files {
        // One that cannot be read keeps no other from being judged.
        match judge(path) {
            Ok(fails) => failed |= fails,
            Err(error) if unread.is_none() => unread = Some(error),
            Err(error) => super::warn(format_args!("error: {error}")),
        }
    }
    match unread {
        Some(error) if !failed => Err(error),
        unread => {
            unread.iter().for_each(|error| super::warn(format_args!("error: {error}")));
            Ok(Found::failure_if(failed))
        }
    }
}

/// Judges a recording: did a claim fail?
fn judge(path: &Path) -> Result<bool, Error> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| Error::File { path: path.to_owned(), error })?;
    let recording: Recording =
        from_json(&text).map_err(|error| Error::Json { path: path.to_owned(), error })?;
    let no_replay = |e| Error::Replay { path: path.to_owned(), error: Box::new(e) };
    let backend = recording.backend().map_err(no_replay)?;
    let mut failed = false;
    for (number, verdict) in recording.replay().map_err(no_replay)?.iter().enumerate() {
        let failure = verdict.failure(backend);
        failed |= failure.is_some();
        let found = match (failure, verdict.beyond_interleavings()) {
            (Some((claim, why)), _) => format!("does not hold: {claim}: {why}"),
            (None, Some(why)) => format!("beyond interleavings: {why}"),
            (None, None) => match verdict.undecided() {
                Some(claim) => format!("no claim fails, and it is not decided: {claim}"),
                None => "every claim holds".to_owned(),
            },
        };
        say!("{}, run {number}: {}: {found}", path.display(), verdict.class);
    }
    Ok(failed)
}
