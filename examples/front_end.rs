//! A front end of your own: lines of a little language become a program, and races are told by its lines.
//!
//! `cargo run --example front_end`

use babycuda::core::expr::tid;
use babycuda::core::{Launch, Num, Program, Site, Span, Stmt};
use babycuda::{CheckOptions, check};

/// `load N` and `store N`: of the cell N behind the thread's own; and `barrier`.
fn program(text: &str, threads: u32) -> Result<Program, String> {
    let mut body = Stmt::Skip;
    for (number, line) in text.lines().enumerate().collect::<Vec<_>>().into_iter().rev() {
        let cell = |distance: &str| -> Result<Num, String> {
            let distance: u64 =
                distance.parse().map_err(|e| format!("line {}: {e}", number + 1))?;
            Ok((tid() + distance) % u64::from(threads))
        };
        body = match line.split_once(' ') {
            Some(("load", distance)) => Stmt::read("x", "A", cell(distance)?, body),
            Some(("store", distance)) => Stmt::seq(Stmt::write("A", cell(distance)?, tid()), body),
            None if line == "barrier" => Stmt::seq(Stmt::sync(), body),
            _ => return Err(format!("line {}: {line}", number + 1)),
        };
    }
    // Statements are numbered in the order of the text, so each has the number of its line.
    let mut program = Program::of_body(body).with_launch(Launch::threads(threads));
    let mut start = 0;
    for (number, line) in (0..).zip(text.lines()) {
        program.sources.spans.insert(Site(number), Span::locate(text, start..start + line.len()));
        start += line.len() + 1;
    }
    Ok(program)
}

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    // The first cells were loaded from a cell that nobody wrote, so they are stored before.
    let text = "store 0\nbarrier\nload 1\nstore 0\nbarrier\nload 3";
    let racy = program(text, 8)?;
    let checked = check(&racy, &CheckOptions::default())?;
    let mut lines = Vec::new();
    for race in &checked.verdict.races {
        let line = |site: Site| racy.sources.spans.get(&site).map_or(0, |span| span.line);
        let [first, second] = [line(race.first.site), line(race.second.site)];
        println!("{}: lines {first} and {second}", race.witness);
        lines.push((first.min(second), first.max(second)));
    }
    assert_eq!(lines, [(3, 4)]);

    let text = text.replace("load 1\n", "load 1\nbarrier\n");
    let checked = check(&program(&text, 8)?, &CheckOptions::default())?;
    println!("with a barrier between: {}", checked.verdict.outcome.word());
    assert_eq!(checked.verdict.outcome.word(), "drf");
    assert!(program("load x", 8).is_err_and(|e| e.starts_with("line 1")));
    Ok(())
}
