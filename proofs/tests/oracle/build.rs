//! Building the oracle, once for all tests.

use crate::coq::{built, make};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The oracle, built, if Coq, OCaml and make are there.
pub fn oracle() -> Option<&'static Path> {
    static BUILT: OnceLock<Option<PathBuf>> = OnceLock::new();
    let build = |proofs: &Path| {
        make(&proofs.join("oracle"), &[]);
        proofs.join("oracle/_build/oracle")
    };
    BUILT.get_or_init(|| built(&["make", "coqc", "ocamlopt"], build)).as_deref()
}
