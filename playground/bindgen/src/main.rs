//! `babycuda-playground-bindgen MODULE.wasm FOLDER`: what the program `wasm-bindgen --target web` does.

use std::process::ExitCode;
use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [module, folder] = args.as_slice() else {
        eprintln!("usage: babycuda-playground-bindgen MODULE.wasm FOLDER");
        return ExitCode::from(2);
    };
    let written = Bindgen::new()
        .input_path(module)
        .out_name("babycuda")
        .typescript(false)
        .remove_name_section(true)
        .remove_producers_section(true)
        .web(true)
        .and_then(|bindgen| bindgen.generate(folder));
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}
