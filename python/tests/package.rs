//! The Python package as it is installed, and its tests with the `python3` that is there.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The file of the native part, which cargo has built beside this test.
fn native() -> PathBuf {
    let test = std::env::current_exe().expect("the path of the test");
    let name = format!("{DLL_PREFIX}_native{DLL_SUFFIX}");
    let folders = test.ancestors().skip(1).take(2);
    let mut found: Vec<PathBuf> =
        folders.map(|folder| folder.join(&name)).filter(|path| path.exists()).collect();
    let age = |path: &PathBuf| fs::metadata(path).and_then(|m| m.modified()).ok();
    found.sort_by_key(age);
    found.pop().unwrap_or_else(|| panic!("{name} is not beside {}", test.display()))
}

/// The program, where it was built as well.
fn program() -> Option<PathBuf> {
    let test = std::env::current_exe().expect("the path of the test");
    let path = test.ancestors().nth(2)?.join(format!("babycuda{}", std::env::consts::EXE_SUFFIX));
    path.exists().then_some(path)
}

/// Lays the package out below a folder, which is made anew.
fn lay_out(folder: &Path) {
    let package = folder.join("babycuda");
    let _ = fs::remove_dir_all(&package);
    fs::create_dir_all(&package).expect("a folder");
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("python/babycuda");
    for entry in fs::read_dir(sources).expect("the Python part") {
        let path = entry.expect("an entry").path();
        if path.is_file() {
            let name = path.file_name().expect("a name");
            fs::copy(&path, package.join(name)).expect("a copy");
        }
    }
    let name = if cfg!(windows) { "_native.pyd" } else { "_native.abi3.so" };
    fs::copy(native(), package.join(name)).expect("a copy of the native part");
}

#[test]
fn the_package_passes_its_tests() {
    let required = std::env::var_os("BABYCUDA_REQUIRE_PYTHON").is_some();
    let python = std::env::var("BABYCUDA_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let new = "import sys; sys.exit(sys.version_info < (3, 9))";
    let is_there = Command::new(&python).args(["-c", new]).status().is_ok_and(|s| s.success());
    if !is_there {
        assert!(!required, "{python} is missing, or older than 3.9");
        println!("skipped: {python} is missing, or older than 3.9");
        return;
    }
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("python-package");
    lay_out(&folder);
    let mut tests = Command::new(python);
    tests.args(["-B", "-m", "unittest", "discover", "-s"]).arg(own.join("tests"));
    tests.env("PYTHONPATH", &folder).env("BABYCUDA_ROOT", own.join(".."));
    match program() {
        Some(program) => _ = tests.env("BABYCUDA_PROGRAM", program),
        None => {
            assert!(!required, "the program babycuda was not built");
            println!("not compared with the program babycuda, which was not built");
        }
    }
    let done = tests.output().expect("python3");
    let said = String::from_utf8_lossy(&done.stderr);
    println!("{said}");
    assert!(done.status.success(), "{said}");
    // A folder without tests is no success.
    assert!(said.contains("Ran ") && !said.contains("Ran 0 tests"), "{said}");
}
