//! The arrays of a program.

use super::Lower;
use super::layout::Layouts;
use crate::ctype::CType;
use crate::value::ArrayId;
use babycuda_core::Name;
use babycuda_core::syntax::{ArrayDecl, Contents, Domain, Shape, Space};
use babycuda_kernel::Var;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::{Index, IndexMut};

/// An array of the program.
#[derive(Debug)]
pub(super) struct Array {
    pub(super) decl: ArrayDecl,
    /// The contents that it was declared with, element by element.
    pub(super) given: Contents,
    /// The innermost element type, or the type of all accesses; `void` for the arrays that the translation
    /// adds.
    pub(super) element: CType,
    /// The bytes of a cell; `None`: an element of unknown size is one.
    pub(super) cell: Option<u64>,
    /// Is it accessed at several types, or at one that is larger than a cell?
    pub(super) mixed: bool,
}

impl Array {
    /// Does it stand for values that cannot be expressed?
    pub(super) fn is_unknown(&self) -> bool {
        self.element == CType::Void && self.decl.contents == Contents::Opaque
    }

    /// Is it a table of these values, perhaps in other cells?
    pub(super) fn holds(&self, values: &Contents) -> bool {
        self.given == *values
    }
}

/// The arrays of the program, by number, and where they come from.
#[derive(Default, Debug)]
pub(super) struct Arrays {
    pub(super) all: Vec<Array>,
    /// Shared arrays and tables that were declared.
    pub(super) declared: HashMap<Var, ArrayId>,
    /// The array of `extern __shared__` declarations.
    pub(super) dynamic: Option<ArrayId>,
    /// Arrays that the file initializes and the host may set.
    pub(super) initialized: BTreeSet<Name>,
    /// Arrays that pointers of the file point into.
    pub(super) pointed: BTreeSet<Name>,
    /// Arrays that others than the kernel and the host before it may change.
    pub(super) volatile: BTreeSet<Name>,
    /// Arrays in parameters that are objects: a thread has its own copy, and the translation one for all.
    pub(super) of_objects: BTreeSet<ArrayId>,
    /// Those that are loaded atomically.
    pub(super) loaded: BTreeSet<Name>,
    /// Arrays that the kernel is known to write.
    pub(super) written: BTreeSet<Name>,
    /// Arrays that were taken to be read-only inputs. Where the kernel turns out to write one, it is
    /// translated again.
    pub(super) inputs: BTreeSet<Name>,
    /// How arrays are taken to be accessed, where that is not by their elements.
    pub(super) layouts: Layouts,
    /// How they turn out to be.
    pub(super) seen: Layouts,
    /// How the source indexes those that it has.
    pub(super) shapes: BTreeMap<Name, Shape>,
    /// The array of stops on overflow, once there is one.
    pub(super) overflow: Option<Name>,
    /// The array of how often loops run whose threads leave them together, once there is one.
    pub(super) rounds: Option<Name>,
    /// The arrays of what all threads of a block do alike, though nobody knows what.
    pub(super) open: BTreeSet<Name>,
    /// The array of other stops, once there is one.
    pub(super) stop: Option<Name>,
}

impl Arrays {
    /// The array of unknown values of a domain.
    pub(super) fn unknown(&self, domain: &Domain) -> Option<ArrayId> {
        self.all.iter().position(|a| a.is_unknown() && a.decl.element == *domain)
    }

    /// Takes the array to be a read-only input (THEORY §3), if it may be one: reading a cell of it
    /// again yields the same value.
    pub(super) fn take_as_input(&mut self, name: &Name) -> bool {
        let given = |a: &Array| {
            let opaque = matches!(a.decl.contents, Contents::Opaque | Contents::Undefined);
            a.decl.name == *name && a.decl.space == Space::Global && !opaque
        };
        let may_be = self.all.iter().any(given)
            && !self.volatile.contains(name)
            && !self.written.contains(name);
        if may_be {
            self.inputs.insert(name.clone());
        }
        may_be
    }

    /// The names of the arrays of unknown values.
    pub(super) fn unknowns(&self) -> impl Iterator<Item = &Name> {
        self.all.iter().filter(|a| a.is_unknown()).map(|a| &a.decl.name)
    }
}

impl Index<ArrayId> for Arrays {
    type Output = Array;

    fn index(&self, array: ArrayId) -> &Array {
        &self.all[array]
    }
}

impl IndexMut<ArrayId> for Arrays {
    fn index_mut(&mut self, array: ArrayId) -> &mut Array {
        &mut self.all[array]
    }
}

impl Lower<'_> {
    /// Adds an array that is named like `hint`, of unlimited length.
    pub(super) fn add_array(
        &mut self,
        hint: &str,
        space: Space,
        domain: Domain,
        contents: Contents,
        element: CType,
    ) -> ArrayId {
        let name = self.out.names.global(hint);
        let given = contents.clone();
        let decl = ArrayDecl { name, space, element: domain, contents, length: None };
        self.arrays.all.push(Array { decl, given, element, cell: None, mixed: false });
        self.arrays.all.len() - 1
    }
}
