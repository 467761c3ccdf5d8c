//! Arrays of two threads by McCarthy's axioms of select and store (SKBG18 §4.1, §4.2).

use super::encode::{Encoder, Value};
use super::formula::{Action, ArrayId, Formula, Kind, Space};
use super::reading::Arrays;
use super::terms::{Built, Int};
use babycuda_core::deep::grow;
use babycuda_kernel::At;
use babycuda_smt::Term;

impl Encoder<'_> {
    /// `(select A index)`, by McCarthy's axioms.
    pub(super) fn select(
        &mut self,
        thread: usize,
        (array, version): (ArrayId, u32),
        index: &Int,
        at: Option<At>,
    ) -> Built<Value> {
        let declared = &self.all.arrays[array.0];
        if declared.kind == Kind::Data {
            return Ok(Value::Data);
        }
        let own = declared.space == Space::Thread;
        if self.reading.arrays == Arrays::Unknown && !own && declared.written {
            let at = at.map_or(0, |at| at.0);
            return self.declare(&format!("t{}.read#{at}", thread + 1), declared.kind);
        }
        let key = (thread, array, version, index.term.clone());
        if let Some(known) = self.selected.get(&key) {
            return Ok(known.clone());
        }
        let all = self.all;
        let defines = |i: &&usize| match &all.formulae[**i].action {
            Action::Store { array: a, versions, .. } | Action::Same(a, versions) => {
                (*a, versions[1]) == (array, version)
            }
            _ => false,
        };
        let defining: Vec<usize> = self.included[thread].iter().filter(defines).copied().collect();
        let certain = defining.iter().any(|i| all.formulae[*i].predicate.is_empty());
        let mut value = match certain {
            true => Value::Data,
            false => self.base(thread, (array, version), index)?,
        };
        for i in defining {
            let formula = &all.formulae[i];
            let (stored, holds) = self.stored(thread, formula, index)?;
            value = if formula.predicate.is_empty() {
                stored
            } else {
                choose(&holds, &stored, &value)?
            };
        }
        self.selected.insert(key, value.clone());
        Ok(value)
    }

    /// What a formula says of an element, and when it says that.
    fn stored(&mut self, thread: usize, formula: &Formula, at: &Int) -> Built<(Value, Term)> {
        let holds = self.predicate(thread, &formula.predicate)?;
        let value = match &formula.action {
            Action::Store { array, versions, index, value } => {
                let before = grow(|| self.select(thread, (*array, versions[0]), at, None))?;
                let (index, value) = (self.wff(thread, index)?, self.wff(thread, value)?);
                match index {
                    Value::Int(index) => {
                        let here = index.term.equals(&at.term)?;
                        choose(&here, &value, &before)?
                    }
                    _ => Value::Data,
                }
            }
            Action::Same(array, versions) => {
                grow(|| self.select(thread, (*array, versions[0]), at, None))?
            }
            _ => Value::Data,
        };
        Ok((value, holds))
    }

    /// An element of an array of which no formula says more: the same at equal indices.
    fn base(
        &mut self,
        thread: usize,
        (array, version): (ArrayId, u32),
        index: &Int,
    ) -> Built<Value> {
        let declared = &self.all.arrays[array.0];
        let shared = declared.space != Space::Thread
            && (version == 0 || self.reading.arrays == Arrays::Shared);
        let key = ((!shared).then_some(thread), array, version);
        let known = self.bases.entry(key).or_default().clone();
        let owner = if shared { "all".to_owned() } else { format!("t{}", thread + 1) };
        let name = format!("{owner}.{}#{}.{version}.{}", declared.name, array.0, known.len());
        let value = self.declare(&name, declared.kind)?;
        let (Value::Int(Int { term, .. }) | Value::Bool(term)) = &value else { return Ok(value) };
        for (other, held) in &known {
            let same = other.equals(&index.term)?.implies(&held.equals(term)?)?;
            self.query.assert(&same)?;
        }
        self.bases.entry(key).or_default().push((index.term.clone(), term.clone()));
        Ok(value)
    }

    /// Both threads say what an array is at one of its assignments, and both are right: the two descriptions
    /// agree where either of them stores (elsewhere they go back to the same array).
    pub(super) fn one_array(&mut self) -> Built<()> {
        let all = self.all;
        let both: Vec<usize> =
            self.included[0].iter().filter(|i| self.included[1].contains(i)).copied().collect();
        for i in both {
            let Action::Store { array, versions, index, .. } = &all.formulae[i].action else {
                continue;
            };
            if all.arrays[array.0].space == Space::Thread {
                continue;
            }
            for thread in [0, 1] {
                let Value::Int(index) = self.wff(thread, index)? else { continue };
                let first = self.select(0, (*array, versions[1]), &index, None)?;
                let second = self.select(1, (*array, versions[1]), &index, None)?;
                self.query.assert(&equal(&first, &second)?)?;
            }
        }
        Ok(())
    }
}

/// Where one of them is unknown, they may well be equal.
pub(super) fn equal(l: &Value, r: &Value) -> Built<Term> {
    match (l, r) {
        (Value::Bool(l), Value::Bool(r)) => l.equals(r),
        (Value::Int(l), Value::Int(r)) => l.term.equals(&r.term),
        _ => Ok(Term::bool(true)),
    }
}

fn choose(c: &Term, l: &Value, r: &Value) -> Built<Value> {
    Ok(match (l, r) {
        (Value::Bool(l), Value::Bool(r)) => Value::Bool(c.ite(l, r)?),
        (Value::Int(l), Value::Int(r)) => Value::Int(Int::select(c, l, r)?),
        _ => Value::Data,
    })
}
