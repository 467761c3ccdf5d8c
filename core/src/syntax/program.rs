//! Whole programs: a statement with its declarations.

use super::declarations::{ArrayDecl, Contents, Declarations, Geometry};
use super::forall::Forall;
use super::sources::Stopping;
use super::stmt::Stmt;
use crate::launch::Launch;
use crate::name::Name;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::ops::{Deref, DerefMut};

/// A program: what a `.bcuda` file or one kernel of a `.cu` file denotes. It is read as its
/// declarations: `program.params` are those of `program.declarations`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Program {
    /// All but the code.
    pub declarations: Declarations,
    /// The code.
    pub body: Stmt,
}

impl Deref for Program {
    type Target = Declarations;

    fn deref(&self) -> &Declarations {
        &self.declarations
    }
}

impl DerefMut for Program {
    fn deref_mut(&mut self) -> &mut Declarations {
        &mut self.declarations
    }
}

impl Program {
    /// A program of statement `body` with one shared array `A` per name used, no parameters,
    /// for one block of any size.
    pub fn of_body(body: Stmt) -> Program {
        let body = body.numbered();
        let arrays = body.arrays().into_iter().map(ArrayDecl::implicit).collect();
        Declarations { arrays, ..Declarations::of_geometry(Geometry::line()) }.around(body)
    }

    /// The program for exactly `launch`; a grid of one block means one block.
    #[must_use]
    pub fn with_launch(mut self, launch: Launch) -> Program {
        self.geometry = Geometry::exactly(launch);
        self
    }

    /// The program with these arrays.
    #[must_use]
    pub fn with_arrays(mut self, arrays: Vec<ArrayDecl>) -> Program {
        self.arrays = arrays;
        self
    }

    /// The program [without sources](Declarations::without_sources).
    #[must_use]
    pub fn without_sources(&self) -> Program {
        self.declarations.without_sources().around(self.body.clone())
    }

    /// The arrays that the body or an assumption mentions and whose contents the declarations leave
    /// open.
    pub fn open_arrays(&self) -> impl Iterator<Item = &ArrayDecl> {
        let assumed = self.contents_assumed.iter().flat_map(Forall::arrays).cloned();
        let mentioned: BTreeSet<Name> = self.body.arrays().into_iter().chain(assumed).collect();
        let open = |a: &ArrayDecl| matches!(a.contents, Contents::Any | Contents::Opaque);
        self.arrays.iter().filter(move |a| open(a) && mentioned.contains(&a.name))
    }

    /// The arrays whose every read is a read of ⊥: declared as undefined, and neither written nor
    /// updated by the program.
    pub fn unwritten(&self) -> BTreeSet<Name> {
        let written = self.body.written();
        let undefined = self.arrays.iter().filter(|a| a.contents == Contents::Undefined);
        undefined.map(|a| a.name.clone()).filter(|name| !written.contains(name)).collect()
    }

    /// The read-only inputs (`RO` of THEORY T11): global arrays whose contents the host gives, and
    /// that the program neither writes nor updates. What a front end could not express is none.
    pub fn inputs(&self) -> BTreeSet<Name> {
        let written = self.body.written();
        let arrays = self.arrays.iter().map(|a| &a.name);
        let input = |name: &&Name| self.may_be_input(name) && !written.contains(*name);
        arrays.filter(input).cloned().collect()
    }

    /// The program with the stops at overflows of data that decides no access, which a front end
    /// leaves out: a run of it is an execution of the source. `None`: none was left out, or none
    /// can be said.
    pub fn stopping(&self) -> Option<Program> {
        let Stopping { body, arrays, overflows } = self.sources.stopping.as_deref()?.clone();
        let mut declarations = Declarations { arrays, ..self.declarations.clone() };
        declarations.sources.overflows = overflows;
        Some(declarations.around(body))
    }

    /// Is this a program of LCL22 Fig. 5: the unsynchronized fragment, one array, and no thread
    /// variable but `tid`?
    pub fn is_paper_fragment(&self) -> bool {
        use crate::name::reserved::{TID, is_reserved};
        self.body.is_paper_fragment()
            && self.body.arrays().len() <= 1
            && self.body.free_vars().iter().all(|x| !is_reserved(x) || x.as_str() == TID)
    }
}
