//! Declarations: all that stands around the code of a program or a protocol.

use super::{AtomicUpdate, Forall, Note, Program, Sources, Stmt};
use crate::expr::Bool;
use crate::interval::Interval;
use crate::launch::{Dim3, Launch, WARP_SIZE, is_warp_size, warp_size};
use crate::machine::IntType;
use crate::name::Name;
use crate::natural::{Integer, Natural};
use crate::site::Site;
use num_bigint::BigInt;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// What a program or a protocol declares around its code.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Declarations {
    /// The kernel's name.
    pub name: Name,
    /// Parameters: the same value for every thread.
    pub params: Vec<Param>,
    /// Arrays.
    pub arrays: Vec<ArrayDecl>,
    /// Which launches are meant.
    pub geometry: Geometry,
    /// What may be assumed of parameters and extents.
    pub assumptions: Vec<Bool>,
    /// What may be assumed of the contents of read-only inputs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contents_assumed: Vec<Forall>,
    /// What the file says should come out.
    pub expectations: Vec<Expectation>,
    /// Where the sites of the code stand in the source.
    pub sources: Sources,
    /// What a front end assumed on the way, for the reader of a verdict.
    pub notes: Vec<Note>,
    /// For a protocol that stands for a program: the arrays of which a read stops its thread
    /// (THEORY §4; [`Program::unwritten`]). No file declares them.
    #[serde(skip)]
    pub stops: BTreeSet<Name>,
    /// For a protocol that stands for a program: what each atomic statement does, and what its
    /// operands may be (THEORY T13). A read of the protocol at such a site, of an array that is not
    /// accessed otherwise, is no access: its index is the operand. No file declares it.
    #[serde(skip)]
    pub updates: BTreeMap<Site, AtomicUpdate<Interval>>,
}

impl Declarations {
    /// No parameters and no arrays, for these launches.
    pub fn of_geometry(geometry: Geometry) -> Declarations {
        Declarations {
            name: Name::new("main"),
            params: Vec::new(),
            arrays: Vec::new(),
            geometry,
            assumptions: Vec::new(),
            contents_assumed: Vec::new(),
            expectations: Vec::new(),
            sources: Sources::default(),
            notes: Vec::new(),
            stops: BTreeSet::new(),
            updates: BTreeMap::new(),
        }
    }

    /// The same with one more parameter.
    #[must_use]
    pub fn with_param(mut self, name: impl Into<Name>, domain: Domain) -> Declarations {
        self.params.push(Param { name: name.into(), domain, value: None });
        self
    }

    /// Declares every array of `accessed` as [`ArrayDecl::implicit`], when none is declared.
    pub(crate) fn declare_implicitly(&mut self, accessed: impl IntoIterator<Item = Name>) {
        if self.arrays.is_empty() {
            self.arrays = accessed.into_iter().map(ArrayDecl::implicit).collect();
        }
    }

    /// The declarations without what comparisons usually leave out: where the code stands, and a
    /// front end's notes.
    #[must_use]
    pub fn without_sources(&self) -> Declarations {
        Declarations { sources: Sources::default(), notes: Vec::new(), ..self.clone() }
    }

    /// The assumptions over contents, as they were stated, or else as the calculus has them.
    pub fn said_of_contents(&self) -> impl Iterator<Item = String> {
        self.contents_assumed.iter().enumerate().map(|(number, assumption)| {
            let stated = self.sources.stated_of_contents.get(&number);
            stated.map_or_else(|| assumption.to_string(), String::clone)
        })
    }

    /// The declaration of `array`.
    pub fn array(&self, array: &Name) -> Option<&ArrayDecl> {
        self.arrays.iter().find(|a| a.name == *array)
    }

    /// A parameter's value as its declaration reads it.
    pub fn read_parameter(&self, name: &Name, value: &Natural) -> Integer {
        let param = self.params.iter().find(|p| p.name == *name);
        param.map_or(Domain::Natural, |p| p.domain).read(value)
    }

    /// A cell's value as the declaration of its array reads it.
    pub fn read_content(&self, array: &Name, value: &Natural) -> Integer {
        self.array(array).map_or(Domain::Natural, |a| a.element).read(value)
    }

    /// Do all blocks share `array`?
    pub fn is_global(&self, array: &Name) -> bool {
        self.array(array).is_some_and(|a| a.space == Space::Global)
    }

    /// The contents of `array` before the launch; of an array without declaration, opaque.
    pub fn contents(&self, array: &Name) -> &Contents {
        self.array(array).map_or(&Contents::Opaque, |a| &a.contents)
    }

    /// Can the array be a read-only input: is it global, and does the host give its contents?
    pub fn may_be_input(&self, array: &Name) -> bool {
        let given = |a: &ArrayDecl| !matches!(a.contents, Contents::Undefined | Contents::Opaque);
        self.array(array).is_some_and(|a| a.space == Space::Global && given(a))
    }

    /// Can two blocks of one launch be considered: is a grid given, of more than one block?
    pub fn has_grid(&self) -> bool {
        self.geometry.grid.is_some_and(|grid| grid.iter().any(|e| *e != Extent::Known(1)))
    }

    /// The program that declares this around `body`.
    #[must_use]
    pub fn around(self, body: Stmt) -> Program {
        Program { declarations: self, body }
    }

    /// The parameters that have a value, with it.
    pub fn fixed(&self) -> impl Iterator<Item = (Name, Natural)> {
        self.params.iter().filter_map(|p| Some((p.name.clone(), p.value.clone()?)))
    }
}

/// A parameter.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Param {
    /// Its name.
    pub name: Name,
    /// Which values it may have.
    pub domain: Domain,
    /// Its value, when fixed.
    pub value: Option<Natural>,
}

/// Which naturals a variable ranges over.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Domain {
    /// Every natural.
    Natural,
    /// The patterns of a machine type.
    Machine(IntType),
}

impl Domain {
    /// Is this one of its values?
    pub fn contains(self, value: &Natural) -> bool {
        match self {
            Domain::Natural => true,
            Domain::Machine(t) => Natural::from(t.pattern(value)) == *value,
        }
    }

    /// The value of the domain that stands for the integer; `None`: there is none.
    pub fn value(self, integer: &BigInt) -> Option<Natural> {
        match self {
            Domain::Natural => integer.to_biguint().map(Natural::from),
            Domain::Machine(t) => {
                let integer = i128::try_from(integer).ok()?;
                let pattern = t.write(integer);
                (t.read(pattern) == integer).then(|| pattern.into())
            }
        }
    }

    /// A value as its type reads it: of the patterns of a signed type, those with the sign are
    /// negative.
    pub fn read(self, value: &Natural) -> Integer {
        Integer(match (self, value.to_u64()) {
            (Domain::Machine(t), Some(pattern)) if t.signed && pattern <= t.width.mask() => {
                t.read(pattern).into()
            }
            _ => value.into(),
        })
    }
}

/// An array.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ArrayDecl {
    /// Its name.
    pub name: Name,
    /// Who sees it.
    pub space: Space,
    /// The type of its elements; `Natural` where the elements are not machine integers.
    pub element: Domain,
    /// What the host stored in it before the launch.
    pub contents: Contents,
    /// The number of cells, when known. Accesses beyond it are not clipped: a cell is a cell.
    pub length: Option<Natural>,
}

impl ArrayDecl {
    /// How an array is taken to be declared when a program declares none: as LCL22's `A`, shared
    /// and with undefined contents.
    pub fn implicit(name: Name) -> ArrayDecl {
        ArrayDecl {
            name,
            space: Space::Shared,
            element: Domain::Natural,
            contents: Contents::Undefined,
            length: None,
        }
    }
}

/// Who sees an array.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Space {
    /// Each block has its own: `__shared__`.
    Shared,
    /// All blocks share it.
    Global,
}

/// What an array holds before the program runs (THEORY §2: `W0`).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Contents {
    /// Nothing: reading a cell that no one wrote is ⊥.
    Undefined,
    /// These values from index 0 on, nothing beyond.
    Values(Vec<Natural>),
    /// This value in every cell.
    Fill(Natural),
    /// Whatever the host chose, in every cell: all choices are possible, so a race that needs a
    /// particular choice is a true race. Runs use 0 unless told otherwise.
    Any,
    /// What the front end could not express (THEORY §4, unknown values). Every read may yield a
    /// different value, but not every value need be possible: a race that depends on one is never
    /// proved. No program writes such an array. Runs use 0 unless told otherwise.
    Opaque,
}

/// One extent of a block or grid.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Extent {
    /// Exactly this.
    Known(u32),
    /// Anything that a device allows.
    Symbolic,
}

/// Which launches a program is meant for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Geometry {
    /// Extents of a block. All sizes: at most [`crate::launch::MAX_BLOCK_THREADS`] threads.
    pub block: [Extent; 3],
    /// Extents of the grid; `None`: one block is considered, whichever and of whatever grid.
    pub grid: Option<[Extent; 3]>,
    /// Threads in a warp.
    #[serde(default = "warp_size", skip_serializing_if = "is_warp_size")]
    pub warp: u32,
}

impl Geometry {
    /// One block, of one dimension and any size.
    pub fn line() -> Geometry {
        let block = [Extent::Symbolic, Extent::Known(1), Extent::Known(1)];
        Geometry { block, grid: None, warp: WARP_SIZE }
    }

    /// Exactly `launch`; a grid of one block means one block.
    pub fn exactly(launch: Launch) -> Geometry {
        let known = |d: Dim3| d.components().map(Extent::Known);
        Geometry {
            block: known(launch.block),
            grid: (launch.grid.count() != 1).then(|| known(launch.grid)),
            warp: launch.warp,
        }
    }

    /// The launch, when every extent is known.
    pub fn launch(&self) -> Option<Launch> {
        let known = |e: [Extent; 3]| match e {
            [Extent::Known(x), Extent::Known(y), Extent::Known(z)] => Some(Dim3 { x, y, z }),
            _ => None,
        };
        let grid = match self.grid {
            None => Dim3::line(1),
            Some(grid) => known(grid)?,
        };
        Some(Launch { grid, block: known(self.block)?, warp: self.warp })
    }
}

/// What a file says should come out.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Expectation {
    /// `expect drf`
    Drf,
    /// `expect racy`, optionally with an array and an index.
    Racy(Option<(Name, Option<Natural>)>),
    /// `expect divergent`
    Divergent,
    /// `expect unknown`
    Unknown,
    /// `expect stuck`: a read of ⊥.
    Stuck,
    /// `expect typed`
    Typed,
    /// `expect ill-typed`, optionally with the rule that rejects.
    IllTyped(Option<String>),
}
