//! Pointers that point into one of several arrays, or local objects: `c ? a : b`, and variables that a branch gives one
//! or the other. Such a pointer has one index, and an array for each outcome of the condition. An access is a branch: in
//! each side, one of that side's array. Nothing else asks which of them is meant.

use super::branch::Side;
use super::{At, Lower, Lowered};
use crate::arith::not;
use crate::value::{Base, Pointer, Value};
use babycuda_core::Bool;

/// The bases of which a pointer has one.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Choice {
    condition: Bool,
    /// Where the condition holds, and where it does not.
    pub(super) bases: [Base; 2],
}

impl<'t> Lower<'t> {
    /// The base `then` if the condition holds, and else `otherwise`; `None`: one of them is no array, they have no cells
    /// of one size, or the condition makes no sense here.
    pub(super) fn either(&mut self, condition: &Bool, then: Base, otherwise: Base) -> Option<Base> {
        if then == otherwise {
            return Some(then).filter(|base| self.usable_base(*base));
        }
        let own = self.is_own(then);
        let alike = own.is_some() && own == self.is_own(otherwise);
        let usable = self.usable_bool(condition)
            && alike
            && [then, otherwise].iter().all(|base| self.usable_base(*base));
        if !usable || !self.same_cells(then, otherwise) {
            return None;
        }
        let choice = Choice { condition: condition.clone(), bases: [then, otherwise] };
        let known = self.choices.iter().position(|other| *other == choice);
        Some(Base::Either(known.unwrap_or_else(|| {
            self.choices.push(choice);
            self.choices.len() - 1
        })))
    }

    /// Is it a local object, or one of several? `None`: it is nothing of which there is a choice.
    pub(super) fn is_own(&self, base: Base) -> Option<bool> {
        match base {
            Base::Array(_) => Some(false),
            Base::Object(_) => Some(true),
            Base::Either(number) => self.is_own(self.choices[number].bases[0]),
            Base::Local(_) | Base::Private => None,
        }
    }

    /// Do the conditions of a base make sense here?
    pub(super) fn usable_base(&self, base: Base) -> bool {
        let number = match base {
            Base::Either(number) => number,
            Base::Object(object) => return object < self.env.values().len(),
            _ => return true,
        };
        let Choice { condition, bases } = &self.choices[number];
        self.usable_bool(condition) && bases.iter().all(|base| self.usable_base(*base))
    }

    /// The condition of a pointer's choice, and what it is in either case; `None`: there is none.
    fn sides(&self, p: &Pointer) -> Option<(Bool, [Pointer; 2])> {
        let Base::Either(number) = p.base else { return None };
        let Choice { condition, bases } = self.choices[number].clone();
        // Behind what is refused, there may be no such objects.
        let there = bases.iter().all(|base| self.usable_base(*base));
        there.then(|| (condition, bases.map(|base| Pointer { base, ..p.clone() })))
    }

    /// What is read where a pointer with a choice points to; `None`: it has none.
    pub(super) fn load_chosen(&mut self, p: &Pointer, at: At) -> Lowered<Option<Value>> {
        let Some((condition, [then, otherwise])) = self.sides(p) else { return Ok(None) };
        let [then, otherwise] = [then, otherwise].map(|p| self.in_object(p));
        let x = self.guarded(condition.clone(), at, |s| s.load(&then, at))?;
        let y = self.guarded(not(condition.clone()), at, |s| s.load(&otherwise, at))?;
        Ok(Some(self.joined(&condition, x, y, &p.pointee, at)))
    }

    /// Stores where a pointer with a choice points to; `false`: it has none.
    pub(super) fn store_chosen(&mut self, p: &Pointer, value: &Value, at: At) -> Lowered<bool> {
        let Some((condition, sides)) = self.sides(p) else { return Ok(false) };
        let [then, otherwise] = sides.map(|p| self.in_object(p));
        let then: Side<'_, 't> = &|s| s.store(&then, value.clone(), at).map(|_| ());
        let otherwise: Side<'_, 't> = &|s| s.store(&otherwise, value.clone(), at).map(|_| ());
        self.branch(condition, then, otherwise, at)?;
        Ok(true)
    }
}
