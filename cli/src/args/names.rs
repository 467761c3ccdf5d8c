//! Options whose values have names.

use clap::ValueEnum;

/// What signed overflow does.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum OverflowArg {
    /// It is undefined: the thread that computes it is stuck, and verdicts are about executions
    /// without it.
    AssumeNone,
    /// It wraps around.
    Wrap,
}

/// How to decide.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MethodArg {
    /// Enumerate concrete launches that are small enough, otherwise ask solvers. An ill-typed
    /// program of which nothing is open (launch, parameters, memory) is decided by its one run.
    Auto,
    /// Enumerate every access of the launch: needs --block, --param for every parameter used, and
    /// --grid where the kernel looks at its place in the grid.
    Enumerate,
    /// Ask solvers.
    Smt,
}

/// Which solver.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum SolverArg {
    /// The embedded solver, then z3 and cvc5 where installed.
    Auto,
    /// The embedded solver.
    Builtin,
    /// The program z3.
    Z3,
    /// The program cvc5.
    Cvc5,
}

/// What runs a kernel. Back ends are built in by the features `opencl`, `wgpu` and `cuda`.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BackendArg {
    /// The first device at hand, by cuda, opencl or wgpu; else the simulator.
    Auto,
    /// The simulator, which interleaves threads at every access.
    Sim,
    /// An OpenCL device.
    Opencl,
    /// A Vulkan device.
    Wgpu,
    /// An NVIDIA GPU.
    Cuda,
}

/// A language to print in.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TargetArg {
    /// CUDA C.
    Cuda,
    /// OpenCL C 1.2.
    Opencl,
    /// WGSL.
    Wgsl,
}

/// What an instrumented text records.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum InstrumentArg {
    /// Every access of every thread.
    Log,
    /// A sum of hashes for each phase and cell.
    Digest,
}

/// How to report verdicts.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ReportFormat {
    /// For people: the source with both accesses underlined.
    Human,
    /// For programs: one document a file.
    Json,
    /// For code scanning services.
    Sarif,
}

/// How to report types and runs.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PlainFormat {
    /// For people.
    Human,
    /// For programs.
    Json,
}

/// Which judgment to derive.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum JudgmentArg {
    /// A run: `H, k ⇓ outcome`, with every thread's derivation.
    Run,
    /// A type: `V ⊢ b ▶ u`
    Type,
    /// The accesses of a protocol, or of a program's type: `u ↓ Λ`
    Map,
}

/// How to print a derivation.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DerivationFormat {
    /// Indented text.
    Text,
    /// LaTeX with mathpartir.
    Latex,
    /// A web page.
    Html,
    /// For programs.
    Json,
    /// A term that Coq checks, with the mechanization in proofs/coq.
    Coq,
}
