//! Kernels that clang reads for the built-in parser: no verdict is wrong, and what a file leaves open stays
//! open. With `BABYCUDA_REQUIRE_SOLVERS=1` a missing clang is a failure, otherwise these tests pass without it.

use babycuda::clang::{Clang, Language, Source};
use babycuda::core::verdict::Outcome;
use babycuda::{CheckOptions, Checked, Settings, check, check_apart, read_kernels};
use babycuda_core::{Dim3, Program};
use babycuda_frontend::{FrontendError, Kernel, Options, Parser, Translation};
use std::time::Duration;

fn has_clang() -> bool {
    let required = std::env::var_os("BABYCUDA_REQUIRE_SOLVERS").is_some_and(|v| v == "1");
    let found = Clang::find();
    assert!(!required || found.is_ok(), "{found:?}");
    found.is_ok()
}

/// Defined and undefined names.
type Macros<'a> = (&'a [(String, String)], &'a [String]);

fn read(text: &str, language: Language, macros: Macros<'_>, parser: Parser) -> Vec<Kernel> {
    tried(text, language, macros, parser).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// The kernels of a text in blocks of 64 threads, if it can be read.
fn tried(
    text: &str,
    language: Language,
    (defines, undefines): Macros<'_>,
    parser: Parser,
) -> Result<Vec<Kernel>, FrontendError> {
    let source = Source { defines, undefines, ..Source::new(text, language) };
    let block = Some(Dim3 { x: 64, y: 1, z: 1 });
    let options = Options::from(Settings { block, ..Settings::default() });
    read_kernels(&source, &options, parser)
}

/// The verdict on a kernel, or why it is unknown.
fn verdict(kernel: &Kernel) -> Result<Outcome, String> {
    let options = CheckOptions { timeout: Duration::from_secs(3), ..CheckOptions::default() };
    let said = |checked: Checked| match checked.verdict.outcome {
        Outcome::Unknown(why) => Err(why),
        outcome => Ok(outcome),
    };
    let of = |program: &Program| said(check(program, &options).expect("a program"));
    match &kernel.translation {
        Translation::Program(program) => of(program),
        Translation::Unsupported(why) if why.apart.is_empty() => {
            // What is known of it has a race, or what has fewer barriers has none.
            let racy = why.known.as_deref().is_some_and(|program| of(program) == Ok(Outcome::Racy));
            let free = why
                .freer
                .iter()
                .any(|freer| freer.programs.iter().all(|program| of(program) == Ok(Outcome::Drf)));
            match racy {
                true => Ok(Outcome::Racy),
                false if free => Ok(Outcome::Drf),
                false => Err(why.to_string()),
            }
        }
        Translation::Unsupported(why) => {
            let (whole, parts) = why.apart.split_first().expect("parts");
            said(check_apart(whole, parts, &options).expect("programs"))
        }
    }
}

#[test]
fn no_verdict_is_wrong() {
    if !has_clang() {
        return;
    }
    let cuda = Language::Cuda;
    for (text, language, racy, least) in [
        (include_str!("racy.cu"), cuda, true, 99),
        (include_str!("race_free.cu"), cuda, false, 94),
        (include_str!("racy.cl"), Language::OpenCl, true, 46),
        (include_str!("race_free.cl"), Language::OpenCl, false, 38),
    ] {
        let builtin = (language == cuda).then_some(Parser::Builtin);
        for parser in [Parser::Other, Parser::Auto].into_iter().chain(builtin) {
            let mut decided = 0;
            for kernel in read(text, language, (&[], &[]), parser) {
                match verdict(&kernel) {
                    Ok(outcome) => {
                        assert_eq!(outcome == Outcome::Racy, racy, "{}: {outcome:?}", kernel.name);
                        decided += 1;
                    }
                    Err(why) => println!("{}: {why}", kernel.name),
                }
            }
            let least = if parser == Parser::Builtin { least / 3 } else { least };
            assert!(decided >= least, "{parser:?}: {decided} are decided of\n{text}");
        }
    }
}

/// The verdicts, or why they are unknown, on the kernels of a text.
fn verdicts(
    text: &str,
    language: Language,
    parser: Parser,
) -> Vec<(String, Result<Outcome, String>)> {
    let kernels = read(text, language, (&[], &[]), parser);
    kernels.iter().map(|kernel| (kernel.name.clone(), verdict(kernel))).collect()
}

/// These have no race that the calculus knows, and may have one.
#[test]
fn what_may_race_is_not_free() {
    if !has_clang() {
        return;
    }
    for (text, language) in
        [(include_str!("open.cu"), Language::Cuda), (include_str!("open.cl"), Language::OpenCl)]
    {
        let builtin = (language == Language::Cuda).then_some(Parser::Builtin);
        for parser in [Parser::Other, Parser::Auto].into_iter().chain(builtin) {
            for (name, found) in verdicts(text, language, parser) {
                let open = !matches!(found, Ok(Outcome::Drf | Outcome::Racy));
                assert!(open, "{parser:?}, {name}: {found:?}");
            }
        }
    }
}

#[test]
fn what_is_said_of_layouts_counts() {
    if !has_clang() {
        return;
    }
    let kernels = read(include_str!("said.cu"), Language::Cuda, (&[], &[]), Parser::Other);
    assert_eq!(kernels.len(), 6);
    for kernel in kernels {
        let found = verdict(&kernel);
        assert!(!matches!(found, Ok(Outcome::Drf)), "{}: {found:?}", kernel.name);
    }
    let once = "__attribute__((reqd_work_group_size(1, 1, 1))) \
                __kernel void k(__global int *a) { a[0] = get_local_id(0); }";
    let other = tried(once, Language::OpenCl, (&[], &[]), Parser::Auto);
    assert!(matches!(other, Err(FrontendError::Block { .. })), "no other launch is one: {other:?}");
}

const KERNEL: &str = "__global__ void k(int *a) { a[I] = 1; }\n";

/// The kernel, race-free where the condition holds.
fn either(condition: &str) -> String {
    format!("#if {condition}\n#define I threadIdx.x\n#else\n#define I 0\n#endif\n{KERNEL}")
}

#[test]
fn what_a_file_leaves_open_stays_open() {
    if !has_clang() {
        return;
    }
    let types = "#ifdef __GNUC__\ntypedef int T;\n#else\ntypedef char T;\n#endif\n";
    let kernel = "#ifdef __GNUC__\n#define I threadIdx.x\n";
    // What the built-in parser does not understand.
    let folds = "template <class... T> struct X { static constexpr auto f = [](auto... x) { return (x + ...); }; };\n";
    let class = "struct S { int v; operator auto() const { return v; } template <int... N> int all() { return (N + ...); } };\n";
    let last = "__global__ void k(int *a) { S s; s.v = threadIdx.x; a[s.v] = 1; }";
    let texts = [
        either("defined(__linux__)"),
        either("defined(__clang__)"),
        either("!defined(NDEBUG)"),
        format!("#include \"nowhere.h\"\n{}", either("!defined(WIDE)")),
        format!("{types}#define I (T)(threadIdx.x * 256)\n{KERNEL}"),
        format!("{kernel}{KERNEL}#endif\n"),
        format!("{folds}{}", either("defined(__linux__)")),
        format!("#ifdef __linux__\n{class}#else\nstruct S {{ int v; }};\n#endif\n{last}"),
    ];
    for text in texts {
        for parser in [Parser::Other, Parser::Auto] {
            let found = read(&text, Language::Cuda, (&[], &[]), parser);
            assert_eq!(found.len(), 1, "{text}\n{found:?}");
            let open = matches!(found[0].translation, Translation::Unsupported(_));
            assert!(open, "{parser:?}: {text}\n{:?}", found[0].translation);
        }
    }
    let opencl = "#ifdef cl_amd_fp64\n#define I get_local_id(0)\n#else\n#define I 0\n#endif\n\
        kernel void k(global int *a) { a[I] = 1; }";
    let found = read(opencl, Language::OpenCl, (&[], &[]), Parser::Auto);
    assert!(verdict(&found[0]).is_err(), "{found:?}");
    // What clang has is assumed, and a note says so.
    let known = opencl.replace("cl_amd_fp64", "cl_khr_fp64");
    let found = read(&known, Language::OpenCl, (&[], &[]), Parser::Auto);
    assert_eq!(verdict(&found[0]), Ok(Outcome::Drf));
    let Translation::Program(program) = &found[0].translation else { panic!("{found:?}") };
    let mut notes = program.notes.iter().map(|note| note.message.as_str());
    assert!(notes.any(|note| note.contains("`cl_khr_fp64` is assumed to be 1")), "{found:?}");
    let without = ["cl_khr_fp64".to_owned()];
    let found = read(&known, Language::OpenCl, (&[], &without), Parser::Auto);
    assert_eq!(verdict(&found[0]), Ok(Outcome::Racy));
}

#[test]
fn the_command_line_decides() {
    if !has_clang() {
        return;
    }
    let linux = "__linux__".to_owned();
    let text = either("defined(__linux__)");
    let defined = [(linux.clone(), "1".to_owned())];
    let cuda = Language::Cuda;
    let found = read(&text, cuda, (&defined, &[]), Parser::Other);
    assert_eq!(verdict(&found[0]), Ok(Outcome::Drf));
    let found = read(&text, cuda, (&[], &[linux]), Parser::Other);
    assert_eq!(verdict(&found[0]), Ok(Outcome::Racy));
    // No `#define` changes what it says; clang would let it.
    let text = format!("#define I threadIdx.x\n{KERNEL}");
    let found = read(&text, cuda, (&[("I".to_owned(), "0".to_owned())], &[]), Parser::Other);
    let why = verdict(&found[0]).expect_err("open");
    assert!(why.contains("the command line and the file define"), "{why}");
}

/// A call of a name that CUDA has, too, with arguments that fit neither exactly.
#[test]
fn names_that_cuda_declares_are_refused_where_they_are_not_certain() {
    if !has_clang() {
        return;
    }
    let text = |argument: &str| {
        format!(
            "__device__ long abs(short x) {{ return 0; }}\n\
             __global__ void k(int *a) {{ auto f = [] {{ return {argument}; }}; a[abs(f()) + threadIdx.x] = 1; }}"
        )
    };
    for (argument, certain) in [("(short)1", true), ("(char)1", false)] {
        let found = read(&text(argument), Language::Cuda, (&[], &[]), Parser::Other);
        let result = verdict(&found[0]);
        assert_eq!(result.is_ok(), certain, "{argument}: {result:?}");
    }
}
