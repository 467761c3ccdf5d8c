//! WGSL is valid, as naga sees it: every kernel of the corpus and random programs, plain and
//! instrumented.

use super::corpus;
use babycuda_core::Program;
use babycuda_core::syntax::Space;
use babycuda_gpu::emit::{EmitErrorKind, EmitOptions, Instrumentation, Target, emit};
use babycuda_testkit::generators::{Profile, programs};
use naga::valid::{Capabilities, ValidationFlags, Validator};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

const ALL: [Instrumentation; 4] = [
    Instrumentation::None,
    Instrumentation::Log,
    Instrumentation::Digest,
    Instrumentation::Monitor,
];

/// Validates the text of a program that has one; how many had.
fn validate(program: &Program, what: &str) -> usize {
    let mut valid = 0;
    let shared = program.arrays.iter().filter(|array| array.space == Space::Shared);
    let lengths = shared.map(|array| (array.name.clone(), 64)).collect::<Vec<_>>();
    for instrumentation in ALL {
        let lengths = lengths.iter().cloned().collect();
        let text = match emit(
            program,
            Target::Wgsl,
            &EmitOptions { instrumentation, lengths, ..EmitOptions::default() },
        ) {
            Ok(text) => text.text,
            Err(error) => {
                let known = matches!(
                    error.kind,
                    EmitErrorKind::Barrier
                        | EmitErrorKind::Number { .. }
                        | EmitErrorKind::Opaque
                        | EmitErrorKind::Atomic(..)
                );
                assert!(known, "{what}: {error}");
                continue;
            }
        };
        let module = naga::front::wgsl::parse_str(&text)
            .unwrap_or_else(|e| panic!("{what}: {}\n{text}", e.emit_to_string(&text)));
        let capabilities = Capabilities::SHADER_INT64
            | Capabilities::SHADER_INT64_ATOMIC_MIN_MAX
            | Capabilities::SHADER_INT64_ATOMIC_ALL_OPS;
        let mut validator = Validator::new(ValidationFlags::all(), capabilities);
        if let Err(error) = validator.validate(&module) {
            panic!("{what}: {}\n{text}", error.emit_to_string(&text));
        }
        valid += 1;
    }
    valid
}

#[test]
fn kernels_of_the_corpus_are_valid() {
    let valid: usize = corpus::programs().iter().map(|(name, p)| validate(p, name)).sum();
    assert!(valid >= 150, "{valid}");
}

#[test]
fn random_programs_are_valid() {
    let mut runner = TestRunner::deterministic();
    let strategy = programs(Profile { huge: false, ..Profile::ANY });
    let mut valid = 0;
    for _ in 0..400 {
        let program = strategy.new_tree(&mut runner).expect("a program").current();
        valid += validate(&program, &program.to_string());
    }
    assert!(valid >= 600, "{valid}");
}
