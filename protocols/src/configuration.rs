//! What a protocol is evaluated in: a concrete configuration, or the declarations of a program.

use babycuda_core::expr::Renaming;
use babycuda_core::instance::Values;
use babycuda_core::syntax::{ArrayDecl, Contents, Domain, Extent, Geometry, Param, Space};
use babycuda_core::{Bool, Launch, Name, Natural, Num, Program, Thread};
use std::collections::{BTreeMap, BTreeSet};

/// A launch, one of its blocks, and a value for each parameter: what makes a protocol closed, up
/// to the thread.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Configuration {
    /// The launch.
    pub launch: Launch,
    /// Linear index of the block in the grid.
    pub block: u64,
    /// The value of each parameter.
    pub parameters: BTreeMap<Name, Natural>,
    /// The arrays a read of which stops its thread (THEORY §4). The paper's Λ, and with it every
    /// derivation, knows none.
    #[serde(skip)]
    pub stops: BTreeSet<Name>,
}

impl Configuration {
    /// Block 0 of `launch`, without parameters.
    pub fn of_launch(launch: Launch) -> Configuration {
        Configuration { launch, block: 0, parameters: BTreeMap::new(), stops: BTreeSet::new() }
    }

    /// The paper's set of threads `T = {0, …, n-1}`, without parameters.
    pub fn threads(n: u32) -> Configuration {
        Configuration::of_launch(Launch::threads(n))
    }

    /// The same with the parameter `name` set to `value`.
    #[must_use]
    pub fn with(mut self, name: impl Into<Name>, value: impl Into<Natural>) -> Configuration {
        self.parameters.insert(name.into(), value.into());
        self
    }

    /// The value of a free variable in thread `index` of the block; `None`: unbound.
    pub fn value_of(&self, name: &Name, index: u64) -> Option<Natural> {
        let thread = Thread { block: self.block, index };
        self.launch.value_of(name, thread).or_else(|| self.parameters.get(name).cloned())
    }

    /// The substitution `[tid := i, …]` that closes a protocol for thread `index`.
    pub fn substitution(&self, index: u64) -> Renaming {
        self.values(index).into_iter().map(|(x, k)| (x, Num::Lit(k))).collect()
    }

    /// The same as values of variables.
    pub fn values(&self, index: u64) -> Values {
        let thread = Thread { block: self.block, index };
        let parameters = self.parameters.iter().map(|(x, k)| (x.clone(), k.clone()));
        let uniform = self.launch.uniform_values();
        parameters.chain(uniform).chain(self.launch.thread_values(thread)).collect()
    }
}

/// What a program declares around its protocol: the free variables, the arrays, the launches.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Declarations {
    /// Parameters: the same value for every thread.
    pub params: Vec<Param>,
    /// Arrays. One that is not declared is taken for shared, with opaque contents.
    pub arrays: Vec<ArrayDecl>,
    /// Which launches are meant.
    pub geometry: Geometry,
    /// What may be assumed of parameters and extents.
    pub assumptions: Vec<Bool>,
    /// The arrays a read of which stops its thread (THEORY §4).
    pub stops: BTreeSet<Name>,
}

impl Declarations {
    /// The declarations of `program`. Its reads of ⊥ stop nobody: see [`Declarations::stopping`].
    pub fn of(program: &Program) -> Declarations {
        Declarations {
            params: program.params.clone(),
            arrays: program.arrays.clone(),
            geometry: program.geometry,
            assumptions: program.assumptions.clone(),
            stops: BTreeSet::new(),
        }
    }

    /// The same, where a read of an array that nobody can have written stops its thread.
    #[must_use]
    pub fn stopping(mut self, program: &Program) -> Declarations {
        self.stops = program.unwritten();
        self
    }

    /// No parameters and no arrays, for these launches.
    pub fn of_geometry(geometry: Geometry) -> Declarations {
        Declarations {
            params: Vec::new(),
            arrays: Vec::new(),
            geometry,
            assumptions: Vec::new(),
            stops: BTreeSet::new(),
        }
    }

    /// The same with one more parameter.
    #[must_use]
    pub fn with_param(mut self, name: impl Into<Name>, domain: Domain) -> Declarations {
        self.params.push(Param { name: name.into(), domain, value: None });
        self
    }

    /// Do all blocks share `array`?
    pub fn is_global(&self, array: &Name) -> bool {
        self.array(array).is_some_and(|a| a.space == Space::Global)
    }

    /// The contents of `array` before the launch; of an array without declaration, opaque.
    pub fn contents(&self, array: &Name) -> &Contents {
        self.array(array).map_or(&Contents::Opaque, |a| &a.contents)
    }

    /// Can two blocks of one launch be considered: is a grid given, of more than one block?
    pub fn has_grid(&self) -> bool {
        self.geometry.grid.is_some_and(|grid| grid.iter().any(|e| *e != Extent::Known(1)))
    }

    fn array(&self, array: &Name) -> Option<&ArrayDecl> {
        self.arrays.iter().find(|a| a.name == *array)
    }

    /// Do the parameters and the launch of `configuration` belong to what is declared?
    /// Nothing is asked of parameters that are not declared.
    pub fn admits(&self, configuration: &Configuration) -> bool {
        let params = self.params.iter().all(|p| {
            configuration.parameters.get(&p.name).is_some_and(|k| {
                p.value.as_ref().is_none_or(|fixed| fixed == k)
                    && match p.domain {
                        Domain::Natural => true,
                        Domain::Machine(t) => Natural::from(t.pattern(k)) == *k,
                    }
            })
        });
        let extents = |declared: [Extent; 3], actual: [u32; 3]| {
            declared
                .iter()
                .zip(actual)
                .all(|(e, k)| k > 0 && (*e == Extent::Symbolic || *e == Extent::Known(k)))
        };
        let launch = configuration.launch;
        let geometry = extents(self.geometry.block, launch.block.components())
            && self.geometry.grid.is_none_or(|grid| extents(grid, launch.grid.components()))
            && configuration.block < launch.grid.count();
        let holds = |c: &Bool| c.eval(&|x| configuration.value_of(x, 0)).unwrap_or(false);
        params && geometry && self.assumptions.iter().all(holds)
    }
}
