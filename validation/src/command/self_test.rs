//! `self-test`: a back end with a fault is seen to be wrong.

use super::{Error, Found};
use crate::args::SelfTestArgs;
use babycuda_gpu::open;
use babycuda_validation::watched::Open;
use babycuda_validation::wrong::{Fault, Shown, catch};
use std::sync::Arc;

pub(crate) fn run(args: &SelfTestArgs) -> Result<Found, Error> {
    let backend = args.backend.name();
    let (mut missed, mut undecided) = (false, 0);
    for fault in Fault::ALL {
        let right: Open = Arc::new(move || open(backend, 0));
        let caught = catch(fault, &right, args.programs, args.watch.deadline())?;
        for (by, shown) in caught.expected(fault) {
            let Shown { could, did } = shown;
            let found = match (could, did) {
                (0, _) => "no chance",
                (_, 0) if fault.is_missed(shown) => "MISSED",
                (_, 0) => "too few programs",
                _ => "caught",
            };
            say!("{found}: {fault}: {by}, by {did} of {could} programs that could show it");
            missed |= fault.is_missed(shown);
            undecided += u32::from(did == 0 && !fault.is_missed(shown));
        }
    }
    if undecided > 0 {
        say!("{undecided} not decided: that takes more than {} programs", args.programs);
    }
    Ok(Found::failure_if(missed))
}
