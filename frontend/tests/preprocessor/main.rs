//! The preprocessor, held against that of the system's C++ compiler, token by token: on the
//! corpus and on random programs of macros.
//!
//! `BABYCUDA_CASES` sets how many random programs; without `g++` the tests say so and pass.

mod compiler;
mod programs;

use babycuda_frontend::{Options, preprocessed};
use babycuda_testkit::Distribution;
use compiler::{Compiler, tokens};
use programs::Program;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::path::PathBuf;

/// The names of programs and markers in a file of many.
fn program_text(programs: &[Program]) -> (String, Vec<std::ops::Range<usize>>) {
    let mut text = String::new();
    let mut lines = Vec::new();
    for (k, program) in programs.iter().enumerate() {
        let start = text.lines().count();
        text += &format!("BEGIN_{k}\n{}\n", program.text(k));
        lines.push(start..text.lines().count());
    }
    text += &format!("BEGIN_{}\n", programs.len());
    (text, lines)
}

/// Compares a batch; the first program that differs, if any.
fn compare(
    compiler: &Compiler,
    programs: &[Program],
    distribution: &mut Distribution,
) -> Result<(), String> {
    let (text, lines) = program_text(programs);
    let printed = compiler.preprocess(&text);
    let theirs = tokens(&printed.text);
    for (k, program) in programs.iter().enumerate() {
        if printed.errors.iter().any(|line| lines[k].contains(&(line - 1))) {
            distribution.case(["refused"]);
            continue;
        }
        let position = |k: usize| theirs.iter().position(|t| *t == format!("BEGIN_{k}"));
        let (Some(start), Some(end)) = (position(k), position(k + 1)) else {
            return Err(format!("program {k} swallowed its neighbours:\n{}", program.text(k)));
        };
        let wanted = &theirs[start + 1..end];
        let source = program.text(k);
        let padded = format!("{}{source}", "\n".repeat(lines[k].start + 1));
        let found = preprocessed(&padded, &Options::default());
        let found = tokens(&found.map_err(|e| format!("{e}\n{source}"))?);
        if found != wanted {
            return Err(format!(
                "{source}\nfound  {}\nwanted {}",
                found.join(" "),
                wanted.join(" ")
            ));
        }
        let mut labels = program.labels();
        labels.retain(|l| !wanted.is_empty() || *l == "conditional");
        if program.plain_uses(k) != wanted {
            labels.push("expands");
        }
        if wanted.iter().any(|t| t.starts_with('"') && t.contains(' ')) {
            labels.push("string with a blank");
        }
        distribution.case(labels);
    }
    Ok(())
}

#[test]
fn random_programs_expand_as_the_compiler_says() {
    let Some(compiler) = Compiler::find() else {
        return;
    };
    let cases = std::env::var("BABYCUDA_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(4000);
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let mut distribution = Distribution::default();
    let mut failure = None;
    for _ in 0..cases / 100 {
        let batch: Vec<_> = (0..100)
            .map(|_| programs::program().new_tree(&mut runner).expect("a program"))
            .collect();
        let programs: Vec<Program> = batch.iter().map(|tree| tree.current()).collect();
        if compare(&compiler, &programs, &mut distribution).is_ok() {
            continue;
        }
        // One by one, then the smallest program that differs.
        for mut tree in batch {
            let check = |p: Program| compare(&compiler, &[p], &mut Distribution::default());
            if let Err(first) = check(tree.current()) {
                let mut smallest = first;
                while tree.simplify() {
                    match check(tree.current()) {
                        Err(message) => smallest = message,
                        Ok(()) => {
                            if !tree.complicate() {
                                break;
                            }
                        }
                    }
                }
                failure = Some(smallest);
                break;
            }
        }
        break;
    }
    assert_eq!(failure, None, "{}", failure.as_deref().unwrap_or_default());
    println!("{distribution:?}");
    for (label, share) in [
        ("expands", 0.6),
        ("function-like", 0.4),
        ("variadic", 0.25),
        ("nested call", 0.2),
        ("#", 0.1),
        ("##", 0.1),
        ("__VA_OPT__", 0.03),
        ("conditional", 0.3),
        ("redefinition", 0.1),
        ("string with a blank", 0.03),
    ] {
        assert!(distribution.share(label) >= share, "{label}: {}", distribution.share(label));
    }
    assert!(distribution.share("refused") < 0.3, "{}", distribution.share("refused"));
}

#[test]
fn the_corpus_expands_as_the_compiler_says() {
    let Some(compiler) = Compiler::find() else {
        return;
    };
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let (mut files, mut expanding) = (0, 0);
    for folder in ["../tests/corpus", "tests/goldens"] {
        for entry in std::fs::read_dir(root.join(folder)).expect("a folder") {
            let path = entry.expect("a file").path();
            if path.extension().is_none_or(|e| e != "cu") {
                continue;
            }
            let source = std::fs::read_to_string(&path).expect("text");
            // Compilers without CUDA have no such headers.
            let source = source.replace("#include <cooperative_groups.h>", "");
            let source =
                source.replace("#include <curand_kernel.h>", "").replace("__align__(16)", "");
            let wanted = compiler.preprocess(&source);
            assert_eq!(wanted.errors, [] as [usize; 0], "{}", path.display());
            let wanted = tokens(&wanted.text);
            let found = preprocessed(&source, &Options::default()).expect("readable");
            assert_eq!(tokens(&found), wanted, "{}", path.display());
            files += 1;
            expanding += usize::from(source.contains("#define"));
        }
    }
    assert!(files >= 80 && expanding >= 5, "{files} files, {expanding} with macros");
}
