//! Prints the kernels of files as clang reads them, or counts those that are understood.

use babycuda_clang::{Clang, Language, Source};
use babycuda_kernel::Node;
use std::path::Path;
use std::time::Duration;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let clang = Clang::find()?;
    let (mut count, mut whole) = (0, 0);
    let all: Vec<String> = std::env::args().skip(1).collect();
    let quiet = all.len() > 1;
    for name in all {
        let text = String::from_utf8_lossy(&std::fs::read(&name)?).into_owned();
        let language = if name.ends_with(".cl") { Language::OpenCl } else { Language::Cuda };
        let path = Path::new(&name);
        let source = Source { path: Some(path), ..Source::new(&text, language) };
        let (kernels, missing) = match clang.read(&source, Duration::from_secs(60)) {
            Ok(read) => read,
            Err(error) => {
                println!("{name}: FILE {error}");
                continue;
            }
        };
        if !quiet {
            println!("missing: {missing:?}");
        }
        for found in kernels {
            count += 1;
            let kernel = match found.kernel {
                Ok(kernel) => kernel,
                Err(error) => {
                    println!("{name}: {}: UNREADABLE {error}", found.name);
                    continue;
                }
            };
            if !quiet {
                println!("{kernel}");
            }
            let bodies = kernel.functions.iter().map(|f| &f.body).chain(&kernel.globals);
            let unknown: Vec<String> = bodies
                .flat_map(|body| Node::from(body).subterms().collect::<Vec<_>>())
                .filter_map(|n| n.unsupported().map(str::to_owned))
                .collect();
            whole += usize::from(unknown.is_empty());
            for construct in unknown {
                println!("{name}: {}: UNSUPPORTED {construct}", found.name);
            }
        }
    }
    println!("{whole} of {count} kernels are understood");
    Ok(())
}
