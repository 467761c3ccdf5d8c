//! The page `docs/MUTANTS.md`.

use crate::mutant::Mutant;
use crate::run::Fate;
use babycuda_proofs::agreement::AGREEMENTS;
use babycuda_proofs::{STATEMENTS, Statement};
use std::collections::BTreeMap;

const INTRODUCTION: &str = "\
# Mutants

Each line is a mistake made on purpose in the reference sources, and what notices it: the statements
and agreements that its program refutes. The program is the first of the enumeration of
`babycuda_proofs::small_scope` that refutes a statement, else an agreement; where no program of two
statements does, a random one, shrunk. What happened before the phase in question is part of it. The
size is the number of statements of the program under the quantifier.

Where a mistake is no affair of the statements, because they do not speak of the solver, the front end
or a device, a test of the product notices it: the second table names one. The interpreters of
`gpu/kernels` are compiled by PoCL and lavapipe when the tests run; `interpreter.cu`, the few lines
that only CUDA has, has no mutants.

The page is written by its test: `BABYCUDA_BLESS=1 cargo test -p babycuda-mutants --test mutants`.

";

/// The page, for mutants that were killed. Others keep their lines of the page before, if they have any.
pub fn page(mutants: &[Mutant], fates: &[Fate], before: &str) -> String {
    let mut page = INTRODUCTION.to_owned();
    page += "| id | what it says |\n|---|---|\n";
    for Statement { id, text, .. } in STATEMENTS.iter().filter(|s| s.holds).chain(AGREEMENTS) {
        page += &format!("| {id} | {} |\n", cell(text));
    }
    let before: BTreeMap<_, _> = lines(before).map(|(key, by, line)| (key, (by, line))).collect();
    let rows = |by_statement: bool| {
        let rows = mutants.iter().zip(fates).filter_map(|(mutant, fate)| match row(mutant, fate) {
            Some(row) => Some((matches!(fate, Fate::Killed(_)), row)),
            None => {
                let (by, line) = before.get(&(mutant.file.to_owned(), mutant.name.to_owned()))?;
                Some((*by == Noticed::ByTheorems, format!("{line}\n")))
            }
        });
        rows.filter(|(by, _)| *by == by_statement).map(|(_, row)| row).collect::<String>()
    };
    page += "\n| what is wrong | breaks | in | noticed by | size | smallest killing program |\n";
    page += "|---|---|---|---|---|---|\n";
    page += &rows(true);
    page += "\n| what is wrong | with | in | noticed by |\n|---|---|---|---|\n";
    page += &rows(false);
    page
}

/// Who noticed a mutant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Noticed {
    /// A statement or an agreement.
    ByTheorems,
    /// This program of tests, as [`Suite::binary`](crate::suite::Suite::binary) names it, and the test.
    ByTest(String, String),
}

/// Who noticed which mutant when a page was written, by file and name.
pub fn noticed(page: &str) -> BTreeMap<(String, String), Noticed> {
    lines(page).map(|(key, by, _)| (key, by)).collect()
}

/// The lines of mutants in a page, with their file and name, and who noticed them.
fn lines(page: &str) -> impl Iterator<Item = ((String, String), Noticed, &str)> {
    page.lines().filter_map(|line| {
        let cells: Vec<&str> = line.strip_prefix("| ")?.strip_suffix(" |")?.split(" | ").collect();
        let by = match cells[..] {
            [_, _, _, by] => {
                let (tests, test) = by.strip_prefix('`')?.strip_suffix('`')?.split_once("`: `")?;
                Noticed::ByTest(tests.to_owned(), test.to_owned())
            }
            [_, _, _, _, _, _] => Noticed::ByTheorems,
            _ => return None,
        };
        let file = cells[2].strip_prefix('`')?.strip_suffix('`')?;
        Some(((file.to_owned(), cells[0].replace("\\|", "|")), by, line))
    })
}

/// The line of a mutant, if it was killed.
fn row(mutant: &Mutant, fate: &Fate) -> Option<String> {
    let (name, breaks, file) = (cell(mutant.name), mutant.breaks, mutant.file);
    let noticed = match fate {
        Fate::Killed(killer) => {
            let program = killer.program.strip_prefix("kernel main;").unwrap_or(&killer.program);
            let (statements, size) = (killer.statements.join(", "), killer.size);
            format!("{statements} | {size} | `{}`", cell(program))
        }
        Fate::Failed(tests, test) => format!("`{tests}`: `{test}`"),
        _ => return None,
    };
    Some(format!("| {name} | {breaks} | `{file}` | {noticed} |\n"))
}

/// The text on one line, for a cell of a table.
fn cell(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hunt::Killer;

    #[test]
    fn the_page_tells_who_noticed() {
        let mutant = |name, file| Mutant { name, file, breaks: "b", place: "«p»", to: "w" };
        let mutants = [mutant("one | other", "f"), mutant("two", "g"), mutant("three", "h")];
        let killer = Killer {
            statements: vec!["T1".into()],
            size: 1,
            program: "if c || d { skip }".into(),
            explanation: String::new(),
        };
        let by_test = Fate::Failed("core/syntax".into(), "a::b".into());
        let written = page(&mutants, &[by_test, Fate::Killed(killer), Fate::Survived], "");
        let found = noticed(&written);
        let test = Noticed::ByTest("core/syntax".into(), "a::b".into());
        let wanted = [("f", "one | other", test), ("g", "two", Noticed::ByTheorems)];
        let wanted = wanted.map(|(file, name, by)| ((file.to_owned(), name.to_owned()), by));
        // Statements and agreements have a table of their own, and are no mutants.
        assert_eq!(found, wanted.into());
        // Who is not looked for keeps the line.
        let added = Fate::Failed("c/t".to_owned(), "x".to_owned());
        let later = page(&mutants, &[Fate::Survived, Fate::Survived, added], &written);
        assert_eq!(noticed(&later).len(), 3);
        assert!(written.lines().all(|line| later.contains(line)));
    }
}
