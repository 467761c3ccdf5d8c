//! Random kernels of OpenCL C. What memory holds decides no index and no branch.

mod device;
mod flow;
mod idioms;
mod places;
mod statements;
mod types;
mod vectors;

use crate::generate::split_mix;
use crate::wide::case::Case;
use babycuda_frontend::{Language, Overflow};
use babycuda_testkit::Choices;
use std::collections::BTreeSet;
use types::{Record, Ty};

/// An array, or a pointer into one.
#[derive(Clone, Debug)]
struct Array {
    name: String,
    ty: Ty,
    /// Its address space: `global`, `local` or `constant`.
    space: &'static str,
    /// Rows of elements?
    rows: bool,
}

impl Array {
    fn new(name: &str, ty: Ty, space: &'static str) -> Array {
        Array { name: name.to_owned(), ty, space, rows: false }
    }
}

/// The state of a generator.
struct Generator<'c> {
    choices: Choices<'c>,
    /// What names of the file end with: all cases of a batch stand in one.
    seed: u64,
    records: Vec<Record>,
    arrays: Vec<Array>,
    /// What the elements are of `acc`, which is updated and never cast.
    counter: &'static str,
    /// Are there counters in local memory?
    counters: bool,
    /// Variables that are small numbers.
    indices: Vec<String>,
    lines: Vec<String>,
    labels: BTreeSet<&'static str>,
    next: usize,
    /// The work-items of a group, in two directions.
    block: [u32; 2],
    /// Do all work-items of a group come here together?
    uniform: bool,
    /// Are indices only sums and products? What is evaluated for each component of a vector has to be simple.
    plain: bool,
    /// Are copies on their way, which no barrier may pass?
    copying: bool,
    /// Has the kernel images that it writes?
    images: bool,
    /// How many more statements.
    budget: i32,
}

/// The case of a seed.
pub fn case(seed: u64) -> Case {
    let mut state = seed ^ 0x0c1c;
    let numbers: Vec<u16> = (0..6000).map(|_| split_mix(&mut state) as u16).collect();
    let mut choices = Choices::new(&numbers);
    let block = *choices.pick(&[[4, 1], [8, 1], [6, 1], [16, 1], [4, 2], [2, 3], [5, 2]]);
    let budget = 3 + choices.below(8) as i32;
    let generator = Generator {
        choices,
        seed,
        records: Vec::new(),
        arrays: Vec::new(),
        counter: "int",
        counters: false,
        indices: vec!["i".to_owned()],
        lines: Vec::new(),
        labels: BTreeSet::new(),
        next: 0,
        block,
        uniform: true,
        plain: false,
        copying: false,
        images: false,
        budget,
    };
    generator.case()
}

impl Generator<'_> {
    fn label(&mut self, label: &'static str) {
        self.labels.insert(label);
    }

    fn fresh(&mut self, prefix: &str) -> String {
        self.next += 1;
        format!("{prefix}{}", self.next)
    }

    /// A name of the file.
    fn own(&self, name: &str) -> String {
        format!("{name}_{}", self.seed)
    }

    /// A pointer that is a parameter.
    fn pointer_parameter(&mut self, name: &str, space: &'static str) -> (String, String) {
        let ty = self.any_type();
        let text = self.name(&ty);
        let long = self.choices.chance(1, 3) && space != "constant";
        let head = format!("{}{space} {text} *{name}", if long { "__" } else { "" });
        self.arrays.push(Array::new(name, ty, space));
        (head, format!("({text} *)rt_pointer(\"{name}\", sizeof({text}))"))
    }

    /// The parameters, and what is given for them.
    fn parameters(&mut self) -> (Vec<String>, Vec<String>) {
        let (mut head, mut call) = (Vec::new(), Vec::new());
        self.counter = ["int", "uint", "atomic_int", "atomic_uint"][self.choices.below(4)];
        let volatile = if self.seed / 100 % 4 == 3 { "volatile " } else { "" };
        head.push(format!("{volatile}global {} *acc", self.counter));
        call.push(format!("({} *)rt_pointer(\"acc\", 4)", self.counter));
        let mut add = |(one, given)| {
            head.push(one);
            call.push(given);
        };
        for name in &["f", "g", "h"][..2 + self.choices.below(2)] {
            add(self.pointer_parameter(name, "global"));
        }
        if self.choices.chance(1, 2) {
            self.label("local parameter");
            add(self.pointer_parameter("s", "local"));
        }
        if self.choices.chance(1, 4) {
            self.label("constant parameter");
            add(self.pointer_parameter("c", "constant"));
        }
        if self.choices.chance(1, 4) {
            self.label("image");
            self.images = true;
            add(("read_write image2d_t picture".to_owned(), "image2d_t{\"picture\"}".to_owned()));
            add(("write_only image1d_t line".to_owned(), "image1d_t{\"line\"}".to_owned()));
            add(("read_only image2d_t texture".to_owned(), "image2d_t{\"texture\"}".to_owned()));
            add(("sampler_t sampler".to_owned(), "sampler_t{}".to_owned()));
        }
        for (number, name) in ["n", "m", "pitch"].into_iter().enumerate() {
            add((format!("int {name}"), format!("(int)rt_param({number})")));
        }
        self.indices.extend(["n", "m"].map(str::to_owned));
        if self.choices.chance(1, 4) {
            self.label("vector parameter");
            head.push("int2 size".to_owned());
            call.push("rt_vector<int2>(SIZE)".to_owned());
            self.indices.extend(["size.x", "size.y"].map(str::to_owned));
        }
        (head, call)
    }

    fn case(mut self) -> Case {
        let table = self.own("TABLE");
        self.lines.push(format!("__constant int {table}[4] = {{3, 0, 5, 2}};"));
        for _ in 0..1 + self.choices.below(2) {
            self.record();
        }
        let (head, mut call) = self.parameters();
        let mut params: Vec<(String, i128)> = Vec::new();
        let size = [1 + self.choices.below(5), 1 + self.choices.below(5)];
        for name in ["n", "m", "pitch"] {
            let value = 1 + self.choices.below(6) as i128;
            params.push((name.to_owned(), if name == "pitch" { 16 * value } else { value }));
        }
        let mut body = vec!["int i = get_local_id(0);".to_owned()];
        if self.choices.chance(1, 2) {
            let first = match self.choices.below(2) {
                0 => "int t = get_global_id(0);",
                _ => "int t = get_group_id(0) * get_local_size(0) + get_local_id(0);",
            };
            body.push(first.to_owned());
            self.indices.push("t".to_owned());
        }
        if self.choices.chance(1, 4) {
            self.label("linear");
            body.push("int l = get_local_linear_id();".to_owned());
            self.indices.push("l".to_owned());
        }
        if self.block[1] > 1 {
            self.label("two dimensions");
            body.push("int y = get_local_id(1);".to_owned());
            self.indices.push("y".to_owned());
        }
        body.extend(self.local_array());
        // Behind a return of some work-items there is no barrier.
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
        if self.labels.contains("copy of a group") {
            let threads = (self.block[0] * self.block[1]) as usize;
            params.push(("copier".to_owned(), self.choices.below(threads) as i128));
        }
        if self.labels.contains("vector parameter") {
            for (part, value) in ["size.x", "size.y"].into_iter().zip(size) {
                params.push((part.to_owned(), value as i128));
            }
            let given = format!("{}, {}", size[0], size[1]);
            call.iter_mut().for_each(|text| *text = text.replace("SIZE", &given));
        }
        let kernel = if self.choices.chance(1, 2) { "kernel" } else { "__kernel" };
        let name = self.own("kern");
        Case {
            seed: self.seed,
            language: Language::OpenCl,
            lines: self.lines,
            head: format!("{kernel} void {name}({})", head.join(", ")),
            body,
            call: format!("{name}({})", call.join(", ")),
            params,
            grid: 1 + self.choices.weighted(&[4, 2, 1]) as u32,
            block: self.block,
            // Sub-groups are warps, of which a group here is one.
            tile: 32,
            concrete: self.choices.chance(1, 2),
            overflow: match self.choices.below(3) {
                0 => Overflow::AssumeNone,
                _ => Overflow::Wrap,
            },
            labels: self.labels,
        }
    }

    /// An array of a work-group.
    fn local_array(&mut self) -> Vec<String> {
        let mut out = Vec::new();
        if self.choices.chance(1, 3) {
            self.counters = true;
            out.push(format!("BC_SMEM({}, counters, [256]);", self.counter));
        }
        if self.choices.chance(1, 2) {
            return out;
        }
        self.label("local array");
        let ty = self.any_type();
        let rows = self.choices.chance(1, 3);
        let dims = if rows { "[8][64]" } else { "[1024]" };
        let name = self.name(&ty);
        self.arrays.push(Array { rows, ..Array::new("own", ty, "local") });
        out.push(format!("BC_SMEM({name}, own, {dims});"));
        out
    }
}
