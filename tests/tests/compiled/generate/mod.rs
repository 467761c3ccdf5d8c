//! Random kernels: what a kernel's author may write, and a little beyond.
//!
//! Every kernel is defined C++17: divisors are positive, shift counts below the width, no
//! unsequenced side effects ([`effects`]), no uninitialised variable. Signed arithmetic may
//! overflow, and then does what the case says.

mod effects;
mod expressions;
mod files;
mod loops;
mod numbers;
mod statements;

use crate::case::{Array, Case, Setting, Source};
use crate::layout::File;
use crate::syntax::Function;
use babycuda_frontend::Overflow;
use babycuda_testkit::Choices;

/// The integer types, common ones first.
pub const TYPES: [&str; 22] = [
    "int",
    "unsigned",
    "unsigned char",
    "short",
    "long long",
    "unsigned long long",
    "char",
    "signed char",
    "unsigned short",
    "size_t",
    "bool",
    "long",
    "unsigned long",
    "int8_t",
    "uint8_t",
    "int16_t",
    "uint16_t",
    "int32_t",
    "uint32_t",
    "int64_t",
    "uint64_t",
    "unsigned int",
];

/// The bits of an integer type of [`TYPES`].
fn bits(t: &str) -> u32 {
    match t {
        "bool" | "char" | "signed char" | "unsigned char" | "int8_t" | "uint8_t" => 8,
        "short" | "unsigned short" | "int16_t" | "uint16_t" => 16,
        "int" | "unsigned" | "unsigned int" | "int32_t" | "uint32_t" | "float" => 32,
        _ => 64,
    }
}

/// Is the type signed?
fn signed(t: &str) -> bool {
    !(t.starts_with('u') || t == "size_t" || t == "bool")
}

/// A variable of the thread.
#[derive(Clone, Debug)]
struct Local {
    name: String,
    t: String,
    /// The same in all threads wherever they are together?
    uniform: bool,
    /// Not to be changed but by the loop that counts with it.
    protected: bool,
}

/// An array, or a pointer into one.
#[derive(Clone, Debug)]
struct Place {
    name: String,
    t: String,
    /// The array itself.
    base: String,
    writable: bool,
    /// The columns of an array of arrays.
    columns: Option<u32>,
}

/// What a parameter of a function takes.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Takes {
    Value,
    /// A reference to a variable of this type, or to a cell.
    Reference(String),
    /// A pointer to cells of this type.
    Pointer(String),
}

/// A function or macro that expressions or statements may use.
#[derive(Clone, Debug)]
struct Callable {
    /// As a call writes it: `f`, or `f<int>`.
    name: String,
    takes: Vec<Takes>,
    /// Has it a value?
    value: bool,
    /// Has it a barrier?
    barrier: bool,
    /// A macro: its arguments may be evaluated twice, or not at all.
    is_macro: bool,
}

/// The state of a generator.
struct Generator<'c> {
    choices: Choices<'c>,
    locals: Vec<Local>,
    places: Vec<Place>,
    callables: Vec<Callable>,
    lines: Vec<String>,
    functions: Vec<Function>,
    arrays: Vec<Array>,
    /// Loop macros: name, and whether they count.
    loop_macros: Vec<String>,
    /// Another name of the barrier.
    barrier: String,
    next: usize,
    /// How many more statements.
    budget: i32,
    /// Do all threads of a block come here together?
    uniform: bool,
    /// How many loops and switches are around, and is the innermost of them a loop?
    loops: usize,
    breakable: bool,
    /// Inside a function: its return type.
    returns: Option<String>,
    dimensions: usize,
    grid: bool,
    /// May local arrays and floats, which the translation does not follow, appear?
    opaque: bool,
    /// What signed overflow does.
    overflow: Overflow,
}

/// What signed overflow does in the case of a seed.
pub fn overflow(seed: u64) -> Overflow {
    if seed.is_multiple_of(2) { Overflow::Wrap } else { Overflow::AssumeNone }
}

/// The case of a seed.
pub fn case(seed: u64) -> Case {
    let mut state = seed;
    let numbers: Vec<u16> = (0..6000).map(|_| split_mix(&mut state) as u16).collect();
    let mut choices = Choices::new(&numbers);
    let dimensions = 1 + choices.weighted(&[6, 2, 1]);
    let grid = choices.chance(1, 4);
    let opaque = choices.chance(1, 10);
    let budget = 3 + choices.below(9) as i32;
    let generator = Generator {
        choices,
        locals: Vec::new(),
        places: Vec::new(),
        callables: Vec::new(),
        lines: Vec::new(),
        functions: Vec::new(),
        arrays: Vec::new(),
        loop_macros: Vec::new(),
        barrier: "__syncthreads();".to_owned(),
        next: 0,
        budget,
        uniform: true,
        loops: 0,
        breakable: false,
        returns: None,
        dimensions,
        grid,
        opaque,
        overflow: overflow(seed),
    };
    generator.case(seed)
}

/// SplitMix64 (Steele, Lea, Flood 2014).
pub fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl Generator<'_> {
    fn fresh(&mut self, prefix: &str) -> String {
        self.next += 1;
        format!("{prefix}{}", self.next)
    }

    /// One of the words; the first is the simplest.
    fn word(&mut self, words: &[&'static str]) -> &'static str {
        let at = self.choices.below(words.len());
        words[at]
    }

    fn any_type(&mut self) -> &'static str {
        match self.choices.weighted(&[5, 3, 6]) {
            0 => "int",
            1 => "unsigned",
            _ => self.word(&TYPES),
        }
    }

    fn case(mut self, seed: u64) -> Case {
        self.macros();
        self.tables();
        let mut head = Vec::new();
        let mut call = Vec::new();
        let mut params = Vec::new();
        let mut types = Vec::new();
        for i in 0..1 + self.choices.weighted(&[2, 4, 2]) {
            let t = self.array_type();
            let name = ["a", "b", "c"][i].to_owned();
            let writable = i == 0 || self.choices.chance(2, 3);
            let kind = if writable { "BC_PTR" } else { "BC_CPTR" };
            let restrict = if self.choices.chance(1, 8) { "__restrict__ " } else { "" };
            head.push(format!("{kind}({t}) {restrict}{name}"));
            call.push(format!("Ptr<{t}>(\"{name}\")"));
            self.add_array(&name, &t, true, writable);
        }
        for i in 0..self.choices.weighted(&[1, 5, 3]) {
            let t = if self.choices.chance(1, 2) { "int" } else { self.any_type() };
            let name = ["n", "m"][i].to_owned();
            head.push(format!("BC_VAR({t}) {name}"));
            call.push(format!("({t})rt_param({i})"));
            params.push(name.clone());
            types.push(t.to_owned());
            let protected = self.choices.chance(2, 3);
            self.locals.push(Local { name, t: t.to_owned(), uniform: true, protected });
        }
        self.device_functions();
        let mut body = self.shared();
        body.extend(self.block(4));
        let bounds = if self.choices.chance(1, 12) { "__launch_bounds__(256) " } else { "" };
        let template = self.choices.chance(1, 16);
        let prefix = if template { "template <int W> " } else { "" };
        let head = format!("{prefix}__global__ void {bounds}kern({})", head.join(", "));
        let file = File {
            lines: self.lines.clone(),
            functions: self.functions.clone(),
            kernel: Function { head, body },
            layout: self.layout(),
        };
        let settings = self.settings(&types);
        let instance = if template { "<4>" } else { "" };
        Case {
            seed,
            source: Source::Tree(file),
            call: format!("kern{instance}({})", call.join(", ")),
            params,
            arrays: self.arrays,
            settings,
            overflow: self.overflow,
        }
    }

    /// Launches and values: one small, one larger or at an edge.
    fn settings(&mut self, types: &[String]) -> Vec<Setting> {
        let mut settings = Vec::new();
        for round in 0..2 {
            let block = match self.dimensions {
                1 => [1 + self.choices.below(if round == 0 { 4 } else { 12 }) as u32, 1, 1],
                2 => [1 + self.choices.below(4) as u32, 1 + self.choices.below(3) as u32, 1],
                _ => [1, 1, 1].map(|n: u32| n + self.choices.below(2) as u32),
            };
            let grid = match self.grid {
                true => [1 + self.choices.below(3) as u32, 1 + self.choices.below(2) as u32, 1],
                false => [1; 3],
            };
            let params = types.iter().map(|t| self.param(t, round == 1)).collect();
            settings.push(Setting { grid, block, params });
        }
        settings
    }

    fn param(&mut self, t: &str, wild: bool) -> i128 {
        if t == "bool" {
            return self.choices.below(2) as i128;
        }
        let often = if self.overflow == Overflow::AssumeNone { 3 } else { 1 };
        if wild && self.choices.chance(often, 4) {
            let top = 1i128 << (bits(t) - u32::from(signed(t)));
            return if signed(t) {
                *self.choices.pick(&[-1, -2, -5, -top, top - 1, -top + 3])
            } else {
                *self.choices.pick(&[top - 1, top - 2, top / 2, top / 2 - 1])
            };
        }
        self.choices.below(if wild { 18 } else { 9 }) as i128
    }
}
