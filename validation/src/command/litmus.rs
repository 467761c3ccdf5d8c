//! `litmus`: what a back end shows of the litmus tests.

use super::{Error, Found, known, writable, write_json};
use crate::args::LitmusArgs;
use babycuda_gpu::Backend;
use babycuda_validation::litmus::{HEAD, Sort, TESTS, run as litmus};
use babycuda_validation::results::Litmus as Results;

pub(crate) fn run(args: &LitmusArgs) -> Result<Found, Error> {
    known("litmus test", args.test.as_ref(), TESTS.iter().map(|(name, _)| *name).collect())?;
    writable(args.json.as_ref())?;
    let mut backend = args.watch.open(args.backend, args.seed)?;
    let device = backend.device().clone();
    say!("{}: {}; {}\n{HEAD}", device.backend, device.name, device.driver);
    let chosen = |(name, _): &&(&str, &str)| args.test.as_ref().is_none_or(|own| own == name);
    let chosen: Vec<(&str, &str)> = TESTS.iter().filter(chosen).copied().collect();
    let tests = litmus(&mut backend, &chosen, args.runs, args.seed)
        .map_err(|(test, error)| Error::Litmus { test, error })?;
    tests.iter().for_each(|shown| say!("{}", shown.to_string().trim_end()));
    let failed = tests.is_empty() || tests.iter().any(|shown| shown.of(Sort::Failure).1 > 0);
    if let Some(path) = &args.json {
        let results = Results {
            command: std::env::args().collect(),
            backend: device.backend.to_string(),
            device: device.name,
            driver: device.driver,
            tests,
        };
        write_json(path, &results)?;
    }
    Ok(Found::failure_if(failed))
}
