//! `self-test`: a back end with a fault is seen to be wrong.

use super::{Error, Found};
use crate::args::SelfTestArgs;
use babycuda_campaign::State;
use babycuda_gpu::{Backend, open};
use babycuda_validation::campaign::{Plan, run as campaign};
use babycuda_validation::watched::Open;
use babycuda_validation::wrong::{Fault, Wrong};
use std::sync::Arc;

pub(crate) fn run(args: &SelfTestArgs) -> Result<Found, Error> {
    let backend = args.backend.name();
    let mut missed = false;
    for fault in Fault::ALL {
        let wrong: Open =
            Arc::new(
                move || Ok(Box::new(Wrong::new(open(backend, 0)?, fault)) as Box<dyn Backend>),
            );
        let deadline = args.watch.deadline();
        let plan = Plan { runs: 1, racy_runs: 1, deadline, ..Plan::of(args.programs) };
        let outcome = campaign(&plan, &wrong, State::new(&plan.programs), &|_| {})?;
        if fault.violates().is_empty() {
            let refused = outcome.tally.unreported;
            let mark = if refused > 0 { "caught" } else { "MISSED" };
            say!("{mark}: {fault}: refused, {refused} times");
            missed |= refused == 0;
        }
        for claim in fault.violates() {
            let violated = outcome.tally.judged(*claim).violated;
            let mark = if violated > 0 { "caught" } else { "MISSED" };
            say!("{mark}: {fault}: {claim}, {violated} times");
            missed |= violated == 0;
        }
    }
    Ok(Found::failure_if(missed))
}
