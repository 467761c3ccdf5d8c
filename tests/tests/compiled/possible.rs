//! placeholder
use crate::case::Case;
use crate::compare::Verdict;
use crate::log::Run;
use babycuda_semantics::Instance;
pub fn compare(_case: &Case, _instance: &Instance, _runs: &[Run]) -> Verdict { Verdict::Possible }
