//! The native part of the Python package `babycuda`: it takes and gives text, mostly JSON, and the Python part makes
//! objects of it. Nothing here is for anybody else.
//!
//! | module | contents |
//! |---|---|
//! | `options` | the keywords of a call |
//! | `work` | a call: its limits, signals, and panics |
//! | `report`, `ask` | verdicts; runs, derivations, types and comparisons |
//! | `syntax`, `program` | programs, whole and in parts |
//! | `random` | random kernels, and the fuzzer |
//! | `errors` | exceptions |

mod ask;
mod errors;
mod options;
mod program;
mod random;
mod report;
mod syntax;
mod work;

use pyo3::prelude::*;

/// What the Python part calls.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<program::Code>()?;
    module.add_class::<report::Checked>()?;
    module.add_class::<syntax::Condition>()?;
    module.add_class::<syntax::Expr>()?;
    module.add_class::<syntax::Statement>()?;
    module.add_function(wrap_pyfunction!(ask::compared, module)?)?;
    module.add_function(wrap_pyfunction!(ask::derive, module)?)?;
    module.add_function(wrap_pyfunction!(ask::run, module)?)?;
    module.add_function(wrap_pyfunction!(ask::types, module)?)?;
    module.add_function(wrap_pyfunction!(program::parse_code, module)?)?;
    module.add_function(wrap_pyfunction!(program::program, module)?)?;
    module.add_function(wrap_pyfunction!(random::fragments, module)?)?;
    module.add_function(wrap_pyfunction!(random::fuzz, module)?)?;
    module.add_function(wrap_pyfunction!(random::generate, module)?)?;
    module.add_function(wrap_pyfunction!(report::check, module)?)?;
    module.add_function(wrap_pyfunction!(report::explain, module)?)
}
