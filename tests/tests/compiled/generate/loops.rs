//! Loops of every shape.

use super::Generator;
use super::expressions::Effect;
use crate::syntax::{Expr, Stmt};

impl Generator<'_> {
    /// A loop, with the declarations that it needs.
    pub fn a_loop(&mut self, depth: usize, out: &mut Vec<Stmt>) {
        let (locals, places) = (self.locals.len(), self.places.len());
        let carried = if self.choices.chance(1, 2) { Some(self.carried(out)) } else { None };
        let uniform = self.uniform && self.choices.chance(1, 2);
        match self.choices.weighted(&[6, 3, 3, 6, 3, 2, 2, 2, 2]) {
            0 => self.up(depth, uniform, carried, out),
            1 => self.down(depth, uniform, carried, out),
            2 => self.geometric(depth, uniform, carried, out),
            3 => self.counting_condition(depth, uniform, carried, out),
            4 => self.do_while(depth, uniform, carried, out),
            5 => self.two_counters(depth, carried, out),
            6 => self.endless(depth, carried, out),
            7 => self.data(depth, carried, out),
            _ => self.by_macro(depth, uniform, carried, out),
        }
        // The loop's own variables stay visible now and then.
        self.locals.truncate(locals + self.choices.below(3));
        self.places.truncate(places);
    }

    /// A variable that the body changes in the same way every time: declared, and how.
    fn carried(&mut self, out: &mut Vec<Stmt>) -> Expr {
        let t = loop {
            let t = self.any_type();
            if t != "bool" {
                break t;
            }
        };
        let name = self.fresh("x");
        let start = match self.choices.below(4) {
            0 => Expr::atom(self.index_name()),
            1 => self.expression(1, Effect::Silent),
            _ => Expr::atom(self.word(&["0", "1", "-1", "3", "250", "-7", "100"])),
        };
        out.push(Stmt::Declare(format!("{t} {name}"), Some(start)));
        self.add_local(&name, t, false);
        let x = || Expr::atom(&name);
        let by = match self.choices.below(4) {
            0 => self.expression(0, Effect::Silent),
            1 => Expr::atom(self.word(&["2u", "3ll", "-1", "1u", "7", "300"])),
            _ => Expr::atom((1 + self.choices.below(4)).to_string()),
        };
        let small = || Expr::binary("&", by.clone(), Expr::atom("7"));
        match self.choices.below(11) {
            0 | 1 => Expr::assign("+=", x(), by),
            2 => Expr::assign("-=", x(), by),
            3 => Expr::assign("*=", x(), by),
            4 => Expr::assign("<<=", x(), small()),
            5 => Expr::assign(">>=", x(), small()),
            6 => {
                let by = Expr::atom(self.word(&["2", "2u", "3", "4", "5u", "2ll"]));
                Expr::assign("=", x(), Expr::binary("/", x(), by))
            }
            7 => Expr::assign("=", x(), Expr::binary("-", by, x())),
            8 => Expr::assign("^=", x(), by),
            9 => {
                let twice = Expr::binary("*", x(), Expr::atom("3"));
                Expr::assign("=", x(), Expr::binary("+", twice, Expr::atom("1")))
            }
            _ => Expr::step(self.word(&["++", "--"]), self.choices.chance(1, 2), x()),
        }
    }

    /// The body of a loop, in which `counter` stays.
    fn loop_body(
        &mut self,
        depth: usize,
        uniform: bool,
        counter: Option<(&str, &str)>,
        carried: Option<Expr>,
    ) -> Vec<Stmt> {
        let state = (self.uniform, self.breakable);
        self.uniform = uniform;
        self.breakable = true;
        self.loops += 1;
        let depth = if self.loops > 2 { 0 } else { depth };
        let locals = self.locals.len();
        if let Some((name, t)) = counter {
            self.add_local(name, t, uniform);
            if let Some(local) = self.locals.last_mut() {
                local.protected = true;
            }
        }
        if uniform {
            // No thread leaves alone.
            self.breakable = self.choices.chance(1, 10);
        }
        let mut body = Vec::new();
        let early = self.choices.chance(1, 2);
        if early {
            body.extend(carried.clone().map(Stmt::Expr));
        }
        body.extend(self.block(depth));
        if uniform && self.choices.chance(1, 2) {
            let at = self.choices.below(body.len() + 1);
            body.insert(at, Stmt::Plain(self.barrier.clone()));
        }
        if !early {
            body.extend(carried.map(Stmt::Expr));
        }
        self.locals.truncate(locals);
        self.loops -= 1;
        (self.uniform, self.breakable) = state;
        body
    }

    /// Where a loop ends: the same for all threads, if it must be.
    fn bound(&mut self, uniform: bool) -> Expr {
        if self.choices.chance(1, 4)
            && let Some(cell) = self.limit_cell(uniform)
        {
            return Expr::binary("&", cell, Expr::atom("7"));
        }
        if uniform {
            return self.uniform_expression();
        }
        match self.choices.weighted(&[5, 4, 3, 1]) {
            0 => Expr::atom(self.choices.below(12).to_string()),
            1 => self.uniform_expression(),
            2 => Expr::atom(self.index_name()),
            _ => Expr::binary("&", self.expression(1, Effect::Reads), Expr::atom("7")),
        }
    }

    fn start(&mut self, uniform: bool) -> Expr {
        match self.choices.weighted(&[5, 3, 2]) {
            1 if !uniform => Expr::atom(self.index_name()),
            2 if uniform => self.uniform_expression(),
            2 => self.expression(1, Effect::Silent),
            _ => Expr::atom(self.word(&["0", "1", "0", "2", "-3"])),
        }
    }

    fn counter_type(&mut self) -> &'static str {
        match self.choices.below(3) {
            0 => "int",
            1 => "unsigned",
            _ => loop {
                let t = self.any_type();
                if t != "bool" {
                    break t;
                }
            },
        }
    }

    fn up(&mut self, depth: usize, uniform: bool, carried: Option<Expr>, out: &mut Vec<Stmt>) {
        let (t, i) = (self.counter_type(), self.fresh("i"));
        let first = format!("BC_VAR({t}) {i} = {}", self.start(uniform).text());
        let op = self.word(&["<", "<", "<=", "!=", "<"]);
        let mut test = Expr::binary(op, Expr::atom(&i), self.bound(uniform));
        if self.choices.chance(1, 6) {
            let nearer = Expr::binary("<", Expr::atom(&i), self.bound(uniform));
            test = Expr::binary("&&", test, nearer);
        }
        let step = match self.choices.below(5) {
            0 => Expr::assign("+=", Expr::atom(&i), Expr::atom("2")),
            1 if !uniform => {
                let by = self.word(&["blockDim.x", "3", "5"]);
                Expr::assign("+=", Expr::atom(&i), Expr::atom(by))
            }
            2 => {
                let next = Expr::binary("+", Expr::atom(&i), Expr::atom("1"));
                Expr::assign("=", Expr::atom(&i), next)
            }
            _ => Expr::step("++", self.choices.chance(1, 2), Expr::atom(&i)),
        };
        let body = self.loop_body(depth, uniform, Some((&i, t)), carried);
        out.push(Stmt::For(first, Some(test), Some(step), body));
    }

    fn down(&mut self, depth: usize, uniform: bool, carried: Option<Expr>, out: &mut Vec<Stmt>) {
        let (t, i) = (self.counter_type(), self.fresh("i"));
        let first = format!("BC_VAR({t}) {i} = {}", self.bound(uniform).text());
        let op = self.word(&[">", ">", ">=", "!="]);
        let limit = self.word(&["0", "1", "0", "-1"]);
        let test = Expr::binary(op, Expr::atom(&i), Expr::atom(limit));
        let step = match self.choices.below(3) {
            0 => Expr::assign("-=", Expr::atom(&i), Expr::atom("1")),
            1 => Expr::assign("-=", Expr::atom(&i), Expr::atom("2")),
            _ => Expr::step("--", self.choices.chance(1, 2), Expr::atom(&i)),
        };
        let body = self.loop_body(depth, uniform, Some((&i, t)), carried);
        out.push(Stmt::For(first, Some(test), Some(step), body));
    }

    fn geometric(
        &mut self,
        depth: usize,
        uniform: bool,
        carried: Option<Expr>,
        out: &mut Vec<Stmt>,
    ) {
        let (t, i) = (self.counter_type(), self.fresh("i"));
        let name = || Expr::atom(&i);
        let (start, test, step) = if self.choices.chance(1, 2) {
            let start = Expr::atom(self.word(&["1", "1", "2", "3"]));
            let test = Expr::binary(self.word(&["<", "<="]), name(), self.bound(uniform));
            let step = match self.choices.below(3) {
                0 => Expr::assign("*=", name(), Expr::atom("2")),
                1 => Expr::assign("<<=", name(), Expr::atom("1")),
                _ => Expr::assign("+=", name(), name()),
            };
            (start, test, step)
        } else {
            let test = match self.choices.below(3) {
                0 => Expr::binary(">", name(), Expr::atom("0")),
                1 => name(),
                _ => Expr::binary(">=", name(), Expr::atom("1")),
            };
            let step = match self.choices.below(3) {
                0 => Expr::assign(">>=", name(), Expr::atom("1")),
                1 => Expr::assign("/=", name(), Expr::atom("2")),
                _ => Expr::assign(">>=", name(), Expr::atom("2")),
            };
            (self.bound(uniform), test, step)
        };
        let body = self.loop_body(depth, uniform, Some((&i, t)), carried);
        let first = format!("BC_VAR({t}) {i} = {}", start.text());
        out.push(Stmt::For(first, Some(test), Some(step), body));
    }

    /// A condition that changes its counter, with and without a second operand.
    fn changing_condition(&mut self, i: &str) -> Expr {
        let name = || Expr::atom(i);
        let down = match self.choices.below(8) {
            0 => Expr::step("--", false, name()),
            1 => Expr::step("--", true, name()),
            2 => Expr::binary(">", Expr::step("--", false, name()), Expr::atom("0")),
            3 => Expr::binary(">=", Expr::step("--", true, name()), Expr::atom("0")),
            4 => Expr::binary(">", Expr::assign("-=", name(), Expr::atom("2")), Expr::atom("0")),
            5 => Expr::binary("!=", Expr::step("--", true, name()), Expr::atom("1")),
            6 => {
                let less = Expr::binary("-", name(), Expr::atom("1"));
                Expr::binary(">=", Expr::assign("=", name(), less), Expr::atom("1"))
            }
            _ => Expr::binary(
                ",",
                Expr::step("--", false, name()),
                Expr::binary(">", name(), Expr::atom("0")),
            ),
        };
        match self.choices.below(6) {
            0 => Expr::binary("&&", down, self.condition(1, Effect::Reads)),
            1 => Expr::binary("&&", Expr::binary(">", name(), Expr::atom("0")), down),
            2 => Expr::Conditional(
                Box::new(Expr::binary(">", name(), Expr::atom("1"))),
                Box::new(down),
                Box::new(Expr::atom("0")),
            ),
            _ => down,
        }
    }

    fn counting_condition(
        &mut self,
        depth: usize,
        uniform: bool,
        carried: Option<Expr>,
        out: &mut Vec<Stmt>,
    ) {
        let (t, i) = (self.counter_type(), self.fresh("i"));
        let start = match self.choices.below(3) {
            0 => self.bound(uniform),
            _ => Expr::atom((1 + self.choices.below(6)).to_string()),
        };
        let up = self.choices.chance(1, 4);
        let (start, test) = if up {
            let step = Expr::step("++", self.choices.chance(1, 2), Expr::atom(&i));
            (Expr::atom("0"), Expr::binary("<", step, self.bound(uniform)))
        } else {
            (start, self.changing_condition(&i))
        };
        let uniform = uniform && self.names_only(&test, &i);
        out.push(Stmt::Declare(format!("{t} {i}"), Some(start)));
        let body = self.loop_body(depth, uniform, Some((&i, t)), carried);
        let stop = self.choices.chance(1, 4);
        out.push(match stop {
            // The same condition in a `for`.
            true => Stmt::For(String::new(), Some(test), None, body),
            false => Stmt::While(test, body),
        });
        self.add_local(&i, t, false);
        if let Some(local) = self.locals.last_mut() {
            local.protected = true;
        }
    }

    /// Does a condition depend on nothing but the counter and what is uniform?
    fn names_only(&self, test: &Expr, counter: &str) -> bool {
        match test {
            Expr::Atom(name) => {
                let uniform = self.locals.iter().rev().find(|l| l.name == *name);
                name == counter
                    || uniform.is_some_and(|l| l.uniform)
                    || name.starts_with("blockDim")
                    || name.starts_with("gridDim")
                    || name.starts_with(|c: char| c.is_ascii_digit() || c == '-')
            }
            Expr::Index(..) | Expr::Call(..) | Expr::Unary("*", _) => false,
            other => other.parts().into_iter().all(|e| self.names_only(e, counter)),
        }
    }

    fn do_while(
        &mut self,
        depth: usize,
        uniform: bool,
        carried: Option<Expr>,
        out: &mut Vec<Stmt>,
    ) {
        let (t, i) = (self.counter_type(), self.fresh("d"));
        out.push(Stmt::Declare(
            format!("{t} {i}"),
            Some(Expr::atom(self.choices.below(6).to_string())),
        ));
        let test = self.changing_condition(&i);
        let uniform = uniform && self.names_only(&test, &i);
        let body = self.loop_body(depth, uniform, Some((&i, t)), carried);
        out.push(Stmt::Do(body, test));
        self.add_local(&i, t, false);
        if let Some(local) = self.locals.last_mut() {
            local.protected = true;
        }
    }

    fn two_counters(&mut self, depth: usize, carried: Option<Expr>, out: &mut Vec<Stmt>) {
        let (t, i, j) = (self.counter_type(), self.fresh("i"), self.fresh("j"));
        let end = self.bound(false);
        let first = format!("BC_VAR({t}) {i} = 0, {j} = {}", end.text());
        let op = self.word(&["<", "<=", "<"]);
        let test = Expr::binary(op, Expr::atom(&i), Expr::atom(&j));
        let step = Expr::binary(
            ",",
            Expr::step("++", true, Expr::atom(&i)),
            Expr::step("--", true, Expr::atom(&j)),
        );
        let body = self.loop_body(depth, false, Some((&j, t)), carried);
        out.push(Stmt::For(first, Some(test), Some(step), body));
    }

    /// `for (;;)` with a way out.
    fn endless(&mut self, depth: usize, carried: Option<Expr>, out: &mut Vec<Stmt>) {
        let (t, i) = (self.counter_type(), self.fresh("i"));
        out.push(Stmt::Declare(format!("{t} {i}"), Some(Expr::atom("0"))));
        let bound = Expr::atom((1 + self.choices.below(5)).to_string());
        let mut exit = Expr::binary(">=", Expr::step("++", false, Expr::atom(&i)), bound);
        if self.choices.chance(1, 3) {
            exit = Expr::binary("||", exit, self.condition(1, Effect::Reads));
        }
        let mut body = vec![Stmt::If(exit, vec![Stmt::Plain("break;".to_owned())], vec![])];
        body.extend(self.loop_body(depth, false, Some((&i, t)), carried));
        out.push(match self.choices.below(2) {
            0 => Stmt::For(String::new(), None, None, body),
            _ => Stmt::While(Expr::atom("true"), body),
        });
    }

    /// A loop whose end depends on data.
    fn data(&mut self, depth: usize, carried: Option<Expr>, out: &mut Vec<Stmt>) {
        let i = self.fresh("i");
        out.push(Stmt::Declare(format!("int {i}"), Some(Expr::atom("0"))));
        let bounded = Expr::binary("<", Expr::atom(&i), Expr::atom("6"));
        let test = Expr::binary("&&", bounded, self.condition(1, Effect::Reads));
        let mut body = self.loop_body(depth, false, Some((&i, "int")), carried);
        body.insert(0, Stmt::Expr(Expr::step("++", false, Expr::atom(&i))));
        out.push(Stmt::While(test, body));
    }

    fn by_macro(
        &mut self,
        depth: usize,
        uniform: bool,
        carried: Option<Expr>,
        out: &mut Vec<Stmt>,
    ) {
        if self.loop_macros.is_empty() {
            return self.up(depth, uniform, carried, out);
        }
        let (name, i) = (self.choices.pick(&self.loop_macros.clone()).clone(), self.fresh("i"));
        let bound = self.bound(uniform);
        let body = self.loop_body(depth, uniform, Some((&i, "int")), carried);
        out.push(Stmt::Head(Expr::Call(name, vec![Expr::atom(&i), bound]), body));
    }
}
