//! The typing environment `V` (LCL22 Fig. 6).

use babycuda_core::name::reserved;
use babycuda_core::{Name, Program};
use im::OrdSet;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;

/// `V`: the variables that may decide control flow and indices. Cheap to clone and to extend.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(with = "Vec<Name>"))]
#[serde(from = "Vec<Name>", into = "Vec<Name>")]
pub struct Context(OrdSet<Name>);

impl Context {
    /// The variables that a whole program starts from: its parameters and what the launch gives
    /// meaning to (`tid`, `threadIdx.*`, `blockIdx.*`, `blockDim.*`, `gridDim.*`).
    pub fn of_program(program: &Program) -> Context {
        let launch =
            [reserved::THREAD_IDX, reserved::BLOCK_IDX, reserved::BLOCK_DIM, reserved::GRID_DIM];
        let params = program.params.iter().map(|p| p.name.clone());
        [reserved::TID]
            .into_iter()
            .chain(launch.into_iter().flatten())
            .map(Name::from)
            .chain(params)
            .collect()
    }

    /// `x ∈ V`
    pub fn contains(&self, var: &Name) -> bool {
        self.0.contains(var)
    }

    /// `V ∪ {x}`
    #[must_use]
    pub fn with(&self, var: Name) -> Context {
        Context(self.0.update(var))
    }

    /// The first of `vars`, by name, that is not in `V`; `None`: `vars ⊆ V`.
    pub(crate) fn first_missing(&self, vars: &BTreeSet<Name>) -> Option<Name> {
        vars.iter().find(|x| !self.contains(x)).cloned()
    }

    /// The variables, by name.
    pub fn iter(&self) -> impl Iterator<Item = &Name> {
        self.0.iter()
    }
}

impl<N: Into<Name>> FromIterator<N> for Context {
    fn from_iter<T: IntoIterator<Item = N>>(vars: T) -> Context {
        Context(vars.into_iter().map(Into::into).collect())
    }
}

impl From<Vec<Name>> for Context {
    fn from(vars: Vec<Name>) -> Context {
        vars.into_iter().collect()
    }
}

impl From<Context> for Vec<Name> {
    fn from(context: Context) -> Vec<Name> {
        context.iter().cloned().collect()
    }
}

impl fmt::Display for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.iter().map(Name::as_str).collect();
        write!(f, "{{{}}}", names.join(", "))
    }
}
