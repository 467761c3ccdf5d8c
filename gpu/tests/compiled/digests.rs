//! Digests of grids against their logs.

use babycuda_core::parse::parse_program;
use babycuda_core::{Dim3, Launch};
use babycuda_gpu::compiled::{self, Layout};
use babycuda_gpu::digest::Digest;
use babycuda_gpu::report::Status;
use babycuda_gpu::text::TextBackend;
use babycuda_gpu::{Job, JobOptions, Report};
use babycuda_semantics::Instance;

/// Several blocks, phases and arrays; a cell that a thread reads twice in a phase; atomics.
const KERNEL: &str = "
    param n: u32;
    shared S[8] = fill 3; global A[64] = any; global C[2] = fill 0;
    block 4, 2, 1; grid 3, 2, 1;
    let a = A[tid + 8 * (blockIdx.x + 3 * blockIdx.y)] in
    let b = A[tid + 8 * (blockIdx.x + 3 * blockIdx.y)] in
    S[tid] := a + n;
    sync;
    forS k in 0..n {
      if tid < 4 {
        let s = S[tid + 4] in let t = S[tid] in S[tid] := s + t
      };
      sync
    };
    let s = S[0] in let c = atomic C[blockIdx.y] add.u32 s in
    A[tid + 8 * (blockIdx.x + 3 * blockIdx.y)] := blockIdx.x";

fn instance(text: &str) -> Instance {
    let program = parse_program(text).unwrap_or_else(|e| panic!("{e}"));
    let launch = Launch::new(Dim3 { x: 3, y: 2, z: 1 }, Dim3 { x: 4, y: 2, z: 1 });
    Instance::new(program, launch).with_parameter("n", 2u32)
}

/// The digest of what the logs of all blocks say.
fn expected(layout: &Layout, reports: &[Report], phases: usize) -> Digest {
    let mut digest = Digest::new(phases, layout.cells() as usize);
    for report in reports {
        for (thread, own) in (0u64..).zip(&report.threads) {
            for entry in &own.log {
                let array = &report.arrays[entry.array as usize].name;
                let cell = layout.cell(array, entry.index).unwrap() as usize;
                let thread = report.block.thread(thread);
                assert!(digest.add(thread, entry.mode, entry.phase as usize, cell));
            }
        }
    }
    digest
}

pub fn a_grid_adds_up_to_what_its_logs_say<B: TextBackend>(backend: &mut B) {
    let options = JobOptions::default();
    let instance = instance(KERNEL);
    let reports = compiled::run(backend, &instance, &options).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(reports.len(), 6);
    let found = compiled::digest(backend, &instance, &options, 5).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!((found.fault.clone(), found.overflow), (None, None));
    let layout = Layout::new(&Job::new(&instance, &options).unwrap()).unwrap();
    let logged: usize = reports.iter().flat_map(|r| &r.threads).map(|t| t.log.len()).sum();
    assert_eq!(found.accesses, logged as u64);
    let digest = expected(&layout, &reports, 5);
    assert_eq!(found.digest.first_difference(&digest), None);
    assert_eq!(found.digest, digest);
    // Both runs left the same in memory: the kernel has one race-free outcome.
    let global = |r: &[babycuda_gpu::report::ArrayReport]| r.to_vec();
    assert_eq!(global(&found.arrays), global(&reports[0].arrays));
    // What the logs say is what the semantics says, block by block.
    for (block, report) in (0u64..).zip(&reports) {
        let outcome = babycuda_gpu::compare::expected(&instance.clone().with_block(block), 0);
        for (number, phase) in outcome.history().chronological() {
            assert!(report.accesses()[number].iter().cloned().eq(phase.accesses()), "{block}");
        }
        assert_eq!(outcome.history().len(), report.last_phase as usize + 1);
    }
    // A digest that lacks one access is another one.
    let mut fewer = reports.clone();
    fewer[4].threads[3].log.pop();
    let (phase, cell) = digest.first_difference(&expected(&layout, &fewer, 5)).unwrap();
    assert_eq!(phase, 3);
    assert_eq!(Some(cell as u64), layout.cell(&"A".into(), 3 + 8 * 4));
}

pub fn a_phase_too_many_is_a_fault<B: TextBackend>(backend: &mut B) {
    let instance = instance(KERNEL);
    let found = compiled::digest(backend, &instance, &JobOptions::default(), 2);
    let (thread, status) = found.unwrap_or_else(|e| panic!("{e}")).fault.unwrap();
    assert_eq!((thread.block, thread.index), (0, 0));
    assert!(matches!(status, Status::LogFull(_)), "{status}");
}
