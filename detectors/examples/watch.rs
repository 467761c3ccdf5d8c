//! HiRace on the first kernel of a file, as a process of its own: what it says, and how much it watched.
//!
//! `cargo run --release -p babycuda-detectors --example watch -- FILE THREADS BLOCKS`

use babycuda_core::{Configuration, Dim3, Launch};
use babycuda_detectors::Detector;
use babycuda_detectors::hirace::HiRace;
use babycuda_frontend::{Included, Includes, Options, parse_cuda};
use std::error::Error;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [file, threads, blocks] = &args[..] else { return Err("FILE THREADS BLOCKS".into()) };
    let file = PathBuf::from(file);
    let folder = file.parent().map(PathBuf::from).unwrap_or_default();
    let includes = Includes::new(move |request| {
        let path = folder.join(request.name);
        let text = std::fs::read_to_string(&path).ok()?;
        Some(Included { path: path.display().to_string(), text })
    });
    let options = Options { includes, ..Options::default() };
    let kernels = parse_cuda(&std::fs::read_to_string(&file)?, &options)?;
    let kernel = kernels.into_iter().find_map(|kernel| kernel.tree).ok_or("no kernel")?;
    let launch = Launch::new(Dim3::line(blocks.parse()?), Dim3::line(threads.parse()?));
    let verdict = HiRace::default().detect(&kernel, &Configuration::of_launch(launch))?;
    println!("{:?}, races at {} pairs of statements", verdict.outcome, verdict.races.len());
    Ok(())
}
