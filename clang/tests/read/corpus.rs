//! The kernels of the corpus. Clang reads each file once for all tests, several at a time.

use super::{TIME, clang, read, source, unknown};
use babycuda_clang::Language::Cuda;
use babycuda_clang::{Clang, ClangError, Found};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};
use std::thread;

/// A file, its text, and what clang reads of it: kernels, and headers that nobody has.
struct File {
    path: PathBuf,
    text: String,
    read: Result<(Vec<Found>, Vec<String>), ClangError>,
}

/// So many kernels are printed into one text.
const BATCH: usize = 24;

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/corpus");
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder).expect("the corpus").map(|f| f.expect("a file").path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "cu"));
    files.sort();
    files
}

/// `f` of each item, in their order, by as many threads as there are processors.
fn each<T: Sync, U: Send>(items: &[T], f: impl Fn(&T) -> U + Sync) -> Vec<U> {
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, Into::into) {
            scope.spawn(|| {
                while let Some((i, item)) = {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    items.get(i).map(|item| (i, item))
                } {
                    let result = f(item);
                    done.lock().expect("no panic while it is held").push((i, result));
                }
            });
        }
    });
    let mut done = done.into_inner().expect("no panic while it is held");
    done.sort_by_key(|(i, _)| *i);
    done.into_iter().map(|(_, result)| result).collect()
}

fn corpus(clang: &Clang) -> &'static [File] {
    static READ: OnceLock<Vec<File>> = OnceLock::new();
    READ.get_or_init(|| {
        each(&files(), |path| {
            let text = fs::read_to_string(path).expect("text");
            let read = clang.read(&source(&text, Some(path), Cuda), TIME);
            File { path: path.clone(), text, read }
        })
    })
}

#[test]
fn every_kernel_is_understood() {
    let Some(clang) = clang() else { return };
    let mut count = 0;
    for File { path, text, read } in corpus(&clang) {
        let name = path.display();
        let (kernels, missing) = read.as_ref().unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(missing.is_empty(), "{name}: {missing:?}");
        assert!(!kernels.is_empty(), "{name}");
        for found in kernels {
            let kernel = found.kernel.as_ref().unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(unknown(kernel), Vec::<String>::new(), "{name}:\n{kernel}");
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
    let kernels: Vec<(&Path, String)> = corpus(&clang)
        .iter()
        .flat_map(|file| {
            let kernels = &file.read.as_ref().expect("a file").0;
            kernels.iter().map(|found| {
                (file.path.as_path(), found.kernel.as_ref().expect("a kernel").to_string())
            })
        })
        .collect();
    let batches: Vec<&[(&Path, String)]> = kernels.chunks(BATCH).collect();
    let again: Vec<_> =
        each(&batches, |batch| reread(&clang, batch)).into_iter().flatten().collect();
    let (mut same, mut differ) = (0, Vec::new());
    for ((path, printed), again) in kernels.iter().zip(again) {
        match again {
            Ok(again) if again == *printed => same += 1,
            other => differ.push(format!("{}: {other:?}\n{printed}", path.display())),
        }
    }
    assert!(same >= 100, "{same} are read the same, not:\n{}", differ.join("\n"));
}

/// How kernels print that are read of what they printed as; each stands in a namespace of its own.
fn reread(clang: &Clang, batch: &[(&Path, String)]) -> Vec<Result<String, String>> {
    let head = "#include <cooperative_groups.h>\n#include <assert.h>\nusing namespace cooperative_groups;\n";
    let spaces = batch.iter().enumerate();
    let spaces: Vec<String> =
        spaces.map(|(i, (_, printed))| format!("namespace n{i} {{\n{printed}\n}}\n")).collect();
    let shown =
        |found: Found| found.kernel.map(|kernel| kernel.to_string()).map_err(|e| e.to_string());
    match read(clang, &format!("{head}{}", spaces.concat()), Cuda) {
        Ok(mut kernels) if kernels.len() == batch.len() => {
            kernels.sort_by_key(|found| found.span.start);
            kernels.into_iter().map(shown).collect()
        }
        other => {
            let why = format!("{:?}", other.map(|kernels| kernels.len()));
            batch.iter().map(|_| Err(why.clone())).collect()
        }
    }
}
