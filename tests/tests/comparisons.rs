//! The targets of `cargo fuzz` that compare implementations, on random bytes; and that all targets are where they are looked for.
//!
//! Case `n` is the same everywhere. `BABYCUDA_CASES` says how many are tried of each target, `BABYCUDA_FIRST` with which number
//! they begin.

use babycuda_campaign::{Plan, State, random, setting};
use babycuda_tests::comparisons::COMPARISONS;
use babycuda_tests::comparisons::programs::compare;
use babycuda_tests::{Target, targets};
use rand_xoshiro::rand_core::RngCore;
use std::collections::BTreeMap;
use std::fs;
use std::ops::{ControlFlow, Range};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// Bytes of a case: some are too few for all choices, and others too many.
fn bytes(number: u64) -> Vec<u8> {
    let mut random = random(0, number);
    let mut bytes = vec![0; random.next_u32() as usize % 600];
    random.fill_bytes(&mut bytes);
    bytes
}

/// Whether there was something to compare; or how a case failed.
fn compared(target: Target, number: u64) -> Result<bool, String> {
    catch_unwind(AssertUnwindSafe(|| (target.run)(&bytes(number)))).map_err(|panic| {
        let why = panic.downcast_ref::<String>().map_or("a panic", String::as_str);
        format!("case {number} of {}: {why}", target.name)
    })
}

fn agree(target: Target) {
    let (first, cases) = (setting("BABYCUDA_FIRST", 0), setting("BABYCUDA_CASES", 1_000));
    let plan = Plan { first, batch: 16, ..Plan::of(cases) };
    let work = |(): &mut (), numbers: Range<u64>| {
        ControlFlow::Continue(numbers.map(|number| compared(target, number)).collect())
    };
    let found: Vec<_> = plan.run(State::new(&plan), || (), work, |_| {}).found;
    let failures: Vec<&str> =
        found.iter().filter_map(|one| Some(one.as_ref().err()?.as_str())).collect();
    assert!(failures.is_empty(), "{} failed:\n{}", failures.len(), failures.join("\n"));
    let compared = found.iter().filter(|one| **one == Ok(true)).count();
    assert!(10 * compared >= 8 * found.len(), "only {compared}");
}

#[test]
fn implementations_agree_on_kernels() {
    agree(COMPARISONS[0]);
}

#[test]
fn implementations_agree_on_programs() {
    agree(COMPARISONS[1]);
}

/// What is vacuous or not decided agrees with everything: of a hundred programs, each comparison is made of some.
#[test]
fn each_comparison_of_programs_is_made() {
    let mut made = BTreeMap::new();
    for name in (0..100).flat_map(|number| compare(&bytes(number))) {
        *made.entry(name).or_insert(0) += 1;
    }
    for (name, least) in [
        ("accesses", 25),
        ("derivation", 35),
        ("enumeration", 40),
        ("inference", 90),
        ("interleavings", 25),
        ("invariance", 25),
        ("lambda", 12),
        ("machine", 35),
        ("phases", 25),
        ("simulator", 90),
        ("solvers", 40),
        ("type", 25),
    ] {
        assert!(made.get(name).is_some_and(|often| *often >= least), "{name}: {made:?}");
    }
}

/// `cargo fuzz` has each target, and no other; what is made for OSS-Fuzz has all that `cargo fuzz` lists.
#[test]
fn every_target_is_where_it_is_looked_for() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let read = |path: &str| fs::read_to_string(root.join(path)).expect(path);
    let manifest = read("fuzz/targets/Cargo.toml");
    let names =
        manifest.lines().filter_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'));
    let names: Vec<&str> = names.filter(|name| *name != "babycuda-fuzz-targets").collect();
    assert_eq!(names, targets().map(|target| target.name).collect::<Vec<_>>());
    assert_eq!(manifest.matches("\npath = \"target.rs\"\n").count(), names.len());
    for (path, parts) in [
        ("fuzz/oss-fuzz/build.sh", &["cargo fuzz build --fuzz-dir fuzz/targets", LIST, SEEDS][..]),
        ("scripts/fuzz-targets", &[LIST, SEEDS]),
        ("fuzz/oss-fuzz/Dockerfile", &["base-builder-rust", "COPY build.sh $SRC/"]),
        ("fuzz/oss-fuzz/project.yaml", &["language: rust", "  - libfuzzer", "  - address"]),
    ] {
        let text = read(path);
        assert!(parts.iter().all(|part| text.contains(part)), "{path} lacks one of {parts:?}");
    }
    let page = read("docs/FUZZ.md");
    assert!(COMPARISONS.iter().all(|target| page.contains(&format!("`{}`", target.name))));
}

const LIST: &str = "cargo fuzz list --fuzz-dir fuzz/targets";
const SEEDS: &str = "-p babycuda-tests --example seeds --";
