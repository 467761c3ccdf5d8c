//! All techniques on the kernels of a file, each at one launch.

use crate::input::File;
use crate::kernels;
use crate::problem::Problem;
use crate::source::Source;
use babycuda::detectors::Detector;
use babycuda::frontend::{Kernel, Translation};
use babycuda::{CheckOptions, Compared, Subject, compare as compared};
use babycuda_core::{Dim3, Launch, Name, Settings};

/// The kernels of a file that are asked about.
#[derive(Debug)]
pub struct Asked {
    /// The file.
    pub file: File,
    /// Its kernels.
    pub kernels: Vec<Kernel>,
    /// The launch, and the parameters that have a value.
    pub settings: Settings,
}

impl Asked {
    /// Reads the kernels of a file. Where nothing else is given, a launch has 32 threads in one block.
    ///
    /// # Errors
    /// A [`Problem`] when the file has no such kernels.
    pub fn read(file: File, source: &Source, given: Settings) -> Result<Asked, Problem> {
        if !file.language.has_kernels() {
            let message = format!("{}: techniques read kernels of CUDA C or OpenCL C", file.path);
            return Err(Problem::new(message));
        }
        let block = Some(given.block.unwrap_or(Dim3::line(32)));
        let grid = Some(given.grid.unwrap_or(Dim3::line(1)));
        let settings = Settings { block, grid, ..given };
        let mut kernels = kernels::trees(&file, source, &settings)?;
        if let Some(wanted) = &source.kernel {
            kernels.retain(|kernel| kernel.name == *wanted);
            if kernels.is_empty() {
                return Err(Problem::new(format!("{} has no kernel `{wanted}`", file.path)));
            }
        }
        Ok(Asked { file, kernels, settings })
    }

    /// The launch.
    pub fn launch(&self) -> Launch {
        kernels::configuration(&self.settings, None).launch
    }

    /// What the techniques say of a kernel, beside what is true; and its parameters that have no value.
    ///
    /// # Errors
    /// A [`Problem`] when a setting does not fit.
    pub fn compare(
        &self,
        kernel: &Kernel,
        detectors: &[Box<dyn Detector>],
        options: &CheckOptions,
    ) -> Result<(Compared, Vec<Name>), Problem> {
        let program = match &kernel.translation {
            Translation::Program(program) => {
                // Another kernel of the file may have a parameter that this one lacks.
                let mut settings = self.settings.clone();
                settings.params.retain(|name, _| program.params.iter().any(|p| p.name == *name));
                let applied = settings.apply(program).map_err(|e| Problem::new(e.to_string()))?;
                Ok(applied.around(program.body.clone()))
            }
            Translation::Unsupported(refused) => {
                Err(format!("not supported: {} at {}", refused.construct, refused.span))
            }
        };
        let configuration = kernels::configuration(&self.settings, program.as_ref().ok());
        let subject = Subject {
            source: &self.file.text,
            tree: kernel.tree.as_deref(),
            program: program.as_ref().map_err(String::as_str),
            configuration: &configuration,
        };
        let compared = compared(&subject, detectors, options);
        let params = program.iter().flat_map(|program| &program.params);
        let open = params.filter(|param| !configuration.parameters.contains_key(&param.name));
        Ok((compared, open.map(|param| param.name.clone()).collect()))
    }
}
