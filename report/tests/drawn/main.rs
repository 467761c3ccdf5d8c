//! Derivations and histories, drawn. To write the goldens anew:
//! `BABYCUDA_WRITE_GOLDENS=1 cargo test -p babycuda-report --test drawn`.

mod beside;
mod escapes;
mod folds;
mod goldens;
mod histories;
mod names;
mod pdf;
mod rules;
mod stopped;
mod widths;
mod xml;

use babycuda::protocols::map::{self, MapLimits};
use babycuda::semantics::{Derivation, Instance, RunOptions};
use babycuda::typing::type_relative;
use babycuda_core::parse::{parse_map, parse_program};
use babycuda_core::{Configuration, Launch, Name, Natural, Site};
use babycuda_report::derivation::{self as render, Drawing};
use std::fs;
use std::path::Path;

fn instance(text: &str, threads: u32) -> Instance {
    let program = parse_program(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    let launch = Launch { warp: program.geometry.warp, ..Launch::threads(threads) };
    Instance::new(program, launch)
}

fn run(text: &str, threads: u32) -> Derivation {
    let evaluation = instance(text, threads).evaluate(&RunOptions::default());
    (*evaluation.derivation.expect("not stuck")).clone()
}

fn titled(title: &str, drawing: Drawing) -> Drawing {
    drawing.titled(title.to_owned(), Vec::new())
}

/// The run of a program, drawn.
fn drawn(text: &str, threads: u32) -> Drawing {
    titled("a run", render::of_run(&run(text, threads)))
}

/// The type of a program, drawn.
fn drawn_type(text: &str) -> Drawing {
    let program = parse_program(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    let typed = type_relative(&program).unwrap_or_else(|e| panic!("{text}: {e}"));
    titled("a type", render::of_type(&typed.derivation))
}

/// The accesses of a protocol, in a memory of ones.
fn accesses(text: &str, threads: u32) -> Result<map::Derivation, Box<map::Attempt>> {
    let file = parse_map(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    let mut at = Configuration::threads(threads);
    at.parameters =
        file.declarations.params.iter().map(|p| (p.name.clone(), 2u32.into())).collect();
    let choose = |_: &Name, _: Site| Natural::zero();
    map::attempt(&file.protocol, &at, &choose, &MapLimits::default())
}

fn drawn_map(text: &str, threads: u32) -> Drawing {
    titled("accesses", render::of_map(&accesses(text, threads).expect("not stuck")))
}

/// LCL22 Fig. 3, middle: two threads, two cells.
const FIGURE_3: &str =
    "param M = 2; shared A = fill 5; forU x in 0..M { let y = A[x] in A[x] := y + 1 }";

/// A block of 64 threads, of which one does something else.
const MANY: &str = "shared A = fill 3; A[tid] := tid; sync; let x = A[(tid + 1) % 64] in \
    if tid == 0 { A[tid] := x } else { let z = A[tid] in A[tid + 100] := x * 2 + z }";

/// A read of a cell that nobody wrote, behind a barrier.
const STUCK: &str = "A[tid] := 1; sync; let x = A[1 - tid] in \
    if x == 1 { let z = A[7] in A[z] := 2 } else { skip }";

/// What the first panel of a rule says, without tags: each row behind a space.
fn card(page: &str, rule: &str) -> Option<String> {
    let mark = format!("<span class=\"rule\">{rule}</span></div></div>");
    let card = page.split("<div class=\"card\"").find(|card| card.contains(&mark))?;
    let card = card.split("</table>").next()?.replace("<td>", " ").replace("</td>", " ");
    let text = card.split('<').filter_map(|part| Some(part.split_once('>')?.1));
    Some(text.collect::<String>().replace("&gt;", ">").replace("&lt;", "<"))
}

fn golden(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens").join(name);
    if std::env::var_os("BABYCUDA_WRITE_GOLDENS").is_some() {
        fs::write(&path, text).unwrap_or_else(|e| panic!("{e}"));
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    assert!(expected == text, "{name} differs from its golden:\n{text}");
}
