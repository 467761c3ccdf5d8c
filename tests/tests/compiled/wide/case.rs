//! A kernel of the wide kind, and what it is run on.

use crate::dialect;
use crate::opencl::opencl;
use babycuda_core::history::{HostArray, HostMemory};
use babycuda_core::syntax::{Contents, Domain};
use babycuda_core::{Dim3, Launch, Name, Natural, Program};
use babycuda_frontend::{Language, Options, Overflow};
use babycuda_semantics::Instance;
use std::collections::BTreeSet;
use std::fmt;

/// A kernel, and the one launch that is compared.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    /// What generated it.
    pub seed: u64,
    pub language: Language,
    /// Lines before the kernel: types, tables, functions.
    pub lines: Vec<String>,
    /// Its head.
    pub head: String,
    /// Its statements, with `BC_…` macros.
    pub body: Vec<String>,
    /// The call as C++ writes it.
    pub call: String,
    /// The parameters that are numbers.
    pub params: Vec<(String, i128)>,
    pub grid: u32,
    pub block: [u32; 2],
    /// The threads of a tile that has barriers.
    pub tile: u32,
    /// Does the translation know the launch and the parameters?
    pub concrete: bool,
    /// What signed overflow does. None is computed.
    pub overflow: Overflow,
    /// The constructs that it has.
    pub labels: BTreeSet<&'static str>,
}

impl Case {
    /// The text, with `BC_…` macros.
    pub fn text(&self) -> String {
        let mut out: String = self.lines.iter().map(|line| format!("{line}\n")).collect();
        out += &format!("{} {{\n", self.head);
        for statement in &self.body {
            for line in statement.lines() {
                out += &format!("  {line}\n");
            }
        }
        out + "}\n"
    }

    /// The text as CUDA.
    pub fn cuda(&self) -> String {
        dialect::cuda(&self.text())
    }

    /// The text in its language.
    pub fn source(&self) -> String {
        match self.language {
            Language::Cuda => self.cuda(),
            Language::OpenCl => opencl(&self.text()),
        }
    }

    fn block(&self) -> Dim3 {
        Dim3 { x: self.block[0], y: self.block[1], z: 1 }
    }

    fn launch(&self) -> Launch {
        Launch::new(Dim3::line(self.grid), self.block())
    }

    /// What is fixed for a translation; in a file with others, nothing is.
    pub fn options(&self, alone: bool) -> Options {
        let mut options = Options { overflow: self.overflow, ..Options::default() };
        if self.concrete && alone {
            options.settings.block = Some(self.block());
            options.settings.grid = Some(Dim3::line(self.grid));
            // Who makes the copies of a group, and the components of a vector, are no parameters where nothing uses them.
            let declared = |name: &str| name != "copier" && !name.contains('.');
            let params = self.params.iter().filter(|(name, _)| declared(name));
            options.settings.params = params.map(|(x, k)| (Name::new(x), (*k).into())).collect();
        }
        options
    }

    /// The launch of a translation. Nothing is said of what memory holds.
    pub fn instance(&self, program: &Program) -> Instance {
        let mut instance = Instance::new(program.clone(), self.launch());
        for param in &program.params {
            let is_this = |name: &str| name == param.name.as_str() || is_copier(name, &param.name);
            let given = self.params.iter().find(|(name, _)| is_this(name));
            if let (Some((_, value)), Domain::Machine(t)) = (given, param.domain) {
                let value = Natural::from(t.write(*value));
                instance.configuration.parameters.insert(param.name.clone(), value);
            }
        }
        // Only of tables is it known what they hold.
        let mut host = HostMemory::declared(program);
        for array in &program.arrays {
            if !matches!(array.contents, Contents::Values(_)) {
                host.insert(array.name.clone(), HostArray::default());
            }
        }
        instance.with_host(host)
    }
}

/// Does the parameter say who makes another copy of the group?
fn is_copier(name: &str, param: &Name) -> bool {
    name == "copier" && param.as_str().starts_with("copier")
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "// seed {}", self.seed)?;
        f.write_str(&self.source())?;
        writeln!(f, "// grid {}, block {:?}, {:?}", self.grid, self.block, self.params)
    }
}
