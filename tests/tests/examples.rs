//! The examples run to their end: what they assert holds. Each of them is here.

use std::error::Error;
use std::fs;

#[path = "../../examples/detector.rs"]
#[allow(dead_code)]
mod detector;
#[path = "../../examples/front_end.rs"]
#[allow(dead_code)]
mod front_end;
#[path = "../../examples/kernel.rs"]
#[allow(dead_code)]
mod kernel;
#[path = "../../examples/lambda.rs"]
#[allow(dead_code)]
mod lambda;
#[path = "../../examples/log.rs"]
#[allow(dead_code)]
mod log;
#[path = "../../examples/oracle.rs"]
#[allow(dead_code)]
mod oracle;
#[path = "../../examples/race.rs"]
#[allow(dead_code)]
mod race;
#[path = "../../examples/types.rs"]
#[allow(dead_code)]
mod types;

/// An example, by its file's name.
type Example = (&'static str, fn() -> Result<(), Box<dyn Error>>);

const EXAMPLES: [Example; 8] = [
    ("detector.rs", detector::main),
    ("front_end.rs", front_end::main),
    ("kernel.rs", kernel::main),
    ("lambda.rs", lambda::main),
    ("log.rs", log::main),
    ("oracle.rs", oracle::main),
    ("race.rs", race::main),
    ("types.rs", types::main),
];

#[test]
fn examples_run() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples");
    let files = fs::read_dir(folder).unwrap().map(|f| f.unwrap());
    // `paper` has programs, which `cli/tests/paper.rs` runs.
    let mut there: Vec<_> = files.map(|f| f.file_name()).filter(|name| name != "paper").collect();
    there.sort();
    assert_eq!(there, EXAMPLES.map(|(name, _)| name), "an example that nobody runs");
    for (name, example) in EXAMPLES {
        example().unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}
