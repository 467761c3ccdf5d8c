//! Atomic updates.

use super::body::Body;
use super::error::{EmitError, EmitErrorKind};
use super::helper::Helper;
use super::language::{Array, Swap, Update};
use super::value::Value;
use babycuda_core::expr::{ArithOp, BoolOp, CompareOp, Relation};
use babycuda_core::syntax::{AtomicOp, AtomicUpdate, Domain, Scope};
use babycuda_core::{AccessMode, IntType, MachineOp, Name, Num, Site};

/// An update whose parts are printed.
struct Printed {
    site: Site,
    array: Array,
    index: Value,
    op: AtomicOp,
    scope: Scope,
    operand: Value,
    expected: Option<Value>,
    /// What the program calls the value before.
    var: Name,
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
        let (op, var) = (update.op, var.clone());
        let printed = Printed { site, array, index, op, scope, operand, expected, var };
        if self.instrumented {
            self.instrumented_update(printed)
        } else {
            self.plain_update(printed)
        }
    }

    fn plain_update(&mut self, mut update: Printed) -> Result<Value, EmitError> {
        let (site, op) = (update.site, update.op);
        if op == AtomicOp::Opaque {
            return Err(self.exprs.error(EmitErrorKind::Opaque, Some(site)));
        }
        let language = self.exprs.language;
        let array = update.array.clone();
        let name = self.names.fresh(&update.var);
        let old = Value::primary(name.clone(), array.element);
        if self.plan.is_some() {
            return self.monitored_update(update, &array, old);
        }
        let cell = self.exprs.index(&update.index, array.length);
        let native = self.native(&update, &cell);
        if let Some(call) = native {
            self.placed(&language.constant(&name, array.element, &call), site);
            return Ok(old);
        }
        self.can_swap(&array, site)?;
        update.index = self.named(&format!("index_{}", site.0), update.index);
        self.name_operands(&mut update);
        self.declare_old(&old);
        let cell = self.exprs.index(&update.index, array.length);
        self.swap(&update, &cell, &old);
        Ok(old)
    }

    /// The language's own update of a cell, if it has this one.
    fn native(&self, update: &Printed, cell: &str) -> Option<String> {
        let array = &update.array;
        let operand = self.exprs.pattern_as(&update.operand, array.element);
        let expected = update.expected.as_ref().filter(|e| is_exact(e, array.element));
        let expected = expected.map(|e| self.exprs.pattern_as(e, array.element));
        self.exprs.language.native(&Update {
            array,
            index: cell,
            op: update.op,
            scope: update.scope,
            operand: &operand.text,
            expected: expected.as_ref().map(|e| e.text.as_str()),
        })
    }

    fn monitored_update(
        &mut self,
        mut update: Printed,
        array: &Array,
        old: Value,
    ) -> Result<Value, EmitError> {
        let mode = AccessMode::At(update.scope);
        // Named before the guard, which all that follows stands behind.
        self.name_operands(&mut update);
        self.declare_old(&old);
        let (index, guard) = self.watch(update.site, array, mode, &update.index);
        let cell = self.exprs.index(&index, array.length);
        let native = self.native(&update, &cell);
        if native.is_none() {
            self.can_swap(array, update.site)?;
        }
        self.block(&guard, |this| {
            match native {
                Some(call) => this.placed(&format!("{} = {call};", old.text), update.site),
                None => this.swap(&update, &cell, &old),
            }
            Ok(())
        })?;
        Ok(old)
    }

    fn instrumented_update(&mut self, mut update: Printed) -> Result<Value, EmitError> {
        let array = update.array.clone();
        update.index = self.named_index(update.site, &update.index);
        self.name_operands(&mut update);
        let old = Value::primary(self.names.fresh(&update.var), array.element);
        self.declare_old(&old);
        let guard = self.begin(update.site, &array, &update.index);
        self.block(&guard, |this| {
            let cell = this.cell(&array, &update.index);
            this.swap(&update, &cell, &old);
            this.record(update.site, &array, AccessMode::At(update.scope), &update.index, &old);
            Ok(())
        })?;
        Ok(old)
    }

    /// Declares the variable that ends up with the value before.
    fn declare_old(&mut self, old: &Value) {
        let language = self.exprs.language;
        let zero = language.literal(old.domain, 0);
        self.line(&language.variable(&old.text, old.domain, &zero.text));
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

    /// Gives operands names, since a loop may need them often.
    fn name_operands(&mut self, update: &mut Printed) {
        update.operand = self.named("operand", update.operand.clone());
        update.expected = update.expected.take().map(|e| self.named("expected", e));
    }

    /// Prints a compare-and-swap loop on a cell. `old` is a variable that ends up with the value
    /// before.
    fn swap(&mut self, update: &Printed, cell: &str, old: &Value) {
        let array = &update.array;
        let new = self.updated(update, old);
        let new = self.exprs.pattern_as(&new, array.element);
        let seen = self.names.spelled_like("seen");
        let swap = Swap {
            array,
            index: cell,
            scope: update.scope,
            old: &old.text,
            seen: &seen,
            new: &new.text,
        };
        let lines = self.exprs.language.swap(&swap);
        for (number, line) in lines.iter().enumerate() {
            match number {
                0 => self.placed(line, update.site),
                _ => self.line(line),
            }
        }
    }

    /// What a cell holds after an update, as [`AtomicUpdate::apply`] says.
    fn updated(&mut self, update: &Printed, old: &Value) -> Value {
        let (m, site) = (&update.operand, update.site);
        let long = |op| Helper::Machine(op, IntType::U64);
        let exprs = &mut self.exprs;
        let one = exprs.language.literal(Domain::Natural, 1);
        let zero = exprs.language.literal(Domain::Natural, 0);
        let either = |natural: ArithOp, machine: MachineOp, t: Option<IntType>| {
            t.map_or(Helper::Natural(natural), |t| Helper::Machine(machine, t))
        };
        let helper = match update.op {
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
                let Some(expected) = &update.expected else {
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
