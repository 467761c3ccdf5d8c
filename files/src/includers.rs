//! Files that include another one: what is no translation unit by itself is read as their part.

use crate::includes::plain;
use crate::problem::Problem;
use babycuda::frontend::Includer;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Files that may include one of kernels.
const ENDINGS: [&str; 10] = ["cu", "cuh", "cl", "c", "cc", "cpp", "cxx", "h", "hpp", "inl"];

/// So many files are looked into, and so many that include the file are tried.
const MAX_FILES: usize = 500;
const MAX_FOUND: usize = 4;

/// No file that is looked into is larger than this many bytes.
const MAX_SIZE: u64 = 1 << 20;

/// The file `by`, as that which includes `file`.
///
/// # Errors
/// A [`Problem`] when it cannot be read, or does not include the file outside of every conditional.
pub fn named(by: &Path, file: &Path, folders: &[PathBuf]) -> Result<Includer, Problem> {
    let shown = by.display();
    let text = fs::read(by).map_err(|e| Problem::new(format!("{shown}: {e}")))?;
    includer(by, &String::from_utf8_lossy(&text), file, folders).ok_or_else(|| {
        let what = format!("{shown} does not include {} outside of `#if`", file.display());
        Problem::new(what)
    })
}

/// The files that `by` includes by names in quotes, outside of every conditional, as they lie beside it.
pub fn included(by: &Path) -> Vec<PathBuf> {
    let beside = by.parent().unwrap_or(Path::new(""));
    let text = fs::read(by).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let found = includes(&text).into_iter().map(|(name, _)| fs::canonicalize(beside.join(name)));
    found.flatten().collect()
}

/// The files beside `file`, in the folder above, and in the folders of both, that include it outside of
/// every conditional.
pub fn around(file: &Path, folders: &[PathBuf]) -> Vec<Includer> {
    let Some(name) = file.file_name().and_then(|name| name.to_str()) else { return Vec::new() };
    let here = match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    };
    let above = here.join("..");
    let near = [here.clone(), above.clone()];
    let below = near.iter().flat_map(|folder| entries(folder)).filter(|path| path.is_dir());
    let own = fs::canonicalize(&here).ok();
    let below = below.filter(|path| !path.is_symlink() && fs::canonicalize(path).ok() != own);
    let searched: Vec<PathBuf> = near.iter().cloned().chain(below).collect();
    let files = searched.iter().flat_map(|folder| entries(folder)).filter(|path| may_include(path));
    let found = files.take(MAX_FILES).filter_map(|path| {
        let text = String::from_utf8_lossy(&fs::read(&path).ok()?).into_owned();
        includer(&path, &text, file, folders).filter(|_| text.contains(name))
    });
    found.take(MAX_FOUND).collect()
}

/// What is in a folder, in order.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    paths
}

fn may_include(path: &Path) -> bool {
    let known = |e: &std::ffi::OsStr| ENDINGS.iter().any(|known| *known == e);
    let small = |path: &Path| fs::metadata(path).is_ok_and(|m| m.is_file() && m.len() <= MAX_SIZE);
    path.extension().is_some_and(known) && small(path)
}

/// The file `path` with this text, if it includes `file`.
fn includer(path: &Path, text: &str, file: &Path, folders: &[PathBuf]) -> Option<Includer> {
    let wanted = fs::canonicalize(file).ok()?;
    let beside = path.parent().unwrap_or(Path::new(""));
    let is_it = |name: &str| {
        let places = std::iter::once(beside).chain(folders.iter().map(PathBuf::as_path));
        let first = places.map(|folder| folder.join(name)).find(|place| place.is_file());
        first.and_then(|place| fs::canonicalize(place).ok()).as_ref() == Some(&wanted)
    };
    let (_, include) = includes(text).into_iter().find(|(name, _)| is_it(name))?;
    Some(Includer::new(&plain(path).to_string_lossy(), text, include))
}

/// The `#include`s of a text outside of conditionals and comments: name and bytes.
fn includes(text: &str) -> Vec<(&str, Range<usize>)> {
    let (mut found, mut depth, mut at) = (Vec::new(), 0usize, 0usize);
    // Where the last comment before the line begins, and where one ends.
    let (mut begun, mut ended) = (None, None);
    for line in text.split_inclusive('\n') {
        let range = at..at + line.trim_end().len();
        let in_comment = begun > ended;
        begun = line.rfind("/*").map(|i| at + i).or(begun);
        ended = line.rfind("*/").map(|i| at + i).or(ended);
        at += line.len();
        let Some(directive) = line.trim_start().strip_prefix('#').map(str::trim_start) else {
            continue;
        };
        if in_comment {
            continue;
        }
        match directive.strip_prefix("include") {
            Some(rest) if depth == 0 => {
                let quoted = rest.trim_start().strip_prefix('"').and_then(|r| r.split_once('"'));
                found.extend(quoted.map(|(name, _)| (name, range)));
            }
            _ if directive.starts_with("if") => depth += 1,
            _ if directive.starts_with("endif") => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn includes_that_count() {
        let text = "#include \"a.h\"\n/*\n#include \"b.h\"\n*/\n#if X\n#include \"c.h\"\n#endif\n \
                    # include  \"d.h\" // why\n#include <e.h>\nint i;";
        let found: Vec<&str> = includes(text).into_iter().map(|(name, _)| name).collect();
        assert_eq!(found, ["a.h", "d.h"]);
    }

    #[test]
    fn the_text_around_keeps_its_lines() {
        let text = "int a;\n#include \"k.cu\"\nint b;\n";
        let (_, range) = includes(text).remove(0);
        let around = Includer::new("m.cu", text, range);
        assert_eq!((&*around.before, &*around.after), ("int a;\n", "\n\nint b;\n"));
    }
}
