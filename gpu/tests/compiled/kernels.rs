//! The kernels of the corpus, in small launches.

use super::corpus;
use super::random::is_deterministic;
use babycuda_core::{Dim3, Launch, Natural, Stmt};
use babycuda_gpu::compiled;
use babycuda_gpu::emit::nonuniform_barriers;
use babycuda_gpu::report::Status;
use babycuda_gpu::text::TextBackend;
use babycuda_gpu::{Job, JobOptions, Runner};
use babycuda_semantics::Instance;

/// Is it an update, and something made of the value that it yields? The order of updates decides that.
fn uses_update(statement: &Stmt) -> bool {
    matches!(statement, Stmt::Atomic { var, body, .. } if body.free_vars().contains(var))
}

pub fn the_corpus_does_what_its_bytecode_does<B: TextBackend>(backend: &mut B) {
    let options = JobOptions { fuel: 1 << 20, log: 1 << 15, ..JobOptions::default() };
    let (mut equal, mut accesses) = (0, 0);
    for (name, program) in corpus::programs().into_iter().step_by(corpus::step()) {
        if !nonuniform_barriers(&program.body).is_empty() {
            continue;
        }
        let plane = program.geometry.block[1] != babycuda_core::syntax::Extent::Known(1);
        let block = if plane { Dim3 { x: 4, y: 4, z: 1 } } else { Dim3::line(8) };
        let mut instance = Instance::new(program, Launch::new(Dim3::line(1), block));
        // Small, as the processor device of Mesa ends all loops after 65,535 iterations.
        for param in instance.program.params.clone() {
            instance = instance.with_parameter(param.name, 3u32);
        }
        let instance = instance.defined_everywhere(&Natural::zero());
        let bytecode = Runner::new(backend).run_one(&Job::new(&instance, &options).unwrap());
        let bytecode = bytecode.unwrap_or_else(|e| panic!("{name}: {e}"));
        let found = compiled::run(backend, &instance, &options);
        let found = found.unwrap_or_else(|e| panic!("{name}: {e}")).remove(0);
        assert_eq!(found.status, bytecode.status, "{name}");
        if !bytecode.is_exact() {
            // An index of -1 is one.
            let beyond = matches!(bytecode.status, Status::OutOfBounds { .. });
            assert!(beyond, "{name}: {}", bytecode.status);
            continue;
        }
        if is_deterministic(&bytecode) {
            assert!(found == bytecode, "{name}");
            equal += 1;
        } else if !instance.program.body.subterms().any(uses_update) {
            // All contents are 0, so races change no access of these kernels.
            assert_eq!(found.accesses(), bytecode.accesses(), "{name}");
            accesses += 1;
        }
    }
    let step = corpus::step();
    assert!(equal * step >= 25 && (equal + accesses) * step >= 50, "{equal}, {accesses}");
}
