//! Statements other than loops.

use super::expressions::Effect;
use super::{Callable, Generator, Local, Place};
use crate::syntax::{Expr, Stmt};
use babycuda_frontend::Overflow;

impl Generator<'_> {
    /// Statements in a scope of their own.
    pub fn block(&mut self, depth: usize) -> Vec<Stmt> {
        let (locals, places) = (self.locals.len(), self.places.len());
        let mut list = Vec::new();
        let count = if depth >= 4 { 3 + self.choices.below(6) } else { 1 + self.choices.below(3) };
        for _ in 0..count {
            if self.budget <= 0 && !list.is_empty() {
                break;
            }
            self.budget -= 1;
            self.statement(depth, &mut list);
        }
        if depth >= 4 {
            // What became of the variables shows in the last accesses.
            self.witness(&mut list);
        }
        self.locals.truncate(locals);
        self.places.truncate(places);
        list
    }

    /// Statements that threads may not reach together.
    pub fn divergent_block(&mut self, depth: usize) -> Vec<Stmt> {
        let uniform = std::mem::replace(&mut self.uniform, false);
        let block = self.block(depth);
        self.uniform = uniform;
        block
    }

    fn statement(&mut self, depth: usize, out: &mut Vec<Stmt>) {
        let deep = usize::from(depth > 0);
        let sync = if self.uniform { 4 } else { usize::from(self.choices.chance(1, 3)) };
        let leave = usize::from(self.breakable);
        let brink = if self.overflow == Overflow::AssumeNone { 4 } else { 0 };
        let weights = [9, 4, 3, 4 * deep, 7 * deep, deep, sync, leave, 3, 1, 1, deep, brink];
        match self.choices.weighted(&weights) {
            12 => self.brink(out),
            0 => out.push(Stmt::Expr(self.store())),
            1 => self.declare(out),
            2 => {
                let change = self.side_effect(2);
                let e = if self.defined(&change) { change } else { self.store() };
                out.push(Stmt::Expr(e));
            }
            3 => out.push(self.branch(depth - 1)),
            4 => self.a_loop(depth - 1, out),
            5 => out.push(self.switch(depth - 1)),
            6 => out.push(Stmt::Plain(self.barrier.clone())),
            7 => out.push(self.leave()),
            8 => match self.call_statement() {
                Some(call) => out.push(call),
                None => out.push(Stmt::Expr(self.store())),
            },
            9 => self.declare_pointer(out),
            10 => {
                let atomic = self.atomic(1);
                let e = if self.defined(&atomic) { atomic } else { self.store() };
                out.push(Stmt::Expr(e));
            }
            _ if self.choices.chance(1, 2) => out.push(Stmt::Block(self.block(depth - 1))),
            _ => out.push(self.early_return()),
        }
    }

    /// A variable whose value is near the end of its type, and what takes it there in some threads.
    fn brink(&mut self, out: &mut Vec<Stmt>) {
        let (t, ends) = *self.choices.pick(&[
            ("int", ["2147483640", "-2147483640", "46340", "715827880"]),
            ("int", ["2147483646", "-2147483647", "-46340", "1073741822"]),
            ("long long", ["9223372036854775800", "-9223372036854775807", "3037000499", "5"]),
            ("long", ["9223372036854775806", "-9223372036854775800", "-3037000499", "-7"]),
        ]);
        let name = self.fresh("w");
        let start = Expr::atom(format!("BC_LIT({})", self.word(&ends)));
        out.push(Stmt::Declare(format!("{t} {name}"), Some(start)));
        self.add_local(&name, t, false);
        let w = || Expr::atom(&name);
        let index = Expr::atom(self.index_name());
        let by = match self.choices.below(4) {
            0 => Expr::atom(self.small_literal()),
            1 => Expr::cast("int", self.expression(1, Effect::Silent)),
            _ => Expr::cast("int", index),
        };
        let by = match self.choices.below(3) {
            0 => Expr::binary("*", by, Expr::atom(self.small_literal())),
            _ => by,
        };
        let sum = match self.choices.below(4) {
            0 => Expr::binary("*", w(), by.clone()),
            1 => Expr::binary("-", w(), by.clone()),
            _ => Expr::binary("+", w(), by.clone()),
        };
        out.push(match self.choices.below(6) {
            0 => Stmt::Expr(Expr::assign(self.word(&["+=", "-=", "*="]), w(), by)),
            1 => Stmt::Expr(Expr::step(self.word(&["++", "--"]), self.choices.chance(1, 2), w())),
            2 => {
                let cell = self.cell(0, Effect::Silent, true);
                let then = vec![Stmt::Expr(Expr::assign("=", cell, Expr::atom("1")))];
                Stmt::If(Expr::binary(">", sum, Expr::atom("0")), then, vec![])
            }
            3 => Stmt::Expr(Expr::assign("=", w(), sum)),
            4 => {
                let v = self.fresh("v");
                self.add_local(&v, "int", false);
                Stmt::Declare(format!("int {v}"), Some(sum))
            }
            _ => Stmt::Expr(Expr::assign("=", self.cell(1, Effect::Silent, true), sum)),
        });
    }

    /// `a[i] = e`, also compound.
    pub fn store(&mut self) -> Expr {
        for _ in 0..6 {
            let cell = self.cell(1, Effect::Reads, true);
            let value = self.expression(2, Effect::Any);
            let op = match self.choices.below(6) {
                0 => self.word(&["+=", "-=", "^=", "|="]),
                _ => "=",
            };
            let e = Expr::assign(op, cell, value);
            if self.defined(&e) {
                return e;
            }
        }
        let cell = self.cell(0, Effect::Silent, true);
        Expr::assign("=", cell, Expr::atom("1"))
    }

    fn defined(&self, e: &Expr) -> bool {
        self.names().effects(e).is_some()
    }

    /// A new variable of the thread.
    pub fn declare(&mut self, out: &mut Vec<Stmt>) {
        if self.opaque && self.choices.chance(1, 3) {
            return self.declare_opaque(out);
        }
        let t = self.any_type();
        let uniform = self.uniform && self.choices.chance(1, 4);
        let value = match uniform {
            true => self.uniform_expression(),
            false => self.expression(2, Effect::Any),
        };
        // Now and then a name that hides another of its kind.
        let hides = |l: &&Local| l.name.starts_with('v') && l.t == t && !l.uniform && !uniform;
        let hidden = self.locals.iter().rev().find(hides).map(|l| l.name.clone());
        let declared = |name: &str| {
            let ends = |h: &String| h.ends_with(&format!(" {name}"));
            out.iter().any(|s| matches!(s, Stmt::Declare(h, _) if ends(h)))
        };
        let name = match hidden {
            Some(outer)
                if !declared(&outer)
                    && !value.text().contains(&outer)
                    && self.choices.chance(2, 3) =>
            {
                outer
            }
            _ => self.fresh("v"),
        };
        self.add_local(&name, t, uniform);
        out.push(Stmt::Declare(format!("{t} {name}"), Some(value)));
    }

    pub fn add_local(&mut self, name: &str, t: &str, uniform: bool) {
        let (name, t) = (name.to_owned(), t.to_owned());
        self.locals.push(Local { name, t, uniform, protected: false });
    }

    /// Something that the translation treats as unknown: a local array, a float.
    fn declare_opaque(&mut self, out: &mut Vec<Stmt>) {
        if self.choices.chance(1, 2) {
            let name = self.fresh("t");
            let t = self.any_type();
            out.push(Stmt::Plain(format!("{t} {name}[4] = {{1, 2, 3, 0}};")));
            let read = Expr::index(&name, Expr::binary("&", self.raw_silent(), Expr::atom("3")));
            out.push(Stmt::Expr(Expr::assign("=", read.clone(), self.raw_silent())));
            let local = self.fresh("v");
            self.add_local(&local, "int", false);
            out.push(Stmt::Declare(format!("int {local}"), Some(read)));
        } else {
            let name = self.fresh("f");
            let start = Expr::binary("*", Expr::atom("1.5f"), self.raw_silent());
            out.push(Stmt::Declare(format!("float {name}"), Some(start)));
            let test = Expr::binary("<", Expr::atom(name), Expr::atom("4.0f"));
            let then = self.divergent_block(0);
            out.push(Stmt::If(test, then, vec![]));
        }
    }

    fn raw_silent(&mut self) -> Expr {
        self.expression(0, Effect::Silent)
    }

    fn declare_pointer(&mut self, out: &mut Vec<Stmt>) {
        let places: Vec<Place> =
            self.places.iter().filter(|p| p.columns.is_none()).cloned().collect();
        let places: Vec<Place> = places
            .into_iter()
            .filter(|p| p.writable && !["table", "weights"].contains(&p.name.as_str()))
            .collect();
        if places.is_empty() {
            return out.push(Stmt::Expr(self.store()));
        }
        let place = self.choices.pick(&places).clone();
        let name = self.fresh("p");
        let by = self.expression(1, Effect::Silent);
        let start = match self.choices.below(3) {
            0 => Expr::Unary("&", Box::new(Expr::index(&place.name, by))),
            _ => Expr::binary("+", Expr::atom(&place.name), by),
        };
        out.push(Stmt::Declare(format!("BC_PTR({}) {name}", place.t), Some(start)));
        let mut pointer = Place { name: name.clone(), ..place };
        pointer.columns = None;
        self.places.push(pointer);
        let name = || Expr::atom(&name);
        match self.choices.below(7) {
            5 => {
                let before = Expr::Unary("*", Box::new(Expr::step("--", true, name())));
                out.push(Stmt::Expr(Expr::assign("=", before, Expr::atom("1"))));
            }
            6 => out.push(Stmt::Expr(Expr::assign("-=", name(), self.raw_silent()))),
            0 => out.push(Stmt::Expr(Expr::step("++", false, name()))),
            1 => out.push(Stmt::Expr(Expr::assign("+=", name(), Expr::atom("2")))),
            2 => {
                let next = Expr::Unary("*", Box::new(Expr::step("++", false, name())));
                out.push(Stmt::Expr(Expr::assign("=", next, Expr::atom("1"))));
            }
            _ => {}
        }
    }

    fn branch(&mut self, depth: usize) -> Stmt {
        let uniform = self.uniform && self.choices.chance(1, 4);
        let (c, block): (_, fn(&mut Self, usize) -> Vec<Stmt>) = if uniform {
            let op = self.word(&["<", ">", "==", "!=", "<="]);
            let (l, r) = (self.uniform_expression(), self.small_literal());
            (Expr::binary(op, l, Expr::atom(r)), Self::block)
        } else {
            let effect = if self.choices.chance(1, 3) { Effect::Any } else { Effect::Reads };
            (self.condition(2, effect), Self::divergent_block)
        };
        let mut then = block(self, depth);
        if !uniform && self.loops == 0 && self.returns.is_none() && self.choices.chance(1, 4) {
            then.push(Stmt::Plain(self.barrier.clone()));
        }
        let otherwise = if self.choices.chance(1, 3) { block(self, depth) } else { Vec::new() };
        Stmt::If(c, then, otherwise)
    }

    /// `switch`, where some cases fall through.
    fn switch(&mut self, depth: usize) -> Stmt {
        let selector = Expr::binary("&", self.expression(1, Effect::Reads), Expr::atom("3"));
        let count = 2 + self.choices.below(3);
        let default = self.choices.below(count + 1);
        let (breakable, loops) = (self.breakable, self.loops);
        self.breakable = false;
        let mut cases = Vec::new();
        for i in 0..count {
            let mut labels = vec![format!("case {i}")];
            if i == default {
                labels.push("default".to_owned());
            }
            // A declaration may not be jumped over.
            let mut body = vec![Stmt::Block(self.divergent_block(depth.min(1)))];
            if !self.choices.chance(1, 3) {
                body.push(Stmt::Plain("break;".to_owned()));
            }
            cases.push((labels, body));
        }
        (self.breakable, self.loops) = (breakable, loops);
        Stmt::Switch(selector, cases)
    }

    /// `if (c) break;`, or `continue`.
    fn leave(&mut self) -> Stmt {
        let how = self.word(&["break;", "continue;", "break;"]);
        let c = self.condition(1, Effect::Reads);
        Stmt::If(c, vec![Stmt::Plain(how.to_owned())], vec![])
    }

    fn early_return(&mut self) -> Stmt {
        let uniform = self.uniform && self.choices.chance(1, 2);
        let c = if uniform {
            let l = self.uniform_expression();
            Expr::binary("==", l, Expr::atom(self.small_literal()))
        } else {
            self.condition(1, Effect::Reads)
        };
        let value = match self.returns.as_deref() {
            Some("void") | None => None,
            Some(_) => Some(self.expression(1, Effect::Silent)),
        };
        Stmt::If(c, vec![Stmt::Return(value)], vec![])
    }

    /// A call whose value is dropped.
    fn call_statement(&mut self) -> Option<Stmt> {
        let uniform = self.uniform;
        let fitting: Vec<Callable> =
            self.callables.iter().filter(|c| uniform || !c.barrier).cloned().collect();
        if fitting.is_empty() {
            return None;
        }
        let callable = self.choices.pick(&fitting).clone();
        for _ in 0..4 {
            let call = self.call_of(&callable, 1, Effect::Reads)?;
            if self.defined(&call) {
                return Some(Stmt::Expr(call));
            }
        }
        None
    }

    /// Writes what some variables hold, and where they point to.
    fn witness(&mut self, out: &mut Vec<Stmt>) {
        let changed: Vec<Local> = self.locals.iter().rev().take(6).cloned().collect();
        for local in changed {
            let arrays: Vec<Place> =
                self.places.iter().filter(|p| p.writable && p.columns.is_none()).cloned().collect();
            if arrays.is_empty() || self.choices.chance(1, 2) {
                continue;
            }
            let array = self.choices.pick(&arrays).name.clone();
            let value = Expr::atom(local.name);
            let tid = Expr::atom(self.index_name());
            out.push(Stmt::Expr(match self.choices.below(3) {
                0 => Expr::assign("=", Expr::index(array, tid), value),
                1 => Expr::assign("=", Expr::index(array, value), tid),
                _ => {
                    let index = Expr::binary("+", tid, value);
                    Expr::assign("=", Expr::index(array, index), Expr::atom("1"))
                }
            }));
        }
    }
}
