//! What else kernels are written with.

use super::Generator;
use super::types::Ty;

impl Generator<'_> {
    /// Statements of an idiom.
    pub(super) fn idiom(&mut self) -> Vec<String> {
        let all = if self.simple { 9 } else { 15 };
        match self.choices.below(all) {
            0 => self.reduction(),
            1 => self.pointer_loop(),
            2 => self.short_circuit(),
            3 => self.chosen_structure(),
            4 => self.chain(),
            5 => self.while_loop(),
            6 => self.between_pointers(),
            7 => self.bytes_of_own(),
            8 => self.copies(),
            9 => self.rows(),
            10 => self.vector_operators(),
            11 => self.given_lambda(),
            12 => self.punned(),
            13 => self.constructor(),
            _ => self.base(),
        }
    }

    /// A tree in shared or other memory.
    fn reduction(&mut self) -> Vec<String> {
        self.label("reduction");
        let ty = self.scalar();
        let name = self.name(&ty);
        let [p, w] = ["p", "w"].map(|prefix| self.fresh(prefix));
        let pointer = self.pointer(&ty);
        let barrier = if self.uniform { "__syncthreads();" } else { "" };
        let body = format!("if (i < {w}) {p}[i] += {p}[i + {w}];");
        let head = match self.choices.below(2) {
            0 => format!("for (int {w} = blockDim.x / 2; {w} > 0; {w} >>= 1) {{"),
            _ => format!("for (unsigned {w} = 1; {w} < blockDim.x; {w} *= 2) {{"),
        };
        vec![format!("{name} *{p} = {pointer};"), head, format!("{body} {barrier}"), "}".to_owned()]
    }

    /// A pointer that walks.
    fn pointer_loop(&mut self) -> Vec<String> {
        self.label("pointer that walks");
        let ty = self.any_type();
        let name = self.name(&ty);
        let [q, end, k] = ["q", "end", "k"].map(|prefix| self.fresh(prefix));
        let (pointer, index, other) = (self.pointer(&ty), self.index(), self.element(&ty).text);
        let n = 1 + self.choices.below(4);
        match self.choices.below(4) {
            0 => vec![
                format!("{name} *{q} = {pointer} + ({index});"),
                format!("for (int {k} = 0; {k} < {n}; {k}++) *{q}++ = {other};"),
            ],
            1 => vec![
                format!("{name} *{q} = {pointer}; {q} += {index}; {q} -= {n};"),
                format!("{q}[-1] = {other}; *++{q} = {other};"),
            ],
            2 => vec![format!(
                "for ({name} *{q} = {pointer}, *{end} = {q} + {n}; {q} != {end}; ++{q}) *{q} = {other};"
            )],
            _ => vec![
                format!("const {name} *{q} = {pointer} + ({index});"),
                format!("{other} = *{q}; {q} += blockDim.x; {other} = {q}[1];"),
            ],
        }
    }

    /// A byte of an object of the thread, at an index that is computed: of which part it is decides what is accessed.
    fn bytes_of_own(&mut self) -> Vec<String> {
        self.label("byte of an object");
        self.line("struct Tagged { int at; unsigned char tag[4]; short odd[2]; };".to_owned());
        let [x, q] = ["x", "q"].map(|prefix| self.fresh(prefix));
        let (start, index) = (self.leaf(), self.index());
        let at = self.choices.below(self.arrays.len());
        let array = self.plain(at);
        let change = match self.choices.below(4) {
            0 => format!("((unsigned char *)&{x})[({index}) & 7] = 9;"),
            1 => format!("{x}.tag[({index}) & 3] = 7;"),
            2 => format!("unsigned char *{q} = &{x}.tag[1]; {q}[({index}) & 1] = 6;"),
            _ => format!("short *{q} = {x}.odd; {q}[({index}) & 1] = 8;"),
        };
        let used = match self.choices.below(3) {
            0 => format!("{x}.at & 31"),
            1 => format!("{x}.tag[({index}) & 3]"),
            _ => format!("{x}.odd[1] + ((unsigned char *)&{x})[({index}) & 3]"),
        };
        vec![
            format!("Tagged {x}; {x}.at = ({start}) & 15; {x}.odd[0] = 2; {x}.odd[1] = 3;"),
            format!("{x}.tag[0] = 1; {x}.tag[1] = 2; {x}.tag[2] = 4; {x}.tag[3] = 5;"),
            change,
            format!("((int *){array})[{used}] = 1;"),
        ]
    }

    /// Asynchronous copies, what commits them, and what waits for them: as many of each as it comes, so barriers pass.
    fn copies(&mut self) -> Vec<String> {
        let mut out = Vec::new();
        for _ in 0..1 + self.choices.below(4) {
            out.push(match self.choices.below(6) {
                0 | 1 => {
                    self.label("asynchronous copy");
                    let (ty, size) = *self.choices.pick(&[("int", 4), ("int2", 8), ("int4", 16)]);
                    // Of different memory, so that no copy is one of its own source.
                    let first = self.choices.below(self.arrays.len());
                    let second = (first + 1) % self.arrays.len();
                    let carved = |at: usize| self.arrays[at].carved;
                    if first == second || (carved(first) && carved(second)) {
                        continue;
                    }
                    let [to, from] = [first, second]
                        .map(|at| format!("&(({ty} *){})[{}]", self.plain(at), self.index()));
                    format!("__pipeline_memcpy_async({to}, {from}, {size});")
                }
                2 | 3 => "__pipeline_commit();".to_owned(),
                4 => format!("__pipeline_wait_prior({});", self.choices.below(3)),
                _ if self.uniform => "__syncthreads();".to_owned(),
                _ => "__pipeline_wait_prior(0);".to_owned(),
            });
        }
        out
    }

    /// A pointer to arrays.
    fn rows(&mut self) -> Vec<String> {
        self.label("pointer to arrays");
        let ty = self.any_type();
        let name = self.name(&ty);
        let rows = self.fresh("rows");
        let at = self.choices.below(self.arrays.len());
        let array = self.plain(at);
        let (one, other, column) = (self.leaf(), self.element(&ty).text, self.choices.below(5));
        let width = 4 + self.choices.below(6);
        match self.choices.below(2) {
            0 => vec![
                format!("{name} (*{rows})[{width}] = ({name} (*)[{width}]){array};"),
                format!("{rows}[{one}][{column}] = {other};"),
            ],
            _ => vec![
                format!(
                    "{name} (&{rows})[{width}] = *({name} (*)[{width}])((char *){array} + 48);"
                ),
                format!("{rows}[{column}] = {other}; {rows}[{one} & 3] = {other};"),
            ],
        }
    }

    /// Operators of vectors that the file defines.
    fn vector_operators(&mut self) -> Vec<String> {
        self.label("operators of vectors");
        self.line(
            "__device__ float4 operator+(const float4 &a, const float4 &b) { return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }"
                .to_owned(),
        );
        self.line(
            "__device__ float4 operator*(float4 a, float s) { return make_float4(a.x * s, a.y * s, a.z * s, a.w * s); }"
                .to_owned(),
        );
        self.line(
            "__device__ void operator+=(float4 &a, float4 b) { a.x += b.x; a.y += b.y; a.z += b.z; a.w += b.w; }"
                .to_owned(),
        );
        let ty = Ty::Vector("float4", "float", 4);
        let [one, two, to] = [(); 3].map(|()| self.element(&ty).text);
        let sum = self.fresh("sum");
        match self.choices.below(3) {
            0 => vec![format!("float4 {sum} = {one} + {two}; {to} = {sum};")],
            1 => vec![format!("{to} += BC_ARG({one});")],
            _ => vec![
                format!("float4 {sum} = make_float4(0, 0, 0, 0); {sum} += BC_ARG({one}) * 2.0f;"),
                format!("{to} = {sum};"),
            ],
        }
    }

    /// A function that another one calls.
    fn given_lambda(&mut self) -> Vec<String> {
        self.label("lambda given to a function");
        self.line(
            "template <class F> __device__ void times(int n, F f) { for (int j = 0; j < n; j++) f(j); }"
                .to_owned(),
        );
        let ty = self.any_type();
        let k = self.fresh("k");
        self.indices.push(k.clone());
        let (to, from) = (self.element(&ty).text, self.element(&ty).text);
        self.indices.pop();
        let n = 1 + self.choices.below(3);
        vec![format!("times({n}, [&](int {k}) {{ {to} = {from}; }});")]
    }

    /// What is read only where something else holds.
    fn short_circuit(&mut self) -> Vec<String> {
        self.label("short circuit");
        let b = self.fresh("b");
        let (leaf, value, other) = (self.leaf(), self.value(), self.value());
        let to = self.scalar_place().text;
        match self.choices.below(3) {
            0 => vec![format!("bool {b} = {leaf} < 3 && ({value}) > 1; {to} = {b};")],
            1 => vec![format!("{to} = ({leaf} & 1) ? {value} : {other};")],
            _ => vec![format!(
                "bool {b} = i != 2 || ({value}) > 1 || ({other}) == 3; {to} = {b} ? 1 : 2;"
            )],
        }
    }

    fn chosen_structure(&mut self) -> Vec<String> {
        self.label("?: of structures");
        let place = self.whole_place();
        let (name, x) = (self.name(&place.ty), self.fresh("x"));
        let (other, to, leaf) =
            (self.element(&place.ty).text, self.element(&place.ty).text, self.leaf());
        match self.choices.below(3) {
            0 => vec![format!("{name} {x} = ({leaf} & 1) ? {} : {other}; {to} = {x};", place.text)],
            1 => vec![format!(
                "{name} *{x} = ({leaf} < 3) ? &{} : &{other}; *{x} = {to};",
                place.text
            )],
            _ => vec![
                format!("{name} {x} = {other};"),
                format!("if ({leaf} & 1) {x} = {}; {to} = {x};", place.text),
            ],
        }
    }

    /// Counters that change where they are used. The value of an assignment to memory is left out: C++ reads it
    /// again, and compilers do not.
    fn chain(&mut self) -> Vec<String> {
        self.label("counters that change");
        let [to, value] = [(); 2].map(|()| self.scalar_place().text);
        let [k, l] = ["k", "l"].map(|prefix| self.fresh(prefix));
        let leaf = self.leaf();
        match self.choices.below(3) {
            0 => vec![format!("int {k}, {l}; {k} = {l} = {leaf}; acc[{k} + {l}] = {value};")],
            1 => vec![format!("int {k} = {leaf}; acc[{k}++] = 1; acc[++{k}] = {value};")],
            _ => vec![format!(
                "int {k} = {leaf}; if (({k} += 2) > 3) {{ {to} = {k}; acc[{k}] = 2; }}"
            )],
        }
    }

    /// A union of the thread.
    fn punned(&mut self) -> Vec<String> {
        self.label("union of the thread");
        let u = self.fresh("u");
        let (from, to) = (self.scalar_place().text, self.scalar_place().text);
        match self.choices.below(2) {
            0 => vec![
                format!("union {{ float f; unsigned i; }} {u};"),
                format!("{u}.f = {from}; {to} = {u}.i;"),
            ],
            _ => vec![
                format!("union {{ uchar4 v; unsigned char b[4]; unsigned i; }} {u};"),
                format!("{u}.i = {from}; {u}.b[i & 3] = 1; {to} = {u}.v.y;"),
            ],
        }
    }

    fn constructor(&mut self) -> Vec<String> {
        self.label("constructor");
        self.line(
            "template <class T> struct Tile { T *p; const int w;\n  \
             __device__ Tile(T *q, int k, int w = 4) : p(q + k), w(w) {}\n  \
             __device__ T *operator[](int k) const { return p + k * w; }\n  \
             __device__ T &operator()(int r, int c) { return (*this)[r][c]; } };"
                .to_owned(),
        );
        let ty = self.any_type();
        let (name, tile) = (self.name(&ty), self.fresh("tile"));
        let (pointer, index, leaf) = (self.pointer(&ty), self.index(), self.leaf());
        let other = self.element(&ty).text;
        vec![
            match self.choices.below(2) {
                0 => format!("Tile<{name}> {tile}({pointer}, {index});"),
                _ => format!("Tile<{name}> {tile}{{{pointer}, {index}, 3}};"),
            },
            match self.choices.below(2) {
                0 => format!("{tile}[{leaf}][1] = {other};"),
                _ => format!("{tile}({leaf}, 2) = {other};"),
            },
        ]
    }

    /// An object with a base.
    fn base(&mut self) -> Vec<String> {
        self.label("base class");
        self.line(
            "struct Range { int from, to; __device__ int size() const { return to - from; } };"
                .to_owned(),
        );
        self.line("struct Strided : Range { int by; __device__ int at(int k) const { return from + k * by; } };".to_owned());
        let ty = self.any_type();
        let r = self.fresh("r");
        let (leaf, pointer, other) = (self.leaf(), self.pointer(&ty), self.element(&ty).text);
        let n = self.choices.below(5);
        vec![
            format!("Strided {r}; {r}.from = {leaf}; {r}.to = {leaf} + {n}; {r}.by = 3;"),
            match self.choices.below(2) {
                0 => format!("{pointer}[{r}.at({r}.size())] = {other};"),
                _ => {
                    format!("for (int k = 0; k < {r}.size(); k++) {pointer}[{r}.at(k)] = {other};")
                }
            },
        ]
    }

    fn while_loop(&mut self) -> Vec<String> {
        self.label("while");
        let k = self.fresh("k");
        self.indices.push(k.clone());
        let access = self.access().join(" ");
        self.indices.pop();
        let n = 1 + self.choices.below(4);
        match self.choices.below(4) {
            0 => vec![format!("int {k} = 0; while ({k} < {n}) {{ {access} {k}++; }}")],
            1 => vec![format!("int {k} = {n}; do {{ {access} }} while (--{k} > 0);")],
            2 => vec![format!(
                "for (int {k} = 0; {k} < 6; {k}++) {{ if ({k} == n) continue; if ({k} > m) break; {access} }}"
            )],
            _ => vec![format!("for (int {k} = {n}; {k}--;) {{ {access} }}")],
        }
    }

    /// How far pointers are apart.
    fn between_pointers(&mut self) -> Vec<String> {
        self.label("difference of pointers");
        let ty = self.any_type();
        let name = self.name(&ty);
        let [p, q] = ["p", "q"].map(|prefix| self.fresh(prefix));
        let (pointer, index, other) = (self.pointer(&ty), self.index(), self.element(&ty).text);
        vec![
            format!("{name} *{p} = {pointer}, *{q} = {p} + ({index});"),
            match self.choices.below(2) {
                0 => format!("{p}[({q} - {p}) + 2] = {other};"),
                _ => {
                    format!("if ({q} > {p} + 3) {{ *{q} = {other}; }} else {{ {q}[1] = {other}; }}")
                }
            },
        ]
    }
}
