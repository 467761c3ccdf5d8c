//! The races of a log that another tool wrote, here as JSON lines (docs/TRACES.md).
//!
//! `cargo run --example log --features traces`

use babycuda::traces::{Options, Outcome, check};

/// Thread 4 writes what thread 3 has read, of another warp. The warp's barrier does not order them.
const LOG: &str = r#"{"format":"babycuda/trace-lines","version":1,"launch":{"grid":{"x":1,"y":1,"z":1},"block":{"x":8,"y":1,"z":1},"warp":4}}
{"array":{"name":"A"}}
{"place":{"site":1,"file":"mine.cu","line":3}}
{"place":{"site":2,"file":"mine.cu","line":5}}
{"access":{"thread":{"block":0,"index":3},"mode":"rd","cell":{"array":"A","index":7},"site":1}}
{"warp-barrier":{"block":0,"warp":0}}
{"access":{"thread":{"block":0,"index":4},"mode":"wr","cell":{"array":"A","index":7},"site":2}}
{"block-barrier":{"block":0}}
{"access":{"thread":{"block":0,"index":0},"mode":"rd","cell":{"array":"A","index":7},"site":1}}
{"end":{"accesses":3,"barriers":2}}
"#;

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let checked = check(|| Ok(LOG.as_bytes()), &Options::default())?;
    assert_eq!(checked.outcome, Outcome::Racy);
    for race in &checked.races {
        println!("{}:", checked.cell(race));
        for side in [&race.first, &race.second] {
            let place = side.site.and_then(|site| checked.places.get(&site));
            let line = place.map_or(0, |place| place.line);
            println!("  thread {}, {}, line {line}", side.thread.index, side.mode);
        }
    }
    assert_eq!(checked.races.len(), 1);

    // A log that lies is an error with its place.
    let cut = LOG.replace("\"index\":4}", "\"index\":9}");
    let error =
        check(|| Ok(cut.as_bytes()), &Options::default()).expect_err("there is no thread 9");
    println!("{error}");
    Ok(())
}
