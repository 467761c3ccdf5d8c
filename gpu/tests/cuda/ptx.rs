//! The committed PTX.

use babycuda_gpu::cuda::{INTERPRETER_PTX, interpreter};
use sha2::{Digest, Sha256};

#[test]
fn it_was_made_from_the_sources_as_they_are() {
    let hash = Sha256::digest(interpreter());
    let hash: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
    let line = format!("// sources: sha256 {hash}");
    assert!(
        INTERPRETER_PTX.lines().any(|other| other == line),
        "the interpreter's text has changed: run the example `regenerate_ptx`"
    );
}

#[test]
fn it_is_for_every_device_that_the_back_end_opens() {
    let has = |line: &str| INTERPRETER_PTX.lines().any(|other| other == line);
    // A driver refuses PTX of a version newer than itself; 8.0 is CUDA 12.0's.
    assert!(has(".version 8.0") && has(".target sm_75") && has(".address_size 64"));
}

#[test]
fn its_accesses_of_cells_are_neither_split_nor_left_out() {
    let count = |instruction: &str| {
        INTERPRETER_PTX.lines().filter(|line| line.trim_start().starts_with(instruction)).count()
    };
    // A read and a write, of threads and of lanes without one; an update, with its first look at
    // the cell, which is at one of two places.
    assert_eq!(count("ld.volatile.global.u64"), 2);
    assert_eq!(count("st.volatile.global.u64"), 2);
    assert_eq!(count("atom.global.cas.b64"), 3);
    // One before the loop over phases, and its two.
    assert_eq!(count("bar.sync"), 3);
    // Where warps go on alone, those of a round, and whether another follows.
    assert_eq!((count("bar.warp.sync"), count("vote.sync.any")), (2, 1));
}
