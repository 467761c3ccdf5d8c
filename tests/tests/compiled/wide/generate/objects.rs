//! Objects of a thread: structures with pointers and indices, functions in them, references.

use super::Generator;
use super::types::Ty;

impl Generator<'_> {
    /// A line of the file that is there once.
    pub(super) fn line(&mut self, line: String) {
        if !self.lines.contains(&line) {
            self.lines.push(line);
        }
    }

    /// Statements with an object.
    pub(super) fn object(&mut self) -> Vec<String> {
        let all = if self.simple { 7 } else { 14 };
        match self.choices.below(all) {
            0 => self.chosen(),
            1 => self.reference(),
            2 => self.position(),
            3 => self.template(),
            4 => self.group(),
            5 => self.local_array(),
            6 => self.pointer_to_part(),
            7 => self.functor(),
            8 => self.lambda(),
            9 => self.range_for(),
            10 => self.overload(),
            11 => self.pointers(),
            12 => self.view(),
            _ => self.by_value(),
        }
    }

    /// A pointer and a stride, with methods.
    fn view(&mut self) -> Vec<String> {
        self.label("methods");
        let ty = self.any_type();
        let name = self.name(&ty);
        self.line(
            "template <class T> struct View { T *p; int by;\n  __device__ T &at(int k) { return p[k * by]; }\n  \
             __device__ void put(int k, T v) const { p[k] = v; }\n  __device__ View from(int k) const { return View{p + k, by}; } };"
                .to_owned(),
        );
        let w = self.fresh("w");
        let (pointer, one, two) = (self.pointer(&ty), self.index(), self.index());
        let mut out =
            vec![format!("View<{name}> {w} = {{{pointer}, {}}};", 1 + self.choices.below(3))];
        match self.choices.below(4) {
            0 => out.push(format!("{w}.at({one}) = {w}.at({two});")),
            1 => out.push(format!("{w}.put({one}, BC_ARG({w}.p[{two}]));")),
            2 => {
                let v = self.fresh("w");
                out.push(format!("View<{name}> {v} = {w}.from({one}); {v}.at(1) = {w}.p[{two}];"));
            }
            _ => out.push(format!("{w}.p += {one}; {w}.by++; {w}.at(2) = {w}.p[0];")),
        }
        out
    }

    fn functor(&mut self) -> Vec<String> {
        self.label("functor");
        self.line(
            "struct Scale { int k, c; __device__ int operator()(int x) const { return x * k + c; } };"
                .to_owned(),
        );
        let place = self.any_type();
        let (pointer, leaf, s) = (self.pointer(&place), self.leaf(), self.fresh("scale"));
        let (k, c) = (1 + self.choices.below(3), self.choices.below(9));
        let other = self.element(&place).text;
        match self.choices.below(2) {
            0 => vec![format!("{pointer}[Scale{{{k}, {c}}}({leaf})] = {other};")],
            _ => vec![
                format!("Scale {s} = {{{k}, {leaf}}}; {s}.c += {c};"),
                format!("{pointer}[{s}({leaf})] = {other};"),
            ],
        }
    }

    fn lambda(&mut self) -> Vec<String> {
        let ty = self.scalar();
        let name = self.name(&ty);
        let [q, l] = ["q", "l"].map(|prefix| self.fresh(prefix));
        let (pointer, index, leaf, value) =
            (self.pointer(&ty), self.index(), self.leaf(), self.value());
        match self.choices.below(4) {
            0 => {
                self.label("lambda by value");
                vec![
                    format!("{name} *{q} = {pointer};"),
                    format!("auto {l} = [=](int k) {{ return {q}[k + {leaf}]; }};"),
                    format!("{} = {l}({index});", self.scalar_place().text),
                ]
            }
            1 => {
                self.label("lambda by reference");
                vec![
                    format!("{name} *{q} = {pointer};"),
                    format!("auto {l} = [&](int k, {name} v) {{ {q}[k] = v; {q} += 2; }};"),
                    format!("{l}({index}, {value}); {l}({leaf}, {value});"),
                ]
            }
            2 => {
                self.label("lambda by value");
                vec![
                    format!("{name} *{q} = {pointer};"),
                    format!("auto {l} = [{q}, i](int k) -> int {{ {q}[k] = 1; return k + i; }};"),
                    format!("{} = {value};", self.element(&ty).text),
                    format!("{q}[{l}({index})] += {l}({leaf});"),
                ]
            }
            _ => {
                self.label("lambda by reference");
                let count = self.fresh("n");
                vec![
                    format!("int {count} = 0; {name} *{q} = {pointer};"),
                    format!("auto {l} = [&](int k) {{ {count} += k; }};"),
                    format!("{l}({leaf}); {l}(2); {q}[{count}] = {value};"),
                ]
            }
        }
    }

    fn pointers(&mut self) -> Vec<String> {
        self.label("array of pointers");
        let ty = self.any_type();
        let name = self.name(&ty);
        let [ps, j] = ["ps", "j"].map(|prefix| self.fresh(prefix));
        let (one, two, to, from) =
            (self.pointer(&ty), self.pointer(&ty), self.index(), self.index());
        let mut out = vec![format!("{name} *{ps}[2] = {{{one}, {two}}};")];
        match self.choices.below(3) {
            0 => out.push(format!(
                "for (int {j} = 0; {j} < 2; {j}++) {ps}[{j}][{to}] = {ps}[1][{from}];"
            )),
            1 => out.push(format!("{ps}[i & 1][{to}] = {ps}[0][{from}];")),
            _ => out
                .push(format!("{ps}[1] += {}; {ps}[n & 1][{to}] = {ps}[1][{from}];", self.leaf())),
        }
        out
    }

    fn range_for(&mut self) -> Vec<String> {
        self.label("range-based for");
        let [offsets, o] = ["offsets", "o"].map(|prefix| self.fresh(prefix));
        let leaf = self.leaf();
        let list = match self.choices.below(2) {
            0 => "{0, 4, 9}".to_owned(),
            _ => format!("{{1, {leaf}, 7}}"),
        };
        self.indices.push(o.clone());
        let access = self.access();
        self.indices.pop();
        let auto = ["int", "auto", "const int &"][self.choices.below(3)];
        let mut out =
            vec![format!("int {offsets}[3] = {list};"), format!("for ({auto} {o} : {offsets}) {{")];
        out.extend(access);
        out.push("}".to_owned());
        out
    }

    /// A pointer that is one of two.
    fn chosen(&mut self) -> Vec<String> {
        self.label("?: of pointers");
        let ty = self.any_type();
        let name = self.name(&ty);
        let q = self.fresh("q");
        let (one, two, to, from) =
            (self.pointer(&ty), self.pointer(&ty), self.index(), self.index());
        let condition = ["i & 1", "n > 2", "i < m"][self.choices.below(3)];
        match self.choices.below(2) {
            0 => vec![
                format!("{name} *{q} = ({condition}) ? {one} : {two};"),
                format!("{q}[{to}] = {q}[{from}];"),
            ],
            _ => vec![
                format!("{name} *{q} = {one};"),
                format!("if ({condition}) {q} = {two} + {};", self.leaf()),
                format!("{q}[{to}] = {q}[{from}];"),
            ],
        }
    }

    fn reference(&mut self) -> Vec<String> {
        let (r, value) = (self.fresh("r"), self.value());
        self.label("reference to a part");
        if self.choices.chance(1, 2) {
            let place = self.scalar_place();
            if !place.packed {
                let name = self.name(&place.ty);
                return vec![format!("{name} &{r} = {}; {r} = {value}; {r} += 2;", place.text)];
            }
        }
        let place = self.whole_place();
        let mut part = super::places::Place { text: r.clone(), ..place.clone() };
        while !part.ty.is_scalar() {
            part = self.part(part);
        }
        vec![format!("auto &{r} = {};", place.text), format!("{} = {value};", part.text)]
    }

    fn pointer_to_part(&mut self) -> Vec<String> {
        self.label("pointer to a part");
        let (place, q, value) = (self.scalar_place(), self.fresh("q"), self.value());
        let name = self.name(&place.ty);
        let index = self.index();
        vec![
            format!("{name} *{q} = ({name} *)&{};", place.text),
            match self.choices.below(3) {
                0 => format!("*{q} = {value};"),
                1 => format!("*{q}++ = 1; *{q} = {value};"),
                _ => format!("{q}[{index}] = {value};"),
            },
        ]
    }

    fn template(&mut self) -> Vec<String> {
        self.label("template");
        let ty = self.scalar();
        let name = self.name(&ty);
        let (pointer, index, n) = (self.pointer(&ty), self.index(), 1 + self.choices.below(4));
        self.line(
            "template <typename T, int N> __device__ void fill(T *p, int k) {\n  \
             for (int j = 0; j < N; j++) p[k * N + j] = T(k); }"
                .to_owned(),
        );
        self.line(
            "template <class T> __device__ T pick(const T *p, int k, int by = 2) { return p[k * by]; }"
                .to_owned(),
        );
        match self.choices.below(2) {
            0 => vec![format!("fill<{name}, {n}>({pointer}, {index});")],
            _ => vec![format!("{} = pick({pointer}, {index});", self.scalar_place().text)],
        }
    }

    fn overload(&mut self) -> Vec<String> {
        self.label("overload");
        for (ty, place) in
            [("int", "k"), ("float", "k + 3"), ("double", "2 * k"), ("short", "k / 2")]
        {
            self.line(format!("__device__ void put({ty} *p, int k) {{ p[{place}] = 1; }}"));
        }
        let ty = Ty::Scalar(["int", "float", "double", "short"][self.choices.below(4)]);
        let (pointer, index) = (self.pointer(&ty), self.index());
        vec![format!("put({pointer}, {index});")]
    }

    /// Indices in a structure.
    fn position(&mut self) -> Vec<String> {
        self.label("indices in a structure");
        let ty = self.any_type();
        self.line("struct Pos { int x; short y; int at[2]; };".to_owned());
        self.line(
            "__device__ Pos moved(Pos o, int by) { o.x += by; o.at[1] = o.y; return o; }"
                .to_owned(),
        );
        let [o, v] = ["o", "v"].map(|prefix| self.fresh(prefix));
        let (pointer, one, two, leaf) =
            (self.pointer(&ty), self.leaf(), self.choices.below(7), self.leaf());
        let other = self.element(&ty).text;
        match self.choices.below(4) {
            0 => vec![
                format!("Pos {o} = {{{one}, {two}, {{1, {leaf}}}}};"),
                format!("{o}.y += 2; {pointer}[{o}.x + {o}.y + {o}.at[1]] = {other};"),
            ],
            1 => vec![
                format!("Pos {o} = moved(Pos{{{leaf}, {two}, {{0, 0}}}}, 3);"),
                format!("{pointer}[{o}.x + {o}.at[1]] = {other};"),
            ],
            2 => vec![
                format!("int2 {v} = make_int2({one}, {leaf}); {v}.x += {two};"),
                format!("{pointer}[{v}.x + {v}.y] = {other};"),
            ],
            _ => vec![
                format!("Pos {o} = {{{one}, 1, {{{two}, 4}}}}; Pos {v} = {o}; {v}.x++;"),
                format!("{pointer}[{o}.at[i & 1]] = {other}; {pointer}[{v}.x] = {other};"),
            ],
        }
    }

    /// Ranks in cooperative groups.
    fn group(&mut self) -> Vec<String> {
        self.label("cooperative groups");
        let [block, tile, r] = ["block", "tile", "r"].map(|prefix| self.fresh(prefix));
        // No tile is cut off.
        let sizes: Vec<u32> = [2, 4, 8, 16]
            .into_iter()
            .filter(|n| (self.block[0] * self.block[1]).is_multiple_of(*n))
            .collect();
        let size = *self.choices.pick(&sizes);
        let rank = match self.choices.below(3) {
            0 => format!("{tile}.thread_rank()"),
            1 => format!("{tile}.meta_group_rank()"),
            _ => format!("{block}.thread_rank()"),
        };
        self.indices.push(r.clone());
        let access = self.access();
        self.indices.pop();
        let mut out = vec![
            "{".to_owned(),
            format!("cg::thread_block {block} = cg::this_thread_block();"),
            format!("auto {tile} = cg::tiled_partition<{size}>({block});"),
            format!("int {r} = {rank};"),
        ];
        out.extend(access);
        out.push("}".to_owned());
        out
    }

    /// A structure that a function takes and gives.
    fn by_value(&mut self) -> Vec<String> {
        let place = self.whole_place();
        self.label("structure by value");
        let (name, x) = (self.name(&place.ty), self.fresh("x"));
        self.line(format!("__device__ {name} same({name} v) {{ return v; }}"));
        self.line(format!(
            "__device__ void swap({name} &v, {name} &w) {{ {name} o = v; v = w; w = o; }}"
        ));
        let to = self.element(&place.ty).text;
        match self.choices.below(3) {
            0 => vec![format!("swap({}, {to});", place.text)],
            1 => vec![format!("{name} {x} = same(BC_ARG({})); {to} = {x};", place.text)],
            _ => vec![format!("{name} *{x} = &{to}; BC_SET(*{x}, same(BC_ARG({})));", place.text)],
        }
    }

    /// Structures in an array of the thread, whose contents are data.
    fn local_array(&mut self) -> Vec<String> {
        self.label("array of the thread");
        let place = self.whole_place();
        let (name, x) = (self.name(&place.ty), self.fresh("x"));
        let (leaf, to) = (self.leaf(), self.element(&place.ty).text);
        vec![
            format!("{name} {x}[2]; {x}[0] = {}; {x}[1] = {x}[0];", place.text),
            format!("{to} = {x}[{leaf} & 1];"),
        ]
    }
}
