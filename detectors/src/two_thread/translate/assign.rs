//! Assignments, and the φ of conditionals (SKBG18 §4.1, "Assignments", "Conditional Statements").

use super::super::formula::{Action, ArrayId, Kind, Node, Role, SymbolId, Wff};
use super::super::intervals::Flow;
use super::{Translation, Translator};
use crate::Refusal;
use babycuda_kernel::{At, Place, PlaceKind, Var};

impl Translator<'_> {
    /// `place = value`: the number of what is assigned is a new one.
    pub(super) fn assign(&mut self, place: &Place, value: Wff) -> Translation<()> {
        match place.kind {
            PlaceKind::Variable(v) if !self.arrays.contains_key(&v) => {
                self.scalar(v, value, place.at)
            }
            _ => {
                let (array, index) = self.element(place)?;
                self.out.arrays[array.0].written = true;
                let from = self.versions[array.0];
                let to = self.next(array);
                let action = Action::Store { array, versions: [from, to], index, value };
                self.emit(action, place.at);
                Ok(())
            }
        }
    }

    pub(super) fn scalar(&mut self, v: Var, value: Wff, at: At) -> Translation<()> {
        let variable = &self.kernel[v];
        let kind = self.kind(&variable.ty, at)?;
        if value.kind != kind {
            return Err(Refusal::unsupported("a value of another type than its variable", at));
        }
        let id = self.symbol(&variable.name, kind, Role::Thread);
        self.now.insert(v, id);
        self.emit(Action::Equal(id, value), at);
        Ok(())
    }

    /// The next number of an array, which it has from now on.
    pub(super) fn next(&mut self, array: ArrayId) -> u32 {
        self.latest[array.0] += 1;
        self.versions[array.0] = self.latest[array.0];
        self.latest[array.0]
    }

    /// Both branches of a condition, and which of their values holds behind them.
    pub(super) fn branches(
        &mut self,
        c: Wff,
        at: At,
        then: impl FnOnce(&mut Self) -> Translation<()>,
        otherwise: impl FnOnce(&mut Self) -> Translation<()>,
    ) -> Translation<()> {
        let before = (self.now.clone(), self.versions.clone());
        self.predicate.push(c.clone());
        let first = self.apart(then)?;
        self.predicate.pop();
        let mut taken = (std::mem::replace(&mut self.now, before.0.clone()), before.1.clone());
        std::mem::swap(&mut taken.1, &mut self.versions);
        self.predicate.push(c.clone().negated());
        let second = self.apart(otherwise)?;
        self.predicate.pop();
        self.record(Flow::Either(first, second));
        let other = (self.now.clone(), self.versions.clone());
        for (v, b) in &before.0 {
            // A branch assigns variables, and takes none away.
            let (Some(t), Some(e)) = (taken.0.get(v), other.0.get(v)) else { continue };
            let now = self.phi([*b, *t, *e], &c, at);
            self.now.insert(*v, now);
        }
        self.now.retain(|v, _| before.0.contains_key(v));
        for (array, b) in before.1.iter().enumerate() {
            let (t, e) = (taken.1[array], other.1[array]);
            self.phi_of_array(ArrayId(array), [*b, t, e], &c, at);
        }
        Ok(())
    }

    /// The variable that holds `t` where `c` does, and otherwise `e`; both were `b`.
    fn phi(&mut self, [b, t, e]: [SymbolId; 3], c: &Wff, at: At) -> SymbolId {
        if t == e {
            return t;
        }
        if e == b {
            self.emit_if(c.clone().negated(), Action::Equal(t, self.variable(b)), at);
            return t;
        }
        if t == b {
            self.emit_if(c.clone(), Action::Equal(e, self.variable(b)), at);
            return e;
        }
        let kind = self.out.symbols[t.0].kind;
        let name = self.out.symbols[t.0].name.trim_end_matches(|c: char| c.is_ascii_digit());
        let name = name.to_owned();
        let id = self.symbol(&name, kind, Role::Thread);
        self.emit_if(c.clone(), Action::Equal(id, self.variable(t)), at);
        self.emit_if(c.clone().negated(), Action::Equal(id, self.variable(e)), at);
        id
    }

    fn phi_of_array(&mut self, array: ArrayId, [b, t, e]: [u32; 3], c: &Wff, at: At) {
        let both = [(c.clone(), t), (c.clone().negated(), e)];
        let changed = (t != b, e != b);
        let to = match changed {
            (false, false) => return,
            (true, false) => t,
            (false, true) => e,
            (true, true) => self.next(array),
        };
        self.versions[array.0] = to;
        for (predicate, from) in both {
            if from != to {
                self.emit_if(predicate, Action::Same(array, [from, to]), at);
            }
        }
    }

    fn emit_if(&mut self, condition: Wff, action: Action, at: At) {
        self.predicate.push(condition);
        self.emit(action, at);
        self.predicate.pop();
    }

    /// An augmented variable as a formula.
    pub(super) fn variable(&self, id: SymbolId) -> Wff {
        Wff { node: Node::Var(id), kind: self.out.symbols[id.0].kind }
    }

    /// A value of which nothing is said.
    pub(super) fn free(&mut self, kind: Kind, from: Vec<Wff>, at: At) -> Wff {
        let id = self.symbol("data", kind, Role::Thread);
        self.emit(Action::Free(id, from), at);
        self.variable(id)
    }
}
