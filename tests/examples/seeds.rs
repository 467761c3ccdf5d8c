//! Writes what each reader accepts as the files of a corpus: `FOLDER/READER/NUMBER`.
//!
//! `cargo run -p babycuda-tests --example seeds -- FOLDER`

use babycuda_tests::readers::READERS;
use std::path::PathBuf;

fn main() -> std::io::Result<()> {
    let Some(folder) = std::env::args_os().nth(1).map(PathBuf::from) else {
        return Err(std::io::Error::other("which folder?"));
    };
    for reader in READERS {
        let folder = folder.join(reader.name);
        std::fs::create_dir_all(&folder)?;
        for (number, seed) in (reader.seeds)().iter().enumerate() {
            std::fs::write(folder.join(number.to_string()), seed)?;
        }
    }
    Ok(())
}
