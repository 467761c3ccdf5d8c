//! What a run is given for what its kernel leaves open.

use crate::args::{ChooseArgs, Given};
use crate::commands::Failure;
use crate::commands::run::as_assumed;
use crate::input::File;
use crate::npy;
use crate::problem::Problem;
use babycuda::semantics::{Instance, Policy};
use babycuda_core::history::HostMemory;
use babycuda_core::syntax::{ArrayDecl, Contents};
use babycuda_core::{BigInt, Cell, Declarations, Natural, counted};
use babycuda_report::choices::Chosen;
use std::collections::BTreeSet;

/// The most cells of an array that is given as a whole.
pub(crate) const MAX_CELLS: u64 = 1 << 22;

impl ChooseArgs {
    /// What is chosen.
    pub(crate) fn chosen(&self) -> Chosen {
        Chosen { policy: self.choose, contents: self.contents.clone() }
    }

    /// The instance with the contents that its program leaves open: as given, and else chosen.
    ///
    /// # Errors
    /// As [`ChooseArgs::store`].
    pub(crate) fn settle(&self, file: &File, instance: Instance) -> Result<Instance, Failure> {
        let instance = match self.arrays.as_slice() {
            [] => instance,
            _ => {
                let mut program = (*instance.program).clone();
                self.give(file, &mut program)?;
                Instance::of(program, instance.configuration)
            }
        };
        let Instance { program, mut configuration } = instance.with_contents_chosen(self.choose);
        let open: Vec<&ArrayDecl> = program.open_arrays().collect();
        self.store(file, &open, &mut configuration.host)?;
        as_assumed(file, &program, &configuration, &configuration.host)?;
        Ok(Instance { program, configuration })
    }

    /// Declares the contents of arrays that are given as a whole.
    ///
    /// # Errors
    /// [`Failure`] when there is no such array whose contents are open, or it has another length or type; or what
    /// is wrong with a file.
    pub(crate) fn give(&self, file: &File, declarations: &mut Declarations) -> Result<(), Failure> {
        let mut seen = BTreeSet::new();
        for (name, given) in &self.arrays {
            let fail =
                |what: String| Failure::of(file, Problem::new(format!("--array {name}: {what}")));
            if !seen.insert(name) {
                return Err(fail("given twice".to_owned()));
            }
            let array = declarations.arrays.iter_mut().find(|array| array.name == *name);
            let open = |a: &&mut ArrayDecl| matches!(a.contents, Contents::Any | Contents::Opaque);
            let Some(array) = array.filter(open) else {
                return Err(fail("no array of the kernel whose contents are open".to_owned()));
            };
            let values = self.values(array, given).map_err(fail)?;
            array.length.get_or_insert_with(|| (values.len() as u64).into());
            array.contents = Contents::Values(values);
        }
        Ok(())
    }

    /// The values that are given for an array.
    ///
    /// # Errors
    /// What is wrong with them.
    fn values(&self, array: &ArrayDecl, given: &Given) -> Result<Vec<Natural>, String> {
        let numbers = match given {
            Given::Values(numbers) => numbers.clone(),
            Given::Npy(path) => {
                npy::read(path).map_err(|what| format!("{}: {what}", path.display()))?
            }
            Given::Random(cells) => {
                let policy = match self.choose {
                    Policy::Seed(_) => self.choose,
                    _ => Policy::Seed(0),
                };
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
            return Err(format!(
                "{} given, where the array has {declared}",
                counted(length, "cell")
            ));
        }
        let value = |(index, number): (u64, &BigInt)| {
            let value = array.element.value(number);
            value.ok_or_else(|| format!("{number}, for cell {index}, is not of its type"))
        };
        (0..).zip(&numbers).map(value).collect()
    }

    /// Stores the contents that are given, all of arrays that are `open`. Cells beyond the declared
    /// length are cells like others.
    ///
    /// # Errors
    /// [`Failure`] when a cell is given that is none of such an array, or a value that is none of
    /// its type.
    pub(crate) fn store(
        &self,
        file: &File,
        open: &[&ArrayDecl],
        host: &mut HostMemory,
    ) -> Result<(), Failure> {
        let mut seen = BTreeSet::new();
        for (cell, value) in &self.contents {
            let fail = |what: String| Failure::of(file, Problem::new(what));
            if !seen.insert(cell) {
                return Err(fail(format!("--contents: {cell} has two values")));
            }
            let declared = open.iter().find(|a| a.name == cell.array);
            let Some(ArrayDecl { element, .. }) = declared else {
                let what = "no array that the kernel uses and whose contents are open";
                return Err(fail(format!("--contents {cell}: `{}` is {what}", cell.array)));
            };
            let value = element
                .value(value)
                .ok_or_else(|| fail(format!("--contents {cell}: {value} is not of its type")))?;
            host.set(cell.clone(), value);
        }
        Ok(())
    }
}
