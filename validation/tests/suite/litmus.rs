//! Litmus tests on every back end that is here.

use crate::backends::{is_here, opened};
use babycuda_gpu::BackendName;
use babycuda_gpu::image::PROGRAM_WORDS;
use babycuda_gpu::sim::{Schedule, Sim};
use babycuda_gpu::{Backend, Device, DeviceError, Image, Output};
use babycuda_validation::litmus::{Placement, Shown, Sort, TESTS, run};
use babycuda_validation::wrong::{Fault, Wrong};
use std::path::Path;

const RUNS: u32 = 200;

fn shown(backend: &mut dyn Backend, tests: &[(&str, &str)]) -> Vec<Shown> {
    let shown =
        run(backend, tests, RUNS, 7).unwrap_or_else(|(name, error)| panic!("{name}: {error}"));
    shown.iter().for_each(|one| print!("{one}"));
    shown
}

/// No run fails, and every test shows several outcomes, but where each thread is alone in its block:
/// a software device runs one block after the other, as many at a time as there are processors.
fn tells_outcomes_apart(backend: BackendName) -> Vec<Shown> {
    if !is_here(backend) {
        return Vec::new();
    }
    let shown = shown(&mut *opened(backend).expect("it is here"), TESTS);
    assert_eq!(shown.len(), Placement::ALL.len() * TESTS.len());
    for one in &shown {
        assert_eq!(one.of(Sort::Failure).1, 0, "{one}");
        let runs = one.of(Sort::Interleaving).1 + one.of(Sort::Weaker).1;
        let alone = matches!(one.placement, Placement::Block | Placement::Grid);
        assert!(runs == u64::from(RUNS) || !alone && runs > u64::from(RUNS), "{one}");
    }
    for one in shown.iter().filter(|one| one.placement != Placement::Grid) {
        assert!(one.of(Sort::Interleaving).0 >= 2, "{one}");
    }
    shown
}

#[test]
fn the_folder_has_these_tests() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("litmus");
    let files = folder.read_dir().expect("the folder").map(|file| file.expect("a file").path());
    let name =
        |file: std::path::PathBuf| file.file_stem().map(|s| s.to_string_lossy().into_owned());
    let mut files: Vec<String> = files.filter_map(name).collect();
    let mut tests: Vec<String> = TESTS.iter().map(|(name, _)| (*name).to_owned()).collect();
    files.sort();
    tests.sort();
    assert_eq!(files, tests);
}

#[test]
fn the_simulator_shows_all_interleavings_and_nothing_else() {
    for one in tells_outcomes_apart(BackendName::Sim) {
        assert_eq!(one.of(Sort::Weaker).1, 0, "{one}");
        let (seen, all) = (one.of(Sort::Interleaving).0, one.possible.len());
        assert!(seen == all || all > 10 && seen * 2 > all, "{one}");
    }
}

#[test]
fn outcomes_on_opencl() {
    tells_outcomes_apart(BackendName::OpenCl);
}

#[test]
fn outcomes_on_wgpu() {
    tells_outcomes_apart(BackendName::Wgpu);
}

#[test]
fn outcomes_on_cuda() {
    tells_outcomes_apart(BackendName::Cuda);
}

/// A device that forges what the second thread of a test sees.
struct Forger {
    sim: Sim,
    seen: [u64; 2],
}

impl Backend for Forger {
    fn device(&self) -> &Device {
        self.sim.device()
    }

    fn launch(&mut self, image: &Image) -> Result<Output, DeviceError> {
        const ENTRY: usize = 3;
        let mut output = self.sim.launch(image)?;
        for header in image.programs.chunks_exact(PROGRAM_WORDS) {
            // Its threads are one block's, or each is a program; this is the log of the second one.
            let (threads, share, first) = (header[2], header[11] as usize, header[12] as usize);
            let Some(log) = output.log.get_mut(ENTRY * (first + share)..) else { continue };
            if threads < 2 {
                continue;
            }
            // Two reads, and two writes of what they yielded.
            for (entry, value) in (0..).zip([self.seen[0], self.seen[1]].repeat(2)) {
                log[ENTRY * entry + 2] = value;
            }
            let arrays = &image.arrays[2 * header[3] as usize..][..2 * header[4] as usize];
            // Where many instances run together it is longer.
            let two = |array: &&[u32]| array[1] == 2;
            let Some(seen) = arrays.chunks_exact(2).find(two) else { continue };
            let seen = seen[0] as usize;
            output.memory[seen..seen + 2].copy_from_slice(&self.seen);
        }
        Ok(output)
    }
}

#[test]
fn an_older_value_after_a_newer_one_is_a_failure_and_no_finding() {
    let test = |name| *TESTS.iter().find(|(own, _)| *own == name).expect("a test");
    let show = |name, seen| {
        let mut forger = Forger { sim: Sim::new(Schedule::Random(1)), seen };
        shown(&mut forger, &[test(name)]).remove(0)
    };
    // In both, thread 1 reads twice; of one cell, and of two.
    assert_eq!(show("corr", [1, 0]).of(Sort::Failure).1, u64::from(RUNS));
    assert_eq!(show("corr", [0, 1]).of(Sort::Failure).1, 0);
    // The simulator may not be weaker; on a device that is a finding.
    let mp = show("mp", [1, 0]);
    assert!(mp.seen[&Sort::Failure].iter().all(|(why, _)| why.contains("no interleaving")), "{mp}");
}

/// One wrong cell is one wrong instance, of those that run together too.
#[test]
fn a_wrong_cell_is_seen_in_its_instance() {
    let sim = || Box::new(Sim::new(Schedule::Random(1)));
    let add = TESTS.iter().filter(|(name, _)| *name == "add").copied().collect::<Vec<_>>();
    let right = shown(&mut *sim(), &add);
    let wrong = shown(&mut Wrong::new(sim(), Fault::Memory), &add);
    for (right, wrong) in right.iter().zip(wrong) {
        assert_eq!(right.of(Sort::Failure).1, 0, "{right}");
        let (failures, runs) = (wrong.of(Sort::Failure).1, right.of(Sort::Interleaving).1);
        match wrong.placement {
            Placement::Block => assert_eq!(failures, runs, "{wrong}"),
            // Each block of a grid spoils the cell once more.
            Placement::Grid => {}
            Placement::ParallelBlock => assert!(failures > 0 && failures * 16 < runs, "{wrong}"),
            Placement::ParallelGrid => assert!(failures * 16 < runs, "{wrong}"),
        }
    }
}
