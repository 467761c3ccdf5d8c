//! Every reader of bytes that others wrote, with what it promises: no panic, an error whose place lies in the text, and
//! that whatever it accepts can be written and read again, the same.
//!
//! One list serves the test of mutated inputs (`tests/robustness`) and the targets of `cargo fuzz` (`fuzz/targets`).

mod seeds;

use crate::Target;
use babycuda::clang::Source;
use babycuda::frontend::{FrontendError, Language, Options, parse_cuda};
use babycuda::gpu::Report;
use babycuda::protocols::map::{MapEvidence, check_map};
use babycuda::semantics::{RunEvidence, check_run};
use babycuda::traces::{Format as LogFormat, read_trace, write_trace};
use babycuda::typing::{TypeEvidence, check_type};
use babycuda_core::json::{Format, format_of, from_json, to_json};
use babycuda_core::parse::{ParseError, parse_assumption, parse_map, parse_program};
use babycuda_core::shadow::{Chain, Machine};
use babycuda_core::syntax::MapFile;
use babycuda_core::trace::Trace;
use babycuda_core::{History, Program, Protocol, Stmt};
use babycuda_exercises::catalogue::find as find_exercise;
use babycuda_report::document::Document as Verdict;
use std::fmt::{Debug, Display};

pub use seeds::files;

/// All readers.
pub const READERS: [Target; 11] = [
    Target { name: "program", run: program, seeds: seeds::programs },
    Target { name: "map", run: map, seeds: seeds::maps },
    Target { name: "assumption", run: assumption, seeds: seeds::assumptions },
    Target { name: "cuda", run: cuda, seeds: seeds::kernels },
    Target { name: "document", run: document, seeds: seeds::documents },
    Target { name: "verdict", run: verdict, seeds: seeds::verdicts },
    Target { name: "clang", run: clang, seeds: seeds::clang },
    Target { name: "log", run: log, seeds: seeds::logs },
    Target { name: "table", run: table, seeds: seeds::tables },
    Target { name: "npy", run: npy, seeds: seeds::npy },
    Target { name: "answer", run: answer, seeds: seeds::answers },
];

fn text(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

/// The place of a syntax error is one of the text, or just behind its end.
fn lies_in(text: &str, error: &ParseError) {
    let span = error.span;
    let lines = 1 + text.matches('\n').count();
    assert!((1..=lines).contains(&(span.line as usize)), "line {} of {lines}", span.line);
    assert!(span.start <= span.end && span.end <= text.len(), "{span:?} of {}", text.len());
}

/// What is accepted is what its print says.
fn printed<T: Debug + PartialEq>(
    text: &str,
    parse: impl Fn(&str) -> Result<T, ParseError>,
    show: impl Fn(&T) -> String,
) -> Option<T> {
    match parse(text) {
        Ok(value) => {
            let shown = show(&value);
            let again = parse(&shown).unwrap_or_else(|e| panic!("its print has {e}: {shown}"));
            assert_eq!(again, value, "{shown}");
            Some(value)
        }
        Err(error) => {
            lies_in(text, &error);
            None
        }
    }
}

fn program(bytes: &[u8]) -> bool {
    let parse = |text: &str| parse_program(text).map(|p| p.without_sources());
    printed(&text(bytes), parse, Program::to_string).is_some_and(|p| again(&p))
}

fn map(bytes: &[u8]) -> bool {
    let parse = |text: &str| {
        parse_map(text).map(|mut m| {
            m.declarations = m.declarations.without_sources();
            m
        })
    };
    printed(&text(bytes), parse, MapFile::to_string).is_some_and(|m| again(&m))
}

fn assumption(bytes: &[u8]) -> bool {
    printed(&text(bytes), parse_assumption, ToString::to_string).is_some()
}

fn cuda(bytes: &[u8]) -> bool {
    let text = text(bytes);
    match parse_cuda(&text, &Options::default()) {
        Ok(kernels) => {
            assert!(kernels.iter().all(|kernel| kernel.span.end <= text.len()));
            !kernels.is_empty()
        }
        Err(
            FrontendError::Preprocessor { span, .. }
            | FrontendError::Broken { span, .. }
            | FrontendError::Other { span: Some(span), .. },
        ) => {
            assert!(span.end <= text.len(), "{span:?} of {}", text.len());
            false
        }
        Err(_) => false,
    }
}

/// The document of a value is read as the value.
fn again<T: Format + PartialEq + Debug>(value: &T) -> bool {
    let document = to_json(value).expect("a document");
    let read: T = from_json(&document).unwrap_or_else(|e| panic!("its own document has {e}"));
    assert_eq!(read, *value);
    true
}

fn judged<T: Format + PartialEq + Debug, E: Display>(
    text: &str,
    check: impl Fn(&T) -> Result<(), E>,
) -> bool {
    from_json::<T>(text).is_ok_and(|evidence| {
        // True or not: it is a verdict.
        let _verdict = check(&evidence).map_err(|e| e.to_string());
        again(&evidence)
    })
}

fn document(bytes: &[u8]) -> bool {
    fn of<T: Format + PartialEq + Debug>(text: &str) -> bool {
        from_json::<T>(text).is_ok_and(|value| again(&value))
    }
    let text = text(bytes);
    let Ok(format) = format_of(&text) else { return false };
    match format.as_str() {
        Program::NAME => of::<Program>(&text),
        Stmt::NAME => of::<Stmt>(&text),
        Protocol::NAME => of::<Protocol>(&text),
        MapFile::NAME => of::<MapFile>(&text),
        History::NAME => of::<History>(&text),
        Trace::NAME => of::<Trace>(&text),
        Report::NAME => of::<Report>(&text),
        RunEvidence::NAME => judged(&text, check_run),
        TypeEvidence::NAME => judged(&text, check_type),
        MapEvidence::NAME => judged(&text, check_map),
        _ => false,
    }
}

fn verdict(bytes: &[u8]) -> bool {
    let Ok(verdict) = Verdict::read(&text(bytes)) else { return false };
    let written = verdict.json();
    let read = Verdict::read(&written).unwrap_or_else(|e| panic!("its own document has {e}"));
    assert_eq!(read, verdict);
    assert_eq!(read.json(), written);
    true
}

fn clang(bytes: &[u8]) -> bool {
    let source = Source::new(seeds::CLANG, Language::Cuda);
    babycuda::clang::kernels(&text(bytes), "", &source).is_ok_and(|kernels| !kernels.is_empty())
}

/// Events of a log that are read at most.
const EVENTS: usize = 1 << 16;

fn log(bytes: &[u8]) -> bool {
    let Ok(trace) = read_trace(bytes, EVENTS) else { return false };
    for format in [LogFormat::Binary, LogFormat::Lines] {
        let written = write_trace(Vec::new(), format, &trace).expect("what a log may have");
        assert_eq!(read_trace(&*written, EVENTS).expect("a log of ours"), trace, "{format:?}");
    }
    true
}

fn table(bytes: &[u8]) -> bool {
    Machine::read_csv(bytes, Chain::published()).is_ok_and(|machine| {
        let shown = machine.to_csv();
        assert_eq!(Machine::from_csv(&shown, Chain::published()), Ok(machine), "{shown}");
        true
    })
}

fn npy(bytes: &[u8]) -> bool {
    babycuda_files::npy::read(bytes).is_ok()
}

/// The id of an exercise, a line end, and the answer.
fn answer(bytes: &[u8]) -> bool {
    let end = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len());
    let (id, answer) = (&bytes[..end], bytes.get(end + 1..).unwrap_or_default());
    let Some(exercise) = find_exercise(&text(id)) else { return false };
    let grade = exercise.grade(answer);
    let lines = 1 + answer.iter().filter(|byte| **byte == b'\n').count();
    if let Err(fault) = &grade.result
        && let Some(place) = fault.place
    {
        assert!((1..=lines).contains(&(place.line as usize)), "line {} of {lines}", place.line);
    }
    let (_words, _document) = (grade.human(), grade.document());
    grade.status() == "passed"
}
