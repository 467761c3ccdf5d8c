//! What settles what a kernel leaves open, where it is run.

use super::values::{integer, parse_choose, parse_contents};
use crate::commands::Failure;
use babycuda::semantics::Policy;
use babycuda_core::{BigInt, Cell, Name};
use babycuda_files::contents::{Given, MAX_CELLS, give};
use babycuda_files::input::{File, Unit};
use babycuda_report::choices::Chosen;
use clap::Args;
use std::path::{Path, PathBuf};

/// What settles the choices of a run.
#[derive(Args, Debug, Clone)]
pub(crate) struct ChooseArgs {
    /// How to settle what the calculus leaves open: the value that a read of a cell with several
    /// possible values yields, the value that an atomic update yields, and the contents of arrays
    /// that are `any` or `opaque`.
    ///
    /// `smallest`: of the possible values, or of those the thread would see if it ran alone, the
    /// smallest; arrays hold 0. `first`: what the first thread left that wrote the cell; arrays hold
    /// 0. `seed:N`: a possible value drawn for each cell from the number N; arrays hold numbers
    /// below 256. What was chosen is printed.
    #[arg(long, value_name = "HOW", default_value = "smallest", value_parser = parse_choose)]
    pub choose: Policy,
    /// What the host stored in a cell of an array that is `any` or `opaque`, as `check` prints it;
    /// may be given several times.
    #[arg(long, value_name = "ARRAY[INDEX]=VALUE", value_parser = parse_contents)]
    pub contents: Vec<(Cell, BigInt)>,
    /// What the host stored in an array that is `any` or `opaque`; may be given several times.
    ///
    /// `[1, 2, 3]`: these numbers, from cell 0 on. `FILE.npy`: those of a file that NumPy saved, integers of any
    /// width. `random`: numbers below 256, drawn from the N of `--choose seed:N`, else from 0; `random:CELLS` where the array
    /// declares no length [default: 1024]. An array that declares a length has as many; beyond, nothing is stored.
    #[arg(long = "array", value_name = "NAME=VALUES", value_parser = parse_array)]
    pub arrays: Vec<(Name, Given)>,
}

impl ChooseArgs {
    /// What is chosen.
    pub(crate) fn chosen(&self) -> Chosen {
        Chosen { policy: self.choose, contents: self.contents.clone() }
    }

    /// The kernels of a file with the contents of arrays that are given.
    ///
    /// # Errors
    /// [`Failure`] as [`give`] says.
    pub(crate) fn given(
        &self,
        (file, mut units): (File, Vec<Unit>),
    ) -> Result<(File, Vec<Unit>), Failure> {
        let seed = match self.choose {
            Policy::Seed(seed) => seed,
            _ => 0,
        };
        let mut all = units.iter_mut();
        all.try_for_each(|unit| give(unit, &self.arrays, seed))
            .map_err(|p| Failure::of(&file, p))?;
        Ok((file, units))
    }
}

/// `--array`
fn parse_array(text: &str) -> Result<(Name, Given), String> {
    let form = "NAME=[1, 2, 3], NAME=FILE.npy, NAME=random or NAME=random:CELLS";
    let parts = text.split_once('=').map(|(name, values)| (name.trim(), values.trim()));
    let (name, values) =
        parts.filter(|(name, _)| !name.is_empty()).ok_or_else(|| format!("expected {form}"))?;
    let given = match (values.strip_prefix('['), values.split_once(':')) {
        (Some(list), _) => Given::Values(numbers(list)?),
        (None, None) if values == "random" => Given::Random(None),
        (None, Some(("random", cells))) => {
            let cells = cells.trim().parse().ok().filter(|n| *n <= MAX_CELLS);
            Given::Random(Some(cells.ok_or_else(|| {
                format!("`{values}`: expected a number of cells, at most {MAX_CELLS}")
            })?))
        }
        _ if Path::new(values).extension().is_some_and(|e| e == "npy") => {
            Given::Npy(PathBuf::from(values))
        }
        _ => return Err(format!("`{values}` is none of {form}")),
    };
    Ok((Name::new(name), given))
}

/// The numbers of a list, behind its bracket.
fn numbers(list: &str) -> Result<Vec<BigInt>, String> {
    let list = list.strip_suffix(']').ok_or("a list that does not end in `]`")?;
    if list.trim().is_empty() {
        return Ok(Vec::new());
    }
    let number = |(place, text): (u64, &str)| {
        integer(text.trim()).map_err(|what| format!("number {place} of the list: {what}"))
    };
    (1..).zip(list.split(',')).map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_of_arrays_are_read() {
        let values = |k: &[i64]| Given::Values(k.iter().map(|k| BigInt::from(*k)).collect());
        for (text, given) in [
            ("a=[1, 2,3]", values(&[1, 2, 3])),
            ("a = [ -1 ,0x10 ]", values(&[-1, 16])),
            ("a=[]", values(&[])),
            ("a=random", Given::Random(None)),
            ("a=random:7", Given::Random(Some(7))),
            ("a=x/random.npy", Given::Npy("x/random.npy".into())),
        ] {
            assert_eq!(parse_array(text), Ok((Name::new("a"), given)), "{text}");
        }
        for (text, why) in [
            ("a", "expected NAME="),
            ("=[1]", "expected NAME="),
            ("a=[1", "does not end in `]`"),
            ("a=[1,,2]", "number 2 of the list: `` is not an integer"),
            ("a=[1, 2.5]", "number 2 of the list: `2.5`"),
            ("a=file.csv", "none of NAME=["),
            ("a=random:x", "a number of cells"),
            ("a=random:99999999999", "at most"),
        ] {
            let error = parse_array(text).unwrap_err();
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}
