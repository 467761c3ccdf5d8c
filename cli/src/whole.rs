//! Files that are there as a whole, or not at all.

use babycuda_files::problem::Problem;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Where something long is written to: it has its name when it is [done](Target::done). Until then it is another file of
/// the folder, which goes with this value.
pub(crate) struct Target {
    /// The name that it has, and the one that it gets.
    names: Option<(PathBuf, PathBuf)>,
}

impl Target {
    /// What becomes the file of this path, or else standard output. What is there and no file, as a pipe, is written
    /// directly.
    ///
    /// # Errors
    /// A [`Problem`] when it cannot be made.
    pub(crate) fn new(path: Option<&Path>) -> Result<(Target, Box<dyn Write>), Problem> {
        let (names, out): (_, Box<dyn Write>) = match path {
            None => (None, Box::new(io::stdout().lock())),
            Some(path) => {
                let (names, made) = match path.metadata() {
                    Ok(of) if !of.is_file() => (None, File::create(path)),
                    // Where it is a link, it stays one.
                    _ => {
                        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
                        let mut partial = path.clone().into_os_string();
                        partial.push(format!(".{}.partial", std::process::id()));
                        let made = File::create(&partial);
                        (made.is_ok().then(|| (partial.into(), path)), made)
                    }
                };
                let made = made.map_err(|error| problem(path, &error))?;
                (names, Box::new(made))
            }
        };
        Ok((Target { names }, Box::new(BufWriter::with_capacity(1 << 16, out))))
    }

    /// All is written, and flushed.
    ///
    /// # Errors
    /// A [`Problem`] when the file cannot get its name.
    pub(crate) fn done(self) -> Result<(), Problem> {
        let Some((partial, path)) = &self.names else { return Ok(()) };
        std::fs::rename(partial, path).map_err(|error| problem(path, &error))
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        if let Some((partial, _)) = &self.names {
            // It is gone where it got its name.
            let _ = std::fs::remove_file(partial);
        }
    }
}

fn problem(path: &Path, error: &io::Error) -> Problem {
    Problem::new(format!("{}: {error}", path.display()))
}
