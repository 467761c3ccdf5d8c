//! Blocks, workgroups and launches of all shapes.

use super::image::{Program, pack, run, run_one};
use super::{barrier, constant, r, read_own, write_own};
use babycuda_core::expr::ArithOp;
use babycuda_gpu::bytecode::Instruction;
use babycuda_gpu::image::PROGRAM_WORDS;
use babycuda_gpu::sim::{Schedule, Sim};
use babycuda_gpu::{Backend, DeviceError, Image, Output};

pub fn threads_know_where_they_are_and_what_they_are_given(backend: &mut dyn Backend) {
    let inputs: Vec<u64> = (0..100).map(|input| u64::MAX - input).collect();
    // The thread's index in each dimension, the last input, and a register that nothing has set.
    let mut code: Vec<_> =
        (1..4).zip([1, 2, 3]).map(|(array, register)| write_own(array - 1, register)).collect();
    code.extend([write_own(3, 4 + 99), write_own(4, 4 + 100), Instruction::Halt]);
    let arrays = vec![vec![7; 30]; 5];
    let program = Program { block: [3, 5, 2], inputs, ..Program::new(code, 30, arrays) };
    let run = run_one(backend, &program);
    for tid in 0..30 {
        let cells = run.arrays.iter().map(|array| array[tid as usize]);
        let expected = [tid % 3, tid / 3 % 5, tid / 15, u64::MAX - 99, 0];
        assert_eq!(cells.collect::<Vec<_>>(), expected);
    }
}

/// `A[tid] := A[tid] + step`, one thread a cell.
fn stepping(threads: u32, step: u64) -> Program {
    let code = vec![
        read_own(5, 0),
        constant(6, step),
        Instruction::Natural { op: ArithOp::Add, to: r(5), left: r(5), right: r(6) },
        write_own(0, 5),
        barrier(0),
        Instruction::Halt,
    ];
    let cells = (0..u64::from(threads)).map(|cell| cell * 1000).collect();
    Program { log: 2 + (step % 3) as u32, ..Program::new(code, threads, vec![cells]) }
}

pub fn programs_of_one_launch_are_apart(backend: &mut dyn Backend) {
    let programs: Vec<_> =
        (0..200).map(|number| stepping(1 + (number * 7) % 33, u64::from(number))).collect();
    for (number, run) in run(backend, 33, &programs).iter().enumerate() {
        let step = number as u64;
        let expected = programs[number].arrays[0].iter().map(|cell| cell + step);
        assert!(run.arrays[0].iter().copied().eq(expected), "program {number}");
        for (tid, thread) in (0..).zip(&run.threads) {
            let entries = thread.log.iter().map(|entry| (entry.pc, entry.index, entry.value));
            let cell = tid * 1000;
            assert!(entries.eq([(0, tid, cell), (3, tid, cell + step)]), "program {number}");
            assert_eq!((thread.status, thread.phase, thread.fuel), (0, 1, 994));
        }
    }
}

pub fn idle_threads_change_nothing(backend: &mut dyn Backend) {
    let program = stepping(5, 3);
    let alone = run(backend, 5, std::slice::from_ref(&program));
    for workgroup in [6, 8, 31, 32, 64, 100] {
        assert_eq!(run(backend, workgroup, std::slice::from_ref(&program)), alone);
    }
}

pub fn blocks_are_as_large_as_the_device_allows(backend: &mut dyn Backend) {
    let most = backend.device().workgroup.min(1024);
    let run = run_one(backend, &stepping(most, 1));
    assert!(run.arrays[0].iter().copied().eq((0..u64::from(most)).map(|cell| cell * 1000 + 1)));
    let Some(more) = backend.device().workgroup.checked_add(1) else { return };
    let refused = backend.launch(&pack(more, &[stepping(1, 1)]));
    assert!(
        matches!(refused, Err(DeviceError::Call { .. } | DeviceError::TooLarge { .. })),
        "{refused:?}"
    );
}

pub fn nothing_to_run_is_nothing(backend: &mut dyn Backend) {
    assert_eq!(backend.launch(&Image::default()), Ok(Output::default()));
    // No arrays, no inputs, no log.
    let program = Program { log: 0, ..Program::new(vec![Instruction::Halt], 3, Vec::new()) };
    assert_eq!(run_one(backend, &program).threads.len(), 3);
}

pub fn an_image_that_breaks_the_contract_is_refused(backend: &mut dyn Backend) {
    let good = pack(8, &[stepping(3, 1), stepping(5, 2)]);
    assert!(backend.launch(&good).is_ok());
    // A block that is too large, code that is not there, an unknown operation, too much log.
    const SECOND: usize = PROGRAM_WORDS;
    let spoil: [fn(&mut Image); 11] = [
        |image| image.programs[2] = 9,
        |image| image.programs[SECOND] = 1000,
        |image| image.code[0] = 16,
        |image| image.programs[11] = u32::MAX,
        |image| image.log_entries = usize::MAX / 64,
        // A jitter that is none, and stress without cells for it.
        |image| image.programs[15] = 1 << 17,
        |image| image.programs[SECOND + 15] = 1 << 12,
        // Warps without threads; grids of no blocks, of more than there are, and of one too much.
        |image| image.programs[16] = 0,
        |image| image.programs[18] = 0,
        |image| image.programs[SECOND + 18] = 2,
        |image| image.programs[SECOND + 17] = 1,
    ];
    for (number, spoil) in spoil.into_iter().enumerate() {
        let mut image = good.clone();
        spoil(&mut image);
        let refused = backend.launch(&image).expect_err("it breaks the contract");
        if let DeviceError::BadImage(_) = refused {
            let simulator = Sim::new(Schedule::RoundRobin).launch(&image);
            assert_eq!(simulator, Err(refused), "{number}");
        }
        assert!(backend.launch(&good).is_ok(), "the device can be used again after {number}");
    }
}
