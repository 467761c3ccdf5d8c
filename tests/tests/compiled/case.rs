//! A kernel with what it is run on.

use crate::dialect::cuda;
use crate::layout::{File, included};
use babycuda_core::history::{HostArray, HostMemory};
use babycuda_core::syntax::Contents;
use babycuda_core::{Dim3, Launch, Name, Natural, Program};
use babycuda_frontend::{Included, Includes, Options, Overflow};
use std::fmt;

/// An array that the kernel accesses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Array {
    pub name: String,
    /// The bits of an element.
    pub bits: u32,
    /// Of all blocks, not of one?
    pub global: bool,
    /// A table that no one writes? A translation may know what it reads.
    pub constant: bool,
    /// What the first cells hold.
    pub values: Vec<u64>,
    /// What all others hold.
    pub fill: u64,
}

/// A launch with values for the parameters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Setting {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub params: Vec<i128>,
}

impl Setting {
    pub fn launch(&self) -> Launch {
        let dims = |[x, y, z]: [u32; 3]| Dim3 { x, y, z };
        Launch::new(dims(self.grid), dims(self.block))
    }
}

/// The text of a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Source {
    /// As a tree.
    Tree(File),
    /// As a text with `BC_…` macros.
    Text(String),
}

/// A kernel, and what it is run on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    /// What generated it.
    pub seed: u64,
    pub source: Source,
    /// The call of the kernel as C++ writes it: pointers by name, parameters by number.
    pub call: String,
    /// The names of its parameters.
    pub params: Vec<String>,
    pub arrays: Vec<Array>,
    pub settings: Vec<Setting>,
    /// What signed overflow does.
    pub overflow: Overflow,
}

impl Case {
    /// The text, with `BC_…` macros.
    pub fn text(&self) -> String {
        match &self.source {
            Source::Tree(file) => file.text(),
            Source::Text(text) => text.clone(),
        }
    }

    /// The text as CUDA.
    pub fn cuda(&self) -> String {
        cuda(&self.text())
    }

    /// The names and texts of its headers, with `BC_…` macros.
    pub fn headers(&self) -> Vec<(String, String)> {
        match &self.source {
            Source::Tree(file) => file.headers(),
            Source::Text(_) => Vec::new(),
        }
    }

    /// All its text as CUDA.
    pub fn whole_cuda(&self) -> String {
        let headers = self.headers();
        headers.iter().map(|(_, text)| cuda(text)).collect::<String>() + &self.cuda()
    }

    fn includes(&self) -> Includes {
        let headers: Vec<(String, String)> =
            self.headers().into_iter().map(|(name, text)| (name, cuda(&text))).collect();
        Includes::new(move |request| {
            let names = headers.iter().map(|(name, _)| name.as_str());
            let path = included(names, request.from, request.name, request.angled)?.to_owned();
            let (_, text) = headers.iter().find(|(name, _)| *name == path)?;
            Some(Included { path, text: text.clone() })
        })
    }

    /// What the arrays of a translation hold. Tables whose values the program has keep those.
    pub fn host(&self, program: &Program) -> HostMemory {
        let mut host = HostMemory::declared(program);
        for array in &self.arrays {
            let name = Name::new(&array.name);
            let declared = program.array(&name).map(|a| &a.contents);
            if matches!(declared, Some(Contents::Values(_))) {
                continue;
            }
            let values = array.values.iter().map(|v| Natural::from(*v));
            let cells = (0u64..).map(Natural::from).zip(values).collect();
            host.insert(name, HostArray { fill: Some(Natural::from(array.fill)), cells });
        }
        host
    }

    /// Is the array a table that no one writes?
    pub fn is_constant(&self, name: &str) -> bool {
        self.arrays.iter().any(|a| a.name == name && a.constant)
    }

    /// What is fixed for a translation of the kernel.
    pub fn options(&self, view: View, setting: &Setting) -> Options {
        let (overflow, includes) = (self.overflow, self.includes());
        let mut options = Options { overflow, includes, ..Options::default() };
        if view != View::Symbolic {
            let dims = |[x, y, z]: [u32; 3]| Some(Dim3 { x, y, z });
            options.settings.block = dims(setting.block);
            options.settings.grid = dims(setting.grid);
        }
        if view == View::Concrete {
            let params = self.params.iter().zip(&setting.params);
            options.settings.params = params.map(|(x, k)| (Name::new(x), (*k).into())).collect();
        }
        options
    }
}

/// What a translation knows beforehand.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum View {
    /// The launch and the parameters.
    Concrete,
    /// The launch.
    Parametric,
    /// Nothing.
    Symbolic,
}

/// All views.
pub const VIEWS: [View; 3] = [View::Concrete, View::Parametric, View::Symbolic];

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "// seed {}", self.seed)?;
        for (name, text) in self.headers() {
            writeln!(f, "// {name}:\n{}// the file:", cuda(&text))?;
        }
        f.write_str(&self.cuda())?;
        for array in &self.arrays {
            let Array { name, values, fill, .. } = array;
            writeln!(f, "// {name} = {values:?}, then {fill}")?;
        }
        for Setting { grid, block, params } in &self.settings {
            writeln!(f, "// grid {grid:?}, block {block:?}, {:?} = {params:?}", self.params)?;
        }
        Ok(())
    }
}
