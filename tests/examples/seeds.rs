//! Writes what each target has to begin with as the files of a corpus: `FOLDER/TARGET/NUMBER`.
//!
//! `cargo run -p babycuda-tests --example seeds -- FOLDER`

use babycuda_tests::targets;
use std::path::PathBuf;

fn main() -> std::io::Result<()> {
    let Some(folder) = std::env::args_os().nth(1).map(PathBuf::from) else {
        return Err(std::io::Error::other("which folder?"));
    };
    for target in targets() {
        let folder = folder.join(target.name);
        std::fs::create_dir_all(&folder)?;
        for (number, seed) in (target.seeds)().iter().enumerate() {
            std::fs::write(folder.join(number.to_string()), seed)?;
        }
    }
    Ok(())
}
