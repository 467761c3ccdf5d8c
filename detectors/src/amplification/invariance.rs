//! Access invariance (LGAGJL12 §3.4, §4.1): `StaticFlowsTo(P, {log}, Y)`, or what breaks it.

use super::inputs::{Input, data, inputs};
use super::taint::Step;
use super::walk::walk;
use babycuda_kernel::{At, Kernel};
use std::collections::BTreeSet;

/// What the static half says of a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Invariance {
    /// What may differ between two runs whose inputs differ in data; empty: the kernel is access invariant.
    pub variances: Vec<Variance>,
    /// The conditions that data decides, and that are no loop's: what the rewriting of Fig. 6 is about.
    pub branches: BTreeSet<At>,
    /// Loops that data decides: whether they end is not said.
    pub loops: BTreeSet<At>,
}

impl Invariance {
    /// Does every run of a launch make the same accesses between the same barriers, whatever the data?
    pub fn holds(&self) -> bool {
        self.variances.is_empty()
    }
}

/// A statement that breaks access invariance.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variance {
    /// Which.
    pub at: At,
    /// How.
    pub kind: VarianceKind,
    /// The way of the taint there, from an input on.
    pub way: Vec<Step>,
}

impl Variance {
    /// In words: how, and along which way.
    pub fn describe(&self, kernel: &Kernel) -> String {
        let kind = match &self.kind {
            VarianceKind::Address => "the address of an access is computed from data",
            VarianceKind::Guard => "data decides whether an access is made",
            VarianceKind::Barrier => "data decides whether a barrier is passed",
            VarianceKind::Unknown(construct) => return format!("{construct} may do anything"),
        };
        let place = |at: At| format!("at byte {}", kernel[at].bytes.start);
        let steps = self.way.iter().map(|step| format!("{} {}", step.flow, place(step.at)));
        let way = steps.chain([place(self.at)]).collect::<Vec<_>>().join(", ");
        format!("{kind}: {way}")
    }
}

/// How a statement breaks access invariance: the patterns of LGAGJL12 §5.2.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum VarianceKind {
    /// Direct flow: the address of an access is computed from data.
    Address,
    /// Indirect flow: whether an access is made depends on data.
    Guard,
    /// Whether a barrier is passed, or by whom, depends on data; or whether a thread stops.
    Barrier,
    /// A construct that is not understood, by its name: it may do anything.
    Unknown(String),
}

/// Is a kernel access invariant, where these inputs are data and all others configuration?
///
/// Taint goes through assignments and arguments (explicit flows) and from conditions to all that they decide
/// (implicit flows), regardless of the order of statements, so that it holds for every interleaving. Calls are
/// followed, each with its own variables, as if they were inlined. Pointers point to what is assigned to them
/// somewhere; parameters of the kernel point to different memory (§4.1 assumes so, too). Only a condition
/// that decides an access, a barrier or a stop is a variance: the paper refuses every condition that data decides.
///
/// Whether a run ends is not looked at: a loop that data decides may hang, and then makes fewer accesses
/// ([`Invariance::loops`]).
///
/// ```
/// # use babycuda_detectors::amplification::{VarianceKind, invariance, data};
/// # let source = "__global__ void k(int *a, int *b) { a[b[threadIdx.x]] = 1; }";
/// # let kernels = babycuda_frontend::parse_cuda(source, &Default::default()).expect("a file");
/// # let kernel = kernels[0].tree.as_ref().expect("a tree");
/// // a[b[threadIdx.x]] = 1;
/// let found = invariance(kernel, &data(kernel));
/// assert_eq!(found.variances[0].kind, VarianceKind::Address);
/// ```
pub fn invariance(kernel: &Kernel, data: &BTreeSet<Input>) -> Invariance {
    walk(kernel, data)
}

/// The least set of inputs that decide accesses: the property-integrity inputs (LGAGJL12 §5.2). Each is found
/// by running the analysis with it alone as data, as the paper says. Taint comes from one input, never from
/// two together, so that the kernel is invariant in all others at once.
///
/// # Errors
/// What breaks access invariance whatever the inputs are.
pub fn integrity(kernel: &Kernel) -> Result<BTreeSet<Input>, Vec<Variance>> {
    let none = walk(kernel, &BTreeSet::new());
    if !none.holds() {
        return Err(none.variances);
    }
    let decides = |input: &Input| !walk(kernel, &BTreeSet::from([*input])).holds();
    Ok(inputs(kernel).into_iter().filter(decides).collect())
}

/// Is the kernel invariant in what [`Input::is_data`] calls data?
pub fn is_invariant(kernel: &Kernel) -> bool {
    walk(kernel, &data(kernel)).holds()
}
