//! Any image at all: the simulator runs it or refuses it.

use babycuda_core::Launch;
use babycuda_core::parse::parse_program;
use babycuda_gpu::image::PROGRAM_WORDS;
use babycuda_gpu::sim::{Schedule, Sim};
use babycuda_gpu::{Backend, Device, DeviceError, Image, Job, JobOptions, Output, Runner};
use babycuda_semantics::Instance;
use babycuda_testkit::for_all;
use proptest::prelude::*;

/// Keeps the images that it is given.
struct Recorder {
    sim: Sim,
    images: Vec<Image>,
}

impl Backend for Recorder {
    fn device(&self) -> &Device {
        self.sim.device()
    }

    fn launch(&mut self, image: &Image) -> Result<Output, DeviceError> {
        self.images.push(image.clone());
        self.sim.launch(image)
    }
}

/// An image of several programs.
fn image() -> Image {
    let texts = [
        "param N = 3; forS x in 0..N { let y = A[tid] in B[y + x] := x; sync }",
        "let x = atomic A[0] cas 1 if tid in if x < 2 { A[x] := 3 } else { skip }",
        "A[select(tid == 0, cast.i8.u32(tid), 1 % tid)] := mul.i16(tid, 7)",
    ];
    let options = JobOptions { fuel: 200, log: 8, length: 8, ..JobOptions::default() };
    let jobs = texts.map(|text| {
        let program = parse_program(text).unwrap_or_else(|e| panic!("{text}: {e}"));
        Job::new(&Instance::new(program, Launch::threads(3)), &options).expect("a job")
    });
    let mut recorder = Recorder { sim: Sim::new(Schedule::RoundRobin), images: Vec::new() };
    let results = Runner::new(&mut recorder).run(&jobs);
    assert!(results.iter().all(|result| result.is_ok()));
    recorder.images.pop().expect("one launch")
}

/// Changes of words: of which buffer, which word, to what.
fn changes() -> impl Strategy<Value = Vec<(u8, prop::sample::Index, u32)>> {
    let value = prop_oneof![0u32..20, any::<u32>(), Just(u32::MAX)];
    proptest::collection::vec((0u8..5, any::<prop::sample::Index>(), value), 1..6)
}

#[test]
fn any_image_is_run_or_refused() {
    let original = image();
    let config =
        ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() };
    let seen = for_all(config, changes(), |changes| {
        let mut image = original.clone();
        for (buffer, word, value) in changes {
            let words = match buffer {
                0 => &mut image.programs,
                1 => &mut image.arrays,
                _ => &mut image.code,
            };
            let length = words.len();
            words[word.index(length)] = value;
        }
        // Fuel that takes an afternoon to burn is nothing wrong.
        for header in image.programs.chunks_exact_mut(PROGRAM_WORDS) {
            header[10] = header[10].min(1_000);
        }
        let result = Sim::new(Schedule::Random(1)).launch(&image);
        if let Ok(output) = &result {
            prop_assert_eq!(output.memory.len(), image.memory.len());
        }
        Ok([if result.is_ok() { "run" } else { "refused" }])
    });
    seen.assert_share("run", 0.05..=0.95);
    seen.assert_share("refused", 0.05..=0.95);
}

#[test]
fn what_does_not_fit_is_not_allocated() {
    let launch = |image: &Image| Sim::new(Schedule::RoundRobin).launch(image).map(|_| ());
    let too_large =
        |what, needed, available| Err(DeviceError::TooLarge { what, needed, available });
    let image = image();
    let wide = Image { workgroup: 2_000, ..image.clone() };
    assert_eq!(launch(&wide), too_large("threads of a workgroup", 2_000, 1_024));
    let verbose = Image { log_entries: usize::MAX, ..image.clone() };
    assert_eq!(launch(&verbose), too_large("log", u64::MAX, 1 << 30));
    let threads = Image { threads: usize::MAX / 64, ..image.clone() };
    assert!(matches!(launch(&threads), Err(DeviceError::TooLarge { what: "thread results", .. })));
    let cut = Image { programs: image.programs[1..].to_vec(), ..image };
    assert!(matches!(launch(&cut), Err(DeviceError::BadImage(_))));
}
