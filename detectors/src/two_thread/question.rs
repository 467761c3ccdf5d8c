//! Questions to the solver, in the time that is left.

use super::findings::Undecided;
use babycuda_core::Budget;
use babycuda_kernel::At;
use babycuda_smt::{Answer, Model, Query, QueryLimits, Solver};

/// Who is asked.
#[derive(Clone, Copy)]
pub(super) struct Asked<'a> {
    pub solver: &'a dyn Solver,
    pub limits: &'a QueryLimits,
}

impl Asked<'_> {
    /// What is found about two statements, if anything. Where the time is over that is not decided; what was found
    /// before is kept.
    pub fn about<T>(
        &self,
        at: [At; 2],
        undecided: &mut Vec<Undecided>,
        find: impl FnOnce() -> Result<Option<T>, String>,
    ) -> Option<T> {
        let found = Budget::UNLIMITED.within(find);
        let found = found.unwrap_or_else(|out_of_time| Err(out_of_time.to_string()));
        found.unwrap_or_else(|why| {
            undecided.push(Undecided { at, why });
            None
        })
    }

    /// A model of all that the query says (Property 1: what the solver answers is one).
    pub fn model(&self, query: &Query) -> Result<Option<Model>, String> {
        let time = Budget::ambient().at_most(self.limits.time);
        match self.solver.check(query, &QueryLimits { time, ..*self.limits }) {
            Answer::Sat(model) => {
                query.check_model(&model).map_err(|e| e.to_string())?;
                Ok(Some(model))
            }
            Answer::Unsat => Ok(None),
            Answer::Unknown(reason) => Err(reason.to_string()),
        }
    }
}
