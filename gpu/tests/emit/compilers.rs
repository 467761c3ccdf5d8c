//! Compilers take the texts: those of OpenCL's drivers and NVRTC, where they are. (What naga says
//! of WGSL needs neither.)
#![cfg(any(feature = "opencl", feature = "cuda"))]

use crate::corpus;
use babycuda_core::syntax::Space;
use babycuda_gpu::emit::{EmitErrorKind, EmitOptions, Instrumentation, Target, Text, emit};

/// The texts of all kernels of the corpus that have one, plain and instrumented.
fn texts(target: Target) -> Vec<(String, Text)> {
    let mut texts = Vec::new();
    for (name, program) in corpus::programs() {
        for instrumentation in [
            Instrumentation::None,
            Instrumentation::Log,
            Instrumentation::Digest,
            Instrumentation::Monitor,
        ] {
            let shared = program.arrays.iter().filter(|a| a.space == Space::Shared);
            let open = shared.filter(|a| a.length.is_none());
            let lengths = match instrumentation {
                Instrumentation::None => Default::default(),
                _ => open.map(|a| (a.name.clone(), 256)).collect(),
            };
            match emit(
                &program,
                target,
                &EmitOptions { instrumentation, lengths, ..EmitOptions::default() },
            ) {
                Ok(text) => texts.push((name.clone(), text)),
                Err(error) => {
                    let known = [EmitErrorKind::Opaque, EmitErrorKind::Barrier];
                    assert!(known.contains(&error.kind), "{name}: {error}");
                }
            }
        }
    }
    assert!(texts.len() >= 180, "{}", texts.len());
    texts
}

#[cfg(feature = "opencl")]
#[test]
fn opencl_takes_the_corpus() {
    use crate::common;
    use babycuda_gpu::BackendName;
    use babycuda_gpu::opencl::OpenCl;
    use babycuda_gpu::text::TextBackend;

    let Some(mut backend) = common::available(BackendName::OpenCl, OpenCl::open()) else { return };
    for (name, text) in texts(Target::OpenCl).into_iter().step_by(corpus::step()) {
        let kernel = backend.compile(&text.text, &text.kernel);
        kernel.unwrap_or_else(|e| panic!("{name}: {e}\n{}", text.text));
    }
}

#[cfg(feature = "cuda")]
#[test]
fn nvrtc_takes_the_corpus() {
    use babycuda_gpu::cuda::ptx;
    use babycuda_gpu::text::CompileError;

    for (name, text) in texts(Target::Cuda) {
        match ptx(&text.text) {
            Ok(ptx) => assert!(ptx.contains(&format!(".entry {}(", text.kernel)), "{name}: {ptx}"),
            Err(CompileError::NoCompiler { reason }) => {
                eprintln!("skipped: {reason}");
                return;
            }
            Err(error) => panic!("{name}: {error}\n{}", text.text),
        }
    }
}
