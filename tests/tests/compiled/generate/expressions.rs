//! Expressions.

use super::effects::Names;
use super::{Callable, Generator, Local, Place, Takes};
use crate::syntax::Expr;
use babycuda_frontend::Overflow;

/// How far an expression may go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// It only reads variables.
    Silent,
    /// It reads arrays.
    Reads,
    /// It changes variables and arrays.
    Any,
}

impl Generator<'_> {
    pub fn names(&self) -> Names<'_> {
        let stops = self.overflow == Overflow::AssumeNone;
        Names { places: &self.places, callables: &self.callables, stops }
    }

    /// An expression that C++17 defines, of this depth at most.
    pub fn expression(&mut self, depth: usize, effect: Effect) -> Expr {
        for _ in 0..6 {
            let e = self.raw(depth, effect);
            if self.names().effects(&e).is_some() {
                return e;
            }
        }
        self.leaf(Effect::Silent)
    }

    /// An expression that is the same in all threads that are together.
    pub fn uniform_expression(&mut self) -> Expr {
        let leaf = self.uniform_leaf();
        match self.choices.below(6) {
            0 => Expr::binary("+", leaf, Expr::atom(self.small_literal())),
            1 => Expr::binary("/", leaf, Expr::atom("2")),
            2 => Expr::binary("&", leaf, Expr::atom("7")),
            _ => leaf,
        }
    }

    fn uniform_leaf(&mut self) -> Expr {
        let uniform: Vec<String> =
            self.locals.iter().filter(|l| l.uniform).map(|l| l.name.clone()).collect();
        match self.choices.below(5) {
            0 => Expr::atom(self.small_literal()),
            1 => Expr::atom(self.word(&["blockDim.x", "blockDim.x", "gridDim.x"])),
            _ if !uniform.is_empty() => Expr::atom(self.choices.pick(&uniform).clone()),
            _ => Expr::atom(self.small_literal()),
        }
    }

    /// A built-in index.
    pub fn index_name(&mut self) -> &'static str {
        let names: &[&str] = match (self.dimensions, self.grid) {
            (1, false) => &["threadIdx.x"],
            (1, true) => &["threadIdx.x", "threadIdx.x", "blockIdx.x", "blockIdx.y"],
            (2, _) => &["threadIdx.x", "threadIdx.y", "threadIdx.y", "blockDim.y"],
            _ => &["threadIdx.x", "threadIdx.y", "threadIdx.z", "blockDim.z"],
        };
        self.word(names)
    }

    fn variable(&mut self) -> Option<String> {
        let count = self.locals.len();
        // The newest are used most.
        let back = self.choices.below(count).min(self.choices.below(count));
        Some(self.locals.get(count.checked_sub(1)? - back)?.name.clone())
    }

    fn leaf(&mut self, effect: Effect) -> Expr {
        match self.choices.weighted(&[3, 4, 8, 4]) {
            0 => Expr::atom(self.literal()),
            1 => Expr::atom(self.index_name()),
            2 => match self.variable() {
                Some(name) => Expr::atom(name),
                None => Expr::atom(self.index_name()),
            },
            _ if effect != Effect::Silent => self.cell(0, effect, false),
            _ => Expr::atom(self.small_literal()),
        }
    }

    pub fn raw(&mut self, depth: usize, effect: Effect) -> Expr {
        if depth == 0 {
            return self.leaf(effect);
        }
        let side = usize::from(effect == Effect::Any) * 4;
        let reads = usize::from(effect != Effect::Silent) * 3;
        let d = depth - 1;
        match self.choices.weighted(&[6, 8, 2, 3, 2, 3, 2, reads, side, 2, 2, side / 4]) {
            0 => self.leaf(effect),
            1 => {
                let op = self.word(&["+", "-", "*", "+", "&", "|", "^"]);
                Expr::binary(op, self.raw(d, effect), self.raw(d, effect))
            }
            2 => self.division(d, effect),
            3 => self.condition_of(d, effect),
            4 => {
                let op = self.word(&["-", "~", "!", "+"]);
                Expr::Unary(op, Box::new(self.raw(d, effect)))
            }
            5 => Expr::cast(self.any_type(), self.raw(d, effect)),
            6 => {
                let c = self.condition_of(d, effect);
                let [x, y] = [0, 1].map(|_| self.raw(d, effect).into_value());
                Expr::Conditional(Box::new(c), Box::new(x), Box::new(y))
            }
            7 => self.cell(d, effect, false),
            8 => self.side_effect(d),
            9 => self.call(d, effect),
            10 => self.shift(d, effect),
            _ => Expr::binary(",", self.side_effect(d), self.raw(d, effect)),
        }
    }

    /// A condition, now and then with `&&`, `||` and `!`.
    pub fn condition(&mut self, depth: usize, effect: Effect) -> Expr {
        for _ in 0..6 {
            let e = self.condition_of(depth, effect);
            if self.names().effects(&e).is_some() {
                return e;
            }
        }
        let one = Expr::atom(self.small_literal());
        Expr::binary("<", Expr::atom(self.index_name()), one)
    }

    fn condition_of(&mut self, depth: usize, effect: Effect) -> Expr {
        let d = depth.saturating_sub(1);
        match self.choices.weighted(&[8, if depth > 0 { 3 } else { 0 }, 1, 1]) {
            0 => {
                let op = self.word(&["<", "<=", ">", ">=", "==", "!="]);
                Expr::binary(op, self.raw(d, effect), self.raw(d, effect))
            }
            1 => {
                let op = self.word(&["&&", "||"]);
                Expr::binary(op, self.condition_of(d, effect), self.condition_of(d, effect))
            }
            2 => Expr::Unary("!", Box::new(self.raw(d, effect))),
            _ => self.raw(d, effect),
        }
    }

    /// An index into an array.
    fn subscript(&mut self, depth: usize, effect: Effect) -> Expr {
        let index = Expr::atom(self.index_name());
        match self.choices.weighted(&[4, 4, 3, 4, 2, 1]) {
            0 => index,
            1 => match self.variable() {
                Some(name) => Expr::atom(name),
                None => index,
            },
            2 => {
                let by = self.raw(0, Effect::Silent);
                Expr::binary(self.word(&["+", "-", "*"]), index, by)
            }
            3 => Expr::binary("&", self.raw(depth, effect), Expr::atom("15")),
            4 => Expr::atom(self.small_literal()),
            _ => self.raw(depth, effect),
        }
    }

    /// A cell of an array.
    pub fn cell(&mut self, depth: usize, effect: Effect, writable: bool) -> Expr {
        let fitting: Vec<Place> =
            self.places.iter().filter(|p| p.writable || !writable).cloned().collect();
        if fitting.is_empty() {
            // A kernel has an array that may be written; a function, its first parameter.
            let local = if writable { self.changeable().map(|l| l.name) } else { self.variable() };
            return Expr::atom(local.unwrap_or("0".to_owned()));
        }
        let place = self.choices.pick(&fitting).clone();
        self.cell_of(&place, depth, effect)
    }

    pub fn cell_of(&mut self, place: &Place, depth: usize, effect: Effect) -> Expr {
        if place.name == "table" || place.name == "weights" {
            let index = Expr::binary("&", self.raw(depth, effect), Expr::atom("3"));
            return Expr::index(&place.name, index);
        }
        let effect = if effect == Effect::Any { Effect::Reads } else { effect };
        if place.columns.is_some() {
            let row = Expr::index(&place.name, self.subscript(0, Effect::Silent));
            return Expr::Index(Box::new(row), Box::new(self.subscript(depth, effect)));
        }
        let index = self.subscript(depth, effect);
        match self.choices.below(10) {
            0 => Expr::Unary("*", Box::new(Expr::binary("+", Expr::atom(&place.name), index))),
            1 => Expr::Unary("*", Box::new(Expr::atom(&place.name))),
            _ => Expr::index(&place.name, index),
        }
    }

    /// A cell to read; `uniform`: of an array that the kernel only reads, and the same in all threads
    /// that are together.
    pub fn limit_cell(&mut self, uniform: bool) -> Option<Expr> {
        let fits = |p: &&Place| p.columns.is_none() && !(uniform && p.writable);
        let fitting: Vec<Place> = self.places.iter().filter(fits).cloned().collect();
        if fitting.is_empty() {
            return None;
        }
        let place = self.choices.pick(&fitting).clone();
        let index =
            if uniform { self.uniform_expression() } else { self.subscript(0, Effect::Silent) };
        let table = self.arrays.iter().any(|a| a.name == place.base && a.constant);
        let index = if table { Expr::binary("&", index, Expr::atom("3")) } else { index };
        Some(Expr::index(&place.name, index))
    }

    /// A variable that may be changed here.
    pub fn changeable(&mut self) -> Option<Local> {
        // In code where threads part, a uniform variable must stay uniform.
        let fitting: Vec<Local> =
            self.locals.iter().filter(|l| !l.protected && !l.uniform).cloned().collect();
        (!fitting.is_empty()).then(|| self.choices.pick(&fitting).clone())
    }

    /// An assignment, `++`, `--`, or an atomic update, with its value.
    pub fn side_effect(&mut self, depth: usize) -> Expr {
        let place = match self.changeable() {
            Some(local) if self.choices.chance(3, 5) => Expr::atom(local.name),
            _ => match self.choices.below(5) {
                0 => return self.atomic(depth),
                _ => self.cell(depth, Effect::Reads, true),
            },
        };
        let is_bool = self.is_bool(&place);
        match self.choices.weighted(&[4, 3, if is_bool { 0 } else { 6 }, 1]) {
            0 => Expr::assign("=", place, self.raw(depth, Effect::Reads)),
            3 => {
                let op = self.word(&["/=", "%=", "<<=", ">>="]);
                let by = (1 + self.choices.below(7)).to_string();
                let suffix = self.word(&["", "u", "ll"]);
                Expr::assign(op, place, Expr::atom(by + suffix))
            }
            1 => {
                let op = self.word(&["+=", "-=", "*=", "^=", "|=", "&=", "+="]);
                Expr::assign(op, place, self.raw(depth, Effect::Reads))
            }
            _ => {
                let op = self.word(&["++", "--"]);
                Expr::step(op, self.choices.chance(1, 2), place)
            }
        }
    }

    /// C++17 has no `++` on `bool`.
    fn is_bool(&self, place: &Expr) -> bool {
        let text = place.text();
        let of_local = self.locals.iter().rev().find(|l| l.name == text);
        let of_array = self.places.iter().any(|p| p.t == "bool" && text.contains(&p.name));
        of_local.map_or(of_array, |l| l.t == "bool")
    }

    pub fn atomic(&mut self, depth: usize) -> Expr {
        let fits = |p: &&Place| {
            p.writable && matches!(p.t.as_str(), "int" | "unsigned" | "unsigned long long")
        };
        let places: Vec<Place> = self.places.iter().filter(fits).cloned().collect();
        if places.is_empty() {
            return self.raw(depth, Effect::Silent);
        }
        let place = self.choices.pick(&places).clone();
        let cell = self.cell_of(&place, 0, Effect::Silent);
        let address = Expr::Unary("&", Box::new(cell));
        let value = self.raw(depth, Effect::Reads);
        let mut names = vec!["Add", "Add", "Min", "Max", "And", "Or", "Xor", "Exch", "CAS"];
        match place.t.as_str() {
            "int" => names.push("Sub"),
            "unsigned" => names.extend(["Sub", "Inc", "Dec"]),
            _ => {}
        }
        let name = self.word(&names);
        let block = name != "CAS" && self.choices.chance(1, 6);
        let name = format!("atomic{name}{}", if block { "_block" } else { "" });
        let mut args = vec![address, value];
        if name == "atomicCAS" {
            args.push(self.raw(0, Effect::Silent));
        }
        Expr::Call(name, args)
    }

    /// A call of a function or macro with a value.
    fn call(&mut self, depth: usize, effect: Effect) -> Expr {
        let fitting: Vec<Callable> = self
            .callables
            .iter()
            .filter(|c| c.value && !c.barrier)
            .filter(|c| effect == Effect::Any || c.takes.iter().all(|t| *t == Takes::Value))
            .cloned()
            .collect();
        if fitting.is_empty() || self.choices.chance(1, 6) {
            let t = self.word(&["int", "unsigned", "long long"]);
            // A file's own `min` hides CUDA's.
            let own = self.callables.iter().any(|c| c.name == "min");
            let name = if own { "max" } else { self.word(&["min", "max"]) };
            let args = [0, 1].map(|_| Expr::cast(t, self.raw(depth, effect)));
            return Expr::Call(name.to_owned(), args.to_vec());
        }
        let callable = self.choices.pick(&fitting).clone();
        self.call_of(&callable, depth, effect).unwrap_or_else(|| Expr::atom(self.small_literal()))
    }

    /// A call with arguments; `None` when there is nothing that fits.
    pub fn call_of(&mut self, c: &Callable, depth: usize, effect: Effect) -> Option<Expr> {
        let effect = if c.is_macro { Effect::Reads } else { effect };
        let mut args = Vec::new();
        for takes in &c.takes {
            args.push(match takes {
                Takes::Value => self.raw(depth.min(1), effect),
                Takes::Reference(t) => self.reference(t, c.is_macro)?,
                Takes::Pointer(t) => self.pointer(t)?,
            });
        }
        Some(Expr::Call(c.name.clone(), args))
    }

    /// A place of type `t`, of any type for a macro: a variable or a cell.
    fn reference(&mut self, t: &str, any: bool) -> Option<Expr> {
        let fits = |of: &str| (any && of != "bool") || of == t;
        let locals: Vec<Local> = self
            .locals
            .iter()
            .filter(|l| !l.protected && !l.uniform && fits(&l.t))
            .cloned()
            .collect();
        let cells: Vec<Place> =
            self.places.iter().filter(|p| p.writable && fits(&p.t)).cloned().collect();
        if !locals.is_empty() && (cells.is_empty() || self.choices.chance(2, 3)) {
            return Some(Expr::atom(self.choices.pick(&locals).name.clone()));
        }
        if cells.is_empty() {
            return None;
        }
        let place = self.choices.pick(&cells).clone();
        match self.cell_of(&place, 0, Effect::Silent) {
            // `*p` in a macro may become `*p++`.
            Expr::Unary(..) if any => Some(Expr::index(&place.name, Expr::atom("1"))),
            cell => Some(cell),
        }
    }

    /// A pointer to cells of type `t`.
    pub fn pointer(&mut self, t: &str) -> Option<Expr> {
        let places: Vec<Place> =
            self.places.iter().filter(|p| p.writable && p.t == t).cloned().collect();
        if places.is_empty() {
            return None;
        }
        let place = self.choices.pick(&places).clone();
        let name = Expr::atom(&place.name);
        if place.columns.is_some() {
            return Some(Expr::index(&place.name, self.subscript(0, Effect::Silent)));
        }
        Some(match self.choices.below(4) {
            0 => Expr::binary("+", name, self.raw(0, Effect::Silent)),
            1 => Expr::Unary("&", Box::new(self.cell_of(&place, 0, Effect::Silent))),
            _ => name,
        })
    }
}
