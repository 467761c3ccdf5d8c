//! All targets: the reader of a target's name reads what libFuzzer makes.

#![no_main]

use babycuda_tests::readers;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    // A test holds the names of targets to the list of readers (`tests/robustness`).
    let reader = readers::find(env!("CARGO_BIN_NAME")).expect("a reader of the target's name");
    (reader.read)(bytes);
});
