//! What the host stored in the arrays before the launch: `W0` of THEORY §2.

use super::Cell;
use crate::name::Name;
use crate::natural::Natural;
use crate::syntax::{ArrayDecl, Contents, Declarations};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The initial contents of every array; an array that is absent is undefined everywhere. A copy shares
/// them until it is changed.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct HostMemory {
    arrays: Arc<BTreeMap<Name, HostArray>>,
}

/// The initial contents of one array.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HostArray {
    /// The value of every cell that `cells` does not list; `None`: undefined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fill: Option<Natural>,
    /// Single cells, by index.
    #[serde(default)]
    pub cells: BTreeMap<Natural, Natural>,
}

impl HostMemory {
    /// The contents that are declared; `any` and `opaque` arrays hold 0.
    pub fn declared(declarations: &Declarations) -> HostMemory {
        let arrays = declarations.arrays.iter().map(|a| (a.name.clone(), HostArray::declared(a)));
        HostMemory { arrays: Arc::new(arrays.collect()) }
    }

    /// The contents that the declarations fix; of no other array is anything said.
    pub fn fixed(declarations: &Declarations) -> HostMemory {
        let mut memory = HostMemory::declared(declarations);
        let open = |a: &&ArrayDecl| !matches!(a.contents, Contents::Values(_) | Contents::Fill(_));
        for array in declarations.arrays.iter().filter(open) {
            Arc::make_mut(&mut memory.arrays).remove(&array.name);
        }
        memory
    }

    /// The value of `cell`; `None` where undefined.
    pub fn get(&self, cell: &Cell) -> Option<&Natural> {
        self.array(&cell.array)?.get(&cell.index)
    }

    /// The contents of `array`, where anything is said of it.
    pub fn array(&self, array: &Name) -> Option<&HostArray> {
        self.arrays.get(array)
    }

    /// Is nothing said of any array?
    pub fn is_empty(&self) -> bool {
        self.arrays.is_empty()
    }

    /// Stores `value` in `cell`.
    pub fn set(&mut self, cell: Cell, value: Natural) {
        let arrays = Arc::make_mut(&mut self.arrays);
        arrays.entry(cell.array).or_default().cells.insert(cell.index, value);
    }

    /// Every array that is defined somewhere.
    pub fn arrays(&self) -> impl Iterator<Item = (&Name, &HostArray)> {
        self.arrays.iter()
    }

    /// The cells that are listed one by one.
    pub fn cells(&self) -> impl Iterator<Item = (Cell, Natural)> {
        self.arrays.iter().flat_map(|(name, array)| {
            let cell = |(index, value): (&Natural, &Natural)| {
                (Cell { array: name.clone(), index: index.clone() }, value.clone())
            };
            array.cells.iter().map(cell)
        })
    }

    /// Gives the array `name` these contents.
    pub fn insert(&mut self, name: Name, array: HostArray) {
        Arc::make_mut(&mut self.arrays).insert(name, array);
    }
}

impl HostArray {
    /// The value of a cell; `None` where undefined.
    pub fn get(&self, index: &Natural) -> Option<&Natural> {
        self.cells.get(index).or(self.fill.as_ref())
    }

    fn declared(array: &ArrayDecl) -> HostArray {
        match &array.contents {
            Contents::Undefined => HostArray::default(),
            Contents::Values(values) => HostArray {
                fill: None,
                cells: (0u64..).map(Natural::from).zip(values.iter().cloned()).collect(),
            },
            Contents::Fill(value) => {
                HostArray { fill: Some(value.clone()), cells: BTreeMap::new() }
            }
            Contents::Any | Contents::Opaque => {
                HostArray { fill: Some(Natural::zero()), cells: BTreeMap::new() }
            }
        }
    }
}
