//! The table of codes.

use super::{Code, Entry};

/// All codes, in order.
pub const CODES: &[Entry] = &[
    Entry {
        code: Code::WriteWrite,
        id: "BC001",
        title: "write-write race",
        meaning: "Two threads of a block write one cell, and no barrier stands between: which value stays is left to chance.",
        kernel: "__global__ void last(int *a) {\n    a[0] = threadIdx.x;\n}",
        options: &["--block", "2"],
        repair: "Let one thread write (`if (threadIdx.x == 0)`), give each thread a cell of its own, put `__syncthreads()` between \
            the writes, or make the update atomic.",
        source: "LCL22 Def. 1",
    },
    Entry {
        code: Code::ReadWrite,
        id: "BC002",
        title: "read-write race",
        meaning: "A thread reads a cell that another thread of its block writes, and no barrier stands between: it gets the \
            value from before or from after.",
        kernel: "__global__ void turn(int *a) {\n    __shared__ int s[64];\n    s[threadIdx.x] = a[threadIdx.x];\n    \
            a[threadIdx.x] = s[63 - threadIdx.x];\n}",
        options: &["--block", "64"],
        repair: "Put `__syncthreads()` between the two, where all threads of the block get to it. In a loop a second one is \
            needed before the next iteration writes again.",
        source: "LCL22 Def. 1",
    },
    Entry {
        code: Code::Atomic,
        id: "BC003",
        title: "race with an atomic access",
        meaning: "An atomic update and a plain access of one cell by two threads of a block, and no barrier stands between. \
            Atomic updates exclude each other, but no plain access.",
        kernel: "__global__ void count(int *n) {\n    if (threadIdx.x == 0)\n        *n = 0;\n    atomicAdd(n, 1);\n}",
        options: &["--block", "2"],
        repair: "Put a barrier between the plain access and the updates, or make both atomic.",
        source: "LCL22 Def. 1, with atomic accesses as in docs/THEORY.md, section 4",
    },
    Entry {
        code: Code::Divergence,
        id: "BC004",
        title: "barrier divergence",
        meaning: "Threads of a block wait at different barriers, or one ends while another waits. CUDA leaves undefined what \
            happens then.",
        kernel: "__global__ void half(int *a) {\n    if (threadIdx.x < 16)\n        __syncthreads();\n    a[threadIdx.x] = 1;\n}",
        options: &["--block", "32"],
        repair: "Move the barrier out of what only some threads do: conditions and loop bounds around it must be the same for \
            all threads of the block.",
        source: "docs/THEORY.md, section 4: run-to-barrier",
    },
    Entry {
        code: Code::Unknown,
        id: "BC005",
        title: "not decided",
        meaning: "The kernel was not decided, for a reason that has no code of its own. The message says which.",
        kernel: "threads 2; shared A; shared B; A[0] := tid; sync; let x = A[0] in B[x] := 1",
        options: &["--array", "B"],
        repair: "The message says what is missing: here the program races on another array before.",
        source: "docs/LIMITS.md",
    },
    Entry {
        code: Code::BetweenBlocks,
        id: "BC006",
        title: "race between blocks",
        meaning: "Two threads of different blocks access one cell of global memory, at least one of them writes, and they are \
            not both atomic. No barrier of a block orders them.",
        kernel: "__global__ void all(int *a) {\n    a[threadIdx.x] = blockIdx.x;\n}",
        options: &["--block", "32", "--grid", "2"],
        repair: "Let the index depend on blockIdx, use an atomic update, or take two launches: one ends before the next \
            begins. `this_grid().sync()` orders the blocks of a cooperative launch.",
        source: "LCL22 Def. 1 for threads of different blocks: docs/THEORY.md, section 4",
    },
    Entry {
        code: Code::Unsupported,
        id: "BC007",
        title: "not decided: not supported",
        meaning: "The kernel has a construct that is not translated. Nothing is dropped, so no verdict is given; races before \
            it are reported.",
        kernel: "__global__ void k(int *a) {\n    goto end;\nend:\n    a[threadIdx.x] = 1;\n}",
        options: &[],
        repair: "Try `--parser clang`; give missing headers and macros by `-I` and `-D`; or write the part that decides \
            accesses without the construct.",
        source: "docs/LIMITS.md",
    },
    Entry {
        code: Code::Data,
        id: "BC008",
        title: "not decided: rests on data",
        meaning: "Accesses may race, but whether they do depends on values that are read and not known: what the kernel \
            itself stores, floats, what could not be translated. Such an access has no type, so the alarm may be false.",
        kernel: "__global__ void claim(int *a, float *f) {\n    if (sinf(f[threadIdx.x]) > 0.5f)\n        a[0] = threadIdx.x;\n}",
        options: &["--block", "32"],
        repair: "Fix the launch, parameters and contents; `babycuda run` then shows one run. State what is known by \
            `--assume`. Or make indices and conditions independent of data that is written in the same phase.",
        source: "LCL22 Fig. 6 (a read's value has no type), Theorem 1",
    },
    Entry {
        code: Code::Limit,
        id: "BC009",
        title: "not decided: a limit passed",
        meaning: "Time, memory or another limit was used up first.",
        kernel: "__global__ void k(int *a) {\n    a[threadIdx.x] = 1;\n}",
        options: &["--time-limit", "0.000001"],
        repair: "Allow more (`--timeout`, `--time-limit`, `--memory-limit`), or ask for less: fix the launch by `--block` and \
            `--grid`, parameters by `--param`, one array by `--array`.",
        source: "docs/LIMITS.md",
    },
    Entry {
        code: Code::Vacuous,
        id: "BC010",
        title: "not decided: nothing is as assumed",
        meaning: "No launch, or no parameters and contents, satisfy what is assumed and declared. A verdict would be about \
            nothing.",
        kernel: "__global__ void k(int *a, int n) {\n    if (threadIdx.x < n)\n        a[threadIdx.x] = 1;\n}",
        options: &["--assume", "n > 7 && n < 5"],
        repair: "Correct the assumption that the message names.",
        source: "docs/THEORY.md, section 4",
    },
    Entry {
        code: Code::Barriers,
        id: "BC011",
        title: "not decided: barriers",
        meaning: "Which barriers threads reach together was not found out, so the kernel was not split into phases.",
        kernel: "__global__ void some(int *a, int n) {\n    for (int i = 0; i < n; i++) {\n        if (i % 2 == 0)\n            \
            __syncthreads();\n        a[threadIdx.x] = i;\n    }\n}",
        options: &["--grid", "1"],
        repair: "Let conditions and loop bounds around barriers be the same for all threads. `--block` with fixed parameters \
            enumerates the launch instead.",
        source: "LCL22 section 4 (forS), docs/THEORY.md, section 4",
    },
];
