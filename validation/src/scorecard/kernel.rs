//! A small kernel as lines of text, so that it can be made smaller.

use babycuda_kernel::Language;
use babycuda_testkit::Choices;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A kernel over one array.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Small {
    /// The array that its statements call `X`: `s`, which is shared, or `a`, which is global.
    pub array: &'static str,
    /// The value of its parameter `n`.
    pub n: u32,
    /// Its body, but for declarations.
    pub body: Vec<Line>,
}

/// A statement.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Line {
    /// One without others in it.
    Code(String),
    /// A guard or a loop: its head, and what stands in it.
    Block(String, Vec<Line>),
}

impl Small {
    /// Statements.
    pub fn size(&self) -> usize {
        self.body.iter().map(Line::size).sum()
    }

    /// Does a statement mention the name?
    pub fn mentions(&self, name: &str) -> bool {
        self.body.iter().any(|line| line.mentions(name))
    }

    /// The kernels with one statement less: left out, or what stands in it in its place.
    pub fn smaller(&self) -> Vec<Small> {
        let with = |body| Small { body, ..self.clone() };
        smaller(&self.body).into_iter().map(with).collect()
    }

    /// The kernel with a statement of another one: before one of its own, in the place of one, or around one. Loops nest
    /// at most 3 deep. `None`: its statement does not fit there.
    pub fn crossed(&self, other: &Small, choices: &mut Choices<'_>) -> Option<Small> {
        let mut donors = Vec::new();
        other.body.iter().for_each(|line| line.all(&mut donors));
        let donor = *donors.get(choices.below(donors.len()))?;
        let mut at = choices.below(self.size());
        let body = put(&self.body, &mut at, 0, donor, choices.below(3))?;
        Some(Small { body, ..self.clone() })
    }
}

/// The statements with `donor` at the one of number `at`, within so many loops.
fn put(body: &[Line], at: &mut usize, loops: usize, donor: &Line, how: usize) -> Option<Vec<Line>> {
    let fits = |line: &Line, loops: usize| {
        loops + line.loops() <= 3 && (loops > 0 || !line.needs_counter())
    };
    for (i, line) in body.iter().enumerate() {
        let replaced = |by: &[Line]| [&body[..i], by, &body[i + 1..]].concat();
        if *at == 0 {
            let put = match (how, donor) {
                (0, Line::Block(head, _)) => vec![Line::Block(head.clone(), vec![line.clone()])],
                (0 | 1, _) => vec![donor.clone(), line.clone()],
                _ => vec![donor.clone()],
            };
            return put.iter().all(|line| fits(line, loops)).then(|| replaced(&put));
        }
        *at -= 1;
        if let Line::Block(head, inner) = line {
            if *at < inner.iter().map(Line::size).sum() {
                let inner = put(inner, at, loops + usize::from(line.is_loop()), donor, how)?;
                return Some(replaced(&[Line::Block(head.clone(), inner)]));
            }
            *at -= inner.iter().map(Line::size).sum::<usize>();
        }
    }
    None
}

impl Line {
    fn size(&self) -> usize {
        match self {
            Line::Code(_) => 1,
            Line::Block(_, body) => 1 + body.iter().map(Line::size).sum::<usize>(),
        }
    }

    fn text(&self, array: &str, indent: usize) -> String {
        match self {
            Line::Code(code) => format!("{:indent$}{}\n", "", code.replace('X', array)),
            Line::Block(head, body) => {
                let body: String = body.iter().map(|line| line.text(array, indent + 4)).collect();
                format!("{:indent$}{head} {{\n{body}{:indent$}}}\n", "", "")
            }
        }
    }

    /// It, and all in it.
    fn all<'a>(&'a self, into: &mut Vec<&'a Line>) {
        into.push(self);
        if let Line::Block(_, body) = self {
            body.iter().for_each(|line| line.all(into));
        }
    }

    fn is_loop(&self) -> bool {
        matches!(self, Line::Block(head, _) if head.starts_with("for (int i "))
    }

    /// How deep loops nest in it.
    fn loops(&self) -> usize {
        match self {
            Line::Code(_) => 0,
            Line::Block(_, body) => {
                usize::from(self.is_loop()) + body.iter().map(Line::loops).max().unwrap_or(0)
            }
        }
    }

    /// Does it use the counter of a loop around it?
    fn needs_counter(&self) -> bool {
        match self {
            _ if self.is_loop() => false,
            Line::Code(_) => self.mentions("i"),
            Line::Block(head, body) => {
                Line::Code(head.clone()).mentions("i") || body.iter().any(Line::needs_counter)
            }
        }
    }

    fn mentions(&self, name: &str) -> bool {
        let word = |text: &str| {
            text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name)
        };
        match self {
            Line::Code(code) => word(code),
            Line::Block(head, body) => word(head) || body.iter().any(|line| line.mentions(name)),
        }
    }
}

fn smaller(body: &[Line]) -> Vec<Vec<Line>> {
    let mut all = Vec::new();
    for (i, line) in body.iter().enumerate() {
        let replaced = |by: &[Line]| [&body[..i], by, &body[i + 1..]].concat();
        all.push(replaced(&[]));
        if let Line::Block(head, inner) = line {
            all.push(replaced(inner));
            let nested = smaller(inner).into_iter().filter(|inner| !inner.is_empty());
            all.extend(nested.map(|inner| replaced(&[Line::Block(head.clone(), inner)])));
        }
    }
    all
}

/// As CUDA C, with `n` as a parameter. What no statement mentions is not declared.
impl fmt::Display for Small {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(
            "__global__ void kernel(unsigned *a, const unsigned *d, int n) {",
            &[],
            "__shared__ unsigned s[64];",
        ))
    }
}

/// What OpenCL C calls what these kernels use.
const OPENCL: [(&str, &str); 6] = [
    ("threadIdx.x", "get_local_id(0)"),
    ("blockIdx.x", "get_group_id(0)"),
    ("blockDim.x", "get_local_size(0)"),
    ("__syncthreads()", "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)"),
    ("atomicAdd(", "atomic_add("),
    ("unsigned ", "uint "),
];

impl Small {
    /// As a text in which `n` has its value. `None`: the language does not have what the kernel uses.
    pub fn fixed(&self, language: Language) -> Option<String> {
        let n = format!("const int n = {};", self.n);
        let n = self.mentions("n").then_some(n.as_str());
        if language == Language::Cuda {
            let head = "__global__ void kernel(unsigned *a, const unsigned *d) {";
            return Some(self.text(head, n.as_slice(), "__shared__ unsigned s[64];"));
        }
        let head = "__kernel void kernel_(__global uint *a, __global const uint *d) {";
        let text = self.text(head, n.as_slice(), "__local uint s[64];");
        let text = OPENCL.iter().fold(text, |text, (cuda, opencl)| text.replace(cuda, opencl));
        (!text.contains("__sync")).then_some(text)
    }

    /// The text with this head, with these declarations before its own.
    fn text(&self, head: &str, first: &[&str], shared: &str) -> String {
        let own = [
            ("t", "int t = threadIdx.x;"),
            ("g", "int g = blockIdx.x * blockDim.x + threadIdx.x;"),
            ("x", "unsigned x = 0;"),
        ];
        let shared = (self.array == "s").then_some(shared);
        let own =
            own.iter().filter(|(name, _)| self.mentions(name)).map(|(_, declaration)| *declaration);
        let mut text = format!("{head}\n");
        for declaration in shared.into_iter().chain(first.iter().copied()).chain(own) {
            text += &format!("    {declaration}\n");
        }
        for line in &self.body {
            text += &line.text(self.array, 4);
        }
        text + "}\n"
    }
}
