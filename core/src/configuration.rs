//! Where code is evaluated: a launch, one of its blocks, the parameters.

use crate::expr::{Bool, Num, Renaming};
use crate::history::{Cell, HostMemory};
use crate::instance::Values;
use crate::launch::{Launch, Thread};
use crate::name::Name;
use crate::natural::Natural;
use crate::syntax::{Declarations, Extent, Forall};
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
    /// What the host stored, as far as that is known: for Λ, in the read-only inputs (THEORY T11).
    #[serde(default, skip_serializing_if = "HostMemory::is_empty")]
    pub host: HostMemory,
    /// The arrays of which a read stops its thread (THEORY §4). The paper's Λ, and with it every
    /// derivation, has none.
    #[serde(skip)]
    pub stops: BTreeSet<Name>,
}

impl Configuration {
    /// Block 0 of `launch`, without parameters.
    pub fn of_launch(launch: Launch) -> Configuration {
        let (parameters, host, stops) = Default::default();
        Configuration { launch, block: 0, parameters, host, stops }
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

    /// The same for these variables only.
    pub fn substitution_of<'a>(
        &self,
        variables: impl IntoIterator<Item = &'a Name>,
        index: u64,
    ) -> Renaming {
        let value = |x: &Name| Some((x.clone(), Num::Lit(self.value_of(x, index)?)));
        variables.into_iter().filter_map(value).collect()
    }

    /// The same as values of variables.
    pub fn values(&self, index: u64) -> Values {
        let thread = Thread { block: self.block, index };
        let parameters = self.parameters.iter().map(|(x, k)| (x.clone(), k.clone()));
        let uniform = self.launch.uniform_values();
        parameters.chain(uniform).chain(self.launch.thread_values(thread)).collect()
    }
}

/// What keeps declarations from being about one configuration.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NotFixed {
    /// An extent of the block or of the grid.
    #[error("the extents of the launch are not all fixed")]
    Launch,
    /// A parameter.
    #[error("parameter `{0}` is not fixed")]
    Parameter(Name),
}

impl Declarations {
    /// The one configuration that is declared: without a grid, the first block of a grid of one. A
    /// parameter without a value is 0, where neither `mentioned` nor an assumption mentions it.
    ///
    /// # Errors
    /// [`NotFixed`]
    pub fn configuration(&self, mentioned: &BTreeSet<Name>) -> Result<Configuration, NotFixed> {
        let launch = self.geometry.launch().ok_or(NotFixed::Launch)?;
        let mut parameters = BTreeMap::new();
        for param in &self.params {
            let assumed = || {
                self.assumptions.iter().any(|c| c.free_vars().contains(&param.name))
                    || self.contents_assumed.iter().any(|a| a.free_vars().contains(&param.name))
            };
            if param.value.is_none() && (mentioned.contains(&param.name) || assumed()) {
                return Err(NotFixed::Parameter(param.name.clone()));
            }
            parameters.insert(param.name.clone(), param.value.clone().unwrap_or_default());
        }
        let stops = self.stops.clone();
        Ok(Configuration { parameters, stops, ..Configuration::of_launch(launch) })
    }

    /// Do the launch, the parameters and the host's contents of `configuration` belong to what is
    /// declared? Parameters that are not declared may have any value. Assumptions over contents hold
    /// if they do in the contents that are known; of others they say nothing here.
    pub fn admits(&self, configuration: &Configuration) -> bool {
        let params = self.params.iter().all(|p| {
            configuration.parameters.get(&p.name).is_some_and(|k| {
                p.value.as_ref().is_none_or(|fixed| fixed == k) && p.domain.contains(k)
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
        params
            && geometry
            && self.admits_contents(&configuration.host)
            && self.assumptions.iter().all(holds)
            && self.unmet_in(configuration, &configuration.host).is_none()
    }

    /// The first assumption over contents that does not hold in `host`, by its number, or that cannot
    /// be evaluated, and why. Those over an array of which neither `host` nor a declaration gives the
    /// contents say nothing.
    pub fn unmet_in(&self, at: &Configuration, host: &HostMemory) -> Option<(usize, String)> {
        if self.contents_assumed.is_empty() {
            return None;
        }
        let fixed = HostMemory::fixed(self);
        let given = |array: &Name| host.array(array).or_else(|| fixed.array(array));
        let mut stored = |cell: &Cell| given(&cell.array)?.get(&cell.index).cloned();
        let mut unmet = |assumption: &Forall, said: String| {
            assumption.arrays().into_iter().try_for_each(|array| given(array).map(|_| ()))?;
            match assumption.broken(&|x| at.value_of(x, 0), &mut stored, 1) {
                Err(why) => Some(format!("`{said}` cannot be evaluated: {why}")),
                Ok(found) => found.first().map(|values| {
                    let values = values.iter().map(|(x, k)| format!("{x} = {k}"));
                    let values: Vec<String> = values.collect();
                    let at = if values.is_empty() { "" } else { " for " };
                    format!("`{said}` does not hold{at}{}", values.join(", "))
                }),
            }
        };
        let mut assumed = self.contents_assumed.iter().zip(self.said_of_contents()).enumerate();
        assumed.find_map(|(number, (assumption, said))| Some((number, unmet(assumption, said)?)))
    }

    /// Are these contents of arrays that may be inputs, as they are declared?
    fn admits_contents(&self, host: &HostMemory) -> bool {
        let fixed = HostMemory::fixed(self);
        host.arrays().all(|(name, found)| {
            let values = || found.fill.iter().chain(found.cells.values());
            self.may_be_input(name)
                && fixed.array(name).is_none_or(|declared| declared == found)
                && self.array(name).is_some_and(|a| values().all(|k| a.element.contains(k)))
        })
    }
}
