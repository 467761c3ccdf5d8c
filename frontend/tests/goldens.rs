//! One kernel for each construct, and the BabyCUDA that it means.
//!
//! Each `tests/goldens/NAME.cu` stands beside `NAME.bcuda`. With `UPDATE_GOLDENS=1` in the
//! environment the test writes the latter anew, for a person to review.

mod common;

use babycuda_core::Program;
use babycuda_frontend::Options;
use std::path::PathBuf;

#[test]
fn kernels_mean_what_the_goldens_say() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/goldens");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).expect("the goldens are there") {
        let path = entry.expect("a file").path();
        if path.extension().is_none_or(|e| e != "cu") {
            continue;
        }
        let source = std::fs::read_to_string(&path).expect("text");
        let program: Program = common::program(&source, &Options::default());
        let text = program.to_string();
        let golden = path.with_extension("bcuda");
        if std::env::var_os("UPDATE_GOLDENS").is_some() {
            std::fs::write(&golden, &text).expect("writable");
        }
        let wanted = std::fs::read_to_string(&golden).expect("a golden beside each kernel");
        assert_eq!(text, wanted, "{}", path.display());
        // The golden is a file of the text format, and means the same.
        let parsed =
            babycuda_core::parse::parse_program(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert_eq!(parsed.body.to_string(), program.body.to_string());
        count += 1;
    }
    assert!(count >= 20, "{count}");
}
