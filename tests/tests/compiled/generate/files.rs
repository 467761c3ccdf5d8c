//! What stands around a kernel: macros, tables, functions, shared arrays.

use super::expressions::Effect;
use super::{Callable, Generator, Place, TYPES, Takes, bits};
use crate::case::Array;
use crate::layout::Layout;
use crate::syntax::{Expr, Function, Stmt};
use babycuda_frontend::Overflow;

impl Generator<'_> {
    pub fn array_type(&mut self) -> String {
        match self.choices.below(6) {
            0 | 1 => "int".to_owned(),
            2 => "unsigned".to_owned(),
            3 => "unsigned long long".to_owned(),
            _ => self.word(&TYPES).to_owned(),
        }
    }

    /// Declares an array, and what it holds.
    pub fn add_array(&mut self, name: &str, t: &str, global: bool, writable: bool) {
        let count = self.choices.below(12);
        let values = (0..count).map(|_| self.value_pattern(t)).collect();
        let fill = self.value_pattern(t);
        let name = name.to_owned();
        let bits = bits(t);
        let constant = false;
        self.arrays.push(Array { name: name.clone(), bits, global, constant, values, fill });
        let t = t.to_owned();
        self.places.push(Place { name: name.clone(), t, base: name, writable, columns: None });
    }

    /// The shared arrays: their declarations.
    pub fn shared(&mut self) -> Vec<Stmt> {
        let mut out = Vec::new();
        for i in 0..self.choices.weighted(&[2, 4, 2]) {
            let t = self.array_type();
            let name = ["s", "r"][i].to_owned();
            self.add_array(&name, &t, false, true);
            let text = match self.choices.below(8) {
                0 | 1 => {
                    if let Some(place) = self.places.last_mut() {
                        place.columns = Some(8);
                    }
                    format!("BC_SHARED2({t}, {name}, 4, 8);")
                }
                2 if i == 0 => format!("BC_EXTERN({t}, {name});"),
                _ => format!("BC_SHARED({t}, {name}, 64);"),
            };
            out.push(Stmt::Plain(text));
        }
        if self.choices.chance(1, 8) {
            let name = "total".to_owned();
            self.add_array(&name, "int", false, true);
            self.places.pop();
            out.push(Stmt::Plain("BC_SHARED0(int, total);".to_owned()));
            let tid = Expr::atom("threadIdx.x");
            let first = Expr::binary("==", tid, Expr::atom("0"));
            let set = Expr::assign("=", Expr::atom("total"), Expr::atom("3"));
            out.push(Stmt::If(first, vec![Stmt::Expr(set)], vec![]));
            out.push(Stmt::Plain(self.barrier.clone()));
            let use_it = Expr::index("a", Expr::binary("+", self.tid(), Expr::atom("total")));
            out.push(Stmt::Expr(Expr::assign("=", use_it, Expr::atom("2"))));
        }
        out
    }

    /// Now and then, what stands in headers.
    pub fn layout(&mut self) -> Option<Layout> {
        if !self.choices.chance(1, 3) {
            return None;
        }
        let lines = self.lines.len() - self.choices.below(self.lines.len() + 1) / 2;
        // A function may use any of the lines.
        let functions = match lines == self.lines.len() {
            true => self.choices.below(self.functions.len() + 1),
            false => 0,
        };
        let [searched, once, again] = [0; 3].map(|_| self.choices.chance(1, 2));
        Some(Layout { lines, functions, searched, once, again })
    }

    fn tid(&mut self) -> Expr {
        Expr::atom(self.index_name())
    }

    /// Tables that no one writes, and a device array.
    pub fn tables(&mut self) {
        for (name, kind) in [("table", "__constant__"), ("weights", "const")] {
            if !self.choices.chance(1, 5) {
                continue;
            }
            let t = self.array_type();
            let values: Vec<u64> = (0..4).map(|_| self.choices.below(2) as u64).collect();
            let list: Vec<String> = values.iter().map(u64::to_string).collect();
            let list = list.join(", ");
            let kind = if kind == "const" && self.choices.chance(1, 2) {
                "__device__ const"
            } else {
                kind
            };
            self.lines.push(format!("BC_TABLE({kind}, {t}, {name}, 4, {list});"));
            self.add_array(name, &t, true, false);
            if let Some(array) = self.arrays.last_mut() {
                (array.values, array.fill, array.constant) = (values, 0, true);
            }
        }
        if self.choices.chance(1, 12) {
            let t = self.array_type();
            self.lines.push(format!("BC_DEVICE({t}, g, 32);"));
            self.add_array("g", &t, true, true);
        }
    }

    /// Macros: each with its lines, and how it is used.
    pub fn macros(&mut self) {
        use Takes::{Reference, Value};
        let place = || Reference("any".to_owned());
        // What `-x` may be made of by a compiler is no overflow, in a macro either.
        let stops = self.overflow == Overflow::AssumeNone;
        let by_mode = |wraps, stops_too| if stops { stops_too } else { wraps };
        let minus = by_mode("(x) -x", "(x) BC_NEG((x))");
        let twice_minus = by_mode("(x) -NEG_(x)", "(x) BC_NEG(NEG_(x))");
        let twice = by_mode("(x) (2 * x)", "(x) (BC_VAL(2 * (x)))");
        let expression = [
            ("ADD", "(x, y) (BC_VAL((x) + (y)))", 2),
            ("TWICE", twice, 1),
            ("NEG", minus, 1),
            ("LOWER", "(x, y) ((x) < (y) ? +(x) : +(y))", 2),
            ("MASK", "(x) ((x) & 7)", 1),
            ("FIRST", "(x, ...) (x)", 2),
            ("SECOND", "(x, ...) (0 + (__VA_ARGS__))", 2),
            ("NEGNEG", twice_minus, 1),
            ("JOIN", "(x) (BC_VAL((x) + CAT_(4, 2)))", 1),
        ];
        let statement = [
            ("INC", "(x) x++"),
            ("DEC", "(x) --x"),
            ("SHIFT", "(x) x <<= 1"),
            ("PLUS", "(x) x += 3"),
            ("UPDATE", "(x) x = x * 2 - 1"),
            ("NEXT", "(x) INC_(x)"),
            ("SHOW", "(x) (printf(#x), x++)"),
        ];
        let helpers = [&*format!("NEG_{minus}"), "CAT_(x, y) x##y", "INC_(x) ++x"];
        let mut used = String::new();
        for _ in 0..self.choices.weighted(&[3, 2, 2, 1]) {
            if self.choices.chance(1, 2) {
                let (name, text, count) = *self.choices.pick(&expression);
                self.add_macro(name, text, vec![Value; count], true, &mut used);
            } else {
                let (name, text) = *self.choices.pick(&statement);
                // An assignment cannot stand inside an expression without parentheses.
                let value = !text.contains('=');
                self.add_macro(name, text, vec![place()], value, &mut used);
            }
        }
        if self.choices.chance(1, 8) {
            let line = "#define SET(p, i, ...) (p)[(i)] = __VA_ARGS__".to_owned();
            self.lines.push(line);
        }
        for helper in helpers {
            if used.contains(&helper[..4]) {
                self.lines.insert(0, format!("#define {helper}"));
            }
        }
        if self.choices.chance(1, 4) {
            let (name, text) = *self.choices.pick(&[
                ("FOR", "(i, n) for (BC_VAR(int) i = 0; i < n; ++i)"),
                ("FOR", "(i, n) for (BC_VAR(int) i = 0; i < (n); i++)"),
                ("DOWN", "(i, n) for (BC_VAR(int) i = n; i-- > 0;)"),
                ("EVERY", "(i, n) for (BC_VAR(int) i = 0; i < n; i += 2)"),
            ]);
            self.lines.push(format!("#define {name}{text}"));
            self.loop_macros.push(name.to_owned());
        }
        if self.choices.chance(1, 8) {
            self.lines.push("#define BARRIER __syncthreads()".to_owned());
            self.barrier = "BARRIER;".to_owned();
        } else if self.choices.chance(1, 8) {
            self.lines.push("#define SYNC() \\\n  __syncthreads()".to_owned());
            self.barrier = "SYNC();".to_owned();
        }
        if self.choices.chance(1, 8) {
            self.lines.push("#define LIMIT 5".to_owned());
            self.lines.push("#if LIMIT > 4 && defined(LIMIT)\n#define MORE (LIMIT+1)\n#else\n#define MORE 0\n#endif".to_owned());
            self.add_constant("MORE");
        }
    }

    fn add_constant(&mut self, name: &str) {
        let local = super::Local {
            name: name.to_owned(),
            t: "int".to_owned(),
            uniform: true,
            protected: true,
        };
        self.locals.push(local);
    }

    fn add_macro(
        &mut self,
        name: &str,
        text: &str,
        takes: Vec<Takes>,
        value: bool,
        used: &mut String,
    ) {
        if self.callables.iter().any(|c| c.name == name) {
            return;
        }
        used.push_str(text);
        self.lines.push(format!("#define {name}{text}"));
        let name = name.to_owned();
        self.callables.push(Callable { name, takes, value, barrier: false, is_macro: true });
    }

    /// Functions of the device, some with names that CUDA programs give to pure ones.
    pub fn device_functions(&mut self) {
        let names = ["clamp", "dot", "length", "make_index", "helper", "step", "pick"];
        let start = self.choices.below(names.len());
        for i in 0..self.choices.weighted(&[2, 3, 2]) {
            let name = names[(start + i) % names.len()];
            match self.choices.below(6) {
                0 => self.template(name),
                1 => self.minimum(),
                _ => self.function(name),
            }
        }
    }

    /// A function with a random body.
    fn function(&mut self, name: &str) {
        let outer_locals = std::mem::take(&mut self.locals);
        let tables = |p: &Place| ["table", "weights"].contains(&p.name.as_str());
        let outer_places = std::mem::take(&mut self.places);
        self.places = outer_places.iter().filter(|p| tables(p)).cloned().collect();
        let budget = std::mem::replace(&mut self.budget, 3);
        let uniform = self.uniform;
        let barrier = self.choices.chance(1, 8);
        self.uniform = false;
        let (mut head, mut takes) = (Vec::new(), Vec::new());
        for i in 0..1 + self.choices.below(3) {
            let parameter = ["x", "y", "z"][i];
            match self.choices.weighted(&[4, 3, 3]) {
                0 => {
                    let t = self.any_type();
                    head.push(format!("BC_VAR({t}) {parameter}"));
                    takes.push(Takes::Value);
                    self.add_local(parameter, t, false);
                }
                1 => {
                    let t = loop {
                        let t = self.any_type();
                        if t != "bool" {
                            break t;
                        }
                    };
                    head.push(format!("BC_REF({t}) {parameter}"));
                    takes.push(Takes::Reference(t.to_owned()));
                    self.add_local(parameter, t, false);
                }
                _ => {
                    let t = outer_places.iter().filter(|p| p.writable).map(|p| p.t.clone());
                    let types: Vec<String> = t.collect();
                    let t = self.choices.pick(&types).clone();
                    head.push(format!("BC_PTR({t}) {parameter}"));
                    takes.push(Takes::Pointer(t.clone()));
                    let name = parameter.to_owned();
                    let base = name.clone();
                    self.places.push(Place { name, t, base, writable: true, columns: None });
                }
            }
        }
        let returns = match self.choices.below(3) {
            0 => "void",
            _ => self.any_type(),
        };
        self.returns = Some(returns.to_owned());
        let mut body = self.block(2);
        if barrier {
            let at = self.choices.below(body.len() + 1);
            body.insert(at, Stmt::Plain(self.barrier.clone()));
        }
        if returns != "void" {
            body.push(Stmt::Return(Some(self.expression(2, Effect::Reads))));
        }
        self.returns = None;
        self.uniform = uniform;
        self.budget = budget;
        (self.locals, self.places) = (outer_locals, outer_places);
        let inline = self.word(&["", "", "inline ", "__forceinline__ "]);
        let head = format!("__device__ {inline}{returns} {name}({})", head.join(", "));
        self.functions.push(Function { head, body });
        self.callables.push(Callable {
            name: name.to_owned(),
            takes,
            value: returns != "void",
            barrier,
            is_macro: false,
        });
    }

    /// A template on a type or on a number.
    fn template(&mut self, name: &str) {
        let on_type = self.choices.chance(1, 2);
        let argument = if on_type {
            self.any_type().to_owned()
        } else {
            (1 + self.choices.below(5)).to_string()
        };
        let (list, t) = if on_type { ("class T", "T") } else { ("int T", "int") };
        let op = self.word(&["+", "*", "-", "|"]);
        let other = if on_type { "(T)y" } else { "T" };
        let body = vec![
            Stmt::Plain(format!("BC_VAR({t}) z = BC_VAL(x {op} {other});")),
            Stmt::If(
                Expr::binary(">", Expr::atom("z"), Expr::atom("9")),
                vec![Stmt::Return(Some(Expr::atom("y")))],
                vec![],
            ),
            Stmt::Return(Some(Expr::atom("z"))),
        ];
        let head = format!("template <{list}> __device__ {t} {name}(BC_VAR({t}) x, BC_VAR(int) y)");
        self.functions.push(Function { head, body });
        self.callables.push(Callable {
            name: format!("{name}<{argument}>"),
            takes: vec![Takes::Value, Takes::Value],
            value: true,
            barrier: false,
            is_macro: false,
        });
    }

    /// A function of three arguments named `min`, which writes.
    fn minimum(&mut self) {
        if self.callables.iter().any(|c| c.name == "min") {
            return;
        }
        let head = "__device__ int min(BC_PTR(int) x, BC_VAR(int) y, BC_VAR(int) z)".to_owned();
        let cell = Expr::index("x", Expr::atom("y"));
        let body = vec![
            Stmt::Expr(Expr::assign("=", cell, Expr::atom("z"))),
            Stmt::Return(Some(Expr::atom("y < z ? y : z"))),
        ];
        self.functions.push(Function { head, body });
        self.callables.push(Callable {
            name: "min".to_owned(),
            takes: vec![Takes::Pointer("int".to_owned()), Takes::Value, Takes::Value],
            value: true,
            barrier: false,
            is_macro: false,
        });
    }
}
