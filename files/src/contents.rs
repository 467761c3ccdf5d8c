//! What the host stored in arrays that are given as a whole.

use crate::input::Unit;
use crate::npy;
use crate::problem::Problem;
use babycuda::semantics::Policy;
use babycuda_core::syntax::{ArrayDecl, Contents};
use babycuda_core::{BigInt, Cell, Name, Natural, counted};
use std::collections::BTreeSet;
use std::fs::File;
use std::path::PathBuf;

/// The most cells of an array that is given as a whole.
pub const MAX_CELLS: u64 = 1 << 22;

/// What is said of the contents of an array.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Given {
    /// These numbers, from cell 0 on.
    Values(Vec<BigInt>),
    /// Those of a file of NumPy's.
    Npy(PathBuf),
    /// So many numbers below 256 that are drawn, where the array does not say how many; `None`: 1,024.
    Random(Option<u64>),
}

/// Declares the contents of a kernel's arrays that are given as a whole. `seed` is what random ones are drawn from.
///
/// # Errors
/// A [`Problem`] when the kernel has no such array whose contents are open, or it has another length or type; or what
/// is wrong with a file. Of a kernel that could not be translated nothing is said.
pub fn give(unit: &mut Unit, arrays: &[(Name, Given)], seed: u64) -> Result<(), Problem> {
    let declarations = match unit {
        Unit::Program(program) => &mut program.declarations,
        Unit::Protocol(map) => &mut map.declarations,
        Unit::Unsupported { .. } => return Ok(()),
    };
    let mut seen = BTreeSet::new();
    for (name, given) in arrays {
        let fail = |what: String| Problem::new(format!("--array {name}: {what}"));
        if !seen.insert(name) {
            return Err(fail("given twice".to_owned()));
        }
        let array = declarations.arrays.iter_mut().find(|array| array.name == *name);
        let open = |a: &&mut ArrayDecl| matches!(a.contents, Contents::Any | Contents::Opaque);
        let Some(array) = array.filter(open) else {
            return Err(fail("no array of the kernel whose contents are open".to_owned()));
        };
        let values = values(array, given, seed).map_err(fail)?;
        array.length.get_or_insert_with(|| (values.len() as u64).into());
        array.contents = Contents::Values(values);
    }
    Ok(())
}

/// The values that are given for an array.
///
/// # Errors
/// What is wrong with them.
fn values(array: &ArrayDecl, given: &Given, seed: u64) -> Result<Vec<Natural>, String> {
    let numbers = match given {
        Given::Values(numbers) => numbers.clone(),
        Given::Npy(path) => {
            let file = File::open(path).map_err(|e| e.to_string());
            let numbers = file.and_then(npy::read);
            numbers.map_err(|what| format!("{}: {what}", path.display()))?
        }
        Given::Random(cells) => {
            let policy = Policy::Seed(seed);
            let declared = array.length.as_ref().and_then(Natural::to_u64);
            let cells = cells.or(declared).unwrap_or(1 << 10).min(MAX_CELLS + 1);
            let cell = |i| Cell::new(array.name.clone(), i);
            let value = |i: u64| BigInt::from(&policy.any_number(&cell(i)));
            (0..cells).map(value).collect()
        }
    };
    let length = numbers.len() as u64;
    if length > MAX_CELLS {
        return Err(format!("more than {MAX_CELLS} cells"));
    }
    if let Some(declared) = &array.length
        && *declared != Natural::from(length)
    {
        return Err(format!("{} given, where the array has {declared}", counted(length, "cell")));
    }
    let value = |(index, number): (u64, &BigInt)| {
        let value = array.element.value(number);
        value.ok_or_else(|| format!("{number}, for cell {index}, is not of its type"))
    };
    (0..).zip(&numbers).map(value).collect()
}
