//! Prints what each kernel of a CUDA file means: `cargo run --example translate -- FILE`.

use babycuda_frontend::{Options, Translation, parse_cuda};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for path in std::env::args().skip(1) {
        let source = std::fs::read_to_string(&path)?;
        for kernel in parse_cuda(&source, &Options::default())? {
            match kernel.translation {
                Translation::Program(program) => println!("{program}"),
                Translation::Unsupported(why) => println!("{path}:{why}"),
            }
        }
    }
    Ok(())
}
