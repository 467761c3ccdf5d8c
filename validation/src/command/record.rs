//! `record`: what the device does, in files.

use super::{Error, Found, create_folder, write_json};
use crate::args::RecordArgs;
use babycuda_validation::record::{Search, record};

pub(crate) fn run(args: &RecordArgs) -> Result<Found, Error> {
    let mut backend = args.watch.open(args.backend, args.seed)?;
    let search = Search {
        seed: args.seed,
        programs: args.programs,
        runs: args.runs as usize,
        each: args.each,
    };
    create_folder(&args.out)?;
    for (number, recording) in record(&mut backend, &search) {
        let path = args.out.join(format!("{}-{number}.json", recording.backend));
        write_json(&path, &recording)?;
        let differ = if recording.memories_differ() { ", different memories" } else { "" };
        say!("{}: {}{differ}", path.display(), recording.class);
    }
    if backend.hangs() {
        say!("the device hangs; these are the recordings of what came before");
    }
    Ok(Found::failure_if(backend.hangs()))
}
