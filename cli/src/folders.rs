//! Folders on the command line: they stand for the files in them.

use babycuda_files::includers::included;
use babycuda_files::problem::Problem;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What the files are named that a folder stands for.
const ENDINGS: [&str; 5] = ["cu", "cuh", "cl", "bcuda", "map"];

/// The files, with those of folders in the place of these, in order. A folder without any stays, and so
/// does what cannot be read: whoever reads it says why ([`unread`] of folders).
pub(crate) fn expanded(paths: &[String]) -> Vec<String> {
    let mut files = Vec::new();
    for path in paths {
        let before = files.len();
        if Path::new(path).is_dir() {
            let mut all = Vec::new();
            collect(Path::new(path), &mut all);
            // The kernels of a header are those of the files that include it.
            let is_header = |file: &PathBuf| file.extension().is_some_and(|e| e == "cuh");
            let read = included_by(all.iter().filter(|file| !is_header(file)));
            let is_read = |file: &PathBuf| file.canonicalize().is_ok_and(|f| read.contains(&f));
            let apart = all.into_iter().filter(|file| !is_header(file) || !is_read(file));
            files.extend(apart.map(|file| file.to_string_lossy().into_owned()));
        }
        if files.len() == before {
            files.push(path.clone());
        }
    }
    files
}

/// Why no file of a folder is read.
pub(crate) fn unread(folder: &str) -> Problem {
    let why = std::fs::read_dir(folder).err().map(|error| error.to_string());
    let why = why.unwrap_or_else(|| "no file in this folder is of a kind that is read".to_owned());
    let endings = ENDINGS.map(|ending| format!(".{ending}")).join(", ");
    Problem::new(format!("{folder}: {why}")).help(format!("files that are read end in {endings}"))
}

/// What the files include, and what that includes.
fn included_by<'a>(files: impl Iterator<Item = &'a PathBuf>) -> BTreeSet<PathBuf> {
    let (mut found, mut open) = (BTreeSet::new(), files.cloned().collect::<Vec<_>>());
    while let Some(file) = open.pop() {
        open.extend(included(&file).into_iter().filter(|other| found.insert(other.clone())));
    }
    found
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return files.push(folder.to_owned()) };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    for path in paths {
        let is_known = |e: &std::ffi::OsStr| ENDINGS.iter().any(|known| *known == e);
        // Links may lead around in circles.
        if path.is_dir() && !path.is_symlink() {
            collect(&path, files);
        } else if path.is_file() && path.extension().is_some_and(is_known) {
            files.push(path);
        }
    }
}
