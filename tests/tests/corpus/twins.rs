//! OpenCL C twins of the corpus: the same kernels, word by word, have the same verdicts.

use super::{agrees, files, flags};
use babycuda::clang::{Clang, Language, Source};
use babycuda::core::verdict::Outcome;
use babycuda::frontend::directives::{Check, directives};
use babycuda::frontend::{Options, Parser, Translation};
use babycuda::{CheckOptions, Checked, check, read_kernels};
use rayon::prelude::*;
use std::time::Duration;

/// Words of CUDA, and what they are in OpenCL C.
const WORDS: &[(&str, &str)] = &[
    ("__shared__", "__local"),
    ("__syncthreads()", "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)"),
    ("atomicAdd", "atomic_add"),
    ("atomicSub", "atomic_sub"),
    ("atomicMin", "atomic_min"),
    ("atomicMax", "atomic_max"),
    ("atomicAnd", "atomic_and"),
    ("atomicOr", "atomic_or"),
    ("atomicXor", "atomic_xor"),
    ("atomicExch", "atomic_xchg"),
    ("atomicCAS", "atomic_cmpxchg"),
    ("unsigned long long", "ulong"),
    ("long long", "long"),
];

/// Places of threads, and the functions that say them.
const PLACES: &[(&str, &str)] = &[
    ("threadIdx", "get_local_id"),
    ("blockIdx", "get_group_id"),
    ("blockDim", "get_local_size"),
    ("gridDim", "get_num_groups"),
];

/// The kernel in OpenCL C, on the same lines; `None`: it has words that OpenCL C lacks.
fn twin(source: &str) -> Option<String> {
    let (before, kernel) = source.split_once("__global__ void")?;
    let (head, body) = kernel.split_once(')')?;
    let (name, parameters) = head.split_once('(')?;
    let code = before.lines().any(|line| !line.trim_start().starts_with("//") && !line.is_empty());
    if code || body.contains("__global__") {
        return None;
    }
    let parameters: Vec<String> = parameters
        .split(',')
        .map(|parameter| match parameter.trim_start() {
            pointer if pointer.contains('*') => {
                parameter.replacen(pointer, &format!("__global {pointer}"), 1)
            }
            _ => parameter.to_owned(),
        })
        .collect();
    let mut text = format!("__kernel void{name}({}){body}", parameters.join(","));
    for (cuda, opencl) in WORDS {
        text = text.replace(cuda, opencl);
    }
    for (cuda, opencl) in PLACES {
        for (number, dimension) in ["x", "y", "z"].iter().enumerate() {
            let place = format!("((uint){opencl}({number}))");
            text = text.replace(&format!("{cuda}.{dimension}"), &place);
        }
    }
    let rest = text.replace("__kernel", "").replace("__local", "").replace("__global ", "");
    let lacks = ["__", "template", "extern", "auto ", "make_", "cooperative", "::", "&&&"];
    (!lacks.iter().any(|word| rest.contains(word))).then(|| before.to_owned() + &text)
}

/// What is said of the only kernel of a text.
fn verdict(text: &str, directive: &Check) -> Result<Checked, String> {
    let flags = flags(directive);
    let options = Options {
        settings: flags.settings.clone(),
        overflow: flags.overflow,
        language: Language::OpenCl,
        ..Options::default()
    };
    let source = Source { defines: &flags.defines, ..Source::new(text, Language::OpenCl) };
    let kernels = read_kernels(&source, &options, Parser::Other).map_err(|e| e.to_string())?;
    let [kernel] = kernels.as_slice() else { return Err("not one kernel".to_owned()) };
    let program = match &kernel.translation {
        Translation::Program(program) => program,
        Translation::Unsupported(why) => return Err(why.to_string()),
    };
    let declarations = flags.settings.apply(program).map_err(|e| e.to_string())?;
    let options = CheckOptions { timeout: Duration::from_secs(20), ..CheckOptions::default() };
    check(&declarations.around(program.body.clone()), &options).map_err(|e| e.to_string())
}

#[test]
fn twins_have_the_verdicts_of_their_kernels() {
    let required = std::env::var_os("BABYCUDA_REQUIRE_SOLVERS").is_some_and(|v| v == "1");
    if Clang::find().is_err() && !required {
        return;
    }
    let all = files();
    let jobs: Vec<(String, String, Check)> = all
        .iter()
        .filter_map(|path| {
            let source = std::fs::read_to_string(path).expect("a file of the corpus");
            let mut checks = directives(&source).expect("directives").checks;
            // One launch of each, the first: what all launches have is the longest to decide.
            let check = checks.pop()?;
            Some((path.file_stem()?.to_string_lossy().into_owned(), twin(&source)?, check))
        })
        .collect();
    let results = jobs.par_iter().with_max_len(1).map(|(name, text, directive)| {
        let found = verdict(text, directive);
        let same = directive.expected.iter().any(|expected| agrees(expected, &found));
        let said = match &found {
            Ok(checked) => format!("{:?}", checked.verdict.outcome),
            Err(why) => why.clone(),
        };
        let decided = found.is_ok_and(|c| !matches!(c.verdict.outcome, Outcome::Unknown(_)));
        (same, decided, format!("{name} {}: {said}", directive.flags.join(" ")))
    });
    let results: Vec<(bool, bool, String)> = results.collect();
    for (_, _, said) in results.iter().filter(|(same, ..)| !same) {
        println!("{said}");
    }
    let same = results.iter().filter(|(same, ..)| *same).count();
    println!(
        "{} of {} kernels have a twin, {same} of them the same verdict",
        jobs.len(),
        all.len()
    );
    assert!(results.iter().all(|(same, decided, _)| *same || !decided));
    if std::env::var("BABYCUDA_CORPUS").is_err() {
        assert!(3 * same >= all.len(), "{same}");
    }
}
