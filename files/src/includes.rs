//! Files that `#include` names, from disk.

use babycuda::frontend::{Included, Includes, Request};
use std::path::{Component, Path, PathBuf};

/// No header is larger than this many bytes.
const MAX_SIZE: u64 = 8 << 20;

/// Finds files beside the including file (names in quotes), then in `folders`, in their order, and at last in the
/// folder above the main file (names in quotes): projects are compiled from there.
/// `main` is the path of the main file; standard input is taken to stand in the current folder.
pub fn from_disk(main: &str, folders: &[PathBuf]) -> Includes {
    let (main, folders) = (PathBuf::from(main), folders.to_vec());
    Includes::new(move |request: &Request<'_>| {
        let from = if request.from.is_empty() { main.as_path() } else { Path::new(request.from) };
        let here = |path: &Path| path.parent().unwrap_or(Path::new("")).to_owned();
        let beside = (!request.angled).then(|| here(from));
        let above = (!request.angled).then(|| here(&main).join(".."));
        beside.into_iter().chain(folders.iter().cloned()).chain(above).find_map(|folder| {
            let path = folder.join(request.name);
            // A folder, a device, or a file that may not be read, is not found.
            let usual = std::fs::metadata(&path).ok()?;
            let bytes = (usual.is_file() && usual.len() <= MAX_SIZE).then(|| std::fs::read(&path));
            let bytes = bytes?.ok()?;
            Some(Included {
                path: plain(&path).to_string_lossy().into_owned(),
                text: String::from_utf8_lossy(&bytes).into_owned(),
            })
        })
    })
}

/// The path without `.` and `x/..`, so that a file has one name.
pub fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for component in path.components() {
        let last = out.components().next_back();
        match component {
            Component::CurDir => {}
            Component::ParentDir if matches!(last, Some(Component::Normal(_))) => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}
