//! Folders on the command line: they stand for the files in them.

use std::path::{Path, PathBuf};

/// What the files are named that a folder stands for; headers are read where they are included.
const ENDINGS: [&str; 4] = ["cu", "cl", "bcuda", "map"];

/// The files, with those of folders in the place of these, in order. A folder without any stays, and so
/// does what cannot be read: whoever reads it says why.
pub(crate) fn expanded(paths: &[String]) -> Vec<String> {
    let mut files = Vec::new();
    for path in paths {
        let before = files.len();
        if Path::new(path).is_dir() {
            collect(Path::new(path), &mut files);
        }
        if files.len() == before {
            files.push(path.clone());
        }
    }
    files
}

fn collect(folder: &Path, files: &mut Vec<String>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    for path in paths {
        let is_known = |e: &std::ffi::OsStr| ENDINGS.iter().any(|known| *known == e);
        // Links may lead around in circles.
        if path.is_dir() && !path.is_symlink() {
            collect(&path, files);
        } else if path.is_file() && path.extension().is_some_and(is_known) {
            files.push(path.to_string_lossy().into_owned());
        }
    }
}
