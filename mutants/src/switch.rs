//! Which mutant is on. This module becomes part of the mutated `babycuda-core`.

use std::sync::LazyLock;

/// The environment variable that holds the number of the mutant, from 1; none: the original.
pub const VARIABLE: &str = "BABYCUDA_MUTANT";

/// Is this mutant on? It stays so as long as the process runs.
pub fn is(number: usize) -> bool {
    static ON: LazyLock<Option<usize>> =
        LazyLock::new(|| std::env::var(VARIABLE).ok()?.parse().ok());
    *ON == Some(number)
}
