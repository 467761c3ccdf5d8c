//! The page `docs/MUTANTS.md`.

use crate::mutant::Mutant;
use crate::run::Fate;

const INTRODUCTION: &str = "\
# Mutants

Each line is a mistake made on purpose in the reference sources, the statements of the theory (T0 to
T8, `proofs/src`) and agreements (`proofs/src/agreement`) that it refutes, and the smallest program
that shows it: the first in the enumeration of `babycuda_proofs::small_scope`, or, where no program
of two statements does, a random one, shrunk. What happened before the phase in question is part of
the program.

The page is written by its test: `BABYCUDA_BLESS=1 cargo test -p babycuda-mutants`.

";

/// The page, for mutants that were killed; others are left out.
pub fn page(mutants: &[Mutant], fates: &[Fate]) -> String {
    let mut page = INTRODUCTION.to_owned();
    page += "| what is wrong | breaks | in | refutes | size | smallest killing program |\n";
    page += "|---|---|---|---|---|---|\n";
    for (mutant, fate) in mutants.iter().zip(fates) {
        let Fate::Killed(killer) = fate else { continue };
        page += &format!(
            "| {} | {} | `{}` | {} | {} | `{}` |\n",
            mutant.name,
            mutant.breaks.name(),
            mutant.file,
            killer.statements.join(", "),
            killer.size,
            cell(&killer.program)
        );
    }
    page
}

/// The program on one line, for a cell of a table; all have the name `main`.
fn cell(program: &str) -> String {
    let body = program.strip_prefix("kernel main;").unwrap_or(program);
    let words: Vec<&str> = body.split_whitespace().collect();
    words.join(" ").replace('|', "\\|")
}
