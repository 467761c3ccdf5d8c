//! What a protocol says that threads access: Λ, phase by phase, and its races.
//!
//! `cargo run --example lambda`

use babycuda::core::{AccessMode, Configuration, Launch};
use babycuda::parse::parse_map;
use babycuda::protocols::map::{Ending, MapLimits, evaluate};

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Each thread reads its neighbour's cell; then all write their own. The last barrier is missing.
    let map = parse_map("threads 3; forS i in 0..2 { rd[(tid + 1) % 3]; sync; wr[tid] }")?;
    let configuration = Configuration::of_launch(Launch::threads(3));
    let lambda = evaluate(&map.protocol, &configuration, &MapLimits::default())?;
    for (number, accesses) in lambda.accesses().iter().enumerate() {
        let accesses: Vec<String> = accesses.iter().map(ToString::to_string).collect();
        println!("phase {number}: {}", accesses.join(", "));
    }
    assert_eq!(lambda.ending, Ending::Done);
    let races = lambda.races();
    for race in &races {
        println!("{race}");
    }
    // What one iteration writes, the next one reads.
    assert!(races.iter().all(|race| race.phase == 1));
    assert!(
        races.iter().any(|race| race.first.1 != race.second.1 && race.first.1 != AccessMode::Rd)
    );
    Ok(())
}
