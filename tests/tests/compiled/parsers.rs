//! The two parsers: where both understand a kernel, their programs are equal, up to the names that bodies
//! bind and to notes. With `BABYCUDA_REQUIRE_SOLVERS=1` a missing clang is a failure, otherwise these tests
//! pass without it. `BABYCUDA_CASES` sets how many random kernels.

use crate::case::{Case, Source, View};
use crate::generate;
use crate::layout::File;
use babycuda::clang::{self, Clang, Language};
use babycuda::core::Program;
use babycuda::read_kernels;
use babycuda_campaign::setting;
use babycuda_frontend::{Kernel, Options, Overflow, Parser, Translation};
use rayon::prelude::*;
use std::fs;
use std::path::{Path, PathBuf};

pub fn has_clang() -> bool {
    let required = std::env::var_os("BABYCUDA_REQUIRE_SOLVERS").is_some_and(|v| v == "1");
    let found = Clang::find();
    assert!(!required || found.is_ok(), "{found:?}");
    found.is_ok()
}

fn source<'a>(text: &'a str, path: Option<&'a Path>) -> clang::Source<'a> {
    clang::Source { path, ..clang::Source::new(text, Language::Cuda) }
}

pub fn read(text: &str, path: Option<&Path>, options: &Options, parser: Parser) -> Vec<Kernel> {
    read_kernels(&source(text, path), options, parser).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// What differs between two programs, but for their names of bound variables.
fn difference(one: &Program, other: &Program) -> Option<String> {
    let same = [
        ("parameters", one.params == other.params),
        ("arrays", one.arrays == other.arrays),
        ("launches", one.geometry == other.geometry),
        ("assumptions", one.assumptions == other.assumptions),
        ("assumptions over contents", one.contents_assumed == other.contents_assumed),
        ("bodies", one.body.alpha_equivalent(&other.body)),
    ];
    let (what, _) = same.into_iter().find(|(_, same)| !same)?;
    Some(format!("{what}:\n{one}\n--- clang:\n{other}"))
}

/// How two readings of a kernel compare; `None`: one of them does not understand it.
pub fn compared(one: &Kernel, other: &Kernel) -> Option<Result<(), String>> {
    match (&one.translation, &other.translation) {
        (Translation::Program(one), Translation::Program(other)) => {
            Some(difference(one, other).map_or(Ok(()), Err))
        }
        _ => None,
    }
}

fn corpus() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let entries = fs::read_dir(folder).expect("the corpus");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("a file").path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "cu"));
    files.sort();
    files
}

#[test]
fn both_parsers_read_the_corpus_alike() {
    if !has_clang() {
        return;
    }
    let results: Vec<_> = corpus()
        .par_iter()
        .flat_map(|path| {
            let text = fs::read_to_string(path).expect("text");
            let options = Options::default();
            let [one, other] = [Parser::Builtin, Parser::Other]
                .map(|parser| read(&text, Some(path), &options, parser));
            let name = path.file_name().expect("a file").to_string_lossy().into_owned();
            // Of a template, clang reads instances.
            let kernel = |k: &Kernel| other.iter().find(|o| o.name == k.name).cloned();
            let pairs = one.into_iter().filter_map(|k| Some((kernel(&k)?, k)));
            let all = pairs.map(|(other, one)| {
                let of = format!("{name}: {}", one.name);
                match compared(&one, &other) {
                    Some(result) => (of, Some(result)),
                    None => {
                        println!("{of}: {:?} / {:?}", reason(&one), reason(&other));
                        (of, None)
                    }
                }
            });
            all.collect::<Vec<_>>()
        })
        .collect();
    let compared = results.iter().filter(|(_, result)| result.is_some()).count();
    let wrong = results.iter().filter_map(|(name, r)| Some((name, r.as_ref()?.as_ref().err()?)));
    let wrong: Vec<String> = wrong.map(|(name, e)| format!("{name}: {e}")).collect();
    assert!(wrong.is_empty(), "{} of {compared} differ: {}", wrong.len(), wrong.join("\n\n"));
    assert!(compared >= 188, "{compared}");
}

/// What the corpus has no kernels of: both understand each, alike.
#[test]
fn both_parsers_read_what_the_device_provides_alike() {
    if !has_clang() {
        return;
    }
    for statements in [
        "surf1Dwrite(f[i], u, 4 * i);",
        "surf2Dwrite(f[i], u, i * sizeof(float), blockIdx.x, cudaBoundaryModeTrap);",
        "f[i] = surf1Dread<float>(w, 4 * i);",
        "float x; surf2Dread(&x, u, 4 * i + 4, 7); surf1Dwrite(x, w, 4 * i);",
        "surf2DLayeredwrite(make_uchar4(1, 2, 3, 4), u, 4 * i, 7, 1); surf3Dwrite(i, w, 4, i, 1);",
        "for (int j = 0; j < SIZE; j++) f[i * SIZE + j] = STRIDE;",
        r#"unsigned r; asm("mov.u32 %0, %%laneid;" : "=r"(r)); f[r] = i;"#,
        r#"unsigned r; asm volatile ("mov.u32 %0, %%ctaid.y;\n\t" : "=r" (r)); f[r] = i;"#,
        r#"f[i] = 1; asm volatile("bar.sync 0;" ::: "memory"); f[i + 1] = 2;"#,
        r#"int r = i, q; asm("{ add.u32 %0, %0, 1;" "mov.u32 %1, %2; }" : "+r"(r), [q] "=r"(q) : "r"(i)); f[i] = r;"#,
        "unsigned x = i, y = blockIdx.x; f[x * y + 1] = __popc(x) + __ffs(y) + __umul24(x, y);",
    ] {
        let text = format!(
            "__global__ void k(float *f, cudaSurfaceObject_t u, cudaSurfaceObject_t w) {{
                 int i = threadIdx.x; {statements}
             }}"
        );
        let kernels = [Parser::Builtin, Parser::Other]
            .map(|parser| read(&text, None, &Options::default(), parser));
        let [[one], [other]] = kernels.each_ref().map(Vec::as_slice) else { panic!("{text}") };
        let reasons = (reason(one), reason(other));
        assert_eq!(compared(one, other), Some(Ok(())), "{statements}: {reasons:?}");
    }
}

pub fn reason(kernel: &Kernel) -> Option<String> {
    match &kernel.translation {
        Translation::Program(_) => None,
        Translation::Unsupported(why) => Some(why.to_string()),
    }
}

/// So many kernels stand in one file that clang reads.
const BATCH: u64 = 50;

/// A case without headers of its own.
pub fn plain(seed: u64) -> Case {
    let case = generate::case(seed);
    let source = match case.source {
        Source::Tree(file) => Source::Tree(File { layout: None, ..file }),
        text => text,
    };
    Case { source, ..case }
}

/// The differences of these cases in a view, and how many were compared.
fn batch(cases: &[Case], view: View) -> (Vec<String>, usize) {
    let Some(first) = cases.first() else { return (Vec::new(), 0) };
    // Each has names and options of its own: only what is symbolic is one for all.
    let options = first.options(view, &first.settings[0]);
    let spaces = cases.iter().enumerate();
    let text: String =
        spaces.map(|(i, case)| format!("namespace n{i} {{\n{}\n}}\n", case.cuda())).collect();
    let others = read(&text, None, &options, Parser::Other);
    assert_eq!(others.len(), cases.len(), "{text}");
    let (mut wrong, mut count) = (Vec::new(), 0);
    for (case, other) in cases.iter().zip(&others) {
        let ones = read(&case.cuda(), None, &options, Parser::Builtin);
        let result = ones.first().and_then(|one| compared(one, other));
        count += usize::from(result.is_some());
        if let Some(Err(what)) = result {
            wrong.push(format!("{case}\n{what}"));
        } else if result.is_none() {
            println!(
                "seed {}: {:?} / {:?}",
                case.seed,
                ones.first().and_then(reason),
                reason(other)
            );
        }
    }
    (wrong, count)
}

#[test]
fn both_parsers_read_random_kernels_alike() {
    if !has_clang() {
        return;
    }
    let (first, count) = (setting("BABYCUDA_SEED", 0), setting("BABYCUDA_CASES", 2_000));
    let starts: Vec<u64> = (first..first + count).step_by(BATCH as usize).collect();
    let (wrong, compared): (Vec<Vec<String>>, Vec<usize>) = starts
        .par_iter()
        .map(|start| {
            let all: Vec<Case> = (*start..(start + BATCH).min(first + count)).map(plain).collect();
            let kinds = [Overflow::Wrap, Overflow::AssumeNone];
            let of_kind = |o| all.iter().filter(|c| c.overflow == o).cloned().collect::<Vec<_>>();
            let results = kinds.map(|kind| batch(&of_kind(kind), View::Symbolic));
            let (wrong, compared): (Vec<_>, Vec<_>) = results.into_iter().unzip();
            (wrong.concat(), compared.iter().sum::<usize>())
        })
        .unzip();
    let (wrong, compared) = (wrong.concat(), compared.iter().sum::<usize>());
    assert!(wrong.is_empty(), "{} of {compared} differ:\n{}", wrong.len(), wrong[0]);
    // Of templates, clang reads instances only.
    assert!(compared as u64 * 20 >= count * 17, "{compared} of {count}");
}
