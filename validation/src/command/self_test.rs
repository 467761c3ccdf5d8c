//! `self-test`: a back end with a fault is seen to be wrong.

use super::{Error, Found};
use crate::args::SelfTestArgs;
use babycuda_gpu::open;
use babycuda_validation::watched::Open;
use babycuda_validation::wrong::{Fault, Shown, catch};
use std::sync::Arc;

pub(crate) fn run(args: &SelfTestArgs) -> Result<Found, Error> {
    let backend = args.backend.name();
    let mut all = true;
    for fault in Fault::ALL {
        let right: Open = Arc::new(move || open(backend, 0));
        let caught = catch(fault, &right, args.programs, args.watch.deadline())?;
        for (by, Shown { could, did }) in caught.expected(fault) {
            match (could, did) {
                (0, _) => {
                    say!("no chance: {fault}: {by}, none of {} programs can show it", args.programs)
                }
                (_, 0) => {
                    say!("MISSED: {fault}: {by}, none of {could} programs that could show it did")
                }
                _ => say!("caught: {fault}: {by}, by {did} of {could} programs that could show it"),
            }
            all &= did > 0;
        }
    }
    Ok(Found::failure_if(!all))
}
