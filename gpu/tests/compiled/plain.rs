//! Plain texts, as people get them: what they leave in memory is what the bytecode leaves.

use super::corpus;
use super::plain_text::{LENGTH, instance, run, target, text};
use super::random::is_deterministic;
use babycuda_gpu::text::TextBackend;
use babycuda_gpu::{Job, JobOptions, Runner};

pub fn plain_kernels_of_the_corpus_leave_what_their_bytecode_leaves<B: TextBackend>(
    backend: &mut B,
) {
    let mut compared = 0;
    for (name, program) in corpus::programs().into_iter().step_by(corpus::step()) {
        let Some(text) = text(&program, target(backend)) else { continue };
        let instance = instance(&program);
        let options =
            JobOptions { fuel: 1 << 20, log: 1 << 13, length: LENGTH, ..JobOptions::default() };
        let job = Job::new(&instance, &options).expect("a job");
        let report = Runner::new(backend).run_one(&job).expect("a report");
        if !report.is_exact() || !is_deterministic(&report) {
            continue;
        }
        let found = run(backend, &instance, &text);
        for (array, cells) in &found {
            let Some(expected) = report.arrays.iter().find(|known| known.name == *array) else {
                continue;
            };
            let here = &cells[..expected.cells.len()];
            assert_eq!(here, expected.cells, "{name}: {array}\n{}", text.text);
        }
        compared += 1;
    }
    assert!(compared * corpus::step() >= 20, "{compared}");
}
