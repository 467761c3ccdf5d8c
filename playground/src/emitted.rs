//! Techniques read kernels of CUDA C. For a program they get what `babycuda emit` prints of it.

use babycuda::Settings;
use babycuda::gpu::emit::{EmitOptions, Target, emit};
use babycuda_core::syntax::{Program, Space};
use babycuda_files::problem::Problem;

/// The cells of a shared array of which the program says no length: CUDA C asks for one.
const CELLS: u64 = 1024;

/// A program as CUDA C.
pub(crate) struct Emitted {
    /// The text.
    pub(crate) text: String,
    /// The launch that the program says.
    pub(crate) settings: Settings,
    /// What the text adds to the program.
    pub(crate) notes: Vec<String>,
}

/// The program as CUDA C.
///
/// # Errors
/// A [`Problem`] where the launch is open, and where the text would not mean what the program does.
pub(crate) fn emitted(program: &Program) -> Result<Emitted, Problem> {
    if !program.contents_assumed.is_empty() {
        let message = "techniques would compare another program: what this one assumes of the contents of its \
                       inputs cannot be said in CUDA C";
        return Err(Problem::new(message).help("the verdict takes it into account"));
    }
    let Some(launch) = program.geometry.launch() else {
        return Err(Problem::new("techniques compare one launch, and this one is open"));
    };
    let unsized_arrays =
        program.arrays.iter().filter(|a| a.space == Space::Shared && a.length.is_none());
    let names: Vec<_> = unsized_arrays.map(|array| array.name.clone()).collect();
    let mut notes = Vec::new();
    if !names.is_empty() {
        let all = names.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        notes.push(format!("The program says no length of {all}: {CELLS} cells there."));
    }
    let lengths = names.into_iter().map(|name| (name, CELLS)).collect();
    let text = emit(program, Target::Cuda, &EmitOptions { lengths, ..EmitOptions::default() })
        .map_err(|error| Problem::new(error.kind.to_string()).at(error.span))?;
    let settings =
        Settings { block: Some(launch.block), grid: Some(launch.grid), ..Settings::default() };
    Ok(Emitted { text: text.text, settings, notes })
}
