//! From a program that fails to a small one, run anew on the back end at each step.

use crate::claims::{Claim, validate};
use crate::trial::Trial;
use babycuda_campaign::reduce;
use babycuda_core::Program;
use babycuda_gpu::{Backend, Runner};
use babycuda_testkit::shrink::smaller_programs;

/// Programs that are tried.
const STEPS: usize = 4_000;

/// What of a program's runs fails.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failing {
    /// The claim that does not hold; none where the device gave no report.
    pub claim: Option<Claim>,
    /// Why.
    pub why: String,
}

/// Runs a program `runs` times; what fails first, if something does. Where `beyond` is set, runs
/// that no interleaving explains count on every device.
pub fn failing(
    backend: &mut dyn Backend,
    program: &Program,
    runs: usize,
    beyond: bool,
) -> Option<Failing> {
    let Trial { reference, job } = Trial::new(program).ok()?;
    let name = backend.device().backend;
    let jobs = vec![job; runs];
    Runner::new(backend).run(&jobs).into_iter().find_map(|report| {
        let report = match report {
            Ok(report) => report,
            Err(failure) => return Some(Failing { claim: None, why: failure.to_string() }),
        };
        let verdict = validate(&reference, &report);
        let failed = verdict.failure(name).map(|(claim, why)| (claim, why.to_owned()));
        let weak = || {
            let why = verdict.beyond_interleavings().filter(|_| beyond)?;
            Some((Claim::ValuesAreOfAnInterleaving, why.to_owned()))
        };
        failed.or_else(weak).map(|(claim, why)| Failing { claim: Some(claim), why })
    })
}

/// The smallest program found that fails the same claim, as the text of a `.bcuda` file that says
/// why. `None` if the program does not fail again.
pub fn minimise(
    backend: &mut dyn Backend,
    program: &Program,
    runs: usize,
    beyond: bool,
) -> Option<String> {
    let first = failing(backend, program, runs, beyond)?;
    let claim = first.claim;
    let same = |p: &Program| failing(backend, p, runs, beyond).filter(|f| f.claim == claim);
    let (least, found) = reduce((program.clone(), first), smaller_programs, same, STEPS);
    let claim =
        claim.map_or_else(|| "a report for every run".to_owned(), |claim| claim.to_string());
    let device = backend.device();
    let mut text = format!(
        "// does not hold: {claim}\n// on {}, {} ({})\n",
        device.backend, device.name, device.driver
    );
    for line in found.why.lines() {
        text += &format!("// {line}\n");
    }
    Some(format!("{text}\n{least}"))
}
