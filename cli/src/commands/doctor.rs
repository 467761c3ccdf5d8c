//! `babycuda doctor`: which of the programs and devices that it can use are there.

use super::Failure;
use crate::args::{DoctorArgs, PlainFormat};
use crate::output;
use babycuda::clang::Clang;
use babycuda::smt::process::{External, Kind};
use serde_json::{Value, json};
use std::process::{Command, Stdio};

/// Something outside of this program.
struct Found {
    name: &'static str,
    /// What it is used for.
    purpose: &'static str,
    /// What it says of itself, or why it cannot be used.
    says: Result<String, String>,
    /// How to get it.
    remedy: String,
}

/// Prints what is there, and how to get the rest; the exit status.
///
/// # Errors
/// When the output cannot be written.
pub(crate) fn run(args: &DoctorArgs) -> Result<u8, Failure> {
    let mut all = vec![
        solver(Kind::Z3, "apt install z3"),
        solver(Kind::Cvc5, "apt install cvc5"),
        Found {
            name: "clang",
            purpose: "reads OpenCL C, and C++ that the built-in parser does not understand",
            says: Clang::find().map(|clang| clang.version().to_owned()).map_err(|e| e.to_string()),
            remedy: "apt install clang, or name it in BABYCUDA_CLANG".to_owned(),
        },
        Found {
            name: "coq",
            purpose: "checks derivations that `derive --format coq` prints, with proofs/coq",
            says: version_of("coqc"),
            remedy: "apt install coq".to_owned(),
        },
    ];
    devices(&mut all);
    fuzzed(&mut all);
    match args.format {
        PlainFormat::Human => output::print(text(&all))?,
        PlainFormat::Json => output::println(document(&all))?,
    }
    Ok(0)
}

fn solver(kind: Kind, remedy: &str) -> Found {
    Found {
        name: kind.name(),
        purpose: "a solver beside the embedded one: `check --solver`",
        says: External::find(kind).version().map(str::to_owned).map_err(str::to_owned),
        remedy: format!("{remedy}, or name it in {}", kind.variable()),
    }
}

/// The first line that a program prints about its version.
fn version_of(program: &str) -> Result<String, String> {
    let output = Command::new(program).arg("--version").stdin(Stdio::null()).output();
    let output = output.map_err(|e| format!("cannot run `{program}`: {e}"))?;
    let said = String::from_utf8_lossy(&output.stdout);
    match said.lines().next() {
        Some(version) if output.status.success() => Ok(version.to_owned()),
        _ => Err(format!("`{program} --version` fails")),
    }
}

#[cfg(not(feature = "devices"))]
fn devices(_: &mut Vec<Found>) {}

#[cfg(feature = "devices")]
fn devices(all: &mut Vec<Found>) {
    use babycuda::gpu::BackendName;
    let back_ends = [
        (BackendName::OpenCl, cfg!(feature = "opencl"), "apt install pocl-opencl-icd"),
        (BackendName::Wgpu, cfg!(feature = "wgpu"), "apt install mesa-vulkan-drivers"),
        (BackendName::Cuda, cfg!(feature = "cuda"), "an NVIDIA GPU with its driver"),
    ];
    for (back_end, built, remedy) in back_ends {
        let name = match back_end {
            BackendName::OpenCl => "opencl",
            BackendName::Wgpu => "wgpu",
            _ => "cuda",
        };
        let says = match babycuda::gpu::open(back_end, 0) {
            Ok(opened) => Ok(opened.device().name.clone()),
            Err(unavailable) => Err(unavailable.reason),
        };
        let remedy = match built {
            true => remedy.to_owned(),
            false => format!("build with `--features full,{name}`"),
        };
        all.push(Found { name, purpose: "a device: `gpu --backend`", says, remedy });
    }
}

#[cfg(not(feature = "fuzz"))]
fn fuzzed(_: &mut Vec<Found>) {}

#[cfg(feature = "fuzz")]
fn fuzzed(all: &mut Vec<Found>) {
    all.extend(babycuda_fuzz::outside().into_iter().map(|tool| Found {
        name: tool.name,
        purpose: "a tool that campaigns ask: `fuzz --against`",
        says: tool.program.map(|program| program.display().to_string()),
        remedy: tool.remedy.to_owned(),
    }));
}

fn text(all: &[Found]) -> String {
    let line = |found: &Found| {
        let Found { name, purpose, says, remedy } = found;
        let indent = " ".repeat(10);
        match says {
            Ok(version) => format!("{name:<9} {version}\n{indent}{purpose}\n"),
            Err(why) => format!(
                "{name:<9} missing: {why}\n{indent}{purpose}\n{indent}to get it: {remedy}\n"
            ),
        }
    };
    let none = "What is missing is not needed: an embedded solver and a parser are built in.\n";
    all.iter().map(line).chain([none.to_owned()]).collect()
}

fn document(all: &[Found]) -> Value {
    let tool = |found: &Found| {
        json!({
            "name": found.name,
            "purpose": found.purpose,
            "version": found.says.as_ref().ok(),
            "missing": found.says.as_ref().err(),
            "remedy": found.says.is_err().then_some(&found.remedy),
        })
    };
    json!({ "version": 1, "tools": all.iter().map(tool).collect::<Vec<_>>() })
}
