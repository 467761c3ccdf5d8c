//! `switch`, with its fall-through: a segment of statements runs when its label or an earlier one
//! was chosen and no `break` came between.

use super::{Lower, Lowered, refuse};
use crate::arith::{and, cast, compare, or};
use babycuda_core::Bool;
use babycuda_core::expr::Relation;
use babycuda_kernel::{Case, Expr};

impl<'t> Lower<'t> {
    pub(super) fn switch(&mut self, value: &'t Expr, cases: &'t [Case]) -> Lowered<()> {
        let selected = self.eval(value)?;
        let (t, selector) = self.integer(selected, value.at)?;
        let mut labels = Vec::new();
        for case in cases {
            labels.push(match &case.label {
                None => None,
                Some(value) => {
                    let label = self.eval(value)?;
                    let (from, label) = self.integer(label, value.at)?;
                    let label = cast(from, t, label, &self.ranges);
                    if crate::arith::as_lit(&label).is_none() {
                        return refuse(value.at, "case label that is no constant");
                    }
                    Some(compare(Relation::Eq, t, selector.clone(), label, &self.ranges))
                }
            });
        }
        let any = labels.iter().flatten().cloned().fold(Bool::Lit(false), or);
        let otherwise = crate::arith::not(any);
        let flag = self.env.flag("break");
        self.with_flag(flag, |s| {
            let mut entered = Bool::Lit(false);
            for (case, label) in cases.iter().zip(labels) {
                entered = or(entered, label.unwrap_or_else(|| otherwise.clone()));
                if case.body.is_empty() {
                    continue;
                }
                let runs = and(entered.clone(), s.env.active());
                let before = s.env.active();
                s.under(runs, &|s| s.statements(&case.body), case.at)?;
                if before == Bool::Lit(true) && s.always_left(&entered) {
                    // Everyone who came here has left: only new labels matter from now on.
                    s.env[flag] = crate::value::Value::Bool(Bool::Lit(false));
                    entered = Bool::Lit(false);
                }
            }
            Ok(())
        })
    }

    /// Is exactly the condition `entered` that under which a flag is raised?
    fn always_left(&self, entered: &Bool) -> bool {
        self.env.active() == crate::arith::not(entered.clone())
    }
}
