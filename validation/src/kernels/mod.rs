//! Kernels of the corpus, compiled by the device's own compiler, at launches whose logs would not
//! fit: their accesses are compared with those of the protocol by
//! [digest](babycuda_gpu::digest), phase by phase and cell by cell.
//!
//! ```text
//! V ⊢ b ▶ p  ⟹  for every phase k and cell j, the sum over the accesses i:o[j] that the device makes
//!               in phase k is the sum over those of Λk, counted with their multiplicity
//! ```

mod expected;
mod table;

pub use expected::{Expected, NoExpectation, expect};
pub use table::{KERNELS, Kernel, LEAST, NoLaunch};

use babycuda_core::Cell;
use babycuda_gpu::JobOptions;
use babycuda_gpu::compiled::{CompiledError, DigestReport, digest};
use babycuda_gpu::text::TextBackend;
use babycuda_semantics::Instance;

/// Why a kernel was not compared, or does not agree.
#[derive(Debug, thiserror::Error)]
pub enum Disagreement {
    /// It cannot be launched.
    #[error(transparent)]
    NoLaunch(#[from] NoLaunch),
    /// There is nothing to compare it with.
    #[error(transparent)]
    NoExpectation(#[from] NoExpectation),
    /// It did not run.
    #[error(transparent)]
    Compiled(#[from] CompiledError),
    /// A thread stopped where its protocol does not, or a number needed more than 64 bits.
    #[error("{0}")]
    Fault(String),
    /// The accesses are others than the protocol's.
    #[error(
        "{found} accesses, {expected} in the protocol; the first sum that differs is of {cell} in \
         phase {phase}"
    )]
    #[allow(missing_docs)]
    Accesses { found: u64, expected: u64, phase: usize, cell: Cell },
    /// The sums are the protocol's, and the number of accesses is not.
    #[error("{found} accesses, {expected} in the protocol, with the same sums")]
    #[allow(missing_docs)]
    Count { found: u64, expected: u64 },
}

/// How kernels are run: the fuel is ample, and what the host leaves undefined is 0.
fn options() -> JobOptions {
    JobOptions { fuel: 1 << 24, ..JobOptions::default() }
}

/// Runs the kernel on the device and compares it with what is expected.
///
/// # Errors
/// [`Disagreement`].
pub fn compare<B: TextBackend>(
    backend: &mut B,
    instance: &Instance,
    expected: &Expected,
) -> Result<DigestReport, Disagreement> {
    let report = digest(backend, instance, &options(), expected.phases())?;
    if let Some((thread, status)) = &report.fault {
        return Err(Disagreement::Fault(format!("{thread}: {status}")));
    }
    if let Some((thread, place)) = &report.overflow {
        return Err(Disagreement::Fault(format!(
            "{thread}: a number of more than 64 bits: {place}"
        )));
    }
    let (found, wanted) = (report.accesses, expected.accesses());
    if let Some((phase, cell)) = expected.first_difference(&report) {
        return Err(Disagreement::Accesses { found, expected: wanted, phase, cell });
    }
    if found != wanted {
        return Err(Disagreement::Count { found, expected: wanted });
    }
    Ok(report)
}
