//! What PoCL, OpenCL on processors, needs before it is asked for devices.

#![allow(unsafe_code)] // An environment variable names a folder to PoCL, which is removed at exit.

use super::handle::Handle;
use opencl3::context::context::{create_context, release_context};
use opencl3::device::cl_device_id;
use opencl3::types::cl_int;
use std::path::PathBuf;
use std::ptr;
use std::sync::{Mutex, OnceLock, PoisonError};

/// How PoCL's platform calls itself.
pub(super) const PLATFORM: &str = "Portable Computing Language";

/// Where PoCL keeps what it compiled, and reuses it from; the user's cache if unset.
const CACHE: &str = "POCL_CACHE_DIR";

/// Makes PoCL usable: it links kernels with `ld` and ends the process where there is none, and it
/// loads whatever it finds in its cache, which must therefore be nobody else's. Unless the
/// environment names a cache, it is a folder of this process, removed when the process exits.
///
/// # Errors
/// What is missing.
pub(super) fn prepare() -> Result<(), String> {
    static PREPARED: OnceLock<Result<(), String>> = OnceLock::new();
    if !on_path("ld") {
        return Err("PoCL links kernels with `ld`, which is not on the PATH".to_owned());
    }
    // PoCL reads the variable once.
    PREPARED
        .get_or_init(|| if std::env::var_os(CACHE).is_some() { Ok(()) } else { cache() })
        .clone()
}

/// The folder that [`cache`] made.
static FOLDER: OnceLock<PathBuf> = OnceLock::new();

fn cache() -> Result<(), String> {
    let path = FOLDER.get_or_init(private_path);
    create(path).map_err(|error| format!("{}: {error}", path.display()))?;
    // SAFETY: the variable is set once in the process, before PoCL, its only reader, reads it.
    // Other threads that use the environment through `std` are locked out meanwhile; a thread
    // inside a C library's `getenv` at this moment is not, and is the reason to open the back end
    // before starting such threads.
    unsafe { std::env::set_var(CACHE, path) };
    // SAFETY: the function is there as long as the process. Where it cannot be registered, the
    // folder stays behind among the temporary files.
    unsafe { libc::atexit(remove) };
    Ok(())
}

extern "C" fn remove() {
    if let Some(path) = FOLDER.get() {
        // What cannot be removed stays behind among the temporary files.
        let _ = std::fs::remove_dir_all(path);
    }
}

/// Keeps one context for the rest of the process: when the last one is released, PoCL 3.1 frees
/// what it knows of its devices, while another thread may be asking for that.
///
/// # Errors
/// The driver's code.
pub(super) fn stay(device: cl_device_id) -> Result<(), cl_int> {
    static CONTEXT: Mutex<Option<Handle>> = Mutex::new(None);
    let mut context = CONTEXT.lock().unwrap_or_else(PoisonError::into_inner);
    if context.is_none() {
        let object = create_context(&[device], ptr::null(), None, ptr::null_mut())?;
        // SAFETY: the new context's only reference.
        *context = Some(unsafe { Handle::new(object, release_context) });
    }
    Ok(())
}

fn on_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// A name that nobody else is going to use at the same time.
fn private_path() -> PathBuf {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let moment = now.map_or(0, |now| now.as_nanos());
    std::env::temp_dir().join(format!("babycuda-pocl-{}-{moment:x}", std::process::id()))
}

/// Fails where the folder exists: it would be somebody else's.
fn create(path: &PathBuf) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}
