//! CUDA C of a program, read back by the front end, has the program's verdict.

use super::corpus;
use babycuda::core::verdict::Outcome;
use babycuda::{Options as CheckOptions, Settings, check};
use babycuda_core::syntax::{Extent, Program};
use babycuda_core::{Dim3, Name};
use babycuda_frontend::{Options, Overflow, Translation, parse_cuda};
use babycuda_gpu::emit::{self, EmitErrorKind, Target, emit};

/// The verdict in a small launch, all parameters being `value`.
fn verdict(program: &Program, block: Dim3, value: i128) -> Outcome {
    let params = program.params.iter().filter(|p| p.value.is_none());
    let params: Vec<(Name, i128)> = params.map(|p| (p.name.clone(), value)).collect();
    let settings = Settings {
        block: Some(block),
        params: params.into_iter().map(|(name, value)| (name, value.into())).collect(),
        ..Settings::default()
    };
    let program = settings.apply(program).unwrap_or_else(|e| panic!("{e}"));
    let checked = check(&program, &CheckOptions::default());
    checked.unwrap_or_else(|e| panic!("{e:?}")).verdict.outcome
}

fn name(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Drf => "race-free",
        Outcome::Racy => "racy",
        Outcome::Divergent => "divergent",
        Outcome::Unknown(_) => "unknown",
    }
}

#[test]
fn verdicts_survive() {
    let (mut same, mut racy, mut free) = (0, 0, 0);
    let (mut without, mut open) = (Vec::new(), Vec::new());
    for (kernel, program) in corpus::programs() {
        let text = match emit(&program, Target::Cuda, &emit::Options::default()) {
            Ok(text) => text.text,
            Err(error) => {
                assert_eq!(error.kind, EmitErrorKind::Opaque, "{kernel}");
                without.push(kernel);
                continue;
            }
        };
        let plane = program.geometry.block[1] != Extent::Known(1);
        let block = if plane { Dim3 { x: 4, y: 4, z: 1 } } else { Dim3::line(8) };
        let value = 8;
        let params = program.params.iter().map(|p| (p.name.as_str().to_owned(), value));
        let options = Options {
            block: Some(block.components()),
            params: params.collect(),
            overflow: Overflow::Wrap,
            ..Options::default()
        };
        let parsed = parse_cuda(&text, &options);
        let parsed = parsed.unwrap_or_else(|e| panic!("{kernel}: {e}\n{text}"));
        assert_eq!(parsed.len(), 1, "{kernel}");
        let again = match &parsed[0].translation {
            Translation::Program(again) => again,
            Translation::Unsupported(unsupported) => panic!("{kernel}: {unsupported}\n{text}"),
        };
        let before = verdict(&program, block, value);
        let after = verdict(again, block, value);
        // A text of which some value is known may be decided where the kernel is not.
        if matches!(before, Outcome::Unknown(_)) && name(&before) != name(&after) {
            open.push(kernel);
            continue;
        }
        assert_eq!(name(&before), name(&after), "{kernel}: {before:?}, {after:?}\n{text}");
        same += 1;
        racy += usize::from(before == Outcome::Racy);
        free += usize::from(before == Outcome::Drf);
    }
    // It adds floats atomically, and the calculus does not compute with those.
    assert_eq!(without, ["matvec_atomic"]);
    assert_eq!(open, ["dot_divergent"]);
    assert!(same >= 60 && racy >= 20 && free >= 25, "{same}: {racy}, {free}");
}
