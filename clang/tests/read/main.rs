//! What clang reads, as trees: each construct by itself, the corpus, documents that are none. With
//! `BABYCUDA_REQUIRE_SOLVERS=1` a missing clang is a failure, otherwise these tests pass without it.

mod constructs;
mod corpus;
mod documents;
mod errors;

use babycuda_clang::{Clang, ClangError, Found, Language, Source};
use babycuda_kernel::{Kernel, Node};
use std::path::Path;
use std::time::Duration;

const TIME: Duration = Duration::from_secs(60);

fn clang() -> Option<Clang> {
    let required = std::env::var_os("BABYCUDA_REQUIRE_SOLVERS").is_some_and(|v| v == "1");
    match Clang::find() {
        Ok(clang) => Some(clang),
        Err(error) => {
            assert!(!required, "{error}");
            None
        }
    }
}

fn source<'a>(text: &'a str, path: Option<&'a Path>, language: Language) -> Source<'a> {
    Source { path, ..Source::new(text, language) }
}

fn read(clang: &Clang, text: &str, language: Language) -> Result<Vec<Found>, ClangError> {
    clang.read(&source(text, None, language), TIME).map(|(kernels, _)| kernels)
}

/// The constructs of a kernel that are not understood.
fn unknown(kernel: &Kernel) -> Vec<String> {
    let bodies = kernel.functions.iter().map(|f| &f.body).chain(&kernel.globals);
    let nodes = bodies.flat_map(|body| Node::from(body).subterms().collect::<Vec<_>>());
    nodes.filter_map(|node| node.unsupported().map(str::to_owned)).collect()
}
