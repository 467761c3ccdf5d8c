//! Kernels of OpenCL C as clang reads them: all of a batch in one file, each with options of its own.

use crate::wide::case::Case;
use babycuda::clang::{Clang, Found, Source};
use babycuda_frontend::{Kernel, Language, Parser, Reading, Readings, Unsupported, parse_with};
use std::ops::Range;
use std::time::Duration;

/// The kernels of the cases. Their names, and those of their types and functions, are different ones.
pub fn read(cases: &[Case]) -> Vec<Kernel> {
    let (mut text, mut places) = (String::new(), Vec::new());
    for case in cases {
        let start = text.len();
        text += &case.source();
        places.push(start..text.len());
    }
    let clang = Clang::find().expect("clang");
    let source = Source::new(&text, Language::OpenCl);
    let read = clang.read(&source, Duration::from_secs(60));
    let (found, _) = read.unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(found.len(), cases.len(), "{text}");
    let each = cases.iter().zip(places).zip(found);
    each.map(|((case, place), found)| one(case, &text, place, found, &clang)).collect()
}

/// One kernel, as of a file in which nothing else stands.
fn one(case: &Case, text: &str, place: Range<usize>, found: Found, clang: &Clang) -> Kernel {
    // Places in the text stay what they are.
    let alone = " ".repeat(place.start) + &text[place];
    let source = Source::new(&alone, Language::OpenCl);
    let options = babycuda::reading(&source, &case.options(true)).expect("options");
    let unsupported = |e: babycuda::clang::Unreadable| Unsupported::at(e.span, e.message);
    let tree = found.kernel.map_err(unsupported);
    let reading = Reading { name: found.name, span: found.span, tree };
    let readings = Readings { parser: clang.version().into(), kernels: vec![reading] };
    let kernels = parse_with(&alone, &options, Parser::Other, || Ok(readings));
    let mut kernels = kernels.unwrap_or_else(|e| panic!("{e}\n{case}"));
    assert_eq!(kernels.len(), 1, "{case}");
    kernels.remove(0)
}
