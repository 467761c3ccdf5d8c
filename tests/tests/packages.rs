//! Every crate that is published can be: what a registry asks of it is there, and its errors are what
//! `docs/STABILITY.md` promises.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The folders of the workspace's crates.
fn crates() -> Vec<PathBuf> {
    let manifest = read(&root().join("Cargo.toml"));
    let members = manifest.split("members = [").nth(1).and_then(|rest| rest.split(']').next());
    let members = members.expect("a list of members").split(',');
    let members = members.map(|member| root().join(member.trim().trim_matches('"')));
    members.chain([root()]).collect()
}

/// Every Rust file below a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let found = paths.flat_map(|path| match path.is_dir() {
        true => sources(&path),
        false => vec![path],
    });
    found.filter(|path| path.extension().is_some_and(|e| e == "rs")).collect()
}

#[test]
fn published_crates_have_what_a_registry_asks_for() {
    let (mut published, unpublished) = (0, unpublished());
    for folder in crates() {
        let path = folder.join("Cargo.toml");
        let manifest = read(&path);
        if manifest.contains("publish = false") {
            continue;
        }
        published += 1;
        for field in ["description", "version", "license", "keywords", "categories", "readme"] {
            let has = manifest.lines().any(|line| line.starts_with(field));
            assert!(has, "{} has no {field}", path.display());
        }
        for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
            assert!(folder.join(licence).exists(), "{} has no {licence}", folder.display());
        }
        // Where a crate has a page of its own, it is that one.
        let names_it = manifest.contains("readme = \"README.md\"");
        assert_eq!(folder.join("README.md").exists(), names_it, "{}", path.display());
        // No address is given but of a page that there is, and there is none yet.
        assert!(!manifest.contains("http"), "{} has an address", path.display());
        // A dependency is found by its version, once the crate stands alone; tests are left out.
        let (needed, _) = manifest.split_once("[dev-dependencies]").unwrap_or((&manifest, ""));
        let names = needed.lines().filter_map(|line| line.split(['.', ' ']).next());
        let missing: Vec<&str> = names.filter(|name| unpublished.contains(*name)).collect();
        assert!(missing.is_empty(), "{} depends on {missing:?}", path.display());
        for line in needed.lines().filter(|line| line.contains("path = \"") && line.contains('{')) {
            assert!(line.contains("version = "), "{}: {line}", path.display());
        }
    }
    assert!(published > 8, "{published} crates are published");
    let manifest = read(&root().join("Cargo.toml"));
    let keywords = manifest.split("\nkeywords = [").nth(1).and_then(|rest| rest.split(']').next());
    let keywords: Vec<&str> = keywords.expect("keywords").split(", ").collect();
    let is_short = |word: &&str| word.trim_matches('"').len() <= 20 && !word.contains(' ');
    assert!(keywords.len() <= 5 && keywords.iter().all(is_short), "{keywords:?}");
}

/// The crates that are not published.
fn unpublished() -> BTreeSet<String> {
    let manifests = crates().into_iter().map(|folder| read(&folder.join("Cargo.toml")));
    let unpublished = manifests.filter(|manifest| manifest.contains("publish = false"));
    let name = |manifest: String| manifest.split('"').nth(1).unwrap_or_default().to_owned();
    let names: BTreeSet<String> = unpublished.map(name).collect();
    assert!(names.contains("babycuda-tests"), "{names:?}");
    names
}

#[test]
fn no_crate_reads_a_file_outside_of_its_folder() {
    for folder in crates() {
        let sources = sources(&folder.join("src"));
        assert!(!sources.is_empty() || !folder.join("src").exists());
        for path in sources {
            let within = path.strip_prefix(&folder).map_or(0, |p| p.components().count() - 1);
            let too_far = format!("include_str!(\"{}", "../".repeat(within + 1));
            assert!(!read(&path).contains(&too_far), "{}", path.display());
        }
    }
}

/// The crates that `docs/STABILITY.md` calls not stable.
fn unstable() -> Vec<String> {
    let page = read(&root().join("docs/STABILITY.md"));
    let named = page.split("\nNot stable: ").nth(1).and_then(|rest| rest.split(';').next());
    let named = named.expect("the crates that are not stable").split('`').skip(1).step_by(2);
    named.map(|name| name.trim_start_matches("babycuda").replace('-', "")).collect()
}

#[test]
fn public_errors_may_get_new_variants() {
    let (unstable, mut errors) = (unstable(), 0);
    let is_stable = |folder: &PathBuf| {
        folder.file_name().is_none_or(|name| unstable.iter().all(|other| **other != *name))
    };
    for path in crates().iter().filter(|f| is_stable(f)).flat_map(|f| sources(&f.join("src"))) {
        for item in read(&path).split("\n\n") {
            let Some((attributes, rest)) = item.split_once("\npub enum ") else { continue };
            if attributes.contains("Error)]") {
                let name = rest.split([' ', '<']).next().unwrap_or_default();
                let grows = attributes.contains("#[non_exhaustive]");
                assert!(grows, "{}: {name} is an error and not #[non_exhaustive]", path.display());
                errors += 1;
            }
        }
    }
    assert!(errors > 30, "{errors}");
}

/// Who may import whom: a crate those on the levels above its own (CONTRIBUTING).
const LEVELS: [&[&str]; 10] = [
    &["core"],
    &["kernel"],
    &["clang"],
    &["campaign", "smt", "semantics", "typing", "protocols", "frontend", "traces"],
    &["gpu", "testkit", "certificates", "detectors"],
    &["babycuda", "proofs"],
    &["exercises", "report"],
    &["files", "validation"],
    &["fuzz"],
    &["mutants", "cli", "python", "tests", "benches"],
];

/// No technique asks another: what they share stands beside them.
#[test]
fn techniques_do_not_know_each_other() {
    const TECHNIQUES: [&str; 4] = ["two_thread", "symbolic_heap", "amplification", "hirace"];
    let folder = root().join("detectors/src");
    for technique in TECHNIQUES {
        let files = sources(&folder.join(technique));
        assert!(files.len() > 5, "{technique}");
        for file in files {
            let text = read(&file);
            let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
            let words =
                code.flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_'));
            let others: BTreeSet<&str> =
                TECHNIQUES.into_iter().filter(|t| *t != technique).collect();
            let known: Vec<&str> = words.filter(|word| others.contains(word)).collect();
            assert!(known.is_empty(), "{}: {known:?}", file.display());
        }
    }
}

#[test]
fn dependencies_go_down_only() {
    let level = |name: &str| {
        let level = LEVELS.iter().position(|crates| crates.contains(&name));
        level.unwrap_or_else(|| panic!("{name} has no level"))
    };
    let mut arrows = 0;
    for folder in crates() {
        let manifest = read(&folder.join("Cargo.toml"));
        let section = |title: &str| manifest.split_once(title).map_or("", |(_, rest)| rest);
        let name = section("name = \"").split('"').next().unwrap_or_default();
        let name = name.trim_start_matches("babycuda-");
        let below = level(name);
        // Tests may look at everything.
        let needed = section("\n[dependencies]").split("\n[").next().unwrap_or_default();
        for line in needed.lines().filter(|line| line.starts_with("babycuda")) {
            let other = line.split(['.', ' ']).next().unwrap_or_default();
            let other = other.trim_start_matches("babycuda-");
            let known = (name, other) == ("protocols", "smt");
            assert!(level(other) < below || known, "{name} depends on {other}");
            arrows += 1;
        }
    }
    assert!(arrows > 25, "{arrows}");
}

/// Whoever adds a construct finds in CONTRIBUTING each file that asks for one by its name.
#[test]
fn files_that_ask_for_a_construct_are_named() {
    let page = read(&root().join("CONTRIBUTING.md"));
    let section = page.split_once("## How to add a construct").expect("a section").1;
    let section = section.split("\n## ").next().expect("its text");
    // A folder before a list of files does not stand for all that is in it.
    let parts: Vec<&str> = section.split('`').collect();
    let named = parts.windows(2).skip(1).step_by(2);
    let named: Vec<&str> =
        named.filter(|pair| !pair[1].starts_with(" (")).map(|pair| pair[0]).collect();
    let rare = ["Atomic", "Sync", "Any", "Input"];
    let asks = |text: &str| {
        let variant = |kind: &str| rare.iter().any(|v| text.contains(&format!("{kind}::{v}")));
        ["Stmt", "Protocol", "Head"].into_iter().any(variant)
    };
    let (mut found, mut missing) = (0, Vec::new());
    for source in crates().iter().flat_map(|folder| sources(&folder.join("src"))) {
        let path = source.strip_prefix(root()).expect("a file of the project");
        let is_test = path.ends_with("tests.rs") || path.iter().any(|part| part == "tests");
        let is_aid = path.starts_with("testkit") || path.starts_with("mutants");
        // What stands below `mod tests` is a test.
        let text = read(&source);
        let code = text.split("\n#[cfg(test)]\nmod ").next().expect("text before it");
        if is_test || is_aid || !asks(code) {
            continue;
        }
        let is_named = |name: &&str| path.ends_with(name) || path.starts_with(name);
        found += 1;
        if !named.iter().any(is_named) {
            missing.push(path.to_owned());
        }
    }
    assert!(missing.is_empty(), "not named: {missing:?}");
    assert!(found > 40, "{found}");
}

/// The rows of a page that say of a feature how many crates it has.
fn weights(page: &str) -> Vec<(String, usize)> {
    let rows = page.lines().filter_map(|line| line.trim_start_matches("//! ").strip_prefix("| "));
    let weights = rows.filter_map(|row| {
        let mut cells = row.split('|').map(str::trim);
        let feature = cells.next()?.trim_matches('`').to_owned();
        Some((feature, cells.next()?.parse().ok()?))
    });
    weights.collect()
}

/// A page says of every feature of a package how many crates a build of it has.
fn features_weigh(package: &str, folder: &str, page: &str) {
    let rows = weights(&read(&root().join(page)));
    let manifest = read(&root().join(folder).join("Cargo.toml"));
    let features =
        manifest.split("\n[features]\n").nth(1).and_then(|rest| rest.split("\n\n").next());
    let features = features.expect("features").lines().filter(|line| !line.starts_with('#'));
    let names = features.filter_map(|line| line.split(" = ").next()).map(|name| match name {
        "default" => "none",
        name => name,
    });
    let told: BTreeSet<&str> = rows.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(told, names.collect(), "the features of {package} on {page}");
    for (feature, crates) in &rows {
        let feature = if feature == "none" { "" } else { feature.as_str() };
        let args =
            ["tree", "--offline", "-p", package, "-e", "normal,no-proc-macro", "--prefix", "none"];
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(args).args(["--features", feature]).current_dir(root());
        let tree = cargo.output().unwrap();
        let tree = String::from_utf8(tree.stdout).unwrap();
        let name = |line: &str| line.split(' ').take(2).collect::<Vec<_>>().join(" ");
        let all: BTreeSet<String> = tree.lines().filter(|l| !l.is_empty()).map(name).collect();
        assert_eq!(all.len(), *crates, "{package} with `{feature}`: {all:?}");
    }
}

/// What each feature of the facade weighs, as its front page says, and of the program, as the README says.
#[test]
fn features_weigh_what_the_pages_say() {
    features_weigh("babycuda", "", "src/lib.rs");
    features_weigh("babycuda-cli", "cli", "README.md");
}

/// The README and the facade's front page have one map of the crates; `BABYCUDA_BLESS=1` gives the page the README's.
#[test]
fn the_front_page_has_the_map_of_the_crates() {
    let readme = read(&root().join("README.md"));
    let map: Vec<&str> = readme.lines().filter(|line| line.starts_with("| `babycuda")).collect();
    let named: BTreeSet<&str> = map.iter().filter_map(|row| row.split('`').nth(1)).collect();
    let manifests: Vec<String> = crates().iter().map(|f| read(&f.join("Cargo.toml"))).collect();
    let behind = manifests.iter().filter_map(|manifest| manifest.split("name = \"").nth(1));
    let names: BTreeSet<&str> = behind.filter_map(|rest| rest.split('"').next()).collect();
    // Whoever looks for something to use does not look for tests.
    let ours = BTreeSet::from(["babycuda-tests", "babycuda-benches"]);
    let ours = names.iter().filter(|name| ours.contains(*name)).count();
    assert!(named.is_subset(&names), "not of the workspace: {named:?}");
    assert_eq!(named.len() + ours, names.len(), "{named:?} of {names:?}");
    let path = root().join("src/lib.rs");
    let source = read(&path);
    let is_row = |line: &&str| line.starts_with("//! | `babycuda");
    let written: Vec<String> = map.iter().map(|row| format!("//! {row}")).collect();
    if std::env::var_os("BABYCUDA_BLESS").is_some() {
        let before = source.lines().take_while(|line| !is_row(line));
        let behind = source.lines().skip_while(|line| !is_row(line)).skip_while(is_row);
        let lines: Vec<&str> =
            before.chain(written.iter().map(String::as_str)).chain(behind).collect();
        fs::write(&path, lines.join("\n") + "\n").unwrap();
    }
    let page = read(&path);
    let found: Vec<&str> = page.lines().filter(is_row).collect();
    assert_eq!(
        found, written,
        "the map of src/lib.rs is not the README's: BABYCUDA_BLESS=1 writes it"
    );
}

/// How many doc tests a text has: blocks of Rust in comments for documentation that run.
fn doc_tests(text: &str) -> usize {
    let docs = text.lines().map(str::trim_start).filter(|line| !line.starts_with("////"));
    let docs =
        docs.filter_map(|line| line.strip_prefix("//!").or_else(|| line.strip_prefix("///")));
    let fences = docs.filter_map(|line| line.trim_start().strip_prefix("```"));
    let opening = fences.step_by(2).map(str::trim);
    opening.filter(|language| ["", "rust", "should_panic"].contains(language)).count()
}

#[test]
fn every_library_has_a_doc_test() {
    assert_eq!(
        doc_tests("/// ```text\n/// no\n/// ```\n/// ```\n/// f()\n/// ```\nlet a = \"```\";"),
        1
    );
    assert_eq!(doc_tests("//! ```ignore\n//! f()\n//! ```\n// ```"), 0);
    let mut found = 0;
    for folder in crates().iter().filter(|folder| folder.join("src/lib.rs").exists()) {
        // A module of Python's interpreter, which no Rust program can use.
        if read(&folder.join("Cargo.toml")).contains("\ndoctest = false") {
            continue;
        }
        let tests =
            sources(&folder.join("src")).iter().map(|file| doc_tests(&read(file))).sum::<usize>();
        assert!(tests > 0, "{} has no doc test", folder.display());
        found += 1;
    }
    assert!(found > 20, "{found}");
}

/// The names that stand in code quotes in a text.
fn quoted(text: &str) -> BTreeSet<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// Whoever reads a document finds in `docs/STABILITY.md` who wrote it, and whether there is a schema.
#[test]
fn every_document_stands_in_a_table() {
    let page = read(&root().join("docs/STABILITY.md"));
    let section = page.split_once("\n## Documents\n").expect("a section").1;
    let section = section.split("\n## ").next().expect("its text");
    let rows = section.lines().filter(|line| line.starts_with("| `"));
    let told: Vec<&str> = rows.filter_map(|row| row.split('`').nth(1)).collect();
    let known: BTreeSet<&str> = told.iter().copied().collect();
    assert_eq!(known.len(), told.len(), "told twice: {told:?}");
    let entries = fs::read_dir(root().join("schemas")).expect("the schemas");
    let schemas: BTreeSet<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    let described: BTreeSet<String> = known
        .iter()
        .filter(|name| name.ends_with(".json"))
        .map(|name| (*name).to_owned())
        .collect();
    assert_eq!(described, schemas, "the documents with a schema");
    // What is no schema there is a format, and each format of the code is told.
    let quoted = quoted(section);
    let mut formats = 0;
    for source in crates().iter().flat_map(|folder| sources(&folder.join("src"))) {
        let text = read(&source);
        for rest in text.split("\"babycuda/").skip(1) {
            let name = rest.split('"').next().unwrap_or_default();
            // The version of fingerprints in SARIF is no format; a macro's part has no end.
            if name == "v1"
                || !name.chars().all(|c| c.is_ascii_lowercase() || c == '-')
                || name.is_empty()
            {
                continue;
            }
            let format = format!("babycuda/{name}");
            let is_told = schemas.contains(&format!("{name}.json")) || quoted.contains(&*format);
            assert!(is_told, "{}: {format} is not in docs/STABILITY.md", source.display());
            formats += 1;
        }
    }
    assert!(formats > 9, "{formats}");
}
