//! What devices did, held to the claims again without them.

use babycuda_core::json::{from_json, to_json};
use babycuda_validation::Claim;
use babycuda_validation::recording::{NoReplay, Recording};
use std::path::{Path, PathBuf};

/// The recordings that are kept, with their files.
fn golden() -> Vec<(PathBuf, Recording)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let files = std::fs::read_dir(&folder).expect("the folder of recordings");
    let mut paths: Vec<PathBuf> = files.map(|file| file.expect("a file").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    paths.sort();
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("a recording");
        let recording = from_json(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        (path, recording)
    };
    paths.into_iter().map(read).collect()
}

#[test]
fn recordings_hold_up() {
    let recordings = golden();
    for (path, recording) in &recordings {
        let backend = recording.backend().expect("a back end");
        let verdicts = recording.replay().unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert_eq!(verdicts.len(), recording.reports.len());
        for verdict in verdicts {
            assert_eq!(verdict.failure(backend), None, "{}", path.display());
            assert_eq!(verdict.class.to_string(), recording.class, "{}", path.display());
        }
    }
    let devices: std::collections::BTreeSet<&str> =
        recordings.iter().map(|(_, recording)| &*recording.device).collect();
    println!("{} recordings of {devices:#?}", recordings.len());
    for part in ["well-typed, race-free", "well-typed, racy", "ill-typed, racy", "divergent"] {
        assert!(recordings.iter().any(|(_, r)| r.class.contains(part)), "no recording: {part}");
    }
    assert!(recordings.iter().any(|(_, recording)| recording.memories_differ()));
}

#[test]
fn a_recording_that_was_changed_does_not() {
    let (_, recording) = golden().into_iter().next().expect("a recording");
    let backend = recording.backend().expect("a back end");

    let mut memory = recording.clone();
    memory.reports[0].arrays[0].cells[0] ^= 1;
    let verdicts = memory.replay().expect("it can be replayed");
    assert!(verdicts[0].failure(backend).is_some());

    let mut log = recording.clone();
    let thread = log.reports[0].threads.iter_mut().find(|thread| !thread.log.is_empty());
    thread.expect("a thread that accesses something").log.pop();
    let verdicts = log.replay().expect("it can be replayed");
    let failed = verdicts[0].failure(backend).expect("a failure");
    let expected = [
        Claim::WellTypedProgramsAccessTheirProtocol,
        Claim::ThreadsFollowTheirProgram,
        Claim::RacesAreInTheLog,
    ];
    assert!(expected.contains(&failed.0), "{failed:?}");

    let mut threads = recording.clone();
    threads.reports[0].threads.pop();
    assert!(matches!(threads.replay(), Err(NoReplay::Malformed { run: 0, .. })));

    let backend = Recording { backend: "abacus".to_owned(), ..recording.clone() };
    assert!(matches!(backend.backend(), Err(NoReplay::Backend(_))));

    let program = Recording { program: "A[".to_owned(), ..recording };
    assert!(matches!(program.replay(), Err(NoReplay::Parse(_))));
}

#[test]
fn recordings_are_read_as_they_are_written() {
    for (_, recording) in golden() {
        let text = to_json(&recording).expect("a document");
        assert_eq!(from_json::<Recording>(&text).expect("a recording"), recording);
    }
}
