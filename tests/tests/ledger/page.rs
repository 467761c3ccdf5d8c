//! The ledger for readers: `docs/RULES.md`.

use babycuda_core::rules::{Coq, GRAMMARS, Grammar, Item, Judgment, Rule, Source};
use std::fmt::Write;
use std::path::Path;

const INTRODUCTION: &str = "\
# Rules

Every inference rule, judgment by judgment, as derivations cite it: its premises, numbered from 1, and its
conclusion; where it is printed, or where it is defined if it is ours; what implements it, and what it is
in the mechanization.

The page is written by its test, from `core/src/rules`: `BABYCUDA_BLESS=1 cargo test -p babycuda-tests
--test ledger`.
";

#[test]
fn the_page_is_the_ledger() {
    let mut page = INTRODUCTION.to_owned();
    for grammar in GRAMMARS {
        let Grammar { name, productions, .. } = grammar;
        let _ = write!(page, "\n## Grammar of {name}\n\n");
        let _ = write!(
            page,
            "<!-- ANCHOR: grammar-{name} -->\n```text\n{productions}\n```\n<!-- ANCHOR_END: grammar-{name} -->\n\n"
        );
        source(&mut page, grammar.source);
        let _ = writeln!(page, "\n{}", section(grammar.section));
    }
    for judgment in Judgment::ALL {
        // The book includes what stands between the anchors.
        let name =
            judgment.rules().next().map_or("", |rule| rule.id.split('/').next().unwrap_or(""));
        let _ = write!(page, "\n<!-- ANCHOR: {name} -->\n## `{}`\n", judgment.form());
        judgment.rules().for_each(|rule| entry(&mut page, rule));
        let _ = writeln!(page, "<!-- ANCHOR_END: {name} -->");
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/RULES.md");
    if std::env::var_os("BABYCUDA_BLESS").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == page, "docs/RULES.md is stale: see its head");
}

fn source(page: &mut String, source: Source) {
    let _ = match source {
        Source::Adapted(place, why) => writeln!(page, "{place}, adapted: {why}"),
        source => writeln!(page, "{source}"),
    };
}

fn section(section: Item) -> String {
    format!("Book: `{}`, “{}”.", section.file, section.text.trim_start_matches(['#', ' ']))
}

fn entry(page: &mut String, rule: &Rule) {
    let anchor = format!("rule-{}", rule.id.replace('/', "-"));
    let _ = write!(
        page,
        "\n### {}\n\n<!-- ANCHOR: {anchor} -->\n```text\n{rule}\n```\n<!-- ANCHOR_END: {anchor} -->\n\n",
        rule.id
    );
    source(page, rule.source);
    let _ = write!(page, "\n{} Rust: `{}`. ", section(rule.section), rule.rust.file);
    let _ = match rule.coq {
        Coq::Constructors(constructors) => {
            let names = constructors.iter().map(|c| format!("`{}` in `{}`", c.name, c.file));
            writeln!(page, "Coq: {}.", names.collect::<Vec<_>>().join(", "))
        }
        Coq::Definition(item) => writeln!(page, "Coq: `{}` in `{}`.", item.text, item.file),
        Coq::NotMechanized(why) => writeln!(page, "Not in Coq: {why}."),
    };
}
