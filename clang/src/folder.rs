//! The folder that clang reads headers from: those that are known, and empty ones for those that are missing.

use crate::run::Source;
use babycuda_kernel::{Includer, Language};
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The folders of the texts around a file that another includes.
pub(crate) const BEFORE: &str = "before-the-include";
pub(crate) const AFTER: &str = "behind-the-include";

/// The folder of the declarations of what is assumed.
pub(crate) const ASSUMED: &str = "assumed";

/// So many `..` a name of a header may begin with.
const UP: usize = 4;

/// Headers that are known, by name.
const HEADERS: [(&str, &str); 27] = [
    ("babycuda.h", include_str!("../include/babycuda.h")),
    ("cooperative_groups.h", include_str!("../include/cooperative_groups.h")),
    ("cooperative_groups/memcpy_async.h", "#include <cooperative_groups.h>\n"),
    ("cooperative_groups/reduce.h", "#include <cooperative_groups.h>\n"),
    ("cooperative_groups/scan.h", "#include <cooperative_groups.h>\n"),
    ("assert.h", include_str!("../include/assert.h")),
    ("cassert", "#include <assert.h>\n"),
    ("math.h", include_str!("../include/math.h")),
    ("cmath", "#include <math.h>\n"),
    ("math_constants.h", include_str!("../include/math_constants.h")),
    ("cuda/barrier", "#include <cuda_async.h>\n"),
    ("cuda/pipeline", "#include <cuda_async.h>\n"),
    ("cuda_async.h", include_str!("../include/cuda_async.h")),
    ("cuda_fp16.h", include_str!("../include/cuda_fp16.h")),
    ("cuda_pipeline.h", "#include <babycuda.h>\n"),
    ("cuda_pipeline_primitives.h", "#include <babycuda.h>\n"),
    ("cuComplex.h", include_str!("../include/cuComplex.h")),
    ("cufft.h", include_str!("../include/cufft.h")),
    ("curand_kernel.h", include_str!("../include/curand_kernel.h")),
    ("helper_cuda.h", include_str!("../include/helper_cuda.h")),
    ("helper_functions.h", "#include <helper_cuda.h>\n"),
    ("helper_math.h", include_str!("../include/helper_math.h")),
    ("helper_string.h", "#include <helper_cuda.h>\n"),
    ("helper_timer.h", "#include <helper_cuda.h>\n"),
    ("ranges.h", include_str!("../include/ranges.h")),
    ("cfloat", "#include <float.h>\n"),
    ("climits", "#include <limits.h>\n"),
];

/// How the names of the folders begin that clang reads from, and which part of one has the headers that are known.
const PREFIX: &str = "babycuda-clang-";
const KNOWN: &str = "known";

/// Does a file of this path stand among the headers that are known?
pub(crate) fn is_known(path: &str) -> bool {
    let behind = path.split_once(&format!("/{PREFIX}")).map(|(_, behind)| behind);
    behind.is_some_and(|behind| behind.split('/').nth(1) == Some(KNOWN))
}

/// A folder with the headers that are known, and with empty ones for those that are missing. It is removed
/// in the end. Its name is no other's, also not that of a folder that an ended process left behind.
pub(crate) struct Folder {
    root: TempDir,
    pub(crate) known: PathBuf,
    pub(crate) empty: PathBuf,
    /// What stands before the file, and behind it, where another includes it.
    pub(crate) before: Option<PathBuf>,
    after: Option<PathBuf>,
    /// Declarations of the constants that nobody declares.
    pub(crate) assumed: Option<PathBuf>,
}

impl Folder {
    pub(crate) fn new(source: &Source<'_>) -> io::Result<Folder> {
        let root = tempfile::Builder::new().prefix(PREFIX).tempdir()?;
        let mut empty = root.path().join("empty");
        empty.extend(["up"; UP]);
        let known = root.path().join(KNOWN);
        let mut folder = Folder { known, empty, root, before: None, after: None, assumed: None };
        fs::create_dir_all(&folder.empty)?;
        if let Some(Includer { path, before, after }) = source.includer {
            // Messages say the last part of a name.
            let name = Path::new(path).file_name().unwrap_or("includer".as_ref());
            let [first, last] =
                [BEFORE, AFTER].map(|part| folder.root.path().join(part).join(name));
            write(&first, before)?;
            write(&last, after)?;
            (folder.before, folder.after) = (Some(first), Some(last));
        }
        if source.language == Language::Cuda {
            for (name, text) in HEADERS {
                write(&folder.known.join(name), text)?;
            }
        }
        Ok(folder)
    }

    /// The file, with an `#include` of what stands behind it.
    pub(crate) fn input(&self, source: &Source<'_>) -> String {
        let after = self.after.iter().map(|path| format!("\n#include \"{}\"\n", path.display()));
        std::iter::once(source.text.to_owned()).chain(after).collect()
    }

    /// Declares constants of these names.
    pub(crate) fn assume(&mut self, names: &BTreeSet<&str>, language: Language) -> io::Result<()> {
        let space = match language {
            Language::Cuda => "__constant__",
            Language::OpenCl => "__constant",
        };
        let path = self.root.path().join(ASSUMED).join("constants.h");
        let text: String =
            names.iter().map(|name| format!("extern {space} int {name};\n")).collect();
        write(&path, &text)?;
        self.assumed = Some(path);
        Ok(())
    }

    /// Writes an empty file for each header that a rule of `make` names and that is not there.
    pub(crate) fn fill(&self, rule: &str) -> io::Result<Vec<String>> {
        let mut missing = Vec::new();
        for name in words(rule) {
            let path = self.empty.join(&name);
            let ups = Path::new(&name).components().filter(|c| c.as_os_str() == "..").count();
            if Path::new(&name).is_absolute() || ups > UP || path.exists() || name.ends_with(':') {
                continue;
            }
            write(&path, "")?;
            missing.push(name);
        }
        missing.retain(|name| name != "-" && name != "<stdin>");
        Ok(missing)
    }
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, text)
}

/// The words of a rule of `make`; a backslash keeps a space.
fn words(rule: &str) -> Vec<String> {
    let (mut all, mut word) = (Vec::new(), String::new());
    let mut characters = rule.chars().peekable();
    while let Some(c) = characters.next() {
        match (c, characters.peek()) {
            ('\\', Some(' ' | '#')) => word.extend(characters.next()),
            ('\\', Some('\n')) => {}
            (c, _) if c.is_whitespace() => all.push(std::mem::take(&mut word)),
            (c, _) => word.push(c),
        }
    }
    all.push(word);
    all.retain(|word| !word.is_empty());
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_of_make_are_words() {
        let rule = "-.o: \\\n  /a/b.h \\\n  my\\ file.h ../x.h\n";
        assert_eq!(words(rule), ["-.o:", "/a/b.h", "my file.h", "../x.h"]);
    }

    /// Somebody's own folder may have such a name.
    #[test]
    fn known_headers_stand_in_their_folder() {
        assert!(is_known("/tmp/babycuda-clang-aB3dE6/known/babycuda.h"));
        assert!(is_known("/tmp/babycuda-clang-aB3dE6/known/cooperative_groups/reduce.h"));
        for path in [
            "/tmp/babycuda-clang-aB3dE6/empty/up/missing.h",
            "/home/me/babycuda-clang-tests/kernel.cu",
            "/home/me/my-babycuda-clang-aB3dE6/known/kernel.cu",
        ] {
            assert!(!is_known(path), "{path}");
        }
    }
}
