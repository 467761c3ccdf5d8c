//! The kernels of the corpus, as programs.

use babycuda_core::Program;
use babycuda_frontend::{Options, Overflow, Translation, parse_cuda};
use std::path::{Path, PathBuf};

/// Every kernel that the front end translates and whose barriers are those of devices, with the name
/// of its file.
pub fn programs() -> Vec<(String, Program)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/corpus");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "cu"));
    files.sort();
    let kernels = |path: &PathBuf| {
        let source = std::fs::read_to_string(path).unwrap();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        // Devices wrap around.
        let options = Options { overflow: Overflow::Wrap, ..Options::default() };
        let kernels = parse_cuda(&source, &options).unwrap();
        kernels.into_iter().filter_map(move |kernel| match kernel.translation {
            Translation::Program(program) if program.body.scoped_barrier().is_none() => {
                Some((name.clone(), program))
            }
            Translation::Program(_) | Translation::Unsupported(_) => None,
        })
    };
    files.iter().flat_map(kernels).collect()
}

/// Every how many of them a compiler of devices gets, which takes a second for each; all, where `BABYCUDA_CASES`
/// asks for more cases than usual.
#[allow(dead_code)] // not every test that has the corpus compiles it
pub fn step() -> usize {
    if std::env::var_os("BABYCUDA_CASES").is_some() { 1 } else { 3 }
}
