//! A small kernel as lines of text, so that it can be made smaller.

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
#[derive(Clone, PartialEq, Eq, Debug)]
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

    /// The kernels with one statement less: left out, or what stands in it in its place.
    pub fn smaller(&self) -> Vec<Small> {
        let with = |body| Small { body, ..self.clone() };
        smaller(&self.body).into_iter().map(with).collect()
    }
}

impl Line {
    fn size(&self) -> usize {
        match self {
            Line::Code(_) => 1,
            Line::Block(_, body) => 1 + body.iter().map(Line::size).sum::<usize>(),
        }
    }

    fn write(&self, array: &str, indent: usize, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:indent$}", "")?;
        match self {
            Line::Code(code) => writeln!(f, "{}", code.replace('X', array)),
            Line::Block(head, body) => {
                writeln!(f, "{head} {{")?;
                body.iter().try_for_each(|line| line.write(array, indent + 4, f))?;
                writeln!(f, "{:indent$}}}", "")
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

/// As CUDA C. What no statement mentions is not declared.
impl fmt::Display for Small {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let used = |name: &str| self.body.iter().any(|line| line.mentions(name));
        writeln!(f, "__global__ void kernel(unsigned *a, const unsigned *d, int n) {{")?;
        if self.array == "s" {
            writeln!(f, "    __shared__ unsigned s[64];")?;
        }
        for (name, declaration) in [
            ("t", "int t = threadIdx.x;"),
            ("g", "int g = blockIdx.x * blockDim.x + threadIdx.x;"),
            ("x", "unsigned x = 0;"),
        ] {
            if used(name) {
                writeln!(f, "    {declaration}")?;
            }
        }
        self.body.iter().try_for_each(|line| line.write(self.array, 4, f))?;
        writeln!(f, "}}")
    }
}
