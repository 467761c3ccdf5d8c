//! All targets: the reader of a target's name reads what libFuzzer makes.

#![no_main]

use babycuda_tests::readers;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let reader = readers::find(env!("CARGO_BIN_NAME")).expect("a reader of the target's name");
    (reader.read)(bytes);
});
