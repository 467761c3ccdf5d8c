//! The inputs of a kernel: V_0 of LGAGJL12 §3.1, and which of them are data.

use babycuda_core::Name;
use babycuda_kernel::{Initial, Kernel, StmtKind, Storage, Type, Var};
use std::collections::{BTreeMap, BTreeSet};

/// An input of a kernel. The launch is one that is always configuration, and is not listed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Input {
    /// The value of a parameter that is no pointer, or of a number in constant memory.
    Value(Var),
    /// What is in memory at first: where a pointer parameter points to, or in a variable of the device or of a
    /// block. Shared memory holds anything at first.
    Contents(Var),
}

impl Input {
    /// The variable that names it.
    pub fn var(self) -> Var {
        match self {
            Input::Value(v) | Input::Contents(v) => v,
        }
    }

    /// Its name in the file.
    pub fn name(self, kernel: &Kernel) -> Name {
        Name::new(kernel[self.var()].name.as_str())
    }

    /// Is it data, unless someone who knows the kernel says otherwise (LGAGJL12 §5.2, “configuration variable
    /// selection”)? Contents of memory and floats are; numbers and structures that are passed are configuration.
    pub fn is_data(self, kernel: &Kernel) -> bool {
        match self {
            Input::Contents(_) => true,
            Input::Value(v) => {
                matches!(kernel[v].ty.innermost(), Type::Float(_) | Type::Vector(..))
            }
        }
    }
}

/// All inputs of a kernel, its parameters first.
pub fn inputs(kernel: &Kernel) -> Vec<Input> {
    let parameters = kernel.entry().map_or(&[][..], |entry| &entry.parameters);
    let passed = parameters.iter().flat_map(|v| {
        let value = (!is_pointer(&kernel[*v].ty)).then_some(Input::Value(*v));
        value.into_iter().chain(points(&kernel[*v].ty).then_some(Input::Contents(*v)))
    });
    let fixed = fixed(kernel);
    let memory = (0..).zip(&kernel.variables).filter_map(|(number, variable)| {
        let v = Var(number);
        let host = match variable.storage {
            Storage::Shared | Storage::Dynamic => !parameters.contains(&v),
            Storage::Device | Storage::Constant | Storage::File => !fixed.contains_key(&v),
            Storage::Local | Storage::Reference | Storage::Template => false,
        };
        // A number in constant memory is like a parameter.
        let number = matches!(variable.ty, Type::Int(_) | Type::Bool | Type::Float(_));
        let like_parameter = variable.storage == Storage::Constant && number;
        host.then_some(if like_parameter { Input::Value(v) } else { Input::Contents(v) })
    });
    passed.chain(memory).collect()
}

/// Those that are data ([`Input::is_data`]).
pub fn data(kernel: &Kernel) -> BTreeSet<Input> {
    inputs(kernel).into_iter().filter(|input| input.is_data(kernel)).collect()
}

/// Variables outside of functions that nobody sets, with what the file says that they hold.
pub(super) fn fixed(kernel: &Kernel) -> BTreeMap<Var, Option<&Initial>> {
    let declared = kernel.globals.iter().filter_map(|stmt| match &stmt.kind {
        StmtKind::Declare(v, initial) if kernel[*v].constant => Some((*v, initial.as_ref())),
        _ => None,
    });
    declared.filter(|(_, initial)| initial.is_some()).collect()
}

pub(super) fn is_pointer(ty: &Type) -> bool {
    matches!(ty, Type::Pointer(_) | Type::Array(..))
}

/// May a value of the type hold a pointer?
pub(super) fn points(ty: &Type) -> bool {
    match ty.innermost() {
        Type::Pointer(_) | Type::Record(_) | Type::Opaque(_) => true,
        Type::Void
        | Type::Bool
        | Type::Int(_)
        | Type::Float(_)
        | Type::Vector(..)
        | Type::Group(_)
        | Type::Array(..) => is_pointer(ty),
    }
}
