//! The kernels of the corpus.

use super::{TIME, clang, read, source, unknown};
use babycuda_clang::Language::Cuda;
use std::fs;
use std::path::{Path, PathBuf};

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/corpus");
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder).expect("the corpus").map(|f| f.expect("a file").path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "cu"));
    files.sort();
    files
}

#[test]
fn every_kernel_is_understood() {
    let Some(clang) = clang() else { return };
    let mut count = 0;
    for path in files() {
        let text = fs::read_to_string(&path).expect("text");
        let name = path.display();
        let (kernels, missing) = clang
            .read(&source(&text, Some(&path), Cuda), TIME)
            .unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(missing.is_empty(), "{name}: {missing:?}");
        assert!(!kernels.is_empty(), "{name}");
        for found in kernels {
            let kernel = found.kernel.unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(unknown(&kernel), Vec::<String>::new(), "{name}:\n{kernel}");
            assert_eq!(kernel.check(), Ok(()), "{name}:\n{kernel}");
            assert!(text[found.span.bytes()].contains("__global__"), "{name}: {:?}", found.span);
            count += 1;
        }
    }
    assert!(count >= 190, "{count}");
}

/// What a kernel prints as is read as the same kernel: all conversions that clang adds stand in the text.
#[test]
fn what_is_printed_reads_the_same() {
    let Some(clang) = clang() else { return };
    let (mut same, mut differ) = (0, Vec::new());
    for path in files() {
        let text = fs::read_to_string(&path).expect("text");
        let read_once = clang.read(&source(&text, Some(&path), Cuda), TIME).expect("a file").0;
        for found in read_once {
            let printed = found.kernel.expect("a kernel").to_string();
            let head = "#include <cooperative_groups.h>\n#include <assert.h>\nusing namespace cooperative_groups;\n";
            let again = read(&clang, &format!("{head}{printed}"), Cuda);
            let again =
                again.map(|kernels| kernels.into_iter().map(|k| k.kernel.map(|k| k.to_string())));
            match again.map(|mut kernels| kernels.next()) {
                Ok(Some(Ok(again))) if again == printed => same += 1,
                other => differ.push(format!("{}: {other:?}\n{printed}", path.display())),
            }
        }
    }
    assert!(same >= 100, "{same} are read the same, not:\n{}", differ.join("\n"));
}
