//! Statements.

use super::error::{EmitError, EmitErrorKind};
use super::expr::Exprs;
use super::language::{Array, Launched, Watch};
use super::monitor::{self, Plan};
use super::names::Names;
use super::uniform::group_size;
use super::value::{Value, patterns};
use crate::digest::mode_number;
use babycuda_core::deep::grow;
use babycuda_core::syntax::{BarrierScope, Domain, Space};
use babycuda_core::{AccessMode, Bool, Name, Num, Site, Stmt};
use std::collections::BTreeSet;

/// A printer of statements.
pub(super) struct Body<'a> {
    pub(super) exprs: Exprs<'a>,
    pub(super) names: Names,
    pub(super) arrays: Vec<Array>,
    /// Does the text keep account of accesses?
    pub(super) instrumented: bool,
    /// How does the text watch its run, if it does?
    pub(super) plan: Option<Plan>,
    /// The barriers that all threads of a block reach together, and those that all threads of a tile
    /// or warp do.
    pub(super) blocks_meet: BTreeSet<Site>,
    pub(super) groups_meet: BTreeSet<Site>,
    pub(super) out: String,
    pub(super) indent: usize,
}

impl Body<'_> {
    pub(super) fn line(&mut self, text: &str) {
        /// Text deeper than this is not indented further, so that output stays linear in input.
        const MAX_INDENT: usize = 24;
        for _ in 0..self.indent.min(MAX_INDENT) {
            self.out.push_str("    ");
        }
        self.out.push_str(text);
        self.out.push('\n');
    }

    /// A line with the place of the statement that it is for.
    pub(super) fn placed(&mut self, text: &str, site: Site) {
        let place = match self.exprs.program.sources.spans.get(&site) {
            Some(span) => format!("  // line {}", span.line),
            None => format!("  // statement {site}"),
        };
        self.line(&format!("{text}{place}"));
    }

    pub(super) fn block(
        &mut self,
        head: &str,
        body: impl FnOnce(&mut Self) -> Result<(), EmitError>,
    ) -> Result<(), EmitError> {
        self.line(head);
        self.indent += 1;
        body(self)?;
        self.indent -= 1;
        self.line("}");
        Ok(())
    }

    pub(super) fn stmt(&mut self, b: &Stmt) -> Result<(), EmitError> {
        match b {
            Stmt::Skip => Ok(()),
            Stmt::Seq(first, second) => grow(|| {
                self.stmt(first)?;
                self.stmt(second)
            }),
            Stmt::Sync { site, scope } if *scope < BarrierScope::Block => {
                self.group_barrier(*site, *scope)
            }
            Stmt::Sync { site, .. } => {
                self.placed(self.exprs.language.barrier(), *site);
                if self.instrumented {
                    self.line(self.exprs.language.next_phase());
                }
                self.pass(BarrierScope::Block);
                Ok(())
            }
            Stmt::Write { site, array, index, payload } => {
                let payload = self.exprs.num(payload, Some(*site))?;
                self.write(*site, array, index, &payload)
            }
            Stmt::Read { site, var, array, index, body } => {
                let value = self.read(*site, var, array, index)?;
                self.below(var, value, body)
            }
            Stmt::Atomic { site, var, array, index, update, scope, body } => {
                let value = self.atomic(*site, var, array, index, update, *scope)?;
                self.below(var, value, body)
            }
            Stmt::If { site, condition, then, otherwise } => {
                self.branch(*site, condition, then, otherwise)
            }
            Stmt::For { site, var, lower, upper, body, .. } => {
                self.repetition(*site, var, (lower, upper), body)
            }
        }
    }

    /// A barrier of a tile or warp. In instrumented texts a barrier of the block may stand for those
    /// of all its groups, where all threads reach it together: such runs are some of all.
    fn group_barrier(&mut self, site: Site, scope: BarrierScope) -> Result<(), EmitError> {
        let (program, language) = (self.exprs.program, self.exprs.language);
        let size = group_size(program.geometry.warp, scope);
        let guarded = self.instrumented || self.plan.is_some();
        let own = size.and_then(|size| language.group_barrier(size));
        let text = match own {
            Some(own) if !guarded || self.groups_meet.contains(&site) => {
                self.exprs.launched.insert(Launched::Tid);
                own
            }
            _ if guarded && self.blocks_meet.contains(&site) => language.barrier().to_owned(),
            Some(_) => return Err(self.exprs.error(EmitErrorKind::Barrier, Some(site))),
            None => {
                let why = "the language has no barrier of such groups";
                return Err(self.exprs.error(EmitErrorKind::Scope { scope, why }, Some(site)));
            }
        };
        self.placed(&text, site);
        self.pass(scope);
        if self.instrumented {
            // It has a place in the log, as an access of nothing.
            let zero = language.literal(Domain::Natural, 0).text;
            let one = language.literal(Domain::Natural, 1).text;
            let arguments = format!("{}, {zero}, {one}", site_text(site));
            let guard = language.guard(&language.account("begin", &arguments));
            let arguments = format!("{}, 0u, {zero}, {zero}, {zero}", site_text(site));
            let record = language.account("record", &arguments);
            self.block(&guard, |this| {
                this.line(&format!("{record};"));
                Ok(())
            })?;
        }
        Ok(())
    }

    /// In monitored texts: counts a barrier.
    fn pass(&mut self, scope: BarrierScope) {
        if let Some(plan) = &self.plan {
            let call = self.exprs.language.monitor(plan.passing(scope), "");
            self.line(&format!("{call};"));
        }
    }

    /// In monitored texts: the index under a name, and the guard of the access.
    pub(super) fn watch(
        &mut self,
        site: Site,
        array: &Array,
        mode: AccessMode,
        index: &Value,
    ) -> (Value, String) {
        let language = self.exprs.language;
        let index = self.exprs.pattern_as(index, patterns(index.domain));
        let index = self.named(&format!("index_{}", site.0), index);
        let at = language.index(&index, None);
        let (cells, space) = (&array.cells, array.space);
        let call = match array.watch {
            Watch::Bounds => language.monitor("monitor_reach", &format!("{}, {at}", cells.length)),
            Watch::Words => {
                let number = self.exprs.program.arrays.iter().position(|a| a.name == array.name);
                let rest = monitor::arguments(mode, site, number.unwrap_or(0));
                let function = match space {
                    Space::Global => "watch_global",
                    Space::Shared => "watch_shared",
                };
                let arguments = format!("{}, {}, {at}, {rest}", cells.first, cells.length);
                language.monitor(function, &arguments)
            }
        };
        (index, language.guard(&call))
    }

    /// Prints `body` with `var` standing for `value`.
    fn below(&mut self, var: &Name, value: Value, body: &Stmt) -> Result<(), EmitError> {
        self.exprs.scope.entry(var.clone()).or_default().push(value);
        grow(|| self.stmt(body))?;
        if let Some(binders) = self.exprs.scope.get_mut(var) {
            binders.pop();
        }
        Ok(())
    }

    pub(super) fn array(&self, name: &Name, site: Site) -> Result<Array, EmitError> {
        let found = self.arrays.iter().find(|array| array.name == *name);
        let undeclared = || EmitErrorKind::Undeclared(name.clone());
        found.cloned().ok_or_else(|| self.exprs.error(undeclared(), Some(site)))
    }

    /// Declares a constant for `value` under a name like `hint`, unless it is a literal.
    pub(super) fn named(&mut self, hint: &str, value: Value) -> Value {
        if value.literal.is_some() {
            return value;
        }
        let name = self.names.spelled_like(hint);
        self.line(&self.exprs.language.constant(&name, value.domain, &value.text));
        Value::primary(name, value.domain)
    }

    fn write(
        &mut self,
        site: Site,
        array: &Name,
        index: &Num,
        payload: &Value,
    ) -> Result<(), EmitError> {
        let array = self.array(array, site)?;
        let index = self.exprs.num(index, Some(site))?;
        let language = self.exprs.language;
        if !self.instrumented {
            let value = self.exprs.passed(payload, array.element);
            if self.plan.is_some() {
                let value = Value::primary(value, array.element);
                let value = self.named("value", value);
                let (index, guard) = self.watch(site, &array, AccessMode::Wr, &index);
                return self.block(&guard, |this| {
                    let index = this.exprs.index(&index, array.length);
                    this.placed(&language.write(&array, &index, &value.text), site);
                    Ok(())
                });
            }
            let index = self.exprs.index(&index, array.length);
            self.placed(&language.write(&array, &index, &value), site);
            return Ok(());
        }
        let index = self.named_index(site, &index);
        let payload = self.exprs.pattern_as(payload, Domain::Natural);
        let payload = self.named("value", payload);
        let guard = self.begin(site, &array, &index);
        self.block(&guard, |this| {
            this.record(site, &array, AccessMode::Wr, &index, &payload);
            let cell = this.cell(&array, &index);
            this.placed(&language.write(&array, &cell, &payload.text), site);
            Ok(())
        })
    }

    fn read(
        &mut self,
        site: Site,
        var: &Name,
        array: &Name,
        index: &Num,
    ) -> Result<Value, EmitError> {
        let array = self.array(array, site)?;
        let index = self.exprs.num(index, Some(site))?;
        let language = self.exprs.language;
        let name = self.names.fresh(var);
        let value = Value::primary(name.clone(), array.element);
        if self.plan.is_some() {
            let zero = language.literal(array.element, 0);
            let (index, guard) = self.watch(site, &array, AccessMode::Rd, &index);
            self.line(&language.variable(&name, array.element, &zero.text));
            self.block(&guard, |this| {
                let cell = language.read(&array, &this.exprs.index(&index, array.length));
                this.placed(&format!("{name} = {cell};"), site);
                Ok(())
            })?;
            return Ok(value);
        }
        if !self.instrumented {
            let cell = language.read(&array, &self.exprs.index(&index, array.length));
            self.placed(&language.constant(&name, array.element, &cell), site);
            return Ok(value);
        }
        let index = self.named_index(site, &index);
        let zero = language.literal(array.element, 0);
        self.line(&language.variable(&name, array.element, &zero.text));
        let guard = self.begin(site, &array, &index);
        self.block(&guard, |this| {
            let cell = language.read(&array, &this.cell(&array, &index));
            this.placed(&format!("{name} = {cell};"), site);
            this.record(site, &array, AccessMode::Rd, &index, &value);
            Ok(())
        })?;
        Ok(value)
    }

    fn branch(
        &mut self,
        site: Site,
        condition: &Bool,
        then: &Stmt,
        otherwise: &Stmt,
    ) -> Result<(), EmitError> {
        let printed = self.exprs.condition(condition, Some(site))?;
        let language = self.exprs.language;
        let is_skip = |b: &Stmt| b.subterms().all(|b| matches!(b, Stmt::Skip | Stmt::Seq(..)));
        let (head, first, second) = match (is_skip(then), is_skip(otherwise)) {
            (true, false) => (language.guard(&printed.negated().text), otherwise, None),
            (_, true) => (language.guard(&printed.text), then, None),
            _ => (language.guard(&printed.text), then, Some(otherwise)),
        };
        self.line(&head);
        self.indent += 1;
        grow(|| self.stmt(first))?;
        self.indent -= 1;
        if let Some(second) = second {
            self.line("} else {");
            self.indent += 1;
            grow(|| self.stmt(second))?;
            self.indent -= 1;
        }
        self.line("}");
        Ok(())
    }

    fn repetition(
        &mut self,
        site: Site,
        var: &Name,
        (lower, upper): (&Num, &Num),
        body: &Stmt,
    ) -> Result<(), EmitError> {
        let language = self.exprs.language;
        let lower = self.exprs.num(lower, Some(site))?;
        let lower = self.exprs.passed(&lower, Domain::Natural);
        let upper = self.exprs.num(upper, Some(site))?;
        let counter = self.names.fresh(var);
        // Bounds are evaluated at loop entry.
        let upper = self.exprs.pattern_as(&upper, Domain::Natural);
        let upper = self.named(&format!("{counter}_end"), upper);
        let also = self.instrumented.then(|| {
            // All threads give up a loop with barriers together.
            let budget = if body.has_sync() { "proceed" } else { "spend" };
            language.account(budget, &site_text(site))
        });
        let also = also.or_else(|| {
            let budget = if body.has_sync() { "monitor_proceed" } else { "monitor_spend" };
            self.plan.as_ref().map(|_| language.monitor(budget, ""))
        });
        let head = language.counting(&counter, &lower, &upper.text, also.as_deref());
        let value = Value::primary(counter, Domain::Natural);
        self.block(&head, |this| this.below(var, value, body))
    }

    /// In instrumented texts: the index under a name.
    pub(super) fn named_index(&mut self, site: Site, index: &Value) -> Value {
        let index = self.exprs.pattern_as(index, Domain::Natural);
        self.named(&format!("index_{}", site.0), index)
    }

    /// In instrumented texts: the cell of `memory` or of a shared array, for brackets.
    pub(super) fn cell(&self, array: &Array, index: &Value) -> String {
        let language = self.exprs.language;
        match array.space {
            Space::Shared => language.index(index, array.length),
            Space::Global => {
                let sum = format!("{} + {}", array.cells.base, index.text);
                language.index(&Value::primary(sum, Domain::Natural), None)
            }
        }
    }

    /// In instrumented texts: the guard of an access.
    pub(super) fn begin(&self, site: Site, array: &Array, index: &Value) -> String {
        let arguments = format!("{}, {}, {}", site_text(site), index.text, array.cells.length);
        let language = self.exprs.language;
        language.guard(&language.account("begin", &arguments))
    }

    /// In instrumented texts: records an access.
    pub(super) fn record(
        &mut self,
        site: Site,
        array: &Array,
        mode: AccessMode,
        index: &Value,
        value: &Value,
    ) {
        let arguments = format!(
            "{}, {}u, {}, {}, {}",
            site_text(site),
            mode_number(mode),
            array.cells.first,
            index.text,
            value.text
        );
        let call = self.exprs.language.account("record", &arguments);
        self.line(&format!("{call};"));
    }
}

/// The number of a site, as an argument.
fn site_text(site: Site) -> String {
    format!("{}u", site.0)
}
