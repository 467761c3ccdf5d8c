//! What tools printed, as they or others published it, and what is read in it.
//!
//! Texts are short quotations of the source that stands beside them, with their authors' copyright, some without lines that say
//! nothing else. Where a source is code, they are not recorded: they are written as it writes them. Where no status is told, it is
//! the one that the tool's code ends with. Those of Oclgrind, clang and Compute Sanitizer were recorded here.

use super::External;
use crate::process::Ran;
use crate::tool::Answer;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;

/// What is read.
enum Read {
    Racy,
    Free,
    /// This reason.
    Nothing(&'static str),
}

/// Words of a tool.
struct Recorded {
    tool: &'static str,
    source: &'static str,
    status: u8,
    words: &'static str,
    read: Read,
}

/// `recorded/NAME.txt`
macro_rules! file {
    ($name:literal) => {
        include_str!(concat!("recorded/", $name, ".txt"))
    };
}

/// A line of racecheck that outweighs its count of hazards.
macro_rules! no_answer {
    ($line:literal) => {
        of(
            "racecheck",
            WRITTEN,
            0,
            concat!(
                "========= ",
                $line,
                "\n========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)\n"
            ),
            Nothing(concat!("========= ", $line)),
        )
    };
}

const HERE: &str = "recorded here, Oclgrind 21.10";
/// A newer text than the copies of the repository that were at hand (MIT licence).
const FAIAL: &str = "the tutorial of https://gitlab.com/umb-svl/faial, tutorial/README.md";
/// MIT licence.
const FAIAL_OLD: &str =
    "https://github.com/elliotsayes/faial (a copy), tutorial/README.md at a1eb6b5";
const FAIAL_CODE: &str =
    "Faial's drf/bin/tui.ml, drf/bin/app.ml, stage0/rjson.ml, inference/lib/cu_to_json.ml";
/// Microsoft Public License, as its code says.
const GPUVERIFY: &str = "https://github.com/mc-imperial/gpuverify, Documentation/examples";
const GPUVERIFY_TUTORIAL: &str =
    "https://github.com/mc-imperial/gpuverify, Documentation/tutorial.rst";
/// What the tutorial has is of OpenCL C; of CUDA the words are others.
const GPUVERIFY_CUDA: &str =
    "the same, with `thread blocks` for `work groups` as gpuverify.py writes it";
const GPUVERIFY_CODE: &str = "https://github.com/mc-imperial/gpuverify: GPUVerifyErrorReporter.cs, GPUVerifyBoogieDriver.cs \
     (WriteTrailer) and gpuverify.py (RunTool)";
/// NVIDIA.
const RACECHECK: &str = "https://docs.nvidia.com/compute-sanitizer/ComputeSanitizer/index.html";
/// BSD 3-clause.
const CMAKE: &str =
    "https://gitlab.kitware.com/cmake/cmake, Tests/RunCMake/ctest_memcheck/testCudaSanitizer.cmake";
/// Kernels of two threads of a warp and of 64 threads, with `-G`, on an NVIDIA H200.
const SANITIZER: &str = "recorded here, Compute Sanitizer 2025.3.1.0, CUDA 13.0";
/// No log: a word of the tool (`known.rs`) beside a count of 0 hazards, which it must outweigh.
const WRITTEN: &str = "written here";
/// Lines of the tool that logs in public quote, written among those of a program of ours.
const QUOTED: &str = "racecheck's lines in logs of others, with a program's of ours between";

use Read::{Free, Nothing, Racy};

/// Of each tool.
const RECORDED: [Recorded; 49] = [
    // Several races, of shared memory and of global memory.
    of("oclgrind", HERE, 0, file!("oclgrind-races"), Racy),
    of("oclgrind", HERE, 0, file!("oclgrind-divergence"), Racy),
    of("oclgrind", HERE, 0, "", Free),
    of(
        "oclgrind",
        HERE,
        1,
        file!("oclgrind-no-kernel"),
        Nothing("input.cl:#:#: error: use of undeclared identifier 't'"),
    ),
    // With what the kernel prints between.
    of(
        "oclgrind",
        HERE,
        0,
        file!("oclgrind-out-of-bounds"),
        Nothing("Invalid write of size # at global memory address #x#"),
    ),
    // What is not silent and names no race was asked for something else.
    of("oclgrind", HERE, 0, file!("oclgrind-version"), Nothing("Oclgrind #.#")),
    of(
        "oclgrind",
        HERE,
        1,
        "Unable to open simulator file.\n",
        Nothing("Unable to open simulator file."),
    ),
    of("faial", FAIAL, 0, file!("faial-drf"), Free),
    of("faial", FAIAL, 1, file!("faial-racy"), Racy),
    // Other words of older versions: who has one of these learns that it is not understood.
    of(
        "faial",
        FAIAL_OLD,
        0,
        "Program is data-race free!\n",
        Nothing("Program is data-race free!"),
    ),
    of(
        "faial",
        FAIAL_OLD,
        1,
        "*** DATA RACE ERROR ***\n\nArray:   y[1]\nT1 mode: W\nT2 mode: R\n",
        Nothing("Array:   y[#]"),
    ),
    of(
        "faial",
        FAIAL_CODE,
        1,
        "WARNING: using bit-vector logic.\nKernel 'kernel' has 12 data-races.\n\n~~~~ Data-race 1 (CIDD) ~~~~\n\n\
         WARNING: potential alarm, index depends on input, see variables with (D).\n",
        Racy,
    ),
    of(
        "faial",
        FAIAL_CODE,
        1,
        "Kernel 'kernel' has 0 data-races.\nA portion of the kernel was not analyzable. Try to increasing the timeout.\n",
        Nothing("Kernel 'kernel' has # data-races."),
    ),
    // Some are found, and others may be there.
    of(
        "faial",
        FAIAL_CODE,
        1,
        "Kernel 'kernel' has 1 data-race.\nA portion of the kernel was not analyzable. Try to increasing the timeout.\n",
        Racy,
    ),
    of(
        "faial",
        FAIAL_CODE,
        1,
        "kernel.cu:3:5: error: unknown type name 'foo'\n1 error generated.\ncu-to-json: Expecting exit status 0, but got 1\n",
        Nothing("kernel.cu:#:#: error: unknown type name 'foo'"),
    ),
    // It ends with -1 where it does not understand a kernel.
    of(
        "faial",
        FAIAL_CODE,
        255,
        "type mismatch: expecting object, but got null\nnull\nfield: inner: {\"kind\":\"AtomicExpr\"}\n",
        Nothing("type mismatch: expecting object, but got null"),
    ),
    of(
        "faial",
        FAIAL_CODE,
        2,
        "Fatal error: exception Failure(\"??\")\n",
        Nothing("Fatal error: exception Failure(\"??\")"),
    ),
    // A file in which it sees no kernel.
    of("faial", FAIAL_CODE, 0, "", Nothing("no words")),
    of(
        "faial",
        FAIAL_CODE,
        255,
        "ERROR: kernel 'k' not found!\n",
        Nothing("ERROR: kernel 'k' not found!"),
    ),
    of("gpuverify", GPUVERIFY_CUDA, 0, file!("gpuverify-verified"), Free),
    of("gpuverify", GPUVERIFY_TUTORIAL, 6, file!("gpuverify-race-new"), Racy),
    of("gpuverify", GPUVERIFY, 6, file!("gpuverify-two-races"), Racy),
    of("gpuverify", GPUVERIFY, 6, file!("gpuverify-race-between-blocks"), Racy),
    of("gpuverify", GPUVERIFY_CODE, 6, "k.cu: error: possible write-atomic race on A[0]:\n", Racy),
    of("gpuverify", GPUVERIFY, 6, file!("gpuverify-divergence"), Racy),
    of(
        "gpuverify",
        GPUVERIFY,
        6,
        file!("gpuverify-assertion"),
        Nothing(
            "failing-assert.cu:#:#: error: this assertion might not hold for thread (#, #, #) group (#, #, #)",
        ),
    ),
    // Possible, and no race.
    of(
        "gpuverify",
        GPUVERIFY_CODE,
        6,
        "--------------------\nkernel.cu:13:10: error: possible null pointer access for thread 0 in thread block 0:\n  y[0] = y[0] + 1;\n",
        Nothing(
            "kernel.cu:#:#: error: possible null pointer access for thread # in thread block #:",
        ),
    ),
    of(
        "gpuverify",
        GPUVERIFY_CODE,
        6,
        "kernel.cu: error: possible atomic-write race on A[12]:\n\nGPUVerify kernel analyser finished with 0 verified, 1 error, 1 inconclusive\n",
        Racy,
    ),
    // One procedure is verified, and another is not.
    of(
        "gpuverify",
        GPUVERIFY_CODE,
        6,
        "\nGPUVerify kernel analyser finished with 1 verified, 0 errors, 1 inconclusive, 1 time out\n",
        Nothing(
            "GPUVerify kernel analyser finished with # verified, # errors, # inconclusive, # time out",
        ),
    ),
    of(
        "gpuverify",
        GPUVERIFY_CODE,
        7,
        "gpuverifyboogiedriver timed out. Use --timeout=N with N > 300 to increase timeout, or --timeout=0 to disable timeout.\n",
        Nothing(
            "gpuverifyboogiedriver timed out. Use --timeout=N with N > # to increase timeout, or --timeout=# to disable timeout.",
        ),
    ),
    of("racecheck", RACECHECK, 0, file!("racecheck-analysis"), Racy),
    of("racecheck", RACECHECK, 0, file!("racecheck-hazard"), Racy),
    of("racecheck", CMAKE, 0, file!("racecheck-all"), Racy),
    of(
        "racecheck",
        CMAKE,
        1,
        file!("racecheck-not-begun"),
        Nothing(
            "========= Error: Target application terminated before first instrumented API call",
        ),
    ),
    no_answer!("CUDA error: out of memory"),
    no_answer!("Internal Sanitizer Error: some tracking data was lost"),
    no_answer!("Warning: a buffer overflowed. Results might be incorrect"),
    no_answer!("Program didn't terminate successfully"),
    no_answer!("Error: No attachable process found"),
    no_answer!("Unable to find injection library x"),
    of("racecheck", SANITIZER, 0, file!("racecheck-recorded-writes"), Racy),
    of("racecheck", SANITIZER, 0, file!("racecheck-recorded-warp"), Racy),
    of("racecheck", SANITIZER, 0, file!("racecheck-recorded-hazard"), Racy),
    of("racecheck", SANITIZER, 0, file!("racecheck-recorded-clean"), Free),
    of("racecheck", QUOTED, 0, file!("racecheck-interleaved"), Racy),
    of("racecheck", QUOTED, 0, file!("racecheck-interleaved-clean"), Free),
    // It counts no hazards of a program that died.
    of(
        "racecheck",
        QUOTED,
        1,
        file!("racecheck-program-died"),
        Nothing("========= Target application returned an error"),
    ),
    // So many that there is no end of them.
    of(
        "racecheck",
        "https://github.com/ORNL/HeCBench/issues/133",
        0,
        file!("racecheck-many"),
        Racy,
    ),
    of(
        "racecheck",
        "compute-sanitizer 2022.4.1 of Debian, quoted in several repositories",
        13,
        file!("racecheck-no-library"),
        Nothing("========= Unable to find injection library libsanitizer-collection.so"),
    ),
];

const fn of(
    tool: &'static str,
    source: &'static str,
    status: u8,
    words: &'static str,
    read: Read,
) -> Recorded {
    Recorded { tool, source, status, words, read }
}

fn known(tool: &str) -> External {
    External::known(tool, false, Path::new("/nowhere")).expect(tool)
}

fn answer(tool: &External, status: i32, output: &str) -> Answer {
    let status = Some(ExitStatus::from_raw(status));
    tool.judge.answer(&Ran { status, output: output.into(), cut: false })
}

#[test]
fn recorded_words_are_read_as_they_are_meant() {
    for Recorded { tool, source, status, words, read } in RECORDED {
        let expected = match read {
            Racy => Answer::Racy,
            Free => Answer::RaceFree,
            Nothing(why) => Answer::Unsupported(why.to_owned()),
        };
        let tool = known(tool);
        assert_eq!(answer(&tool, i32::from(status) << 8, words), expected, "{source}: {words}");
        // Whatever it printed before: a signal, a panic, a time-out, a flood.
        for crash in [11, 101 << 8, 139 << 8] {
            assert!(matches!(answer(&tool, crash, words), Answer::Crash(_)), "{words}");
        }
        let cut = Ran { status: Some(ExitStatus::from_raw(0)), output: words.into(), cut: true };
        assert!(matches!(tool.judge.answer(&cut), Answer::Unsupported(_)), "{words}");
        let late = Ran { status: None, output: words.into(), cut: false };
        assert_eq!(tool.judge.answer(&late), Answer::TimeOut);
    }
}

/// Words that end anywhere are never read as race-free where all of them are not.
#[test]
fn what_was_cut_off_is_not_race_free() {
    for Recorded { tool, status, words, read, .. } in RECORDED {
        let tool = known(tool);
        for end in (1..words.len()).filter(|end| words.is_char_boundary(*end)) {
            let part = &words[..end];
            let found = answer(&tool, i32::from(status) << 8, part);
            let free = found == Answer::RaceFree;
            assert!(!free || matches!(read, Free) || part.trim().is_empty(), "{part}");
            assert!(found != Answer::Racy || matches!(read, Racy), "{part}");
        }
    }
}

/// What clang 14 printed; its thread safety analysis speaks of C++ with attributes alone, and would count.
#[test]
fn a_compiler_without_a_warning_of_races_says_nothing() {
    let clang = known("clang");
    let words = "k.cl:9:12: warning: implicit conversion changes signedness: '__private int' to 'uint' (aka 'unsigned int') [-Wsign-conversion]
k.cl:5:5: warning: Value stored to 'x' is never read [deadcode.DeadStores]
k.cl:5:5: note: Value stored to 'x' is never read
k.cl:2:5: warning: no name of its own
";
    let why = "no warning of races, but -Wsign-conversion, deadcode.DeadStores";
    assert_eq!(answer(&clang, 0, words), Answer::Unsupported(why.into()));
    assert_eq!(answer(&clang, 0, ""), Answer::Unsupported("no warning".into()));
    let race = "k.cpp:3:5: warning: writing variable 'x' requires holding mutex 'm' exclusively [-Wthread-safety-analysis]\n";
    assert_eq!(answer(&clang, 0, race), Answer::Racy);
    let error = "k.cl:1:1: error: unknown type name 'foo'\n";
    let why = "k.cl:#:#: error: unknown type name 'foo'";
    assert_eq!(answer(&clang, 1 << 8, error), Answer::Unsupported(why.into()));
}
