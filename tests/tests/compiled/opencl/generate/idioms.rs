//! What else kernels are written with.

use super::Generator;
use super::places::Place;
use super::types::Ty;

impl Generator<'_> {
    /// Statements of an idiom.
    pub(super) fn idiom(&mut self) -> Vec<String> {
        match self.choices.below(9) {
            0 => self.reduction(),
            1 => self.pointer_loop(),
            2 => self.called(),
            3 => self.private_array(),
            4 => self.staged(),
            5 => self.arrow(),
            6 => self.while_loop(),
            7 => self.functions_of_vectors(),
            _ => self.chosen(),
        }
    }

    /// A tree in some memory.
    fn reduction(&mut self) -> Vec<String> {
        self.label("reduction");
        let ty = self.scalar();
        let name = self.name(&ty);
        let [p, w] = ["p", "w"].map(|prefix| self.fresh(prefix));
        let (pointer, space) = self.pointer(&ty, true);
        let barrier = if self.uniform { self.barrier() } else { String::new() };
        let body = format!("if (i < {w}) {p}[i] += {p}[i + {w}];");
        let head = match self.choices.below(2) {
            0 => format!("for (int {w} = get_local_size(0) / 2; {w} > 0; {w} >>= 1) {{"),
            _ => format!("for (uint {w} = 1; {w} < get_local_size(0); {w} *= 2) {{"),
        };
        vec![
            format!("{space} {name} *{p} = {pointer};"),
            head,
            format!("{body} {barrier}"),
            "}".to_owned(),
        ]
    }

    /// A pointer that walks.
    fn pointer_loop(&mut self) -> Vec<String> {
        self.label("pointer that walks");
        let ty = self.any_type();
        let name = self.name(&ty);
        let [q, k] = ["q", "k"].map(|prefix| self.fresh(prefix));
        let ((pointer, space), index) = (self.pointer(&ty, true), self.index());
        let (other, n) = (self.element(&ty, false).text, 1 + self.choices.below(4));
        // Without a space, a pointer is one into any memory.
        let space = match self.choices.below(4) {
            0 => {
                self.label("generic pointer");
                ""
            }
            _ => space,
        };
        match self.choices.below(3) {
            0 => vec![
                format!("{space} {name} *{q} = {pointer} + ({index});"),
                format!("for (int {k} = 0; {k} < {n}; {k}++) *{q}++ = {other};"),
            ],
            1 => vec![
                format!("{space} {name} *{q} = {pointer}; {q} += {index}; {q} -= {n};"),
                format!("{q}[1] = {other}; *++{q} = {other};"),
            ],
            _ => vec![
                format!("{space} const {name} *{q} = {pointer} + ({index});"),
                format!("{} = *{q}; {q} += get_local_size(0);", self.element(&ty, true).text),
                format!("{} = {q}[1];", self.element(&ty, true).text),
            ],
        }
    }

    /// A function of the file, with a pointer of an address space, or of any.
    fn called(&mut self) -> Vec<String> {
        self.label("function");
        let ty = self.any_type();
        let name = self.name(&ty);
        let (pointer, space) = self.pointer(&ty, true);
        let function = self.fresh("put");
        let function = self.own(&function);
        let of_any = self.choices.chance(1, 4);
        if of_any {
            self.label("generic pointer");
        }
        let of = if of_any { "" } else { space };
        let kind = ["static ", "static inline ", ""][self.choices.below(3)];
        let index = self.index();
        match self.choices.below(3) {
            0 => {
                let value = self.element(&ty, false).text;
                self.lines.push(format!(
                    "{kind}void {function}({of} {name} *p, int at, {name} v) {{ p[at] = v; p[at + 2] = v; }}"
                ));
                vec![format!("{function}({pointer}, {index}, BC_ARG({value}));")]
            }
            1 => {
                self.lines.push(format!(
                    "{kind}int {function}({of} {name} *p, int at) {{ if (at > 2) return at - 1; p[at] = p[at + 1]; return at; }}"
                ));
                let x = self.fresh("x");
                let out = vec![format!("int {x} = {function}({pointer}, {index});")];
                self.indices.push(x);
                out
            }
            _ => {
                self.lines.push(format!(
                    "{kind}{of} {name} *{function}({of} {name} *p, int at) {{ return at & 1 ? p + at : p; }}"
                ));
                let value = self.element(&ty, false).text;
                vec![format!("*{function}({pointer}, {index}) = {value};")]
            }
        }
    }

    /// An array of the work-item, of which elements index.
    fn private_array(&mut self) -> Vec<String> {
        self.label("private array");
        let [a, p] = ["a", "p"].map(|prefix| self.fresh(prefix));
        let (one, other, start) = (self.leaf(), self.leaf(), self.choices.below(5));
        let (target, value) = (self.pointer(&Ty::Scalar("int"), true).0, self.value());
        let head = format!("int {a}[4] = {{{start}, {one}, 2, {other}}};");
        match self.choices.below(3) {
            0 => vec![head, format!("{target}[{a}[{one} & 3]] = {value};")],
            1 => vec![
                head,
                format!("__private int *{p} = {a} + 1; {p}[{other} & 1] = 3;"),
                format!("{target}[{p}[0] + {p}[1]] = {value};"),
            ],
            _ => vec![
                head,
                format!("int4 {p} = vload4(0, {a}); vstore2(BC_OF({p}, zw), 0, {a});"),
                format!("{target}[{a}[0] + {p}.y] = {value};"),
            ],
        }
    }

    /// Into local memory, a barrier, and out of it elsewhere.
    fn staged(&mut self) -> Vec<String> {
        let of_local: Vec<usize> =
            (0..self.arrays.len()).filter(|n| self.arrays[*n].space == "local").collect();
        if !self.uniform || of_local.is_empty() {
            return self.access();
        }
        self.label("staged");
        let at = of_local[self.choices.below(of_local.len())];
        let (ty, array) = (self.arrays[at].ty.clone(), self.plain(at));
        let (from, to) = (self.element(&ty, false).text, self.element(&ty, true).text);
        let last = "get_local_size(0) - 1 - i";
        let mut out = vec![
            format!("{array}[i] = {from};"),
            self.barrier(),
            format!("{to} = {array}[{last}];"),
        ];
        if self.choices.chance(1, 2) {
            out.push(self.barrier());
        }
        out
    }

    /// What is chosen of memory: both are read by a function, one by an operator.
    fn chosen(&mut self) -> Vec<String> {
        self.label("choice");
        let [one, other] = [(); 2].map(|()| self.element(&Ty::Scalar("int"), false).text);
        let (to, leaf) = (self.scalar_place(true).text, self.leaf());
        match self.choices.below(3) {
            0 => vec![format!("{to} = select({one}, {other}, {leaf} > 2);")],
            1 => vec![format!("{to} = {leaf} > 2 ? {one} : {other};")],
            _ => vec![format!("if ({leaf} < 3 && i != 1 || n == 2) {to} = max({one}, {other});")],
        }
    }

    /// Fields through a pointer to a structure.
    fn arrow(&mut self) -> Vec<String> {
        self.label("arrow");
        let number = self.choices.below(self.records.len());
        let ty = Ty::Record(number);
        let (name, p) = (self.name(&ty), self.fresh("p"));
        let ((pointer, space), index) = (self.pointer(&ty, true), self.index());
        let value = self.value();
        let mut part = self.part(Place { text: "*".to_owned(), ty, space });
        // The first dot is an arrow.
        part.text = part.text.replacen("*.", &format!("{p}->"), 1);
        while !part.ty.is_scalar() {
            part = self.part(part);
        }
        vec![
            format!("{space} {name} *{p} = {pointer} + ({index});"),
            format!("{} += {value};", part.text),
        ]
    }

    /// A loop that something in it leaves.
    fn while_loop(&mut self) -> Vec<String> {
        self.label("while");
        // Work-items leave it when they like.
        let uniform = std::mem::take(&mut self.uniform);
        let (w, body) = (self.fresh("w"), self.access());
        self.uniform = uniform;
        let (start, leaf, step) = (self.choices.below(3), self.leaf(), 1 + self.choices.below(2));
        let mut out = vec![format!("int {w} = {start};")];
        match self.choices.below(3) {
            0 => out.push(format!("while ({w} < {leaf} && {w} < 5) {{ {w} += {step};")),
            1 => out.push(format!("while (1) {{ if (++{w} > n) break;")),
            _ => out.push(format!("for (; {w} < 6; {w}++) {{ if ({w} == {leaf}) continue;")),
        }
        out.extend(body);
        out.push("}".to_owned());
        out
    }

    /// Functions of vectors: each argument is read.
    fn functions_of_vectors(&mut self) -> Vec<String> {
        self.label("function of vectors");
        let ty = Ty::Vector("float", *self.choices.pick(&[2, 3, 4]));
        let [a, b, c] = [(); 3].map(|()| self.element(&ty, false).text);
        match self.choices.below(3) {
            0 => vec![format!("{} = mad({a}, {b}, {c});", self.element(&ty, true).text)],
            1 => vec![format!("{} = dot({a}, {b});", self.scalar_place(true).text)],
            _ => vec![format!("{} = any({a} < {b});", self.scalar_place(true).text)],
        }
    }
}
