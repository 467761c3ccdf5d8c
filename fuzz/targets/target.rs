//! All targets: what has the target's name runs on what libFuzzer makes.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    // A test holds the names to each other (`tests/comparisons`).
    let target = babycuda_tests::find(env!("CARGO_BIN_NAME")).expect("one of this name");
    (target.run)(bytes);
});
