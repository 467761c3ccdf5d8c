//! What has effects: accesses of memory, barriers, changes of variables.

use super::{Lower, Mode};
use babycuda_kernel::{Expr, ExprKind, Node, PlaceKind};

impl<'t> Lower<'t> {
    /// May evaluating the expression access memory or change a variable? A trial run shows it: an
    /// expression without effects adds no statement and changes no variable. (Within a trial, yes:
    /// one trial does not start another.)
    pub(super) fn has_effects(&mut self, expr: &'t Expr) -> bool {
        if self.mode.probing || !self.may_have_effects(expr) {
            return self.mode.probing;
        }
        let before = self.env.values().to_vec();
        let probing = Mode { probing: true, on_trial: false, ..self.mode };
        let result = self.within(probing, |s| {
            s.discarded(|s| {
                s.eval(expr)?;
                Ok(s.accesses() || !s.env.values().starts_with(&before))
            })
        });
        result.unwrap_or(true)
    }

    /// Is there anything in the expression that may have an effect? (Without a look at what
    /// variables hold.)
    fn may_have_effects(&self, expr: &Expr) -> bool {
        Node::from(expr).subterms().any(|node| match node {
            Node::Expr(expr) => matches!(
                expr.kind,
                ExprKind::Step { .. }
                    | ExprKind::Assign(..)
                    | ExprKind::Update { .. }
                    | ExprKind::Call { .. }
                    | ExprKind::Device(..)
                    | ExprKind::Unsupported(_)
            ),
            Node::Place(place) => match place.kind {
                PlaceKind::Variable(v) => self.env.is_visible(v),
                PlaceKind::Deref(_) | PlaceKind::Index(_) => true,
                PlaceKind::Member(..) | PlaceKind::Unsupported(_) => false,
            },
            Node::Stmt(_) => false,
        })
    }
}
