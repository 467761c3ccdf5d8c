//! OpenCL's compiler takes the texts, where there is one.
#![cfg(feature = "opencl")]

use crate::{common, corpus};
use babycuda_gpu::BackendName;
use babycuda_gpu::emit::{EmitErrorKind, Options, Target, emit};
use babycuda_gpu::opencl::OpenCl;
use babycuda_gpu::text::TextBackend;

#[test]
fn the_corpus_compiles() {
    let Some(mut backend) = common::available(BackendName::OpenCl, OpenCl::open()) else { return };
    let mut compiled = 0;
    for (name, program) in corpus::programs() {
        match emit(&program, Target::OpenCl, &Options::default()) {
            Ok(text) => {
                let kernel = backend.compile(&text.text, &text.kernel);
                kernel.unwrap_or_else(|e| panic!("{name}: {e}\n{}", text.text));
                compiled += 1;
            }
            Err(error) => assert_eq!(error.kind, EmitErrorKind::Opaque, "{name}"),
        }
    }
    assert!(compiled >= 55, "{compiled}");
}
