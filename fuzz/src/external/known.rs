//! Tools whose words are known.

use babycuda_kernel::Language;
use babycuda_validation::scorecard::{About, Case};

/// A tool whose words are known.
pub(super) struct Known {
    pub(super) name: &'static str,
    /// How to get it.
    pub(super) remedy: &'static str,
    /// What makes the program that it runs; empty: it reads the kernel.
    pub(super) build: &'static str,
    pub(super) command: &'static str,
    pub(super) language: Language,
    pub(super) about: About,
    pub(super) sees: Sees,
    pub(super) says: Says,
}

/// How a tool tells what it found.
#[derive(Clone, Copy, Debug)]
pub(super) enum Says {
    Signs(Signs),
    /// By the names of these warnings, or what their names begin with; that it has no warning says nothing.
    Warnings(&'static [&'static str]),
}

/// Where a tool looks for races.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sees {
    Everything,
    /// The threads of one block.
    OneBlock,
    /// Shared memory.
    Shared,
}

impl Sees {
    /// Why it says nothing of a kernel.
    pub(super) fn refusal(self, case: &Case) -> Option<&'static str> {
        match self {
            Sees::OneBlock if case.launch().grid.components() != [1; 3] => {
                Some("it looks at one block")
            }
            Sees::Shared if case.small.array != "s" => Some("it looks at shared memory"),
            _ => None,
        }
    }
}

/// What stands in the output of a tool, and what that means; the first sign that is found counts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Signs {
    pub(super) unsupported: &'static [&'static str],
    pub(super) racy: &'static [&'static str],
    pub(super) divergent: &'static [&'static str],
    /// Empty: of what is race-free it says nothing at all, and ends well.
    pub(super) free: &'static [&'static str],
}

/// Oclgrind runs kernels; with `--uniform-writes`, since the calculus calls two writes of one value a race, and as they are
/// written: an optimising compiler leaves out stores that nobody reads. Faial and GPUVerify analyse them, Faial the threads of
/// one block, GPUVerify with `--no-benign-tolerance`, since it tolerates writes of one value by default. Racecheck runs a program
/// that launches the kernel, and watches shared memory. Clang has no warning of races but those of its thread safety analysis, which is about mutexes and attributes that kernels do not have.
pub(super) const KNOWN: [Known; 5] = [
    Known {
        name: "oclgrind",
        remedy: "apt install oclgrind",
        build: "",
        command: "oclgrind-kernel --data-races --uniform-writes --build-options -cl-opt-disable --num-threads 1 {sim}",
        language: Language::OpenCl,
        about: About::Run,
        sees: Sees::Everything,
        says: Says::Signs(Signs {
            unsupported: &["error: ", "Invalid ", "Error building program", "Failed to "],
            racy: &["data race at "],
            divergent: &["divergence detected"],
            free: &[],
        }),
    },
    Known {
        name: "faial",
        remedy: "https://gitlab.com/umb-svl/faial, with faial-drf on the PATH",
        build: "",
        command: "faial-drf --block-dim {block} --grid-dim {grid} {file}",
        language: Language::Cuda,
        about: About::Inputs,
        sees: Sees::OneBlock,
        says: Says::Signs(Signs {
            // It says 0 where its solver did not decide.
            unsupported: &["Traceback", "Fatal error", "error:", "ERROR:", "has 0 data-races."],
            racy: &["has 1 data-race.", " data-races."],
            divergent: &[],
            free: &["is DRF!"],
        }),
    },
    Known {
        name: "gpuverify",
        remedy: "https://github.com/mc-imperial/gpuverify, with gpuverify on the PATH",
        build: "",
        command: "gpuverify --no-benign-tolerance --blockDim={block} --gridDim={grid} {file}",
        language: Language::Cuda,
        about: About::Inputs,
        sees: Sees::Everything,
        says: Says::Signs(Signs {
            unsupported: &["Traceback", "timed out"],
            // Other things are `possible`, too: `null pointer access`, `attempt to modify constant memory`.
            racy: &["-write race on ", "-read race on ", "-atomic race on "],
            divergent: &["barrier may be reached by non-uniform control flow"],
            // `1 verified, 0 errors` may go on with `1 inconclusive`.
            free: &["- no data races within thread blocks"],
        }),
    },
    Known {
        name: "racecheck",
        remedy: "an NVIDIA GPU, and of the CUDA toolkit nvcc and compute-sanitizer on the PATH",
        // As it is written: an optimising compiler leaves out stores that nobody reads.
        build: "nvcc -G -o {program} {host}",
        command: "compute-sanitizer --tool racecheck {program}",
        language: Language::Cuda,
        about: About::Run,
        sees: Sees::Shared,
        says: Says::Signs(Signs {
            // It counts 0 hazards also where the program died, or never began.
            unsupported: &[
                "CUDA error: ",
                "Target application ",
                "didn't terminate successfully",
                "No attachable process found",
                "Unable to find injection library",
                "Internal Sanitizer Error",
                "Results might be incorrect",
            ],
            racy: &["Race reported between ", " hazard detected at __shared__ "],
            divergent: &[],
            free: &["RACECHECK SUMMARY: 0 hazards displayed"],
        }),
    },
    Known {
        name: "clang",
        remedy: "apt install clang",
        build: "",
        // All of its warnings, and those of its analyzer.
        command: "clang -fsyntax-only -x cl -Xclang -finclude-default-header -fno-caret-diagnostics -Weverything -Xclang -analyze \
                  -Xclang -analyzer-checker=core,deadcode,optin,security,unix,alpha -Xclang -analyzer-output=text {file}",
        language: Language::OpenCl,
        about: About::Inputs,
        sees: Sees::Everything,
        says: Says::Warnings(&["-Wthread-safety"]),
    },
];
