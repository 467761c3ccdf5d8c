//! Where the files come from that `#include` names.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// An `#include` that looks for its file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Request<'a> {
    /// The name between quotes or brackets.
    pub name: &'a str,
    /// Does it stand in brackets?
    pub angled: bool,
    /// The including file, as [`Included::path`] called it; empty for the main file.
    pub from: &'a str,
}

/// A file that was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Included {
    /// Its name for messages and for `#pragma once`.
    pub path: String,
    /// Its text.
    pub text: String,
}

type Find = dyn Fn(&Request<'_>) -> Option<Included> + Send + Sync;

/// How `#include` finds files. By default it finds none.
///
/// Translation itself has no file system: who calls it decides what there is to find.
///
/// ```
/// use babycuda_frontend::{Includes, Options, Translation, parse_cuda};
///
/// let source = "#include \"size.h\"\n__global__ void k(int *a) { a[N * threadIdx.x] = 1; }";
/// let includes = Includes::of([("size.h", "#define N 4\n")]);
/// let kernels = parse_cuda(source, &Options { includes, ..Options::default() })?;
/// assert!(matches!(kernels[0].translation, Translation::Program(_)));
/// # Ok::<(), babycuda_frontend::FrontendError>(())
/// ```
#[derive(Clone, Default)]
pub struct Includes(Option<Arc<Find>>);

impl Includes {
    /// Asks `find` for each file.
    pub fn new(find: impl Fn(&Request<'_>) -> Option<Included> + Send + Sync + 'static) -> Self {
        Includes(Some(Arc::new(find)))
    }

    /// Finds the files given by name and text, each by exactly its name.
    pub fn of<N: Into<String>, T: Into<String>>(files: impl IntoIterator<Item = (N, T)>) -> Self {
        let files: BTreeMap<String, String> =
            files.into_iter().map(|(name, text)| (name.into(), text.into())).collect();
        Includes::new(move |request| {
            let text = files.get(request.name)?.clone();
            Some(Included { path: request.name.to_owned(), text })
        })
    }

    pub(crate) fn find(&self, request: &Request<'_>) -> Option<Included> {
        self.0.as_ref()?(request)
    }
}

/// The same when they share what finds the files.
impl PartialEq for Includes {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (None, None) => true,
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }
}

impl Eq for Includes {}

impl fmt::Debug for Includes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Includes(..)" } else { "Includes(none)" })
    }
}
