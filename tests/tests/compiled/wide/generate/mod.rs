//! Random kernels of what real ones are made of: casts, structures, objects. What memory holds decides no
//! index and no branch.

mod device;
mod flow;
mod idioms;
mod objects;
mod places;
mod statements;
mod types;

use super::case::Case;
use crate::generate::split_mix;
use babycuda_frontend::{Language, Overflow};
use babycuda_testkit::Choices;
use std::collections::BTreeSet;
use types::{Record, Ty};

/// An array, or a pointer into one.
#[derive(Clone, Debug)]
struct Array {
    name: String,
    /// `None`: `void`.
    ty: Option<Ty>,
    /// Rows of elements?
    rows: bool,
    /// A part of the dynamic shared memory, in which others lie, too?
    carved: bool,
}

/// The state of a generator.
struct Generator<'c> {
    choices: Choices<'c>,
    records: Vec<Record>,
    arrays: Vec<Array>,
    /// What the elements are of `acc`, which is updated and never cast.
    counter: Ty,
    /// Variables that are small numbers.
    indices: Vec<String>,
    lines: Vec<String>,
    labels: BTreeSet<&'static str>,
    next: usize,
    /// The threads of a block, in two directions.
    block: [u32; 2],
    /// Only what the built-in parser reads?
    simple: bool,
    /// Does the translation know the launch?
    concrete: bool,
    /// Do all threads of a block come here together?
    uniform: bool,
    /// How many more statements.
    budget: i32,
}

/// The case of a seed.
pub fn case(seed: u64) -> Case {
    let mut state = seed;
    let numbers: Vec<u16> = (0..6000).map(|_| split_mix(&mut state) as u16).collect();
    let mut choices = Choices::new(&numbers);
    let block = *choices.pick(&[
        [4, 1],
        [8, 1],
        [6, 1],
        [16, 1],
        [4, 2],
        [2, 3],
        [5, 2],
        [4, 1],
        [8, 1],
        [40, 1],
    ]);
    let simple = choices.chance(2, 5);
    let concrete = choices.chance(1, 2);
    let budget = 3 + choices.below(8) as i32;
    let generator = Generator {
        choices,
        records: Vec::new(),
        arrays: Vec::new(),
        counter: Ty::Scalar("int"),
        indices: vec!["i".to_owned()],
        lines: Vec::new(),
        labels: BTreeSet::new(),
        next: 0,
        block,
        simple,
        concrete,
        uniform: true,
        budget,
    };
    generator.case(seed)
}

impl Generator<'_> {
    fn label(&mut self, label: &'static str) {
        self.labels.insert(label);
    }

    fn fresh(&mut self, prefix: &str) -> String {
        self.next += 1;
        format!("{prefix}{}", self.next)
    }

    /// The threads of a tile: those of a block are a multiple of them.
    fn tile(&self) -> u32 {
        let threads = self.block[0] * self.block[1];
        if threads.is_multiple_of(4) { 4 } else { 2 }
    }

    fn case(mut self, seed: u64) -> Case {
        self.lines.extend(
            [
                "#include <assert.h>",
                "#include <cooperative_groups.h>",
                "#include <cooperative_groups/reduce.h>",
                "#include <curand_kernel.h>",
                "namespace cg = cooperative_groups;",
                "enum class Kind : unsigned char { A, B = 3, C };",
                "typedef unsigned char small_t;",
                "struct Step { short at; int by; };",
                "__constant__ const int TABLE[4] = {3, 0, 5, 2};",
                "__constant__ const Step STEPS[2] = {{1, 4}, {6, 2}};",
            ]
            .map(str::to_owned),
        );
        for _ in 0..1 + self.choices.below(3) {
            self.record();
        }
        let (mut head, mut call) = (Vec::new(), Vec::new());
        let counter = ["int", "unsigned", "float"][self.choices.below(3)];
        head.push(format!("{counter} *acc"));
        call.push(format!("({counter} *)rt_pointer(\"acc\", 4)"));
        self.counter = Ty::Scalar(counter);
        for name in &["f", "g", "h", "e"][..2 + self.choices.below(3)] {
            let void = !self.simple && self.choices.chance(1, 10);
            let ty = if void { None } else { Some(self.any_type()) };
            let text = ty.as_ref().map_or("void".to_owned(), |ty| self.name(ty));
            let element = ty.as_ref().map_or("1".to_owned(), |_| format!("sizeof({text})"));
            head.push(format!("{text} *{name}"));
            call.push(format!("({text} *)rt_pointer(\"{name}\", {element})"));
            self.arrays.push(Array { name: (*name).to_owned(), ty, rows: false, carved: false });
        }
        if self.choices.chance(1, 4) {
            self.label("structure as a parameter");
            let (one, two) = (self.any_type(), self.any_type());
            let [p, q] = [&one, &two].map(|ty| self.name(ty));
            self.lines.push(format!("struct Args {{ {p} *p; int k; {q} *q; }};"));
            head.push("Args args".to_owned());
            call.push(format!(
                "Args{{({p} *)rt_pointer(\"args.p\", sizeof({p})), 3, ({q} *)rt_pointer(\"args.q\", sizeof({q}))}}"
            ));
            for (name, ty) in [("args.p", one), ("args.q", two)] {
                self.arrays.push(Array {
                    name: name.to_owned(),
                    ty: Some(ty),
                    rows: false,
                    carved: false,
                });
            }
        }
        for (ty, name, given) in [
            (
                "curandState *",
                "states",
                "(curandState *)rt_pointer(\"states\", sizeof(curandState))",
            ),
            ("cudaSurfaceObject_t ", "surface", "\"surface\""),
            ("cudaTextureObject_t ", "image", "0"),
        ] {
            head.push(format!("{ty}{name}"));
            call.push(given.to_owned());
        }
        let mut params = Vec::new();
        for (number, name) in ["n", "m", "pitch"].into_iter().enumerate() {
            head.push(format!("int {name}"));
            call.push(format!("(int)rt_param({number})"));
            let value = 1 + self.choices.below(6) as i128;
            params.push((name.to_owned(), if name == "pitch" { 16 * value } else { value }));
        }
        self.indices.extend(["n", "m"].map(str::to_owned));
        let mut body = vec!["int i = threadIdx.x;".to_owned()];
        if self.choices.chance(1, 2) {
            body.push("int t = blockIdx.x * blockDim.x + threadIdx.x;".to_owned());
            self.indices.push("t".to_owned());
        }
        if self.block[1] > 1 {
            self.label("block of two dimensions");
            body.push("int y = threadIdx.y;".to_owned());
            self.indices.push("y".to_owned());
        }
        body.extend(self.shared());
        // Behind a return of some threads there is no barrier.
        let last = if self.choices.chance(1, 3) { 2 } else { 0 };
        while self.budget > 0 {
            if self.budget <= last && self.uniform {
                self.label("early return");
                self.uniform = false;
                let limit = self.choices.below(7);
                body.push(format!("if ({} >= {limit}) return;", self.leaf()));
            }
            body.extend(self.statement(3));
        }
        let grid = 1 + self.choices.weighted(&[4, 2, 1]);
        let tile = self.tile();
        Case {
            seed,
            language: Language::Cuda,
            lines: self.lines,
            head: format!("__global__ void kern({})", head.join(", ")),
            body,
            call: format!("kern({})", call.join(", ")),
            params,
            grid: grid as u32,
            block: self.block,
            tile,
            concrete: self.concrete,
            overflow: match self.choices.below(3) {
                0 => Overflow::AssumeNone,
                _ => Overflow::Wrap,
            },
            labels: self.labels,
        }
    }

    /// Arrays of a block.
    fn shared(&mut self) -> Vec<String> {
        let mut out = Vec::new();
        if self.choices.chance(1, 2) {
            self.label("shared");
            let ty = self.any_type();
            let rows = self.choices.chance(1, 3);
            let dims = if rows { "[8][64]" } else { "[1024]" };
            out.push(format!("BC_SMEM({}, s, {dims});", self.name(&ty)));
            self.arrays.push(Array { name: "s".to_owned(), ty: Some(ty), rows, carved: false });
        }
        if self.choices.chance(2, 5) {
            self.label("carved");
            let whole = ["char", "unsigned char", "float", "double"][self.choices.below(4)];
            out.push(format!("BC_XSMEM({whole}, dyn);"));
            let mut last = "dyn".to_owned();
            for name in &["c1", "c2", "c3"][..2 + self.choices.below(2)] {
                let ty = self.any_type();
                let to = self.name(&ty);
                let (offset, behind) = (64 * self.choices.below(40), 16 * self.choices.below(80));
                let place = match self.choices.below(3) {
                    _ if last == "dyn" => "dyn".to_owned(),
                    0 => format!("((char *)dyn + {offset})"),
                    1 => format!("((char *)dyn + {offset} * m)"),
                    // Elements of the array before are counted.
                    _ => format!("({last} + {behind})"),
                };
                out.push(format!("{to} *{name} = ({to} *){place};"));
                self.arrays.push(Array {
                    name: (*name).to_owned(),
                    ty: Some(ty),
                    rows: false,
                    carved: true,
                });
                (*name).clone_into(&mut last);
            }
        }
        out
    }
}
