//! Atomic updates.

use super::body::Body;
use super::error::{EmitError, EmitErrorKind};
use super::helper::Helper;
use super::language::{Array, Swap, Update};
use super::value::Value;
use babycuda_core::expr::{ArithOp, BoolOp, CompareOp, Relation};
use babycuda_core::syntax::{AtomicOp, AtomicUpdate, Domain, Scope};
use babycuda_core::{AccessMode, IntType, MachineOp, Name, Num, Site};

/// The operands of an update, printed.
struct Operands {
    operand: Value,
    expected: Option<Value>,
}

impl Body<'_> {
    /// Prints an atomic update; what its variable stands for.
    pub(super) fn atomic(
        &mut self,
        site: Site,
        var: &Name,
        array: &Name,
        index: &Num,
        update: &AtomicUpdate<Num>,
        scope: Scope,
    ) -> Result<Value, EmitError> {
        let array = self.array(array, site)?;
        let index = self.exprs.num(index, Some(site))?;
        let operand = self.exprs.num(&update.operand, Some(site))?;
        let expected = match &update.expected {
            Some(expected) => Some(self.exprs.num(expected, Some(site))?),
            None => None,
        };
        let operands = Operands { operand, expected };
        match self.instrumented {
            true => self.instrumented_update(site, var, &array, &index, update.op, scope, operands),
            false => self.plain_update(site, var, &array, &index, update.op, scope, operands),
        }
    }

    #[allow(clippy::too_many_arguments)] // the parts of one statement
    fn plain_update(
        &mut self,
        site: Site,
        var: &Name,
        array: &Array,
        index: &Value,
        op: AtomicOp,
        scope: Scope,
        operands: Operands,
    ) -> Result<Value, EmitError> {
        if op == AtomicOp::Opaque {
            return Err(self.exprs.error(EmitErrorKind::Opaque, Some(site)));
        }
        let language = self.exprs.language;
        let name = self.names.fresh(var);
        let old = Value::primary(name.clone(), array.element);
        let operand = self.exprs.pattern_as(&operands.operand, array.element);
        let expected = operands.expected.as_ref().filter(|e| is_exact(e, array.element));
        let expected = expected.map(|e| self.exprs.pattern_as(e, array.element));
        let cell = self.exprs.index(index, array.length);
        let native = language.native(&Update {
            array,
            index: &cell,
            op,
            scope,
            operand: &operand.text,
            expected: expected.as_ref().map(|e| e.text.as_str()),
        });
        if let Some(call) = native {
            self.placed(&language.constant(&name, array.element, &call), site);
            return Ok(old);
        }
        self.can_swap(array, site)?;
        let index = self.named(&format!("index_{}", site.0), index.clone());
        let operands = self.named_operands(operands);
        let zero = language.literal(array.element, 0);
        self.line(&language.variable(&name, array.element, &zero.text));
        let cell = self.exprs.index(&index, array.length);
        self.swap(site, array, &cell, op, scope, &old, &operands);
        Ok(old)
    }

    #[allow(clippy::too_many_arguments)] // the parts of one statement
    fn instrumented_update(
        &mut self,
        site: Site,
        var: &Name,
        array: &Array,
        index: &Value,
        op: AtomicOp,
        scope: Scope,
        operands: Operands,
    ) -> Result<Value, EmitError> {
        let language = self.exprs.language;
        let index = self.named_index(site, index);
        let operands = self.named_operands(operands);
        let name = self.names.fresh(var);
        let old = Value::primary(name.clone(), array.element);
        let zero = language.literal(array.element, 0);
        self.line(&language.variable(&name, array.element, &zero.text));
        let guard = self.begin(site, array, &index);
        self.block(&guard, |this| {
            let cell = this.cell(array, &index);
            this.swap(site, array, &cell, op, scope, &old, &operands);
            this.record(site, array, AccessMode::At(scope), &index, &old);
            Ok(())
        })?;
        Ok(old)
    }

    fn can_swap(&self, array: &Array, site: Site) -> Result<(), EmitError> {
        match array.element {
            Domain::Machine(t) if !self.exprs.language.can_swap(array.element) => {
                let kind = EmitErrorKind::Atomic(array.name.clone(), t);
                Err(self.exprs.error(kind, Some(site)))
            }
            _ => Ok(()),
        }
    }

    /// Operands under names, since a loop may need them often.
    fn named_operands(&mut self, operands: Operands) -> Operands {
        Operands {
            operand: self.named("operand", operands.operand),
            expected: operands.expected.map(|e| self.named("expected", e)),
        }
    }

    /// Prints a compare-and-swap loop. `old` is a variable that ends up with the value before.
    #[allow(clippy::too_many_arguments)] // the parts of one statement
    fn swap(
        &mut self,
        site: Site,
        array: &Array,
        cell: &str,
        op: AtomicOp,
        scope: Scope,
        old: &Value,
        operands: &Operands,
    ) {
        let new = self.updated(site, op, old, operands);
        let new = self.exprs.pattern_as(&new, array.element);
        let seen = self.names.spelled_like("seen");
        let swap = Swap { array, index: cell, scope, old: &old.text, seen: &seen, new: &new.text };
        let lines = self.exprs.language.swap(&swap);
        for (number, line) in lines.iter().enumerate() {
            match number {
                0 => self.placed(line, site),
                _ => self.line(line),
            }
        }
    }

    /// What a cell holds after an update, as [`AtomicUpdate::apply`] says.
    fn updated(&mut self, site: Site, op: AtomicOp, old: &Value, operands: &Operands) -> Value {
        let m = &operands.operand;
        let long = |op| Helper::Machine(op, IntType::U64);
        let exprs = &mut self.exprs;
        let one = exprs.language.literal(Domain::Natural, 1);
        let zero = exprs.language.literal(Domain::Natural, 0);
        let either = |natural: ArithOp, machine: MachineOp, t: Option<IntType>| {
            t.map_or(Helper::Natural(natural), |t| Helper::Machine(machine, t))
        };
        let helper = match op {
            AtomicOp::Add(t) => either(ArithOp::Add, MachineOp::Add, t),
            AtomicOp::Sub(t) => either(ArithOp::Sub, MachineOp::Sub, t),
            AtomicOp::Min(t) => either(ArithOp::Min, MachineOp::Min, t),
            AtomicOp::Max(t) => either(ArithOp::Max, MachineOp::Max, t),
            AtomicOp::And(t) => Helper::Machine(MachineOp::And, t),
            AtomicOp::Or(t) => Helper::Machine(MachineOp::Or, t),
            AtomicOp::Xor(t) => Helper::Machine(MachineOp::Xor, t),
            AtomicOp::Exch => return m.clone(),
            AtomicOp::Opaque => return old.clone(),
            AtomicOp::Inc => {
                let wraps = exprs.compare(CompareOp::natural(Relation::Ge), old, m);
                // `old` is below the operand where the sum counts, so the sum fits.
                let next = exprs.apply(long(MachineOp::Add), old, &one, Some(site));
                return exprs.choose(&wraps, &zero, &next);
            }
            AtomicOp::Dec => {
                let empty = exprs.compare(CompareOp::natural(Relation::Eq), old, &zero);
                let above = exprs.compare(CompareOp::natural(Relation::Gt), old, m);
                let wraps = empty.connect(BoolOp::Or, &above);
                let next = exprs.apply(long(MachineOp::Sub), old, &one, Some(site));
                return exprs.choose(&wraps, m, &next);
            }
            AtomicOp::Cas => {
                let Some(expected) = &operands.expected else {
                    // Without an expected value nothing is expected: the cell stays.
                    return old.clone();
                };
                let equal = exprs.compare(CompareOp::natural(Relation::Eq), old, expected);
                return exprs.choose(&equal, m, old);
            }
        };
        exprs.apply(helper, old, m, Some(site))
    }
}

/// Has the domain `element` the number that `value` denotes, whichever it is?
fn is_exact(value: &Value, element: Domain) -> bool {
    match (value.literal, element) {
        (Some(k), Domain::Machine(t)) => k <= t.width.mask(),
        _ => value.domain == element || element == Domain::Natural,
    }
}
